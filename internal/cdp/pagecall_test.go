package cdp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

// TestPageCalls calls tools of one page, whose kinds its source tells.
func TestPageCalls(t *testing.T) {
	t.Parallel()
	testPageCalls(t, newRig(t))
}

func testPageCalls(t *testing.T, r *rig) {
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *rig)
	}{
		{"values", testToolValues},
		{"faults", testToolFaults},
		{"sizes", testToolSizes},
		{"crashes", testToolCrashes},
		{"time", testToolTime},
		{"cancelled", testToolCancelled},
		{"navigates", testToolNavigates},
		{"left", testToolLeft},
		{"frames", testToolFrames},
		{"input", testToolInput},
		{"refusals", testToolRefusals},
		{"dialogs", testToolDialogs},
		{"parallel", testToolParallel},
		{"hidden", testToolHidden},
		{"forms", testToolForms},
		{"forms/person", testToolFormsByPerson},
		{"forms/parallel", testToolFormsParallel},
	} {
		if r.standIn && tt.name == "crashes" {
			continue // it carries what makes the browser crash
		}
		t.Run(tt.name, func(t *testing.T) { tt.run(t, r) })
	}
}

func (r *rig) openTools(t testing.TB) browser.TabID { return r.open(t, r.here+"/pagetools") }

// tool calls a tool of the main document.
func (r *rig) tool(tab browser.TabID, op browser.CallPageTool) (*browser.PageToolAnswer, error) {
	out := &browser.PageToolAnswer{}
	err := r.do(tab, op, out)
	return out, err
}

