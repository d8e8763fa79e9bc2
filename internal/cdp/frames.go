package cdp

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

// frame is one frame of an attached tab, and its document.
type frame struct {
	tab      *tab
	id       cdp.FrameID
	parent   *frame
	children []*frame
	session  string // that reaches it; "" while it moves between processes
	crashed  bool
	owner    cdp.BackendNodeID // its element in the parent; 0 until needed

	loader string          // of the document; "" until one is committed
	number browser.FrameID // of the document, given when it is first shown to others
	url    string
	origin browser.Origin
	agent  *agent   // of the document; nil until needed
	fault  string   // why the browser shows a page of its own instead; "" if it does not
	begun  bool     // it began to load something
	idle   bool     // that ended without a document: the empty one that it began with is still there
	bound  *binding // of the document to its element; nil until needed
	world  *world   // main world of the document; nil until needed
	tools  docTools // of the document
	calls  docCalls // of those

	// Of frames within a page; the main frame's are the tab's.
	loading   bool   // it loads a document
	asked     bool   // the page asked for the navigation that is next
	requested bool   // it had asked for the document
	pending   string // loader of the navigation under way; "" when there is none
}

// addFrame adds a frame below parent; nil for the root.
func (t *tab) addFrame(id cdp.FrameID, parent *frame, session string) *frame {
	f := &frame{tab: t, id: id, parent: parent, session: session, origin: browser.OpaqueOrigin}
	if parent != nil {
		parent.children = append(parent.children, f)
	}
	t.frames[id] = f
	return f
}

// reset makes room for another document.
func (f *frame) reset(loader string) {
	f.resetTools()
	f.loader, f.number, f.url, f.origin = loader, "", "", browser.OpaqueOrigin
	f.agent, f.bound, f.world, f.crashed = nil, nil, nil, false
	f.fault, f.begun, f.idle = "", false, false
	f.calls, f.pending = docCalls{}, ""
	f.requested, f.asked = f.asked, false
}

// frameInfo is the part of CDP's Frame that is used.
type frameInfo struct {
	ID          cdp.FrameID `json:"id"`
	Parent      cdp.FrameID `json:"parentId"`
	Loader      string      `json:"loaderId"`
	URL         string      `json:"url"`
	Fragment    string      `json:"urlFragment"`
	Unreachable string      `json:"unreachableUrl"`
	Origin      string      `json:"securityOrigin"`
}

