package broker

import (
	"encoding/json"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pagetool"
	"drawbridge/internal/policy"
)

// maxPageList bounds the page tools that are listed as tools of their own, in
// bytes of JSON: they are read with every request to a model. Older servers
// listed all that there were, and had no other way to name them.
const (
	maxPageList  = 8 << 10
	maxOlderList = 64 << 10
)

// PageList is the page tools that a session lists as tools of their own.
type PageList struct {
	Tools []PageListing
	// Unsteady are names of those that came, changed or went a moment ago, and
	// may be otherwise in the next one.
	Unsteady map[string]bool
}

// PageListing is a page tool as MCP lists it: its JSON form is that. Only what
// the page said is in its annotations.
type PageListing struct {
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description"`
	Schema      json.RawMessage   `json:"inputSchema"`
	Annotations PageAnnotations   `json:"annotations,omitzero"`
	Meta        map[string]PageID `json:"_meta"` // one, under "drawbridge"

	JSON []byte `json:"-"` // all of it
}

// PageAnnotations are hints of a page for which MCP has names.
type PageAnnotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// PageID tells where a listed page tool comes from, what it is called there,
// and the other hints of the page.
type PageID struct {
	Name      string          `json:"name"`
	Tab       browser.TabID   `json:"tab"`
	Frame     browser.FrameID `json:"frame,omitempty"` // where several of the origin offer it
	Origin    browser.Origin  `json:"origin"`
	Untrusted bool            `json:"untrusted"` // always: all words of it are the page's

	UntrustedContent *bool `json:"untrustedContentHint,omitempty"`
	Consequential    *bool `json:"consequentialHint,omitempty"`
	Debugging        *bool `json:"debugging,omitempty"`
}

// listing makes x, which id names, a listing.
func listing(id toolID, x *offer, name string) PageListing {
	l := pagetool.List(x.PageTool, name)
	h := l.Hints
	from := PageID{
		Name: pagetool.Words(x.Name, maxNameMeta), Tab: id.tab, Frame: id.frame, Origin: x.Origin, Untrusted: true,
		UntrustedContent: h.UntrustedContent, Consequential: h.Consequential, Debugging: h.Debugging,
	}
	if id.frame == anyFrame {
		from.Frame = ""
	}
	out := PageListing{
		Name: l.Name, Title: l.Title, Description: l.Description, Schema: l.Schema,
		Annotations: PageAnnotations{h.ReadOnly, h.Destructive, h.Idempotent, h.OpenWorld},
		Meta:        map[string]PageID{"drawbridge": from},
	}
	out.JSON, _ = json.Marshal(out) // its schema is JSON
	return out
}

// maxNameMeta is how long names of page tools are, in characters.
const maxNameMeta = 128

// PageTools lists the page tools of the current tab, or of the only one, that
// the session offers as tools of their own, in a stable order: those that the
// rules may allow, as far as there is room. The others are left to the fixed
// pair.
func (s *Session) PageTools() PageList {
	b, p := s.b, s.b.o.Policy()
	if !s.lists() || p.NeverAllowed(s.client.Name, s.client.ReadOnly, policy.PageTool) {
		return PageList{}
	}
	now := b.o.Now()
	offers, ids, left := s.toList(p, now)
	list := PageList{Unsteady: left}
	reserved := func(name string) bool { return s.byName[name] != nil }
	before := s.names.last()
	kept := make(map[string]made, len(before))
	room := s.room()
	for i, x := range offers {
		name := s.listedAs(ids[i], reserved)
		if _, twice := kept[name]; name == "" || twice {
			continue
		}
		m := before[name]
		if m.of != x {
			m = made{x, listing(ids[i], x, name)}
		}
		kept[name] = m
		if len(m.l.JSON)+1 > room || len(m.l.JSON) == 0 {
			continue
		}
		room -= len(m.l.JSON) + 1
		list.Tools = append(list.Tools, m.l)
		if now.Sub(x.since) < unsteady {
			if list.Unsteady == nil {
				list.Unsteady = map[string]bool{}
			}
			list.Unsteady[name] = true
		}
	}
	s.names.keep(kept)
	return list
}

