package cdp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"

	"drawbridge/internal/browser"
)

// spot is a point of the viewport of a session's root frame.
type spot struct {
	session string
	browser.Point
}

// frameDepth is how deep frames of other processes are looked through.
const frameDepth = 10

// locate finds the innermost out-of-process frame under a point of the main
// viewport. Left to the browser, input for such a frame goes by where it was
// painted last, which is wrong when it has just moved, and for long in a
// hidden tab; and a frame that came into view takes input once that was
// painted. So the page is painted first when such a frame has moved, and input
// goes to the frame itself. Where nothing better is known, the point stays the
// browser's to find.
func (d *Driver) locate(ctx context.Context, t *tab, session string, at browser.Point) spot {
	s := spot{session, at}
	for depth := range frameDepth {
		next, boxes, ok := d.descend(ctx, t, s)
		if depth == 0 && boxes != "" {
			d.paintMoved(ctx, t, session, boxes)
		}
		if !ok {
			return s
		}
		s = next
	}
	return s
}

// descend finds the frame of another process that is hit at a point. boxes
// tells where all of the session's are.
func (d *Driver) descend(ctx context.Context, t *tab, s spot) (next spot, boxes string, ok bool) {
	d.mu.Lock()
	var inside []*frame
	for _, f := range t.frames {
		if f.parent != nil && f.parent.session == s.session && f.session != s.session && f.session != "" {
			inside = append(inside, f)
		}
	}
	d.mu.Unlock()
	if len(inside) == 0 {
		return s, "", false
	}
	slices.SortFunc(inside, func(a, b *frame) int { return cmp.Compare(a.id, b.id) })
	var lay layout
	models := make([]boxModel, len(inside))
	owners := make([]cdp.BackendNodeID, len(inside))
	var all sync.WaitGroup
	all.Go(func() {
		if d.send(ctx, s.session, cdppage.CommandGetLayoutMetrics, nil, &lay) != nil {
			lay = layout{} // then nothing is hit
		}
	})
	for i, f := range inside {
		all.Go(func() { models[i], owners[i] = d.boxOf(ctx, s.session, f) })
	}
	all.Wait()
	boxes = fmt.Sprint(lay.View, models)
	for i, f := range inside {
		at, within := models[i].locate(s.Point)
		if !within {
			continue
		}
		var hit dom.GetNodeForLocationResult
		err := d.send(ctx, s.session, dom.CommandGetNodeForLocation, dom.GetNodeForLocationParams{
			X: int64(math.Floor(s.X + lay.Visual.PageX - lay.Visual.OffsetX)), Y: int64(math.Floor(s.Y + lay.Visual.PageY - lay.Visual.OffsetY))}, &hit)
		if err == nil && hit.BackendNodeID == owners[i] {
			d.mu.Lock()
			defer d.mu.Unlock()
			return spot{f.session, at}, boxes, f.session != ""
		}
	}
	return s, boxes, false
}

// paintLimit is how long a page may take to paint before it is given input
// all the same.
const paintLimit = 500 * time.Millisecond

// paintMoved waits until the page is painted, if frames of other processes are
// elsewhere than when it last was for this.
func (d *Driver) paintMoved(ctx context.Context, t *tab, session, boxes string) {
	d.mu.Lock()
	painted := t.painted == boxes
	d.mu.Unlock()
	if painted {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, paintLimit)
	defer cancel()
	_, err := d.captureOnce(ctx, t, session, cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormatJpeg, Quality: new(int64(1)),
		Clip: &cdppage.Viewport{Width: 1, Height: 1, Scale: 1}})
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		t.painted = boxes
	}
}

// boxOf is where a child frame's element is; zero if that cannot be told.
func (d *Driver) boxOf(ctx context.Context, session string, f *frame) (boxModel, cdp.BackendNodeID) {
	d.mu.Lock()
	owner := f.owner
	d.mu.Unlock()
	if owner == 0 {
		var reply dom.GetFrameOwnerResult
		if d.send(ctx, session, dom.CommandGetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id}, &reply) != nil {
			return boxModel{}, 0
		}
		owner = reply.BackendNodeID
		d.mu.Lock()
		f.owner = owner
		d.mu.Unlock()
	}
	var box struct {
		Model boxModel `json:"model"`
	}
	if d.send(ctx, session, dom.CommandGetBoxModel, dom.GetBoxModelParams{BackendNodeID: owner}, &box) != nil {
		return boxModel{}, 0
	}
	return box.Model, owner
}

// boxModel is where an element's boxes are in the viewport, transforms
// included, and how large its border box is before them.
type boxModel struct {
	Content []float64 `json:"content"` // corners, clockwise from the left top
	Border  []float64 `json:"border"`
	Width   float64   `json:"width"`
	Height  float64   `json:"height"`
}

// locate maps a point of the viewport into the content box, untransformed.
func (b boxModel) locate(p browser.Point) (browser.Point, bool) {
	if len(b.Content) != 8 || len(b.Border) != 8 || b.Width <= 0 || b.Height <= 0 {
		return browser.Point{}, false
	}
	along := browser.Point{X: b.Content[2] - b.Content[0], Y: b.Content[3] - b.Content[1]}
	down := browser.Point{X: b.Content[6] - b.Content[0], Y: b.Content[7] - b.Content[1]}
	det := along.X*down.Y - along.Y*down.X
	borderAlong := math.Hypot(b.Border[2]-b.Border[0], b.Border[3]-b.Border[1])
	borderDown := math.Hypot(b.Border[6]-b.Border[0], b.Border[7]-b.Border[1])
	if det == 0 || borderAlong == 0 || borderDown == 0 {
		return browser.Point{}, false
	}
	dx, dy := p.X-b.Content[0], p.Y-b.Content[1]
	u, v := (dx*down.Y-dy*down.X)/det, (along.X*dy-along.Y*dx)/det
	if u < 0 || u > 1 || v < 0 || v > 1 {
		return browser.Point{}, false
	}
	return browser.Point{
		X: u * b.Width * math.Hypot(along.X, along.Y) / borderAlong,
		Y: v * b.Height * math.Hypot(down.X, down.Y) / borderDown,
	}, true
}
