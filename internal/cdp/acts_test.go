package cdp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

func (r *rig) input(t *testing.T, tab browser.TabID, events ...pageagent.InputEvent) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Input(ctx, tab, events); err != nil {
		t.Fatalf("input: %v", err)
	}
}

func press(x, y float64, count int) []pageagent.InputEvent {
	return []pageagent.InputEvent{
		{Mouse: &pageagent.MouseEvent{Type: "move", X: x, Y: y}},
		{Mouse: &pageagent.MouseEvent{Type: "down", X: x, Y: y, Button: "left", Count: count}},
		{Mouse: &pageagent.MouseEvent{Type: "up", X: x, Y: y, Button: "left", Count: count}},
	}
}

func key(k, code, text string, number int) []pageagent.InputEvent {
	return []pageagent.InputEvent{
		{Key: &pageagent.KeyEvent{Type: "down", Key: k, Code: code, Text: text, KeyCode: number}},
		{Key: &pageagent.KeyEvent{Type: "up", Key: k, Code: code, KeyCode: number}},
	}
}

// testInput gives input to a tab behind another.
func testInput(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/input")
	front := r.open(t, r.here+"/plain")
	r.must(t, front, browser.ActivateTab{}, nil)
	var events []pageagent.InputEvent
	events = append(events, press(50, 25, 1)...)
	events = append(events, key("a", "KeyA", "a", 65)...)
	events = append(events, pageagent.InputEvent{Text: "bé"})
	events = append(events, key("c", "KeyC", "c", 67)...)
	r.input(t, tab, events...)
	r.wantEval(t, tab, "return i.value", `"abéc"`)
	r.wantEval(t, tab, "return seen.join(' ')", `"mousedown mouseup click keydown:a input keyup:a input keydown:c input keyup:c"`)
	r.eval(t, tab, "seen.length=0")
	r.input(t, tab, append(press(50, 25, 1), press(50, 25, 2)...)...)
	r.wantEval(t, tab, "return seen.includes('dblclick')", "true")
	r.input(t, tab, pageagent.InputEvent{Mouse: &pageagent.MouseEvent{Type: "wheel", X: 300, Y: 300, DY: 400}})
	r.wantEval(t, tab, "await new Promise(r=>{const f=()=>scrollY>0?r():setTimeout(f,5);f()}); return seen.includes('wheel')", "true")
}

// testInputFrame gives input to frames in the page's process and out of it.
func testInputFrame(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/frames")
	r.eval(t, tab, `document.body.style.height="3000px"; scrollTo(0, 500)`)
	for _, f := range r.frames(t, tab) {
		if !strings.HasSuffix(f.URL, "/child") {
			continue // the others have no field
		}
		element := "same"
		switch {
		case f.Parent != "":
			element = "other" // around it
		case f.Origin == browser.OpaqueOrigin:
			element = "box"
		}
		r.eval(t, tab, `document.getElementById(`+quote(element)+`).style.cssText="position:fixed;left:20px;top:30px;z-index:9"`)
		r.input(t, tab, append(press(80, 90, 1), pageagent.InputEvent{Text: element})...)
		var v browser.Value
		r.must(t, tab, browser.Evaluate{Code: "for (let n = 0; n < 100 && !seen.includes('inputtrue'); n++) await new Promise(r => setTimeout(r, 30)); return [i.value, seen]", Frame: f.ID}, &v)
		if want := `["` + element + `",["clicktrue","inputtrue"]]`; v.JSON != want {
			t.Errorf("the frame %s had %s, want %s", element, v.JSON, want)
		}
		r.eval(t, tab, `document.getElementById(`+quote(element)+`).style.cssText="position:fixed;left:2000px"`)
	}
}

