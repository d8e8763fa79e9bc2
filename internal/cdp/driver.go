package cdp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/target"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// Options tell a Driver what to drive and how.
type Options struct {
	IDs  *browser.IDs                                // nil: ids of its own
	Open func(ctx context.Context) (*Browser, error) // Launch or Connect
	Info browser.Info                                // Product and Notes are added to when the browser is there
	Slow string                                      // what is probably waited for when Open takes long
	// Width and Height are the viewport of every tab, in CSS pixels; 0: what
	// the window gives.
	Width, Height int
	// DownloadDir keeps what the pages of a launched browser download. Without
	// it, a new folder in DownloadRoot does, which is kept for a week; without
	// that, one that goes with the browser where its profile does. A browser
	// that was connected to keeps its own.
	DownloadDir, DownloadRoot string
	// Grants are what pages of a launched browser may use; what else would need
	// a person's consent is refused.
	Grants []Grant
	// Logins are given to the servers that want one; others are told as a dialog.
	Logins []Login
	// NoDialogs answers the dialogs of pages at once, for clients that know none:
	// no to what a page asks, but yes to leaving it.
	NoDialogs bool
	// Record keeps what tabs write to the console and request, from when they
	// are attached. Without it the browser is not even asked to tell.
	Record bool
	// PageHints has a script in the pages' own world note what they say of their
	// tools where the browser drops it. Pages can notice the script.
	PageHints bool
	Log       *slog.Logger
}

// Driver drives one Chromium over the DevTools protocol. It attaches to a tab
// when the first op needs it to, or when an attached tab opened it.
type Driver struct {
	o     Options
	log   *slog.Logger
	pages *pageagent.Coordinator
	tasks sync.WaitGroup // what spawn started
	told  chan struct{}  // closed when the sink has been told why the connection ends, if it ends by itself

	info atomic.Pointer[browser.Info] // no lock: the sink's owner may ask while it holds its own

	mu        sync.Mutex      // guards following, and everything in tab, frame and watch
	conn      Transport       // nil before and after Run
	link      Connection      // the same, also after Run
	scripting Scripting       // nil: documents are reached by the Runtime domain; set before any event
	ctx       context.Context // Run's; ends the tasks
	sink      func(browser.Event)
	tabs      map[browser.TabID]*tab
	targets   map[target.ID]*tab
	sessions  map[string]*session
	fresh     bool // the browser was launched, and its first tab is not there yet
	watched   bool // people may use it at the same time
	seen      bool // or at least see its windows
	windows   bool // it was launched with windows, and ends with the last one
	spare     *tab // empty, and nobody has used it
	doomed    *tab // whose renderer was ended just now
	pleas     int  // to persons, so far
	pid       int  // of the browser; 0: unknown
	downloads map[string]*download
	// where they go; "": where the browser keeps them. Set before any event.
	downloadDir  string
	ownDownloads bool            // the folder was made for this run
	warned       map[string]bool // events that could not be decoded
	world        toolWorld
	toolsTried   bool // the browser was asked to tell of page tools
	toolless     bool // and does not know how
}

var _ browser.Driver = (*Driver)(nil)