type frameTree struct {
	Frame    frameInfo   `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

type frameTreeReply struct {
	Tree frameTree `json:"frameTree"`
}

// describe takes over what the browser says of a frame's document.
func (f *frame) describe(info frameInfo) {
	f.url = browser.WithoutLogin(info.URL + info.Fragment)
	origin := f.originAt(info.URL, info.Origin)
	if info.Unreachable != "" {
		f.url, origin = browser.WithoutLogin(info.Unreachable), browser.OpaqueOrigin
		f.fault = cmp.Or(f.tab.failures[info.Loader], "net::ERR_FAILED")
	}
	f.setOrigin(origin)
}

// originAt is the origin of a document as far as its address tells: a sandbox
// may make it opaque, which is known when the document has its agent.
func (f *frame) originAt(url, security string) browser.Origin {
	if f.parent != nil && (url == "about:srcdoc" || strings.HasPrefix(url, "about:blank")) {
		return f.parent.origin
	}
	return browser.OriginOf(security)
}

// list is the frames of an attached tab in tree order. Documents that have not
// been shown before get their numbers. d.mu is held.
func (t *tab) list() []browser.Frame {
	if t.root == nil || t.root.loader == "" {
		return nil
	}
	var out []browser.Frame
	var walk func(f *frame)
	walk = func(f *frame) {
		out = append(out, browser.Frame{ID: t.numberOf(f), Parent: t.parentNumber(f), Origin: f.origin, URL: f.url, Missing: f.missing()})
		for _, c := range f.children {
			walk(c)
		}
	}
	walk(t.root)
	return out
}

func (t *tab) numberOf(f *frame) browser.FrameID {
	if f.parent != nil && f.number == "" {
		t.frameCount++
		f.number = browser.FrameID("f" + strconv.Itoa(t.frameCount))
	}
	return f.number
}

func (t *tab) parentNumber(f *frame) browser.FrameID {
	if f.parent == nil {
		return ""
	}
	return t.numberOf(f.parent)
}

func (f *frame) parentID() cdp.FrameID {
	if f.parent == nil {
		return ""
	}
	return f.parent.id
}

// find returns the frame whose document has the number; nil if it is gone.
func (t *tab) find(number browser.FrameID) *frame {
	if number == "" {
		return t.root
	}
	for _, f := range t.frames {
		if f.number == number {
			return f
		}
	}
	return nil
}

// plant adds a session's frame tree, as it was when it was asked for, to what
// events have told since. d.mu is held.
func (d *Driver) plant(s *session, tree frameTree) {
	left := s.left
	s.left = nil
	t := s.tab
	var inner []*frame
	var walk func(n frameTree, parent *frame)
	walk = func(n frameTree, parent *frame) {
		f := t.frames[n.Frame.ID]
		switch {
		case left[n.Frame.ID]:
			return
		case f == nil:
			f = t.addFrame(n.Frame.ID, parent, s.id)
		case f.session != s.id:
			return // it is in another process
		}
		if f.loader == "" {
			f.loader = n.Frame.Loader
		}
		if f.loader == n.Frame.Loader && f.url == "" {
			f.describe(n.Frame)
			if f == t.root {
				t.url = f.url
				d.documentStarts(t)
			}
		}
		if f.id != s.frame && !d.toolless {
			inner = append(inner, f)
		}
		for _, c := range n.Children {
			walk(c, f)
		}
	}
	root := t.frames[tree.Frame.ID]
	if root != nil {
		walk(tree, root.parent)
	}
	d.askFrames(inner, askMost)
	if t.toolsFound {
		d.followAll(t)
	}
}

// replant asks for the frame tree of a session again.
func (d *Driver) replant(s *session) {
	s.left = make(map[cdp.FrameID]bool)
	conn := d.conn
	planted := make(chan struct{})
	d.ask(s.tab, askMost, func(ctx context.Context) {
		select {
		case <-planted:
		case <-ctx.Done():
		}
	})
	d.spawn(func(ctx context.Context) {
		defer close(planted)
		var reply frameTreeReply
		if conn.Send(ctx, s.id, cdppage.CommandGetFrameTree, nil, &reply) != nil {
			return // its target is gone
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.sessions[s.id] == s {
			d.plant(s, reply.Tree)
			d.changed(s.tab)
		}
	})
}

// prune drops the children of a frame. d.mu is held.
func (d *Driver) prune(f *frame) {
	for _, c := range slices.Clone(f.children) {
		d.remove(c)
	}
}

// remove drops a frame and all below it. d.mu is held.
func (d *Driver) remove(f *frame) {
	d.prune(f)
	f.resetTools()
	f.tab.interrupt(f, errNavigated)
	delete(f.tab.frames, f.id)
	if s := d.sessions[f.session]; s != nil && s.frame == f.id && f.parent != nil {
		delete(d.sessions, s.id)
		f.tab.dropRequests(s.id)
	}
	if f.parent != nil {
		f.parent.children = slices.DeleteFunc(f.parent.children, func(c *frame) bool { return c == f })
	}
}

// frameTargetAttached notes an out-of-process frame. It waits until it is set
// up, so that nothing in it goes unseen; one that was there before tells its
// frames when asked.
func (d *Driver) frameTargetAttached(s *session, p attachedEvent) {
	if slices.Contains(workers, p.Info.Type) {
		d.workerAttached(s, p)
		return
	}
	if p.Info.Type != "iframe" {
		post(d.conn, p.Session, runtime.CommandRunIfWaitingForDebugger, nil)
		return
	}
	t := s.tab
	f := t.frames[cdp.FrameID(p.Info.ID)]
	if f == nil {
		parent := t.frames[p.Info.ParentFrameID]
		if parent == nil {
			parent = t.frames[s.frame]
		}
		if parent == nil {
			post(d.conn, p.Session, runtime.CommandRunIfWaitingForDebugger, nil)
			return
		}
		f = t.addFrame(cdp.FrameID(p.Info.ID), parent, "")
	}
	d.prune(f)
	f.reset("")
	f.session = p.Session
	child := &session{id: p.Session, tab: t, frame: f.id, parent: s.id, roots: newRootSearch()}
	d.sessions[p.Session] = child
	d.setUp(d.conn, p.Session)
	d.addScript(d.conn, child)
	beFocused(d.conn, p.Session)
	for _, c := range d.dressing(browser.Emulation{}, t.emulated, false) {
		post(d.conn, p.Session, c.method, c.params)
	}
	if !p.Waiting {
		d.replant(child)
	}
	post(d.conn, p.Session, runtime.CommandRunIfWaitingForDebugger, nil)
	d.changed(t)
}

// frameTargetDetached notes that an out-of-process frame is gone, or moves
// back into its parent's process: then the parent's session tells of it, which
// it has done when it answers.
func (d *Driver) frameTargetDetached(_ *session, p detachedEvent) {
	s := d.sessions[p.Session]
	if s == nil {
		return
	}
	delete(d.sessions, p.Session)
	t := s.tab
	t.dropRequests(p.Session)
	f := t.frames[s.frame]
	if f == nil || f.session != p.Session {
		return
	}
	d.prune(f)
	f.reset("")
	f.session = ""
	t.interrupt(f, errNavigated)
	conn := d.conn
	d.spawn(func(ctx context.Context) {
		_ = conn.Send(ctx, s.parent, cdppage.CommandEnable, nil, nil) // only the order counts
		d.mu.Lock()
		defer d.mu.Unlock()
		if t.frames[f.id] == f && f.session == "" {
			d.remove(f)
			d.changed(t)
		}
	})
}

type frameAttachedEvent struct {
	ID     cdp.FrameID `json:"frameId"`
	Parent cdp.FrameID `json:"parentFrameId"`
}

func (d *Driver) frameAttached(s *session, p frameAttachedEvent) {
	f := s.tab.frames[p.ID]
	if f == nil {
		parent := s.tab.frames[p.Parent]
		if parent == nil {
			return
		}
		f = s.tab.addFrame(p.ID, parent, "")
	} else { // it comes back from another process
		d.prune(f)
		f.reset("")
	}
	f.session = s.id
}

type frameDetachedEvent struct {
	ID     cdp.FrameID `json:"frameId"`
	Reason string      `json:"reason"`
}

func (d *Driver) frameDetached(s *session, p frameDetachedEvent) {
	if s.left != nil {
		s.left[p.ID] = true
	}
	f := s.tab.frames[p.ID]
	switch {
	case f == nil || f == s.tab.root:
		return
	case p.Reason == "swap" && f.session != s.id:
		return // it has arrived in its new process
	case p.Reason == "swap":
		d.prune(f)
		f.reset("")
		f.session = ""
		s.tab.interrupt(f, errNavigated)
	default:
		d.remove(f)
	}
	d.changed(s.tab)
}

type frameNavigatedEvent struct {
	Frame frameInfo `json:"frame"`
	Type  string    `json:"type"`
}

// restored is a document that comes out of the back/forward cache, with all
// that it had loaded.
const restored = "BackForwardCacheRestore"

func (d *Driver) frameNavigated(s *session, p frameNavigatedEvent) {
	t := s.tab
	f := t.frames[p.Frame.ID]
	if f == nil {
		parent := t.frames[p.Frame.Parent]
		if parent == nil {
			return
		}
		f = t.addFrame(p.Frame.ID, parent, s.id)
	}
	if f.session != s.id {
		if d.sessions[f.session] != nil {
			return // told late by the process that it left
		}
		f.session = s.id
	}
	if f.loader != p.Frame.Loader || p.Type == restored {
		if p.Type == restored {
			// Its out-of-process frames have been attached already.
			for _, c := range slices.Clone(f.children) {
				if c.session == s.id || c.session == "" {
					d.remove(c)
				}
			}
		} else {
			d.prune(f)
		}
		t.interrupt(f, errNavigated)
		t.arrived(s.id, p.Frame.Loader)
		f.reset(p.Frame.Loader)
		f.describe(p.Frame)
		if f == t.root {
			d.committed(t, p)
		}
		if p.Type == restored {
			d.replant(s)
			d.enableTools(t, s.id) // what it offers was told before it came
		}
		if t.toolsFound {
			d.followAll(t)
		}
	} else {
		f.describe(p.Frame)
		if f == t.root {
			t.url = f.url
		}
	}
	d.changed(t)
}

type documentOpenedEvent struct {
	Frame frameInfo `json:"frame"`
}

// documentOpened notes that document.open gave a document another address.
func (d *Driver) documentOpened(s *session, p documentOpenedEvent) {
	if f := s.tab.frames[p.Frame.ID]; f != nil && f.session == s.id {
		f.describe(p.Frame)
		if f == s.tab.root {
			s.tab.url = f.url
		}
		d.changed(s.tab)
	}
}
