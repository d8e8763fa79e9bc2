package cdp_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

func testNavigateKinds(t *testing.T, r *rig) {
	tab := r.open(t, "")
	for _, tt := range []struct {
		path, url, title string
		status           int
		wait             browser.Wait
	}{
		{"/plain", "/plain", "Plain", 200, ""},
		{"/next", "/next", "Next", 200, browser.WaitDOM},
		{"/redirect", "/plain", "Plain", 200, ""},
		{"/bounce", "/plain", "Plain", 200, ""},
		{"/missing", "/missing", "Missing", 404, ""},
	} {
		var n browser.Navigation
		before := r.tab(tab).Doc
		r.must(t, tab, browser.Navigate{URL: r.here + tt.path, Wait: tt.wait}, &n)
		if tt.path == "/bounce" && n.URL != r.here+tt.url {
			r.await(t, "the second page", func() bool { return r.tabs[tab].URL == r.here+tt.url && r.tabs[tab].Title == tt.title })
			continue
		}
		if n.URL != r.here+tt.url || n.Title != tt.title || n.Status != tt.status || n.SameDoc || n.TimedOut || n.Doc <= before {
			t.Errorf("%s: %+v after document %d", tt.path, n, before)
		}
		if now := r.tab(tab); now.URL != n.URL || now.Title != n.Title || now.Doc != n.Doc || now.Loading && tt.wait == "" {
			t.Errorf("%s: the event told %+v", tt.path, now)
		}
	}
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.here + "/plain"}, nil)
	before := r.tab(tab).Doc
	r.must(t, tab, browser.Navigate{URL: r.here + "/plain#part"}, &n)
	if !n.SameDoc || n.Doc != before || n.URL != r.here+"/plain#part" {
		t.Errorf("to a part of the page: %+v", n)
	}
	r.must(t, tab, browser.Navigate{URL: r.here + "/next", Wait: browser.WaitNone}, &n)
	r.await(t, "the page that was not waited for", func() bool { return r.tabs[tab].URL == r.here+"/next" })
}

func testNavigateRefused(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	for _, tt := range []struct {
		url   string
		code  browser.Code
		parts []string
	}{
		{"http://" + free.Addr().String() + "/", browser.CodePageError, []string{free.Addr().String(), "nothing answers"}},
		{"http://no-such-host.invalid/", browser.CodePageError, []string{"no-such-host.invalid", "no such host"}},
		{r.here + "/nothing", browser.CodePageError, []string{"brought no page"}},
		{"http://", browser.CodeInvalidArguments, []string{"cannot go to"}},
	} {
		wantError(t, tt.url, r.do(tab, browser.Navigate{URL: tt.url}, &browser.Navigation{}), tt.code, tt.parts...)
	}
	r.must(t, tab, browser.Navigate{URL: r.here + "/plain"}, nil)
	r.wantEval(t, tab, "return document.title", `"Plain"`)
}

func testNavigateSlow(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.here + "/neverloads", Timeout: 500 * time.Millisecond}, &n)
	if !n.TimedOut || n.URL != r.here+"/neverloads" || n.Title != "Never loads" {
		t.Errorf("a page that never loads: %+v", n)
	}
	r.must(t, tab, browser.Navigate{URL: r.here + "/neverloads", Wait: browser.WaitDOM}, &n)
	if n.TimedOut {
		t.Errorf("its document: %+v", n)
	}
	r.must(t, tab, browser.Navigate{URL: r.here + "/next", Wait: browser.WaitIdle}, &n)
	if n.TimedOut {
		t.Errorf("a page that rests: %+v", n)
	}
	r.must(t, tab, browser.Navigate{URL: r.here + "/pings", Wait: browser.WaitIdle, Timeout: 2 * time.Second}, &n)
	if !n.TimedOut || n.URL != r.here+"/pings" {
		t.Errorf("a page that never rests: %+v", n)
	}
	err := r.do(tab, browser.Navigate{URL: r.here + "/slow", Timeout: 300 * time.Millisecond}, &n)
	wantError(t, "a silent server", err, browser.CodeTimeout, "127.0.0.1", "300ms")
	r.await(t, "stopped", func() bool { return !r.tabs[tab].Loading })

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	err = r.Do(ctx, browser.Target{Tab: tab}, browser.Navigate{URL: r.here + "/slow"}, &n)
	wantError(t, "a cancelled navigation", err, browser.CodeCancelled)
	r.await(t, "stopped", func() bool { return !r.tabs[tab].Loading })
}

