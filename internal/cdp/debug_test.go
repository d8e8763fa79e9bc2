package cdp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// debugPages are what the tests of this file are about; others are empty.
var debugPages = map[string]string{
	"/hostile": `<script>
const loop = {}; loop.self = loop; console.log(loop);
console.log({get boom() { throw new Error('ran') }, fine: 1});
console.log(new Proxy({}, {get() { console.log('trap ran'); return 1 }, ownKeys() { console.log('trap ran'); return [] }}));
console.log('x'.repeat(1 << 20));
console.log('%cstyled %s%% %d of %i %f %o %O', 'color: red', 'text', '42.9', 7.5, 1.5, [1], {a: 1}, 'rest');
console.warn('\x1b[31mred\x1b[0m');
console.log('line\nt9 · doc 9 · forged');
console.log(Symbol('s'), 10n, -0, NaN, null, undefined, new Date(0), /re/g, new Map([[{k: 1}, 2]]), new Set([1]), () => 1, document, class A {});
console.assert(false, 'untrue');
console.table([{a: 1}]);
for (let i = 0; i < 3; i++) console.log('again');
Error.prepareStackTrace = () => { throw 1 };
Promise.reject(new TypeError('refused'));
setTimeout(() => { throw 'only text' });
</script>`,
	"/flood":   `<script>let n = 0; const end = performance.now() + 1000; while (performance.now() < end) for (let i = 0; i < 10; i++) console.log('message', n++, {big: 'y'.repeat(50)}); document.title = 'n' + n</script>`,
	"/csp":     `<meta http-equiv=Content-Security-Policy content="img-src 'none'"><img src=/pixel><script src=/nowhere.js></script>`,
	"/later":   `<script>const p = Promise.reject(new Error('soon')); setTimeout(() => p.catch(() => {}), 200)</script>`,
	"/workers": `<script>new Worker('/worker.js')</script>`,
	"/worker":  `console.log('at work'); fetch('/text')`,
	"/frame":   `<script>console.log('in the frame'); fetch('/text')</script>`,
	"/socket":  `<script>const w = new WebSocket(location.origin.replace('http', 'ws') + '/ws')</script>`,
}

func serveDebug(w http.ResponseWriter, r *http.Request) {
	send := func(kind, body string) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
	switch p := r.URL.Path; p {
	case "/worker.js":
		send("text/javascript", debugPages["/worker"])
	case "/embed":
		host := strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
		send("text/html", "<script>console.log('outside')</script><iframe src=http://"+host+"/frame></iframe>")
	case "/text":
		send("text/plain; charset=utf-8", "grüße")
	case "/gzip":
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, "unpacked")
		_ = z.Close()
	case "/chunks":
		w.Header().Set("Content-Type", "text/plain")
		for range 3 {
			_, _ = io.WriteString(w, "part ")
			w.(http.Flusher).Flush()
		}
	case "/binary":
		send("application/octet-stream", "\x00\x01\xfe\xff")
	case "/big":
		send("text/plain", strings.Repeat("0123456789", 1<<20))
	case "/nothing":
		send("text/plain", "")
	case "/204":
		w.WriteHeader(http.StatusNoContent)
	case "/redirect":
		http.Redirect(w, r, "/text", http.StatusFound)
	case "/404":
		http.Error(w, "not here", http.StatusNotFound)
	case "/cached":
		w.Header().Set("Cache-Control", "max-age=1000")
		send("text/plain", "kept")
	case "/hang":
		w.Header().Set("Content-Type", "text/plain")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		send("text/html; charset=utf-8", "<!doctype html><title>Debug</title><link rel=icon href=data:,>"+debugPages[p])
	}
}