// New returns a driver of the browser that o.Open gives.
func New(o Options) *Driver {
	if o.IDs == nil {
		o.IDs = new(browser.IDs)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Info.Caps == 0 {
		o.Info.Caps = browser.AllCaps
	}
	if !o.Record {
		o.Info.Caps &^= browser.CanRecord
	}
	d := &Driver{
		o: o, log: o.Log, told: make(chan struct{}),
		tabs:      make(map[browser.TabID]*tab),
		targets:   make(map[target.ID]*tab),
		sessions:  make(map[string]*session),
		downloads: make(map[string]*download),
		warned:    make(map[string]bool),
	}
	d.world.key = rand.Text()
	d.pages = pageagent.New(d, o.Log)
	d.info.Store(&o.Info)
	return d
}

// Info implements browser.Driver.
func (d *Driver) Info() browser.Info { return *d.info.Load() }

// Rename gives the browser another name, while Run runs.
func (d *Driver) Rename(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	info := *d.info.Load()
	if info.Name == name {
		return
	}
	info.Name = name
	d.info.Store(&info)
	d.emit(browser.Renamed{Name: name})
}

// slowStart is how long a browser may take to open before it is told why.
const slowStart = 2 * time.Second

// closeLimit is how long a browser may take to close.
const closeLimit = 10 * time.Second

// Run implements browser.Driver: it opens the browser, and closes it in the end.
func (d *Driver) Run(ctx context.Context, sink func(browser.Event)) error {
	slow := time.AfterFunc(slowStart, func() { sink(browser.Starting{Waiting: d.o.Slow}) })
	b, err := d.o.Open(ctx)
	slow.Stop() // if it is too late, what it tells is overtaken by what follows
	if err != nil {
		return err
	}
	// The browser is closed through its connection, which therefore outlives ctx.
	connCtx, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	taskCtx, stopTasks := context.WithCancel(ctx)
	defer stopTasks()

	d.prepareDownloads(b)
	d.mu.Lock()
	d.conn, d.link, d.scripting, d.ctx, d.sink = b.Conn, b.Conn, b.Scripting, taskCtx, sink
	d.fresh, d.windows, d.watched = b.process != nil, b.windows, b.Watched
	d.seen = b.Seen || b.Watched
	if b.process != nil {
		d.pid = b.process.PID()
	}
	info := d.o.Info
	if b.process != nil { // whoever opened another may know
		info.Downloads = d.downloadDir
	}
	d.mu.Unlock()
	info.Product, info.Notes = b.Product, slices.Concat(info.Notes, b.Notes)
	d.info.Store(&info)

	ended := make(chan error, 1)
	go func() { ended <- b.Conn.Run(connCtx, d.handle) }()
	err = d.discover(ctx, b)
	if err == nil {
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
			d.endPleas()
		case err = <-ended:
			ended <- err
			sink(browser.Ending{})
		}
	}
	close(d.told)
	stopTasks()
	d.end(err)
	closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	closed := b.Close(closeCtx)
	hangUp()
	<-ended
	d.tasks.Wait()
	d.finishDownloads()
	if ctx.Err() != nil {
		if closed != nil {
			d.log.Warn("browser not closed cleanly", "err", closed)
		}
		return context.Cause(ctx)
	}
	return endedError(b, err)
}

// browserGone is why tabs are gone when their browser is.
const browserGone = "the browser is gone"

func disconnected(err error) *browser.Error {
	return &browser.Error{Code: browser.CodeDisconnected, Msg: browserGone, Hint: "the next call starts or looks for one again", Err: err}
}

// endedError says that the browser ended by itself.
func endedError(b *Browser, err error) error {
	e := disconnected(err)
	if b.process == nil {
		return e
	}
	if how := b.Wait(); how != nil {
		e.Msg, e.Err = "the browser ended by itself: "+how.Error(), errors.Join(err, how)
	}
	return e
}

// end fails all that waits, and makes Do refuse from now on.
func (d *Driver) end(cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conn = nil
	for _, t := range d.tabs {
		d.drop(t, browserGone)
	}
	d.log.Debug("driver ends", "err", cause)
}

// spawn runs f beside the caller, until Run ends. d.mu is held.
func (d *Driver) spawn(f func(ctx context.Context)) {
	if d.conn == nil {
		return
	}
	ctx := d.ctx
	d.tasks.Go(func() { f(ctx) })
}

// emit tells the sink, which never blocks; the lock keeps the order. d.mu is held.
func (d *Driver) emit(e browser.Event) {
	if d.sink != nil && d.conn != nil {
		d.sink(e)
	}
}

// send sends a command to a session. It fails as disconnected when Run is over.
func (d *Driver) send(ctx context.Context, session, method string, params, result any) error {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	if conn == nil {
		return disconnected(nil)
	}
	return conn.Send(ctx, session, method, params, result)
}

// post sends a command that nobody waits for. d.mu may be held or not.
func post(conn Transport, session, method string, params any) {
	if conn != nil {
		conn.Post(session, method, params)
	}
}

// Do implements browser.Driver.
func (d *Driver) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	if err := ctx.Err(); err != nil {
		return cancelled(ctx)
	}
	limit := timeFor(op)
	var err error
	if limit == 0 {
		err = d.do(ctx, to, op, result)
	} else {
		err = d.inTime(ctx, to, op, limit, func(ctx context.Context) error { return d.do(ctx, to, op, result) })
	}
	switch {
	case err == nil:
		d.tellHeard(to, result)
		return nil
	case browser.CodeOf(err) == browser.CodeTimeout && !errors.Is(err, errHangs) && d.hangs(ctx):
		return d.hangError(op.Effect())
	}
	d.awaitTold(err)
	return d.explain(ctx, to, err)
}