// testNavigateLate waits for servers that take long to answer: until then the
// browser lets nobody ask the page that is left.
func testNavigateLate(t *testing.T, r *rig) {
	tab := r.open(t, "")
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.here + "/late"}, &n)
	if n.Title != "Late" || n.TimedOut {
		t.Errorf("a late page: %+v", n)
	}
}

// testHistoryOfFrame goes back where only a frame has gone anywhere.
func testHistoryOfFrame(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/framed")
	before := r.tab(tab).Doc
	r.eval(t, tab, `const f = document.querySelector("iframe"), there = new Promise(r => f.onload = r); f.contentWindow.location = "/plain"; await there`)
	var n browser.Navigation
	for _, step := range []struct {
		to   browser.History
		path string
	}{{browser.Back, "/next"}, {browser.Forward, "/plain"}} {
		r.must(t, tab, browser.Navigate{To: step.to, Timeout: 5 * time.Second}, &n)
		if !n.InFrame || n.SameDoc || n.Doc != before || n.URL != r.here+"/framed" {
			t.Errorf("%s in a frame: %+v after document %d", step.to, n, before)
		}
		r.await(t, "the frame at "+step.path, func() bool {
			f := r.tabs[tab].Frames
			return len(f) == 2 && f[1].URL == r.here+step.path
		})
	}
}

// testLeaveUnderWay leaves a page that is on its way to a server which does not
// answer, without harm to the tab that shares its process.
func testLeaveUnderWay(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	popup := r.popup(t, tab, "/next")
	r.eval(t, tab, `setTimeout(() => { location = "/slow" })`)
	r.await(t, "the way to it", func() bool { return r.tabs[tab].Loading })
	wantError(t, "a look at a page under way", r.do(tab, browser.Snapshot{}, &browser.Outline{}), browser.CodeTimeout, "on its way to "+r.here+"/slow")
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{To: browser.Reload, Timeout: 5 * time.Second}, &n)
	if n.URL != r.here+"/plain" {
		t.Errorf("reloaded: %+v", n)
	}
	r.wantEval(t, popup, "return document.title", `"Next"`)
	r.must(t, popup, browser.CloseTab{}, nil)
}

func testHistory(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	r.must(t, tab, browser.Navigate{URL: r.here + "/next"}, nil)
	r.must(t, tab, browser.Navigate{URL: r.there + "/plain"}, nil)
	var n browser.Navigation
	for _, step := range []struct {
		to  browser.History
		url string
	}{
		{browser.Back, r.here + "/next"}, {browser.Back, r.here + "/plain"}, {browser.Forward, r.here + "/next"},
		{browser.Reload, r.here + "/next"}, {browser.Forward, r.there + "/plain"},
	} {
		before := r.tab(tab).Doc
		r.must(t, tab, browser.Navigate{To: step.to}, &n)
		if n.URL != step.url || n.Doc <= before || n.SameDoc {
			t.Errorf("%s: %+v after document %d, want %s", step.to, n, before, step.url)
		}
	}
	wantError(t, "forward from the last page", r.do(tab, browser.Navigate{To: browser.Forward}, &n), browser.CodePageError, "no page")
	wantError(t, "sideways", r.do(tab, browser.Navigate{To: "sideways"}, &n), browser.CodeInvalidArguments, "sideways")
	r.eval(t, tab, `history.pushState({},"","/pushed")`)
	r.must(t, tab, browser.Navigate{To: browser.Back}, &n)
	if !n.SameDoc || n.URL != r.there+"/plain" {
		t.Errorf("back within the document: %+v", n)
	}
}

