package cdp

import (
	"context"
	"strconv"
	"strings"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"drawbridge/internal/browser"
)

// targetInfo is the part of CDP's TargetInfo that is used.
type targetInfo struct {
	ID            target.ID   `json:"targetId"`
	Type          string      `json:"type"`
	Subtype       string      `json:"subtype"` // "prerender" and other pages that are no tabs
	Title         string      `json:"title"`
	URL           string      `json:"url"`
	Opener        target.ID   `json:"openerId"`
	ParentFrameID cdp.FrameID `json:"parentFrameId"`
	// Of tabs behind an extension only.
	Active      *bool  `json:"active"`      // nil: the browser does not tell
	Asleep      bool   `json:"asleep"`      // the browser has unloaded its page
	Frozen      bool   `json:"frozen"`      // the browser has stopped its page
	Untouchable string `json:"untouchable"` // why its page cannot be touched
}

// discover asks for all tabs, which the handler has noted when it returns.
func (d *Driver) discover(ctx context.Context, b *Browser) error {
	d.setPermissions(b)
	if err := d.listenToDownloads(ctx, b.Conn); err != nil {
		return err
	}
	if err := b.Conn.Send(ctx, "", target.CommandSetDiscoverTargets,
		target.SetDiscoverTargetsParams{Discover: true, Filter: target.Filter{{Type: "page"}}}, nil); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.emit(browser.Ready{Product: b.Product})
	return nil
}

// handle takes an event of the browser, in the connection's reader.
func (d *Driver) handle(ev Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if ev.Session == "" {
		if h := browserEvents[ev.Method]; h != nil {
			h(d, ev)
		}
		return
	}
	if s := d.sessions[ev.Session]; s != nil {
		if h := tabEvents[ev.Method]; h != nil && s.worker == "" && !ev.Record {
			h(d, s, ev)
			d.tellTools(s.tab)
		}
		if d.o.Record && (ev.Record || d.scripting == nil) {
			if h := recordEvents[ev.Method]; h != nil {
				h(d, s, ev)
			}
		}
	}
}

// What the driver listens to. A handler runs with d.mu held.
var (
	browserEvents = map[string]func(*Driver, Event){
		"Target.targetCreated":      onBrowser((*Driver).targetCreated),
		"Target.targetInfoChanged":  onBrowser((*Driver).targetInfoChanged),
		"Target.targetDestroyed":    onBrowser((*Driver).targetDestroyed),
		"Target.targetCrashed":      onBrowser((*Driver).targetCrashed),
		"Target.attachedToTarget":   onBrowser((*Driver).attached),
		"Target.detachedFromTarget": onBrowser((*Driver).detached),
		"Browser.downloadWillBegin": onBrowser((*Driver).downloadWillBegin),
		"Browser.downloadProgress":  onBrowser((*Driver).downloadProgress),
	}
	tabEvents = map[string]func(*Driver, *session, Event){
		"Target.attachedToTarget":       onTab((*Driver).frameTargetAttached),
		"Target.detachedFromTarget":     onTab((*Driver).frameTargetDetached),
		"Inspector.targetCrashed":       onTab((*Driver).sessionCrashed),
		"Page.frameAttached":            onTab((*Driver).frameAttached),
		"Page.frameNavigated":           onTab((*Driver).frameNavigated),
		"Page.frameDetached":            onTab((*Driver).frameDetached),
		"Page.documentOpened":           onTab((*Driver).documentOpened),
		"Page.navigatedWithinDocument":  onTab((*Driver).navigatedWithinDocument),
		"Page.frameRequestedNavigation": onTab((*Driver).frameRequestedNavigation),
		"Page.frameStartedNavigating":   onTab((*Driver).frameStartedNavigating),
		"Page.frameStartedLoading":      onTab((*Driver).frameStartedLoading),
		"Page.frameStoppedLoading":      onTab((*Driver).frameStoppedLoading),
		"Page.lifecycleEvent":           onTab((*Driver).lifecycleEvent),
		"Page.fileChooserOpened":        onTab((*Driver).fileChooserOpened),
		"Input.dragIntercepted":         onTab((*Driver).dragIntercepted),
		"Page.javascriptDialogOpening":  onTab((*Driver).dialogOpening),
		"Page.javascriptDialogClosed":   onTab((*Driver).dialogClosed),
		"Network.requestWillBeSent":     onTab((*Driver).requestWillBeSent),
		"Network.responseReceived":      (*Driver).responseReceived,
		"Fetch.requestPaused":           onTab((*Driver).requestPaused),
		"Fetch.authRequired":            onTab((*Driver).authRequired),
		"Network.loadingFinished":       onTab((*Driver).loadingEnded),
		"Network.loadingFailed":         onTab((*Driver).loadingEnded),
		eventToolsAdded:                 onTab((*Driver).toolsAdded),
		eventToolsRemoved:               onTab((*Driver).toolsRemoved),
		eventToolInvoked:                (*Driver).toolInvoked,
		eventToolResponded:              (*Driver).toolResponded,
	}
)

