package cdp

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/input"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// interception implements pageagent.Interception.
type interception struct {
	d       *Driver
	t       *tab
	session string
	asked   bool          // the browser was: input by script tells of its data itself
	done    chan struct{} // closed when payload is there
	payload *pageagent.Payload
	over    string // session of the page that the data is over; "" before it is over any
}

// Intercept implements pageagent.Host. The browser tells of the drags of all
// frames in the main frame's session.
func (d *Driver) Intercept(ctx context.Context, id browser.TabID) (pageagent.Interception, error) {
	t, err := d.lookUp(id)
	if err != nil {
		return nil, err
	}
	session, err := d.attach(ctx, t)
	if err != nil {
		return nil, err
	}
	i := &interception{d: d, t: t, session: session, asked: d.trusted(id), done: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil {
		return nil, ErrDetached
	}
	t.drag = i
	d.conn.Post(session, input.CommandSetInterceptDrags, input.SetInterceptDragsParams{Enabled: true})
	return i, nil
}

// Payload implements pageagent.Interception.
func (i *interception) Payload(ctx context.Context) (*pageagent.Payload, error) {
	waiting, stop := i.d.begin(ctx, i.t, nil)
	defer stop()
	select {
	case <-i.done:
		return i.payload, nil
	case <-waiting.Done():
		return nil, i.d.pageError(i.t, context.Cause(waiting))
	}
}

// Close implements pageagent.Interception.
func (i *interception) Close() {
	d := i.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if i.t.drag != i {
		return
	}
	i.t.drag, i.t.held = nil, held{}
	if d.conn != nil && i.asked && i.t.session == i.session {
		d.conn.Post(i.session, input.CommandSetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})
	}
}

type dragEvent struct {
	Data json.RawMessage `json:"data"`
}

// dragIntercepted notes what a page lets go of.
func (d *Driver) dragIntercepted(s *session, p dragEvent) {
	i := s.tab.drag
	if i == nil || i.payload != nil {
		return
	}
	var data struct {
		Items []struct {
			Type string `json:"mimeType"`
		} `json:"items"`
	}
	if json.Unmarshal(p.Data, &data) != nil {
		return
	}
	i.payload = &pageagent.Payload{Data: p.Data}
	for _, item := range data.Items {
		i.payload.Types = append(i.payload.Types, item.Type)
	}
	close(i.done)
}

// held is where the button went down that is held: the page there has the
// mouse until it goes up, wherever the mouse is.
type held struct {
	at    spot
	from  browser.Point // the same in the main viewport
	scale browser.Point // of the main viewport's pixels there
}

// hold notes a press that begins a drag.
func (d *Driver) hold(ctx context.Context, t *tab, session string, at spot, from browser.Point) {
	h := held{at: at, from: from, scale: browser.Point{X: 1, Y: 1}}
	if at.session != session { // of another process, perhaps scaled
		const off = 1
		if next := d.locate(ctx, t, session, browser.Point{X: from.X + off, Y: from.Y + off}); next.session == at.session {
			h.scale = browser.Point{X: (next.X - at.X) / off, Y: (next.Y - at.Y) / off}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t.held = h
}

// whileHeld is where a move of the held mouse goes; false when none is held.
func (d *Driver) whileHeld(t *tab, p browser.Point) (spot, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := t.held
	if h.at.session == "" {
		return spot{}, false
	}
	return spot{h.at.session, browser.Point{X: h.at.X + (p.X-h.from.X)*h.scale.X, Y: h.at.Y + (p.Y-h.from.Y)*h.scale.Y}}, true
}

// carry gives a step of a drag of data to the page at a spot. When it ends in
// another process than it began in, the page where it began is told so apart.
func (d *Driver) carry(ctx context.Context, t *tab, at spot, e pageagent.CarryEvent) error {
	d.mu.Lock()
	origin, enters := t.held.at, false
	if t.drag != nil {
		enters = t.drag.over != at.session && e.Type != "enter" && e.Type != "cancel"
		t.drag.over = at.session
	}
	d.mu.Unlock()
	if enters {
		enter := e
		enter.Type = "enter"
		if err := d.send(ctx, at.session, input.CommandDispatchDragEvent, carryParams(enter, at), nil); err != nil {
			return err
		}
	}
	if e.Type == "cancel" && origin.session != "" {
		at = origin
	}
	if err := d.send(ctx, at.session, input.CommandDispatchDragEvent, carryParams(e, at), nil); err != nil {
		return err
	}
	if e.Type == "drop" && origin.session != "" && origin.session != at.session {
		e.Type = "cancel"
		return d.send(ctx, origin.session, input.CommandDispatchDragEvent, carryParams(e, origin), nil)
	}
	return nil
}

type dragParams struct {
	Type      string          `json:"type"`
	X         float64         `json:"x"`
	Y         float64         `json:"y"`
	Data      json.RawMessage `json:"data"`
	Modifiers int             `json:"modifiers"`
}

func carryParams(e pageagent.CarryEvent, at spot) dragParams {
	types := map[string]input.DispatchDragEventType{"enter": input.DispatchDragEventTypeDragEnter, "over": input.DispatchDragEventTypeDragOver,
		"drop": input.DispatchDragEventTypeDrop, "cancel": input.DispatchDragEventTypeDragCancel}
	return dragParams{Type: string(types[e.Type]), X: at.X, Y: at.Y, Data: e.Payload.Data, Modifiers: e.Modifiers}
}
