package broker

import (
	"fmt"
	"strconv"
	"sync"

	"drawbridge/internal/browser"
	"drawbridge/internal/pagetool"
)

// toolID is what a listed name of a page tool means, for as long as the
// session lasts: a tab, the origin of the document and the page's word, also
// after a reload or a way there and back.
type toolID struct {
	tab    browser.TabID
	origin browser.Origin
	page   string
	// frame is "" for the document itself, anyFrame for the only frame of the
	// origin that offers the tool, and a certain one where several do.
	frame browser.FrameID
	doc   int // of an opaque origin, which no other document has
}

const anyFrame browser.FrameID = "*"

// idOf is what a listed name of x means; with several, other frames of the
// origin offer the tool too.
func idOf(t *tab, x *offer, several bool) toolID {
	id := toolID{tab: t.ID, origin: x.Origin, page: x.Name, frame: x.Frame}
	switch {
	case x.Origin == browser.OpaqueOrigin || x.Origin == "":
		id.doc = t.Doc
	case x.Frame != "" && !several:
		id.frame = anyFrame
	}
	return id
}

// among returns those offers of the tab that id means.
func (id *toolID) among(t *tab, offers []*offer) []*offer {
	var out []*offer
	for _, x := range offers {
		frame := id.frame == x.Frame || id.frame == anyFrame && x.Frame != ""
		if x.Name == id.page && x.Origin == id.origin && frame && id.tab == t.ID && (id.doc == 0 || id.doc == t.Doc) {
			out = append(out, x)
		}
	}
	return out
}

// gone tells that what a name meant is not there: no namesake is called in its
// place.
func (id *toolID) gone() error {
	return &browser.Error{Code: browser.CodeStaleDocument,
		Msg:  fmt.Sprintf("the list of tools changed: %s offers no tool %s of %s any more; nothing was called", id.tab, pageWord(id.page), id.origin),
		Hint: "list the tools again; " + callPageTool + " calls one by the page's name of it"}
}

// maxToolNames bounds the names that a session remembers. Page tools that come
// later have names that tell all that they mean, and need no memory.
const maxToolNames = 10_000

// toolNames are the names under which a session lists page tools. A name never
// comes to mean another tool.
type toolNames struct {
	mu    sync.Mutex // guards all below; nothing else is locked while it is held
	of    map[toolID]string
	meant map[string]toolID
	made  map[string]made // of the last list
}

// made is a listing and what it was made of.
type made struct {
	of *offer
	l  PageListing
}

// meaning returns what a name was given to.
func (n *toolNames) meaning(name string) (toolID, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id, ok := n.meant[name]
	return id, ok
}

// given returns the name that id has by now; "": none.
func (n *toolNames) given(id toolID) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of[id]
}

// last returns what the last list was made of, and keep replaces it.
func (n *toolNames) last() map[string]made {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.made
}

func (n *toolNames) keep(m map[string]made) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.made = m
}

// name returns the name of id, which it gets when it has none; "" when there
// is none to be had. The first with a word has the plain name.
func (n *toolNames) name(id toolID, plain string, reserved func(string) bool) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if name := n.of[id]; name != "" {
		return name
	}
	salt := string(id.tab) + " " + string(id.origin) + " " + string(id.frame) + " " + strconv.Itoa(id.doc)
	free := func(name string) bool {
		_, taken := n.meant[name]
		return !taken && !reserved(name)
	}
	full := len(n.of) >= maxToolNames
	name := plain
	if full || !free(name) {
		name = pagetool.Alias(plain, salt)
	}
	switch {
	case !free(name):
		return ""
	case full:
		return name
	}
	if n.of == nil {
		n.of, n.meant = map[toolID]string{}, map[string]toolID{}
	}
	n.of[id], n.meant[name] = name, id
	return name
}