func onBrowser[P any](h func(*Driver, P)) func(*Driver, Event) {
	return func(d *Driver, ev Event) {
		var p P
		if d.decode(ev, &p) {
			h(d, p)
		}
	}
}

func onTab[P any](h func(*Driver, *session, P)) func(*Driver, *session, Event) {
	return func(d *Driver, s *session, ev Event) {
		var p P
		if d.decode(ev, &p) {
			h(d, s, p)
		}
	}
}

// decode decodes an event; one that does not decode is logged once per kind
// and skipped.
func (d *Driver) decode(ev Event, p any) bool {
	err := Decode(ev, p)
	if err != nil && !d.warned[ev.Method] {
		d.warned[ev.Method] = true
		d.log.Warn("event of the browser not understood", "method", ev.Method, "err", err)
	}
	return err == nil
}

type targetEvent struct {
	Info targetInfo `json:"targetInfo"`
}

type targetGone struct {
	ID target.ID `json:"targetId"`
	// Private: the tab is there, but its user lets nobody see it any more. An
	// extension tells that.
	Private bool `json:"private"`
}

func (d *Driver) targetCreated(p targetEvent) {
	p.Info.URL = browser.WithoutLogin(p.Info.URL)
	if p.Info.Type != "page" || p.Info.Subtype != "" || strings.HasPrefix(p.Info.URL, "devtools:") || d.targets[p.Info.ID] != nil {
		return
	}
	t := &tab{
		id: d.o.IDs.Tab(string(p.Info.ID)), target: p.Info.ID, url: p.Info.URL, doc: 1,
		frames: make(map[cdp.FrameID]*frame), requests: make(map[requestKey]*request),
		waits: make(map[*wait]struct{}), watches: make(map[*watch]struct{}), more: make(chan struct{}), toolWaits: make(map[*toolWait]struct{}), choosers: make(map[string]bool), painting: make(chan struct{}, 1),
	}
	if d.o.Record {
		t.record = newRecording()
	}
	d.retitle(t, p.Info)
	d.takeState(t, p.Info)
	d.targets[t.target], d.tabs[t.id] = t, t
	if d.fresh && p.Info.Opener == "" {
		d.spare, d.fresh = t, false
	}
	opener := d.targets[p.Info.Opener]
	if opener != nil {
		t.opener = opener.id
		if p.Info.URL == "" {
			t.loading = true
		}
	}
	d.learnWindow(t, opener != nil)
	d.emit(browser.TabOpened{Tab: d.view(t)})
	if opener != nil {
		d.openedBy(opener, t)
	}
}

// openedBy tells those who watch a tab that its page opened another one.
func (d *Driver) openedBy(opener, t *tab) {
	t.opener = opener.id
	for w := range opener.watches {
		w.opened = append(w.opened, t.id)
	}
	opener.stir()
	if opener.session != "" {
		d.beginJoin(t) // so that its dialogs and downloads are seen
	}
}

// learnWindow finds out which window a tab is in. The first tab of a window, and
// one that a page opened, is taken for the active one: the browser does not tell.
func (d *Driver) learnWindow(t *tab, front bool) {
	d.spawn(func(ctx context.Context) { d.askWindow(ctx, t, front) })
}