func (r *rig) mustTool(t testing.TB, tab browser.TabID, name, args string) *browser.PageToolAnswer {
	t.Helper()
	out, err := r.tool(tab, browser.CallPageTool{Name: name, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

func testToolValues(t *testing.T, r *rig) {
	tab := r.openTools(t)
	for _, tt := range []struct{ name, want string }{
		{"text", `"hello"`}, {"empty", ``}, {"json", `{"a":1}`}, {"number_text", `42`}, {"number", `1.5`}, {"yes", `true`}, {"nothing", `null`},
		{"undefined", ``}, {"function", ``}, {"no_json", ``}, {"nan", `"NaN"`}, {"infinite", `"Infinity"`}, {"big", `10`},
		{"date", `"1970-01-01T00:00:00.000Z"`}, {"map", `{}`}, {"regexp", `{}`}, {"error", `{}`}, {"node", `{}`}, {"bytes", `{"0":1,"1":2}`},
		{"object", `{"z":1,"a":[1,{"b":true}]}`}, {"promise", `{"late":1}`}, {"thenable", `"then"`}, {"none", `[]`},
		{"unicode", "{\"ü\\n\\\"\\\\\":\"é\u2028😀\\u0001\",\"lone\":\"a\ufffdb\"}"},
		{"mcp", `{"content":[{"type":"text","text":"hi"}],"isError":true}`}, {"list", `[{"type":"text","text":"hi"}]`},
		{"deep_value", strings.Repeat(`{"v":`, 290) + "1" + strings.Repeat("}", 290)},
		{"latin", `{"ü":"é"}`}, {"deeper_value", strings.Repeat(`{"v":`, 400) + "1" + strings.Repeat("}", 400)}, {"quoted", `"[no json"`},
		{"self", `true`}, {"signalled", `true`}, {"echo", `{}`},
	} {
		out, err := r.tool(tab, browser.CallPageTool{Name: tt.name})
		if err != nil || string(out.JSON) != tt.want || out.Navigated != nil || out.Notes != nil {
			t.Errorf("%s answers %s, want %s: %+v, %v", tt.name, out.JSON, tt.want, out, err)
		}
	}
}

func testToolFaults(t *testing.T, r *rig) {
	tab := r.openTools(t)
	for _, tt := range []struct{ name, part string }{
		{"throws", `page tool "throws" failed: "RangeError: kaboom second line";`}, {"rejects_text", `threw "plain text";`}, {"throws_object", `threw {code: 7, message: "no"};`},
		{"throws_undefined", "threw undefined;"}, {"throws_null", "threw null;"}, {"throws_number", "threw 5;"}, {"throws_dom", `"NotAllowedError: not that";`},
		{"circular", "circular"}, {"big_inside", "BigInt"}, {"window", "failed: "}, {"throwing_json", "Error: to json"}, {"proxy", "Error: proxy"}, {"clipboard", "NotAllowedError"},
	} {
		_, err := r.tool(tab, browser.CallPageTool{Name: tt.name})
		wantError(t, tt.name, err, browser.CodePageError, tt.part, "read the page")
	}
	_, err := r.tool(tab, browser.CallPageTool{Name: "throws_long"})
	wantError(t, "a long error", err, browser.CodePageError, "Error: xxx", "…")
	if len(err.Error()) > 1000 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
	r.wantEval(t, tab, `return ran.includes("getter")`, `false`)
}

func testToolSizes(t *testing.T, r *rig) {
	tab := r.openTools(t)
	out := r.mustTool(t, tab, "large", "")
	var text string
	if err := json.Unmarshal(out.JSON, &text); err != nil || len(text) != 256<<10 || out.Cut != 10000002 {
		t.Errorf("10 MB: the first %d of %d bytes, %v", len(text), out.Cut, err)
	}
	out, err := r.tool(tab, browser.CallPageTool{Name: "large", MaxBytes: 20e6})
	if err != nil || len(out.JSON) != 10000002 {
		t.Errorf("10 MB that are wanted: %d bytes, %v", len(out.JSON), err)
	}
	out, err = r.tool(tab, browser.CallPageTool{Name: "escapes", MaxBytes: 2001})
	if err != nil || out.Cut != 2002 || !utf8.Valid(out.JSON) || len(out.JSON) < 1990 {
		t.Errorf("beyond ASCII: %d of %d bytes, %v", len(out.JSON), out.Cut, err)
	}
	out, err = r.tool(tab, browser.CallPageTool{Name: "escapes", MaxBytes: 2002})
	if err != nil || len(out.JSON) != 2002 {
		t.Errorf("beyond ASCII: %d bytes, %v", len(out.JSON), err)
	}
}

func testToolCrashes(t *testing.T, r *rig) {
	for _, name := range []string{"symbol", "too_deep"} {
		tab := r.openTools(t)
		_, err := r.tool(tab, browser.CallPageTool{Name: name})
		wantError(t, name, err, browser.CodePageError, "crashed", name, "navigate")
		r.must(t, tab, browser.Navigate{To: browser.Reload}, nil)
		if out := r.mustTool(t, tab, "text", ""); string(out.JSON) != `"hello"` {
			t.Errorf("after a crash: %s", out.JSON)
		}
	}
}

func testToolTime(t *testing.T, r *rig) {
	tab := r.openTools(t)
	const limit = time.Second
	_, err := r.tool(tab, browser.CallPageTool{Name: "never", Timeout: limit})
	wantError(t, "an answer that never comes", err, browser.CodeTimeout, `"never"`, "1s", "told to stop")
	_, err = r.tool(tab, browser.CallPageTool{Name: "abortable", Timeout: limit})
	wantError(t, "a tool that hears of its end", err, browser.CodeTimeout, "told to stop")
	r.wantEval(t, tab, `return aborted`, `"AbortError"`)
	_, err = r.tool(tab, browser.CallPageTool{Name: "loop", Timeout: limit})
	wantError(t, "a tool without end", err, browser.CodeTimeout, "without end", "stopped")
	out, err := r.tool(tab, browser.CallPageTool{Name: "busy", Timeout: 5 * time.Second})
	if err != nil || string(out.JSON) != `"done"` {
		t.Errorf("a busy tool: %s, %v", out.JSON, err)
	}
	if r.standIn {
		return // it takes no frame that a script loads for an answer
	}
	out, err = r.tool(tab, browser.CallPageTool{Name: "frame_never", Timeout: time.Second})
	if err != nil || !strings.Contains(string(out.JSON), "Message") || len(out.Notes) != 1 {
		t.Errorf("a tool that only loads a frame: %+v, %v", out, err)
	}
}

func testToolCancelled(t *testing.T, r *rig) {
	tab := r.openTools(t)
	for _, tt := range []struct{ name, args string }{{"abortable", ""}, {"abortable", `{"ü":1}`}, {"loop", ""}} {
		r.eval(t, tab, `aborted = ""; ran = []`)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			ended <- r.Do(ctx, browser.Target{Tab: tab, Origins: browser.AnyOrigin()}, browser.CallPageTool{Name: tt.name, Args: json.RawMessage(tt.args)}, nil)
		}()
		if tt.name == "abortable" {
			r.must(t, tab, browser.Evaluate{Code: `while(!ran.length)await new Promise(done=>setTimeout(done,5))`}, nil)
		}
		cancel()
		wantError(t, tt.name, <-ended, browser.CodeCancelled)
		if tt.name == "abortable" {
			r.wantEval(t, tab, `for(let i=0;i<400&&!aborted;i++)await new Promise(done=>setTimeout(done,5));return aborted`, `"AbortError"`)
		}
	}
	if out := r.mustTool(t, tab, "text", ""); string(out.JSON) != `"hello"` {
		t.Errorf("after cancelled calls: %s", out.JSON)
	}
}

func testToolNavigates(t *testing.T, r *rig) {
	const message = `[{"@type":"Message","text":"hi"}]`
	for _, tt := range []struct{ name, json, url, landed, note string }{
		{"go", `"going"`, r.here + "/landed?go", message, ""},
		{"go_never", ``, r.here + "/landed?never", message, ""},
		{"click", `"clicked"`, r.here + "/landed?link", message, ""},
		{"go_far", `"far"`, r.there + "/landed?far", ``, ""},
		{"go_far_never", ``, r.there + "/landed", ``, "another origin"},
		{"back", `"back"`, r.here + "/plain", ``, ""},
		{"reload", `"again"`, r.here + "/pagetools", ``, ""},
		{"find", ``, r.here + "/landed?q=x", message, ""},
		{"find_far", ``, r.there + "/landed?q=x", ``, "another origin"},
	} {
		var doc int
		var out *browser.PageToolAnswer
		for range 3 { // a page may be gone before what its tool answered last is heard
			tab := r.open(t, r.here+"/plain")
			r.must(t, tab, browser.Navigate{URL: r.here + "/pagetools"}, nil)
			args := ""
			if strings.HasPrefix(tt.name, "find") {
				args = `{"q":"x"}`
			}
			doc = r.tab(tab).Doc
			if out = r.mustTool(t, tab, tt.name, args); tt.json == "" || len(out.JSON) > 0 {
				break
			}
		}
		n := out.Navigated
		if string(out.JSON) != tt.json || n == nil || n.URL != tt.url || n.Title == "" || n.Doc <= doc || n.TimedOut || string(out.Landed) != tt.landed {
			t.Errorf("%s answers %s, %+v, landed %s", tt.name, out.JSON, n, out.Landed)
		}
		if got := strings.Join(out.Notes, "\n"); got != tt.note && (tt.note == "" || !strings.Contains(got, tt.note)) {
			t.Errorf("%s notes %q", tt.name, got)
		}
	}
	tab := r.openTools(t)
	for _, tt := range []struct{ name, want string }{{"go_nothing", `"stays"`}, {"go_nothing_late", `"stays"`}, {"go_file", `"file"`}} {
		if out := r.mustTool(t, tab, tt.name, ""); string(out.JSON) != tt.want || out.Navigated != nil {
			t.Errorf("%s answers %s, %+v", tt.name, out.JSON, out.Navigated)
		}
	}
	for _, tt := range []struct{ name, want, url string }{{"hash", `"part"`, "/pagetools#part"}, {"push", `"pushed"`, "/pushed"}} {
		if out := r.mustTool(t, tab, tt.name, ""); string(out.JSON) != tt.want || out.Navigated == nil || !out.Navigated.SameDoc || out.Navigated.URL != r.here+tt.url {
			t.Errorf("%s answers %s, %+v", tt.name, out.JSON, out.Navigated)
		}
	}
	_, err := r.tool(r.openTools(t), browser.CallPageTool{Name: "go_throws"})
	wantError(t, "a tool that navigates and throws", err, browser.CodePageError, "Error: gone", "went to "+r.here+"/landed?thrown")
	tab = r.openTools(t)
	out := r.mustTool(t, tab, "popup", "")
	if string(out.JSON) != `"opened"` || len(out.Opened) != 1 {
		t.Errorf("a tool that opens a tab: %+v", out)
	}
	for _, id := range out.Opened {
		r.must(t, id, browser.CloseTab{}, nil)
	}
}

func testToolLeft(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	r.must(t, tab, browser.Navigate{URL: r.here + "/pagetools"}, nil)
	_, err := r.tool(tab, browser.CallPageTool{Name: "back_never"})
	wantError(t, "a tool that goes back for ever", err, browser.CodePageError, "went to "+r.here+"/plain", "back_never", "read the page")
	_, err = r.tool(r.openTools(t), browser.CallPageTool{Name: "go_refused"})
	wantError(t, "a tool that goes where nobody is", err, browser.CodePageError, "http://127.0.0.1:9/", "cannot be opened")

	during := func(name string, meanwhile func(tab browser.TabID), code browser.Code, parts ...string) {
		t.Helper()
		tab := r.openTools(t)
		ended := make(chan error, 1)
		go func() {
			_, err := r.tool(tab, browser.CallPageTool{Name: "never"})
			ended <- err
		}()
		r.must(t, tab, browser.Evaluate{Code: `while(!ran.length)await new Promise(done=>setTimeout(done,5))`}, nil)
		meanwhile(tab)
		wantError(t, name, <-ended, code, append(parts, `"never"`)...)
	}
	during("a reload", func(tab browser.TabID) { r.must(t, tab, browser.Navigate{To: browser.Reload}, nil) }, browser.CodePageError, "/pagetools before")
	during("a navigation", func(tab browser.TabID) { r.must(t, tab, browser.Navigate{URL: r.there + "/plain"}, nil) }, browser.CodePageError, r.there+"/plain before")
	if r.standIn {
		return // a link cannot be told from the tool's doing, and no tool crashes
	}
	during("a link", func(tab browser.TabID) { r.eval(t, tab, `setTimeout(()=>link.click())`) }, browser.CodePageError, "/landed?link before")
	during("a closed tab", func(tab browser.TabID) { r.must(t, tab, browser.CloseTab{}, nil) }, browser.CodeUnknownTab, "it was closed while")
	during("a crash", func(tab browser.TabID) { r.tool(tab, browser.CallPageTool{Name: "symbol"}) }, browser.CodePageError, "crashed")

	// What races with a reload has some end, in time. A page that reloads itself
	// just then may crash of it.
	tab = r.openTools(t)
	for i := range 10 {
		ended := make(chan error, 1)
		began := time.Now()
		go func() {
			_, err := r.tool(tab, browser.CallPageTool{Name: "text", Timeout: 8 * time.Second})
			ended <- err
		}()
		if i%2 == 0 {
			r.must(t, tab, browser.Navigate{To: browser.Reload}, nil)
		} else if err := r.do(tab, browser.Evaluate{Code: `location.reload()`, UntilNavigated: true}, nil); err != nil {
			r.must(t, tab, browser.Navigate{To: browser.Reload}, nil)
		}
		err := <-ended
		if code := browser.CodeOf(err); code != "" && code != browser.CodePageError && code != browser.CodeStaleRef || time.Since(began) > 7*time.Second {
			t.Errorf("a call that races with a reload: %v after %s", err, time.Since(began))
		}
	}
}

func testToolFrames(t *testing.T, r *rig) {
	tab := r.openTools(t)
	for _, tt := range []struct{ name, want string }{{"own_frame", `"own"`}, {"far_frame", `"far"`}} {
		if out := r.mustTool(t, tab, tt.name, ""); string(out.JSON) != tt.want || out.Navigated != nil || out.Landed != nil {
			t.Errorf("%s answers %+v", tt.name, out)
		}
	}
	if out := r.mustTool(t, tab, "find_frame", `{"q":"x"}`); !strings.Contains(string(out.JSON), "Message") || out.Navigated != nil {
		t.Errorf("a form that leads to a frame answers %+v", out)
	}

	tab = r.open(t, r.here+"/toolframes")
	near, far := at(t, r.frames(t, tab), "/pagetools").ID, browser.FrameID("")
	for _, f := range r.frames(t, tab) {
		if f.URL == r.there+"/pagetools" {
			far = f.ID
		}
	}
	for _, f := range []browser.FrameID{near, far} {
		out, err := r.tool(tab, browser.CallPageTool{Frame: f, Name: "echo", Args: json.RawMessage(`{"a":1}`)})
		if err != nil || string(out.JSON) != `{"a":1}` {
			t.Errorf("in frame %s: %s, %v", f, out.JSON, err)
		}
		_, err = r.tool(tab, browser.CallPageTool{Frame: f, Name: "echo", Origin: "https://elsewhere.example"})
		wantError(t, "another origin", err, browser.CodeOriginChanged, "nothing was called")
		out, err = r.tool(tab, browser.CallPageTool{Frame: f, Name: "go"})
		if err != nil || string(out.JSON) != `"going"` || out.Navigated == nil || !out.Navigated.InFrame || !strings.HasSuffix(out.Navigated.URL, "/landed?go") {
			t.Errorf("a frame that navigates: %+v, %v", out, err)
		}
		_, err = r.tool(tab, browser.CallPageTool{Frame: f, Name: "echo"})
		wantError(t, "a frame that was left", err, browser.CodeStaleRef)
	}

	for what, code := range map[string]string{"removed": `document.querySelector("iframe").remove()`, "elsewhere": `document.querySelector("iframe").src="/plain"`} {
		tab := r.open(t, r.here+"/toolframes")
		f := at(t, r.frames(t, tab), "/pagetools").ID
		ended := make(chan error, 1)
		go func() {
			_, err := r.tool(tab, browser.CallPageTool{Frame: f, Name: "never"})
			ended <- err
		}()
		r.must(t, tab, browser.Evaluate{Frame: f, Code: `while(!ran.length)await new Promise(done=>setTimeout(done,5))`}, nil)
		r.eval(t, tab, code)
		if r.standIn && what == "elsewhere" {
			<-ended // it cannot be told from the tool's doing
			continue
		}
		wantError(t, "a frame "+what, <-ended, browser.CodePageError, string(f), what, `"never"`)
	}
}

func testToolInput(t *testing.T, r *rig) {
	tab := r.openTools(t)
	for _, args := range []string{`{"b":{"z":[1,"x",null]},"a":1e3}`, `{"ü":"é\u2028😀"}`, `{"\u00fc":1}`, `{"v":` + strings.Repeat(`[`, 400) + strings.Repeat(`]`, 400) + `}`, `{"s":"` + strings.Repeat("x", 1<<20) + `"}`} {
		out, err := r.tool(tab, browser.CallPageTool{Name: "slow", Args: json.RawMessage(args), MaxBytes: 4 << 20})
		var got, want any
		if err != nil || json.Unmarshal(out.JSON, &got) != nil || json.Unmarshal([]byte(args), &want) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%.40s comes back as %.60s, %v", args, out.JSON, err)
		}
	}
	for _, name := range []string{"throws", "rejects_text"} {
		_, err := r.tool(tab, browser.CallPageTool{Name: name, Args: json.RawMessage(`{"ü":1}`)})
		wantError(t, name+" by way of the page", err, browser.CodePageError, map[string]string{"throws": "kaboom", "rejects_text": "plain text"}[name])
	}
	_, err := r.tool(tab, browser.CallPageTool{Name: "never", Args: json.RawMessage(`{"ü":1}`), Timeout: 200 * time.Millisecond})
	wantError(t, "never, by way of the page", err, browser.CodeTimeout)
	out := r.mustTool(t, tab, "go", `{"ü":1}`)
	if string(out.JSON) != `"going"` || out.Navigated == nil || out.Navigated.URL != r.here+"/landed?go" {
		t.Errorf("a navigation by way of the page: %+v", out)
	}
}

func testToolRefusals(t *testing.T, r *rig) {
	tab := r.openTools(t)
	r.eval(t, tab, `ran = []`)
	for _, args := range []string{`[]`, `"x"`, `7`, `{"a":`, `{} {}`} {
		_, err := r.tool(tab, browser.CallPageTool{Name: "echo", Args: json.RawMessage(args)})
		wantError(t, args, err, browser.CodeInvalidArguments, "no JSON object", "nothing was called")
	}
	_, err := r.tool(tab, browser.CallPageTool{Name: "echo", Args: json.RawMessage(`{"a":"` + strings.Repeat("x", 5<<20) + `"}`)})
	wantError(t, "5 MiB", err, browser.CodeTooLarge, "5242888", "4194304", "nothing was called")
	for _, args := range []string{`{}`, `{"ü":1}`} {
		_, err = r.tool(tab, browser.CallPageTool{Name: "no_such", Args: json.RawMessage(args)})
		wantError(t, "an unknown tool", err, browser.CodeStaleRef, `"no_such"`, "not offered", "list_page_tools")
	}
	_, err = r.tool(tab, browser.CallPageTool{Name: "echo", Frame: "f999"})
	wantError(t, "an unknown frame", err, browser.CodeStaleRef, "f999")
	_, err = r.tool(tab, browser.CallPageTool{Name: "echo", Origin: browser.OriginOf(r.there)})
	wantError(t, "another origin", err, browser.CodeOriginChanged, "nothing was called")
	err = r.Do(context.Background(), browser.Target{Tab: tab}, browser.CallPageTool{Name: "echo"}, nil)
	wantError(t, "no origin permitted", err, browser.CodeOriginChanged)
	r.wantEval(t, tab, `return ran`, `[]`)
	if out := r.mustTool(t, tab, "removes", ""); string(out.JSON) != `"still"` {
		t.Errorf("a tool that removes itself answers %s", out.JSON)
	}
	_, err = r.tool(tab, browser.CallPageTool{Name: "removes"})
	wantError(t, "a tool that was removed", err, browser.CodeStaleRef, "removes")
}

func testToolDialogs(t *testing.T, r *rig) {
	for _, tt := range []struct {
		name string
		kind browser.DialogKind
		note string
	}{{"alert", browser.DialogAlert, `answered "after"`}, {"confirm", browser.DialogConfirm, "answered true"}, {"prompt", browser.DialogPrompt, `answered "Ann"`}} {
		tab := r.openTools(t)
		out := r.mustTool(t, tab, tt.name, "")
		if out.Dialog == nil || out.Dialog.Kind != tt.kind {
			t.Fatalf("%s: %+v", tt.name, out)
		}
		_, err := r.tool(tab, browser.CallPageTool{Name: "text"})
		wantError(t, "a call while a dialog is open", err, browser.CodeDialogOpen)
		var obs browser.Observation
		r.must(t, tab, browser.HandleDialog{Accept: true, Settle: browser.Settle{Quiet: 300 * time.Millisecond}}, &obs)
		if !strings.Contains(strings.Join(obs.Notes, "\n"), tt.note) {
			t.Errorf("%s, answered: %+v", tt.name, obs)
		}
		if out := r.mustTool(t, tab, "text", ""); string(out.JSON) != `"hello"` || out.Dialog != nil {
			t.Errorf("after %s: %+v", tt.name, out)
		}
	}
}

func testToolParallel(t *testing.T, r *rig) {
	tab := r.openTools(t)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			args := fmt.Sprintf(`{"i":%d}`, i)
			if i%20 == 0 {
				args = fmt.Sprintf(`{"ü":%d}`, i)
			}
			out, err := r.tool(tab, browser.CallPageTool{Name: "slow", Args: json.RawMessage(args)})
			if err != nil || string(out.JSON) != args {
				t.Errorf("%s comes back as %s, %v", args, out.JSON, err)
			}
		})
	}
	all.Wait()
}

