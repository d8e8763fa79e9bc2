package mcpserver

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
)

const (
	moveTime  = 20 * time.Millisecond  // between a change and a look at what came of it: few come alone
	watchTime = 500 * time.Millisecond // between two looks, and between two stamps of a tab, at least
	stampTime = 5 * time.Second        // that a tab has for a stamp
	firstTime = time.Second            // that a subscription waits for the first stamps
)

// watch finds out which resources were updated, and whether their list changed.
// Nothing is asked of a browser but for what the client subscribed to. The
// goroutine of run owns all below asked and ended.
type watch struct {
	of   *broker.Resources
	tell func(ctx context.Context, updated []string, listed bool)

	asked chan subscription
	ended chan struct{} // closed when run has ended

	uris    map[string]bool // to which the client subscribed
	follows map[browser.TabID]bool
	first   []subscription // that wait for first stamps

	stamps map[browser.TabID]string // the last of each followed tab
	fresh  map[browser.TabID]bool   // whose first stamp no look has seen: the next one is compared with it
	asking map[browser.TabID]bool   // for a stamp
	came   chan stamped

	last    time.Time   // look
	due     *time.Timer // for the next one
	pending bool        // due runs
	poll    *time.Timer // for stamps; runs while tabs are followed
}

// subscription is one that begins or ends.
type subscription struct {
	uri     string
	ends    bool
	lacking map[browser.TabID]bool // tabs whose first stamp it waits for
	done    chan struct{}          // closed when what changes from now on is told
}

// stamped is what came of asking a tab for its stamp.
type stamped struct {
	tab   browser.TabID
	stamp string
	err   error
}

// newWatch returns a watch for which what there is now is no news.
func newWatch(of *broker.Resources, tell func(context.Context, []string, bool)) *watch {
	of.Changed(nil)
	return &watch{
		of: of, tell: tell, asked: make(chan subscription), ended: make(chan struct{}),
		uris: map[string]bool{}, follows: map[browser.TabID]bool{}, stamps: map[browser.TabID]string{},
		fresh: map[browser.TabID]bool{}, asking: map[browser.TabID]bool{}, came: make(chan stamped),
	}
}

// subscribe returns when what changes from then on is told, or a moment later
// where a page does not answer.
func (w *watch) subscribe(ctx context.Context, uri string) {
	s := subscription{uri: uri, lacking: map[browser.TabID]bool{}, done: make(chan struct{})}
	enough := time.NewTimer(firstTime)
	defer enough.Stop()
	select {
	case w.asked <- s:
	case <-w.ended:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-s.done:
	case <-enough.C:
	case <-w.ended:
	case <-ctx.Done():
	}
}

func (w *watch) unsubscribe(uri string) {
	select {
	case w.asked <- subscription{uri: uri, ends: true}:
	case <-w.ended:
	}
}

// run watches until ctx ends.
func (w *watch) run(ctx context.Context) {
	defer close(w.ended)
	var stamping sync.WaitGroup
	defer stamping.Wait()
	w.due, w.poll = time.NewTimer(0), time.NewTimer(0)
	w.due.Stop()
	w.poll.Stop()
	defer w.due.Stop()
	defer w.poll.Stop()
	ask := func(id browser.TabID) {
		if w.asking[id] {
			return
		}
		w.asking[id] = true
		stamping.Go(func() {
			within, cancel := context.WithTimeout(ctx, stampTime)
			defer cancel()
			stamp, err := w.of.Stamp(within, id)
			select {
			case w.came <- stamped{id, stamp, err}:
			case <-ctx.Done():
			}
		})
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.of.Moved():
			w.soon()
		case s := <-w.asked:
			w.take(ctx, s, ask)
		case s := <-w.came:
			w.took(s)
		case <-w.due.C:
			w.look(ctx, ask)
		case <-w.poll.C:
			for id := range w.follows {
				if !w.fresh[id] {
					ask(id)
				}
			}
			w.poll.Reset(watchTime)
		}
	}
}

// soon has a look follow.
func (w *watch) soon() {
	if !w.pending {
		w.pending = true
		w.due.Reset(max(moveTime, watchTime-time.Since(w.last)))
	}
}

// look tells the client what changed since the last one.
func (w *watch) look(ctx context.Context, ask func(browser.TabID)) {
	w.due.Stop()
	w.pending = false
	select { // what moved until now is in what follows
	case <-w.of.Moved():
	default:
	}
	updated, listed := w.of.Changed(maps.Clone(w.stamps))
	w.last = time.Now()
	clear(w.fresh)
	w.follow(ask)
	var wanted []string
	for _, uri := range updated {
		if w.uris[uri] {
			wanted = append(wanted, uri)
		}
	}
	if len(wanted) > 0 || listed {
		w.tell(ctx, wanted, listed)
	}
}

// take takes in a subscription. A look that is due comes first: one that begins
// is told of changes of what was there before it.
func (w *watch) take(ctx context.Context, s subscription, ask func(browser.TabID)) {
	if s.ends {
		delete(w.uris, s.uri)
		w.follow(ask)
		return
	}
	select {
	case <-w.of.Moved():
		w.soon()
	default:
	}
	if w.pending {
		last := w.last
		w.look(ctx, ask)
		w.last = last // the next one is not put off
	}
	w.uris[s.uri] = true
	w.follow(ask)
	for _, id := range w.of.Follows([]string{s.uri}) {
		if _, known := w.stamps[id]; !known {
			s.lacking[id] = true
			ask(id)
		}
	}
	if len(s.lacking) == 0 {
		close(s.done)
		return
	}
	w.first = append(w.first, s)
}

// follow finds out which tabs to follow, and asks those that are new for their
// first stamps.
func (w *watch) follow(ask func(browser.TabID)) {
	before := w.follows
	w.follows = map[browser.TabID]bool{}
	if len(w.uris) > 0 {
		for _, id := range w.of.Follows(slices.Sorted(maps.Keys(w.uris))) {
			w.follows[id] = true
			if !before[id] {
				ask(id)
			}
		}
	}
	maps.DeleteFunc(w.stamps, func(id browser.TabID, _ string) bool { return !w.follows[id] })
	switch {
	case len(w.follows) == 0:
		w.poll.Stop()
	case len(before) == 0:
		w.poll.Reset(watchTime)
	}
}

// took takes in what came of asking for a stamp. A tab that did not answer keeps
// its last one.
func (w *watch) took(s stamped) {
	delete(w.asking, s.tab)
	if was, known := w.stamps[s.tab]; w.follows[s.tab] && s.err == nil && (!known || was != s.stamp) {
		w.stamps[s.tab] = s.stamp
		if !known {
			w.fresh[s.tab] = true
		}
		w.soon()
	}
	w.first = slices.DeleteFunc(w.first, func(f subscription) bool {
		delete(f.lacking, s.tab)
		if len(f.lacking) == 0 {
			close(f.done)
		}
		return len(f.lacking) == 0
	})
}
