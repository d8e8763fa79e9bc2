package link

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/cdp"
)

// frame is one frame of a watched tab.
type frame struct {
	id, parent int64
	document   string // that it shows; "" while none is known
	loader     string // by which the driver knows that
	url        string
	failed     bool      // the document is the browser's own, about an error; which one was not told
	pending    string    // loader of the navigation under way
	going      string    // and its address
	moves      int       // counts navigations that began or came to a document
	came       time.Time // when the document did
	asked      string    // and the address at which the navigation to it began
}

// mainFrame is the extension's number of the main frame.
const mainFrame = 0

// name is the driver's name of a frame.
func (b *tab) name(id int64) string {
	if id == mainFrame {
		return b.target()
	}
	return b.target() + "/" + strconv.FormatInt(id, 10)
}

// number is the reverse.
func (b *tab) number(name string) (int64, bool) {
	if name == b.target() {
		return mainFrame, true
	}
	rest, ok := strings.CutPrefix(name, b.target()+"/")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	return n, err == nil
}

// mint makes the name of a document that is to come.
func (t *transport) mint() string {
	t.minted++
	return fmt.Sprintf("d%d", t.minted)
}

// adopt takes a frame as it is. t.mu is held.
func (t *transport) adopt(b *tab, i FrameInfo) *frame {
	f := &frame{id: i.Frame, parent: i.Parent, document: i.Document, url: i.URL, failed: i.Failed, loader: t.mint()}
	b.frames[i.Frame] = f
	return f
}

// The parts of CDP's Frame that the driver reads.
type frameInfo struct {
	ID          string `json:"id"`
	Parent      string `json:"parentId,omitempty"`
	Loader      string `json:"loaderId"`
	URL         string `json:"url"`
	Fragment    string `json:"urlFragment,omitempty"`
	Unreachable string `json:"unreachableUrl,omitempty"`
	Origin      string `json:"securityOrigin"`
}

type frameTree struct {
	Frame    frameInfo   `json:"frame"`
	Children []frameTree `json:"childFrames,omitempty"`
}

func (b *tab) describe(f *frame) frameInfo {
	i := frameInfo{ID: b.name(f.id), Loader: f.loader, URL: f.url, Origin: originOf(f.url)}
	if f.id != mainFrame {
		i.Parent = b.name(f.parent)
	}
	if at := strings.IndexByte(f.url, '#'); at >= 0 {
		i.URL, i.Fragment = f.url[:at], f.url[at:]
	}
	if f.failed {
		i.Unreachable, i.URL, i.Fragment, i.Origin = f.url, "chrome-error://chromewebdata/", "", "://"
	}
	return i
}

// originOf is the origin that an address has as far as it tells by itself.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "://"
	}
	return u.Scheme + "://" + u.Host
}

// tree is the frames of a tab. t.mu is held.
func (t *transport) tree(b *tab) (frameTree, error) {
	root := b.frames[mainFrame]
	if root == nil || root.loader == "" {
		return frameTree{}, refusal("Page.getFrameTree", "No frame for given id found")
	}
	var walk func(f *frame) frameTree
	walk = func(f *frame) frameTree {
		n := frameTree{Frame: b.describe(f)}
		for _, c := range b.children(f.id) {
			n.Children = append(n.Children, walk(c))
		}
		return n
	}
	return walk(root), nil
}

func (b *tab) children(id int64) []*frame {
	var out []*frame
	for _, f := range b.frames {
		if f.id != mainFrame && f.parent == id {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(x, y *frame) int { return cmp.Compare(x.id, y.id) })
	return out
}

// refresh asks for the frames that a tab has now and tells how they differ.
func (t *transport) refresh(ctx context.Context, id string) error {
	b, err := t.tabOf(id)
	if err != nil {
		return err
	}
	var list FrameList
	if err := t.peer.Call(ctx, "listFrames", TabArgs{b.Tab.Load()}, &list); err != nil {
		return callError("Page.getFrameTree", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if b.session != nil && b.session.id == id {
		t.compare(b, list.Frames)
	}
	return nil
}

// compare tells how the frames of a tab differ from what was told. t.mu is held.
func (t *transport) compare(b *tab, list []FrameInfo) {
	there := make(map[int64]bool)
	for _, i := range list {
		there[i.Frame] = true
		f := b.frames[i.Frame]
		switch {
		case f == nil:
			f = &frame{id: i.Frame, parent: i.Parent}
			b.frames[i.Frame] = f
			t.attached(b, f)
			if i.Document != "" {
				t.commit(b, f, Committed{Frame: i.Frame, Parent: i.Parent, Document: i.Document, URL: i.URL}, i.Failed)
				t.ended(b, f)
			}
		case f.failed && i.Failed && i.URL == f.url && i.Document != "":
			f.document = i.Document
		case f.failed && f.id == mainFrame && t.moves() && i.URL == "about:blank":
			// Firefox shows an empty page for a moment before the one about an error.
		case i.Document != "" && i.Document != f.document:
			t.commit(b, f, Committed{Frame: i.Frame, Parent: i.Parent, Document: i.Document, URL: i.URL}, i.Failed)
			t.ended(b, f)
		}
	}
	if !there[mainFrame] {
		return // nothing is known: the tab is between documents
	}
	for id := range b.frames {
		if !there[id] {
			t.detached(b, id)
		}
	}
}

func (t *transport) attached(b *tab, f *frame) {
	t.event(b.session.id, "Page.frameAttached", map[string]string{"frameId": b.name(f.id), "parentFrameId": b.name(f.parent)})
}

// detached drops a frame and all within it. t.mu is held.
func (t *transport) detached(b *tab, id int64) {
	if b.frames[id] == nil || id == mainFrame {
		return
	}
	b.prune(id)
	delete(b.frames, id)
	t.event(b.session.id, "Page.frameDetached", map[string]string{"frameId": b.name(id), "reason": "remove"})
}

// prune forgets the frames within one.
func (b *tab) prune(id int64) {
	for _, c := range b.children(id) {
		b.prune(c.id)
		delete(b.frames, c.id)
	}
}

// tabOf is the tab of a session.
func (t *transport) tabOf(id string) (*tab, error) {
	b, _, err := t.sessionOf(id)
	return b, err
}

// sessionOf is the tab of a session, and the debugger's session of the part that
// it is of, "" for one of the page.
func (t *transport) sessionOf(id string) (b *tab, part string, err error) {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	if s := t.state.sessions[id]; s != nil {
		return s.tab, s.part, nil
	}
	return nil, "", cdp.ErrDetached
}
