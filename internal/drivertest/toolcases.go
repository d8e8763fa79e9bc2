package drivertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// run runs code in the page.
func (r *Rig) run(t *testing.T, tab browser.TabID, code string) {
	t.Helper()
	r.must(t, tab, browser.Evaluate{Code: code}, &browser.Value{})
}

// byAddress names the tools that were told of by the path of their frame,
// "/inner send". The documents of frames get numbers as they come.
func (r *Rig) byAddress(tab browser.TabID) []string {
	tools, _ := r.ToldTools(tab)
	now, _ := r.Tab(tab)
	paths := make(map[browser.FrameID]string)
	for _, f := range now.Frames {
		_, path, _ := strings.Cut(strings.TrimPrefix(f.URL, "http://"), "/")
		if f.URL == "about:srcdoc" {
			path = "srcdoc"
		}
		paths[f.ID] = "/" + path
	}
	var out []string
	for _, p := range tools {
		path, ok := paths[p.Frame]
		if !ok {
			path = "nowhere"
		}
		out = append(out, path+" "+p.Name)
	}
	slices.Sort(out)
	return out
}

// toldAt waits until the tools that were told of are these.
func (r *Rig) toldAt(t *testing.T, tab browser.TabID, want ...string) {
	t.Helper()
	var got []string
	defer func() {
		if t.Failed() {
			t.Logf("page tools told: %q, want %q", got, want)
		}
	}()
	eventually(t, "the page tools by events", func() bool {
		got = r.byAddress(tab)
		return slices.Equal(got, want)
	})
}

// sameAsTold checks that the list has what events told.
func (r *Rig) sameAsTold(t *testing.T, tab browser.TabID) *browser.PageToolList {
	t.Helper()
	list := r.pageTools(t, tab)
	told, known := r.ToldTools(tab)
	got := toolNames(list.Tools)
	slices.Sort(got)
	want := toolNames(told)
	slices.Sort(want)
	if !known || !slices.Equal(got, want) {
		t.Errorf("the list has %v, events told %v (known: %v)", got, want, known)
	}
	return list
}