func testToolHidden(t *testing.T, r *rig) {
	tab := r.openTools(t)
	front := r.open(t, r.here+"/plain")
	r.must(t, front, browser.ActivateTab{}, nil)
	if out := r.mustTool(t, tab, "hidden", ""); string(out.JSON) != "true" {
		t.Errorf("a tool of a tab behind another answers %s", out.JSON)
	}
}

func testToolForms(t *testing.T, r *rig) {
	tab := r.openTools(t)
	if out := r.mustTool(t, tab, "answers", `{"q":"x","kind":"b"}`); string(out.JSON) != `{"q":"x"}` {
		t.Errorf("a form that answers: %+v", out)
	}
	for _, tt := range []struct{ name, args, part string }{
		{"answers", `{"zz":1}`, `no such parameter`}, {"answers", `{"q":{}}`, "Invalid value for parameter q"}, {"answers", `{"kind":"zz"}`, `"Invalid value \"zz\"`},
		{"find", `{}`, "Form validation failed"}, {"rejects", `{"q":"x"}`, "respondWith promise was rejected"}, {"keeps", `{"q":"x"}`, "programming error"}, {"no_button", `{"q":"x"}`, "No submit button"},
		{"never_valid", `{"q":"x"}`, `Form validation failed: "q: no \"; hint: e9 button."`},
	} {
		_, err := r.tool(tab, browser.CallPageTool{Name: tt.name, Args: json.RawMessage(tt.args)})
		wantError(t, tt.name, err, browser.CodePageError, tt.name, tt.part)
	}
	_, err := r.tool(tab, browser.CallPageTool{Name: "waits", Args: json.RawMessage(`{"q":"x"}`), Timeout: 300 * time.Millisecond})
	wantError(t, "a form that never answers", err, browser.CodeTimeout, "told to stop")
	for _, name := range []string{"find_nothing", "find_file", "find_tab"} {
		out := r.mustTool(t, tab, name, `{"q":"x"}`)
		if out.JSON != nil || out.Navigated != nil || len(out.Notes) != 1 || len(out.Opened) != map[string]int{"find_tab": 1}[name] {
			t.Errorf("%s: %+v", name, out)
		}
		for _, id := range out.Opened {
			r.must(t, id, browser.CloseTab{}, nil)
		}
	}
}

