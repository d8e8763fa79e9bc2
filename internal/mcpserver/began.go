package mcpserver

import (
	"sync"
	"time"
)

// What Began begins takes the machine for a moment, in which no client waits.
const (
	afterHandshake = 50 * time.Millisecond // more questions follow it at once
	afterAnswer    = 2 * time.Millisecond  // so that it is on its way
)

// beginning calls begin once.
type beginning struct {
	begin func()

	mu    sync.Mutex // guards following; held while begin runs
	over  bool       // begin was called, or never will be
	timer *time.Timer
}

// now calls begin, unless that was done.
func (b *beginning) now() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return
	}
	b.over = true
	b.begin()
}

// within has begin called when d is over, if not before.
func (b *beginning) within(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.over:
	case b.timer == nil:
		b.timer = time.AfterFunc(d, b.now)
	default:
		b.timer.Reset(d)
	}
}

// never lets begin not be called any more. It waits for a call under way.
func (b *beginning) never() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	if b.timer != nil {
		b.timer.Stop()
	}
}
