package cdp_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

//go:embed testdata/modelcontext/script.js
var scriptTable string

//go:embed testdata/modelcontext/forms.js
var formsTable string

// without launches a browser that has no WebMCP.
var without = cdp.LaunchOptions{Args: []string{"--disable-features=WebMCP"}}

// differences are where our stand-in is meant to do something else than Chrome
// 156, and why.
var differences = []struct{ why, cases string }{
	{"a class of the browser cannot be given members for its constructor", "SubmitEvent made with it"},
	{"a half of a character empties the whole text there", `description \loney`},
	{"before Chrome 155 the input was JSON, and pages still give it so", "input text {}"},
	{"there, a step of any is taken for 1", "control range of any step"},
	{"validators know no regular expressions as formats", "control time|control local|control month|control week|control color"},
	{"what has no name cannot be submitted", "control nameless|control empty name|control blank name"},
	{"a form that is where it was again is the same tool", "change: form moved"},
	{"what the schema says follows the page", "change: label changed|change: option added"},
	{"what is not changed tells of no change", `call: checkbox of false|call: checkbox of 0|call: checkboxes of ["a"]|call: checkboxes of ["a","b"]|call: checkboxes of []|call: checkboxes of [1]|call: date of `},
	{"a person can put right what was refused", "manual: invalid stays"},
}

