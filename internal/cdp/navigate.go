package cdp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	cdppage "github.com/chromedp/cdproto/page"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

const (
	navigateLimit = 30 * time.Second // unless the op names another
	downloadGrace = 2 * time.Second  // for a download to be told after its navigation ended
	loadLimit     = 5 * time.Second  // for the load of a document that is ready: some never end
)

// navigateReply is what the browser says when a document has begun to come, or
// when none will.
type navigateReply struct {
	Loader   string `json:"loaderId"`
	Error    string `json:"errorText"`
	Download bool   `json:"isDownload"`
}

func (d *Driver) navigate(ctx context.Context, t *tab, op browser.Navigate) (*browser.Navigation, error) {
	limit := op.Timeout
	if limit <= 0 {
		limit = navigateLimit
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	n, err := d.navigateAway(within, t, op, limit)
	again := func() {
		n.w.Close()
		n, err = d.navigateAway(within, t, op, limit)
	}
	if errors.Is(err, errStuck) {
		if err = d.endPage(within, t, n.session); err == nil {
			again()
		}
		if errors.Is(err, errStuck) {
			err = d.silentError(t)
		}
	}
	if err != nil && n != nil && n.overtaken() {
		again()
	}
	if n == nil {
		if ctx.Err() == nil && errors.Is(within.Err(), context.DeadlineExceeded) {
			return nil, &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("the page in %s cannot be left", t.id), Err: err,
				Hint: "a dialog that opened before the tab was first looked at may hold it: close_tab and open_tab, or let a person close the dialog"}
		}
		return nil, err
	}
	defer n.w.Close()
	if err != nil {
		// Nobody waits for what still loads, except when the time is up for a
		// document that is there.
		d.mu.Lock()
		pending, conn := t.nav.pending != "", d.conn
		d.mu.Unlock()
		if within.Err() != nil && pending {
			post(conn, n.session, cdppage.CommandStopLoading, nil)
		}
		if ctx.Err() == nil && errors.Is(within.Err(), context.DeadlineExceeded) {
			return nil, &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("%s has not answered within %s", n.place(), limit),
				Hint: "the server may be slow or gone; give a longer timeout, or go elsewhere", Err: err}
		}
		return nil, d.pageError(t, err)
	}
	return n.result(ctx), nil
}

// navigation is one navigate op under way.
type navigation struct {
	d       *Driver
	t       *tab
	w       *watch
	session string
	op      browser.Navigate
	limit   time.Duration

	sameDoc  bool
	inFrame  bool
	handed   bool // it was none: the page itself was given the address
	timedOut bool
	dialog   *browser.Dialog
	download *browser.Download
}

// overtaken tells that the page to be left crashed meanwhile, and took the
// navigation with it.
func (n *navigation) overtaken() bool {
	a, _ := n.w.Activity()
	return n.w.lost() == crashedMsg && !a.Committed && !n.handed
}

