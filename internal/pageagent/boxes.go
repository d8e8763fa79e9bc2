package pageagent

import (
	"context"

	"drawbridge/internal/browser"
)

// Label is a ref that a picture of the viewport shows.
type Label struct {
	Ref  browser.Ref
	Line string       // of the outline
	Rect browser.Rect // CSS pixels of the main viewport
}

// ElementBox scrolls an element into view and returns its rectangle in CSS
// pixels of the main viewport, and its outline line.
func (c *Coordinator) ElementBox(ctx context.Context, to browser.Target, ref browser.Ref) (browser.Rect, string, error) {
	w := c.begin(to)
	defer w.end(ctx)
	if err := w.lookUp(ctx); err != nil {
		return browser.Rect{}, "", err
	}
	got, err := w.aim(ctx, browser.Spot{Ref: ref}, purpose{what: "picture"}, deadline(browser.Acting{}))
	if err != nil {
		return browser.Rect{}, "", err
	}
	// Scrolling an ancestor moves what was mapped before, so that is mapped when
	// all scrolling is over.
	place, err := w.placeOf(ctx, ref.Frame)
	if err != nil {
		return browser.Rect{}, "", err
	}
	return place.apply(got.box), got.line, nil
}

// Labels returns what has a ref inside the viewport, limit at most, the main
// frame's first.
func (c *Coordinator) Labels(ctx context.Context, to browser.Target, limit int) ([]Label, error) {
	w := c.begin(to)
	defer w.end(ctx)
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	if err := w.permitMain(); err != nil {
		return nil, err
	}
	frames := w.frames.readable()
	calls := []FrameCall{{Frame: "", Op: opDescribe, Args: DescribeArgs{}}}
	for _, f := range frames {
		calls = append(calls, FrameCall{Frame: f, Op: opBoxes, Args: BoxesArgs{Prefix: prefix(f), Limit: limit}})
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return nil, err
	}
	view, err := decode[DescribeReply](replies[0])
	if err != nil {
		return nil, err
	}
	var out []Label
	for i, f := range frames {
		boxes, err := decode[BoxesReply](replies[i+1])
		if err != nil || len(boxes.Boxes) == 0 {
			continue // a frame that went away shows nothing
		}
		place, err := w.placeOf(ctx, f)
		if err != nil {
			continue
		}
		for _, b := range boxes.Boxes {
			ref, err := browser.ParseRef(b.Ref)
			rect := place.apply(b.Box)
			if err != nil || len(out) == limit || !overlaps(rect, view) {
				continue
			}
			out = append(out, Label{Ref: ref, Line: b.Line, Rect: rect})
		}
	}
	return out, nil
}

// place is where three corners of a square of a frame's viewport lie in the
// main viewport: its origin, and what is a side right of that and below it.
type place struct{ origin, right, below browser.Point }

const side = 100.0

// apply returns the smallest rectangle around a box of the frame.
func (p place) apply(b Box) browser.Rect {
	ax, ay := (p.right.X-p.origin.X)/side, (p.right.Y-p.origin.Y)/side
	bx, by := (p.below.X-p.origin.X)/side, (p.below.Y-p.origin.Y)/side
	at := func(x, y float64) (float64, float64) {
		return p.origin.X + x*ax + y*bx, p.origin.Y + x*ay + y*by
	}
	x1, y1 := at(b.X, b.Y)
	x2, y2 := x1, y1
	for _, c := range [][2]float64{{b.X + b.Width, b.Y}, {b.X, b.Y + b.Height}, {b.X + b.Width, b.Y + b.Height}} {
		x, y := at(c[0], c[1])
		x1, y1, x2, y2 = min(x1, x), min(y1, y), max(x2, x), max(y2, y)
	}
	return browser.Rect{X: x1, Y: y1, Width: x2 - x1, Height: y2 - y1}
}

// placeOf finds the place of a frame, without scrolling.
func (w *work) placeOf(ctx context.Context, frame browser.FrameID) (place, error) {
	p := place{right: browser.Point{X: side}, below: browser.Point{Y: side}}
	corners := []*browser.Point{&p.origin, &p.right, &p.below}
	chain := w.frames.chain(frame)
	for i, f := range chain[:len(chain)-1] {
		calls := make([]FrameCall, len(corners))
		for j, c := range corners {
			calls[j] = FrameCall{Frame: chain[i+1], Op: opThroughMe, Args: ThroughArgs{Frame: string(f), X: c.X, Y: c.Y, For: "map"}}
		}
		replies, err := w.call(ctx, calls...)
		if err != nil {
			return p, err
		}
		for j, c := range corners {
			got, err := decode[AimReply](replies[j])
			if err != nil {
				return p, err
			}
			*c = browser.Point{X: got.X, Y: got.Y}
		}
	}
	return p, nil
}

func overlaps(r browser.Rect, view DescribeReply) bool {
	return r.X < view.ViewWidth && r.Y < view.ViewHeight && r.X+r.Width > 0 && r.Y+r.Height > 0
}

// Viewport measures the main frame's viewport and document.
func (c *Coordinator) Viewport(ctx context.Context, tab browser.TabID) (DescribeReply, error) {
	w := c.begin(browser.Target{Tab: tab})
	defer w.end(ctx)
	return ask[DescribeReply](ctx, w, "", opDescribe, DescribeArgs{})
}