func find(t *testing.T, tools []browser.PageTool, name string) browser.PageTool {
	t.Helper()
	for _, p := range tools {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no tool %s among %v", name, toolNames(tools))
	return browser.PageTool{}
}

func (r *Rig) differs(d Difference) bool { return slices.Contains(r.differences, d) }

// topTools is what /top and its frames offer: /inner is in it, and in the frames
// of another site that may offer tools.
func (r *Rig) topTools() []string {
	out := []string{"/far far", "/inner inner", "/inner inner", "/inner send", "/inner send", "/inner top", "/inner top", "/srcdoc doc", "/top top"}
	if r.differs(NoPolicy) {
		out = append(out, "/far far", "/inner inner", "/inner send", "/inner top")
		slices.Sort(out)
	}
	if r.differs(NoAddressless) {
		out = slices.DeleteFunc(out, func(name string) bool { return name == "/srcdoc doc" })
	}
	return out
}

func testToolsOfFrames(t *testing.T, r *Rig, here, there string) {
	tab := r.open(t, here+"/top")
	r.toldAt(t, tab, r.topTools()...)
	list := r.sameAsTold(t, tab)
	if p := find(t, list.Tools, "far"); p.Origin != browser.OriginOf(there) || p.Frame == "" {
		t.Errorf("the tool of another site is %+v", p)
	}
	if !slices.ContainsFunc(list.Tools, func(p browser.PageTool) bool {
		return p.Name == "send" && p.Kind == browser.ToolOfSelfForm && p.Origin == browser.OriginOf(here)
	}) {
		t.Errorf("no form in a frame of the same site is among %+v", list.Tools)
	}
	if r.differs(NoAddressless) {
		// nothing is to be found
	} else if p := find(t, list.Tools, "doc"); p.Origin != browser.OriginOf(here) {
		t.Errorf("the tool of a srcdoc frame is %+v", p)
	}
	refused := 0
	for _, w := range list.Without {
		if w.Why == browser.NoPageToolsPolicy {
			refused++
		}
	}
	if want := map[bool]int{false: 2}[r.differs(NoPolicy)]; refused != want { // the frame without allow, and what is in it
		t.Errorf("%d frames are refused by policy: %+v", refused, list.Without)
	}
	r.run(t, tab, "offer('more');stops.top.abort()")
	want := r.topTools()
	r.toldAt(t, tab, append(want[:len(want)-1], "/top more")...)
}

// testToolsOfMovingFrames takes frames away, and navigates them within their
// process and to others.
func testToolsOfMovingFrames(t *testing.T, r *Rig, here, there string) {
	tab := r.open(t, here+"/plain")
	r.run(t, tab, "f=document.createElement('iframe');f.allow='tools';f.src='/inner';document.body.append(f)")
	inner := []string{"/inner inner", "/inner send", "/inner top"}
	for _, src := range []struct {
		to   string
		want []string
	}{
		{here + "/inner", inner},
		{here + "/other", []string{"/other other"}},
		{there + "/other", []string{"/other other"}},
		{there + "/inner", inner},
		{here + "/inner", inner},
		{here + "/inner#there", []string{"/inner#there inner", "/inner#there send", "/inner#there top"}},
		{there + "/far", []string{"/far far", "/inner inner", "/inner send", "/inner top"}},
		{here + "/plain", nil},
		{here + "/inner", inner},
	} {
		code := fmt.Sprintf("f.src=%q", src.to)
		if !strings.Contains(src.to, "#") { // a form in a frame that is navigated twice at once between processes crashes Chromium 156
			code = "const loads=new Promise(g=>f.onload=g);" + code + ";await loads"
		}
		r.run(t, tab, code)
		r.toldAt(t, tab, src.want...)
		r.sameAsTold(t, tab)
	}
	r.run(t, tab, "f.remove()")
	r.toldAt(t, tab)
	for _, src := range []string{here, there} {
		r.run(t, tab, fmt.Sprintf("f.src=%q;document.body.append(f)", src+"/other"))
		r.toldAt(t, tab, "/other other")
		r.run(t, tab, "f.remove()")
		r.toldAt(t, tab)
	}
	r.sameAsTold(t, tab)
}

// testToolsOfSandbox: a sandboxed document is of no origin that a rule could name.
func testToolsOfSandbox(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/box")
	r.toldAt(t, tab, "/inner inner", "/inner send", "/inner top")
	eventually(t, "the opaque origin", func() bool {
		tools, _ := r.ToldTools(tab)
		for _, p := range tools {
			if p.Origin != browser.OpaqueOrigin {
				return false
			}
		}
		return true
	})
}

func testNoTools(t *testing.T, r *Rig, here, there string) {
	for _, tt := range []struct {
		url string
		why []browser.PageToolWhy
	}{
		{"about:blank", []browser.PageToolWhy{browser.NoPageToolsYet}},
		{here + "/plain", []browser.PageToolWhy{browser.NoPageToolsYet}},
		{here + "/domain", []browser.PageToolWhy{browser.NoPageToolsDomain}},
		{here + "/forbidden", []browser.PageToolWhy{browser.NoPageToolsPolicy}},
		{"data:text/html,x", []browser.PageToolWhy{browser.NoPageToolsInsecure}},
		{here + "/none", []browser.PageToolWhy{browser.NoPageToolsYet, browser.NoPageToolsYet, browser.NoPageToolsPolicy, browser.NoPageToolsYet, browser.NoPageToolsPolicy}},
	} {
		switch {
		case r.differs(NotEverywhere) && strings.HasPrefix(tt.url, "data:"):
			continue
		case r.differs(NotEverywhere) && tt.url == "about:blank":
			tt.why = []browser.PageToolWhy{browser.NoPageToolsUnreadable}
		case r.differs(NoPolicy) && tt.url == here+"/none":
			continue // its frames offer tools
		case r.differs(NoPolicy):
			tt.why = []browser.PageToolWhy{browser.NoPageToolsYet}
		}
		tab := r.open(t, tt.url)
		var got []browser.PageToolWhy
		list := r.pageTools(t, tab)
		for _, w := range list.Without {
			got = append(got, w.Why)
		}
		slices.Sort(got[1:]) // in which order frames come is not said
		slices.Sort(tt.why[1:])
		if !slices.Equal(got, tt.why) || len(list.Tools) > 0 {
			t.Errorf("%s: %+v, want %q", tt.url, list, tt.why)
		}
	}
}

func testFormTools(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/fields")
	p := find(t, r.sameAsTold(t, tab).Tools, "fields")
	var schema struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(p.Schema, &schema); err != nil || schema.Type != "object" || !slices.Equal(schema.Required, []string{"pick"}) {
		t.Fatalf("the schema is %s: %v", p.Schema, err)
	}
	want := map[string]string{
		"pick": `{"type":"string","description":"Which","anyOf":[{"type":"string","const":"a","title":"A"},{"type":"string","const":"b","title":"B"}],"enum":["a","b"]}`,
		"one":  `{"type":"string","anyOf":[{"type":"string","const":"x","title":"X"},{"type":"string","const":"y","title":"Y"}],"enum":["x","y"]}`,
		"some": `{"type":"array","items":{"type":"string","anyOf":[{"type":"string","const":"1"},{"type":"string","const":"2"}],"enum":["1","2"]},"uniqueItems":true}`,
	}
	for i, f := range formFields {
		if f.schema != "" {
			want[fmt.Sprintf("f%02d", i)] = f.schema
		}
	}
	for name, s := range want {
		if !sameSchema(t, schema.Properties[name], s) {
			t.Errorf("%s is %s, want %s", name, schema.Properties[name], s)
		}
	}
	if len(schema.Properties) != len(want) {
		t.Errorf("properties are %v", slices.Sorted(maps.Keys(schema.Properties)))
	}
	r.must(t, tab, browser.Navigate{URL: here + "/notForms"}, &browser.Navigation{})
	r.toldAt(t, tab, "/notForms yes")
	if p := find(t, r.sameAsTold(t, tab).Tools, "yes"); p.Description != "yes" {
		t.Errorf("of two forms with a name, %+v is told", p)
	}
}

// testFormChanges: each change of a form makes another tool of it.
func testFormChanges(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/inner")
	r.told(t, tab, "inner", "send", "top")
	is := func(what string, ok func(p browser.PageTool) bool) {
		t.Helper()
		eventually(t, what, func() bool {
			tools, _ := r.ToldTools(tab)
			return slices.ContainsFunc(tools, func(p browser.PageTool) bool { return p.Name == "send" && ok(p) })
		})
	}
	r.run(t, tab, "form=document.forms[0];form.removeAttribute('toolautosubmit')")
	is("a form for a person to submit", func(p browser.PageTool) bool { return p.Kind == browser.ToolOfForm })
	r.run(t, tab, "form.insertAdjacentHTML('beforeend','<input name=b type=number>')")
	is("another field", func(p browser.PageTool) bool { return strings.Contains(string(p.Schema), `"b":`) })
	r.run(t, tab, "form.setAttribute('tooldescription','Other words')")
	is("other words", func(p browser.PageTool) bool { return p.Description == "Other words" })
	r.run(t, tab, "form.setAttribute('toolautosubmit','')")
	is("a form that submits itself", func(p browser.PageTool) bool { return p.Kind == browser.ToolOfSelfForm })
	r.run(t, tab, "form.remove()")
	r.told(t, tab, "inner", "top")
	r.sameAsTold(t, tab)
}

func testHiddenForms(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/hidden")
	want := []string{"deep", "shallow"}
	if r.differs(NoClosedTrees) {
		want = want[1:]
	}
	r.told(t, tab, want...)
	list := r.sameAsTold(t, tab)
	if shallow := find(t, list.Tools, "shallow"); shallow.Kind != browser.ToolOfForm {
		t.Errorf("a form in an open shadow root is %s", shallow.Kind)
	}
	if len(want) < 2 {
		return
	}
	if deep := find(t, list.Tools, "deep"); deep.Kind != browser.ToolOfSelfForm {
		t.Errorf("a form in a closed shadow root is %s", deep.Kind)
	}
}

// testToolCollision: the tool of a script came first, and stays.
func testToolCollision(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/collide")
	r.told(t, tab, "same")
	if p := find(t, r.sameAsTold(t, tab).Tools, "same"); p.Kind != browser.ToolOfScript {
		t.Errorf("of a script's tool and a form, %+v is told", p)
	}
}

// testToolsAndAddress: another address of the same document changes nothing.
func testToolsAndAddress(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/inner")
	r.told(t, tab, "inner", "send", "top")
	r.pageTools(t, tab)
	before := r.toolEvents(tab)
	for _, code := range []string{"history.pushState(null,'','/inner?2')", "history.replaceState(null,'','/inner?3')", "location.hash='x'", "history.back()"} {
		r.run(t, tab, code)
	}
	r.must(t, tab, browser.WaitFor{URL: "/inner?3", Timeout: 5 * time.Second}, nil)
	r.sameAsTold(t, tab)
	if after := r.toolEvents(tab); after != before {
		t.Errorf("%d events about tools came of changes of the address", after-before)
	}
}

func (r *Rig) toolEvents(tab browser.TabID) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tools[tab].told
}

