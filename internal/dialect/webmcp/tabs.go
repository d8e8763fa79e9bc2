package webmcp

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// tabID is the UUID by which the older server's clients know a tab: the same
// one for the same tab.
func tabID(t browser.Tab) string {
	h := sha256.Sum256([]byte(t.Key))
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80 // a version 4 of the usual variant
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// active is the tab of calls that name none.
func active(s tool.Scope) (browser.Tab, bool) {
	tabs := s.Tabs()
	for _, t := range tabs {
		if t.Current {
			return t.Tab, true
		}
	}
	if len(tabs) > 0 {
		return tabs[0].Tab, true
	}
	return browser.Tab{}, false
}

// noActive is the answer to calls on the active tab when there is none.
func noActive() error { return refuse("No active tab; webmcp_navigate opens one") }

// byID returns the tab with the UUID.
func byID(s tool.Scope, id string) (browser.Tab, error) {
	for _, t := range s.Tabs() {
		if tabID(t.Tab) == id {
			return t.Tab, nil
		}
	}
	return browser.Tab{}, refuse("Tab %s not found", tool.Quoted(id, 80))
}

// tab returns the tab that a call names, or the active one.
func (a arguments) tab(s tool.Scope) (browser.Tab, error) {
	id, err := a.text("tabId")
	switch {
	case err != nil:
		return browser.Tab{}, err
	case id != "":
		return byID(s, id)
	}
	t, ok := active(s)
	if !ok {
		return browser.Tab{}, noActive()
	}
	return t, nil
}

// living is tab, for a call that needs the page to be alive.
func (a arguments) living(s tool.Scope) (browser.Tab, error) {
	t, err := a.tab(s)
	if err == nil && t.Crashed {
		err = refuse("Tab %.8s page is closed; navigate to recover it.", tabID(t))
	}
	return t, err
}

// now is what is known of a tab by now, or what was known of it.
func now(s tool.Scope, id browser.TabID) tool.TabView {
	for _, t := range s.Tabs() {
		if t.ID == id {
			return t
		}
	}
	return tool.TabView{Tab: browser.Tab{ID: id}}
}

// address is where a tab is, as clients are told.
func address(t browser.Tab) string { return tool.Address(t.URL) }

// Arguments of the native tools.
type (
	onlyTab struct {
		Tab browser.TabID `json:"tab"`
	}
	openArgs struct {
		URL  string `json:"url"`
		Stay bool   `json:"stay"`
	}
)

// opened is what the native open_tab answers.
type opened struct {
	Tab browser.TabID `json:"tab"`
}

func (d *Dialect) openTab() tool.Older {
	return tool.Older{
		Name: "webmcp_open_tab", Title: "Open new tab",
		Description: "Open a new tab, optionally navigating to a URL. The active tab stays active. Returns the new tabId.",
		Schema:      schema(`"url":{"type":"string","description":"URL to open (default about:blank)"}`),
		Annotations: hints(false, false, false), Native: d.natives[nativeOpenTab],
		In: func(_ tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(raw)
			if err != nil {
				return tool.Use{}, err
			}
			url, err := a.text("url")
			if url == "" {
				url = "about:blank"
			}
			return d.use(nativeOpenTab, openArgs{url, true}), err
		},
		Reply: func(s tool.Scope, _ tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			var o opened
			if err := result(out, &o); err != nil {
				return tool.Reply{Text: err.Error(), Failed: true}
			}
			t := now(s, o.Tab)
			return answer(struct {
				Status   string `json:"status"`
				TabID    string `json:"tabId"`
				URL      string `json:"url"`
				IsActive bool   `json:"isActive"`
			}{"ok", tabID(t.Tab), address(t.Tab), t.Current})
		},
	}
}

func (d *Dialect) switchTab() tool.Older {
	return tool.Older{
		Name: "webmcp_switch_tab", Title: "Switch active tab",
		Description: "Make a tab the active one, on which tools without tabId act.",
		Schema:      schema(`"tabId":{"type":"string","description":"ID of the tab to make active"}`, "tabId"),
		Annotations: idempotent(hints(false, false, false)), Native: d.natives[nativeActivate],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) { return d.onNamed(nativeActivate, s, raw) },
		Reply: func(s tool.Scope, u tool.Use, _ tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			t := now(s, u.Tab).Tab
			return answer(struct {
				Status string `json:"status"`
				TabID  string `json:"tabId"`
				URL    string `json:"url"`
			}{"ok", tabID(t), address(t)})
		},
	}
}

