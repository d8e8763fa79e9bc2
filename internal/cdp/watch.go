package cdp

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// navState is how the main frame's navigations go.
type navState struct {
	pending string // loader of the navigation under way; "" when there is none
	going   string // its address
	history bool   // it may come out of the back/forward cache

	ready, loaded, idle bool   // of the document shown
	failed              string // why it is an error page; "" when it is none
	status              int    // of its HTTP response
	asks                string // the challenge in that

	answer   docAnswer // the last one to a request for a document
	sameDoc  int       // number of the last change of address within the document
	last     time.Time // when the last request began
	lastSeen int       // its number
}

// docAnswer is how the request for a main document went.
type docAnswer struct {
	loader string
	status int
	asks   string // its challenge
	failed string
}

// watch implements pageagent.Watch. Driver.mu guards it.
type watch struct {
	d         *Driver
	aside     bool // of a person: choosers of files are theirs
	t         *tab // nil: there was no such tab
	doc, seq  int  // of the tab when it began
	crashes   int
	chooser   *pageagent.Chooser
	opened    []browser.TabID
	downloads []*download
}

// Watch implements pageagent.Host.
func (d *Driver) Watch(id browser.TabID) pageagent.Watch {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.watch(d.tabs[id])
}

// Attend implements pageagent.Host.
func (d *Driver) Attend(id browser.TabID) pageagent.Watch {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.watch(d.tabs[id])
	w.aside = true
	return w
}

// watch begins a watch. d.mu is held.
func (d *Driver) watch(t *tab) *watch {
	w := &watch{d: d, t: t}
	if t != nil {
		w.doc, w.seq, w.crashes = t.doc, t.seq, t.crashes
		t.watches[w] = struct{}{}
	}
	return w
}

// Close implements pageagent.Watch.
func (w *watch) Close() {
	if w.t != nil {
		w.d.mu.Lock()
		defer w.d.mu.Unlock()
		delete(w.t.watches, w)
		if !w.t.acting() {
			w.d.letChoosers(w.t)
		}
	}
}

// acting tells whether anybody but a person may act on the tab. Driver.mu is held.
func (t *tab) acting() bool {
	for w := range t.watches {
		if !w.aside {
			return true
		}
	}
	return false
}

// Activity implements pageagent.Watch.
func (w *watch) Activity() (pageagent.Activity, <-chan struct{}) {
	if w.t == nil {
		return pageagent.Activity{Gone: "there is no such tab"}, nil
	}
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	t := w.t
	a := pageagent.Activity{
		Doc: t.doc, URL: t.url, Title: t.title,
		Navigating: t.nav.pending != "",
		Committed:  t.doc != w.doc,
		SameDoc:    t.nav.sameDoc > w.seq,
		Dialog:     t.dialog,
		Chooser:    w.chooser,
		Opened:     append([]browser.TabID(nil), w.opened...),
		Gone:       t.gone,
	}
	if t.crashed && t.gone == "" {
		a.Gone = crashedMsg
	}
	if a.Committed {
		unseen := t.session == ""
		a.Ready, a.Loaded, a.Idle = t.nav.ready || unseen, t.nav.loaded || unseen, t.nav.idle || unseen
		a.Status, a.Failed = t.nav.status, t.nav.failed
	}
	for _, r := range t.requests {
		if r.seq > w.seq {
			a.OpenRequests++
		}
	}
	if t.nav.lastSeen > w.seq {
		a.LastRequest = t.nav.last
	}
	for _, dl := range w.downloads {
		a.Downloads = append(a.Downloads, dl.Download)
		if dl.State == arriving {
			a.OpenRequests++ // a moment later it may be there, with its path
		}
	}
	return a, t.more
}

// lost says why the page went since the watch began; "" if it has not.
func (w *watch) lost() string {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	if w.t.gone == "" && w.t.crashes > w.crashes {
		return crashedMsg
	}
	return w.t.gone
}

// crashedMsg is what became of a tab whose renderer died.
const crashedMsg = "the page crashed"

type frameEvent struct {
	ID     string `json:"frameId"`
	Loader string `json:"loaderId"`
	Name   string `json:"name"`
	Type   string `json:"navigationType"`
	URL    string `json:"url"`
}

// main tells whether the event concerns the main frame of s's tab.
func (s *session) main(p frameEvent) bool {
	return s.id == s.tab.session && p.ID == string(s.frame)
}

type navigationRequest struct {
	ID          cdp.FrameID `json:"frameId"`
	Disposition string      `json:"disposition"`
}

// frameRequestedNavigation notes that a page wants a frame to go elsewhere.
func (d *Driver) frameRequestedNavigation(s *session, p navigationRequest) {
	if f := s.tab.frames[p.ID]; f != nil && p.Disposition == "currentTab" {
		f.asked = true
	}
}

func (d *Driver) frameStartedNavigating(s *session, p frameEvent) {
	d.frameBegins(s, p)
	if f := s.tab.frames[cdp.FrameID(p.ID)]; f != nil && p.Type == "historyDifferentDocument" {
		f.asked = false
	}
	if p.Type == "sameDocument" || p.Type == "historySameDocument" {
		return
	}
	if !s.main(p) {
		if f := s.tab.frames[cdp.FrameID(p.ID)]; f != nil && f.session == s.id {
			f.pending = p.Loader
		}
		return
	}
	s.tab.nav.pending, s.tab.nav.history = p.Loader, p.Type == "historyDifferentDocument"
	s.tab.nav.going = browser.WithoutLogin(p.URL)
	s.tab.stir()
}

