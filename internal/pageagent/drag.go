package pageagent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

const (
	dragPath    = 25.0            // CSS pixels between the moves of a drag, about
	dragMoves   = 16              // on the way at most
	liftMost    = 2 * time.Second // that the browser may take to hand over what is dragged
	appearMost  = 2 * time.Second // that a place to drop may take to appear
	releaseMost = 2 * time.Second // that letting go of a drag that came to nothing may take
)

// Many pages take a press for a drag only when it has been held still for a
// while; those that name what they sort the longest. What the browser drags
// needs none of that.
var holds = map[string]time.Duration{"": 400 * time.Millisecond, "sorts": 700 * time.Millisecond, "data": 0}

// dragFrom are the distances of the first moves: pages take a press for a drag
// when it has moved some way.
var dragFrom = []float64{3, 6, 12}

func (w *work) drag(ctx context.Context, op browser.Drag) (*browser.Observation, error) {
	modifiers, err := heldKeysNamed(op.Modifiers)
	switch {
	case err != nil:
		return nil, err
	case op.From.IsZero() || op.To.IsZero():
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "a drag needs from and to", Hint: "each is a ref, or a point"}
	}
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	d := &dragging{work: w, from: op.From, to: op.To, mask: modifiers.mask(), patience: appearMost}
	if op.Timeout > 0 {
		d.patience = op.Timeout
	}
	defer d.letGo(ctx)
	if err := d.run(ctx, deadline(op.Acting)); err != nil {
		return nil, err
	}
	seen, err := w.settle(ctx, op.Settle)
	if err != nil {
		return nil, err
	}
	return d.observation(seen, modifiers), nil
}

// dragging is a drag under way.
type dragging struct {
	*work
	from, to       browser.Spot
	mask           int // of modifiers
	patience       time.Duration
	source, target aimed
	hold           Interception
	payload        *Payload        // nil: the page follows the mouse by itself
	liftedIn       browser.FrameID // where input by script lifted it
	at             browser.Point
	pressed        bool // the button is down, or data is carried
	stopped        bool // a dialog or a navigation ended it
}

func (d *dragging) run(ctx context.Context, end time.Time) error {
	if err := d.start(ctx, end); err != nil || d.stopped {
		return err
	}
	if err := d.travel(ctx); err != nil || d.stopped {
		return err
	}
	return d.drop(ctx)
}

// start presses the button on the source and begins to move, until that has
// reached it.
func (d *dragging) start(ctx context.Context, end time.Time) error {
	began := time.Now()
	for more := false; ; more = true {
		if err := d.aimBoth(ctx, more, end); err != nil {
			return err
		}
		hold, err := d.c.host.Intercept(ctx, d.work.to.Tab)
		if err != nil {
			return err
		}
		d.hold = hold
		d.pressed = true
		if err := d.input(ctx, "nothing was dragged", append(approach(d.source, d.mask), d.mouse("down", d.source.at))...); err != nil {
			return err
		}
		if err := sleep(ctx, nil, time.Now().Add(holds[d.source.drags])); err != nil {
			return err
		}
		var events []InputEvent
		for _, p := range d.firstMoves() {
			events = append(events, d.mouse("move", p))
			d.at = p
		}
		if err := d.step(ctx, events...); err != nil || d.stopped {
			return err
		}
		state, err := d.see(ctx, d.source.chain)
		if err != nil || d.stopped {
			return err
		}
		if state.Blocked == "" || state.Hit {
			return d.lift(ctx, state)
		}
		// The guard held the press back: nothing was begun.
		if err := d.input(ctx, "nothing was dragged", d.mouse("up", d.at)); err != nil {
			return err
		}
		d.pressed = false
		d.hold.Close()
		const pause = 50 * time.Millisecond
		if !time.Now().Add(pause).Before(end) {
			return (&obstacle{who: d.source.head, reason: "covered by " + state.Blocked}).error(time.Since(began))
		}
		if err := sleep(ctx, nil, time.Now().Add(pause)); err != nil {
			return err
		}
	}
}

