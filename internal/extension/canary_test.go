package extension_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/extension"
	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

// privateSite is where everything has the canary in it: names, titles, what is
// written to the console, what is asked for, what is saved.
func privateSite(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="`+canary+`.txt"`)
		fmt.Fprint(w, "what is in it")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>%[1]s</title><link rel=icon href="/icon-%[1]s.png"><img src="/picture-%[1]s.png"><iframe srcdoc="%[1]s"></iframe><p>%[1]s</p>
<script>console.error('%[1]s'); fetch('/fetched-%[1]s'); setTimeout(() => { throw new Error('%[1]s') })</script>`, canary)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", canary+".localhost", 1)
}

// crossed checks that nothing at all of a private tab has crossed the link.
func crossed(t *testing.T, c *conn, after string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range strings.Lines(c.raw.String()) {
		if strings.Contains(line, canary) {
			t.Errorf("after %s it was told: %.600s", after, line)
		}
	}
	c.raw.Reset()
}

func TestNothingOfAPrivateTabCrosses(t *testing.T) {
	t.Parallel()
	b, s, secret := newBridge(t), newSite(t), privateSite(t)
	p := newPerson(t, chromium(t, b, func(c *extension.Config) { c.AllowAll, c.FullPower = false, true }))
	c := b.next(t, longest)

	mine := s.near + "/words?say=mine"
	page := p.open(mine)
	tab := p.tab(mine)
	p.allows(p.popup(tab), "tab", "session")
	do[link.FrameList](t, c, "watch", link.TabArgs{Tab: tab})
	record := func() {
		t.Helper()
		for _, method := range []string{"Network.enable", "Runtime.enable", "Log.enable"} {
			do[link.DebugReply](t, c, "debug", link.DebugArgs{Tab: tab, Method: method})
		}
	}
	// A question and its answer, behind which all has come that was told before.
	settle := func(after string) {
		t.Helper()
		p.eval(p.office, "new Promise((done) => setTimeout(done, 300))", nil)
		do[link.TabList](t, c, "listTabs", link.None{})
		crossed(t, c, after)
	}
	settle("allowing a tab")

	private := p.open(secret + "/")
	settle("a private tab beside it")
	hidden := p.tab(secret + "/")

	for i := range 4 {
		record()
		p.goTo(page, fmt.Sprintf("%s/?%d", secret, i))
		settle("its user took the tab to a private page")
		p.goTo(page, mine)
		settle("its user took the tab back")
	}
	record()
	p.eval(page, "setTimeout(() => history.back())", nil)
	p.at(page, secret+"/?3")
	settle("back in its history")
	p.eval(page, "setTimeout(() => history.forward())", nil)
	p.at(page, mine)
	settle("forward in its history")

	// An agent's way comes to nothing, and its user goes on elsewhere.
	for _, to := range []string{mine + "#part", s.near + "/empty", s.near + "/file"} {
		record()
		c.ask(t, wire.KindRequest, "go", link.GoArgs{Tab: tab, URL: to})
		p.eval(p.office, "new Promise((done) => setTimeout(done, 500))", nil)
		p.goTo(page, secret+"/after")
		settle("an agent went to " + to)
		p.goTo(page, mine)
		settle("back from there")
	}
	c.ask(t, wire.KindRequest, "go", link.GoArgs{Tab: tab, To: "back"}) // the tab may be gone before it is done
	p.at(page, secret+"/after")
	settle("an agent went back to where its user was")
	p.goTo(page, mine)

	p.eval(private, "void open('/popup')", nil)
	settle("a popup of a private page")
	p.eval(private, fmt.Sprintf("document.body.insertAdjacentHTML('beforeend', '<iframe src=%q></iframe>')", s.near+"/button"), nil)
	settle("an allowed page in a private one")
	p.eval(private, "(() => { const a = document.createElement('a'); a.href = '/file'; a.click(); })()", nil)
	p.eval(private, fmt.Sprintf("(() => { const a = document.createElement('a'); a.download = %q; a.href = URL.createObjectURL(new Blob(['x'])); a.click(); })()", canary), nil)
	settle("downloads of a private page")
	p.send(page, "Page.navigate", map[string]any{"url": secret + "/file", "transitionType": "typed", "referrer": s.near + "/"}, nil)
	settle("a download whose address was typed")
	p.eval(p.office, fmt.Sprintf("chrome.windows.create({ tabId: %d }).then((w) => chrome.tabs.query({ windowId: w.id })).then(() => chrome.tabs.discard(%d))", hidden, hidden), nil)
	settle("a private tab in another window")

	// What is under way in a tab that becomes private ends there.
	frame := do[link.FrameList](t, c, "listFrames", link.TabArgs{Tab: tab}).Frames[0]
	do[link.EnterReply](t, c, "enter", link.FrameArgs{Tab: tab})
	pending := make(chan wire.Frame, 1)
	go func() {
		pending <- c.ask(t, wire.KindRequest, "ask", link.AskArgs{Tab: tab, Document: frame.Document, Op: "changed", First: 1, Args: `{"seq":1000000000,"quiet":60000}`})
	}()
	from := c.mark()
	p.eval(p.office, fmt.Sprintf("chrome.runtime.sendMessage({ kind: 'hide', tab: %d }).then(() => undefined)", tab), nil)
	awaitEvent(t, c, from, "tabClosed", gone(tab))
	if f := <-pending; f.Error == nil || f.Error.Code != string(browser.CodeUnknownTab) {
		t.Errorf("%+v %s", f.Error, f.Body)
	}
	p.eval(page, fmt.Sprintf("document.title = %q", canary), nil)
	settle("a tab was made private")

	// A private tab is answered for as one that there is not, as soon.
	opened := do[link.TabInfo](t, c, "openTab", link.OpenTabArgs{URL: s.near + "/button"})
	elsewhere := do[link.TabInfo](t, c, "openTab", link.OpenTabArgs{URL: s.near + "/button"})
	var windows struct {
		Own int64
		All []int64
	}
	p.eval(p.office, fmt.Sprintf("chrome.windows.create({ tabId: %d }).then(async (w) => ({ own: w.id, all: (await chrome.windows.getAll()).map((o) => o.id) }))", elsewhere.Tab), &windows)
	beside := do[link.TabInfo](t, c, "openTab", link.OpenTabArgs{URL: s.near + "/button", Window: windows.Own})
	if beside.Window != windows.Own || beside.Window == opened.Window {
		t.Errorf("a tab for window %d is %+v", windows.Own, beside)
	}
	alone := slices.DeleteFunc(windows.All, func(id int64) bool { return id == windows.Own || id == opened.Window })
	if len(alone) == 0 {
		t.Error("no window has private tabs alone")
	}
	for _, id := range append(alone, windows.Own+1<<20) {
		if f := refused(t, c, "openTab", link.OpenTabArgs{URL: s.near + "/button", Window: id}); f.Code != string(browser.CodeInvalidArguments) {
			t.Errorf("a tab in a window that may not be known: %+v", f)
		}
	}
	for _, info := range []link.TabInfo{beside, elsewhere} {
		do[link.None](t, c, "closeTab", link.TabArgs{Tab: info.Tab})
	}
	for op, args := range map[string]func(tab int64) any{
		"getTab":      func(tab int64) any { return link.TabArgs{Tab: tab} },
		"watch":       func(tab int64) any { return link.TabArgs{Tab: tab} },
		"unwatch":     func(tab int64) any { return link.TabArgs{Tab: tab} },
		"listFrames":  func(tab int64) any { return link.TabArgs{Tab: tab} },
		"closeTab":    func(tab int64) any { return link.TabArgs{Tab: tab} },
		"activateTab": func(tab int64) any { return link.TabArgs{Tab: tab} },
		"letGo":       func(tab int64) any { return link.TabArgs{Tab: tab} },
		"go":          func(tab int64) any { return link.GoArgs{Tab: tab, URL: s.near} },
		"enter":       func(tab int64) any { return link.FrameArgs{Tab: tab} },
		"ask": func(tab int64) any {
			return link.AskArgs{Tab: tab, Document: frame.Document, Op: "observe", First: 1, Args: "{}"}
		},
		"name": func(tab int64) any {
			return link.NameArgs{Tab: tab, ParentDocument: frame.Document, Frame: 1, Number: "f1"}
		},
		"evaluate": func(tab int64) any { return link.EvaluateArgs{Tab: tab, Document: frame.Document, Code: "1"} },
		"capture":  func(tab int64) any { return link.CaptureArgs{Tab: tab, Format: "png", Scale: 1} },
		"debug":    func(tab int64) any { return link.DebugArgs{Tab: tab, Method: "Page.captureScreenshot"} },
	} {
		answer := func(tab int64) string {
			began := time.Now()
			f := c.ask(t, wire.KindRequest, op, args(tab))
			if took := time.Since(began); took > time.Second {
				t.Errorf("%s of %d took %v", op, tab, took)
			}
			text, err := json.Marshal(map[string]any{"body": f.Body, "error": f.Error})
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		none := answer(999_999_999)
		for _, tab := range []int64{tab, hidden} {
			if got := answer(tab); got != none {
				t.Errorf("%s of a private tab is answered %s, of none %s", op, got, none)
			}
		}
	}
	// Not by way of another tab either.
	for op, args := range map[string]any{
		"ask":      link.AskArgs{Tab: opened.Tab, Document: frame.Document, Op: "text", First: 1, Args: "{}"},
		"enter":    link.FrameArgs{Tab: opened.Tab, Document: frame.Document},
		"evaluate": link.EvaluateArgs{Tab: opened.Tab, Document: frame.Document, Code: "document.title"},
	} {
		if f := refused(t, c, op, args); f.Code != string(browser.CodeStaleRef) {
			t.Errorf("%s of a document of another tab: %+v", op, f)
		}
	}
	settle("all that can be asked")
}

func TestWhatNobodyHasBusinessAtIsNotOpened(t *testing.T) {
	t.Parallel()
	b, s := newBridge(t), newSite(t)
	p := newPerson(t, chromium(t, b, nil))
	c := b.next(t, longest)
	tab, _ := visit(t, c, s.near+"/button")
	for _, url := range []string{
		"javascript:document.title=1", " javascript:1", "JaVaScRiPt:1", "chrome://settings/", "chrome://quit", "about:debugging", "about:config", "view-source:" + s.near,
		"devtools://devtools/bundled/inspector.html", p.origin + "/popup.html", "edge://settings", "filesystem:" + s.near + "/temporary/x", "externalfile:x", "mailto:a@b.example", "settings",
	} {
		if f := refused(t, c, "go", link.GoArgs{Tab: tab.Tab, URL: url}); f.Code != string(browser.CodePageError) {
			t.Errorf("go to %s: %+v", url, f)
		}
		if f := refused(t, c, "openTab", link.OpenTabArgs{URL: url}); f.Code != string(browser.CodePageError) {
			t.Errorf("open %s: %+v", url, f)
		}
	}
}