// room is how large the list may be, in bytes.
func (s *Session) room() int {
	if s.client.Dialect != nil {
		return maxOlderList
	}
	return maxPageList
}

// leastListing is less than any listing has, in bytes.
const leastListing = 100

// toList returns the first offers of the tab whose page tools are listed, as
// many as could have room, by frame, what their names mean, and the names of those that went away a moment ago.
func (s *Session) toList(p *policy.Policy, now time.Time) (offers []*offer, ids []toolID, left map[string]bool) {
	b := s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	t := s.showing()
	if t == nil {
		return nil, nil, nil
	}
	all, _ := s.offered(t, p)
	several := map[toolID]int{}
	for _, x := range all {
		if x.Frame != "" {
			several[idOf(t, x, false)]++
		}
	}
	at := placeOf(t)
	q := s.question(policy.PageTool, &at)
	for _, x := range byFrame(all, t.Frames) {
		q.Subject, q.Origin, q.Grave = x.Name, x.Origin, x.Hints.Grave()
		if len(offers) == s.room()/leastListing {
			break
		}
		if p.Decide(q).Verdict == policy.Deny {
			continue
		}
		offers = append(offers, x)
		ids = append(ids, idOf(t, x, several[idOf(t, x, false)] > 1))
	}
	for k, was := range t.tools.left {
		if now.Sub(was.at) >= unsteady {
			continue
		}
		x := &offer{PageTool: browser.PageTool{Name: k.Name, Frame: k.Frame, Origin: was.origin}}
		for _, several := range []bool{false, true} {
			name := s.names.given(idOf(t, x, several))
			if s.client.Dialect != nil {
				name = k.Name
			}
			if name != "" {
				if left == nil {
					left = map[string]bool{}
				}
				left[name] = true
			}
		}
	}
	return offers, ids, left
}

// showing is the tab whose page tools are listed; b.mu is held.
func (s *Session) showing() *tab {
	b := s.b
	if t := b.tabs[s.current]; t != nil {
		return t
	}
	if s.lostTab == "" && len(b.tabs) == 1 {
		for _, t := range b.tabs {
			return t
		}
	}
	return nil
}

// listedAs is the name of a page tool as a tool of its own; "": it gets none. In
// a dialect it is the page's own word, which means the current tab's tool.
func (s *Session) listedAs(id toolID, reserved func(string) bool) string {
	if s.client.Dialect == nil {
		return s.names.name(id, pagetool.Name("page_", id.page), reserved)
	}
	if reserved(id.page) || pagetool.Words(id.page, maxNameMeta) != id.page {
		return ""
	}
	return id.page
}

// lists tells whether the session has page tools as tools of their own.
func (s *Session) lists() bool {
	return !s.client.PageTools.NoList && (s.client.Dialect != nil || s.byName[callPageTool] != nil)
}

// HasPageTool tells whether Call takes the name for that of a page tool, which
// may be gone.
func (s *Session) HasPageTool(name string) bool {
	if s.client.Dialect != nil { // knows what any other name means
		return s.byName[name] == nil
	}
	_, ok := s.meaning(name)
	return ok
}

// meaning returns what a name of a page tool means, also one that was not
// listed yet.
func (s *Session) meaning(name string) (toolID, bool) {
	if !s.lists() || s.byName[name] != nil {
		return toolID{}, false
	}
	if id, ok := s.names.meaning(name); ok {
		return id, true
	}
	// Without a memory of it, only what is listed now can have it.
	offers, ids, _ := s.toList(s.b.o.Policy(), s.b.o.Now())
	reserved := func(name string) bool { return s.byName[name] != nil }
	for i := range offers {
		if s.listedAs(ids[i], reserved) == name {
			return ids[i], true
		}
	}
	return toolID{}, false
}

// PageToolsChanged has a token when the session's PageTools may have changed.
func (s *Session) PageToolsChanged() <-chan struct{} { return s.changed }

// stir tells the sessions that their page tools may have changed; b.mu is held.
func (b *Broker) stir() {
	for s := range b.sessions {
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
}