func (d *Driver) frameStartedLoading(s *session, p frameEvent) {
	d.frameBegins(s, p)
	if s.main(p) && !s.tab.loading {
		s.tab.loading = true
		d.changed(s.tab)
	}
}

// frameStoppedLoading ends a navigation that brought no document. One that
// restores a document stops just before it commits.
func (d *Driver) frameStoppedLoading(s *session, p frameEvent) {
	if !s.main(p) {
		d.frameEnds(s, p)
		return
	}
	s.tab.loading = false
	if pending := s.tab.nav.pending; pending != "" && s.tab.nav.history {
		d.spawn(func(ctx context.Context) { d.giveUp(ctx, s.tab, pending) })
	} else {
		s.tab.nav.pending = ""
		if doc := s.tab.doc; !s.tab.nav.loaded {
			d.spawn(func(ctx context.Context) { d.cutShort(ctx, s.tab, doc) })
		}
	}
	d.changed(s.tab)
}

// restoreGrace is how long after its loading a restored document may commit,
// and one may tell that it has loaded.
const restoreGrace = 500 * time.Millisecond

// cutShort takes a document for loaded that stopped loading and told no load:
// it went to an address that leads nowhere, such as that of another program.
func (d *Driver) cutShort(ctx context.Context, t *tab, doc int) {
	timer := time.NewTimer(restoreGrace)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.doc == doc && !t.loading && t.nav.pending == "" && !t.nav.loaded {
		t.nav.ready, t.nav.loaded, t.nav.idle = true, true, true
		t.stir()
	}
}

// giveUp ends a navigation that stopped and did not commit.
func (d *Driver) giveUp(ctx context.Context, t *tab, loader string) {
	timer := time.NewTimer(restoreGrace)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.nav.pending == loader {
		t.nav.pending = ""
		t.stir()
	}
}

// documentStarts notes the document that a tab shows when it is attached.
func (d *Driver) documentStarts(t *tab) {
	t.loading = !t.nav.loaded
}

// committed counts a document of the main frame. d.mu is held.
func (d *Driver) committed(t *tab, p frameNavigatedEvent) {
	cached := p.Type == restored
	t.doc++
	t.url, t.crashed, t.endedBy, t.loading, t.title = t.root.url, false, "", !cached, ""
	t.answered(t.session)
	was := t.nav
	t.nav = navState{ready: cached, loaded: cached, idle: cached, sameDoc: was.sameDoc, last: was.last, lastSeen: was.lastSeen, answer: was.answer}
	if p.Frame.Loader == was.answer.loader {
		t.nav.status, t.nav.asks = was.answer.status, was.answer.asks
	}
	if t.dialog != nil && t.dialog.Kind == browser.DialogAuth {
		t.dialog = nil
	}
	d.endLogin(t)
	if p.Frame.Unreachable != "" {
		t.nav.failed = "net::ERR_FAILED"
		if was.answer.failed != "" && was.answer.loader == p.Frame.Loader {
			t.nav.failed = was.answer.failed
		}
		if t.nav.failed == authFailure {
			d.askLogin(t)
		}
	}
	for k, r := range t.requests {
		if r.loader != p.Frame.Loader {
			delete(t.requests, k)
		}
	}
}

func (d *Driver) navigatedWithinDocument(s *session, p frameEvent) {
	f := s.tab.frames[cdp.FrameID(p.ID)]
	if f == nil || f.session != s.id {
		return
	}
	p.URL = browser.WithoutLogin(p.URL)
	f.url = p.URL
	if f == s.tab.root {
		s.tab.url = p.URL
		s.tab.seq++
		s.tab.nav.sameDoc = s.tab.seq
	}
	d.changed(s.tab)
}

// readyMost is how many frames are made ready for a reader who may not come.
const readyMost = 20

// lifecycleEvent tells how far the main document has come. When a tab is
// attached, they are told again for the document that it shows.
func (d *Driver) lifecycleEvent(s *session, p frameEvent) {
	t := s.tab
	if !s.main(p) && p.Name == "DOMContentLoaded" {
		if f := t.frames[cdp.FrameID(p.ID)]; f != nil && f.session == s.id {
			f.calls.parsed = time.Now()
		}
	}
	if !s.main(p) || p.Name != "DOMContentLoaded" && p.Name != "load" && p.Name != "networkIdle" {
		return
	}
	if t.root.loader == "" {
		t.root.loader = p.Loader
	}
	if p.Loader != t.root.loader {
		return
	}
	if p.Name == "networkIdle" {
		t.nav.idle = true
		t.stir()
		return
	}
	t.nav.ready = true
	if p.Name == "load" {
		t.nav.loaded, t.loading = true, false
		if len(t.frames) <= readyMost {
			d.ready(t) // somebody is likely to read it soon
		} else {
			d.agentOf(t.root)
		}
	}
	d.spawn(func(ctx context.Context) { d.refreshTitle(ctx, t) })
	d.changed(t)
}
