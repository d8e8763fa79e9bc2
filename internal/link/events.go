package link

import (
	"context"
	"encoding/json"
	"time"
)

// told takes an event of the extension.
func (t *transport) told(name string, body json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if name == Resumed {
		t.spawn(t.resume)
		return
	}
	if h := handlers[name]; h != nil {
		if err := h(t, body); err != nil {
			t.log.Warn("event of an extension not understood", "event", name, "err", err)
		}
	}
}

// handlers take the events of ExtensionEvents. transport.mu is held.
var handlers = map[string]func(*transport, json.RawMessage) error{
	"tabOpened":    on(func(t *transport, i TabInfo) { t.noteTab(i) }),
	"tabChanged":   on(func(t *transport, i TabInfo) { t.noteTab(i) }),
	"tabClosed":    on(func(t *transport, g TabGone) { t.dropTab(g.Tab, g.Why == "private") }),
	"began":        onTab(func(n Navigating) int64 { return n.Tab }, (*transport).began),
	"committed":    onTab(func(c Committed) int64 { return c.Tab }, (*transport).committed),
	"domReady":     onTab(func(d DocumentAt) int64 { return d.Tab }, (*transport).domReady),
	"loaded":       onTab(func(d DocumentAt) int64 { return d.Tab }, (*transport).loaded),
	"moved":        onTab(func(d DocumentAt) int64 { return d.Tab }, (*transport).moved),
	"failed":       onTab(func(f NavigationFailed) int64 { return f.Tab }, (*transport).failed),
	"frameGone":    onTab(func(f FrameArgs) int64 { return f.Tab }, (*transport).frameGone),
	"requested":    onTab(func(r Requested) int64 { return r.Tab }, (*transport).requested),
	"responded":    onTab(func(r Responded) int64 { return r.Tab }, (*transport).responded),
	"requestEnded": onTab(func(r RequestEnded) int64 { return r.Tab }, (*transport).requestEnded),
	"download":     on((*transport).download),
	"debugged":     onTab(func(d DebugEvent) int64 { return d.Tab }, (*transport).debugged),
	"letGoOf":      onTab(func(d DebugGone) int64 { return d.Tab }, (*transport).letGoOf),
	"powersChange": on((*transport).powersChange),
	"stopped":      on(func(t *transport, s Switch) { t.raised(s.Up) }),
}

func on[P any](h func(*transport, P)) func(*transport, json.RawMessage) error {
	return func(t *transport, body json.RawMessage) error {
		var p P
		if err := json.Unmarshal(body, &p); err != nil {
			return err
		}
		h(t, p)
		return nil
	}
}

// onTab is on for what concerns a tab that is attached, or will be in a moment.
func onTab[P any](of func(P) int64, h func(*transport, *tab, P)) func(*transport, json.RawMessage) error {
	return on(func(t *transport, p P) {
		switch b := t.tabs[of(p)]; {
		case b == nil:
		case b.session != nil:
			h(t, b, p)
		case b.attaching > 0:
			b.early = append(b.early, func() { h(t, b, p) })
		}
	})
}

// resume makes up for events that were missed.
func (t *transport) resume(ctx context.Context) {
	h := t.peer.Hello()
	t.raised(h.Up)
	t.renamed(h.Name)
	t.mu.Lock()
	t.powersChange(Powers{Full: h.Full, Scripts: h.Scripts, Captures: h.Captures, Hidden: h.Hidden, Paths: h.Paths})
	t.mu.Unlock()
	if err := t.discover(ctx); err != nil {
		t.log.Debug("tabs not listed again", "err", err)
		return
	}
	t.mu.Lock()
	var watched []*tab
	for _, b := range t.tabs {
		if b.session != nil {
			watched = append(watched, b)
		}
	}
	t.mu.Unlock()
	for _, b := range watched {
		t.mu.Lock()
		t.detach(b) // the extension let go of it when the connection ended
		t.mu.Unlock()
		var list FrameList
		if err := t.peer.Call(ctx, "watch", TabArgs{b.Tab.Load()}, &list); err != nil {
			t.log.Debug("tab not watched again", "err", err)
			continue
		}
		t.mu.Lock()
		if b.session != nil {
			for id := range b.requests { // whose ends were missed
				t.requestEnded(b, RequestEnded{ID: id})
			}
			t.compare(b, list.Frames)
			if !b.info.Loading {
				t.settled(b)
			}
		}
		t.mu.Unlock()
	}
}

// powersChange takes over what may be done now. t.mu is held.
func (t *transport) powersChange(p Powers) {
	t.state.mu.Lock()
	changed := t.state.powers != p
	t.state.powers = p
	t.state.mu.Unlock()
	if changed {
		for _, b := range t.tabs {
			t.event("", "Target.targetInfoChanged", t.info(b))
		}
	}
}

// quiet is how long nothing must be requested until a page is taken for idle.
const quiet = 500 * time.Millisecond

// stopIdle ends the wait for quiet.
func (b *tab) stopIdle() {
	if b.idle != nil {
		b.idle()
		b.idle = nil
	}
}

// awaitIdle tells that the page is idle once it is. t.mu is held.
func (t *transport) awaitIdle(b *tab) {
	b.stopIdle()
	if !b.loaded || len(b.requests) > 0 || b.session == nil || t.ctx == nil {
		return
	}
	ctx, stop := context.WithCancel(t.ctx)
	b.idle = stop
	s, f := b.session, b.frames[mainFrame]
	t.spawn(func(context.Context) {
		defer stop()
		timer := time.NewTimer(quiet)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if b.session == s && f != nil && b.frames[mainFrame] == f && ctx.Err() == nil {
			t.lifecycle(b, f, "networkIdle")
		}
	})
}
