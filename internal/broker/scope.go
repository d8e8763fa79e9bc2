package broker

import (
	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// scope is what a session sees. It is the tool.Scope of its dialect.
type scope struct{ s *Session }

// Tabs lists the tabs by browser and number.
func (v scope) Tabs() []tool.TabView {
	b, s := v.s.b, v.s
	now, p := b.o.Now(), b.o.Policy()
	b.mu.Lock()
	tabs := b.sorted()
	out := make([]tool.TabView, len(tabs))
	places := make([]place, len(tabs))
	for i, t := range tabs {
		places[i] = placeOf(t)
		out[i] = tool.TabView{Current: t.ID == s.current}
		if t.claim.by != s {
			out[i].Claim = t.claim.text(now)
		}
		if t.owner != nil && t.owner != s {
			out[i].Owner = t.owner.client.Name
		}
		var offers []*offer
		offers, out[i].PageToolsKnown = s.offered(t, p)
		out[i].PageTools = len(offers)
	}
	b.mu.Unlock()
	for i := range places {
		out[i].Tab = s.masked(&places[i])
	}
	return out
}

// Browsers lists the attached browsers that are ready.
func (v scope) Browsers() []tool.BrowserView {
	b := v.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []tool.BrowserView
	for _, a := range b.attached {
		if a.up {
			view := tool.BrowserView{ID: a.id, Info: a.info}
			view.Name = a.label
			out = append(out, view)
		}
	}
	return out
}

// PageTools lists the page tools of a tab, which are no news to the client
// then.
func (v scope) PageTools(id browser.TabID) ([]browser.PageTool, bool) {
	b, p := v.s.b, v.s.b.o.Policy()
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tabs[id]
	if t == nil {
		return nil, false
	}
	offers, known := v.s.offered(t, p)
	if !known {
		return nil, false
	}
	v.s.tell(t, p, offers)
	out := make([]browser.PageTool, len(offers))
	for i, x := range byFrame(offers, t.Frames) {
		out[i] = x.PageTool
	}
	return out, true
}