func testToolFormsByPerson(t *testing.T, r *rig) {
	tab := r.openTools(t)
	for i, args := range []string{`{"name_":"Ann"}`, `{"name_":"Bob","guests":3}`} { // the second takes the place of the first
		out := r.mustTool(t, tab, "book", args)
		if !out.Waiting || out.JSON != nil || out.Navigated != nil {
			t.Fatalf("call %d: %+v", i, out)
		}
		r.wantEval(t, tab, `return book.name_.value`, []string{`"Ann"`, `"Bob"`}[i])
	}
	button := r.find(t, tab, "button", "Book")
	var obs browser.Observation
	r.must(t, tab, browser.Click{At: browser.Spot{Ref: button}}, &obs)
	if got := strings.Join(obs.Notes, "\n"); !strings.Contains(got, `answered {"booked":"Bob"}`) || strings.Contains(got, "Ann") {
		t.Errorf("the form was submitted: %+v", obs)
	}
	r.must(t, tab, browser.Click{At: browser.Spot{Ref: button}}, &obs)
	if strings.Contains(strings.Join(obs.Notes, "\n"), "answered") {
		t.Errorf("the answer is told again: %+v", obs)
	}

	if out := r.mustTool(t, tab, "ask", `{"q":"x"}`); !out.Waiting {
		t.Fatalf("ask: %+v", out)
	}
	r.must(t, tab, browser.Click{At: browser.Spot{Ref: r.find(t, tab, "button", "Ask")}}, &obs)
	if obs.Navigated == nil {
		t.Errorf("the form led nowhere: %+v", obs)
	}
	r.eventually(t, "the form led elsewhere", func() (string, bool) { // which is told with that act or a later one
		notes := strings.Join(obs.Notes, "\n")
		if strings.Contains(notes, `"Message"`) {
			return notes, true
		}
		r.must(t, tab, browser.Hover{At: browser.Spot{Point: &browser.Point{X: 1, Y: 1}}}, &obs)
		return notes, false
	})

	r.must(t, tab, browser.Navigate{URL: r.here + "/pagetools"}, nil)
	if out := r.mustTool(t, tab, "book", `{"name_":"Ann"}`); !out.Waiting {
		t.Fatalf("book: %+v", out)
	}
	r.eval(t, tab, `book.reset()`)
	r.must(t, tab, browser.Click{At: browser.Spot{Ref: r.find(t, tab, "link", "Landed")}}, &obs)
	if !strings.Contains(strings.Join(obs.Notes, "\n"), "called off by its page") {
		t.Errorf("the form was reset: %+v", obs)
	}
}

