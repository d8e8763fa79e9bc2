package browserkit

import (
	"context"
	"slices"
	"sync"

	"drawbridge/internal/browser"
)

// turns let one act at a time into a tab, in the order in which they came: what
// an act reports to have changed is its own doing.
type turns struct {
	mu    sync.Mutex // guards queue
	queue map[browser.TabID][]chan struct{}
}

// take waits for the turn; leave ends it.
func (t *turns) take(ctx context.Context, tab browser.TabID) (leave func(), err error) {
	mine := make(chan struct{}) // closed when it is the first
	t.mu.Lock()
	if t.queue == nil {
		t.queue = map[browser.TabID][]chan struct{}{}
	}
	if t.queue[tab] = append(t.queue[tab], mine); len(t.queue[tab]) == 1 {
		close(mine)
	}
	t.mu.Unlock()
	leave = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		rest := t.queue[tab]
		i := slices.Index(rest, mine)
		if rest = slices.Delete(rest, i, i+1); len(rest) == 0 {
			delete(t.queue, tab)
			return
		}
		if t.queue[tab] = rest; i == 0 {
			close(rest[0])
		}
	}
	select {
	case <-mine:
		return leave, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}
