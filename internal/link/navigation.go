package link

import (
	"context"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

func (t *transport) lifecycle(b *tab, f *frame, name string) {
	t.event(b.session.id, "Page.lifecycleEvent", map[string]string{"frameId": b.name(f.id), "loaderId": f.loader, "name": name})
}

// frameAt is a frame of a tab, which is made if it was not known. t.mu is held.
func (t *transport) frameAt(b *tab, id, parent int64) *frame {
	f := b.frames[id]
	if f == nil {
		f = &frame{id: id, parent: parent}
		b.frames[id] = f
		if id != mainFrame {
			t.attached(b, f)
		}
	}
	return f
}

// began notes that a frame goes elsewhere. The parent of a frame that was not
// known is told when its document comes.
func (t *transport) began(b *tab, n Navigating) {
	if t.record {
		b.sets(n)
	}
	f := b.frames[n.Frame]
	if f != nil && !t.isOver(f, n.URL) {
		t.depart(b, f, n.URL)
	}
}

// lateMost is how late Firefox may tell of a navigation whose document is there.
const lateMost = time.Second

// isOver tells whether a navigation is the one whose document has just come.
// Firefox tells twice of one that goes on in another process, and the second time
// may be the last. What goes to the same address once more asks for it again,
// which is told too. t.mu is held.
func (t *transport) isOver(f *frame, url string) bool {
	return t.moves() && f.pending == "" && f.document != "" && (url == f.url || url == f.asked) && time.Since(f.came) < lateMost
}

func (t *transport) depart(b *tab, f *frame, url string) {
	f.moves++
	if f.pending != "" && f.going == url {
		return // told of by its request before
	}
	f.pending, f.going = t.mint(), url
	t.event(b.session.id, "Page.frameStartedNavigating", map[string]string{"frameId": b.name(f.id), "loaderId": f.pending, "url": url, "navigationType": "differentDocument"})
	t.event(b.session.id, "Page.frameStartedLoading", map[string]string{"frameId": b.name(f.id)})
}

func (t *transport) committed(b *tab, c Committed) {
	f := t.frameAt(b, c.Frame, c.Parent)
	if f.document == c.Document && f.document != "" && f.url == c.URL && f.pending == "" {
		return // a listing told of it before
	}
	t.commit(b, f, c, false)
}

// commit notes the document that a frame shows. t.mu is held.
func (t *transport) commit(b *tab, f *frame, c Committed, failed bool) {
	b.prune(f.id)
	f.moves++
	f.came, f.asked = time.Now(), f.going
	f.loader, f.pending, f.going = f.pending, "", ""
	if f.loader == "" {
		f.loader = t.mint()
	}
	f.document, f.url, f.failed = c.Document, c.URL, failed
	if f.id == mainFrame {
		b.loaded = false
		b.stopIdle()
	}
	kind := "Navigation"
	if c.Restored {
		kind = "BackForwardCacheRestore"
	}
	if !c.Restored && !c.ByUser && !c.Again && (f.id != mainFrame || len(b.arrivals) == 0) {
		t.event(b.session.id, "Page.frameRequestedNavigation", map[string]string{"frameId": b.name(f.id), "disposition": "currentTab"})
	}
	t.event(b.session.id, "Page.frameNavigated", map[string]any{"frame": b.describe(f), "type": kind})
	t.seekAgain(b)
	switch {
	case f.id == mainFrame && c.Restored:
		t.again(b) // with its frames, which nothing tells of
		b.arrived(outcome{loader: f.loader})
	case f.id == mainFrame:
		b.arrived(outcome{loader: f.loader})
	case !c.Restored: // else it comes with its page
		b.arrived(outcome{inFrame: true})
	}
}

// again tells of the frames that came with a page, which browsers list a moment
// after it. t.mu is held.
func (t *transport) again(b *tab) {
	id := b.session.id
	t.spawn(func(ctx context.Context) {
		for _, pause := range []time.Duration{0, 100 * time.Millisecond} {
			timer := time.NewTimer(pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
			if err := t.refresh(ctx, id); err != nil {
				t.log.Debug("frames not listed again", "err", err)
				return
			}
		}
	})
}

func (t *transport) domReady(b *tab, d DocumentAt) {
	if f := b.frames[d.Frame]; f != nil && f.document == d.Document {
		t.lifecycle(b, f, "DOMContentLoaded")
	}
}

func (t *transport) loaded(b *tab, d DocumentAt) {
	if f := b.frames[d.Frame]; f != nil && f.document == d.Document {
		t.ended(b, f)
	}
}

// ended notes that a frame has loaded its document. t.mu is held.
func (t *transport) ended(b *tab, f *frame) {
	if f.id == mainFrame {
		t.lifecycle(b, f, "DOMContentLoaded")
		t.lifecycle(b, f, "load")
		b.loaded = true
	}
	if f.pending == "" {
		t.event(b.session.id, "Page.frameStoppedLoading", map[string]string{"frameId": b.name(f.id)})
	}
	if f.id == mainFrame {
		t.awaitIdle(b)
	}
}

// settled tells again of the document that a tab shows. t.mu is held.
func (t *transport) settled(b *tab) {
	if f := b.frames[mainFrame]; f != nil && f.pending == "" {
		t.ended(b, f)
	}
}

func (t *transport) moved(b *tab, d DocumentAt) {
	f := b.frames[d.Frame]
	if f == nil {
		return
	}
	f.url = d.URL
	t.event(b.session.id, "Page.navigatedWithinDocument", map[string]string{"frameId": b.name(f.id), "url": d.URL})
	if f.id == mainFrame {
		b.arrived(outcome{})
	} else {
		b.arrived(outcome{inFrame: true})
	}
}

// failed notes that a navigation came to nothing, or to a page about its error.
func (t *transport) failed(b *tab, n NavigationFailed) {
	f := b.frames[n.Frame]
	switch {
	case f == nil:
		return
	case !n.Shown && t.moves():
		if f.pending != "" {
			t.spawn(func(ctx context.Context) { t.failLater(ctx, b, f, f.moves, n) })
		}
		return
	}
	t.fail(b, f, n)
}

// moves tells whether the browser ends a navigation that it goes on with in
// another process, as Firefox does: then such an end says nothing.
func (t *transport) moves() bool { return t.peer.Hello().Engine == "firefox" }

// moveGrace is how long a navigation may take to go on in another process.
const moveGrace = 500 * time.Millisecond

// failLater takes a navigation for failed if it does not go on. moves is the
// frame's when it was told to have ended.
func (t *transport) failLater(ctx context.Context, b *tab, f *frame, moves int, n NavigationFailed) {
	tick := time.NewTicker(moveGrace)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		t.mu.Lock()
		over := b.session == nil || b.frames[f.id] != f || f.moves != moves || f.pending == ""
		asked := !over && b.asks(f)
		if !over && !asked {
			t.fail(b, f, n)
		}
		t.mu.Unlock()
		if !asked {
			return
		}
	}
}

// asks tells whether the request for a frame's next document is under way.
func (b *tab) asks(f *frame) bool {
	for _, q := range b.requests {
		if q.document && q.id == f.pending {
			return true
		}
	}
	return false
}

// fail notes that a navigation has failed. t.mu is held.
func (t *transport) fail(b *tab, f *frame, n NavigationFailed) {
	loader := f.pending
	if loader == "" {
		loader = t.mint()
	}
	t.event(b.session.id, "Network.loadingFailed", map[string]string{"requestId": loader, "type": "Document", "errorText": n.Error})
	if !n.Shown {
		f.pending, f.going = "", ""
		t.event(b.session.id, "Page.frameStoppedLoading", map[string]string{"frameId": b.name(f.id)})
		if f.id == mainFrame {
			b.arrived(outcome{failed: n.Error})
		}
		return
	}
	f.pending = loader
	arrivals := b.arrivals
	b.arrivals = nil
	t.commit(b, f, Committed{Frame: n.Frame, Parent: f.parent, URL: n.URL}, true)
	t.ended(b, f)
	if f.id == mainFrame {
		b.arrivals = arrivals
		b.arrived(outcome{loader: loader, failed: n.Error})
	}
}

func (t *transport) frameGone(b *tab, f FrameArgs) {
	if had := b.frames[f.Frame]; had != nil && (f.Document == "" || f.Document == had.document) {
		t.detached(b, f.Frame)
	}
}

// arrival is somebody who waits for what becomes of a navigation.
type arrival struct{ told chan outcome }

// outcome is a document (loader), a failure, or neither: the address changed
// within the document.
type outcome struct {
	loader, failed string
	download       bool
	gone           bool // the tab is
	inFrame        bool // a frame within the page has moved
}

// arrivalsMost is how many of the things that happen at a navigation are kept.
const arrivalsMost = 16

// await begins to wait for what becomes of a navigation of the main frame.
func (t *transport) await(b *tab) *arrival {
	a := &arrival{told: make(chan outcome, arrivalsMost)}
	t.mu.Lock()
	defer t.mu.Unlock()
	b.arrivals = append(b.arrivals, a)
	return a
}

func (t *transport) forget(b *tab, a *arrival) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b.arrivals = slices.DeleteFunc(b.arrivals, func(o *arrival) bool { return o == a })
}