func testDialog(t *testing.T, r *rig) {
	tab, other := r.open(t, r.here+"/input"), r.open(t, r.here+"/plain")
	r.input(t, tab, press(50, 75, 1)...) // returns although the page waits
	r.await(t, "the dialog", func() bool { return r.tabs[tab].Dialog != nil })
	if g := r.tab(tab).Dialog; g.Kind != browser.DialogAlert || g.Message != "Pressed" || g.URL != r.here+"/input" {
		t.Errorf("the dialog is told as %+v", g)
	}
	wantError(t, "code under a dialog", r.do(tab, browser.Evaluate{Code: "return 1"}, &browser.Value{}), browser.CodeDialogOpen, "Pressed", "handle_dialog")
	wantError(t, "a picture under a dialog", r.do(tab, browser.Screenshot{}, &browser.Picture{}), browser.CodeDialogOpen)
	_, err := r.Call(context.Background(), tab, []pageagent.FrameCall{describe("")})
	wantError(t, "a call under a dialog", err, browser.CodeDialogOpen)
	_, err = r.Frames(context.Background(), tab)
	wantError(t, "frames under a dialog", err, browser.CodeDialogOpen)
	r.wantEval(t, other, "return 1", "1")
	var obs browser.Observation
	r.must(t, tab, browser.HandleDialog{Accept: true}, &obs)
	if !strings.Contains(obs.Did, `accepted alert "Pressed"`) || obs.Dialog != nil {
		t.Errorf("observed %+v", obs)
	}
	r.wantEval(t, tab, "return seen.includes('click')", "true")

	// Code that opens a dialog returns with it, and so does all that waits.
	waits := make(chan error, 1)
	go func() { waits <- r.do(tab, browser.Evaluate{Code: `await new Promise(()=>{})`}, &browser.Value{}) }()
	var v browser.Value
	r.must(t, tab, browser.Evaluate{Code: `window.got = prompt("Name?", "Ann"); window.sure = confirm("Sure?"); return got`}, &v)
	if v.Dialog == nil || v.Dialog.Kind != browser.DialogPrompt || v.Dialog.Default != "Ann" {
		t.Fatalf("code that asks: %+v", v)
	}
	if err := <-waits; browser.CodeOf(err) != browser.CodeDialogOpen && err != nil {
		t.Errorf("code that waited: %v", err)
	}
	r.must(t, tab, browser.HandleDialog{Accept: true, Text: new("Eva")}, &obs)
	if obs.Dialog == nil || obs.Dialog.Message != "Sure?" {
		t.Fatalf("the next dialog is not told: %+v", obs)
	}
	r.must(t, tab, browser.HandleDialog{}, &obs)
	r.wantEval(t, tab, "return [got, sure]", `["Eva",false]`)
	for _, tt := range []struct {
		text *string
		want string
	}{{nil, `"Ann"`}, {new(""), `""`}} {
		r.must(t, tab, browser.Evaluate{Code: `window.got = prompt("Name?", "Ann")`}, &v)
		r.must(t, tab, browser.HandleDialog{Accept: true, Text: tt.text}, &obs)
		r.wantEval(t, tab, "return got", tt.want)
	}
	wantError(t, "answering nothing", r.do(tab, browser.HandleDialog{}, &obs), browser.CodeInvalidArguments, "no dialog")
}

// testDialogInPopup opens a page that asks at once, before anybody looks at it.
func testDialogInPopup(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	r.eval(t, tab, `window.w = open("/plain"); w.addEventListener("load", () => w.setTimeout(() => w.alert("Hello"), 0))`)
	var popup browser.TabID
	r.await(t, "the dialog of the pop-up", func() bool {
		for id, p := range r.tabs {
			if p.Opener == tab && p.Dialog != nil {
				popup = id
				return p.Dialog.Message == "Hello"
			}
		}
		return false
	})
	// The page that opened it is held up with it, which is told soon, and where.
	err := r.do(tab, browser.WaitFor{Text: "what never comes", Timeout: 20 * time.Second}, &browser.Waited{})
	wantError(t, "a page held up by the dialog of another", err, browser.CodeDialogOpen, "Hello", string(popup), "handle_dialog", string(tab))
	err = r.do(tab, browser.Navigate{URL: r.here + "/next"}, &browser.Navigation{})
	wantError(t, "leaving it", err, browser.CodeDialogOpen, "Hello", string(popup))
	r.must(t, popup, browser.HandleDialog{Accept: true}, &browser.Observation{})
	r.wantEval(t, tab, "return 1", "1")
	r.must(t, popup, browser.CloseTab{}, nil)
}

// popup opens a page from a tab, and returns its tab once it is there.
func (r *rig) popup(t *testing.T, tab browser.TabID, path string) (popup browser.TabID) {
	t.Helper()
	r.eval(t, tab, `open("`+path+`")`)
	r.await(t, "the pop-up", func() bool {
		for id, p := range r.tabs {
			if p.Opener == tab && p.URL == r.here+path && !p.Loading {
				popup = id
			}
		}
		return popup != ""
	})
	return popup
}

func testPopup(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	w := r.Watch(tab)
	defer w.Close()
	r.eval(t, tab, `open("/next")`)
	a, _ := w.Activity()
	if len(a.Opened) != 1 {
		t.Fatalf("opened: %+v", a)
	}
	popup := a.Opened[0]
	if got := r.tab(popup).Opener; got != tab {
		t.Errorf("opened by %q", got)
	}
	r.await(t, "the pop-up's page", func() bool { return r.tabs[popup].URL == r.here+"/next" })
	r.wantEval(t, popup, "return !!opener", "true")
	r.eval(t, popup, "close()")
	r.await(t, "its end", func() bool { return r.tabs[popup].ID == "" })
}

