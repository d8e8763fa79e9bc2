package toolset

import (
	"slices"
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
	Tabs    []listedTab       `json:"tabs"`
}

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
	Lacks    []string         `json:"lacks,omitempty"` // what its browser can do and it cannot

	view tool.TabView
}

// add appends a browser with those of the tabs that are its own, by window.
func (l *tabList) add(b tool.BrowserView, tabs []tool.TabView) {
	bt := browserTabs{ID: b.ID, Name: b.Name, Way: b.Way, Product: b.Product, Tabs: []listedTab{}}
	for _, t := range tabs {
		if t.Browser != b.ID {
			continue
		}
		lt := listedTab{
			ID: t.ID, Doc: t.Doc, Title: t.Title, URL: t.URL, Window: t.Window, Current: t.Current, Active: t.Active,
			Loading: t.Loading, Crashed: t.Crashed, Opener: t.Opener, Owner: t.Owner, Claim: t.Claim, Dialog: newDialog(t.Dialog), Emulated: t.Emulated, view: t,
		}
		lt.Lacks = (b.Caps &^ t.Caps &^ browser.CanOpenTabs).Names()
		bt.Tabs = append(bt.Tabs, lt)
	}
	first := func(w browser.WindowID) int {
		return slices.IndexFunc(bt.Tabs, func(t listedTab) bool { return t.Window == w })
	}
	order := slices.Clone(bt.Tabs)
	slices.SortStableFunc(order, func(x, y listedTab) int { return first(x.Window) - first(y.Window) })
	bt.Tabs = order
	l.Browsers = append(l.Browsers, bt)
}

// Content has a line for each browser and below it one for each tab.
func (l tabList) Content() tool.Content {
	if len(l.Browsers) == 0 {
		return tool.Content{Text: "no browser is running; open_tab starts one"}
	}
	var out []string
	for _, b := range l.Browsers {
		parts := []string{string(b.ID) + " " + b.Name}
		if b.Way != b.Name {
			parts = append(parts, b.Way)
		}
		if b.Product != "" {
			parts = append(parts, b.Product)
		}
		out = append(out, strings.Join(append(parts, plural(len(b.Tabs), "tab", "tabs")), " · "))
		windows := slices.ContainsFunc(b.Tabs, func(t listedTab) bool { return t.Window != b.Tabs[0].Window })
		for i, t := range b.Tabs {
			if windows && (i == 0 || t.Window != b.Tabs[i-1].Window) {
				out = append(out, "window "+string(t.Window))
			}
			out = append(out, t.text())
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
		{t.Opener != "", "opened by " + string(t.Opener)},
		{t.Owner != "", "of client " + tool.OneLine(t.Owner, 60)},
		{t.Claim != "", "claimed by " + tool.OneLine(t.Claim, 80)},
		{t.view.Emulated != "", "emulating " + tool.OneLine(t.view.Emulated, 200)},
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
