package pageagent

import (
	"context"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

// ask notes which documents of a tab show a question; nil: none.
func (c *Coordinator) ask(tab browser.TabID, shown []browser.FrameID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if shown == nil {
		delete(c.asked, tab)
		return
	}
	c.asked[tab] = slices.Clone(shown)
}

// yieldMost is how long a page may take to have a question make way.
const yieldMost = time.Second

// Yield has the question that a tab shows, if it does, make way until the
// returned function is called; see YieldArgs. What is not a person's shall
// neither answer it nor be told of it.
func (c *Coordinator) Yield(ctx context.Context, tab browser.TabID, to string) (back func()) {
	c.mu.Lock()
	shown := c.asked[tab]
	c.mu.Unlock()
	if shown == nil {
		return func() {}
	}
	say := func(ctx context.Context, on bool) {
		ctx, cancel := context.WithTimeout(ctx, yieldMost)
		defer cancel()
		calls := make([]FrameCall, len(shown))
		for i, f := range shown {
			calls[i] = FrameCall{Frame: f, Op: opYield, First: 1, Args: YieldArgs{To: to, On: on}}
		}
		if _, err := c.host.Call(ctx, tab, calls); err != nil {
			c.log.Debug("question did not make way", "tab", tab, "err", err)
		}
	}
	say(ctx, true)
	return func() { say(context.WithoutCancel(ctx), false) }
}

// give gives input to the page, past a question that it shows.
func (w *work) give(ctx context.Context, events []InputEvent) error {
	defer w.c.Yield(ctx, w.to.Tab, "act")()
	return w.c.host.Input(ctx, w.to.Tab, events)
}

// originAndPath is an address without what may be secret in it.
func originAndPath(url string) (browser.Origin, string) {
	origin := browser.OriginOf(url)
	_, path, _ := strings.Cut(url, "://")
	_, path, found := strings.Cut(path, "/")
	if !found {
		return origin, "/"
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	return origin, "/" + path
}