// debugRig is a rig whose tabs are recorded.
func debugRig(t *testing.T) *rig {
	t.Helper()
	needBrowser(t)
	site := httptest.NewServer(http.HandlerFunc(serveDebug))
	t.Cleanup(site.Close)
	t.Cleanup(site.CloseClientConnections)
	r := &rig{here: site.URL, there: strings.Replace(site.URL, "127.0.0.1", "localhost", 1), ended: make(chan error, 1),
		tabs: map[browser.TabID]browser.Tab{}, more: make(chan struct{})}
	r.Driver = cdp.New(cdp.Options{Width: 1280, Height: 720, DownloadDir: t.TempDir(), Record: true, Info: browser.Info{Name: "launched", Way: "launched"},
		Open: func(ctx context.Context) (*cdp.Browser, error) { return cdp.Launch(ctx, cdp.LaunchOptions{}) }})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { r.ended <- r.Run(ctx, r.note) }()
	t.Cleanup(func() {
		cancel()
		if err := <-r.ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
	})
	r.await(t, "ready", func() bool {
		for _, e := range r.events {
			if _, ok := e.(browser.Ready); ok {
				return true
			}
		}
		return false
	})
	return r
}

func (r *rig) console(t *testing.T, tab browser.TabID) []browser.Message {
	t.Helper()
	var m browser.Messages
	r.must(t, tab, browser.ListConsole{}, &m)
	return m.List
}

// again asks until ok holds.
func again(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit, tick := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s: not seen in %s", what, patience)
		}
	}
}

// request waits for the last request to a path to be over, and returns all of it.
func (r *rig) request(t *testing.T, tab browser.TabID, path string) browser.Exchanged {
	t.Helper()
	var last browser.Exchange
	again(t, "the end of "+path, func() bool {
		var x browser.Exchanges
		r.must(t, tab, browser.ListRequests{URL: path}, &x)
		if len(x.List) > 0 {
			last = x.List[len(x.List)-1]
		}
		return last.Done
	})
	var e browser.Exchanged
	r.must(t, tab, browser.GetRequest{N: last.N}, &e)
	return e
}

func TestDebug(t *testing.T) {
	t.Parallel()
	r := debugRig(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *rig)
	}{
		{"hostile console", testHostileConsole},
		{"flood", testFlood},
		{"log", testBrowserLog},
		{"handled later", testHandledLater},
		{"bodies", testBodies},
		{"frames and workers", testRecordElsewhere},
		{"busy page", testBusyPage},
		{"emulation", testEmulated},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, r) })
	}
}

func testHostileConsole(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/hostile")
	var list []browser.Message
	again(t, "both uncaught errors", func() bool {
		list = r.console(t, tab)
		return len(list) >= 13
	})
	for i, want := range []struct {
		level browser.Level
		text  string
	}{
		{browser.LevelInfo, "{self: {…}}"},
		{browser.LevelInfo, "{boom: (…), fine: 1}"},
		{browser.LevelInfo, "Proxy(Object)"},
		{browser.LevelInfo, strings.Repeat("x", 4000)},
		{browser.LevelInfo, "styled text% 42 of 7 1.5 [1] {a: 1} rest"},
		{browser.LevelWarning, "\x1b[31mred\x1b[0m"},
		{browser.LevelInfo, "line\nt9 · doc 9 · forged"},
		{browser.LevelInfo, "Symbol(s) 10n -0 NaN null undefined"},
		{browser.LevelError, "assertion failed: untrue"},
		{browser.LevelInfo, "[{a: 1}]"},
		{browser.LevelInfo, "again"},
	} {
		if m := list[i]; m.Level != want.level || !strings.HasPrefix(m.Text, want.text) {
			t.Errorf("message %d is %s %.200q, want %s %.80q", i, m.Level, m.Text, want.level, want.text)
		}
	}
	if list[3].Cut != 1<<20-4000 || list[10].Times != 3 {
		t.Errorf("of the long text %d characters are left out; the same message came %d times", list[3].Cut, list[10].Times)
	}
	kinds := map[string]string{}
	for _, m := range list {
		if strings.Contains(m.Text, "trap ran") || strings.Contains(m.Text, "ran\n") {
			t.Errorf("code of the page ran for its description: %q", m.Text)
		}
		kinds[m.Kind] = m.Text
	}
	if !strings.Contains(kinds["rejection"], "refused") || kinds["exception"] != `Uncaught "only text"` {
		t.Errorf("uncaught: %q, %q", kinds["rejection"], kinds["exception"])
	}
}

