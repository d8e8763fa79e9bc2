package pageagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"drawbridge/internal/browser"
)

const (
	opToolForm   = "toolForm"
	opSubmitForm = "submitForm"
)

// callToolForm calls a page tool that is a form in the older dialect: its fields
// are filled as fill does, and it is submitted once.
func (w *work) callToolForm(ctx context.Context, op browser.CallPageTool) (*browser.PageToolAnswer, error) {
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	if _, err := w.frames.of(browser.Ref{Frame: op.Frame}); err != nil {
		return nil, err
	}
	input := string(op.Args)
	if input == "" {
		input = "{}"
	}
	form, err := ask[ToolFormReply](ctx, w, op.Frame, opToolForm, ToolFormArgs{Name: op.Name, Input: input})
	if err != nil {
		return nil, err
	}
	if !form.Known {
		return nil, &browser.Error{Code: browser.CodeStaleRef, Msg: fmt.Sprintf("page tool %q is not offered any more; nothing was called", op.Name),
			Hint: "list_page_tools shows what is offered now"}
	}
	job, done := filling{work: w}, []filled(nil)
	if len(form.Fields) == 0 {
		if err := w.record(ctx); err != nil {
			return nil, err
		}
	}
	for i, f := range form.Fields {
		at := browser.Spot{Ref: browser.Ref{Frame: op.Frame, N: f.N}}
		got, err := job.fillField(ctx, browser.Field{At: at, Value: f.Value, Values: f.Values}, i > 0, deadline(browser.Acting{}))
		if err != nil {
			return nil, notSubmitted(op.Name, progress(err, done, nil))
		}
		done = append(done, got)
	}
	sent, err := ask[SubmitFormReply](ctx, w, op.Frame, opSubmitForm, ElementArgs{N: form.N})
	switch {
	case err != nil && (ctx.Err() != nil || !w.cutOff()):
		return nil, notSubmitted(op.Name, err)
	case sent.Invalid != "":
		return nil, &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("page tool %q filled its form, which was not submitted: %s", op.Name, clip(sent.Invalid, 400)),
			Hint: "give what the form wants; the tool's schema tells what it takes"}
	}
	seen, err := w.settle(ctx, browser.Settle{})
	if err != nil {
		return nil, err
	}
	w.arrived(&seen)
	return toolFormAnswer(w.observation("", seen), job.notes)
}

func notSubmitted(name string, err error) error {
	var known *browser.Error
	if !errors.As(err, &known) {
		return err
	}
	e := *known
	e.Msg = fmt.Sprintf("page tool %q did not submit its form: %s", name, known.Msg)
	return &e
}

// toolFormAnswer tells what came of a submission, as the tool's answer.
func toolFormAnswer(seen *browser.Observation, notes []string) (*browser.PageToolAnswer, error) {
	out := &browser.PageToolAnswer{Navigated: seen.Navigated, Dialog: seen.Dialog, Opened: seen.Opened, Notes: append(notes, seen.Notes...)}
	if seen.Navigated != nil && !seen.Navigated.SameDoc {
		return out, nil
	}
	var err error
	out.JSON, err = json.Marshal(struct {
		Submitted bool     `json:"submitted"`
		Added     []string `json:"added,omitempty"`
		Updated   []string `json:"updated,omitempty"`
		Removed   []string `json:"removed,omitempty"`
	}{true, seen.Added, seen.Updated, seen.Removed})
	return out, err
}