func (n *navigation) place() string {
	if n.op.URL == "" {
		return "the page"
	}
	if u, err := url.Parse(n.op.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return browser.WithoutLogin(n.op.URL)
}

// begin makes the browser navigate; done tells that there is nothing to follow.
func (n *navigation) begin(ctx context.Context) (done bool, err error) {
	if n.op.URL == "" {
		return n.travel(ctx)
	}
	// A dialog that asks whether the page may be left holds the reply up.
	waiting, stop := n.d.beginAny(ctx, n.t, nil)
	defer stop()
	var reply navigateReply
	ended := make(chan error, 1)
	sendCtx, cancel := context.WithCancel(ctx)
	n.d.mu.Lock()
	conn := n.d.conn
	n.d.mu.Unlock()
	if conn == nil {
		cancel()
		return true, ErrDetached
	}
	go func() {
		defer cancel()
		ended <- conn.Send(sendCtx, n.session, cdppage.CommandNavigate, cdppage.NavigateParams{URL: n.op.URL}, &reply)
	}()
	release := func() { cancel(); <-ended }
	for {
		a, more := n.w.Activity()
		switch {
		case a.Dialog != nil:
			n.dialog = a.Dialog
			release()
			return true, nil
		case n.op.Wait == browser.WaitNone && a.Navigating:
			release()
			return true, nil
		}
		select {
		case err := <-ended:
			return n.answered(ctx, reply, err)
		case <-more:
		case <-waiting.Done():
			release()
			if errors.Is(context.Cause(waiting), errDialog) {
				return false, nil // follow will see it
			}
			return true, context.Cause(waiting)
		}
	}
}

// await waits until ok holds of what happened, the page is gone or a dialog is
// open, which is not an error but the end of the navigation.
func (n *navigation) await(ctx context.Context, ok func(pageagent.Activity) bool) error {
	for {
		a, more := n.w.Activity()
		switch {
		case ok(a):
			return nil
		case n.w.lost() != "":
			return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s was lost on the way: %s", n.t.id, n.w.lost()), Hint: "navigate again"}
		case a.Dialog != nil:
			n.dialog = a.Dialog
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return cancelled(ctx)
		}
	}
}

type historyReply struct {
	Current int `json:"currentIndex"`
	Entries []struct {
		ID  int64  `json:"id"`
		URL string `json:"url"`
	} `json:"entries"`
}

// travel moves in the history, or loads the page anew.
func (n *navigation) travel(ctx context.Context) (done bool, err error) {
	send := func(method string, params, result any) error {
		waiting, stop := n.d.beginAny(ctx, n.t, nil)
		defer stop()
		return n.d.send(waiting, n.session, method, params, result)
	}
	if n.op.To == browser.Reload {
		return false, n.unlessDialog(send(cdppage.CommandReload, cdppage.ReloadParams{}, nil))
	}
	if by := n.d.scripting; by != nil {
		return n.travelBy(ctx, by)
	}
	var history historyReply
	if err := send(cdppage.CommandGetNavigationHistory, nil, &history); err != nil {
		return true, err
	}
	at := history.Current
	switch n.op.To {
	case browser.Back:
		at--
	case browser.Forward:
		at++
	default:
		return true, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is no way to go", n.op.To), Hint: "give url, or to: back, forward or reload"}
	}
	if at < 0 || at >= len(history.Entries) {
		return true, &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s has no page to go %s to", n.t.id, n.op.To), Hint: "navigate to a url instead"}
	}
	if err := send(cdppage.CommandNavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: history.Entries[at].ID}, nil); err != nil {
		return false, n.unlessDialog(err)
	}
	return n.travelled(ctx, at, history.Entries[history.Current].URL == history.Entries[at].URL)
}

// travelBy moves in a history of which only the browser knows what is in it.
func (n *navigation) travelBy(ctx context.Context, by Scripting) (done bool, err error) {
	waiting, stop := n.d.beginAny(ctx, n.t, nil)
	defer stop()
	within, cancel := context.WithTimeout(waiting, travelMost)
	defer cancel()
	n.inFrame, err = by.Travel(within, n.session, n.op.To)
	switch {
	case err != nil && ctx.Err() == nil && within.Err() != nil && waiting.Err() == nil:
		return true, &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s has not gone %s within %s: its page, or the server of a frame, holds it up", n.t.id, n.op.To, travelMost),
			Hint: "look at it, or navigate to a url instead"}
	case err != nil:
		return true, n.unlessDialog(err)
	}
	return n.inFrame, nil
}

const (
	travelLook = 100 * time.Millisecond // between looks at the history while nothing else tells
	travelMost = 5 * time.Second        // for a frame, whose way back is told by the history only
	travelTold = 300 * time.Millisecond // for the page, which tells of its own way after the history
)

