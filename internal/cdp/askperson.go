package cdp

import (
	"context"
	"errors"
	"fmt"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"

	"drawbridge/internal/browser"
)

// askLease is how long a question stays that nobody waits for.
const askLease = 2 * time.Minute

// plea is a question that a person is shown in a tab.
type plea struct {
	id, session string
	cancel      context.CancelCauseFunc
	done        chan struct{} // closed when out or err is there
	out         *browser.Asked
	err         error

	// Driver.mu guards these.
	waiting int         // calls
	lease   *time.Timer // ends it when nobody waits
}

// Why a question ended that a person did not end.
var (
	errReplaced  = errors.New("another question of the session has taken its place")
	errUnawaited = errors.New("nobody waited for it any more")
	errGivenUp   = errors.New("the call that waited for it was cancelled")
)

func (d *Driver) askPerson(ctx context.Context, t *tab, to browser.Target, op browser.AskPerson) (*browser.Asked, error) {
	if !d.seen {
		return &browser.Asked{End: browser.AskNobody, Why: "the browser has no window: it runs headless"}, nil
	}
	if op.ID != "" {
		q, err := d.pleaOf(t, op)
		if err != nil {
			return nil, err
		}
		return d.awaitPerson(ctx, t, q, op.Wait)
	}
	if err := d.makeRoom(ctx, t, op.Session); err != nil {
		return nil, err
	}
	if err := d.bringToFront(ctx, t); err != nil {
		return nil, err
	}
	q, err := d.beginPlea(t, to, op)
	if err != nil {
		return nil, err
	}
	out, err := d.awaitPerson(ctx, t, q, op.Wait)
	if err == nil {
		out.Notes = append([]string{"the tab was brought to the front"}, out.Notes...)
	}
	return out, err
}

// pleaOf finds the question that a call goes on with.
func (d *Driver) pleaOf(t *tab, op browser.AskPerson) (*plea, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := t.plea
	if q == nil || q.id != op.ID || q.session != op.Session {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("there is no question %q in %s", op.ID, t.id), Hint: "it was answered, or taken away when nobody waited for it; ask again without id"}
	}
	q.hold()
	return q, nil
}

// hold notes that a call waits. Driver.mu is held.
func (q *plea) hold() {
	q.waiting++
	q.lease.Stop()
}

// makeRoom ends the question that the session has in the tab. That of another
// one stays.
func (d *Driver) makeRoom(ctx context.Context, t *tab, session string) error {
	d.mu.Lock()
	q := t.plea
	d.mu.Unlock()
	if q == nil {
		return nil
	}
	if q.session != session {
		select {
		case <-q.done: // and nobody has come for the answer
		default:
			return &browser.Error{Code: browser.CodeClaimed, Msg: fmt.Sprintf("another session has a question to a person in %s", t.id), Hint: "try again later, or use another tab"}
		}
	}
	q.cancel(errReplaced)
	select {
	case <-q.done:
		d.endPlea(t, q)
		return nil
	case <-ctx.Done():
		return cancelled(ctx)
	}
}

// endPlea forgets a question that has been told of.
func (d *Driver) endPlea(t *tab, q *plea) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.plea == q {
		t.plea = nil
	}
}

// beginPlea shows a question until it ends by itself, whether or not a call
// waits for it.
func (d *Driver) beginPlea(t *tab, to browser.Target, op browser.AskPerson) (*plea, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case t.gone != "":
		return nil, t.goneError()
	case d.conn == nil:
		return nil, disconnected(nil)
	case t.plea != nil: // it came at the same moment
		return nil, &browser.Error{Code: browser.CodeClaimed, Msg: fmt.Sprintf("another call has just asked a person in %s", t.id), Hint: "wait for that one"}
	}
	d.pleas++
	ctx, cancel := context.WithCancelCause(d.ctx)
	q := &plea{id: fmt.Sprintf("%sq%d", t.id, d.pleas), session: op.Session, cancel: cancel, done: make(chan struct{}), waiting: 1}
	q.lease = time.AfterFunc(askLease, func() { d.lapse(t, q) })
	q.lease.Stop()
	t.plea = q
	d.spawn(func(context.Context) {
		defer cancel(nil)
		defer close(q.done)
		q.out, q.err = d.pages.AskPerson(ctx, to, q.id, op)
		if q.err == nil || ctx.Err() == nil {
			return
		}
		switch cause := context.Cause(ctx); cause {
		case errReplaced:
			q.out, q.err = &browser.Asked{ID: q.id, End: browser.AskReplaced, Why: cause.Error()}, nil
		case errUnawaited:
			q.out, q.err = &browser.Asked{ID: q.id, End: browser.AskExpired, Why: cause.Error()}, nil
		default:
			q.err = disconnected(nil)
		}
	})
	return q, nil
}

// lapse ends a question that nobody has waited for.
func (d *Driver) lapse(t *tab, q *plea) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.waiting > 0 {
		return
	}
	q.cancel(errUnawaited)
	if t.plea == q {
		t.plea = nil
	}
}

// endPleas returns when the questions to persons, which end with Run, are gone
// from their pages.
func (d *Driver) endPleas() {
	var all []*plea
	d.mu.Lock()
	for _, t := range d.tabs {
		if t.plea != nil {
			all = append(all, t.plea)
		}
	}
	d.mu.Unlock()
	for _, q := range all {
		<-q.done
	}
}

// awaitPerson waits for the end of a question, which it holds.
func (d *Driver) awaitPerson(ctx context.Context, t *tab, q *plea, wait time.Duration) (*browser.Asked, error) {
	limit := time.NewTimer(wait)
	defer limit.Stop()
	over := false
	select {
	case <-q.done:
		over = true
	case <-limit.C:
	case <-ctx.Done():
		q.cancel(errGivenUp)
		<-q.done
		over = true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	q.waiting--
	if over && t.plea == q {
		t.plea = nil
	}
	switch {
	case ctx.Err() != nil:
		return nil, cancelled(ctx)
	case over && q.err != nil:
		return nil, q.err
	case over:
		return new(*q.out), nil
	}
	if q.waiting == 0 {
		q.lease.Reset(askLease)
	}
	return &browser.Asked{ID: q.id, End: browser.AskPending, Millis: wait.Milliseconds()}, nil
}

// bringToFront shows a tab to whoever sits at the browser.
func (d *Driver) bringToFront(ctx context.Context, t *tab) error {
	if err := d.activateTab(ctx, t); err != nil {
		return err
	}
	var at cdpbrowser.GetWindowForTargetResult
	err := d.send(ctx, "", cdpbrowser.CommandGetWindowForTarget, cdpbrowser.GetWindowForTargetParams{TargetID: target.ID(t.target)}, &at)
	if err != nil || at.Bounds == nil || at.Bounds.WindowState != cdpbrowser.WindowStateMinimized {
		return nil // whoever activates tabs otherwise raises their windows
	}
	raised := cdpbrowser.SetWindowBoundsParams{WindowID: at.WindowID, Bounds: &cdpbrowser.Bounds{WindowState: cdpbrowser.WindowStateNormal}}
	if err := d.send(ctx, "", cdpbrowser.CommandSetWindowBounds, raised, nil); err != nil {
		d.log.Debug("window not raised", "tab", t.id, "err", err)
	}
	return nil
}
