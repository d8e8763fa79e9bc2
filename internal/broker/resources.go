package broker

import (
	"context"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// Resources are what the dialect of a session offers beside its tools. It may be
// used concurrently, but for Changed.
type Resources struct {
	s  *Session
	of tool.Resourced
}

// Resources returns those of the session; nil: it has none.
func (s *Session) Resources() *Resources {
	of, ok := s.client.Dialect.(tool.Resourced)
	if !ok {
		return nil
	}
	return &Resources{s, of}
}

// listTime is how long a list waits for the first browser.
const listTime = 3 * time.Second

// List lists what the client is shown. When no browser is there but one is on
// its way, it waits a little.
func (r *Resources) List(ctx context.Context) []tool.ResourceInfo {
	r.s.b.awaitFirst(ctx, listTime)
	return r.of.Resources(scope{r.s})
}

// Template is how all resources are named.
func (r *Resources) Template() tool.ResourceInfo { return r.of.Template() }

// Read is the call that reads a resource: a text that is Declined tells why it
// cannot be read.
func (r *Resources) Read(uri string) Request {
	t, args := r.of.Resource(uri)
	return Request{Name: t.Spec.Name, Native: &t, Args: args}
}

// Complete returns what the template's variable may be that begins as value,
// the best first.
func (r *Resources) Complete(value string) []string { return r.of.Complete(scope{r.s}, value) }

// Follows returns the tabs of which a client wants stamps that subscribed to the
// URIs.
func (r *Resources) Follows(uris []string) []browser.TabID {
	return r.of.Follows(scope{r.s}, uris)
}

// Changed tells what changed since it was called before; see tool.Resourced.
func (r *Resources) Changed(content map[browser.TabID]string) (updated []string, listed bool) {
	return r.of.Changed(scope{r.s}, content)
}

// Moved has a token when tabs or browsers may have changed.
func (r *Resources) Moved() <-chan struct{} { return r.s.moved }

// Stamp returns the stamp of a tab's content. It is no call of the client: it has
// no entry in the history, and fails where the session may not read.
func (r *Resources) Stamp(ctx context.Context, id browser.TabID) (string, error) {
	b, op := r.s.b, browser.ContentStamp{}
	ctx, done, err := b.stoppable(ctx)
	if err != nil {
		return "", err
	}
	p, err := r.s.lookingAt(id, op)
	if err != nil {
		return "", done(err)
	}
	to := browser.Target{Browser: p.on.id, Tab: id, Origins: r.s.permits(r.s.question(policy.Read, &p))}
	var stamp browser.Stamp
	err = done(b.do(ctx, p.on, to, op, &stamp))
	return stamp.Text, err
}

// lookingAt returns where the tab is when the session may do op to it, which only
// reads.
func (s *Session) lookingAt(id browser.TabID, op browser.Op) (place, error) {
	b := s.b
	b.mu.Lock()
	t := b.tabs[id]
	if t == nil || s.closed {
		b.mu.Unlock()
		return place{}, &browser.Error{Code: browser.CodeUnknownTab, Msg: string(id) + " is gone"}
	}
	p, err := placeOf(t), touchable(op, t)
	b.mu.Unlock()
	if err != nil {
		return place{}, err
	}
	if r := s.mayRead(&p); r != nil {
		return place{}, r.err()
	}
	return p, nil
}

// awaitFirst waits until a browser is there, at most as long, when one is on its
// way and does not wait for a person.
func (b *Broker) awaitFirst(ctx context.Context, most time.Duration) {
	var coming *attached
	b.mu.Lock()
	for _, a := range b.attached {
		if a.up {
			coming = nil
			break
		}
		if coming == nil && !a.ending && a.waiting == "" {
			coming = a
		}
	}
	b.mu.Unlock()
	if coming == nil {
		return
	}
	enough := time.NewTimer(most)
	defer enough.Stop()
	select {
	case <-coming.ready:
	case <-enough.C:
	case <-ctx.Done():
	}
}

// moved tells the sessions with resources that tabs or browsers may have changed;
// b.mu is held.
func (b *Broker) moved() {
	for s := range b.sessions {
		select {
		case s.moved <- struct{}{}:
		default: // it has a token, or no resources
		}
	}
}
