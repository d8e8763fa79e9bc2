package e2e

import (
	"strings"
	"testing"

	"drawbridge/internal/cdp"
)

// TestFullPowerComesAndGoes has the user switch it on and off, and the debugger
// be let go of, while an agent acts on a page that it has seen before.
func TestFullPowerComesAndGoes(t *testing.T) {
	t.Parallel()
	c, address := serveOwn(t)
	h, s := newHeld(t), newSite(t)
	u := own(t, c.process, address, "work", cdp.LaunchOptions{}, nil)
	c.awaitBrowser(t, "work")
	tab := c.openIn("work", h.URL)
	press := c.ref(tab, `button "Press"`)
	pressed := func(by string) {
		t.Helper()
		h.goOn <- struct{}{}
		c.want(c.call("click", args{"tab": tab, "ref": press}), "clicked", "by "+by)
		<-h.pressed
	}
	lacks := func(want bool) {
		t.Helper()
		until(t, "what the tab can do in the list", func() bool {
			return strings.Contains(c.call("list_tabs", nil), "without trusted input") == want
		})
	}
	debugged := func(want string) {
		t.Helper()
		u.awaits(u.office, "chrome.debugger.getTargets().then((all) => all.some((t) => t.tabId !== undefined && t.attached && t.url === '"+h.URL+"/') === "+want+")")
	}
	full := func(on string) { u.popup("", `{ kind: "set", change: { full: `+on+` } }`) }

	pressed("script")
	lacks(true)
	full("true")
	lacks(false)
	// A dialog that nothing was done for is told, and stays until it is answered.
	asking := c.openIn("work", strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/asks")
	pressed("a person")

	debugged("true")
	debugged("false") // after a while, in which nothing is done
	c.want(c.call("list_tabs", nil), `confirm "Really?"`)
	c.want(c.call("handle_dialog", args{"tab": asking, "accept": true}), "accepted confirm")
	c.want(c.call("wait_for", args{"tab": asking, "text": "said true"}), asking)
	pressed("a person")

	full("false")
	lacks(true)
	pressed("script")

	// What its user cancels, in the bar that the browser shows, is not taken up again.
	full("true")
	lacks(false)
	pressed("a person")
	u.inWorker(`chrome.tabs.query({ url: "` + h.URL + `/*" }).then(([t]) => chrome.debugger.onDetach.dispatch({ tabId: t.id }, "canceled_by_user"))`)
	lacks(true)
	pressed("script")
}