// testRestoredTools goes back to a document that was kept, and has tools that a
// load of it would not give.
func testRestoredTools(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/inner")
	r.run(t, tab, "kept=1;offer('kept');stops.top.abort();document.body.insertAdjacentHTML('beforeend','<iframe src=/other></iframe>')")
	r.toldAt(t, tab, "/inner inner", "/inner kept", "/inner send", "/other other")
	r.must(t, tab, browser.Navigate{URL: here + "/top"}, &browser.Navigation{})
	r.toldAt(t, tab, r.topTools()...)
	r.must(t, tab, browser.Navigate{To: browser.Back}, &browser.Navigation{})
	var v browser.Value
	r.must(t, tab, browser.Evaluate{Code: "return typeof kept"}, &v)
	if v.JSON != `"number"` {
		t.Skip("the document was not kept")
	}
	var frames []string
	if !r.differs(NoKeptFrames) {
		frames = append(frames, "/other other")
	}
	r.toldAt(t, tab, append([]string{"/inner inner", "/inner kept", "/inner send"}, frames...)...)
	list := r.sameAsTold(t, tab)
	if p := find(t, list.Tools, "send"); p.Kind != browser.ToolOfSelfForm {
		t.Errorf("the form of a restored document is %+v", p)
	}
	r.run(t, tab, "stops.kept.abort();offer('again')")
	r.toldAt(t, tab, append([]string{"/inner again", "/inner inner", "/inner send"}, frames...)...)
	r.must(t, tab, browser.Navigate{To: browser.Forward}, &browser.Navigation{})
	if r.differs(NoKeptFrames) {
		r.toldAt(t, tab, "/top top")
	} else {
		r.toldAt(t, tab, r.topTools()...)
	}
	r.sameAsTold(t, tab)
}

