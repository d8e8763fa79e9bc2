package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"drawbridge/internal/browser"
)

// tab is what is known of an open tab. Driver.mu guards all of it.
type tab struct {
	id     browser.TabID
	target target.ID
	opener browser.TabID
	window browser.WindowID
	active bool
	// Of tabs behind an extension.
	activeTold  bool   // the browser tells which is active
	untouchable string // why its page cannot be touched
	asleep      bool   // the browser has unloaded its page
	frozen      bool   // the browser has stopped its page
	byScript    bool   // an act is under way that the page gets by script in any case

	url, title string
	loading    bool
	crashed    bool
	crashes    int
	endedBy    browser.TabID // see browser.Tab
	doc        int           // counts commits of the main frame; while nothing is attached, changes of the address beyond its fragment
	dialog     *browser.Dialog
	login      *login                   // on its way to who asked; nil: none
	given      map[fetch.RequestID]bool // requests that one of the Logins was given for
	gone       string                   // why the tab was closed

	titles    int // counts what main documents told of their titles
	titledDoc int // that told last

	joining    *joining
	session    string // of the main frame; "" while nothing is attached
	root       *frame // nil while nothing is attached
	frames     map[cdp.FrameID]*frame
	frameCount int    // of the numbers given to documents of frames
	painted    string // where frames of other processes were when the page was last waited to paint

	failures map[string]string // by loader, of frames' documents that did not come

	nav      navState
	requests map[requestKey]*request
	seq      int // numbers requests, same-document navigations and the like

	drag     *interception // nil while nothing is dragged
	held     held
	record   *recording // nil when nothing is recorded
	emulated browser.Emulation

	choosers map[string]bool // sessions in which choosers of files are caught

	painting chan struct{} // holds a token; whoever has it makes the page paint

	silent map[string]*silence // by session: those that do not answer; nil until one does not

	toolsFound bool    // its documents were found, and are asked for theirs
	toolsKnown bool    // and told: others hear of each change
	asking     *asking // what its documents are asked; nil: nothing
	toolNews   map[browser.PageToolKey]*frame
	toolBytes  int // of all tools of its documents
	hearing    int // of its documents are asked for their tools now, by an extension
	leaving    int // navigations of ours are under way
	toolWaits  map[*toolWait]struct{}

	plea *plea // that a person is shown, or whose answer waits to be taken; nil: none

	calls tabCalls

	waits   map[*wait]struct{}
	watches map[*watch]struct{}
	more    chan struct{} // closed and replaced when something happens
}

// session is one attached target: a page or an out-of-process frame of it.
type session struct {
	id     string
	tab    *tab
	frame  cdp.FrameID          // at its root
	parent string               // session that it was attached in
	left   map[cdp.FrameID]bool // frames that went while the frame tree was asked for; nil when it is not
	roots  rootSearch

	calls    map[string]*invocation // of page tools, by the browser's ids
	adopting []*invocation          // by way of the page, whose ids are not known yet
	scripted bool                   // its documents get our script of their own world

	part   *part           // nil: it serves more than to record
	said   float64         // when the last message was written, by the browser's clock
	heard  float64         // until when messages were recorded before it began, which are told again
	worker string          // its address; "" for a page or frame
	realms map[int64]realm // by the browser's ids; only when the tab is recorded
	held   int             // values of messages that the page keeps for us
}

// joining is an attachment under way.
type joining struct {
	done chan struct{} // closed when the frames are known, or err
	err  error
}

// attach makes sure that the tab is attached and its frames are known, and
// returns its session. A tab that hangs may never tell its frames.
func (d *Driver) attach(ctx context.Context, t *tab) (string, error) {
	return d.join(ctx, t, d.begin)
}

