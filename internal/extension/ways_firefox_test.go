package extension_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
	"drawbridge/internal/firefox/firefoxtest"
	"drawbridge/internal/link"
)

// busy keeps Firefox from telling things in time.
const busy = `if (globalThis.busying) clearInterval(busying); globalThis.busying = setInterval(() => { for (const t = Date.now(); Date.now() - t < 60;); }, 70);`

// TestAPersonsWayInFirefoxIsNotTheAgents: whichever way its user takes a tab to a
// private page right after an agent has acted on it, nothing of that page crosses;
// where the agent's own act leads, the agent goes along.
func TestAPersonsWayInFirefoxIsNotTheAgents(t *testing.T) {
	t.Parallel()
	b, s, secret := newBridge(t), newSite(t), privateSite(t)
	unkept := unkeptSite(t)
	p := &foxPerson{t, firefoxtest.Launch(t, firefox.LaunchOptions{
		Args: []string{"--remote-allow-system-access"}, Extension: write(extension.Firefox, b, privately),
	})}
	c := b.next(t, longest)
	firefoxtest.Open(t, p.ff, secret+"/elsewhere")
	chrome := func(code string) {
		t.Helper()
		firefoxtest.Chrome(t, p.ff, code)
	}
	pause := func(ms int) { // not by a tab: those in the back are told the time late
		t.Helper()
		chrome(fmt.Sprintf("await new Promise((done) => setTimeout(done, %d))", ms))
	}
	mine := s.near + "/words?say=mine"
	tab, _ := visit(t, c, mine)
	page := p.at(mine)
	act := func(code string) {
		t.Helper()
		frames := do[link.FrameList](t, c, "listFrames", link.TabArgs{Tab: tab.Tab}).Frames
		do[link.EvaluateReply](t, c, "evaluate", link.EvaluateArgs{Tab: tab.Tab, Document: frames[0].Document, Code: code})
	}
	shows := func(url string) {
		t.Helper()
		var at string
		for range 100 {
			firefoxtest.Evaluate(t, p.ff, page, "document.readyState === 'complete' ? location.href : ''", &at)
			if at == url {
				return
			}
			pause(50)
		}
		t.Fatalf("it shows %s, not %s", at, url)
	}
	ways := []struct{ name, url, code string }{
		{"the button for the first page", secret + "/home", "Services.prefs.setStringPref('browser.startup.homepage', %q); BrowserCommands.home()"},
		{"a bookmark", secret + "/bookmark", "openTrustedLinkIn(%q, 'current')"},
		{"its history", secret + "/history", "openWebLinkIn(%q, 'current')"},
		{"the address bar", secret + "/typed", "gURLBar.focus(); gURLBar.value = %q; gURLBar.handleCommand()"},
		{"a link that is dropped there", secret + "/dropped", "gBrowser.selectedBrowser.droppedLinkHandler(null, [{ url: %q }], Services.scriptSecurityManager.createContentPrincipalFromOrigin('" + secret + "'))"},
		{"a file", "file:///etc/hostname?" + canary, "openTrustedLinkIn(%q, 'current')"},
	}
	check := func(after string) {
		t.Helper()
		pause(200)
		do[link.TabList](t, c, "listTabs", link.None{})
		crossed(t, c, after)
		wantListed(t, c)
		p.goTo(page, mine)
		pause(100)
		wantListed(t, c, mine)
	}
	for _, way := range ways {
		act("document.title")
		chrome(fmt.Sprintf(way.code, way.url))
		shows(way.url)
		check(way.name)
	}

	// Back to a page that is not kept, and has to be asked for again.
	p.goTo(page, unkept+"/")
	check("a page that is not kept")
	act("document.title")
	chrome("gBrowser.goBack()")
	shows(unkept + "/")
	check("back in its history")

	chrome(busy)
	for _, way := range ways[:2] {
		act("document.title")
		chrome(fmt.Sprintf(way.code, way.url))
		shows(way.url)
		check(way.name + ", while it is busy")
	}
	from := c.mark()
	for i, at := range []string{s.far, s.near, s.far} {
		to := fmt.Sprintf("%s/words?say=followed-%d", at, i)
		act(fmt.Sprintf("(() => { const a = document.createElement('a'); a.href = %q; document.body.append(a); a.click(); return 0; })()", to))
		awaitEvent(t, c, from, "loaded", func(d link.DocumentAt) bool { return d.URL == to })
	}
	if told := c.told(from); strings.Contains(told, "tabClosed") || strings.Contains(told, "tabOpened") {
		t.Errorf("it was lost on the way:\n%s", told)
	}
}

// unkeptSite has pages with the canary that browsers do not keep.
func unkeptSite(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		fmt.Fprintf(w, "<!doctype html><title>%s</title><link rel=icon href=data:,><p>unkept<script>navigator.locks?.request('x', () => new Promise(() => {}))</script>", canary)
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", canary+"-unkept.localhost", 1)
}
