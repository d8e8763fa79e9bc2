package broker

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

var errEnded = &browser.Error{Code: browser.CodeDisconnected, Msg: "drawbridge is ending"}

// wanted is which browser a call wants: the one with the id or name; without
// one any, or the usual one for new tabs.
type wanted struct {
	name  string
	usual bool
}

// browserFor returns the attached browser that is wanted. It waits for a browser
// that is being started, and starts one when that is wanted or there is none.
// What it waits for is told.
func (b *Broker) browserFor(ctx context.Context, want wanted, tell func(waiting string)) (*attached, error) {
	for {
		a, err := b.pick(want)
		if err != nil {
			return nil, err
		}
		if a == nil {
			b.start()
			continue
		}
		if err := b.wait(ctx, a, tell); err != nil {
			return nil, err
		}
		b.mu.Lock()
		ending, ended, err, meant := a.ending, a.ended, a.err, want.name == "" || a.named(want.name)
		b.mu.Unlock()
		switch {
		case ending:
			select {
			case <-a.gone: // there is room for the next one
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case ended:
			return nil, notStarted(err)
		case meant:
			return a, nil
		}
	}
}

// How long a call waits for a browser that waits for a person, which is less
// than the minute after which clients give up, and how often it says so.
const (
	personTime = 45 * time.Second
	tellEvery  = 3 * time.Second
)

// wait waits until a is ready or has ended.
func (b *Broker) wait(ctx context.Context, a *attached, tell func(waiting string)) error {
	select {
	case <-a.ready: // the usual case, without a clock
		return nil
	default:
	}
	enough := time.NewTimer(personTime)
	defer enough.Stop()
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		over := false
		select {
		case <-a.ready:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-enough.C:
			over = true
		case <-tick.C:
		}
		b.mu.Lock()
		waiting, name := a.waiting, a.label
		b.mu.Unlock()
		switch {
		case waiting == "":
		case over:
			return &browser.Error{Code: browser.CodePending, Msg: "the browser " + quote(name) + " is not there yet: " + waiting,
				Hint: "ask the user, then repeat the call; the connection stays open meanwhile"}
		default:
			tell(waiting)
		}
	}
}

// pick returns the browser to wait for, or nil when one is to be started.
func (b *Broker) pick(want wanted) (*attached, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.ended:
		return nil, errEnded
	case want.name != "":
		return b.pickNamed(want.name)
	case want.usual && b.o.Start != nil:
		return b.startedOne(), nil
	case len(b.attached) > 0:
		return b.first(), nil
	case b.o.Start == nil:
		return nil, &browser.Error{Code: browser.CodeNoBrowser, Msg: "no browser is attached",
			Hint: "ask the user to attach one, or to let drawbridge launch one"}
	}
	return nil, nil
}

// first is the first of the attached browsers, rather one that is ready, and of
// these rather one with tabs; b.mu is held.
func (b *Broker) first() *attached {
	used := make(map[*attached]bool)
	for _, t := range b.tabs {
		used[t.on] = true
	}
	best := b.attached[0]
	for _, a := range b.attached[1:] {
		if a.up && (!best.up || used[a] && !used[best]) {
			best = a
		}
	}
	return best
}

// pickNamed is pick for the browser with the id or name; b.mu is held.
func (b *Broker) pickNamed(name string) (*attached, error) {
	var found []*attached
	var names, ids []string
	var starting *attached
	for _, a := range b.attached {
		switch {
		case a.named(name):
			found = append(found, a)
			ids = append(ids, string(a.id))
		case !a.up && starting == nil:
			starting = a // it may turn out to be it
		}
		names = append(names, string(a.id)+" "+a.label)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "several browsers are called " + quote(name),
			Hint: "give the id, one of " + strings.Join(ids, ", ")}
	case starting != nil:
		return starting, nil
	}
	if b.o.Start != nil && b.startedOne() == nil {
		start := b.o.Start().Info().Name
		if name == start || len(names) == 0 {
			return nil, nil // a name that is told once it has started
		}
		names = append(names, start+" (not started yet)")
	}
	e := &browser.Error{Code: browser.CodeNoBrowser, Msg: "there is no browser " + quote(name), Hint: "attached: " + strings.Join(names, ", ")}
	if len(names) == 0 {
		e.Hint = "none is attached; ask the user to attach one, or to let drawbridge launch one"
	}
	return nil, e
}

// named tells whether the browser is meant by a name, which may mean others too;
// Broker.mu is held.
func (a *attached) named(name string) bool {
	return name == string(a.id) || name == a.info.Name || name == a.label
}

// relabel gives a, whose name may be another, a label that no other browser has;
// b.mu is held. Rules go by names, which people choose; labels are for telling
// browsers apart.
func (b *Broker) relabel(a *attached) {
	if a.labelled == a.info.Name {
		return
	}
	a.labelled = a.info.Name
	taken := func(label string) bool {
		return slices.ContainsFunc(b.attached, func(o *attached) bool { return o != a && o.label == label })
	}
	a.label = a.info.Name
	for n := 2; taken(a.label); n++ {
		a.label = a.info.Name + " " + strconv.Itoa(n)
	}
}

// notStarted tells a call that waited for a browser why it did not come.
func notStarted(err error) error {
	var e *browser.Error
	if errors.As(err, &e) {
		return err
	}
	return &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser did not start",
		Hint: "drawbridge's log has the reason", Err: err}
}
