package link_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/drivertest"
	"drawbridge/internal/extension"
	"drawbridge/internal/link"
)

// nestedSite has a page, /outer, with a frame of another site, which has one of a
// third; /twins has two frames at one address of another site. Each document
// writes, throws and fetches as it loads.
func nestedSite(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		port := r.Host[strings.LastIndexByte(r.Host, ':'):]
		name := strings.TrimPrefix(r.URL.Path, "/")
		if after, ok := strings.CutPrefix(name, "data-"); ok {
			fmt.Fprintf(w, "body for %s", after)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>%s</title><script>
console.log("hello from %[1]s");
fetch("/data-%[1]s").then(r => r.text()).then(t => console.warn("got " + t));
setTimeout(() => { throw new RangeError("broken in %[1]s") });
addEventListener("message", e => console.log("heard " + e.data));
</script>`, name)
		switch name {
		case "outer":
			fmt.Fprintf(w, "<iframe src=http://localhost%s/middle></iframe>", port)
		case "middle":
			fmt.Fprintf(w, "<iframe src=http://inner.localhost%s/inner></iframe>", port)
		case "twins":
			fmt.Fprintf(w, "<iframe src=http://localhost%s/twin></iframe><iframe src=http://localhost%[1]s/twin></iframe>", port)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// recorder is a tab of a browser whose extension has full power.
type recorder struct {
	*alone
	d *driven
}

func newRecorder(t *testing.T, then func(context.Context, cdp.Connection) error) recorder {
	t.Helper()
	_, err := cdp.FindBrowser("")
	need(t, err)
	d := &driven{ids: new(browser.IDs), engine: extension.Chromium, full: true, then: then}
	return recorder{&alone{Rig: drivertest.NewRig(t, d), t: t}, d}
}

// open opens a page in a tab of its own.
func (r recorder) open(url string) {
	r.t.Helper()
	var tab browser.Tab
	r.must(browser.OpenTab{}, &tab)
	r.tab = tab.ID
	r.must(browser.Navigate{URL: url}, &browser.Navigation{})
}

// waits looks until ok holds.
func (r recorder) waits(what string, ok func() bool) {
	r.t.Helper()
	limit, again := time.After(20*time.Second), time.NewTicker(20*time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-again.C:
		case <-limit:
			if r.tab == "" {
				r.t.Fatalf("%s: not seen", what)
			}
			var m browser.Messages
			var x browser.Exchanges
			r.must(browser.ListConsole{}, &m)
			r.must(browser.ListRequests{}, &x)
			r.t.Fatalf("%s: not seen, but\n%+v\n%+v", what, m.List, x.List)
		}
	}
}

// message is the first with a text.
func (r recorder) message(text string) browser.Message {
	r.t.Helper()
	var found browser.Message
	r.waits(text, func() bool {
		var all browser.Messages
		r.must(browser.ListConsole{}, &all)
		for _, m := range all.List {
			if strings.Contains(m.Text, text) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// request is the first for a path, which has ended.
func (r recorder) request(path string) browser.Exchange {
	r.t.Helper()
	var found browser.Exchange
	r.waits(path, func() bool {
		var all browser.Exchanges
		r.must(browser.ListRequests{}, &all)
		for _, x := range all.List {
			if strings.HasSuffix(x.URL, path) && x.Done {
				found = x
				return true
			}
		}
		return false
	})
	return found
}

func (r recorder) body(x browser.Exchange) string {
	r.t.Helper()
	var e browser.Exchanged
	r.must(browser.GetRequest{N: x.N}, &e)
	return string(e.ResponseBody.Data) + e.ResponseBody.Missing
}

func (r recorder) frame(path string) browser.Frame {
	r.t.Helper()
	seen, _ := r.Tab(r.tab)
	for _, f := range seen.Frames {
		if strings.HasSuffix(f.URL, path) {
			return f
		}
	}
	r.t.Fatalf("no frame %s in %+v", path, seen.Frames)
	return browser.Frame{}
}

// told checks what the document of a frame has told of itself.
func (r recorder) told(name string, origin browser.Origin) {
	r.t.Helper()
	got := r.message("got body for " + name)
	f := r.frame("/" + name)
	thrown := r.message("broken in " + name)
	for _, m := range []browser.Message{r.message("hello from " + name), thrown, got} {
		if m.Frame != f.ID || m.Origin != origin || m.Times != 1 {
			r.t.Errorf("in frame %s: %+v", f.ID, m)
		}
	}
	if thrown.Kind != "exception" || thrown.Level != browser.LevelError {
		r.t.Errorf("what was thrown is %+v", thrown)
	}
}

// asked checks what it has asked for, and what for it.
func (r recorder) asked(name string, origin browser.Origin) {
	r.t.Helper()
	x := r.request("/data-" + name)
	if f := r.frame("/" + name); x.Frame != f.ID || x.Origin != origin || x.Status != 200 || x.Failed != "" || r.body(x) != "body for "+name {
		r.t.Errorf("in frame %s: %+v, %q", f.ID, x, r.body(x))
	}
	d := r.request("/" + name)
	if d.Type != "document" || d.Origin != origin || d.Status != 200 || d.Failed != "" || !strings.Contains(r.body(d), "hello from "+name) {
		r.t.Errorf("the document is %+v, %q", d, r.body(d))
	}
}

func (r recorder) run(code string) {
	r.t.Helper()
	if _, err := r.evaluate("", code); err != nil {
		r.t.Fatal(err)
	}
}

// at is an origin of the server of a site under another name.
func at(site, name string) browser.Origin {
	return browser.OriginOf(strings.Replace(site, "127.0.0.1", name, 1))
}

func TestFullPowerRecordsFramesOfOtherSites(t *testing.T) {
	t.Parallel()
	r, site := newRecorder(t, nil), nestedSite(t)
	r.open(site + "/outer")
	for name, host := range map[string]string{"middle": "localhost", "inner": "inner.localhost"} {
		r.told(name, at(site, host))
		r.asked(name, at(site, host))
	}
	// Frames come, go elsewhere, and go.
	far := string(at(site, "far.localhost"))
	r.run(`const f = document.querySelector("iframe"); f.src = "` + far + `/moved"; await new Promise(r => f.onload = r)`)
	r.told("moved", at(site, "far.localhost"))
	r.asked("moved", at(site, "far.localhost"))
	r.run(`document.querySelector("iframe").remove(); const f = document.createElement("iframe"); f.src = "` + string(at(site, "localhost")) + `/later"; document.body.append(f)`)
	r.told("later", at(site, "localhost"))
	r.asked("later", at(site, "localhost"))
	// The debugger is let go of, and is back.
	var list link.TabList
	if err := r.d.peer.Call(t.Context(), "listTabs", link.None{}, &list); err != nil {
		t.Fatal(err)
	}
	for _, i := range list.Tabs {
		if err := r.d.peer.Call(t.Context(), "letGo", link.TabArgs{Tab: i.Tab}, nil); err != nil {
			t.Fatal(err)
		}
	}
	r.run(`frames[0].postMessage("again", "*")`)
	if m, f := r.message("heard again"), r.frame("/later"); m.Frame != f.ID {
		t.Errorf("in frame %s: %+v", f.ID, m)
	}
	var all browser.Messages
	r.must(browser.ListConsole{}, &all)
	if n := len(all.List); n != 16 { // three of each of the five documents, and the one above
		t.Errorf("%d messages: %+v", n, all.List)
	}
}

// Frames that were there before anybody looked tell what they wrote, and are told
// from each other.
func TestFullPowerRecordsFramesThatWereThere(t *testing.T) {
	t.Parallel()
	site := nestedSite(t)
	r := newRecorder(t, func(ctx context.Context, conn cdp.Connection) error {
		for _, path := range []string{"/outer", "/twins"} {
			if err := conn.Send(ctx, "", "Target.createTarget", map[string]any{"url": site + path}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	tabs := map[string]browser.TabID{}
	r.waits("the tabs", func() bool {
		for n := range 5 {
			tab, _ := r.Tab(browser.TabID(fmt.Sprintf("t%d", n)))
			tabs[strings.TrimPrefix(tab.URL, site)] = tab.ID
		}
		return tabs["/outer"] != "" && tabs["/twins"] != ""
	})
	r.tab = tabs["/outer"]
	for name, host := range map[string]string{"middle": "localhost", "inner": "inner.localhost"} {
		r.told(name, at(site, host))
	}
	r.tab = tabs["/twins"]
	r.run(`await new Promise(r => { const look = () => { try { frames[0].document; frames[1].document } catch { return r() } setTimeout(look, 10) }; look() })`)
	r.message("hello from twin")
	for i := range 2 {
		r.run(fmt.Sprintf(`frames[%d].postMessage("twin %[1]d", "*")`, i))
		r.must(browser.Snapshot{}, &browser.Outline{})
		seen, _ := r.Tab(r.tab)
		if m := r.message(fmt.Sprintf("heard twin %d", i)); len(seen.Frames) < 2 || m.Frame == "" {
			t.Errorf("twin %d: %+v, of %+v", i, m, seen.Frames)
		}
	}
	if a, b := r.message("heard twin 0"), r.message("heard twin 1"); a.Frame == b.Frame {
		t.Errorf("the frames are told as one: %+v, %+v", a, b)
	}
}
