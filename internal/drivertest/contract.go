package drivertest

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

func testTabs(t *testing.T, r *Rig, site string) {
	var tab browser.Tab
	r.must(t, "", browser.OpenTab{}, &tab)
	got, ok := r.Tab(tab.ID)
	if !ok {
		t.Fatal("OpenTab returned before its TabOpened event")
	}
	if tab.ID == "" || tab.Key == "" || got.Key != tab.Key || tab.Doc < 1 {
		t.Errorf("opened %+v, the event told %+v", tab, got)
	}
	var other browser.Tab
	r.must(t, "", browser.OpenTab{}, &other)
	if other.ID == tab.ID || other.Key == tab.Key {
		t.Errorf("two tabs are %s (%s)", tab.ID, tab.Key)
	}
	var beside browser.Tab
	r.must(t, "", browser.OpenTab{Window: tab.Window}, &beside)
	if beside.Window != tab.Window {
		t.Errorf("a tab for window %q is in %q", tab.Window, beside.Window)
	}
	r.must(t, beside.ID, browser.CloseTab{}, nil)
	wantCode(t, "a tab in a window that there is not", r.do("", browser.OpenTab{Window: "w999999999"}, &browser.Tab{}), browser.CodeInvalidArguments)
	r.must(t, other.ID, browser.ActivateTab{}, nil)
	if got, _ := r.Tab(other.ID); !got.Active {
		t.Error("the activated tab is not active")
	}
	for _, id := range []browser.TabID{tab.ID, other.ID} {
		r.must(t, id, browser.CloseTab{}, nil)
		if _, ok := r.Tab(id); ok {
			t.Errorf("CloseTab of %s returned before its TabClosed event", id)
		}
		wantCode(t, "snapshot of a closed tab", r.do(id, browser.Snapshot{}, &browser.Outline{}), browser.CodeUnknownTab)
	}
	wantCode(t, "a tab that never was", r.do("t999", browser.CloseTab{}, nil), browser.CodeUnknownTab)
}