func (a *arrival) wait(ctx context.Context) (outcome, error) {
	select {
	case o := <-a.told:
		if o.gone {
			return o, cdp.ErrDetached
		}
		return o, nil
	case <-ctx.Done():
		return outcome{}, context.Cause(ctx)
	}
}

// arrived tells what became of a navigation. transport.mu is held.
func (b *tab) arrived(o outcome) {
	for _, a := range b.arrivals {
		select {
		case a.told <- o:
		default: // enough is known
		}
	}
}

// aborted is the end of a navigation that another one, a download or an empty
// answer took the place of.
const aborted = "net::ERR_ABORTED"

// insteadGrace is how long what took the place of a navigation may take to be
// told.
const insteadGrace = 300 * time.Millisecond

// insteadOf is what took the place of an aborted navigation: the first one of a
// tab that has just been opened may end so.
func (a *arrival) insteadOf(ctx context.Context, o outcome) outcome {
	brief, cancel := context.WithTimeout(ctx, insteadGrace)
	defer cancel()
	if next, err := a.wait(brief); err == nil && !next.inFrame {
		return next
	}
	return o
}

// navigate goes to a URL, and answers as Page.navigate does: once the document
// is there, or it is known that none comes.
func (t *transport) navigate(ctx context.Context, b *tab, url string) (any, error) {
	stop := t.attend(ctx, b)
	defer stop()
	a := t.await(b)
	defer t.forget(b, a)
	if err := t.peer.Call(ctx, "go", GoArgs{Tab: b.Tab.Load(), URL: url}, nil); err != nil {
		return nil, callError("Page.navigate", err)
	}
	for {
		o, err := a.wait(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case o.inFrame:
			continue
		case o.failed == aborted && !o.download:
			o = a.insteadOf(ctx, o)
		}
		return map[string]any{"frameId": b.target(), "loaderId": o.loader, "errorText": o.failed, "isDownload": o.download}, nil
	}
}