func testCached(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/cached")
	was := r.eval(t, tab, "return n")
	frames := r.frames(t, tab)
	r.must(t, tab, browser.Navigate{URL: r.here + "/next"}, nil)
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{To: browser.Back, Timeout: 5 * time.Second}, &n)
	if n.TimedOut || n.URL != r.here+"/cached" {
		t.Errorf("back to a page in the cache: %+v", n)
	}
	if r.eval(t, tab, "return persisted") != "true" {
		t.Fatal("the browser did not keep the page: what comes out of its cache was not tested")
	}
	r.wantEval(t, tab, "return n", was)
	now := r.frames(t, tab)
	if len(now) != len(frames) {
		t.Fatalf("frames %+v before, %+v after", frames, now)
	}
	if now[1].ID == frames[1].ID || now[1].URL != frames[1].URL {
		t.Errorf("frame %+v before, %+v after", frames[1], now[1])
	}
}

func testHang(t *testing.T, r *rig) {
	tab := r.open(t, "")
	r.must(t, tab, browser.Navigate{URL: r.here + "/hang"}, nil)
	err := r.do(tab, browser.Evaluate{Code: `await new Promise(r=>setTimeout(r,100)); return 1`, Timeout: 400 * time.Millisecond}, &browser.Value{})
	wantError(t, "code in a page that hangs", err, browser.CodeTimeout)
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.here + "/plain", Timeout: 10 * time.Second}, &n)
	r.wantEval(t, tab, "return document.title", `"Plain"`)
}

func testBeforeUnload(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/guard")
	r.eval(t, tab, "return 1") // counts as a person's doing, without which pages may not ask
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.here + "/plain"}, &n)
	if n.Dialog == nil || n.Dialog.Kind != browser.DialogBeforeUnload || n.URL != r.here+"/guard" {
		t.Fatalf("leaving a page that asks: %+v", n)
	}
	wantError(t, "leaving it again", r.do(tab, browser.Navigate{URL: r.here + "/plain"}, &n), browser.CodeDialogOpen, "beforeunload")
	r.must(t, tab, browser.HandleDialog{Accept: false}, &browser.Observation{})
	r.wantEval(t, tab, "return document.title", `"Guard"`)
	r.must(t, tab, browser.Navigate{To: browser.Reload}, &n)
	if n.Dialog == nil {
		t.Fatalf("reloading a page that asks: %+v", n)
	}
	r.must(t, tab, browser.HandleDialog{Accept: false}, &browser.Observation{})
	r.must(t, tab, browser.Navigate{URL: r.here + "/plain"}, &n)
	var obs browser.Observation
	r.must(t, tab, browser.HandleDialog{Accept: true}, &obs)
	if obs.Navigated == nil || obs.Navigated.URL != r.here+"/plain" {
		t.Errorf("after yes: %+v", obs)
	}
	r.wantEval(t, tab, "return document.title", `"Plain"`)
}

func testClosing(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/guard")
	r.eval(t, tab, "return 1")
	var c browser.Closed
	r.must(t, tab, browser.CloseTab{Ask: true}, &c)
	if c.Dialog == nil || c.Dialog.Kind != browser.DialogBeforeUnload {
		t.Fatalf("closing a page that asks: %+v", c)
	}
	wantError(t, "closing it again", r.do(tab, browser.CloseTab{Ask: true}, &c), browser.CodeDialogOpen, "beforeunload")
	r.must(t, tab, browser.HandleDialog{Accept: false}, &browser.Observation{})
	r.wantEval(t, tab, "return document.title", `"Guard"`)
	r.must(t, tab, browser.CloseTab{Ask: true}, &c)
	var obs browser.Observation
	r.must(t, tab, browser.HandleDialog{Accept: true}, &obs)
	if got := strings.Join(obs.Notes, "; "); !strings.Contains(got, "closed") {
		t.Errorf("after yes: %+v", obs)
	}
	wantError(t, "the tab after yes", r.do(tab, browser.Evaluate{Code: "return 1"}, &browser.Value{}), browser.CodeUnknownTab)

	for name, code := range map[string]string{"plain": "return 1", "alert": "alert(1)", "hang": "setTimeout(() => { for (;;); })"} {
		tab := r.open(t, r.here+"/plain")
		r.must(t, tab, browser.Evaluate{Code: code}, &browser.Value{})
		if r.must(t, tab, browser.CloseTab{Ask: true}, &c); c.Dialog != nil {
			t.Errorf("closing the page %s: %+v", name, c)
		}
	}
	tab = r.open(t, r.here+"/guard")
	r.eval(t, tab, "return 1")
	r.must(t, tab, browser.CloseTab{}, nil) // at the end of a session nobody is asked
}