// travelled waits until the page itself is seen to go to a place in its
// history, or has come there without: when the address is the same there, only
// a frame of it has moved.
func (n *navigation) travelled(ctx context.Context, at int, same bool) (done bool, err error) {
	end := time.Now().Add(travelMost)
	var there time.Time // when the history was first seen to have come there
	for {
		_, more := n.w.Activity()
		var history historyReply
		err := n.d.send(ctx, n.session, cdppage.CommandGetNavigationHistory, nil, &history)
		if err == nil && history.Current == at && there.IsZero() {
			there = time.Now()
		}
		switch a, _ := n.w.Activity(); {
		case a.Dialog != nil || a.Navigating || a.Committed || a.SameDoc || len(a.Downloads) > 0 || n.w.lost() != "":
			return false, nil
		case err != nil:
			return true, err
		case history.Current == at && time.Since(there) > travelTold:
			n.inFrame, n.sameDoc = same, !same
			return true, nil
		case time.Now().After(end):
			return true, &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s has not gone %s within %s: its page, or the server of a frame, holds it up", n.t.id, n.op.To, travelMost),
				Hint: "look at it, or navigate to a url instead"}
		}
		look, stop := context.WithTimeout(ctx, travelLook)
		select {
		case <-more:
		case <-look.Done():
		}
		stop()
		if ctx.Err() != nil {
			return true, cancelled(ctx)
		}
	}
}

// unlessDialog takes it for no error that a dialog held a command up: follow
// will see the dialog.
func (n *navigation) unlessDialog(err error) error {
	if errors.Is(err, errDialog) {
		return nil
	}
	return err
}

// follow waits until the document is as far as it was asked for.
func (n *navigation) follow(ctx context.Context) error {
	var last pageagent.Activity
	begun := false
	loading, enough := context.WithCancelCause(ctx)
	defer enough(nil)
	var patience *time.Timer // runs out for a document that is ready
	err := n.await(loading, func(a pageagent.Activity) bool {
		last = a
		if a.Committed && a.Ready && patience == nil {
			patience = time.AfterFunc(loadLimit, func() { enough(context.DeadlineExceeded) })
		}
		begun = begun || a.Navigating
		switch {
		case a.SameDoc && !a.Committed && !a.Navigating:
			n.sameDoc = true
			return true
		case len(a.Downloads) > 0 && !a.Committed && !a.Navigating:
			n.download = &a.Downloads[0]
			return true
		case begun && !a.Committed && !a.Navigating && n.op.URL == "":
			return true // it came to nothing
		}
		switch n.op.Wait {
		case browser.WaitNone:
			return a.Committed || a.Navigating
		case browser.WaitDOM:
			return a.Committed && a.Ready
		case browser.WaitIdle:
			return a.Committed && a.Loaded && a.Idle
		}
		return a.Committed && a.Loaded
	})
	if patience != nil {
		patience.Stop()
	}
	if n.download != nil {
		return n.awaitDownload(ctx)
	}
	switch {
	case err != nil && last.Committed && errors.Is(context.Cause(loading), context.DeadlineExceeded):
		n.timedOut = true
		return nil
	case err != nil:
		return err
	case last.Failed != "" && last.Committed:
		return netError(n.place(), last.Failed)
	case begun && !last.Committed && !last.Navigating && !n.sameDoc && n.download == nil && n.dialog == nil && n.op.Wait != browser.WaitNone:
		return abortedError(n.place())
	}
	return nil
}

func (n *navigation) result(ctx context.Context) *browser.Navigation {
	if n.dialog == nil {
		n.d.refreshTitle(ctx, n.t)
	}
	a, _ := n.w.Activity()
	out := &browser.Navigation{URL: a.URL, Title: a.Title, Doc: a.Doc, Status: a.Status, TimedOut: n.timedOut, Download: n.download, Dialog: a.Dialog}
	if !a.Committed {
		out.SameDoc, out.InFrame = n.sameDoc, n.inFrame
	}
	n.d.mu.Lock()
	defer n.d.mu.Unlock()
	out.Silent = n.t.silent[n.session] != nil
	return out
}
