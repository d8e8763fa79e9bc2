package link_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/drivertest"
	"drawbridge/internal/extension"
)

// strictSite has pages whose policy lets no script run that is not theirs, with
// frames of their own and of another site.
func strictSite(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "script-src 'sha256-none'")
		if r.URL.Path != "/" {
			fmt.Fprintf(w, "<title>%s</title><h1>%[1]s</h1>", r.URL.Path[1:])
			return
		}
		far := "http://localhost" + r.Host[strings.LastIndexByte(r.Host, ':'):]
		fmt.Fprintf(w, `<title>Outer</title><label>File <input type=file></label>
<iframe src=/near></iframe><iframe src=/near></iframe><iframe src=%s/far></iframe><iframe srcdoc="<title>written</title><h1>written</h1>"></iframe>`, far)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// alone is a browser with full power, and nothing of what the page about its
// extension allows besides.
type alone struct {
	*drivertest.Rig
	t   *testing.T
	tab browser.TabID // shows the site
}

func newAlone(t *testing.T, site string, then func(context.Context, cdp.Connection) error) *alone {
	t.Helper()
	_, err := cdp.FindBrowser("")
	need(t, err)
	d := &driven{ids: new(browser.IDs), engine: extension.Chromium, full: true, plain: t.TempDir(), then: then}
	a := &alone{Rig: drivertest.NewRig(t, d), t: t}
	var tab browser.Tab
	a.must(browser.OpenTab{}, &tab)
	a.tab = tab.ID
	a.must(browser.Navigate{URL: site}, &browser.Navigation{})
	return a
}

func (a *alone) do(op browser.Op, result any) error {
	ctx, cancel := context.WithTimeout(a.t.Context(), 20*time.Second)
	defer cancel()
	return a.Do(ctx, browser.Target{Tab: a.tab, Origins: browser.AnyOrigin()}, op, result)
}

func (a *alone) must(op browser.Op, result any) {
	a.t.Helper()
	if err := a.do(op, result); err != nil {
		a.t.Fatalf("%s: %v", op.OpName(), err)
	}
}

func (a *alone) evaluate(frame browser.FrameID, code string) (string, error) {
	var v browser.Value
	err := a.do(browser.Evaluate{Frame: frame, Code: code}, &v)
	return v.JSON, err
}

func TestFullPowerAloneRunsCodeInAllFrames(t *testing.T) {
	t.Parallel()
	site := strictSite(t)
	a := newAlone(t, site, nil)
	var o browser.Outline
	a.must(browser.Snapshot{MaxTokens: 4000}, &o)
	seen, _ := a.Tab(a.tab)
	titles := map[string]int{}
	for _, f := range append([]browser.Frame{{}}, seen.Frames...) {
		for range 2 { // the second goes by what is known
			got, err := a.evaluate(f.ID, "return await new Promise(r => setTimeout(() => r(document.title)))")
			if err != nil {
				t.Errorf("in frame %q: %v", f.ID, err)
			}
			titles[got]++
		}
		if _, err := a.evaluate(f.ID, "return 1 +;\n"); err == nil || !strings.Contains(err.Error(), "SyntaxError") {
			t.Errorf("in frame %q what is no code is told as %v", f.ID, err)
		}
		if _, err := a.evaluate(f.ID, "throw new RangeError('too far')"); err == nil || !strings.Contains(err.Error(), "RangeError: too far") {
			t.Errorf("in frame %q what is thrown is told as %v", f.ID, err)
		}
	}
	// The main frame may be listed too.
	if titles[`"near"`] != 4 || titles[`"far"`] != 2 || titles[`"written"`] != 2 || titles[`"Outer"`] < 2 || len(titles) != 4 {
		t.Errorf("what was run was run in %v", titles)
	}
	var asked browser.Exchanges
	a.must(browser.ListRequests{}, &asked)
	for _, x := range asked.List {
		if x.Doc != seen.Doc {
			t.Errorf("%s is told as of document %d, which is %d", x.URL, x.Doc, seen.Doc)
		}
	}
	a.must(browser.Navigate{URL: site + "/next"}, &browser.Navigation{})
	if got, err := a.evaluate("", "return document.title"); got != `"next"` || err != nil {
		t.Errorf("in the next document: %s, %v", got, err)
	}
}

// Where the extension may see no files, pages are given their bytes.
func TestFullPowerWithoutFiles(t *testing.T) {
	t.Parallel()
	a := newAlone(t, strictSite(t), shutOutOfFiles)
	var o browser.Outline
	a.must(browser.Snapshot{}, &o)
	var field browser.Ref
	for line := range strings.Lines(o.Text) {
		if strings.Contains(line, `"File"`) {
			field, _ = browser.ParseRef(strings.Fields(line)[0])
		}
	}
	dir := t.TempDir()
	small, large := filepath.Join(dir, "small.txt"), filepath.Join(dir, "large.bin")
	if err := errors.Join(os.WriteFile(small, []byte("small"), 0o600), os.WriteFile(large, nil, 0o600), os.Truncate(large, 65<<20)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.evaluate("", "document.querySelector('input').onchange = e => { document.title = e.target.files[0].size + ' ' + e.isTrusted }"); err != nil {
		t.Fatal(err)
	}
	a.must(browser.Upload{Ref: field, Files: []browser.File{{Path: small}}}, &browser.Observation{})
	if got, err := a.evaluate("", "return document.title"); got != `"5 false"` || err != nil {
		t.Errorf("a small file: %s, %v", got, err)
	}
	for _, tt := range []struct {
		file browser.File
		code browser.Code
	}{{browser.File{Path: large}, browser.CodeTooLarge}, {browser.File{Path: dir, Dir: true}, browser.CodeNotSupported}} {
		var e *browser.Error
		if err := a.do(browser.Upload{Ref: field, Files: []browser.File{tt.file}}, nil); !errors.As(err, &e) || e.Code != tt.code || !strings.Contains(e.Hint, "Allow access to file URLs") {
			t.Errorf("%s: %v", tt.file.Path, err)
		}
	}
}

// shutOutOfFiles takes the access to files away from the extension, which starts
// anew for that.
func shutOutOfFiles(ctx context.Context, conn cdp.Connection) error {
	var target struct {
		ID string `json:"targetId"`
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := conn.Send(ctx, "", "Target.createTarget", map[string]any{"url": "chrome://extensions/"}, &target); err != nil {
		return err
	}
	if err := conn.Send(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &session); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	const ours = `chrome.developerPrivate.getExtensionsInfo().then(l=>l.find(i=>i.name.startsWith("drawbridge")))`
	for _, code := range []string{
		`Boolean(globalThis.chrome?.developerPrivate)`,
		`chrome.developerPrivate.updateProfileConfiguration({inDeveloperMode:true}).then(()=>true)`,
		ours + `.then(i=>chrome.developerPrivate.updateExtensionConfiguration({extensionId:i.id,fileAccess:false})).then(()=>true)`,
		ours + `.then(i=>i?.state==="ENABLED"&&!i.fileAccess.isActive)`,
	} {
		for done := false; !done; {
			var got struct {
				Result struct {
					Value json.RawMessage `json:"value"`
				} `json:"result"`
			}
			// Until the page is there its documents come and go.
			err := conn.Send(ctx, session.ID, "Runtime.evaluate", map[string]any{"expression": code, "awaitPromise": true, "returnByValue": true}, &got)
			done = err == nil && string(got.Result.Value) == "true"
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("it does not come to %s: %w", code, context.Cause(ctx))
			}
		}
	}
	return conn.Send(ctx, "", "Target.closeTarget", map[string]any{"targetId": target.ID}, nil)
}
