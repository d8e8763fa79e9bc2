package pageagent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

const (
	fewFrames = 4 // up to so many other frames are watched for changes too
)

// deadline is when an act gives up waiting for its element.
func deadline(a browser.Acting) time.Time {
	return time.Now().Add(a.Patience())
}

// purpose is what an aim is for.
type purpose struct {
	what   string // AimArgs.For
	button string
	more   bool // goes on with the record of changes that an earlier aim began
}

// aimed is where an act lands.
type aimed struct {
	ref   browser.Ref // zero for a point where nothing has a ref
	line  string      // of the element
	head  string      // its headline
	at    browser.Point
	box   Box               // in the element's own viewport
	chain []browser.FrameID // the element's frame, then its ancestors up to the main frame
	drags string            // AimReply.Drags
	inner browser.FrameID   // that the element shows, when it is to be scrolled
}

// obstacle is what keeps an act from its element.
type obstacle struct {
	who    string // the element
	reason string
	wait   bool // it may pass by itself
}

// aim waits until the spot can be acted on, scrolls it into view in all its
// frames, and arms their guards.
func (w *work) aim(ctx context.Context, spot browser.Spot, p purpose, end time.Time) (aimed, error) {
	began := time.Now()
	pause := 20 * time.Millisecond
	for {
		got, bar, err := w.aimOnce(ctx, spot, p)
		switch {
		case err != nil:
			return aimed{}, err
		case bar == nil:
			return got, nil
		case !bar.wait || time.Now().Add(pause).After(end):
			return aimed{}, bar.error(time.Since(began))
		}
		if err := sleep(ctx, nil, time.Now().Add(pause)); err != nil {
			return aimed{}, err
		}
		pause = 50 * time.Millisecond
	}
}

func (w *work) aimOnce(ctx context.Context, spot browser.Spot, p purpose) (aimed, *obstacle, error) {
	if spot.Point != nil {
		return w.aimPoint(ctx, spot, p)
	}
	return w.aimRef(ctx, spot.Ref, p)
}

// aimRef aims in the element's frame, and then maps the point up through its
// ancestors.
func (w *work) aimRef(ctx context.Context, ref browser.Ref, p purpose) (aimed, *obstacle, error) {
	if _, err := w.frames.of(ref); err != nil {
		return aimed{}, nil, err
	}
	chain := w.frames.chain(ref.Frame)
	got, err := w.aimCall(ctx, ref.Frame, chain, AimArgs{Prefix: prefix(ref.Frame), N: ref.N, For: p.what, Button: p.button, Continue: p.more})
	if browser.CodeOf(err) == browser.CodeStaleRef {
		return aimed{}, nil, staleError(ref) // which names the frame too
	}
	if err != nil {
		return aimed{}, nil, err
	}
	out := aimed{ref: ref, line: got.Line, head: headline(got.Line), at: browser.Point{X: got.X, Y: got.Y}, box: got.Box, chain: chain, drags: got.Drags, inner: browser.FrameID(got.Frame)}
	if out.line == "" {
		out.line, out.head = ref.String(), ref.String()
	}
	if !got.OK {
		return out, &obstacle{out.head, got.Reason, got.Wait}, nil
	}
	up, err := w.climb(ctx, chain, out.at, p.what)
	if err != nil {
		return aimed{}, nil, err
	}
	if up.Asked > 0 {
		if p.guards() {
			w.arm(chain[1 : 1+up.Asked]...)
		}
		if !up.Last.OK {
			return out, &obstacle{out.head, up.Last.Reason, up.Last.Wait}, nil
		}
		out.at = browser.Point{X: up.Last.X, Y: up.Last.Y}
	}
	for i, parent := range chain[1:] {
		if i < up.Asked {
			continue
		}
		got, err := ask[AimReply](ctx, w, parent, opThroughMe, ThroughArgs{Frame: string(chain[i]), X: out.at.X, Y: out.at.Y, For: p.what})
		if err != nil {
			return aimed{}, nil, err
		}
		if p.guards() {
			w.arm(parent)
		}
		if !got.OK {
			return out, &obstacle{out.head, got.Reason, got.Wait}, nil
		}
		out.at = browser.Point{X: got.X, Y: got.Y}
	}
	return out, nil, nil
}