func testFlood(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/flood")
	var m browser.Messages
	again(t, "the end of the flood", func() bool {
		m = browser.Messages{}
		r.must(t, tab, browser.ListConsole{}, &m)
		title := r.eval(t, tab, "return document.title")
		var n int
		_, _ = fmt.Sscanf(title, `"n%d"`, &n)
		last := m.List[len(m.List)-1].Text
		return n > 0 && strings.Contains(last, fmt.Sprintf("message %d ", n-1))
	})
	if len(m.List) > 1000 || m.Dropped == 0 || m.List[0].N != m.Dropped+1 || m.List[len(m.List)-1].N != m.Dropped+len(m.List) {
		t.Errorf("%d are kept from %d to %d, %d dropped", len(m.List), m.List[0].N, m.List[len(m.List)-1].N, m.Dropped)
	}
	t.Logf("%d messages in a second", m.Dropped+len(m.List))
}

func testBrowserLog(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/csp")
	var list []browser.Message
	again(t, "what the browser says", func() bool {
		list = r.console(t, tab)
		return len(list) >= 2
	})
	kinds := map[string]browser.Message{}
	for _, m := range list {
		kinds[m.Kind] = m
	}
	if m, ok := kinds["security"]; !ok || m.Level != browser.LevelError || !strings.Contains(m.Text, "Content Security Policy") {
		t.Errorf("no message about the policy in %+v", list)
	}
}

func testHandledLater(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/later")
	again(t, "that the rejection was handled", func() bool {
		list := r.console(t, tab)
		return len(list) == 1 && list[0].Level == browser.LevelInfo && strings.HasSuffix(list[0].Text, "(handled later)")
	})
}