func testNavigation(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	first, _ := r.Tab(tab)
	if first.URL != site+"/start" || first.Title != "Start" {
		t.Errorf("after opening, the tab is at %s %q", first.URL, first.Title)
	}
	for _, step := range []struct {
		op   browser.Navigate
		path string
	}{
		{browser.Navigate{URL: site + "/next"}, "/next"},
		{browser.Navigate{To: browser.Back}, "/start"},
		{browser.Navigate{To: browser.Forward}, "/next"},
		{browser.Navigate{To: browser.Reload}, "/next"},
	} {
		before, _ := r.Tab(tab)
		var nav browser.Navigation
		r.must(t, tab, step.op, &nav)
		now, _ := r.Tab(tab)
		if nav.URL != site+step.path || now.URL != nav.URL {
			t.Errorf("%+v led to %s, the event told %s", step.op, nav.URL, now.URL)
		}
		if nav.Doc <= before.Doc || now.Doc != nav.Doc {
			t.Errorf("%+v: document %d after %d, the event told %d", step.op, nav.Doc, before.Doc, now.Doc)
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	wantCode(t, "a port that nobody listens on", r.do(tab, browser.Navigate{URL: "http://" + free.Addr().String() + "/"}, &browser.Navigation{}), browser.CodePageError)
	was, _ := r.Tab(tab)
	for range 2 {
		_ = r.do(tab, browser.Snapshot{}, &browser.Outline{}) // not all browsers let their own pages be read
	}
	if now, _ := r.Tab(tab); now.Doc != was.Doc || now.URL != was.URL {
		t.Errorf("after a look at the browser's page about an error the tab is told as %+v, before as %+v", now, was)
	}
}

func testDocuments(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	was, _ := r.Tab(tab)
	press := ref(t, r.outline(t, tab), "Press")
	r.must(t, tab, browser.Navigate{URL: site + "/start"}, &browser.Navigation{})
	to := browser.Target{Tab: tab, Doc: was.Doc, Origins: browser.AnyOrigin()}
	wantCode(t, "an act on a document that is gone", r.Do(r.ctx, to, browser.Click{At: browser.Spot{Ref: press}}, &browser.Observation{}), browser.CodeStaleDocument)
	wantCode(t, "a reading of a document that is gone", r.Do(r.ctx, to, browser.Snapshot{}, &browser.Outline{}), browser.CodeStaleDocument)
	wantCode(t, "a ref of a document that is gone", r.do(tab, browser.Click{At: browser.Spot{Ref: press}}, &browser.Observation{}), browser.CodeStaleRef)
}

func testRefs(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	one := r.outline(t, tab)
	if two := r.outline(t, tab); one != two {
		t.Errorf("two snapshots of the same page differ:\n%s\n--\n%s", one, two)
	}
	seen := map[string]bool{}
	collect := func(outline string) {
		for line := range strings.Lines(outline) {
			if word := strings.Fields(line)[0]; word[0] == 'e' && strings.Trim(word[1:], "0123456789") == "" {
				if seen[word] {
					t.Errorf("%s was given again, to %s", word, line)
				}
				seen[word] = true
			}
		}
	}
	collect(one)
	r.must(t, tab, browser.Navigate{To: browser.Reload}, &browser.Navigation{})
	collect(r.outline(t, tab))
	if len(seen) < 4 {
		t.Errorf("only the refs %v in\n%s", seen, one)
	}
	var found browser.Found
	r.must(t, tab, browser.Find{Role: "link", Name: "next", Limit: 5}, &found)
	if len(found.Lines) != 1 || !strings.Contains(found.Lines[0], `link "Next page"`) {
		t.Errorf("find gave %q", found.Lines)
	}
}

func testOrigins(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	to := browser.Target{Tab: tab, Origins: browser.Origins(func(o browser.Origin) bool { return o == "https://elsewhere.example" })}
	wantCode(t, "a reading on an origin that was not permitted", r.Do(r.ctx, to, browser.Snapshot{}, &browser.Outline{}), browser.CodeOriginChanged)
	wantCode(t, "no origins at all", r.Do(r.ctx, browser.Target{Tab: tab}, browser.PressKey{Keys: "a"}, &browser.Observation{}), browser.CodeOriginChanged)
}

// testCapabilities holds a driver to its word: what it can, works, and what it
// cannot is refused as such.
func testCapabilities(t *testing.T, r *Rig, site string) {
	id := r.open(t, site+"/start")
	tab, _ := r.Tab(id)
	for _, tt := range []struct {
		op     browser.Op
		result any
	}{
		{browser.Evaluate{Code: "return 1 + 1"}, &browser.Value{}},
		{browser.Screenshot{Format: "png"}, &browser.Picture{}},
		{browser.AddElement{Tag: "div"}, &browser.Added{}},
	} {
		err := r.do(id, tt.op, tt.result)
		if tab.Caps&tt.op.Needs() != tt.op.Needs() {
			wantCode(t, tt.op.OpName(), err, browser.CodeNotSupported)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.op.OpName(), err)
		}
	}
}

func testWait(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	var w browser.Waited
	r.must(t, tab, browser.WaitFor{Text: "Not pressed", Timeout: 5 * time.Second}, &w)
	if !w.Met {
		t.Error("a text that is there was not found")
	}
	wantCode(t, "a text that never comes", r.do(tab, browser.WaitFor{Text: "No such words", Timeout: 300 * time.Millisecond}, &w), browser.CodeTimeout)
	r.must(t, tab, browser.WaitFor{URL: "/start", Timeout: 5 * time.Second}, &w)
}

func testCancelled(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	err := r.Do(ctx, browser.Target{Tab: tab, Origins: browser.AnyOrigin()}, browser.Click{At: browser.Spot{Ref: browser.Ref{N: 1}}}, &browser.Observation{})
	if browser.CodeOf(err) != browser.CodeCancelled {
		t.Errorf("a cancelled act: %v", err)
	}
}