// aimPoint aims at a point of the main viewport, in whichever frame it lies.
func (w *work) aimPoint(ctx context.Context, spot browser.Spot, p purpose) (aimed, *obstacle, error) {
	if err := w.permitMain(); err != nil {
		return aimed{}, nil, err
	}
	if err := w.sameView(ctx, spot.Seen); err != nil {
		return aimed{}, nil, err
	}
	out := aimed{at: *spot.Point, chain: []browser.FrameID{""}}
	x, y := spot.Point.X, spot.Point.Y
	for {
		frame := out.chain[0]
		got, err := w.aimCall(ctx, frame, out.chain, AimArgs{Prefix: prefix(frame), X: x, Y: y, For: p.what, Button: p.button, Continue: p.more})
		if err != nil {
			return aimed{}, nil, err
		}
		out.line, out.head, out.box = got.Line, headline(got.Line), got.Box
		if name, _, _ := strings.Cut(got.Line, " "); name != "" {
			out.ref, _ = browser.ParseRef(name)
		}
		if !got.OK {
			return out, &obstacle{out.head, got.Reason, got.Wait}, nil
		}
		child := browser.FrameID(got.Frame)
		if child == "" || len(out.chain) > len(w.frames.list) {
			return out, nil, nil
		}
		f, ok := w.frames.get(child)
		if !ok {
			return out, &obstacle{"frame " + got.Frame, "loading another document", true}, w.lookUp(ctx)
		}
		if err := w.frames.permit(f); err != nil {
			return aimed{}, nil, err
		}
		out.chain = append([]browser.FrameID{child}, out.chain...)
		x, y = got.FrameX, got.FrameY
		p.more = true
	}
}

// aimCall aims in one frame. When it is the first aim of an act it begins the
// record of changes in the other frames concerned, in the same call.
func (w *work) aimCall(ctx context.Context, frame browser.FrameID, chain []browser.FrameID, args AimArgs) (AimReply, error) {
	var others []FrameCall
	switch {
	case !args.Continue:
		w.recorded = w.concerned(chain)
		for _, f := range w.recorded {
			if f != frame {
				others = append(others, FrameCall{Frame: f, Op: opAim, Args: AimArgs{Prefix: prefix(f), For: "record"}})
			}
		}
	case !slices.Contains(w.recorded, frame):
		w.recorded = append(w.recorded, frame)
		args.Continue = false
	}
	calls := append([]FrameCall{{Frame: frame, Op: opAim, Args: args}}, others...)
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return AimReply{}, err
	}
	got, err := decode[AimReply](replies[0])
	if err == nil && got.OK && (purpose{what: args.For}).guards() {
		w.arm(frame)
	}
	return got, err
}

// guards tells whether the agent arms a guard for this purpose.
func (p purpose) guards() bool { return p.what == "click" || p.what == "hover" || p.what == "drag" }

// concerned lists the readable frames whose changes an act is to tell: those
// that it goes through, and all others when they are few; in tree order.
func (w *work) concerned(chain []browser.FrameID) []browser.FrameID {
	readable := w.frames.readable()
	if len(readable) <= len(chain)+fewFrames {
		return readable
	}
	in := make(map[browser.FrameID]bool, len(chain))
	for _, f := range chain {
		in[f] = true
	}
	var out []browser.FrameID
	for _, f := range readable {
		if in[f] {
			out = append(out, f)
		}
	}
	return out
}

// sameView refuses an act at a point that was chosen on another view.
func (w *work) sameView(ctx context.Context, seen *browser.View) error {
	if seen == nil {
		return nil
	}
	now, _ := w.watch.Activity()
	if now.Doc != seen.Doc {
		return movedError(now, "the point was chosen on another document")
	}
	view, err := ask[DescribeReply](ctx, w, "", opDescribe, DescribeArgs{})
	if err != nil {
		return err
	}
	if dx, dy := view.ScrollX-seen.Scroll.X, view.ScrollY-seen.Scroll.Y; dx > 1 || dx < -1 || dy > 1 || dy < -1 {
		return &browser.Error{Code: browser.CodeStaleDocument, Msg: fmt.Sprintf("the page was scrolled by %.0f,%.0f since the picture was taken", dx, dy),
			Hint: "take another screenshot, or act on a ref"}
	}
	return nil
}

// advice is the next step for each reason not to act.
var advice = []struct{ reason, hint string }{
	{"covered", "act on what covers it first, for example close it, then repeat"},
	{"disabled", "it becomes usable when the page allows it; fill or choose first what it depends on"},
	{"read-only", "its value cannot be edited; look for another field or a button that unlocks it"},
	{"not editable", "it takes no value; click it, or fill the field that belongs to it"},
	{"not focusable", "keys go to what has the focus: name a field, a link or a button, or click it first"},
	{"not visible", "something may have to be opened or chosen first; take a snapshot to see what is visible"},
	{"moving", "it was still moving; wait_for the page to come to rest, or give a longer timeout"},
	{"detached", "it was taken off the page; take a snapshot and use a ref from it"},
}

func (o *obstacle) error(waited time.Duration) error {
	e := &browser.Error{Code: browser.CodeNotActionable, Msg: fmt.Sprintf("%s is %s", o.who, o.reason), Hint: "take a snapshot to see the page as it is"}
	switch {
	case o.reason == "":
		e.Msg = strings.TrimSpace(o.who + " cannot be acted on")
	case o.who == "": // a point, which the reason names
		e.Msg = o.reason
	}
	if waited >= 100*time.Millisecond {
		e.Msg += fmt.Sprintf(" (waited %s)", waited.Round(100*time.Millisecond))
	}
	for _, a := range advice {
		if strings.HasPrefix(o.reason, a.reason) {
			e.Hint = a.hint
			break
		}
	}
	return e
}