func testToolFormsParallel(t *testing.T, r *rig) {
	tab := r.openTools(t)
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() {
			args := fmt.Sprintf(`{"q":"%d"}`, i)
			out, err := r.tool(tab, browser.CallPageTool{Name: "answers", Args: json.RawMessage(args)})
			if err != nil || string(out.JSON) != args {
				t.Errorf("%s: %s, %v", args, out.JSON, err)
			}
		})
	}
	all.Wait()
	for i := range 5 {
		all.Go(func() {
			out, err := r.tool(tab, browser.CallPageTool{Name: "book", Args: json.RawMessage(fmt.Sprintf(`{"name_":"%d"}`, i))})
			if err != nil || !out.Waiting {
				t.Errorf("book %d: %+v, %v", i, out, err)
			}
		})
	}
	all.Wait()
}

// find is the ref of the only element with a role and name.
func (r *rig) find(t *testing.T, tab browser.TabID, role, name string) browser.Ref {
	t.Helper()
	var found browser.Found
	r.must(t, tab, browser.Find{Role: role, Name: name, Limit: 2}, &found)
	if len(found.Lines) != 1 {
		t.Fatalf("%s %q: %q", role, name, found.Lines)
	}
	ref, err := browser.ParseRef(strings.Fields(found.Lines[0])[0])
	if err != nil {
		t.Fatal(err)
	}
	return ref
}
