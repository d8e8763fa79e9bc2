package cdp

import (
	"context"
	"errors"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

const hangLimit = time.Second // for a page that is to be left to answer

// errStuck ends a navigation that the page to be left does not let happen.
var errStuck = errors.New("the page does not let itself be left")

// attachToLeave attaches to a tab that is about to be left, and makes it free
// to be left: a page that hangs may share its process with the next one.
func (d *Driver) attachToLeave(ctx context.Context, t *tab) (session string, err error) {
	d.mu.Lock()
	session = t.session
	j := d.beginJoin(t)
	crashed, blank := t.crashed, t.doc == 1 && t.url == "about:blank" && t.opener == ""
	d.mu.Unlock()
	if j == nil {
		return "", disconnected(nil)
	}
	joined := session != "" && !unfinished(j.done) && !crashed
	switch {
	case joined && blank: // there is nothing that could hang
		return session, nil
	case joined:
		return session, d.free(ctx, t, session)
	case blank:
		return d.join(ctx, t, d.beginAny)
	}
	brief, cancel := context.WithTimeout(ctx, hangLimit)
	defer cancel()
	if session, err = d.join(brief, t, d.beginAny); err == nil || brief.Err() == nil || ctx.Err() != nil {
		return session, err
	}
	d.mu.Lock()
	session = t.session
	d.mu.Unlock()
	if session != "" {
		if err := d.free(ctx, t, session); err != nil {
			return "", err
		}
	}
	return d.join(ctx, t, d.beginAny)
}

// free makes a page that hangs answer, or ends it.
func (d *Driver) free(ctx context.Context, t *tab, session string) error {
	patience := hangLimit
	d.mu.Lock()
	if t.silent[session] != nil {
		patience = probeLimit
	}
	dialog := t.dialog != nil
	conn, pending := d.conn, t.nav.pending != ""
	d.mu.Unlock()
	if pending { // it is given up anyhow, and would keep the page from answering
		post(conn, session, cdppage.CommandStopLoading, nil)
	}
	if dialog || d.answers(ctx, session, patience) {
		return nil
	}
	if d.hangs(ctx) {
		return d.hangError(browser.Changes) // the page is not to blame
	}
	if err := d.heldUp(t, session); err != nil {
		return err
	}
	if err := d.stopScripts(ctx, session); err != nil {
		return err
	}
	if d.answers(ctx, session, hangLimit) && d.staysFree(ctx, session) {
		return nil
	}
	return d.endPage(ctx, t, session)
}

// relapse is how long after its end a script without end may be begun again:
// one that a timer begins would stand in the way of a navigation, during which
// its page cannot be ended.
const relapse = 250 * time.Millisecond

// staysFree tells whether a page that was made to answer goes on answering.
func (d *Driver) staysFree(ctx context.Context, session string) bool {
	timer := time.NewTimer(relapse)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	return d.answers(ctx, session, probeLimit)
}

// answers tells whether the page in a session is free to answer within a time.
func (d *Driver) answers(ctx context.Context, session string, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := d.send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "0"}, nil)
	return err == nil || ctx.Err() == nil
}

// stopScripts ends what a page runs now.
func (d *Driver) stopScripts(ctx context.Context, session string) error {
	brief, cancel := context.WithTimeout(ctx, hangLimit)
	defer cancel()
	err := d.send(brief, session, runtime.CommandTerminateExecution, nil, nil)
	if refused := new(ProtocolError); errors.As(err, &refused) || brief.Err() != nil && ctx.Err() == nil {
		return nil // one is under way; and other means are left
	}
	return err
}

// endPage ends the process of a page that nothing else moves, which is the end
// of the pages that share it too, and hang as well. A page with a navigation
// under way would be left alone, so that ends first.
func (d *Driver) endPage(ctx context.Context, t *tab, session string) error {
	if d.hangs(ctx) {
		return d.hangError(browser.Changes)
	}
	brief, cancel := context.WithTimeout(ctx, hangLimit)
	defer cancel()
	d.mu.Lock()
	conn := d.conn
	d.doomed = t
	d.spawn(func(ctx context.Context) {
		told := time.NewTimer(hangLimit) // until then the browser has told of those that it shared
		defer told.Stop()
		select {
		case <-told.C:
		case <-ctx.Done():
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.doomed == t {
			d.doomed = nil
		}
	})
	d.mu.Unlock()
	post(conn, session, cdppage.CommandStopLoading, nil)
	err := d.send(brief, session, cdppage.CommandCrash, nil, nil)
	if errors.Is(err, errCrashed) || brief.Err() != nil && ctx.Err() == nil {
		return nil // in the second case the navigation may yet go through
	}
	return err
}

// guard returns a context for a navigation, which ends with errStuck when the
// page to be left stands in its way, and as if its time were up when the new
// document has come and does not answer. stop ends the guard.
func (n *navigation) guard(ctx context.Context) (guarded context.Context, stop func()) {
	guarded, end := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if cause := n.watchOver(guarded); cause != nil {
			end(cause)
		}
	}()
	return guarded, func() { end(nil); <-ended }
}

func (n *navigation) watchOver(ctx context.Context) error {
	tick := time.NewTicker(hangLimit)
	defer tick.Stop()
	stopped := false // the scripts of the page to be left
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		a, _ := n.w.Activity()
		if a.Dialog != nil || n.w.lost() != "" {
			return nil // which the navigation sees for itself
		}
		if n.unanswered() {
			continue
		}
		limit := hangLimit
		if a.Committed {
			limit = loadLimit
		}
		if n.d.answers(ctx, n.session, limit) || ctx.Err() != nil {
			continue
		}
		now, _ := n.w.Activity()
		switch {
		case now.Dialog != nil || now.Committed != a.Committed || now.Doc != a.Doc || n.unanswered():
		case now.Committed:
			n.d.fallSilent(n.t, n.session)
			return context.DeadlineExceeded
		case stopped:
			return errStuck
		default:
			stopped = true
			_ = n.d.stopScripts(ctx, n.session) // the next probe tells whether it helped
		}
	}
}

// unanswered tells that the navigation awaits its server.
func (n *navigation) unanswered() bool {
	n.d.mu.Lock()
	defer n.d.mu.Unlock()
	return n.t.unanswered()
}

// unanswered tells that a tab awaits the server of its next document. Until that
// answers, the browser lets nobody ask the page that is left, which has let it
// happen: what a page does before that holds the request back. Driver.mu is held.
func (t *tab) unanswered() bool {
	nav := &t.nav
	return nav.pending != "" && nav.answer.loader != nav.pending && t.requests[requestKey{t.session, nav.pending}] != nil
}

// navigateAway navigates once; the page to be left may be in the way.
func (d *Driver) navigateAway(ctx context.Context, t *tab, op browser.Navigate, limit time.Duration) (*navigation, error) {
	session, err := d.attachToLeave(ctx, t)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	if t.dialog != nil && t.dialog.Kind == browser.DialogAuth {
		t.dialog = nil // its page is left
		d.changed(t)
	}
	if t.dialog != nil {
		defer d.mu.Unlock()
		return nil, t.dialogError(t)
	}
	w := d.watch(t)
	d.mu.Unlock()
	d.awaitCalls(ctx, t, w)
	defer d.leave(ctx, t, w)()
	n := &navigation{d: d, t: t, w: w, session: session, op: op, limit: limit}
	guarded, stop := n.guard(ctx)
	done, err := n.begin(guarded)
	if err == nil && !done {
		err = n.follow(guarded)
	}
	if errors.Is(context.Cause(guarded), errStuck) && err != nil {
		err = errStuck
	}
	stop()
	return n, err
}
