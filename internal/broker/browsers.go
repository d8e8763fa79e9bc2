package broker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

var errEnded = &browser.Error{Code: browser.CodeDisconnected, Msg: "drawbridge is ending"}

// browserFor returns the attached browser with the id or name, or without one
// the first. It waits for a browser that is being started, and starts one
// when there is none. What it waits for is told.
func (b *Broker) browserFor(ctx context.Context, name string, tell func(waiting string)) (*attached, error) {
	for {
		a, err := b.pick(name)
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
		ending, ended, err, info := a.ending, a.ended, a.err, a.info
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
		case name == "" || named(a.id, info, name):
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
		waiting, name := a.waiting, a.info.Name
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
func (b *Broker) pick(name string) (*attached, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return nil, errEnded
	}
	if len(b.attached) == 0 {
		if b.o.Start == nil {
			return nil, &browser.Error{Code: browser.CodeNoBrowser, Msg: "no browser is attached",
				Hint: "ask the user to attach one, or to let drawbridge launch one"}
		}
		return nil, nil
	}
	up := func(a *attached) bool { return a.up }
	if name == "" {
		if i := slices.IndexFunc(b.attached, up); i >= 0 {
			return b.attached[i], nil
		}
		return b.attached[0], nil
	}
	var names []string
	for _, a := range b.attached {
		if !a.up || named(a.id, a.info, name) { // one that starts may turn out to be it
			return a, nil
		}
		names = append(names, string(a.id)+" "+a.info.Name)
	}
	return nil, &browser.Error{Code: browser.CodeNoBrowser, Msg: "there is no browser " + quote(name),
		Hint: "attached: " + strings.Join(names, ", ")}
}

func named(id browser.BrowserID, info browser.Info, name string) bool {
	return name == string(id) || name == info.Name
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