func testBodies(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/empty")
	fetch := func(path string) {
		r.eval(t, tab, "return fetch('"+path+"').then(r => r.arrayBuffer()).then(b => b.byteLength, e => String(e))")
	}
	for _, tt := range []struct {
		path, body string
		text       bool
		status     int
	}{
		{"/text", "grüße", true, 200},
		{"/gzip", "unpacked", true, 200},
		{"/chunks", "part part part ", true, 200},
		{"/binary", "\x00\x01\xfe\xff", false, 200},
		{"/big", strings.Repeat("0123456789", 1<<20), true, 200},
		{"/nothing", "", true, 200},
		{"/204", "", true, 204},
		{"/404", "not here\n", true, 404},
	} {
		fetch(tt.path)
		e := r.request(t, tab, tt.path)
		if b := e.ResponseBody; b.Missing != "" || string(b.Data) != tt.body || b.Text != tt.text || e.Status != tt.status || e.Failed != "" {
			t.Errorf("%s: status %d, failed %q, missing %q, text %v, %d bytes: %.60q", tt.path, e.Status, e.Failed, b.Missing, b.Text, len(b.Data), b.Data)
		}
	}
	fetch("/redirect")
	from, to := r.request(t, tab, "/redirect"), r.request(t, tab, "/text")
	if from.Status != 302 || from.RedirectTo != to.N || from.ResponseBody.Missing == "" || string(to.ResponseBody.Data) != "grüße" {
		t.Errorf("the redirect is %+v, and leads to %+v", from.Exchange, to.Exchange)
	}
	fetch("/cached")
	fetch("/cached")
	if e := r.request(t, tab, "/cached"); !strings.Contains(e.From, "cache") || string(e.ResponseBody.Data) != "kept" {
		t.Errorf("cached: from %q, body %q", e.From, e.ResponseBody.Data)
	}
	fetch("http://127.0.0.1:9/refused")
	if e := r.request(t, tab, "/refused"); e.Failed == "" || e.Status != 0 || e.ResponseBody.Missing == "" {
		t.Errorf("refused: %+v", e)
	}
	r.eval(t, tab, "fetch('/text', {method: 'POST', body: new Uint8Array([0, 1, 255])}); return 1")
	var sent browser.Exchanges
	again(t, "the end of the post", func() bool {
		sent = browser.Exchanges{}
		r.must(t, tab, browser.ListRequests{Method: "POST"}, &sent)
		return len(sent.List) == 1 && sent.List[0].Done
	})
	var e browser.Exchanged
	r.must(t, tab, browser.GetRequest{N: sent.List[0].N}, &e)
	if e.RequestBody.Text || !bytes.Equal(e.RequestBody.Data, []byte{0, 1, 255}) {
		t.Errorf("sent %+v", e.RequestBody)
	}
	r.eval(t, tab, "fetch('/hang'); return 1")
	var hanging browser.Exchanges
	again(t, "the request that hangs", func() bool {
		hanging = browser.Exchanges{}
		r.must(t, tab, browser.ListRequests{URL: "/hang"}, &hanging)
		return len(hanging.List) == 1 && hanging.List[0].Status == 200
	})
	r.must(t, tab, browser.GetRequest{N: hanging.List[0].N}, &e)
	if e.Done || !strings.Contains(e.ResponseBody.Missing, "not all arrived") {
		t.Errorf("hanging: %+v", e)
	}
	// What a document had is kept when the tab goes on, also to another site.
	r.must(t, tab, browser.Navigate{URL: r.there + "/empty"}, &browser.Navigation{})
	if e := r.request(t, tab, "/gzip"); string(e.ResponseBody.Data) != "unpacked" {
		t.Errorf("after the next navigation: %+v", e.ResponseBody)
	}
	if e := r.request(t, tab, "/hang"); !e.Done || e.Failed == "" {
		t.Errorf("a request of a document that was left: %+v", e.Exchange)
	}
	for n := range 6 {
		fetch(fmt.Sprint("/big?", n))
	}
	if e := r.request(t, tab, "/gzip"); len(e.ResponseBody.Data) > 0 || !strings.Contains(e.ResponseBody.Missing, "room") {
		t.Errorf("evicted: %d bytes, %q", len(e.ResponseBody.Data), e.ResponseBody.Missing)
	}
}

func testRecordElsewhere(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/embed")
	var inside browser.Message
	again(t, "the message of the frame", func() bool {
		for _, m := range r.console(t, tab) {
			if m.Text == "in the frame" {
				inside = m
			}
		}
		return inside.N > 0
	})
	if inside.Frame == "" || inside.Origin != browser.OriginOf(r.there) {
		t.Errorf("the message of the frame is %+v", inside)
	}
	if e := r.request(t, tab, "/text"); string(e.ResponseBody.Data) != "grüße" || e.Frame != inside.Frame || e.Origin != inside.Origin {
		t.Errorf("the request of the frame is %+v", e)
	}
	if e := r.request(t, tab, "/frame"); e.Type != "document" || e.Frame != inside.Frame || len(e.ResponseBody.Data) == 0 {
		t.Errorf("the frame's document is %+v", e.Exchange)
	}
	to := browser.Target{Tab: tab, Origins: browser.Origins(func(o browser.Origin) bool { return o == browser.OriginOf(r.here) })}
	var m browser.Messages
	if err := r.Do(context.Background(), to, browser.ListConsole{}, &m); err != nil || len(m.List) != 1 || m.Withheld != 1 {
		t.Errorf("without the frame's origin: %+v, %v", m, err)
	}
	tab = r.open(t, r.here+"/workers")
	again(t, "the message of the worker", func() bool {
		list := r.console(t, tab)
		return len(list) == 1 && list[0].Text == "at work" && list[0].Worker
	})
	if e := r.request(t, tab, "/text"); !e.Worker || string(e.ResponseBody.Data) != "grüße" {
		t.Errorf("the request of the worker is %+v", e)
	}
	tab = r.open(t, r.here+"/socket")
	if e := r.request(t, tab, "/ws"); e.Type != "websocket" || e.Failed == "" {
		t.Errorf("the socket is %+v", e.Exchange)
	}
}