func (d *Driver) join(ctx context.Context, t *tab, begin beginner) (string, error) {
	d.mu.Lock()
	if t.gone != "" {
		defer d.mu.Unlock()
		return "", t.goneError()
	}
	j := d.beginJoin(t)
	d.mu.Unlock()
	if j == nil {
		return "", disconnected(nil)
	}
	select {
	case <-j.done:
	default:
		waiting, stop := begin(ctx, t, nil)
		defer stop()
		select {
		case <-j.done:
		case <-waiting.Done():
			return "", d.pageError(t, context.Cause(waiting))
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.gone != "" {
		return "", t.goneError()
	}
	if j.err != nil {
		return "", j.err
	}
	return t.session, nil
}

// beginJoin returns the attachment of t, which it starts if there is none, and
// nil when the driver is not running. d.mu is held.
func (d *Driver) beginJoin(t *tab) *joining {
	if t.joining == nil && d.conn != nil {
		j := &joining{done: make(chan struct{})}
		t.joining = j
		conn := d.conn
		d.spawn(func(ctx context.Context) {
			j.err = d.enter(ctx, conn, t)
			d.mu.Lock()
			defer d.mu.Unlock()
			if j.err != nil && t.joining == j {
				t.joining = nil // the next op tries again
			}
			close(j.done)
		})
	}
	return t.joining
}

// enter attaches to a tab, unless that has been done, and learns its frames.
// When it returns, the page has all that it was set up with: a navigation that
// overtakes that may go unseen, or crash the page.
func (d *Driver) enter(ctx context.Context, conn Transport, t *tab) error {
	d.mu.Lock()
	id := t.session
	d.mu.Unlock()
	if id == "" {
		var at target.AttachToTargetResult
		if err := conn.Send(ctx, "", target.CommandAttachToTarget, target.AttachToTargetParams{TargetID: t.target, Flatten: new(true)}, &at); err != nil {
			return err
		}
		id = string(at.SessionID)
	}
	d.mu.Lock()
	s := d.sessions[id] // made by the event that came before the reply
	if s == nil {
		d.mu.Unlock()
		return ErrDetached
	}
	t.session = id
	s.left = make(map[cdp.FrameID]bool)
	d.mu.Unlock()
	d.setUp(conn, id)
	d.mu.Lock()
	d.addScript(conn, s)
	d.mu.Unlock()
	beFocused(conn, id)
	d.dress(conn, t, id)
	var learning sync.WaitGroup
	learning.Go(func() { d.learnWorld(ctx, conn, id, s.frame) })
	var tree frameTreeReply
	err := conn.Send(ctx, id, cdppage.CommandGetFrameTree, nil, &tree)
	learning.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err != nil:
		return err
	case d.sessions[id] != s:
		return ErrDetached
	}
	d.plant(s, tree.Tree)
	d.changed(t)
	d.findTools(t)
	return nil
}

// beFocused has the page of a session take itself for focused. One in another
// process puts the focus on the main frame when it learns of that, which may
// not be as late as the first press: the frame that was pressed would lose it.
func beFocused(conn Transport, id string) {
	conn.Post(id, emulation.CommandSetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
}

// setUp turns on what is listened to in a session.
func (d *Driver) setUp(conn Transport, id string) {
	conn.Post(id, cdppage.CommandEnable, nil)
	conn.Post(id, cdppage.CommandSetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true})
	d.listenToTools(conn, id)
	d.listenToNetwork(conn, id)
	if len(d.o.Logins) > 0 {
		d.listenToLogins(conn, id, false)
	}
	conn.Post(id, target.CommandSetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true),
		Filter: d.attachable()})
	if !d.watched {
		conn.Post(id, cdppage.CommandSetInterceptFileChooserDialog, catching)
	}
}

// view is the tab as others see it. d.mu is held.
func (d *Driver) view(t *tab) browser.Tab {
	return browser.Tab{ID: t.id, Key: string(t.target), Window: t.window, Active: t.active, Opener: t.opener, Doc: t.doc, URL: t.url, Title: t.title,
		Loading: t.loading, Crashed: t.crashed, EndedBy: t.endedBy, Dialog: t.dialog, Frames: t.list(), Caps: d.capsOf(t),
		Emulated: t.emulated.String(), Untouchable: t.untouchable, Asleep: t.asleep, Frozen: t.frozen}
}

// changed tells everybody that something about the tab changed. d.mu is held.
func (d *Driver) changed(t *tab) {
	if t.gone == "" {
		d.emit(browser.TabChanged{Tab: d.view(t)})
		d.tellTools(t)
	}
	t.stir()
}

// stir wakes those who watch. d.mu is held.
func (t *tab) stir() {
	if len(t.watches) > 0 {
		close(t.more)
		t.more = make(chan struct{})
	}
}

// wait is somebody waiting for a tab's page.
type wait struct {
	frame  *frame // whose document's end ends the wait; nil: none's
	steady bool   // a dialog does not end it
	cancel context.CancelCauseFunc
}

// Why a wait ended early.
var (
	errDialog    = errors.New("a dialog is open")
	errNavigated = errors.New("the document is gone")
	errCrashed   = errors.New(crashedMsg)
)

