package pageagent

import (
	"context"
	"fmt"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

const (
	timesMost = 200    // presses in one act
	typedMost = 10_000 // characters typed key by key in one act
)

func (w *work) pressKey(ctx context.Context, op browser.PressKey) (*browser.Observation, error) {
	events, did, err := keyInput(op)
	if err != nil {
		return nil, err
	}
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	const none = "no key was pressed"
	nothing := none
	switch {
	case op.At.IsZero():
		err = w.record(ctx)
	case op.Focus:
		var got aimed
		got, err = w.aim(ctx, op.At, purpose{what: "keys"}, deadline(op.Acting))
		w.landed = got.ref
		did += " in " + told(got, op.At)
	default:
		nothing = "the click before the keys did that, and " + none
		var got aimed
		var seen looked
		got, seen, err = w.land(ctx, op.At, press{button: "left", count: 1}.gesture(), deadline(op.Acting), func(got aimed) (looked, error) { return w.reached(ctx, got) })
		did += " in " + got.head
		if err == nil && seen.unheard {
			err = unheardError(got, none)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := w.input(ctx, nothing, events...); err != nil {
		return nil, err
	}
	seen, err := w.settle(ctx, op.Settle)
	if err != nil {
		return nil, err
	}
	w.arrived(&seen)
	return w.observation(did, seen), nil
}

// unheardError tells that a press that was to come first did not arrive.
func unheardError(got aimed, nothing string) error {
	return &browser.Error{Code: browser.CodeNotActionable, Msg: fmt.Sprintf("the document of %s heard nothing of a press on it; %s", got.head, nothing),
		Hint: "something else may have got the press: take a snapshot"}
}

// keyInput is the input of the op and what it does, in words.
func keyInput(op browser.PressKey) ([]InputEvent, string, error) {
	if (op.Keys == "") == (op.Text == "") {
		return nil, "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: "give either keys or text", Hint: "keys presses one chord, such as Enter or Control+A; text types characters"}
	}
	times := op.Times
	if times == 0 {
		times = 1
	}
	if times < 1 || times > timesMost {
		return nil, "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("times is %d", op.Times), Hint: fmt.Sprintf("times is 1 to %d", timesMost)}
	}
	var once []InputEvent
	var did string
	if op.Keys != "" {
		c, err := parseChord(op.Keys)
		if err != nil {
			return nil, "", err
		}
		once, did = c.events(), "pressed "+c.String()
	} else {
		if n := utf8.RuneCountInString(op.Text) * times; n > typedMost {
			return nil, "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%d characters are too many to type", n),
				Hint: fmt.Sprintf("type %d at most, or use fill, which inserts a text of any length at once", typedMost)}
		}
		once, did = typing(op.Text), "typed "+characters(utf8.RuneCountInString(op.Text))
	}
	var events []InputEvent
	for range times {
		events = append(events, once...)
	}
	if times > 1 {
		did += fmt.Sprintf(" %d times", times)
	}
	return events, did, nil
}

// record begins the record of changes for an act that aims at nothing.
func (w *work) record(ctx context.Context) error {
	if err := w.permitMain(); err != nil {
		return err
	}
	w.recorded = w.concerned([]browser.FrameID{""})
	calls := make([]FrameCall, len(w.recorded))
	for i, f := range w.recorded {
		calls[i] = FrameCall{Frame: f, Op: opAim, Args: AimArgs{Prefix: prefix(f), For: "record"}}
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return err
	}
	_, err = decode[AimReply](replies[0])
	return err
}

// characters tells how much was typed, and not what: it may be a secret.
func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

// clip shortens a text to at most n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