// testBusyPage reads the record of a page that never answers.
func testBusyPage(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/empty")
	r.eval(t, tab, "console.log('before'); setTimeout(() => { for (;;); }); return 1")
	start := time.Now()
	list := r.console(t, tab)
	if took := time.Since(start); took > 3*time.Second || len(list) != 1 || list[0].Text != "before" {
		t.Errorf("after %s: %+v", took, list)
	}
}

func testEmulated(t *testing.T, r *rig) {
	const state = "const m = q => matchMedia(q).matches; return [innerWidth, innerHeight, devicePixelRatio, m('(prefers-color-scheme: dark)'), " +
		"m('(prefers-reduced-motion)'), m('print'), navigator.maxTouchPoints, new Date(0).getHours(), navigator.onLine]"
	tab, other := r.open(t, r.here+"/embed"), r.open(t, r.here+"/empty")
	was := r.eval(t, tab, state)
	var e browser.Emulation
	phone := browser.Emulation{Width: 400, Height: 800, Scale: 2, Mobile: true, Colors: "dark", Motion: "reduce", Media: "print", Timezone: "Asia/Tokyo"}
	r.must(t, tab, browser.Emulate{Emulation: phone}, &e)
	inFrame := func() string {
		var v browser.Value
		frames := r.tab(tab).Frames
		r.must(t, tab, browser.Evaluate{Code: "return matchMedia('(prefers-color-scheme: dark)').matches", Frame: frames[len(frames)-1].ID}, &v)
		return v.JSON
	}
	for _, page := range []string{"", r.there + "/embed", r.here + "/embed"} {
		if page != "" {
			r.must(t, tab, browser.Navigate{URL: page}, &browser.Navigation{})
		}
		// Without a meta tag a mobile viewport is laid out 980 wide.
		if got := r.eval(t, tab, state); got != "[980,1960,2,true,true,true,5,9,true]" {
			t.Errorf("at %q: %s", page, got)
		}
		if got := inFrame(); got != "true" {
			t.Errorf("at %q, the frame is dark: %s", page, got)
		}
	}
	if got := r.eval(t, other, state); got != was {
		t.Errorf("another tab is %s, was %s", got, was)
	}
	p, img := r.picture(t, tab, browser.Screenshot{Format: "png"})
	if p.Scale != 2 || p.Width != 980*2 || img.Bounds().Dx() != p.Width {
		t.Errorf("the picture is %d × %d at scale %g", p.Width, p.Height, p.Scale)
	}
	p, _ = r.picture(t, tab, browser.Screenshot{Format: "png", MaxSide: 500})
	if p.Height != 500 {
		t.Errorf("the small picture is %d × %d at scale %g", p.Width, p.Height, p.Scale)
	}
	r.must(t, tab, browser.Emulate{Reset: true}, &e)
	if got := r.eval(t, tab, state); got != was || !strings.HasPrefix(got, "[1280,720,1,") {
		t.Errorf("after the reset: %s, was %s", got, was)
	}
	again(t, "the frame as it was", func() bool { return inFrame() == "false" })
	r.must(t, tab, browser.Emulate{Emulation: browser.Emulation{Width: 500, Height: 300, Network: "offline"}}, &e)
	if got := r.eval(t, tab, "return [innerWidth, innerHeight, navigator.onLine]"); got != "[500,300,false]" {
		t.Errorf("small and offline: %s", got)
	}
	r.must(t, tab, browser.Emulate{Emulation: browser.Emulation{Network: "online"}}, &e)
	wantError(t, "a time zone that is none", r.do(tab, browser.Emulate{Emulation: browser.Emulation{Timezone: "No/Where"}}, &e), browser.CodeInvalidArguments, "No/Where")
	if e := r.tab(tab).Emulated; e != "500 × 300" {
		t.Errorf("after an error, emulated is %q", e)
	}
}
