package pageagent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

const clicksMost = 3 // in one act: what a browser tells apart

func (w *work) click(ctx context.Context, op browser.Click) (*browser.Observation, error) {
	press, err := newPress(op.Button, op.Count, op.Modifiers)
	if err != nil {
		return nil, err
	}
	if op.At.IsZero() {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "nothing to click is named", Hint: "give a ref, or x and y"}
	}
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	got, seen, err := w.land(ctx, op.At, press, deadline(op.Acting), func(aimed) (looked, error) { return w.settle(ctx, op.Settle) })
	if err != nil {
		return nil, err
	}
	did := press.verb() + " "
	switch {
	case op.At.Point == nil:
		did += got.head
	case got.head == "":
		did += fmt.Sprintf("at %g,%g", op.At.Point.X, op.At.Point.Y)
	default:
		did += fmt.Sprintf("%s at %g,%g", got.head, op.At.Point.X, op.At.Point.Y)
	}
	return w.observation(did+press.with(), seen), nil
}

// press is how a mouse button is pressed.
type press struct {
	button    string
	count     int
	modifiers []modifier
	more      bool // goes on with a record of changes
}

func newPress(button string, count int, modifiers []string) (press, error) {
	p := press{button: button, count: count}
	switch button {
	case "":
		p.button = "left"
	case "left", "right", "middle":
	default:
		return p, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is not a button of the mouse", button), Hint: "buttons are left, right and middle"}
	}
	if count == 0 {
		p.count = 1
	}
	if p.count < 1 || p.count > clicksMost {
		return p, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("count is %d", count), Hint: fmt.Sprintf("count is 1 to %d", clicksMost)}
	}
	for _, name := range modifiers {
		m, ok := modifierNamed(name)
		if !ok {
			return p, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is not a modifier", name), Hint: "modifiers are Alt, Control, Meta and Shift"}
		}
		p.modifiers = append(p.modifiers, m)
	}
	return p, nil
}

// verb is what the press did, for the observation.
func (p press) verb() string {
	times := [...]string{"", "", "double-", "triple-"}[p.count]
	switch p.button {
	case "right":
		return times + "right-clicked"
	case "middle":
		return times + "middle-clicked"
	}
	return times + "clicked"
}

func (p press) with() string {
	if len(p.modifiers) == 0 {
		return ""
	}
	names := make([]string, len(p.modifiers))
	for i, m := range p.modifiers {
		names[i] = m.key
	}
	return " with " + strings.Join(names, "+")
}

// events is the input of the press at a point.
func (p press) events(at browser.Point) []InputEvent {
	mask := 0
	for _, m := range p.modifiers {
		mask |= m.mask
	}
	events := []InputEvent{{Mouse: &MouseEvent{Type: "move", X: at.X, Y: at.Y, Modifiers: mask}}}
	for n := 1; n <= p.count; n++ {
		for _, typ := range []string{"down", "up"} {
			events = append(events, InputEvent{Mouse: &MouseEvent{Type: typ, X: at.X, Y: at.Y, Button: p.button, Count: n, Modifiers: mask}})
		}
	}
	return events
}

// land clicks a spot, again and again until the click has reached it or end is
// there; look tells what became of a try. Nothing of a try that misses reaches
// the page.
func (w *work) land(ctx context.Context, spot browser.Spot, p press, end time.Time, look func(aimed) (looked, error)) (aimed, looked, error) {
	began := time.Now()
	for {
		got, err := w.aim(ctx, spot, purpose{what: "click", button: p.button, more: p.more}, end)
		if err != nil {
			return got, looked{}, err
		}
		if err := w.input(ctx, "nothing was clicked", p.events(got.at)...); err != nil {
			return got, looked{}, err
		}
		seen, err := look(got)
		if err != nil || !seen.missed() {
			return got, seen, err
		}
		const pause = 50 * time.Millisecond
		if !time.Now().Add(pause).Before(end) {
			return got, seen, (&obstacle{who: got.head, reason: "covered by " + seen.blocked}).error(time.Since(began))
		}
		if err := sleep(ctx, nil, time.Now().Add(pause)); err != nil {
			return got, seen, err
		}
	}
}

// reached looks at once whether the input reached the element, without regard
// to what it did.
func (w *work) reached(ctx context.Context, got aimed) (looked, error) {
	seen := looked{since: time.Now()}
	calls := make([]FrameCall, 0, 2*len(got.chain))
	for _, f := range got.chain {
		calls = append(calls, FrameCall{Frame: f, Op: opObserve, Args: None{}}, FrameCall{Frame: f, Op: opDisarm, Args: None{}})
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		if w.interrupted() {
			return seen, nil // the act itself brought that about
		}
		return seen, err
	}
	w.armed = nil
	for i := 0; i < len(replies); i += 2 {
		if state, err := decode[ObserveReply](replies[i]); err == nil {
			seen.note(state)
		}
	}
	return seen, nil
}

// input gives input to the page that was aimed at: not to another one that
// came in its place, and not beneath a dialog. None of it is given then, which
// the error says in the words of nothing.
func (w *work) input(ctx context.Context, nothing string, events ...InputEvent) error {
	act, _ := w.watch.Activity()
	switch {
	case act.Dialog != nil:
		return dialogError(act.Dialog)
	case act.Committed:
		return movedError(act, nothing)
	}
	return w.c.host.Input(ctx, w.to.Tab, events)
}

// dialogError tells that an open dialog keeps an op from the page.
func dialogError(d *browser.Dialog) error {
	return &browser.Error{Code: browser.CodeDialogOpen, Msg: fmt.Sprintf("the page shows a dialog, %s %q", d.Kind, d.Message), Hint: "answer it with handle_dialog first"}
}
