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
	box := got.box
	for i, f := range got.chain[:len(got.chain)-1] {
		// Scrolling an ancestor moves what was mapped before, so the corners
		// are mapped when all of this parent's scrolling is over.
		if box, err = w.mapBox(ctx, got.chain[i+1], f, box); err != nil {
			return browser.Rect{}, "", err
		}
	}
	return browser.Rect(box), got.line, nil
}

// mapBox maps a rectangle of a child frame's viewport to its parent's.
func (w *work) mapBox(ctx context.Context, parent, child browser.FrameID, box Box) (Box, error) {
	replies, err := w.call(ctx,
		FrameCall{Frame: parent, Op: opThroughMe, Args: ThroughArgs{Frame: string(child), X: box.X, Y: box.Y, For: "map"}},
		FrameCall{Frame: parent, Op: opThroughMe, Args: ThroughArgs{Frame: string(child), X: box.X + box.Width, Y: box.Y + box.Height, For: "map"}})
	if err != nil {
		return Box{}, err
	}
	from, err := decode[AimReply](replies[0])
	if err != nil {
		return Box{}, err
	}
	to, err := decode[AimReply](replies[1])
	if err != nil {
		return Box{}, err
	}
	return Box{X: min(from.X, to.X), Y: min(from.Y, to.Y), Width: max(from.X, to.X) - min(from.X, to.X), Height: max(from.Y, to.Y) - min(from.Y, to.Y)}, nil
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
		place, ok := w.placeOf(ctx, f)
		for _, b := range boxes.Boxes {
			ref, err := browser.ParseRef(b.Ref)
			rect := place.apply(b.Box)
			if !ok || err != nil || len(out) == limit || !overlaps(rect, view) {
				continue
			}
			out = append(out, Label{Ref: ref, Line: b.Line, Rect: rect})
		}
	}
	return out, nil
}

// place is how a frame's viewport lies in the main viewport.
type place struct{ x, y, scaleX, scaleY float64 }

func (p place) apply(b Box) browser.Rect {
	return browser.Rect{X: p.x + b.X*p.scaleX, Y: p.y + b.Y*p.scaleY, Width: b.Width * p.scaleX, Height: b.Height * p.scaleY}
}

// placeOf maps a square of the frame up to the main viewport, without
// scrolling; false means that it cannot be mapped.
func (w *work) placeOf(ctx context.Context, frame browser.FrameID) (place, bool) {
	const side = 100.0
	box := Box{Width: side, Height: side}
	chain := w.frames.chain(frame)
	for i, f := range chain[:len(chain)-1] {
		var err error
		if box, err = w.mapBox(ctx, chain[i+1], f, box); err != nil {
			return place{}, false
		}
	}
	return place{box.X, box.Y, box.Width / side, box.Height / side}, true
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