// aimBoth finds source and target, scrolled so that both are in view where
// that is possible; else the source is, and the target follows in the drag. A
// target that cannot be seen yet may appear when the drag has begun.
func (d *dragging) aimBoth(ctx context.Context, more bool, end time.Time) error {
	var err error
	if d.source, err = d.aim(ctx, d.from, purpose{what: "drag", button: "left", more: more}, end); err != nil {
		return err
	}
	at := purpose{what: "drop", more: true}
	target, bar, err := d.aimOnce(ctx, d.to, at)
	if err == nil && bar != nil && !strings.HasPrefix(bar.reason, "not visible") {
		target, err = d.aim(ctx, d.to, at, end)
	}
	if err != nil {
		return err
	}
	d.target = target
	again := purpose{what: "drag", button: "left", more: true}
	d.source, err = d.aim(ctx, d.from, again, end)
	return err
}

// firstMoves are the points where the drag begins, on the way to the target.
func (d *dragging) firstMoves() []browser.Point {
	from, to := d.source.at, d.target.at
	if to == (browser.Point{}) {
		to = browser.Point{X: from.X + 20, Y: from.Y + 20} // it is not there yet
	}
	far := math.Hypot(to.X-from.X, to.Y-from.Y)
	var out []browser.Point
	for _, n := range dragFrom {
		if n < far {
			out = append(out, between(from, to, n/far))
		}
	}
	return out
}

func between(a, b browser.Point, part float64) browser.Point {
	return browser.Point{X: a.X + (b.X-a.X)*part, Y: a.Y + (b.Y-a.Y)*part}
}

// mouse is an event of the button that drags.
func (d *dragging) mouse(typ string, p browser.Point) InputEvent {
	e := &MouseEvent{Type: typ, X: p.X, Y: p.Y, Button: "left", Modifiers: d.mask, Hold: true}
	if typ != "move" {
		e.Count = 1
	}
	return InputEvent{Mouse: e}
}

func (d *dragging) carry(typ string, p browser.Point) InputEvent {
	return InputEvent{Carry: &CarryEvent{Type: typ, X: p.X, Y: p.Y, Modifiers: d.mask, Payload: d.payload}}
}

// see asks the guards of frames what reached them.
func (d *dragging) see(ctx context.Context, chain []browser.FrameID) (ObserveReply, error) {
	calls := make([]FrameCall, len(chain))
	for i, f := range chain {
		calls[i] = FrameCall{Frame: f, Op: opObserve, Args: None{}}
	}
	var out ObserveReply
	replies, err := d.call(ctx, calls...)
	if d.stopped = d.interrupted(); d.stopped {
		return out, ctx.Err()
	}
	if err != nil {
		return out, err
	}
	for i, r := range replies {
		state, err := decode[ObserveReply](r)
		if err != nil {
			continue // its document went
		}
		out.Hit = out.Hit || state.Hit
		out.Lifted = out.Lifted || state.Lifted
		if state.Carried != nil {
			out.Carried, d.liftedIn = state.Carried, chain[i]
		}
		if out.Blocked == "" {
			out.Blocked = state.Blocked
		}
	}
	return out, nil
}

// lift takes over the data that the page let go of, if it did.
func (d *dragging) lift(ctx context.Context, state ObserveReply) error {
	if !state.Lifted || d.payload != nil {
		return nil
	}
	if c := state.Carried; c != nil {
		data, err := json.Marshal(c)
		if err != nil {
			return err
		}
		d.payload = &Payload{Data: data, From: d.liftedIn}
		for _, i := range c.Items {
			d.payload.Types = append(d.payload.Types, i.Type)
		}
		return d.step(ctx, d.carry("enter", d.at), d.carry("over", d.at))
	}
	waiting, cancel := context.WithTimeout(ctx, liftMost)
	defer cancel()
	payload, err := d.hold.Payload(waiting)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if d.stopped = d.interrupted(); d.stopped {
			return nil
		}
		return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the drag of %s ended as soon as it had begun", told(d.source, d.from)),
			Hint: "the page may have replaced what was dragged; take a snapshot", Err: err}
	}
	d.payload = payload
	return d.step(ctx, d.carry("enter", d.at), d.carry("over", d.at))
}

// step gives input, unless something has ended the drag.
func (d *dragging) step(ctx context.Context, events ...InputEvent) error {
	if d.stopped = d.interrupted(); d.stopped || ctx.Err() != nil { // of a drag that was called off nothing more reaches the page
		return ctx.Err()
	}
	err := d.give(ctx, events)
	d.stopped = d.interrupted()
	if d.stopped && ctx.Err() == nil {
		return nil
	}
	return err
}