type beginner func(ctx context.Context, t *tab, f *frame) (waiting context.Context, stop func())

// begin returns a context for waiting for the page: it ends with ctx, and with
// errDialog, errNavigated, errCrashed or a *browser.Error when that comes
// first. Call stop in the end.
func (d *Driver) begin(ctx context.Context, t *tab, f *frame) (waiting context.Context, stop func()) {
	return d.enlist(ctx, t, f, func() error { return d.obstacle(t) })
}

// beginAny is begin for what a crashed page or an open dialog does not hinder.
func (d *Driver) beginAny(ctx context.Context, t *tab, f *frame) (waiting context.Context, stop func()) {
	return d.enlist(ctx, t, f, func() error { return nil })
}

// beginSteady is beginAny for what goes on in a document beside all ops: no
// dialog ends it.
func (d *Driver) beginSteady(ctx context.Context, t *tab, f *frame) (waiting context.Context, stop func()) {
	return d.await(ctx, t, &wait{frame: f, steady: true}, func() error { return nil })
}

func (d *Driver) enlist(ctx context.Context, t *tab, f *frame, obstacle func() error) (waiting context.Context, stop func()) {
	return d.await(ctx, t, &wait{frame: f}, obstacle)
}

func (d *Driver) await(ctx context.Context, t *tab, w *wait, obstacle func() error) (waiting context.Context, stop func()) {
	waiting, cancel := context.WithCancelCause(ctx)
	w.cancel = cancel
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.gone != "" {
		cancel(t.goneError())
	} else if err := obstacle(); err != nil {
		cancel(err)
	} else {
		t.waits[w] = struct{}{}
	}
	return waiting, func() {
		cancel(nil)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(t.waits, w)
	}
}

// obstacle is why the page cannot answer now; nil when it can. d.mu is held.
func (d *Driver) obstacle(t *tab) error {
	switch {
	case t.dialog != nil || d.holder(t) != nil:
		return errDialog
	case t.crashed:
		return errCrashed
	}
	return nil
}

// interrupt ends the waits for a document of f, or all if f is nil. d.mu is held.
func (t *tab) interrupt(f *frame, cause error) {
	for w := range t.waits {
		if (f == nil || w.frame == f) && !(w.steady && errors.Is(cause, errDialog)) {
			w.cancel(cause)
			delete(t.waits, w)
		}
	}
}

func (t *tab) goneError() error {
	return &browser.Error{Code: browser.CodeUnknownTab, Msg: fmt.Sprintf("%s is gone: %s", t.id, t.gone), Hint: "list_tabs shows those that are open"}
}

// dialogError says that the dialog of t is in the way of held, which is t or a
// tab that shares its process. d.mu is held.
func (t *tab) dialogError(held *tab) error {
	e := &browser.Error{Code: browser.CodeDialogOpen, Msg: fmt.Sprintf("a dialog is open in %s and holds up its page", t.id), Hint: "answer it with handle_dialog"}
	if g := t.dialog; g != nil && g.Kind == browser.DialogAuth {
		e.Msg = fmt.Sprintf("%s shows nothing before a login at %s", t.id, browser.OriginOf(g.URL))
		e.Hint = "answer it with handle_dialog (user and password), or go elsewhere with navigate"
	} else if g != nil {
		e.Msg = fmt.Sprintf("%s %q is open in %s and holds up its page", g.Kind, brief(g.Message), t.id)
	}
	if held != t {
		e.Msg += fmt.Sprintf(" and %s, which shares its process", held.id)
		e.Hint = fmt.Sprintf("answer it with handle_dialog, tab: %s", t.id)
	}
	return e
}

// brief is the beginning of a text that a page may have made long.
func brief(text string) string {
	const most = 200
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// pageError makes an error that a client can read of the early end of a wait.
func (d *Driver) pageError(t *tab, err error) error {
	switch {
	case errors.Is(err, errDialog):
		d.mu.Lock()
		defer d.mu.Unlock()
		return cmp.Or(d.holder(t), t).dialogError(t)
	case errors.Is(err, errCrashed):
		d.mu.Lock()
		defer d.mu.Unlock()
		e := &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the page in %s crashed", t.id), Hint: "navigate (also to: reload) revives the tab", Err: err}
		if t.endedBy != "" {
			e.Msg = fmt.Sprintf("the page in %s was ended with the page of %s, which hung and ran in the same process", t.id, t.endedBy)
		}
		return e
	}
	return err
}
