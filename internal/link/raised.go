package link

import (
	"context"
	"sync"

	"drawbridge/internal/browser"
)

// raisable is a driver that also tells whether the browser's user has raised the
// drawbridge.
type raisable struct {
	browser.Driver
	bridge *bridge
}

// Run implements browser.Driver.
func (r *raisable) Run(ctx context.Context, sink func(browser.Event)) error {
	r.bridge.tellTo(sink)
	return r.Driver.Run(ctx, sink)
}

// bridge is up or down.
type bridge struct {
	order sync.Mutex // held while it is told, so that the last word is the last
	sink  func(browser.Event)
	up    bool
}

func (b *bridge) tellTo(sink func(browser.Event)) {
	b.order.Lock()
	defer b.order.Unlock()
	b.sink = sink
	if b.up {
		sink(browser.Stopped{Up: true})
	}
}

// set takes in that it is up, or down again. It may be told more than once.
func (b *bridge) set(up bool) {
	b.order.Lock()
	defer b.order.Unlock()
	if b.up == up {
		return
	}
	b.up = up
	if b.sink != nil {
		b.sink(browser.Stopped{Up: up})
	}
}
