package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
	"drawbridge/internal/firefox"
	"drawbridge/internal/firefox/firefoxtest"
)

// TestBrowsersOfDifferentKindsSideBySide has a person's Chromium and Firefox
// connected to one drawbridge.
func TestBrowsersOfDifferentKindsSideBySide(t *testing.T) {
	t.Parallel()
	fox := firefoxtest.Path(t)
	c, address := serveOwn(t)
	s := newSite(t)
	u := own(t, c.process, address, "work", cdp.LaunchOptions{}, nil)
	dir := c.writeExtension(address, "personal", "firefox", nil)
	firefoxtest.Launch(t, firefox.LaunchOptions{Path: fox, Extension: func(to string) error { return os.CopyFS(to, os.DirFS(dir)) }})
	c.awaitBrowser(t, "work · extension · Chromium")
	c.awaitBrowser(t, "personal · extension · Firefox")
	c.says("personal (Firefox", "browsers", "--listen", address)

	order := func(tab, email string) {
		t.Helper()
		c.call("fill", args{"tab": tab, "ref": c.ref(tab, `textbox "Email"`), "value": email})
		c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Order"`)})
		c.want(c.call("wait_for", args{"tab": tab, "text": "Thank you, " + email}), tab)
	}
	work, personal := c.openIn("work", s.URL+"/shop"), c.openIn("personal", s.URL+"/shop")
	order(work, "ann@work.example")
	order(personal, "ann@home.example")
	listed := c.call("list_tabs", nil)
	c.want(listed, "work · extension · Chromium", "personal · extension · Firefox", work+" · ", personal+" · ")
	if strings.Index(listed, work+" · ") > strings.Index(listed, "personal · extension") {
		t.Errorf("tabs are not listed with their browsers:\n%s", listed)
	}

	// What is in its tabs stays as it is when its user gives it another name.
	u.popup("", `{ kind: "set", change: { name: "office" } }`)
	c.awaitBrowser(t, "office · extension · Chromium")
	if listed = c.call("list_tabs", nil); strings.Contains(listed, "work · extension") {
		t.Errorf("it is listed twice:\n%s", listed)
	}
	c.want(listed, work+" · ", personal+" · ")
	order(work, "bob@work.example")
	other := c.openIn("office", s.URL+"/about")

	// A raised drawbridge ends what is done in all of them.
	said := c.ask(t, "wait_for", args{"tab": personal, "text": "never", "timeout": 20})
	c.ref(personal, `button "Order"`) // the page is not busy, and the call has begun meanwhile
	began := time.Now()
	u.popup("", `{ kind: "raise", up: true }`)
	c.want(said(), "the user has raised the drawbridge in \"office\": nothing is done in any browser")
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("ended after %s", took)
	}
	c.want(c.refused("snapshot", args{"tab": personal}), "raised the drawbridge")
	u.popup("", `{ kind: "raise", up: false }`)
	until(t, "calls again", func() bool { return strings.Contains(c.reply("snapshot", args{"tab": other}), "About us") })
}