// travel goes back or forward, or loads the page anew, and waits until that is
// seen to have begun. inFrame tells that only a frame of the page has moved.
func (t *transport) travel(ctx context.Context, b *tab, to string) (inFrame bool, err error) {
	a := t.await(b)
	defer t.forget(b, a)
	if err := t.peer.Call(ctx, "go", GoArgs{Tab: b.Tab.Load(), To: to}, nil); err != nil {
		return false, err
	}
	brief, cancel := context.WithTimeout(ctx, travelBegins)
	defer cancel()
	o, err := a.wait(brief)
	if err == nil || ctx.Err() != nil {
		return o.inFrame, err
	}
	if !t.moving(b) {
		return false, &browser.Error{Code: browser.CodePageError, Msg: "there is no page to go " + to + " to", Hint: "navigate to a url instead"}
	}
	o, err = a.wait(ctx)
	return o.inFrame, err
}

// travelBegins is how long a move in the history may take to begin. That there
// is nowhere to go is not told.
const travelBegins = time.Second

// moving tells whether any frame of a tab is on its way to another document.
func (t *transport) moving(b *tab) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range b.frames {
		if f.pending != "" {
			return true
		}
	}
	return false
}

// documentRequest tells whether a request is for the document of a frame.
func documentRequest(kind string) bool { return kind == "main_frame" || kind == "sub_frame" }

// resourceType is the DevTools protocol's name of a type of request.
func resourceType(kind string) string {
	switch kind {
	case "main_frame", "sub_frame":
		return "Document"
	case "xmlhttprequest":
		return "XHR"
	case "websocket":
		return "WebSocket"
	case "beacon", "ping":
		return "Ping"
	case "csp_report":
		return "CSPViolationReport"
	case "":
		return "Other"
	}
	return strings.ToUpper(kind[:1]) + kind[1:]
}

// request is one under way.
type request struct {
	id       string // that the driver knows it by
	document bool
	kind     string
}

func (t *transport) requested(b *tab, r Requested) {
	f := b.frames[r.Frame]
	if f == nil {
		return
	}
	q := request{id: "r" + r.ID, document: documentRequest(r.Type), kind: resourceType(r.Type)}
	loader := f.loader
	switch {
	case q.document && r.Late:
		q.id = loader
	case q.document:
		if f.pending == "" || f.going != r.URL && b.requests[r.ID].id != f.pending {
			t.depart(b, f, r.URL)
		}
		q.id, loader = f.pending, f.pending
	}
	if _, had := b.requests[r.ID]; had && (!q.document || r.Late) {
		return // redirected
	}
	b.requests[r.ID] = q
	b.stopIdle()
	t.event(b.session.id, "Network.requestWillBeSent", map[string]any{"requestId": q.id, "loaderId": loader, "frameId": b.name(f.id), "type": q.kind,
		"request": map[string]string{"url": r.URL, "method": r.Method}})
}

func (t *transport) responded(b *tab, r Responded) {
	f, q := b.frames[r.Frame], b.requests[r.ID]
	if f == nil || q.id == "" {
		return
	}
	loader := f.loader
	if q.document {
		loader = q.id
	}
	t.event(b.session.id, "Network.responseReceived", map[string]any{"requestId": q.id, "loaderId": loader, "frameId": b.name(f.id), "type": q.kind,
		"response": map[string]any{"url": r.URL, "status": r.Status}})
}

func (t *transport) requestEnded(b *tab, r RequestEnded) {
	q, ok := b.requests[r.ID]
	if !ok {
		return
	}
	delete(b.requests, r.ID)
	if r.Error != "" {
		t.event(b.session.id, "Network.loadingFailed", map[string]string{"requestId": q.id, "type": q.kind, "errorText": r.Error})
	} else {
		t.event(b.session.id, "Network.loadingFinished", map[string]string{"requestId": q.id})
	}
	t.awaitIdle(b)
}