func testDownload(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.here + "/file"}, &n)
	if n.Download == nil || n.Download.Path != filepath.Join(r.downloads, "a.b.txt") || n.URL != r.here+"/plain" {
		t.Fatalf("navigating to a file: %+v", n)
	}
	done := func(count int) (last browser.Download) {
		r.await(t, "the file", func() bool {
			got := 0
			for _, e := range r.events {
				if e, ok := e.(browser.DownloadChanged); ok && e.Tab == tab && e.Download.State == "completed" {
					last = e.Download
					got++
				}
			}
			return got == count
		})
		return last
	}
	dl := done(1)
	if dl.Path != filepath.Join(r.downloads, "a.b.txt") || dl.Bytes != 7 {
		t.Errorf("kept as %+v", dl)
	}
	if b, err := os.ReadFile(dl.Path); string(b) != "content" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	// A tab that a page opens for a file only, in which nobody looks.
	w := r.Watch(tab)
	defer w.Close()
	r.eval(t, tab, `open("/file")`)
	if dl = done(2); dl.Name != "a.b (2).txt" {
		t.Errorf("the second is kept as %+v", dl)
	}
	if a, _ := w.Activity(); len(a.Downloads) != 1 || a.Downloads[0].State != "completed" {
		t.Errorf("watched: %+v", a.Downloads)
	}
}

func testCrash(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/frames")
	r.frames(t, tab)
	waits := make(chan error, 1)
	go func() { waits <- r.do(tab, browser.Evaluate{Code: `await new Promise(()=>{})`}, &browser.Value{}) }()
	wantError(t, "an address that crashes", r.do(tab, browser.Navigate{URL: "chrome://crash", Wait: browser.WaitNone}, nil), browser.CodePageError, "crashed", "revives")
	if !r.tab(tab).Crashed {
		t.Error("the crash is not told")
	}
	wantError(t, "code that waited", <-waits, browser.CodePageError)
	wantError(t, "code in a crashed tab", r.do(tab, browser.Evaluate{Code: "return 1"}, &browser.Value{}), browser.CodePageError, "crashed", "navigate")
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.here + "/frames"}, &n)
	if r.tab(tab).Crashed || n.URL != r.here+"/frames" {
		t.Errorf("revived: %+v, %+v", n, r.tab(tab))
	}
	if got := len(r.frames(t, tab)); got != 6 {
		t.Errorf("%d frames", got)
	}
}

func testGuards(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	ctx := context.Background()
	to := browser.Target{Tab: tab, Doc: r.tab(tab).Doc, Origins: browser.AnyOrigin()}
	var v browser.Value
	if err := r.Do(ctx, to, browser.Evaluate{Code: "return 1"}, &v); err != nil {
		t.Fatal(err)
	}
	r.must(t, tab, browser.Navigate{URL: r.here + "/next"}, nil)
	err := r.Do(ctx, to, browser.Evaluate{Code: "document.title='changed'"}, &v)
	wantError(t, "code for a document that is gone", err, browser.CodeStaleDocument, "Next", r.here+"/next", "nothing was done")
	r.wantEval(t, tab, "return document.title", `"Next"`)

	only := browser.Origins(func(o browser.Origin) bool { return o == browser.OriginOf(r.here) })
	to = browser.Target{Tab: tab, Origins: only}
	r.must(t, tab, browser.Navigate{URL: r.there + "/plain"}, nil)
	err = r.Do(ctx, to, browser.Evaluate{Code: "document.title='changed'"}, &v)
	wantError(t, "code on another origin", err, browser.CodeOriginChanged, "localhost")
	wantError(t, "a picture of another origin", r.Do(ctx, to, browser.Screenshot{}, &browser.Picture{}), browser.CodeOriginChanged)
	r.wantEval(t, tab, "return document.title", `"Plain"`)
	r.must(t, tab, browser.Navigate{URL: r.here + "/frames"}, nil)
	middle := at(t, r.frames(t, tab), "/middle")
	err = r.Do(ctx, to, browser.Evaluate{Code: "return 1", Frame: middle.ID}, &v)
	wantError(t, "code in a frame of another origin", err, browser.CodeOriginChanged, "localhost")

	wantError(t, "a tab that never was", r.do("t999", browser.Evaluate{Code: "return 1"}, &v), browser.CodeUnknownTab, "t999")
	wantError(t, "an answer of the wrong type", r.do(tab, browser.Evaluate{Code: "return 1"}, &browser.Picture{}), browser.CodeInternal)
}
