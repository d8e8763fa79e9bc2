package broker

import (
	"context"
	"errors"

	"drawbridge/internal/browser"
)

// running is a call that the user of a browser can stop.
type running struct{ stop context.CancelCauseFunc }

// raised takes in that the user of a browser has raised the drawbridge, which
// ends every call in all browsers, or let it down again; b.mu is held.
func (b *Broker) raised(a *attached, up bool) {
	a.raised = up
	if !up {
		return
	}
	for r := range b.running {
		r.stop(errRaised(a))
	}
}

// errRaised refuses calls while the drawbridge of a browser is up; b.mu is held.
func errRaised(a *attached) error {
	return &browser.Error{Code: browser.CodeDenied, Msg: "the user has raised the drawbridge in " + quote(a.label) + ": nothing is done in any browser",
		Hint: "stop, and ask the user to let it down in the extension's popup"}
}

// stoppable is ctx for a call that a user can stop. done takes the call's
// error and returns it, or why it was stopped.
func (b *Broker) stoppable(ctx context.Context) (stoppable context.Context, done func(error) error, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.attached {
		if a.raised {
			return nil, nil, errRaised(a)
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	r := &running{stop}
	b.running[r] = struct{}{}
	return ctx, func(err error) error {
		b.mu.Lock()
		delete(b.running, r)
		b.mu.Unlock()
		defer stop(nil)
		if e := (*browser.Error)(nil); err != nil && errors.As(context.Cause(ctx), &e) {
			return e
		}
		return err
	}, nil
}
