package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
)

// ownWaiting is how long a call may wait by itself on the worst of pages, with
// something on top for a machine that does much else.
const ownWaiting = 6*time.Second + 3*time.Second

// worstSite serves testdata/worst, and /hang, whose answer never comes. OTHER in
// a page is the same server under another name, which is another site.
func worstSite(tb testing.TB) string {
	end := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			select {
			case <-r.Context().Done():
			case <-end:
			}
			return
		}
		page, err := os.ReadFile("testdata/worst/" + path.Base(r.URL.Path))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		_, port, _ := strings.Cut(r.Host, ":")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(strings.ReplaceAll(string(page), "OTHER", "localhost:"+port)))
	}))
	tb.Cleanup(func() { close(end); s.Close() })
	return s.URL
}

// timed calls a tool and holds it to its own waiting; it returns what it says.
func (c *client) timed(name string, a args) (text string, failed bool) {
	c.tb.Helper()
	began := time.Now()
	res, err := c.result(c.tb.Context(), name, a)
	if err != nil {
		c.tb.Fatalf("%s %v: %v", name, a, err)
	}
	if took := time.Since(began); took > ownWaiting {
		c.tb.Errorf("%s %v took %s", name, a, took)
	}
	return textOf(res), res.IsError
}

// within is the client for a part of its test that runs beside others.
func (c *client) within(tb testing.TB) *client {
	p := *c.process
	p.tb = tb
	return &client{process: &p, session: c.session}
}

// TestPagesThatNeverEnd holds every call on such a page to its time, other tabs
// to going on, and navigate to leading out of it.
func TestPagesThatNeverEnd(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	c := serve(t)
	other := c.open(site + "/plain.html?other")
	for _, tt := range []struct {
		page   string
		click  string // the button to press, if the page can be read at first
		answer string // to the click
		reads  bool   // the page can be read after that
	}{
		{"ticker", "Act", "Done 1", true},
		{"hang-fetch", "Act", "Done 1", true},
		{"storm", "Act", "effect confirmed", true},
		{"loopframe", "Act", "Done 1", true},
		{"unloadloop", "Act", "Done 1", true},
		{"loopclick", "Spin", "has not answered since", false},
		{"loop", "", "", false},
		{"loopagain", "", "", false},
		{"syncxhr", "", "", false},
	} {
		t.Run(tt.page, func(t *testing.T) {
			t.Parallel()
			c := c.within(t)
			text, _ := c.timed("open_tab", args{"url": site + "/" + tt.page + ".html", "timeout": 5})
			tab := c.find(`^(t\d+) · `, text)
			if tt.click != "" {
				text, _ = c.timed("snapshot", args{"tab": tab})
				ref := c.find(`(?m)^\s*(e\d+) button "`+tt.click, text)
				text, _ = c.timed("click", args{"tab": tab, "ref": ref})
				c.want(text, tt.answer)
			} else {
				// The loop begins a moment after the page is there.
				_, _ = c.timed("wait_for", args{"tab": tab, "text": "never comes", "timeout": 1})
			}
			for _, call := range []struct {
				tool string
				args args
			}{{"snapshot", args{"tab": tab}}, {"find", args{"tab": tab, "text": "Act"}}, {"press_key", args{"tab": tab, "keys": "Tab"}}} {
				text, failed := c.timed(call.tool, call.args)
				if failed == tt.reads || failed && !strings.Contains(text, noAnswer) {
					t.Errorf("%s says %s", call.tool, text)
				}
			}
			text, _ = c.timed("snapshot", args{"tab": other})
			c.want(text, `heading 1 "Plain"`)
			c.want(c.call("list_tabs", nil), tab+" · ")
			text, failed := c.timed("navigate", args{"tab": tab, "url": site + "/plain.html?" + tt.page})
			if failed {
				t.Fatalf("navigate says %s", text)
			}
			c.want(c.call("snapshot", args{"tab": tab}), `heading 1 "Plain"`)
			if text, failed := c.timed("close_tab", args{"tab": tab}); failed {
				t.Errorf("close_tab says %s", text)
			}
		})
	}
	t.Run("closed while it hangs", func(t *testing.T) {
		t.Parallel()
		c := c.within(t)
		tab := c.open(site + "/loopclick.html")
		c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Spin"`), "settle": "none", "timeout": 1})
		if text, failed := c.timed("close_tab", args{"tab": tab}); failed {
			t.Errorf("a page that hangs is not closed: %s", text)
		}
	})
}

// TestEveryFoldOpens follows every cursor and scope of a page with 20,000
// buttons, and must come by each of them once.
func TestEveryFoldOpens(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	c := serve(t)
	tab := c.open(site + "/many.html")
	button, fold, pair := regexp.MustCompile(`button "Button (\d+)"`), regexp.MustCompile(`\(snapshot((?: \w+=\S+?)+)\)`), regexp.MustCompile(`(\w+)=(\S+)`)
	const tokens = 20_000
	seen := make(map[string]int)
	todo, calls := []args{{}}, 0
	for ; len(todo) > 0; calls++ {
		if calls == 40 {
			t.Fatalf("%d of the buttons were seen in %d calls", len(seen), calls)
		}
		a := todo[0]
		todo = todo[1:]
		a["tab"], a["max_tokens"] = tab, tokens
		text, failed := answered(func() (string, bool) { return c.timed("snapshot", a) })
		if failed || len(text) > tokens*4+500 {
			t.Fatalf("snapshot %v: %d bytes: %.200s", a, len(text), text)
		}
		for _, m := range button.FindAllStringSubmatch(text, -1) {
			seen[m[1]]++
		}
		for _, m := range fold.FindAllStringSubmatch(text, -1) {
			next := args{}
			for _, p := range pair.FindAllStringSubmatch(m[1], -1) {
				next[p[1]] = p[2]
			}
			todo = append(todo, next)
		}
	}
	for i := range 20_000 {
		if n := seen[fmt.Sprint(i)]; n != 1 {
			t.Fatalf("Button %d was seen %d times, in %d calls", i, n, calls)
		}
	}
}

// TestHugePagesAreReadInTime reads pages with very much in them.
func TestHugePagesAreReadInTime(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	c := serve(t)
	for _, page := range []string{"many", "manytexts"} {
		tab := c.open(site + "/" + page + ".html")
		for _, call := range []struct {
			tool string
			args args
		}{{"snapshot", args{}}, {"read_page", args{}}, {"find", args{"text": "Act"}}, {"find", args{"role": "button"}}, {"screenshot", args{}}} {
			call.args["tab"] = tab
			text, failed := answered(func() (string, bool) { return c.timed(call.tool, call.args) })
			if failed || len(text) > 20_000 {
				t.Errorf("%s of %s: %d bytes: %.200s", call.tool, page, len(text), text)
			}
		}
		c.call("close_tab", args{"tab": tab})
	}
}

// TestPopupsInAFlood bounds what a click answers that opens many windows.
func TestPopupsInAFlood(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	c := serve(t)
	tab := c.open(site + "/popups.html")
	text, failed := c.timed("click", args{"tab": tab, "ref": c.ref(tab, `button "Flood"`)})
	if failed || len(text) > 8_000 {
		t.Errorf("%d bytes: %.400s", len(text), text)
	}
	c.want(c.call("snapshot", args{"tab": tab}), `button "Flood"`)
}
