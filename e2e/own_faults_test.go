package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
)

// at has the browser do something with its tab at an address, t.
func (u *owned) at(url, do string) string {
	u.t.Helper()
	return u.eval(u.office, fmt.Sprintf("chrome.tabs.query({}).then((all) => { const t = all.find((t) => t.url === %q); return %s })", url, do))
}

// tabAt is the id of the tab at an address.
func (c *client) tabAt(url string) (tab string) {
	c.tb.Helper()
	until(c.tb.(*testing.T), url+" in the list", func() bool {
		for line := range strings.Lines(c.call("list_tabs", nil)) {
			if id, rest, _ := strings.Cut(line, " · "); strings.HasPrefix(id, "t") && strings.Contains(rest, " · "+url) {
				tab = id
			}
		}
		return tab != ""
	})
	return tab
}

// TestFaultsOfTabs does to tabs, of which an agent has seen something, what
// browsers, their users and pages do to them.
func TestFaultsOfTabs(t *testing.T) {
	t.Parallel()
	c, address := serveOwn(t)
	h, s := newHeld(t), newSite(t)
	u := own(t, c.process, address, "work", cdp.LaunchOptions{}, nil)
	c.awaitBrowser(t, "work")
	hour := func(url string) { u.popup(url, `{ kind: "allow", what: "tab", subdomains: false, duration: "hour" }`) }

	t.Run("duplicated", func(t *testing.T) {
		url := s.URL + "/shop?duplicated"
		tab := c.openIn("work", url)
		email := c.ref(tab, `textbox "Email"`)
		c.call("fill", args{"tab": tab, "ref": email, "value": "ann@shop.example"})
		before := c.call("list_tabs", nil)
		u.at(url, "chrome.tabs.duplicate(t.id).then(() => undefined)")
		u.at(url, "new Promise((done) => setTimeout(done, 300))") // time to be told of wrongly
		if after := c.call("list_tabs", nil); after != before {
			t.Errorf("a tab that its user has duplicated is told of:\n%s", after)
		}
		c.want(c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Order"`)}), "Thank you, ann@shop.example")
		// Once it is allowed it is one of its own.
		u.eval(u.office, "chrome.tabs.query({ active: true }).then(([t]) => chrome.runtime.sendMessage({ kind: 'allow', tab: t.id, what: 'tab', subdomains: false, duration: 'hour' })).then(() => undefined)")
		var other string
		until(t, "the other tab", func() bool {
			for line := range strings.Lines(c.call("list_tabs", nil)) {
				if id, rest, _ := strings.Cut(line, " · "); strings.Contains(rest, url) && id != tab {
					other = id
				}
			}
			return other != ""
		})
		if said := c.call("snapshot", args{"tab": other}); strings.Contains(said, "ann@shop.example") {
			t.Errorf("what is in the one is told of the other:\n%s", said)
		}
		c.call("close_tab", args{"tab": other})
		c.want(c.call("snapshot", args{"tab": tab}), "ann@shop.example")
	})

	t.Run("unloaded", func(t *testing.T) {
		url := s.URL + "/shop?unloaded"
		tab := c.openIn("work", url)
		order := c.ref(tab, `button "Order"`)
		unload := func() {
			u.at(url, "chrome.tabs.discard(t.id).then(() => undefined)")
			until(t, "its sleep in the list", func() bool { return strings.Contains(c.call("list_tabs", nil), "asleep") })
		}
		unload()
		if again := c.tabAt(url); again != tab {
			t.Errorf("%s is %s once it is unloaded", tab, again)
		}
		c.want(c.refused("click", args{"tab": tab, "ref": order}), "is not on the page any more")
		c.want(c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Order"`)}), "Thank you")
		if list := c.call("list_tabs", nil); strings.Contains(list, "asleep") {
			t.Errorf("it is loaded again:\n%s", list)
		}
		unload()
		c.call("navigate", args{"tab": tab, "url": s.URL + "/about"})
		c.want(c.call("snapshot", args{"tab": tab}), "We are a small shop")
		c.call("close_tab", args{"tab": tab})
	})

	t.Run("kept by its browser and shown again", func(t *testing.T) {
		tab := c.openIn("work", s.URL+"/shop?kept")
		refs := map[string]string{"back": c.ref(tab, `textbox "Email"`)}
		c.call("navigate", args{"tab": tab, "url": s.URL + "/shop?next"})
		refs["forward"] = c.ref(tab, `textbox "Email"`)
		for _, to := range []string{"back", "forward", "back", "forward"} {
			c.call("navigate", args{"tab": tab, "to": to})
			c.want(c.call("fill", args{"tab": tab, "ref": refs[to], "value": to}), `= "`+to+`"`)
		}
		c.call("close_tab", args{"tab": tab})
	})

	t.Run("frozen", func(t *testing.T) {
		url := s.URL + "/shop?still"
		page := u.page(url)
		hour(url)
		tab := c.tabAt(url)
		order := c.ref(tab, `button "Order"`)
		u.page("about:blank") // in front
		u.send(page, "Page.setWebLifecycleState", map[string]any{"state": "frozen"}, nil)
		until(t, "that in the list", func() bool { return strings.Contains(c.call("list_tabs", nil), "frozen") })
		began := time.Now()
		c.want(c.refused("click", args{"tab": tab, "ref": order}), "the page in "+tab+" is frozen", "activate_tab")
		if took := time.Since(began); took > time.Second {
			t.Errorf("told after %s", took)
		}
		other := c.openIn("work", s.URL+"/about") // it is in nobody's way
		c.call("activate_tab", args{"tab": tab})
		until(t, "it goes on", func() bool { return !strings.Contains(c.call("list_tabs", nil), "frozen") })
		c.want(c.call("click", args{"tab": tab, "ref": order}), "Thank you")
		c.call("close_tab", args{"tab": tab})
		c.call("close_tab", args{"tab": other})
	})

	t.Run("hung", func(t *testing.T) {
		url := s.URL + "/about?hung"
		tab := c.openIn("work", url)
		c.call("snapshot", args{"tab": tab})
		u.at(url, "void chrome.scripting.executeScript({ target: { tabId: t.id }, func: () => { for (;;); } })")
		other := c.openIn("work", h.far()) // it is in nobody's way
		c.ref(other, `button "Press"`)
		c.want(c.call("navigate", args{"tab": tab, "url": s.URL + "/shop?hung"}), tab+" · ")
		c.want(c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Order"`)}), "Thank you")
		c.call("close_tab", args{"tab": other})
	})

	t.Run("closed in the middle of a call", func(t *testing.T) {
		tab, other := c.openIn("work", h.URL), c.openIn("work", h.far())
		press, apart := c.ref(tab, `button "Press"`), c.ref(other, `button "Press"`)
		said := c.ask(t, "click", args{"tab": tab, "ref": press})
		<-h.pressed
		u.at(h.URL+"/", "chrome.tabs.remove(t.id)")
		h.goOn <- struct{}{}
		c.want(said(), "clicked "+press, "it was closed") // what was done is told
		c.want(c.refused("click", args{"tab": tab, "ref": press}), `no tab "`+tab+`"`)
		said = c.ask(t, "wait_for", args{"tab": other, "text": "never"})
		c.call("snapshot", args{"tab": other})
		u.at(h.far()+"/", "chrome.tabs.remove(t.id)")
		c.want(said(), other)
		c.want(c.refused("click", args{"tab": other, "ref": apart}), `no tab "`+other+`"`)
	})

	t.Run("of 50 MB", func(t *testing.T) {
		large := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<!doctype html><title>Large</title><button onclick=\"out.textContent = 'pressed'\">Press</button><p id=out role=status></p>")
			words := strings.Repeat("all work and no play ", 500)
			for i := range 50 << 20 / len(words) { // some of it to read, the rest data of its scripts
				line := "<p>" + words + "</p>\n"
				if i%10 != 0 {
					line = `<script type="application/json">"` + words + "\"</script>\n"
				}
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
			_, _ = io.WriteString(w, "<p>The end of it.</p>")
		}))
		t.Cleanup(large.Close)
		tab := c.openIn("work", large.URL)
		look := c.call("snapshot", args{"tab": tab})
		if len(look) > 40_000 {
			t.Errorf("an outline of %d bytes", len(look))
		}
		c.want(c.call("click", args{"tab": tab, "ref": c.find(`(e\d+) button "Press"`, look)}), "effect confirmed")
		c.want(c.call("wait_for", args{"tab": tab, "text": "pressed"}), tab)
		for _, as := range []string{"text", "html"} { // a part, or a refusal that says what to do
			if said := c.reply("read_page", args{"tab": tab, "as": as}); len(said) > 1<<20 || !strings.Contains(said, "all work") && !strings.Contains(said, "ref") {
				t.Errorf("%s: %d bytes: %.300s", as, len(said), said)
			}
		}
		c.want(c.call("find", args{"tab": tab, "text": "The end of it"}), "The end")
		c.want(c.call("list_tabs", nil), tab+" · ")
		c.call("close_tab", args{"tab": tab})
	})
}
