package broker

import (
	"context"
	"errors"
	"slices"
	"strings"

	"drawbridge/internal/browser"
)

var errEnded = &browser.Error{Code: browser.CodeDisconnected, Msg: "drawbridge is ending"}

// browserFor returns the attached browser with the id or name, or without one
// the first. It waits for a browser that is being started, and starts one
// when there is none.
func (b *Broker) browserFor(ctx context.Context, name string) (*attached, error) {
	for {
		a, err := b.pick(name)
		if err != nil {
			return nil, err
		}
		if a == nil {
			b.start()
			continue
		}
		select {
		case <-a.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		b.mu.Lock()
		ended, err, info := a.ended, a.err, a.info
		b.mu.Unlock()
		switch {
		case ended:
			return nil, notStarted(err)
		case name == "" || named(a.id, info, name):
			return a, nil
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
