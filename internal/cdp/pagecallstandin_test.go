package cdp_test

import (
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// TestPageCallsOfTheStandIn calls the same tools where the browser has no WebMCP.
func TestPageCallsOfTheStandIn(t *testing.T) {
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