// TestStandIn holds our stand-in for WebMCP to what the browser's own does.
func TestStandIn(t *testing.T) {
	t.Parallel()
	native, other := newRig(t), newRigOf(t, cdp.Options{}, without)
	for name, table := range map[string]string{"script": scriptTable, "forms": formsTable} {
		t.Run(name, func(t *testing.T) {
			run := func(r *rig) map[string]string {
				tab := r.open(t, r.here+"/plain")
				var v browser.Value
				to := browser.Target{Tab: tab, Origins: browser.AnyOrigin()}
				if err := r.Do(context.Background(), to, browser.Evaluate{Code: table, Timeout: 2 * time.Minute, MaxBytes: 1 << 20}, &v); err != nil {
					t.Error(err)
					return nil
				}
				out := make(map[string]string)
				if err := json.Unmarshal([]byte(strings.ReplaceAll(v.JSON, r.here, "http://here")), &out); err != nil {
					t.Error(err, v.JSON)
				}
				return out
			}
			var want, got map[string]string
			var both sync.WaitGroup
			both.Go(func() { want = run(native) })
			both.Go(func() { got = run(other) })
			both.Wait()
			meant := make(map[string]string)
			for _, d := range differences {
				for _, c := range strings.Split(d.cases, "|") {
					meant[c] = d.why
				}
			}
			for _, c := range slices.Sorted(maps.Keys(want)) {
				switch same := got[c] == want[c]; {
				case same && meant[c] != "":
					t.Errorf("%s: it is the same, though %s", c, meant[c])
				case !same && meant[c] == "":
					t.Errorf("%s:\n  got %s\n want %s", c, got[c], want[c])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d cases, want %d", len(got), len(want))
			}
		})
	}
}

// Pages with manners of their own.
const (
	// A stand-in of the page, which takes its input as JSON or as an object.
	ownStandIn = `class Own extends EventTarget{#tools=new Map;
async registerTool(t,o){this.#tools.set(t.name,t);o?.signal?.addEventListener('abort',()=>{this.#tools.delete(t.name);this.dispatchEvent(new Event('toolchange'))});this.dispatchEvent(new Event('toolchange'))}
async getTools(){return[...this.#tools.values()].map(t=>({name:t.name,title:'',description:t.description,inputSchema:t.inputSchema,annotations:t.annotations}))}
async executeTool(t,input){const own=this.#tools.get(t.name);return JSON.stringify(await own.execute(JSONINPUT?JSON.parse(input):input))}}
const own=new Own;`
	register = `.registerTool({name:'echo',description:'Echoes',inputSchema:{type:'object',properties:{a:{type:'string'}}},annotations:{readOnlyHint:true,destructiveHint:false,openWorldHint:true},title:'Echo!',execute:o=>o});`
	hostile  = `EventTarget.prototype.dispatchEvent=EventTarget.prototype.addEventListener=()=>{throw 1};window.CustomEvent=window.Event=function(){throw 2};
Promise.prototype.then=Promise.prototype.constructor=()=>{throw 3};JSON.parse=JSON.stringify=()=>{throw 4};Map.prototype.get=Map.prototype.set=Map.prototype.forEach=()=>{throw 5};
Array.prototype[Symbol.iterator]=Array.prototype.push=Array.prototype.map=()=>{throw 6};Object.defineProperty=Reflect.apply=Reflect.get=()=>{throw 7};window.MessageChannel=window.MutationObserver=function(){throw 8};
Object.prototype.toJSON=()=>'spoilt';Function.prototype.call=Function.prototype.apply=()=>{throw 9};String.prototype.slice=String.prototype.trim=()=>{throw 10};Element.prototype.getAttribute=Element.prototype.querySelectorAll=()=>{throw 11};`
)

func newStandInSite(t testing.TB) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		there := "http://" + strings.Replace(q.Host, "127.0.0.1", "localhost", 1)
		form := `<form toolname=ask tooldescription=Asks toolautosubmit onsubmit="event.preventDefault();event.respondWith({asked:this.q.value})"><input name=q required></form>`
		script := func(code string) string { return "<script>" + code + "</script>" }
		var body string
		switch q.URL.Path {
		case "/plain":
			body = `<p>Plain</p>`
		case "/tools":
			body = script("document.modelContext"+register) + form + `<iframe src=/inner></iframe><iframe src="` + there + `/inner"></iframe>`
		case "/reused": // the empty document's window is the one of the next
			body = "<body>" + script(`const f=document.createElement('iframe');f.src='/both';document.body.append(f);f.contentWindow.mine=f.contentDocument.modelContext`)
		case "/both":
			body = script("document.modelContext"+register) + form
		case "/inner":
			body = script("document.modelContext" + register)
		case "/large":
			body = strings.Repeat("<div><p>x</p></div>", 2500) + form
		case "/strict":
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-x'; require-trusted-types-for 'script'; trusted-types 'none'")
			body = "<script nonce=x>document.modelContext" + register + "</script>" + form
		case "/document", "/navigator", "/prototype", "/text":
			body = script("const JSONINPUT=" + fmt.Sprint(q.URL.Path == "/text") + ";" + ownStandIn + map[string]string{
				"/document":  "Object.defineProperty(document,'modelContext',{value:own,configurable:true})",
				"/text":      "Object.defineProperty(document,'modelContext',{value:own,configurable:true})",
				"/navigator": "Object.defineProperty(navigator,'modelContext',{value:own,configurable:true})",
				"/prototype": "Object.defineProperty(Document.prototype,'modelContext',{get:()=>own,configurable:true})",
			}[q.URL.Path] + ";" + map[bool]string{true: "navigator", false: "document"}[q.URL.Path == "/navigator"] + ".modelContext" + register)
		case "/around":
			body = script(`const real=document.modelContext,shell={registerTool:(t,o)=>real.registerTool(t,o),getTools:()=>real.getTools(),executeTool:(...a)=>real.executeTool(...a)};
Object.defineProperty(document,'modelContext',{value:shell,configurable:true});document.modelContext` + register)
		case "/hostile":
			body = script("document.modelContext"+register) + form + script(hostile)
		case "/throwing":
			body = script(`for(const o of [document,navigator])Object.defineProperty(o,'modelContext',{get(){throw 1},configurable:true})`) + `<form toolname=ask tooldescription=Asks><input name=q></form>`
		case "/hung":
			body = script(`Object.defineProperty(document,'modelContext',{value:{getTools:()=>new Promise(()=>{})},configurable:true})`) + form
		}
		fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,>`+body)
	}))
	t.Cleanup(server.Close)
	return server
}

// What documents offer is known and followed where the browser has no WebMCP.
func TestStandInIsHeard(t *testing.T) {
	t.Parallel()
	r, s := newRigOf(t, cdp.Options{}, without), newStandInSite(t)
	list := func(id browser.TabID) []string {
		var out browser.PageToolList
		r.must(t, id, browser.PageTools{}, &out)
		lines := toolLines(out.Tools)
		for i, line := range lines {
			if f := string(out.Tools[i].Frame); f != "" {
				lines[i] = "in a frame" + strings.TrimPrefix(line, f)
			}
		}
		return lines
	}
	for _, tt := range []struct {
		path string
		want []string
	}{
		{"/tools", []string{"ask self-form", "echo script", "in a frame echo script", "in a frame echo script"}}, {"/strict", []string{"ask self-form", "echo script"}},
		{"/reused", []string{"in a frame ask self-form", "in a frame echo script"}}, {"/document", []string{"echo script"}}, {"/navigator", []string{"echo script"}}, {"/prototype", []string{"echo script"}}, {"/text", []string{"echo script"}}, {"/around", []string{"echo script"}},
		{"/hostile", []string{"ask self-form", "echo script"}}, {"/throwing", []string{"ask form"}}, {"/hung", []string{"ask self-form"}},
	} {
		id := r.open(t, s.URL+tt.path)
		r.eventually(t, "the tools of "+tt.path, func() (string, bool) {
			got := list(id)
			return fmt.Sprint(got), slices.Equal(got, tt.want)
		})
		for _, tool := range tt.want {
			name, args, want := "echo", `{"a":"é"}`, `{"a":"é"}`
			switch {
			case strings.HasPrefix(tool, "in a frame") || tt.path == "/throwing" || tt.path == "/strict" && strings.HasPrefix(tool, "ask"):
				continue // its own frame answers; it waits for a person; no handler is allowed
			case strings.HasPrefix(tool, "ask"):
				name, args, want = "ask", `{"q":"x"}`, `{"asked":"x"}`
			}
			if tt.path == "/hostile" {
				want = `"spoilt"` // by itself
			}
			if out := r.mustTool(t, id, name, args); string(out.JSON) != want {
				t.Errorf("%s of %s answers %s", name, tt.path, out.JSON)
			}
		}
	}
	id := r.open(t, s.URL+"/inner")
	var out browser.PageToolList
	r.eventually(t, "the tool of /inner", func() (string, bool) {
		out = browser.PageToolList{}
		r.must(t, id, browser.PageTools{}, &out)
		return fmt.Sprintf("%+v", out), len(out.Tools) == 1
	})
	if t.Failed() {
		return
	}
	if p := out.Tools[0]; p.Title != "Echo!" || !*p.Hints.ReadOnly || *p.Hints.Destructive || !*p.Hints.OpenWorld || p.Hints.Consequential != nil || !strings.Contains(string(p.Schema), `"a"`) {
		t.Errorf("the tool is %+v", p)
	}
	follow := func(what, code string, want ...string) {
		t.Helper()
		r.eval(t, id, code)
		r.eventually(t, what, func() (string, bool) {
			got := map[string]bool{}
			for _, e := range r.toolEvents(id) {
				for _, k := range e.Removed {
					delete(got, k.Name)
				}
				for _, p := range e.Added {
					got[p.Name] = true
				}
			}
			names := slices.Sorted(maps.Keys(got))
			return fmt.Sprint(names), slices.Equal(names, want)
		})
	}
	follow("one more", `window.stop=new AbortController;document.modelContext.registerTool({name:'more',description:'d',execute(){}},{signal:stop.signal})`, "echo", "more")
	follow("one less", `stop.abort()`, "echo")
	follow("a form", `document.body.innerHTML='<form toolname=late tooldescription=d><input name=q><button></button></form>'`, "echo", "late")
	follow("no form", `document.body.innerHTML=''`, "echo")
	follow("one in a shadow tree", `const d=document.createElement('div');d.attachShadow({mode:'open'}).innerHTML='<form toolname=deep tooldescription=d></form>';document.body.append(d)`, "deep", "echo")
	follow("a written document", `document.open();document.write('<form toolname=written tooldescription=d></form>');document.close();document.modelContext.registerTool({name:'after',description:'d',execute(){}})`, "after", "echo", "written")
	r.must(t, id, browser.Navigate{URL: s.URL + "/plain"}, nil)
	follow("another document", "", []string{}...)
	r.must(t, id, browser.Navigate{To: browser.Back}, nil)
	follow("the one before", "", "after", "echo", "written")
}