// onNamed is a native call on the tab that the arguments must name.
func (d *Dialect) onNamed(native string, s tool.Scope, raw json.RawMessage) (tool.Use, error) {
	a, err := parse(raw)
	if err != nil {
		return tool.Use{}, err
	}
	id, err := a.required("tabId", "Missing argument")
	if err != nil {
		return tool.Use{}, err
	}
	t, err := byID(s, id)
	return d.useOn(native, t, onlyTab{t.ID}), err
}

type listedTab struct {
	TabID    string `json:"tabId"`
	URL      string `json:"url"`
	Title    string `json:"title"`
	IsActive bool   `json:"isActive"`
}

func (d *Dialect) listTabs() tool.Older {
	return tool.Older{
		Name: "webmcp_list_tabs", Title: "List open tabs",
		Description: "List all open tabs with tabId, url, title and isActive.",
		Schema:      schema(""), Annotations: hints(true, false, false), Native: d.natives[nativeListTabs],
		In: func(tool.Scope, json.RawMessage) (tool.Use, error) { return d.use(nativeListTabs, struct{}{}), nil },
		Reply: func(s tool.Scope, _ tool.Use, _ tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			current, _ := active(s)
			list := []listedTab{}
			var activeID *string
			for _, t := range s.Tabs() {
				l := listedTab{tabID(t.Tab), address(t.Tab), t.Title, t.ID == current.ID}
				if l.IsActive {
					activeID = &l.TabID
				}
				list = append(list, l)
			}
			return answer(struct {
				Count       int         `json:"count"`
				Tabs        []listedTab `json:"tabs"`
				ActiveTabID *string     `json:"activeTabId"`
			}{len(list), list, activeID})
		},
	}
}

func (d *Dialect) closeTab() tool.Older {
	return tool.Older{
		Name: "webmcp_close_tab", Title: "Close tab",
		Description: "Close a tab by tabId. The last one cannot be closed; when the active one is, the first of the others becomes active.",
		Schema:      schema(`"tabId":{"type":"string","description":"ID of the tab to close"}`, "tabId"),
		Annotations: hints(false, true, false), Native: d.natives[nativeCloseTab],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			u, err := d.onNamed(nativeCloseTab, s, raw)
			if err == nil && len(s.Tabs()) == 1 {
				err = refuse("Cannot close the last tab; the bridge needs at least one tab.")
			}
			if err != nil {
				return tool.Use{}, err
			}
			view := now(s, u.Tab)
			current, _ := active(s)
			u.Args = closing{onlyTab{u.Tab}, tabID(view.Tab), current.ID == u.Tab}
			return u, nil
		},
		Reply: func(s tool.Scope, u tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			was, _ := u.Args.(closing)
			switch {
			case err != nil:
				return fault(err)
			case now(s, u.Tab).Key != "": // its page asks whether it may be left
				return tool.Reply{Text: out.Content().Text, Failed: true}
			}
			var next *string
			if t, ok := active(s); ok {
				id := tabID(t)
				next = &id
			}
			return answer(struct {
				Status          string  `json:"status"`
				Closed          string  `json:"closed"`
				WasActive       bool    `json:"wasActive"`
				NextActiveTabID *string `json:"nextActiveTabId"`
			}{"ok", was.id, was.active, next})
		},
	}
}

// closing are the arguments of the native close_tab, and what to answer.
type closing struct {
	onlyTab
	id     string
	active bool
}

func idempotent(a *tool.Annotations) *tool.Annotations {
	a.Idempotent = true
	return a
}
