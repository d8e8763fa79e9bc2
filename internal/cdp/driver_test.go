package cdp_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// patience is for what the browser does by itself: long for a busy machine.
const patience = 20 * time.Second

// rig is a running driver, what it has told, and a site. The site is two sites
// to the browser: here (127.0.0.1) and there (localhost).
type rig struct {
	standIn bool // it has no WebMCP
	*cdp.Driver
	here, there string
	downloads   string
	ended       chan error
	stop        context.CancelFunc
	raw         *cdp.Browser // that the driver drives

	mu     sync.Mutex // guards following
	tabs   map[browser.TabID]browser.Tab
	events []browser.Event
	more   chan struct{}
}

// needBrowser skips the test where no browser is found, or fails it where there
// must be one.
func needBrowser(t testing.TB) {
	t.Helper()
	if _, err := cdp.FindBrowser(""); err != nil {
		if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func newRig(t testing.TB) *rig {
	t.Helper()
	needBrowser(t)
	return newRigOf(t, cdp.Options{Width: 1280, Height: 720}, cdp.LaunchOptions{})
}

func newRigOf(t testing.TB, o cdp.Options, launch cdp.LaunchOptions) *rig {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(serve))
	t.Cleanup(site.Close)
	r := &rig{here: site.URL, there: strings.Replace(site.URL, "127.0.0.1", "localhost", 1), downloads: t.TempDir(),
		ended: make(chan error, 1), tabs: map[browser.TabID]browser.Tab{}, more: make(chan struct{})}
	o.DownloadDir, o.Info = r.downloads, browser.Info{Name: "launched", Way: "launched"}
	o.Grants = []cdp.Grant{{Name: "notifications", Origin: browser.OriginOf(r.here)}}
	open := o.Open
	if open == nil {
		open = func(ctx context.Context) (*cdp.Browser, error) { return cdp.Launch(ctx, launch) }
	}
	o.Open = func(ctx context.Context) (b *cdp.Browser, err error) {
		b, err = open(ctx)
		r.raw = b
		return b, err
	}
	r.Driver = cdp.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
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

func (r *rig) note(e browser.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	switch e := e.(type) {
	case browser.TabOpened:
		r.tabs[e.Tab.ID] = e.Tab
	case browser.TabChanged:
		if _, ok := r.tabs[e.Tab.ID]; ok {
			r.tabs[e.Tab.ID] = e.Tab
		}
	case browser.TabClosed:
		delete(r.tabs, e.Tab)
	}
	close(r.more)
	r.more = make(chan struct{})
}

// await waits until ok holds, which is asked again after each event.
func (r *rig) await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	limit := time.After(patience)
	for {
		r.mu.Lock()
		done, more := ok(), r.more
		r.mu.Unlock()
		if done {
			return
		}
		select {
		case <-more:
		case err := <-r.ended:
			r.ended <- err
			t.Fatalf("%s: Run ended with %v", what, err)
		case <-limit:
			t.Fatalf("%s: not seen in %s", what, patience)
		}
	}
}

// tab is what was told of a tab.
func (r *rig) tab(id browser.TabID) browser.Tab {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tabs[id]
}

func (r *rig) do(id browser.TabID, op browser.Op, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return r.Do(ctx, browser.Target{Tab: id, Origins: browser.AnyOrigin()}, op, result)
}

func (r *rig) must(t testing.TB, id browser.TabID, op browser.Op, result any) {
	t.Helper()
	if err := r.do(id, op, result); err != nil {
		t.Fatalf("%s: %v", op.OpName(), err)
	}
}

// open opens url in a new tab, which is closed with the test.
func (r *rig) open(t testing.TB, url string) browser.TabID {
	t.Helper()
	var tab browser.Tab
	r.must(t, "", browser.OpenTab{}, &tab)
	t.Cleanup(func() {
		if r.tab(tab.ID).ID != "" {
			r.must(t, tab.ID, browser.CloseTab{}, nil)
		}
	})
	if url != "" {
		r.must(t, tab.ID, browser.Navigate{URL: url}, nil)
	}
	return tab.ID
}

// eval returns the JSON of what code returns.
func (r *rig) eval(t testing.TB, id browser.TabID, code string) string {
	t.Helper()
	var v browser.Value
	r.must(t, id, browser.Evaluate{Code: code}, &v)
	if v.Dialog != nil {
		t.Fatalf("evaluate %s: held up by %+v", code, v.Dialog)
	}
	return v.JSON
}

func (r *rig) wantEval(t testing.TB, id browser.TabID, code, want string) {
	t.Helper()
	if got := r.eval(t, id, code); got != want {
		t.Errorf("%s is %s, want %s", code, got, want)
	}
}

func wantError(t *testing.T, what string, err error, code browser.Code, parts ...string) {
	t.Helper()
	if browser.CodeOf(err) != code {
		t.Errorf("%s: got %v (%s), want %s", what, err, browser.CodeOf(err), code)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %q does not tell %q", what, err, p)
		}
	}
}