func testManyTools(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/many")
	if n := len(r.sameAsTold(t, tab).Tools); n != 1000 {
		t.Errorf("%d tools are listed", n)
	}
	r.must(t, tab, browser.Navigate{URL: here + "/plain"}, &browser.Navigation{})
	r.told(t, tab)
}

// testWaitOverNavigation waits for a tool that only a later document offers.
func testWaitOverNavigation(t *testing.T, r *Rig, here, there string) {
	tab := r.open(t, here+"/plain")
	done := make(chan error, 1)
	go func() {
		done <- r.do(tab, browser.WaitFor{PageTool: "far", Timeout: 15 * time.Second}, &browser.Waited{})
	}()
	r.must(t, tab, browser.Navigate{URL: there + "/other"}, &browser.Navigation{})
	r.must(t, tab, browser.Navigate{URL: here + "/top"}, &browser.Navigation{})
	if err := <-done; err != nil {
		t.Error(err)
	}
	go func() {
		done <- r.do(tab, browser.WaitFor{PageTool: "never", Timeout: 15 * time.Second}, &browser.Waited{})
	}()
	r.must(t, tab, browser.Navigate{URL: here + "/plain"}, &browser.Navigation{})
	r.must(t, tab, browser.CloseTab{}, nil)
	wantCode(t, "a tool of a tab that closes", <-done, browser.CodeUnknownTab)
}

// testToolsOfCrashed: what crashed offers nothing, and what follows does.
func testToolsOfCrashed(t *testing.T, r *Rig, here, _ string) {
	tab := r.open(t, here+"/inner")
	r.told(t, tab, "inner", "send", "top")
	err := r.do(tab, browser.Navigate{URL: "chrome://crash"}, &browser.Navigation{})
	if r.differs(NotEverywhere) {
		if err == nil {
			t.Error("an extension led a tab to an address of the browser's own")
		}
		return
	}
	wantCode(t, "a page that was made to crash", err, browser.CodePageError)
	if now, _ := r.Tab(tab); !now.Crashed || err == nil || !strings.Contains(err.Error(), "crashed") {
		t.Fatalf("the page did not crash: %v", err)
	}
	r.told(t, tab)
	r.must(t, tab, browser.Navigate{URL: here + "/other"}, &browser.Navigation{})
	r.told(t, tab, "other")
}
