package browserkit

import (
	"net/url"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// news is what was told of browsers and tabs, and when a tab was last seen to
// change.
type news struct {
	browsers map[string]browserState
	tabs     map[browser.TabID]tabState
	changed  map[browser.TabID]int64 // milliseconds since 1970
	seen     int64                   // when it was compared last
}

type browserState struct {
	tabs, windows int
	name          string
}

type tabState struct {
	browser, title, url string
	doc                 int
	active              bool
	content             string
}

func unescaped(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// Follows returns the tabs that the URIs are of, or of what they hold.
func (d *Dialect) Follows(s tool.Scope, uris []string) []browser.TabID {
	wanted := map[string]bool{}
	for _, u := range uris {
		parts := strings.Split(strings.TrimPrefix(u, scheme), "/")
		if len(parts) >= 4 && parts[0] == "browsers" && parts[2] == "tabs" {
			wanted[browserURI(parts[1])+"/tabs/"+parts[3]] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	var out []browser.TabID
	for _, b := range s.Browsers() {
		id := kitBrowser(b)
		for _, t := range tabsOf(s, b) {
			if wanted[tabURI(id, t.Tab)] {
				out = append(out, t.ID)
			}
		}
	}
	return out
}

// Changed tells what is new since the call before; at the first one, all is.
func (d *Dialect) Changed(s tool.Scope, content map[browser.TabID]string) (updated []string, listed bool) {
	at := time.Now().UnixMilli()
	browsers, tabs := map[string]browserState{}, map[browser.TabID]tabState{}
	for _, b := range s.Browsers() {
		id := kitBrowser(b)
		state := browserState{name: product(b).Name}
		windows := map[browser.WindowID]bool{}
		for _, t := range tabsOf(s, b) {
			state.tabs++
			windows[t.Window] = true
			tabs[t.ID] = tabState{id, t.Title, t.URL, t.Doc, t.Active, content[t.ID]}
		}
		state.windows = len(windows)
		browsers[id] = state
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := &d.news
	told := map[string]bool{}
	tell := func(uris ...string) {
		for _, u := range uris {
			if !told[u] {
				told[u] = true
				updated = append(updated, u)
			}
		}
	}
	tellTab := func(id browser.TabID, t tabState) {
		u := browserURI(t.browser) + "/tabs/" + string(id)
		tell(u, u+"/"+kindText, u+"/"+kindElements, contextURI)
	}
	if n.changed == nil {
		n.changed = map[browser.TabID]int64{}
	}
	for id, t := range tabs {
		before, had := n.tabs[id]
		if t.content == "" || before.content == "" { // not followed now, or not yet then
			before.content = t.content
		}
		if !had || before != t {
			n.changed[id] = at
			tellTab(id, t)
		}
	}
	for id, t := range n.tabs {
		if _, open := tabs[id]; !open {
			delete(n.changed, id)
			tellTab(id, t)
		}
	}
	for id, b := range browsers {
		before, had := n.browsers[id]
		listed = listed || !had
		if before != b {
			tell(browserURI(id), contextURI)
		}
	}
	for id := range n.browsers {
		if _, up := browsers[id]; !up {
			listed = true
			tell(browserURI(id), contextURI)
		}
	}
	n.browsers, n.tabs, n.seen = browsers, tabs, at
	d.forget(func(t browser.TabID) bool { _, open := tabs[t]; return open })
	return updated, listed
}
