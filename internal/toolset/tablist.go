package toolset

import (
	"slices"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// tabList answers list_tabs.
type tabList struct {
	Browsers []browserTabs `json:"browsers"`
}

type browserTabs struct {
	ID      browser.BrowserID `json:"id"`
	Name    string            `json:"name"`
	Way     string            `json:"way"`
	Product string            `json:"product,omitempty"`
	Refused string            `json:"refused,omitempty"` // why all its calls are
	Lacks   []string          `json:"lacks,omitempty"`   // what none of its tabs can do, of what its way in may do
	Tabs    []listedTab       `json:"tabs"`
	More    int               `json:"more,omitempty"` // that are not listed

	open    int  // all its tabs
	persons bool // who allows its tabs
}

// mostTabs is how many tabs of a browser are listed.
const mostTabs = 100

type listedTab struct {
	ID       browser.TabID    `json:"id"`
	Doc      int              `json:"doc"`
	Title    string           `json:"title"`
	URL      string           `json:"url"`
	Window   browser.WindowID `json:"window,omitempty"`
	Current  bool             `json:"current,omitempty"`
	Active   bool             `json:"active,omitempty"`
	Loading  bool             `json:"loading,omitempty"`
	Crashed  bool             `json:"crashed,omitempty"`
	Opener   browser.TabID    `json:"opener,omitempty"`
	Owner    string           `json:"owner,omitempty"`
	Claim    string           `json:"claim,omitempty"`
	Dialog   *dialog          `json:"dialog,omitempty"`
	Emulated string           `json:"emulated,omitempty"`
	Tools    *int             `json:"page_tools,omitempty"` // absent: not known
	Lacks    []string         `json:"lacks,omitempty"`      // what others of its browser can do and it cannot
	// Untouchable tells why nothing can be done to its page.
	Untouchable string `json:"untouchable,omitempty"`
	Asleep      bool   `json:"asleep,omitempty"`
	Frozen      bool   `json:"frozen,omitempty"`

	view tool.TabView
}

// add appends a browser with those of the tabs that are its own and have the
// text in their title or address, by window.
func (l *tabList) add(b tool.BrowserView, tabs []tool.TabView, text string) {
	text = strings.ToLower(text)
	bt := browserTabs{ID: b.ID, Name: b.Name, Way: b.Way, Product: b.Product, Refused: b.Refused, Tabs: []listedTab{},
		persons: b.Way == "extension" && !b.Launched}
	none := lackedByAll(b, tabs)
	bt.Lacks = none.Names()
	for _, t := range tabs {
		if t.Browser != b.ID {
			continue
		}
		bt.open++
		if text != "" && !strings.Contains(strings.ToLower(t.Title), text) && !strings.Contains(strings.ToLower(t.URL), text) {
			continue
		}
		lt := listedTab{
			ID: t.ID, Doc: t.Doc, Title: t.Title, URL: tool.Address(t.URL), Window: t.Window, Current: t.Current, Active: t.Active,
			Loading: t.Loading, Crashed: t.Crashed, Opener: t.Opener, Owner: t.Owner, Claim: t.Claim, Dialog: newDialog(t.Dialog), Emulated: t.Emulated, Untouchable: t.Untouchable, Asleep: t.Asleep, Frozen: t.Frozen, view: t,
		}
		if t.PageToolsKnown {
			lt.Tools = &t.PageTools
		}
		if t.Untouchable == "" {
			lt.Lacks = (lacked(b, t) &^ none).Names()
		}
		bt.Tabs = append(bt.Tabs, lt)
	}
	first := func(w browser.WindowID) int {
		return slices.IndexFunc(bt.Tabs, func(t listedTab) bool { return t.Window == w })
	}
	order := slices.Clone(bt.Tabs)
	slices.SortStableFunc(order, func(x, y listedTab) int { return first(x.Window) - first(y.Window) })
	bt.Tabs = foremost(order)
	bt.More = len(order) - len(bt.Tabs)
	l.Browsers = append(l.Browsers, bt)
}

// lacked is what cannot be done to a tab, of what its browser's way in may do.
func lacked(b tool.BrowserView, t tool.TabView) browser.Capability {
	return b.Caps &^ t.Caps &^ browser.CanOpenTabs
}

// lackedByAll is what can be done to none of a browser's tabs, but for those to
// which nothing can be done.
func lackedByAll(b tool.BrowserView, tabs []tool.TabView) browser.Capability {
	var all browser.Capability
	any := false
	for _, t := range tabs {
		switch {
		case t.Browser != b.ID || t.Untouchable != "":
		case !any:
			all, any = lacked(b, t), true
		default:
			all &= lacked(b, t)
		}
	}
	return all
}

// foremost are the tabs to list when there are too many: those in use, then the
// first ones, in their order.
func foremost(tabs []listedTab) []listedTab {
	if len(tabs) <= mostTabs {
		return tabs
	}
	inUse := func(t listedTab) bool { return t.Current || t.Active || t.Dialog != nil }
	used := 0
	for _, t := range tabs {
		if inUse(t) {
			used++
		}
	}
	others := max(mostTabs-used, 0)
	var out []listedTab
	for _, t := range tabs {
		switch {
		case len(out) == mostTabs:
			return out
		case inUse(t):
			out = append(out, t)
		case others > 0:
			out = append(out, t)
			others--
		}
	}
	return out
}

// Content has a line for each browser and below it one for each tab.
func (l tabList) Content() tool.Content {
	if len(l.Browsers) == 0 {
		return tool.Content{Text: "no browser is running; open_tab starts one"}
	}
	var out []string
	for _, b := range l.Browsers {
		parts := []string{string(b.ID) + " " + tool.OneLine(b.Name, 60)}
		if b.Way != b.Name {
			parts = append(parts, b.Way)
		}
		if b.Product != "" {
			parts = append(parts, tool.OneLine(b.Product, 60))
		}
		if b.Refused != "" {
			out = append(out, lines(strings.Join(append(parts, "refused: "+tool.OneLine(b.Refused, 400)), " · ")))
			continue
		}
		if len(b.Lacks) > 0 {
			parts = append(parts, "without "+strings.Join(b.Lacks, ", "))
		}
		parts = append(parts, plural(b.open, "tab", "tabs"))
		if found := len(b.Tabs) + b.More; found < b.open {
			parts = append(parts, strconv.Itoa(found)+" found")
		}
		if b.open == 0 && b.persons {
			parts = append(parts, "its user has allowed none")
		}
		out = append(out, strings.Join(parts, " · "))
		windows := slices.ContainsFunc(b.Tabs, func(t listedTab) bool { return t.Window != b.Tabs[0].Window })
		for i, t := range b.Tabs {
			if windows && (i == 0 || t.Window != b.Tabs[i-1].Window) {
				out = append(out, "window "+string(t.Window))
			}
			out = append(out, t.text())
		}
		if b.More > 0 {
			out = append(out, "… "+plural(b.More, "more tab", "more tabs")+" (list_tabs text=… finds by title or address)")
		}
	}
	return tool.Content{Text: lines(out...)}
}

func (t listedTab) text() string {
	line := tool.TabLine(t.view.Tab)
	var state []string
	for _, s := range []struct {
		is   bool
		word string
	}{
		{t.Current, "current"}, {t.Active, "active"}, {t.Loading, "loading"}, {t.Crashed, t.view.Crash() + " (navigate revives it)"},
		{t.Asleep, "asleep"}, {t.Frozen, "frozen (activate_tab goes on)"},
		{t.Opener != "", "opened by " + string(t.Opener)},
		{t.Owner != "", "of client " + tool.OneLine(t.Owner, 60)},
		{t.Claim != "", "claimed by " + tool.OneLine(t.Claim, 80)},
		{t.view.Emulated != "", "emulating " + tool.OneLine(t.view.Emulated, 200)},
		{t.pageTools() != "", t.pageTools()},
		{t.Untouchable != "", "cannot be touched: " + tool.OneLine(t.Untouchable, 200)},
		{len(t.Lacks) > 0, "without " + strings.Join(t.Lacks, ", ")},
	} {
		if s.is {
			state = append(state, s.word)
		}
	}
	if len(state) > 0 {
		line += " · " + strings.Join(state, ", ")
	}
	if t.view.Dialog != nil {
		line += " · " + dialogLine(t.view.Dialog)
	}
	return line
}

// pageTools tells how many page tools the tab has; "" for none, and where there
// is no way to know.
func (t listedTab) pageTools() string {
	switch {
	case t.Untouchable != "":
		return ""
	case t.Tools == nil && t.view.Caps&browser.CanPageTools != 0 && !t.Crashed && t.URL != "about:blank":
		return "? page tools"
	case t.Tools == nil || *t.Tools == 0:
		return ""
	}
	return plural(*t.Tools, "page tool", "page tools")
}
