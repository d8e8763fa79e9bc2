package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	cdppage "github.com/chromedp/cdproto/page"

	"drawbridge/internal/browser"
)

type dialogEvent struct {
	URL     string `json:"url"`
	Message string `json:"message"`
	Type    string `json:"type"`
	Default string `json:"defaultPrompt"`
}

// dialogOpening notes a dialog; the browser tells of those of all frames in the
// main frame's session.
func (d *Driver) dialogOpening(s *session, p dialogEvent) {
	t := s.tab
	t.dialog = &browser.Dialog{Kind: browser.DialogKind(p.Type), Message: p.Message, Default: p.Default, URL: p.URL}
	t.interrupt(nil, errDialog)
	d.changed(t)
}

func (d *Driver) dialogClosed(s *session, _ struct{}) {
	s.tab.dialog = nil
	d.changed(s.tab)
}

// Settling after a dialog's answer.
const (
	dialogQuiet = 100 * time.Millisecond
	dialogMost  = 10 * time.Second
)

func (d *Driver) handleDialog(ctx context.Context, t *tab, op browser.HandleDialog) (*browser.Observation, error) {
	d.mu.Lock()
	dialog, session := t.dialog, t.session
	w := d.watch(t)
	d.mu.Unlock()
	defer w.Close()
	if dialog == nil {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("no dialog is open in %s", t.id)}
	}
	p := cdppage.HandleJavaScriptDialogParams{Accept: op.Accept}
	if op.Accept && dialog.Kind == browser.DialogPrompt {
		p.PromptText = cmp.Or(op.Text, dialog.Default)
	}
	if err := d.send(ctx, session, cdppage.CommandHandleJavaScriptDialog, p, nil); err != nil {
		var refused *ProtocolError
		if errors.As(err, &refused) {
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("the dialog in %s is gone", t.id), Err: err}
		}
		return nil, err
	}
	d.mu.Lock()
	if t.dialog == dialog { // the browser told its end to another session, or tells it late
		t.dialog = nil
		d.changed(t)
	}
	d.mu.Unlock()
	verb := "dismissed"
	if op.Accept {
		verb = "accepted"
	}
	obs := &browser.Observation{Did: fmt.Sprintf("%s %s %q", verb, dialog.Kind, dialog.Message), Effect: browser.EffectConfirmed}
	if err := d.afterDialog(ctx, t, w, op.Settle); err != nil {
		return nil, err
	}
	a, _ := w.Activity()
	obs.Dialog, obs.Opened, obs.Downloads = a.Dialog, a.Opened, a.Downloads
	if a.Committed || a.SameDoc {
		obs.Navigated = &browser.Navigation{URL: a.URL, Title: a.Title, Doc: a.Doc, Status: a.Status, SameDoc: !a.Committed}
	}
	if a.Gone != "" {
		obs.Notes = append(obs.Notes, "the tab is gone: "+a.Gone)
	}
	return obs, nil
}

// afterDialog waits until what the page does after the answer is over: it is
// quiet, another dialog is open, or a navigation has brought its document.
func (d *Driver) afterDialog(ctx context.Context, t *tab, w *watch, settle browser.Settle) error {
	if settle.None {
		return nil
	}
	quiet := dialogQuiet
	if settle.Quiet > 0 {
		quiet = settle.Quiet
	}
	end := time.Now().Add(dialogMost + quiet)
	last := time.Now()
	for {
		a, more := w.Activity()
		until := last.Add(quiet)
		switch {
		case a.Dialog != nil || a.Gone != "" || a.Committed && a.Ready:
			if a.Committed {
				d.refreshTitle(ctx, t)
			}
			return nil
		case a.Navigating || a.Committed || a.OpenRequests > 0:
			until, last = end, time.Now()
		}
		if !time.Now().Before(until) {
			d.refreshTitle(ctx, t)
			return nil
		}
		if err := waitMore(ctx, more, until); err != nil {
			return err
		}
	}
}

// waitMore waits until more is closed or the time has come; ctx's end is an error.
func waitMore(ctx context.Context, more <-chan struct{}, until time.Time) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-more:
	case <-timer.C:
	case <-ctx.Done():
		return cancelled(ctx)
	}
	return nil
}
