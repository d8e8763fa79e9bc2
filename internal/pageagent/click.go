package pageagent

import (
	"context"
	"fmt"
	"slices"
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
	got, seen, err := w.land(ctx, op.At, press.gesture(), deadline(op.Acting), func(aimed) (looked, error) { return w.settle(ctx, op.Settle) })
	if err != nil {
		return nil, err
	}
	return w.observation(press.verb()+" "+told(got, op.At)+press.modifiers.with(), seen), nil
}

// told is what was aimed at, in words.
func told(got aimed, spot browser.Spot) string {
	switch {
	case spot.Point == nil:
		return got.head
	case got.head == "":
		return fmt.Sprintf("at %g,%g", spot.Point.X, spot.Point.Y)
	}
	return fmt.Sprintf("%s at %g,%g", got.head, spot.Point.X, spot.Point.Y)
}

// press is how a mouse button is pressed.
type press struct {
	button    string
	count     int
	modifiers heldKeys
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
	var err error
	p.modifiers, err = heldKeysNamed(modifiers)
	return p, err
}

// heldKeys are modifiers held down.
type heldKeys []modifier

func heldKeysNamed(names []string) (heldKeys, error) {
	var out heldKeys
	for _, name := range names {
		m, ok := modifierNamed(name)
		if !ok {
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is not a modifier", name), Hint: "modifiers are Alt, Control, Meta and Shift"}
		}
		out = append(out, m)
	}
	return out, nil
}

// mask is what the browser is told.
func (ms heldKeys) mask() int {
	mask := 0
	for _, m := range ms {
		mask |= m.mask
	}
	return mask
}

// with names them, after what was done.
func (ms heldKeys) with() string {
	if len(ms) == 0 {
		return ""
	}
	names := make([]string, len(ms))
	for i, m := range ms {
		names[i] = m.key
	}
	return " with " + strings.Join(names, "+")
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

// events is the input of the press at a point.
func (p press) events(at browser.Point) []InputEvent {
	mask := p.modifiers.mask()
	events := []InputEvent{{Mouse: &MouseEvent{Type: "move", X: at.X, Y: at.Y, Modifiers: mask}}}
	for n := 1; n <= p.count; n++ {
		for _, typ := range []string{"down", "up"} {
			events = append(events, InputEvent{Mouse: &MouseEvent{Type: typ, X: at.X, Y: at.Y, Button: p.button, Count: n, Modifiers: mask}})
		}
	}
	return events
}

// gesture is what is done with the mouse at a spot.
type gesture struct {
	purpose
	nothing string // says that it was not done
	events  func(aimed) []InputEvent
}

func (p press) gesture() gesture {
	return gesture{purpose: purpose{what: "click", button: p.button, more: p.more}, nothing: "nothing was clicked",
		events: func(got aimed) []InputEvent { return p.events(got.at) }}
}

// land makes a gesture at a spot, again and again until it has reached it or
// end is there; look tells what became of a try. No press of a try that misses
// reaches the page.
func (w *work) land(ctx context.Context, spot browser.Spot, g gesture, end time.Time, look func(aimed) (looked, error)) (aimed, looked, error) {
	began := time.Now()
	for {
		got, err := w.aim(ctx, spot, g.purpose, end)
		if err != nil {
			return got, looked{}, err
		}
		w.landed = got.ref
		if err := w.input(ctx, g.nothing, g.events(got)...); err != nil {
			return got, looked{}, err
		}
		seen, err := look(got)
		if err != nil || !seen.missed() {
			seen.unheard = !seen.hit && slices.Contains(seen.answered, got.chain[0]) && !w.cutOff()
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
		if w.cutOff() {
			return seen, nil // the act itself brought that about
		}
		return seen, err
	}
	w.armed = nil
	for i := 0; i < len(replies); i += 2 {
		if state, err := decode[ObserveReply](replies[i]); err == nil {
			seen.note(calls[i].Frame, state)
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
	w.given = true
	giving, cancel := before(ctx, inputReserve)
	defer cancel()
	if giving.Err() != nil {
		return giving.Err()
	}
	if err := w.give(giving, events); err != nil && !w.fellSilent(ctx, giving, err) {
		return err
	}
	return nil
}

// dialogError tells that an open dialog keeps an op from the page.
func dialogError(d *browser.Dialog) error {
	return &browser.Error{Code: browser.CodeDialogOpen, Msg: fmt.Sprintf("the page shows a dialog, %s %q", d.Kind, d.Message), Hint: "answer it with handle_dialog first"}
}
