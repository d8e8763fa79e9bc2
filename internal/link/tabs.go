package link

import (
	"context"
	"fmt"
	"sync/atomic"

	"drawbridge/internal/cdp"
)

// tab is what is known of a tab of the browser.
type tab struct {
	Key     string       // never changes
	Tab     atomic.Int64 // the number that the browser gives it, another one once it has unloaded the page
	info    TabInfo      // as it was told last
	session *session     // nil while nobody is attached
	frames  map[int64]*frame

	requests map[string]request // under way, by the extension's ids
	idle     func()             // stops the wait for quiet; nil: there is none
	loaded   bool               // the main document has
	arrivals []*arrival         // navigations that are waited for

	attaching int      // attachments under way
	early     []func() // takes what was told since the first of them began

	ending    bool       // its page, because we want it
	debugging *debugging // nil while no debugger is attached
	orders    []order    // that last
	chooser   chooser    // of files, the last that a page asked for
}

// target is the browser's name of the tab for the driver, which is that of its
// main frame too.
func (b *tab) target() string { return b.Key }

type targetInfo struct {
	ID     string `json:"targetId"`
	Type   string `json:"type"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Opener string `json:"openerId,omitempty"`
	Active bool   `json:"active"`
	Asleep bool   `json:"asleep,omitempty"`
	Frozen bool   `json:"frozen,omitempty"`
	Why    string `json:"untouchable,omitempty"`
}

type targetEvent struct {
	Info targetInfo `json:"targetInfo"`
}

func (t *transport) info(b *tab) targetEvent {
	i := targetInfo{ID: b.target(), Type: "page", Title: b.info.Title, URL: b.info.URL, Active: b.info.Active, Asleep: b.info.Asleep, Frozen: b.info.Frozen, Why: b.info.Closed}
	if o := t.tabs[b.info.Opener]; o != nil && b.info.Opener != 0 {
		i.Opener = o.target()
	}
	return targetEvent{i}
}

// discover lists the tabs and tells of each.
func (t *transport) discover(ctx context.Context) error {
	var list TabList
	if err := t.peer.Call(ctx, "listTabs", None{}, &list); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reconcile(list.Tabs)
	return nil
}

// reconcile tells how the tabs differ from what was told. t.mu is held.
func (t *transport) reconcile(list []TabInfo) {
	there := make(map[int64]bool)
	for _, i := range list {
		there[i.Tab] = true
		t.noteTab(i)
	}
	for id := range t.tabs {
		if !there[id] {
			t.dropTab(id, false)
		}
	}
}

// noteTab takes over what is known of a tab. t.mu is held.
func (t *transport) noteTab(i TabInfo) *tab {
	b := t.tabs[i.Tab]
	if b != nil && b.Key != i.Key {
		t.dropTab(i.Tab, false) // the number went to another tab
		b = nil
	}
	t.state.mu.Lock()
	t.state.closed[i.Key] = i.Closed
	t.state.mu.Unlock()
	if b == nil {
		if b = t.byTarget(i.Key); b != nil {
			delete(t.tabs, b.Tab.Load())
			b.Tab.Store(i.Tab)
			t.tabs[i.Tab] = b
			t.unloaded(b)
		}
	}
	if b == nil {
		b = &tab{Key: i.Key, info: i, frames: make(map[int64]*frame), requests: make(map[string]request)}
		b.Tab.Store(i.Tab)
		t.tabs[i.Tab] = b
		t.event("", "Target.targetCreated", t.info(b))
		return b
	}
	was := b.info
	b.info = i
	if was.Loading && !i.Loading && b.session != nil && !b.loaded {
		t.settled(b) // its load was told before its document was known
	}
	if i.Asleep && !was.Asleep {
		t.unloaded(b)
	}
	if was != i {
		t.event("", "Target.targetInfoChanged", t.info(b))
	}
	return b
}

// unloaded ends what is of the page of a tab, which the browser has unloaded. When
// we had it do that, what is to come in the place of the page goes on with the
// session. t.mu is held.
func (t *transport) unloaded(b *tab) {
	s := b.session
	switch {
	case s == nil:
	case b.ending:
		clear(b.requests)
		t.event(s.id, "Inspector.targetCrashed", struct{}{})
	default:
		t.leave(b)
		b.arrived(outcome{gone: true})
		t.event("", "Target.detachedFromTarget", map[string]string{"sessionId": s.id})
	}
}

// unload ends the page of a tab, also one that hangs.
func (t *transport) unload(ctx context.Context, b *tab) error {
	set := func(ending bool) {
		t.mu.Lock()
		defer t.mu.Unlock()
		b.ending = ending
	}
	set(true)
	defer set(false)
	return t.peer.Call(ctx, "unload", TabArgs{b.Tab.Load()}, nil)
}

func (t *transport) dropTab(id int64, private bool) {
	b := t.tabs[id]
	if b == nil {
		return
	}
	delete(t.tabs, id)
	t.leave(b)
	b.arrived(outcome{gone: true})
	t.state.mu.Lock()
	delete(t.state.closed, b.Key)
	t.state.mu.Unlock()
	t.event("", "Target.targetDestroyed", map[string]any{"targetId": b.target(), "private": private})
}

// beginSession takes commands of a session from now on. t.mu is held.
func (t *transport) beginSession(s *session) {
	t.state.mu.Lock()
	t.state.sessions[s.id] = s
	t.state.mu.Unlock()
	t.spawn(func(ctx context.Context) { t.work(ctx, s) })
}

// leave ends the session of a tab. t.mu is held.
func (t *transport) leave(b *tab) {
	s := b.session
	if s == nil {
		return
	}
	t.detach(b)
	b.session = nil
	b.stopIdle()
	t.endSession(s)
}

// endSession ends what waits for a session.
func (t *transport) endSession(s *session) {
	t.state.mu.Lock()
	delete(t.state.sessions, s.id)
	t.state.mu.Unlock()
	close(s.posts)
	t.CloseSession(s.id, cdp.ErrDetached)
}

// attach makes a session of a tab. All of its frames are known then.
func (t *transport) attach(ctx context.Context, target string) (string, error) {
	t.mu.Lock()
	b := t.byTarget(target)
	if b != nil && b.session != nil {
		defer t.mu.Unlock()
		return b.session.id, nil
	}
	var closed string
	if b != nil {
		closed = b.info.Closed
		b.attaching++
	}
	t.mu.Unlock()
	if b == nil {
		return "", refusal("Target.attachToTarget", "No target with given id found")
	}
	list, err := t.watch(ctx, b, closed)
	t.mu.Lock()
	defer t.mu.Unlock()
	defer b.attachingEnds()
	if err != nil {
		return "", err
	}
	if t.tabs[b.Tab.Load()] != b {
		return "", cdp.ErrDetached
	}
	if b.session != nil {
		return b.session.id, nil
	}
	t.minted++
	s := &session{id: fmt.Sprintf("s%d", t.minted), tab: b, posts: make(chan post, 1024)}
	b.session, b.loaded = s, !b.info.Loading
	t.beginSession(s)
	b.frames = make(map[int64]*frame)
	for _, f := range list.Frames {
		t.adopt(b, f)
	}
	if b.frames[mainFrame] == nil { // which comes
		t.adopt(b, FrameInfo{Frame: mainFrame, Parent: -1, URL: "about:blank"})
	}
	t.event("", "Target.attachedToTarget", map[string]any{"sessionId": s.id, "targetInfo": t.info(b).Info})
	// The list may be of before what was told while it was made.
	for _, take := range b.early {
		take()
	}
	b.early = nil
	return s.id, nil
}

// watch has the extension tell of a tab's frames, and lists them.
func (t *transport) watch(ctx context.Context, b *tab, closed string) (FrameList, error) {
	var list FrameList
	if closed != "" {
		return list, closedError(closed)
	}
	return list, t.peer.Call(ctx, "watch", TabArgs{b.Tab.Load()}, &list)
}

func (b *tab) attachingEnds() {
	if b.attaching--; b.attaching == 0 {
		b.early = nil
	}
}

func (t *transport) byTarget(target string) *tab {
	for _, b := range t.tabs {
		if b.target() == target {
			return b
		}
	}
	return nil
}

// openTab opens a tab and tells of it.
func (t *transport) openTab(ctx context.Context, args OpenTabArgs) (string, error) {
	var i TabInfo
	if err := t.peer.Call(ctx, "openTab", args, &i); err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.noteTab(i).target(), nil
}
