package e2e

import (
	"testing"

	"drawbridge/internal/cdp"
	"drawbridge/internal/cdp/cdptest"
)

// TestTheBarOfTheDebugger acts in a window in which the browser shows, from the
// first act on, that it is debugged, which makes its pages less high.
func TestTheBarOfTheDebugger(t *testing.T) {
	needBrowser(t)
	cdptest.Display(t)
	c, address := serveOwn(t)
	s := newSite(t)
	u := own(t, c.process, address, "work", cdp.LaunchOptions{Headful: true, Args: []string{"--window-size=900,600"}}, map[string]any{"fullPower": true})
	c.awaitBrowser(t, "work")
	url := s.URL + "/bottom"
	page := u.page(url)
	u.popup(url, `{ kind: "allow", what: "tab", subdomains: false, duration: "hour" }`)
	tab := c.find(`(?m)^(t\d+) · .* · `+url, c.call("list_tabs", nil))
	height := u.eval(page, "innerHeight")
	order := c.ref(tab, `button "Low"`)
	if u.eval(page, "innerHeight") != height {
		t.Error("a look has the browser debugged")
	}
	c.want(c.call("click", args{"tab": tab, "ref": order}), "clicked "+order, "effect confirmed", "Low by a person")
	if u.eval(page, "innerHeight") == height {
		t.Errorf("the bar is not there: the page is %s pixels high", height)
	}
}
