package drivertest

import (
	"cmp"
	"encoding/json"
	"slices"

	"drawbridge/internal/browser"
)

// script is a tool that a page of the suite registers with a script.
func script(name, schema string) browser.PageTool {
	return browser.PageTool{Name: name, Description: "About " + name, Schema: json.RawMessage(schema), Kind: browser.ToolOfScript}
}

// offer registers a page tool, or another one in its place.
func (t *fakeTab) offer(p browser.PageTool) {
	t.withdraw(p.Name)
	p.Origin = t.tab.Frames[0].Origin
	t.tools = append(t.tools, p)
	t.f.sink(browser.PageToolsChanged{Tab: t.tab.ID, Known: true, Added: []browser.PageTool{p}})
}

// withdraw takes a page tool away.
func (t *fakeTab) withdraw(name string) {
	was := len(t.tools)
	t.tools = slices.DeleteFunc(t.tools, func(p browser.PageTool) bool { return p.Name == name })
	if len(t.tools) < was {
		t.f.sink(browser.PageToolsChanged{Tab: t.tab.ID, Known: true, Removed: []browser.PageToolKey{{Name: name}}})
	}
}

// reoffer is what becomes of page tools when the tab shows another document.
func (t *fakeTab) reoffer(tools []browser.PageTool) {
	e := browser.PageToolsChanged{Tab: t.tab.ID, Known: true}
	for _, p := range t.tools {
		e.Removed = append(e.Removed, p.Key())
	}
	t.tools = nil
	for _, p := range tools {
		p.Origin = t.tab.Frames[0].Origin
		t.tools = append(t.tools, p)
	}
	e.Added = slices.Clone(t.tools)
	if len(e.Removed)+len(e.Added) > 0 {
		t.f.sink(e)
	}
}

// listTools answers PageTools.
func (t *fakeTab) listTools(to browser.Target) *browser.PageToolList {
	out := &browser.PageToolList{Tools: slices.Clone(t.tools)}
	slices.SortFunc(out.Tools, func(x, y browser.PageTool) int { return cmp.Compare(x.Name, y.Name) })
	main := browser.PageToolless{Origin: t.tab.Frames[0].Origin, Why: browser.NoPageToolsYet}
	switch {
	case !to.Origins.Has(main.Origin):
		out.Tools, main.Why, main.Detail = nil, browser.NoPageToolsUnreadable, "its origin was not permitted"
	case len(out.Tools) > 0:
		return out
	}
	out.Without = append(out.Without, main)
	return out
}