// askWindow does so and returns when it is known.
func (d *Driver) askWindow(ctx context.Context, t *tab, front bool) {
	var in struct {
		WindowID int64 `json:"windowId"`
	}
	if d.send(ctx, "", cdpbrowser.CommandGetWindowForTarget, cdpbrowser.GetWindowForTargetParams{TargetID: t.target}, &in) != nil {
		return // some tabs have none
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t.window = browser.WindowID("w" + strconv.FormatInt(in.WindowID, 10))
	if t.activeTold {
		d.changed(t)
		return
	}
	first := true
	for _, o := range d.tabs {
		first = first && (o == t || o.window != t.window)
	}
	if first || front {
		d.selectTab(t)
	}
	d.changed(t)
}

// selectTab makes t the active tab of its window. d.mu is held.
func (d *Driver) selectTab(t *tab) {
	if t.activeTold {
		return // and will be
	}
	for _, o := range d.tabs {
		if o != t && o.active && o.window == t.window {
			o.active = false
			d.changed(o)
		}
	}
	t.active = true
}

// targetInfoChanged is how the address and title of a tab that is not attached
// become known. Its documents are counted by changes of the address, so that a
// reload is not counted. Of an attached tab whose document
// is known only the title is taken.
func (d *Driver) targetInfoChanged(p targetEvent) {
	p.Info.URL = browser.WithoutLogin(p.Info.URL)
	t := d.targets[p.Info.ID]
	if t == nil {
		return
	}
	if t.session == "" {
		if t.url != "" && withoutFragment(p.Info.URL) != withoutFragment(t.url) {
			t.doc++
		}
		t.loading = false
		if p.Info.URL != t.url {
			d.titleLater(t)
		}
		t.url = p.Info.URL
	} else if t.root == nil || t.root.loader == "" { // a dialog may keep the page from telling
		t.url = p.Info.URL
	}
	d.retitle(t, p.Info)
	d.takeState(t, p.Info)
	d.changed(t)
	if opener := d.targets[p.Info.Opener]; opener != nil && t.opener != opener.id && d.scripting != nil {
		// Browsers take the tab in front for the opener until they know better.
		d.openedBy(opener, t)
	}
}

// takeState takes over what only an extension tells. d.mu is held.
func (d *Driver) takeState(t *tab, info targetInfo) {
	t.untouchable, t.asleep, t.frozen = info.Untouchable, info.Asleep, info.Frozen
	if info.Active != nil {
		t.active, t.activeTold = *info.Active, true
	}
}

func withoutFragment(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// retitle takes over a title that belongs to the document shown. d.mu is held.
func (d *Driver) retitle(t *tab, info targetInfo) {
	if t.session == "" || withoutFragment(info.URL) == withoutFragment(t.url) {
		t.title = info.Title
		if standIn(info) {
			t.title = ""
		}
	}
}

// standIn tells that the title is only the address, as the browser gives it to
// pages without one.
func standIn(info targetInfo) bool {
	_, rest, _ := strings.Cut(info.URL, "://")
	return info.Title == info.URL || info.Title == rest || info.Title == strings.TrimSuffix(rest, "/")
}

// titleDelay is how long a page that nobody looks at may take to get its title.
const titleDelay = time.Second

// titleLater asks for the title of a tab that is not attached once it may have
// one: the browser tells of addresses, not of titles. d.mu is held.
func (d *Driver) titleLater(t *tab) {
	d.spawn(func(ctx context.Context) {
		timer := time.NewTimer(titleDelay)
		defer timer.Stop()
		select {
		case <-timer.C:
			d.refreshTitle(ctx, t)
		case <-ctx.Done():
		}
	})
}

// refreshTitle asks the browser, not the page, for the title.
func (d *Driver) refreshTitle(ctx context.Context, t *tab) {
	var now targetEvent
	if d.send(ctx, "", target.CommandGetTargetInfo, target.GetTargetInfoParams{TargetID: t.target}, &now) != nil {
		return // the tab is gone, and so is its title
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now.Info.URL = browser.WithoutLogin(now.Info.URL)
	if was := t.title; t.gone == "" {
		if d.retitle(t, now.Info); t.title != was {
			d.changed(t)
		}
	}
}

// wasClosed is why a tab is gone that a page, a person or we closed.
const wasClosed = "it was closed"

// isPrivate is why a tab is gone that its user lets nobody see any more.
const isPrivate = "it is private now"

func (d *Driver) targetDestroyed(p targetGone) {
	if t := d.targets[p.ID]; t != nil {
		d.emit(browser.TabClosed{Tab: t.id})
		why := wasClosed
		if p.Private {
			why = isPrivate
		}
		d.drop(t, why)
		d.pages.Forget(t.id)
	}
}

// drop forgets a tab. d.mu is held.
func (d *Driver) drop(t *tab, why string) {
	delete(d.targets, t.target)
	delete(d.tabs, t.id)
	for id, s := range d.sessions {
		if s.tab == t {
			delete(d.sessions, id)
		}
	}
	t.gone = why
	t.interrupt(nil, t.goneError())
	t.stir()
}

func (d *Driver) targetCrashed(p targetGone) {
	if t := d.targets[p.ID]; t != nil {
		d.crash(t)
		d.tellTools(t)
	}
}

func (d *Driver) sessionCrashed(s *session, _ struct{}) {
	if s.id == s.tab.session {
		d.crash(s.tab)
		return
	}
	if f := s.tab.frames[s.frame]; f != nil && f.session == s.id {
		number := f.number // by which the page around it knows it
		d.prune(f)
		f.reset("")
		f.number, f.crashed = number, true
		s.tab.interrupt(f, errNavigated)
		d.changed(s.tab)
	}
	d.closeSession(s.id, errCrashed)
}

// crash notes that the main frame's renderer died. A navigation revives it.
func (d *Driver) crash(t *tab) {
	if t.crashed {
		return
	}
	t.crashed, t.loading, t.dialog = true, false, nil
	t.crashes++
	if d.doomed != nil && d.doomed != t {
		t.endedBy = d.doomed.id
	}
	t.nav.pending = ""
	clear(t.requests)
	if t.root != nil {
		t.root.reset("")
		d.prune(t.root)
	}
	t.interrupt(nil, errCrashed)
	d.closeSession(t.session, errCrashed)
	d.emit(browser.Crashed{Tab: t.id})
	d.changed(t)
}

// closeSession ends what waits for a session that will not answer. The
// connection delivers the ends without waiting, so d.mu may be held.
func (d *Driver) closeSession(id string, err error) {
	if d.conn != nil && id != "" {
		d.conn.CloseSession(id, err)
	}
}

type attachedEvent struct {
	Session string     `json:"sessionId"`
	Info    targetInfo `json:"targetInfo"`
	Waiting bool       `json:"waitingForDebugger"`
}

// attached notes a session that enter asked for.
func (d *Driver) attached(p attachedEvent) {
	t := d.targets[p.Info.ID]
	if t == nil {
		return
	}
	d.sessions[p.Session] = &session{id: p.Session, tab: t, frame: cdp.FrameID(t.target), roots: newRootSearch()}
	clear(t.frames)
	t.root = t.addFrame(cdp.FrameID(t.target), nil, p.Session)
}

type detachedEvent struct {
	Session string `json:"sessionId"`
}

// detached notes that the browser let go of a tab: it is closing, or another
// client or a person ended the session. The next op attaches anew.
func (d *Driver) detached(p detachedEvent) {
	s := d.sessions[p.Session]
	if s == nil {
		return
	}
	t := s.tab
	for id, o := range d.sessions {
		if o.tab == t {
			delete(d.sessions, id)
		}
	}
	t.session, t.joining, t.root, t.dialog = "", nil, nil, nil
	d.forgetTools(t)
	clear(t.frames)
	clear(t.requests)
	t.interrupt(nil, ErrDetached)
	d.changed(t)
}
