package cdp_test

import (
	"slices"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// TestPageCallsOfTheStandIn calls the same tools where the browser has no WebMCP.
func TestPageCallsOfTheStandIn(t *testing.T) {
	t.Parallel()
	r := newRigOf(t, cdp.Options{}, without)
	r.standIn = true
	testPageCalls(t, r)
	tab := r.openTools(t)
	_, err := r.tool(tab, browser.CallPageTool{Name: "symbol"})
	wantError(t, "a symbol", err, browser.CodePageError, "Symbol")
	if out := r.mustTool(t, tab, "too_deep", ""); len(out.JSON) < 1000 {
		t.Errorf("a deep value: %s", out.JSON)
	}
}

// What a call of a page tool changes in what its page offers has been told when
// the call answers, as it has where the browser tells of it.
func TestWhatACallOfTheStandInChangesIsTold(t *testing.T) {
	t.Parallel()
	r := newRigOf(t, cdp.Options{}, without)
	r.standIn = true
	tab := r.openTools(t)
	r.must(t, tab, browser.PageTools{}, nil)
	r.eval(t, tab, `await document.modelContext.registerTool({name: "adds", description: "adds", execute: () => {
		document.modelContext.registerTool({name: "added", description: "added", execute: () => "it is there"}) }})`)
	r.mustTool(t, tab, "adds", "")
	told := slices.ContainsFunc(r.toolEvents(tab), func(e browser.PageToolsChanged) bool {
		return slices.ContainsFunc(e.Added, func(p browser.PageTool) bool { return p.Name == "added" })
	})
	if !told {
		t.Error("the call has answered, and what it added is not told")
	}
	if out := r.mustTool(t, tab, "added", ""); string(out.JSON) != `"it is there"` {
		t.Errorf("the added tool answers %s", out.JSON)
	}
}
