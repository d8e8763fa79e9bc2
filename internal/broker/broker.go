// Package broker is the one pipeline of every call: it knows the attached
// browsers and their tabs, lets sessions take turns and claims, asks the
// rules, and writes the history. No call reaches a browser around it.
package broker

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// Options configure a Broker.
type Options struct {
	// Start makes the driver of a browser to be launched; nil: none is. It is
	// called when a call needs a browser and none is attached, or needs this one,
	// and must not block: the launch itself belongs to the driver's Run.
	Start func() browser.Driver
	// Policy returns the rules in force; nil: the built-in ones.
	Policy func() *policy.Policy
	// About is what the status tells of the program.
	About tool.About
	// Schemes may be opened beside http, https and about:blank.
	Schemes []string
	// History takes an entry for every call; nil: one in memory.
	History history.Store
	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: none
}

// Broker holds the browsers of a process and serves the sessions of its
// clients.
type Broker struct {
	o    Options
	run  string        // tells this Broker's sessions from others'
	more chan struct{} // wakes Run for what was queued

	mu       sync.Mutex  // guards all below, and the fields that say so; never held over I/O
	queue    []*attached // for Run to serve
	attached []*attached // that have not ended, in the order of attaching
	tabs     map[browser.TabID]*tab
	sessions map[*Session]struct{}
	running  map[*running]struct{} // calls
	news     uint64                // counts tabs that pages opened, and downloads
	browsers int                   // attached so far
	clients  int                   // sessions opened so far
	ended    bool                  // Run ends or has ended
}

// New returns a Broker without browsers. Its Run must be called.
func New(o Options) *Broker {
	if o.Policy == nil {
		p := new(policy.Policy)
		o.Policy = func() *policy.Policy { return p }
	}
	if o.History == nil {
		o.History = history.NewLog(history.InMemory)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Broker{
		o: o, run: strconv.FormatInt(o.Now().UnixMicro(), 36), more: make(chan struct{}, 1),
		tabs: map[browser.TabID]*tab{}, sessions: map[*Session]struct{}{}, running: map[*running]struct{}{},
	}
}

// History is where every call is recorded.
func (b *Broker) History() history.Store { return b.o.History }

// attached is a browser from the call of Attach or Start until its driver's
// Run has ended.
type attached struct {
	id      browser.BrowserID
	started bool          // by Options.Start
	ready   chan struct{} // closed when the browser is ready, and when it ended before
	gone    chan struct{} // closed when it has ended

	// The Broker's mutex guards these.
	driver   browser.Driver // nil while Start makes it
	info     browser.Info
	labelled string // the name for which it has its label
	label    string // by which it is listed: its name, with a number when others came with that before
	waiting  string // for what, while it starts; may be empty
	up       bool   // ready
	raised   bool   // its user has raised the drawbridge
	ending   bool   // it went away, but its driver is not done with it
	ended    bool
	err      error // why it ended
}

// attach adds a browser; b.mu is held.
func (b *Broker) attach() *attached {
	b.browsers++
	a := &attached{id: browser.BrowserID("b" + strconv.Itoa(b.browsers)), ready: make(chan struct{}), gone: make(chan struct{})}
	b.attached = append(b.attached, a)
	return a
}

// serve hands a's driver to Run.
func (b *Broker) serve(a *attached, d browser.Driver) {
	info := d.Info()
	b.mu.Lock()
	a.driver, a.info = d, info
	b.relabel(a)
	if b.ended {
		b.drop(a, errEnded)
	} else {
		b.queue = append(b.queue, a)
	}
	b.mu.Unlock()
	select {
	case b.more <- struct{}{}:
	default:
	}
}

// Attach adds a browser; Run serves its driver. Why it does not start reaches
// the calls that wait for it, why it ends later the log.
func (b *Broker) Attach(d browser.Driver) {
	b.mu.Lock()
	a := b.attach()
	b.mu.Unlock()
	b.serve(a, d)
}

// Warm begins to start a browser when none is that was started, and does not
// wait.
func (b *Broker) Warm() {
	if b.o.Start != nil {
		b.start()
	}
}

// startedOne is the attached browser that Options.Start gave, or nil; b.mu is
// held.
func (b *Broker) startedOne() *attached {
	if i := slices.IndexFunc(b.attached, func(a *attached) bool { return a.started }); i >= 0 {
		return b.attached[i]
	}
	return nil
}

// start makes and serves the driver of a browser, unless one was started by
// now: whoever comes first starts it for all.
func (b *Broker) start() {
	b.mu.Lock()
	if b.startedOne() != nil || b.ended {
		b.mu.Unlock()
		return
	}
	a := b.attach()
	a.started = true
	b.mu.Unlock()
	b.serve(a, b.o.Start())
}

// Run serves the attached browsers until ctx ends and all of them have ended.
// It is called once.
func (b *Broker) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		select {
		case <-ctx.Done():
			b.end()
			return nil
		case <-b.more:
		}
		b.mu.Lock()
		queue := b.queue
		b.queue = nil
		b.mu.Unlock()
		for _, a := range queue {
			wg.Go(func() {
				err := a.driver.Run(ctx, func(e browser.Event) { b.event(a, e) })
				b.detach(ctx, a, err)
			})
		}
	}
}

// end lets nothing new begin, and ends what Run has not begun to serve.
func (b *Broker) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	for _, a := range b.queue {
		b.drop(a, errEnded)
	}
	b.queue = nil
}

// detach takes a browser out whose driver ended.
func (b *Broker) detach(ctx context.Context, a *attached, err error) {
	b.mu.Lock()
	name, up := a.label, a.up || a.ending
	if ctx.Err() == nil {
		b.lose(a)
	}
	b.drop(a, err)
	b.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case up:
		b.o.Log.Warn("browser ended", "browser", name, "error", err)
	default: // the calls that wait for it are told, and the next one tries again
		b.o.Log.Debug("browser not started", "browser", name, "error", err)
	}
}

// lose takes out the tabs of a browser that went away by itself, and tells the
// sessions; b.mu is held.
func (b *Broker) lose(a *attached) {
	if !a.up {
		return
	}
	a.up, a.ending = false, true
	for s := range b.sessions {
		s.lost = a
	}
	for id, t := range b.tabs {
		if t.on != a {
			continue
		}
		for _, s := range b.remove(id) {
			s.lostTab = id
		}
	}
}

// drop takes a and its tabs out; b.mu is held.
func (b *Broker) drop(a *attached, err error) {
	b.attached = slices.DeleteFunc(b.attached, func(x *attached) bool { return x == a })
	if !a.up && !a.ending {
		close(a.ready)
	}
	a.ended, a.err = true, err
	close(a.gone)
	for id, t := range b.tabs {
		if t.on == a {
			b.remove(id)
		}
	}
	b.moved()
}