// over tells whether the end of the connection is behind an error.
func (d *Driver) over(err error) bool {
	end := d.link.Err()
	return end != nil && errors.Is(err, end)
}

// awaitTold has an op that the end of the connection failed return after that
// end was told: who hears of the one knows of the other.
func (d *Driver) awaitTold(err error) {
	d.mu.Lock()
	link := d.link
	d.mu.Unlock()
	if link != nil && errors.Is(err, link.Err()) {
		<-d.told
	}
}

func (d *Driver) do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	if open, ok := op.(browser.OpenTab); ok {
		return into(result, func() (*browser.Tab, error) { return d.openTab(ctx, open) })
	}
	t, err := d.check(to, op)
	if err != nil {
		return err
	}
	err = d.doIn(ctx, t, to, op, result)
	if private := d.private(t); private != nil {
		return private
	}
	return err
}

// private refuses what was done in a tab that its user lets nobody see any more:
// what it is like is not told, and that it went is no effect of an act.
func (d *Driver) private(t *tab) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.gone != isPrivate {
		return nil
	}
	return t.goneError()
}

func (d *Driver) doIn(ctx context.Context, t *tab, to browser.Target, op browser.Op, result any) error {
	switch op := op.(type) {
	case browser.CloseTab:
		return into(result, func() (*browser.Closed, error) { return d.closeTab(ctx, t, op) })
	case browser.ActivateTab:
		return d.activateTab(ctx, t)
	case browser.Navigate:
		return into(result, func() (*browser.Navigation, error) { return d.navigate(ctx, t, op) })
	case browser.HandleDialog:
		return into(result, func() (*browser.Observation, error) { return d.handleDialog(ctx, t, to, op) })
	}
	if _, ok := op.(browser.PageTools); ok { // a page that does not answer has told them before
		return into(result, func() (*browser.PageToolList, error) { return d.pageTools(ctx, t, to) })
	}
	if ask, ok := op.(browser.AskPerson); ok { // which a page that does not answer does not end
		return into(result, func() (*browser.Asked, error) { return d.askPerson(ctx, t, to, ask) })
	}
	if err := d.awaitAnswer(ctx, t); err != nil {
		return err
	}
	switch op := op.(type) {
	case browser.WaitFor:
		if op.PageTool != "" {
			return into(result, func() (*browser.Waited, error) { return d.waitForTool(ctx, t, to, op) })
		}
	case browser.Evaluate:
		return into(result, func() (*browser.Value, error) { return d.evaluate(ctx, t, to, op) })
	case browser.Screenshot:
		return into(result, func() (*browser.Picture, error) { return d.screenshot(ctx, t, to, op) })
	case browser.ListConsole:
		return into(result, func() (*browser.Messages, error) { return d.listConsole(ctx, t, to, op) })
	case browser.ListRequests:
		return into(result, func() (*browser.Exchanges, error) { return d.listRequests(ctx, t, to, op) })
	case browser.GetRequest:
		return into(result, func() (*browser.Exchanged, error) { return d.getRequest(ctx, t, to, op) })
	case browser.Emulate:
		return into(result, func() (*browser.Emulation, error) { return d.emulate(ctx, t, to, op) })
	case browser.SavePage:
		return into(result, func() (*browser.Saved, error) { return d.saveOrKeep(ctx, t, to, op) })
	case browser.AddElement:
		return into(result, func() (*browser.Added, error) { return d.addElement(ctx, t, to, op) })
	case browser.CallPageTool:
		err := into(result, func() (*browser.PageToolAnswer, error) { return d.callPageTool(ctx, t, to, op) })
		d.hearAfter(ctx, t)
		return err
	}
	if _, err := d.attach(ctx, t); err != nil {
		return err
	}
	if _, ok := op.(browser.ShowHint); ok {
		if err := d.bringToFront(ctx, t); err != nil {
			return err
		}
	}
	if d.scripting != nil {
		done, err := d.readyToAct(ctx, t, op)
		if err != nil {
			return err
		}
		defer done()
	}
	d.mu.Lock()
	titles := t.titles
	d.mu.Unlock()
	err := d.pages.Do(ctx, to, op, result)
	d.mu.Lock()
	told := t.titles > titles && t.titledDoc == t.doc // by the page itself
	d.mu.Unlock()
	if !told {
		d.refreshTitle(ctx, t)
	}
	return err
}

