package cdp

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

// How long a page may take where the op names no time of its own.
const (
	readMost   = 5 * time.Second         // an op that only asks
	actMost    = 5500 * time.Millisecond // an act whose element has the usual time to become actionable
	fieldMost  = 200 * time.Millisecond  // more for each further field
	letterMost = 2 * time.Millisecond    // more for each character that is typed
	frameMost  = 2 * time.Second         // a frame of another process, beside the rest
	setUpMost  = 1500 * time.Millisecond // the same, to be made ready to be read
	silentMost = time.Second             // a page that has kept somebody waiting before
)

// errSlow ends an op that took longer than it may.
var errSlow = errors.New("the op took too long")

// errHangs tells that the browser itself does not answer.
var errHangs = errors.New("the browser hangs")

// errFrameSilent ends a call to a frame of another process that does not answer.
var errFrameSilent = errors.New("the frame does not answer")

// timeFor is how long an op may take in all; 0 is for those that see to their
// time themselves.
func timeFor(op browser.Op) time.Duration {
	switch op := op.(type) {
	case browser.Navigate, browser.Evaluate, browser.SavePage, browser.CallPageTool, browser.AskPerson:
		return 0
	case browser.WaitFor:
		if op.Timeout <= 0 {
			return 0
		}
		return max(op.Timeout, op.For) + silentMost
	case browser.Fill:
		return actMost + op.Allowed() + time.Duration(max(len(op.Fields)-1, 0))*fieldMost
	case browser.PressKey:
		return actMost + op.Allowed() + time.Duration(utf8.RuneCountInString(op.Text)*max(op.Times, 1))*letterMost
	case browser.HandleDialog:
		return actMost + op.Settle.Quiet
	case interface{ Allowed() time.Duration }:
		return actMost + op.Allowed()
	}
	return readMost
}

// inTime does a part of an op, and says what kept it from its end when that
// takes longer than the limit.
func (d *Driver) inTime(ctx context.Context, to browser.Target, op browser.Op, limit time.Duration, do func(context.Context) error) error {
	within, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	err := do(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil && overdue(err) {
		return d.late(ctx, to, op, limit)
	}
	return err
}

// overdue tells that err is only what the end of its time made of an op.
func overdue(err error) bool {
	code := browser.CodeOf(err)
	return errors.Is(err, errSlow) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		code == browser.CodeTimeout || code == browser.CodeCancelled
}

// late says what kept an op from its end.
func (d *Driver) late(ctx context.Context, to browser.Target, op browser.Op, after time.Duration) error {
	if d.hangs(ctx) {
		return d.hangError(op.Effect())
	}
	d.mu.Lock()
	t := d.tabs[to.Tab]
	if t == nil {
		d.mu.Unlock()
		return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("the browser has not answered within %s", after), Hint: "try again; the browser may be very busy"}
	}
	session, known := t.session, t.root != nil && t.root.loader != ""
	d.mu.Unlock()
	if !known || !d.answers(ctx, session, probeLimit) {
		d.fallSilent(t, session)
		return d.silentError(t)
	}
	return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("%s of %s was not done within %s: the page has very much in it, or is very busy", op.OpName(), t.id, after),
		Hint: "ask for a part of it (find, or the ref of a part), or try again"}
}

// hangs tells that the browser itself does not answer.
func (d *Driver) hangs(ctx context.Context) bool {
	brief, cancel := context.WithTimeout(ctx, hangLimit)
	defer cancel()
	err := d.send(brief, "", cdpbrowser.CommandGetVersion, nil, nil)
	return err != nil && brief.Err() != nil && ctx.Err() == nil
}

func (d *Driver) hangError(effect browser.Effect) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := &browser.Error{Code: browser.CodeTimeout, Msg: "the browser does not answer: it hangs, or is very busy", Err: errHangs,
		Hint: "try again in a moment; if it stays so, the browser has to be ended, and the next call looks for one again"}
	if d.pid != 0 {
		e.Hint = fmt.Sprintf("try again in a moment; if it stays so, ending its process (%d) makes the next call start another one", d.pid)
	}
	if effect > browser.Reads {
		e.Msg += "; it may yet do what it was asked"
	}
	return e
}

// silentError says that a page does not answer, and why as far as is known:
// one that awaits the document of a navigation is not let answer.
func (d *Driver) silentError(t *tab) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.holder(t); o != nil {
		return o.dialogError(t)
	}
	if t.unanswered() {
		return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("%s is on its way to %s, whose server has not answered yet; until then the page that it leaves does not answer", t.id, brief(t.nav.going)),
			Hint: "wait and try again, or end it: navigate (to: reload stays on the page); other tabs go on"}
	}
	if d.capsOf(t)&browser.CanDialogs == 0 {
		return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("the page in %s does not answer: a dialog may be open in it, which only a person can see and answer there, or it is very busy", t.id),
			Hint: "try again in a moment; navigate (also to: reload) or close_tab ends it. So that dialogs are told and can be answered, " + browser.Remedy(browser.CanDialogs, d.Info())}
	}
	return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("the page in %s does not answer: it is very busy, or a script of it runs without end", t.id),
		Hint: "try again in a moment; navigate (also to: reload) or close_tab ends it; other tabs go on"}
}

// silence is the state of a session whose page kept somebody waiting.
type silence struct {
	over chan struct{} // closed when it answers, or shows another document
	stop context.CancelFunc
}

// fallSilent notes that the page of a session does not answer, until it does.
func (d *Driver) fallSilent(t *tab, session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if session == "" || t.gone != "" || t.silent[session] != nil || d.conn == nil {
		return
	}
	conn := d.conn
	asking, stop := context.WithCancel(d.ctx)
	s := &silence{over: make(chan struct{}), stop: stop}
	if t.silent == nil {
		t.silent = make(map[string]*silence)
	}
	t.silent[session] = s
	d.spawn(func(context.Context) {
		defer stop()
		_ = conn.Send(asking, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "0"}, nil) // any end ends the silence
		d.mu.Lock()
		defer d.mu.Unlock()
		if t.silent[session] == s {
			t.answered(session)
		}
	})
}

// answered ends the silence of a session. Driver.mu is held.
func (t *tab) answered(session string) {
	if s := t.silent[session]; s != nil {
		delete(t.silent, session)
		s.stop()
		close(s.over)
	}
}

// awaitAnswer allows a page that has fallen silent a moment.
func (d *Driver) awaitAnswer(ctx context.Context, t *tab) error {
	d.mu.Lock()
	s, frozen := t.silent[t.session], t.frozen
	d.mu.Unlock()
	if frozen {
		return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the page in %s is frozen: its browser has stopped it, as browsers do with tabs that nobody looks at", t.id),
			Hint: "activate_tab shows it and lets it go on; navigate (also to: reload) loads a page anew"}
	}
	if s == nil {
		return nil
	}
	d.mu.Lock()
	held := d.holder(t) != nil
	d.mu.Unlock()
	if held {
		return d.silentError(t)
	}
	patience := time.NewTimer(silentMost)
	defer patience.Stop()
	waiting, stop := d.begin(ctx, t, nil)
	defer stop()
	select {
	case <-s.over:
		return nil
	case <-waiting.Done():
		return d.pageError(t, context.Cause(waiting))
	case <-patience.C:
		return d.silentError(t)
	}
}

// awaited tells that the wait for a page ended because its time was over.
func awaited(err error) bool {
	return errors.Is(err, errSlow) || errors.Is(err, context.DeadlineExceeded)
}