// travel moves to the target, which may itself move when the drag begins. It
// is not run after any more once the mouse is about to reach it: lists that
// make way would go on for ever.
func (d *dragging) travel(ctx context.Context) error {
	if err := d.find(ctx); err != nil {
		return err
	}
	for range 3 {
		was := d.target.at
		if err := d.move(ctx, between(d.at, was, 0.6)); err != nil || d.stopped {
			return err
		}
		if err := d.find(ctx); err != nil || d.stopped {
			return err
		}
		if math.Hypot(d.target.at.X-was.X, d.target.at.Y-was.Y) < 2 {
			break
		}
	}
	to := d.target.at
	if err := d.move(ctx, between(d.at, to, 0.99)); err != nil || d.stopped {
		return err
	}
	if err := d.move(ctx, to); err != nil || d.stopped {
		return err
	}
	return d.move(ctx, to)
}

// find tells where the target is now.
func (d *dragging) find(ctx context.Context) error {
	if d.to.Point != nil {
		d.target.at = *d.to.Point
		return nil
	}
	got, err := d.aim(ctx, d.to, purpose{what: "dropping", more: true}, time.Now().Add(d.patience))
	if d.stopped = d.interrupted(); d.stopped {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	d.target = got
	return nil
}

// move goes to a point in steps.
func (d *dragging) move(ctx context.Context, to browser.Point) error {
	from := d.at
	n := max(1, min(dragMoves, int(math.Hypot(to.X-from.X, to.Y-from.Y)/dragPath)))
	events := make([]InputEvent, 0, n)
	for i := 1; i <= n; i++ {
		p := between(from, to, float64(i)/float64(n))
		if d.payload != nil {
			events = append(events, d.carry("over", p))
		} else {
			events = append(events, d.mouse("move", p))
		}
	}
	d.at = to
	return d.step(ctx, events...)
}

// drop lets go at the target.
func (d *dragging) drop(ctx context.Context) error {
	if d.payload == nil { // some pages lift late
		state, err := d.see(ctx, d.source.chain)
		if err == nil && !d.stopped {
			err = d.lift(ctx, state)
		}
		if err != nil || d.stopped {
			return err
		}
	}
	last := d.mouse("up", d.at)
	if d.payload != nil {
		last = d.carry("drop", d.at)
	}
	if err := d.step(ctx, last); err != nil {
		return err
	}
	d.pressed = false
	return nil
}

// letGo ends a drag that came to nothing where it began, also when ctx has
// ended.
func (d *dragging) letGo(ctx context.Context) {
	if d.hold == nil {
		return
	}
	defer d.hold.Close()
	if !d.pressed {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseMost)
	defer cancel()
	back := []InputEvent{d.mouse("move", d.source.at), d.mouse("up", d.source.at)}
	if d.payload != nil {
		back = []InputEvent{d.carry("cancel", d.source.at)}
	}
	if err := d.give(ctx, back); err != nil {
		d.c.log.Debug("drag not let go of", "tab", d.work.to.Tab, "err", err)
	}
}

// observation tells what was dragged where, and what became of it.
func (d *dragging) observation(seen looked, ms heldKeys) *browser.Observation {
	did := "dragged " + told(d.source, d.from) + " to " + told(d.target, d.to) + ms.with()
	if d.pressed {
		did = "began to drag " + told(d.source, d.from)
	}
	if d.payload != nil {
		types := slices.Clone(d.payload.Types)
		slices.Sort(types)
		if types = slices.Compact(types); len(types) > 0 {
			did += ", carrying " + strings.Join(types, ", ")
		}
	}
	out := d.work.observation(did, seen)
	listed := len(out.Added)+len(out.Removed)+len(out.Updated)+out.TooLarge > 0
	switch {
	case d.payload == nil || d.pressed || !seen.complete || out.Navigated != nil || out.Dialog != nil:
	case seen.dropped:
		if out.Effect != browser.EffectConfirmed {
			out.Notes = append(out.Notes, "the page took the drop; nothing was seen to change")
		}
	case !listed:
		out.Effect = browser.EffectNone
		out.Notes = []string{"the drop was refused: nothing there takes what is dragged"}
	}
	return out
}