// into stores what run answers in result, a *T or nil.
func into[T any](result any, run func() (*T, error)) error {
	dst, ok := result.(*T)
	if !ok && result != nil {
		return &browser.Error{Code: browser.CodeInternal, Msg: fmt.Sprintf("the answer is a %T, not a %T", dst, result)}
	}
	out, err := run()
	if err == nil && dst != nil {
		*dst = *out
	}
	return err
}

// check finds the tab of a target, and refuses what was permitted for another
// document or origin than it shows. The coordinator checks the origins of each
// frame itself.
func (d *Driver) check(to browser.Target, op browser.Op) (*tab, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tabs[to.Tab]
	if t == nil {
		return nil, unknownTab(to.Tab)
	}
	if err := d.supports(t, op); err != nil {
		return nil, err
	}
	if t == d.spare {
		d.spare = nil // whoever uses it wants it for what it is
	}
	if to.Doc != 0 && to.Doc != t.doc {
		return nil, &browser.Error{Code: browser.CodeStaleDocument,
			Msg:  fmt.Sprintf("%s shows document %d now, %s %q, not document %d; nothing was done", t.id, t.doc, t.url, t.title, to.Doc),
			Hint: "read the page again and use what it shows now"}
	}
	switch op.(type) {
	case browser.Evaluate, browser.Screenshot, browser.HandleDialog, browser.Emulate, browser.SavePage, browser.AddElement, browser.CallPageTool:
		if t.session == "" {
			break // checked again once the frames are known
		}
		if t.dialog != nil && t.dialog.Kind == browser.DialogAuth {
			return t, t.permits(to.Origins, nil) // it is the address that asks, not the page in its place
		}
		return t, t.permits(to.Origins, t.root)
	}
	return t, nil
}

func unknownTab(id browser.TabID) error {
	return &browser.Error{Code: browser.CodeUnknownTab, Msg: fmt.Sprintf("there is no tab %s", id), Hint: "list_tabs shows those that are open"}
}

// permits refuses a frame whose origin is not in the set. d.mu is held.
func (t *tab) permits(set browser.OriginSet, f *frame) error {
	origin, url := browser.OriginOf(t.url), t.url
	if f != nil && f.loader != "" {
		origin, url = f.origin, f.url
	}
	if set.Has(origin) {
		return nil
	}
	return &browser.Error{Code: browser.CodeOriginChanged, Msg: fmt.Sprintf("%s shows %s now, of the origin %s, which was not permitted; nothing was done", t.id, url, origin),
		Hint: "call again, so that the rules are asked about where it is now"}
}

// explain makes an error that a client can read of err.
func (d *Driver) explain(ctx context.Context, to browser.Target, err error) error {
	var known *browser.Error
	var refused *ProtocolError
	switch {
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return cancelled(ctx)
	case awaited(err), errors.Is(err, context.Canceled): // of a part of the op that had a time of its own
		d.mu.Lock()
		t := d.tabs[to.Tab]
		d.mu.Unlock()
		if t == nil {
			return unknownTab(to.Tab)
		}
		return d.silentError(t)
	case errors.Is(err, ErrDetached):
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.tabs[to.Tab] == nil {
			return unknownTab(to.Tab)
		}
		return &browser.Error{Code: browser.CodeDisconnected, Msg: fmt.Sprintf("the browser let go of %s", to.Tab), Err: err, Hint: "call again"}
	case errors.As(err, &refused):
		return &browser.Error{Code: browser.CodeInternal, Msg: "the browser refused: " + refused.Message, Err: err}
	}
	return &browser.Error{Code: browser.CodeInternal, Msg: "internal error", Err: err}
}

// cancelled is the error of a context that ended.
func cancelled(ctx context.Context) error {
	var known *browser.Error
	if err := context.Cause(ctx); errors.As(err, &known) {
		return known
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &browser.Error{Code: browser.CodeTimeout, Msg: "the time was up before the browser had answered", Err: ctx.Err(),
			Hint: "the page may be busy; navigate leaves it, a longer timeout waits for it"}
	}
	return &browser.Error{Code: browser.CodeCancelled, Msg: "the call was cancelled", Err: ctx.Err()}
}