// serve is the site: pages by path.
func serve(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	there := "http://" + strings.Replace(q.Host, "127.0.0.1", "localhost", 1)
	if servePlea(w, q) || serveSelection(w, q) {
		return
	}
	switch q.URL.Path {
	case "/plain":
		fmt.Fprint(w, `<title>Plain</title><h1>Plain</h1>`)
	case "/next":
		fmt.Fprint(w, `<title>Next</title><h1>Next</h1>`)
	case "/strict":
		w.Header().Set("Content-Security-Policy", "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
		fmt.Fprint(w, `<title>Strict</title>`)
	case "/frames":
		fmt.Fprintf(w, `<title>Frames</title><iframe id=same src=/child></iframe><iframe id=other src="%s/middle"></iframe>
			<iframe id=doc srcdoc="<script>var inFrame='srcdoc'</script>"></iframe><iframe id=box sandbox=allow-scripts src=/child></iframe>`, there)
	case "/middle":
		fmt.Fprintf(w, `<title>Middle</title><script>var inFrame='middle'</script><iframe id=inner src="http://%s/child"></iframe>`,
			strings.Replace(q.Host, "localhost", "127.0.0.1", 1))
	case "/child":
		fmt.Fprint(w, `<title>Child</title><script>var inFrame='child';var seen=[];for(const e of ['click','input'])addEventListener(e,x=>{seen.push(e+x.isTrusted)})</script><input id=i style="position:fixed;left:0;top:0;width:100%;height:100%">`)
	case "/input":
		fmt.Fprint(w, `<title>Input</title><input id=i style="position:absolute;left:10px;top:10px;width:200px;height:30px">
			<button id=b style="position:absolute;left:10px;top:60px;width:100px;height:30px" onclick="alert('Pressed')">B</button>
			<div style="height:5000px"></div><script>var seen=[];for(const e of ['mousedown','mouseup','click','dblclick','keydown','keyup','input','wheel'])
			addEventListener(e,x=>{seen.push(e+(x.isTrusted?'':'!')+(x.key?':'+x.key:''))},true)</script>`)
	case "/guard":
		fmt.Fprint(w, `<title>Guard</title><script>addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='x'})</script>`)
	case "/asks":
		fmt.Fprint(w, `<title>Asks</title><button style="position:fixed;left:0;top:0;width:100px;height:40px" onclick="answer=ask[location.hash.slice(1)]()">Ask</button><script>var answer;
			const name = p => p.then(x => typeof x === 'string' ? x : 'there', e => e.name);
			const ask = {print: () => { print(); return 'printed' }, notifications: () => Notification.requestPermission(),
				position: () => new Promise(done => navigator.geolocation.getCurrentPosition(() => done('there'), e => done(e.code))),
				clipboard: () => name(navigator.clipboard.readText()), midi: () => name(navigator.requestMIDIAccess({sysex: true})), screens: () => name(getScreenDetails())}</script>`)
	case "/elsewhere":
		fmt.Fprint(w, `<title>Elsewhere</title><p>Here</p><script>location='x-nowhere:1'</script><p>There</p>`)
	case "/vault", "/vault/inner":
		if user, password, _ := q.BasicAuth(); user == "ann" && password == "s3cret" {
			fmt.Fprint(w, `<title>In the vault</title>`)
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="The \"Vault\""`)
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `<title>Locked</title><a href=/vault>again</a>`)
	case "/hang":
		fmt.Fprint(w, `<title>Hang</title><script>setTimeout(()=>{for(;;);},50)</script>`)
	case "/neverloads":
		fmt.Fprint(w, `<title>Never loads</title><h1>Here</h1><img src=/silence>`)
	case "/silence", "/slow":
		<-q.Context().Done()
	case "/late": // later than a page that is left may stay silent
		select {
		case <-time.After(3 * time.Second):
			fmt.Fprint(w, `<title>Late</title>`)
		case <-q.Context().Done():
		}
	case "/landing": // later than what a tool answers that has begun to go there
		select {
		case <-time.After(300 * time.Millisecond):
			http.Redirect(w, q, "/landed?"+q.URL.RawQuery, http.StatusFound)
		case <-q.Context().Done():
		}
	case "/framed":
		fmt.Fprint(w, `<title>Framed</title><iframe name=f src=/next></iframe>`)
	case "/polls":
		fmt.Fprint(w, `<title>Polls</title><script>var go=()=>{fetch('/silence');new EventSource('/silence')}</script>`)
	case "/pings":
		fmt.Fprint(w, `<title>Pings</title><script>setInterval(()=>fetch('/plain'),100)</script>`)
	case "/redirect":
		http.Redirect(w, q, "/plain", http.StatusFound)
	case "/bounce":
		fmt.Fprint(w, `<title>Bounce</title><script>location.replace('/plain')</script>`)
	case "/alone":
		w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	case "/nothing":
		w.WriteHeader(http.StatusNoContent)
	case "/missing":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `<title>Missing</title>`)
	case "/file":
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", cmp.Or(q.URL.RawQuery, "a.b.txt")))
		_, _ = io.WriteString(w, "content") // a broken connection shows at the other end
	case "/cached":
		fmt.Fprint(w, `<title>Cached</title><script>var n=Math.random();addEventListener('pageshow',e=>{window.persisted=e.persisted})</script><iframe src=/child></iframe>`)
	case "/shadow":
		fmt.Fprint(w, `<title>Shadow</title><x-box id=Outer></x-box><script>customElements.define('x-box',class extends HTMLElement{connectedCallback(){
			const s=this.attachShadow({mode:'closed'});s.innerHTML='<button>'+this.id+'</button>'+(this.id==='Outer'?'<x-box id=Inner></x-box>':'')}})</script>`)
	case "/colours":
		fmt.Fprint(w, `<title>Colours</title><body style="margin:0;background:#fff"><div id=red style="position:absolute;left:100px;top:100px;width:60px;height:40px;background:#f00"></div>
			<div style="position:absolute;left:0;top:3000px;width:10px;height:10px;background:#00f"></div>`)
	default:
		if serveFile(w, q) {
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}
}

// serveFile serves a page of testdata, with the addresses of both sites in it.
func serveFile(w http.ResponseWriter, q *http.Request) bool {
	page, err := os.ReadFile("testdata" + path.Clean(q.URL.Path) + ".html")
	if err != nil {
		return false
	}
	_, port, _ := net.SplitHostPort(q.Host)
	sites := strings.NewReplacer("{{HERE}}", "http://127.0.0.1:"+port, "{{THERE}}", "http://localhost:"+port, "{{PORT}}", port)
	_, _ = sites.WriteString(w, string(page)) // a broken connection shows at the other end
	return true
}

// TestDriver runs all that needs the browser on one, each test in tabs of its own.
func TestDriver(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *rig)
	}{
		{"spare", testSpare},
		{"title", testTitle},
		{"selection", testSelection},
		{"evaluate/values", testValues},
		{"evaluate/faults", testFaults},
		{"evaluate/strict", testStrict},
		{"evaluate/time", testEvaluateTime},
		{"evaluate/navigates", testEvaluateNavigates},
		{"evaluate/frames", testEvaluateFrames},
		{"evaluate/parallel", testParallel},
		{"navigate/kinds", testNavigateKinds},
		{"navigate/refused", testNavigateRefused},
		{"navigate/slow", testNavigateSlow},
		{"navigate/history", testHistory},
		{"navigate/cached", testCached},
		{"navigate/late", testNavigateLate},
		{"navigate/frame", testHistoryOfFrame},
		{"navigate/underway", testLeaveUnderWay},
		{"navigate/hang", testHang},
		{"navigate/guard", testBeforeUnload},
		{"navigate/closing", testClosing},
		{"navigate/login", testLogin},
		{"navigate/elsewhere", testElsewhere},
		{"granted", testGranted},
		{"frames/tree", testFrames},
		{"frames/relay", testRelay},
		{"frames/moves", testFrameMoves},
		{"host/call", testCall},
		{"host/shadow", testShadow},
		{"shadow/closed", testClosedRoots},
		{"shadow/late", testLateRoot},
		{"shadow/frames", testRootsInFrames},
		{"shadow/covered", testCoveredInRoot},
		{"shadow/none", testNoRoots},
		{"frames/turned", testTurnedFrames},
		{"frames/kinds", testFrameKinds},
		{"frames/turns", testFrameTurns},
		{"frames/nested", testNestedFrames},
		{"host/watch", testWatch},
		{"input/order", testInput},
		{"input/frame", testInputFrame},
		{"dialog", testDialog},
		{"dialog/unseen", testDialogInPopup},
		{"popup", testPopup},
		{"download", testDownload},
		{"crash", testCrash},
		{"guards", testGuards},
		{"screenshot/areas", testScreenshot},
		{"screenshot/hidden", testScreenshotHidden},
		{"screenshot/labels", testScreenshotLabels},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, r) })
	}
}
