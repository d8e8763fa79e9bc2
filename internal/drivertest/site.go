package drivertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// A page of the suite, as HTML for real browsers and as a model for the fake.
type page struct {
	title string
	body  string // HTML
	model func() []element
	sends string            // what its script posts to sendPath
	says  []browser.Message // what its script writes to the console
	tools []browser.PageTool
	calls map[string]fakeCall // of tools that do more than those of other pages
}

// What the script of /debug sends, and gets.
const (
	sendPath   = "/send"
	sendToken  = "token-that-nobody-may-read"
	sendBody   = `{"user":"ann","password":"correct horse"}`
	sendAnswer = `{"ok":true,"access_token":"another-secret-token"}`
)

// element is one element of the fake's model of a page, in the order of the
// outline.
type element struct {
	role, name string
	tag        string // that lists call it; "": as the role says
	tail       string // the rest of the line, such as a state
	act        bool   // gets a ref
	field      bool   // can be filled
	value      string
	readonly   bool
	disabled   bool
	ref        int
	click      func(*fakeTab)
	filled     func(*fakeTab, string)
	entered    func(*fakeTab) // Enter is pressed in it
	hover      func(*fakeTab)
	scrolled   func(*fakeTab)                 // with the page
	drop       func(t *fakeTab, what string)  // nil: it takes nothing
	files      func(*fakeTab, []browser.File) // nil: it takes none
	one        bool                           // it takes one file only
}

// sitePages returns the suite's pages by path, each with a fresh model.
func sitePages() map[string]page {
	pages := uploadPages()
	maps.Copy(pages, map[string]page{
		"/start": {
			title: "Start",
			body: `<h1>Start</h1>
<button onclick="document.getElementById('out').textContent='Pressed '+(this.n=(this.n||0)+1)">Press</button>
<output id=out>Not pressed</output>
<a href=/next>Next page</a>
<button disabled>Asleep</button>
<button onclick="setTimeout(()=>window.open('/next'),0)">Pop up</button>`,
			model: func() []element {
				presses := 0
				return []element{
					{role: "heading 1", name: "Start"},
					{role: "button", name: "Press", act: true, click: func(t *fakeTab) {
						presses++
						t.setText("status", fmt.Sprintf("Pressed %d", presses))
					}},
					{role: "status", name: "Not pressed"},
					{role: "link", name: "Next page", tail: "→ /next", act: true, click: func(t *fakeTab) { t.follow("/next") }},
					{role: "button", name: "Asleep", act: true, disabled: true},
					{role: "button", name: "Pop up", act: true, click: func(t *fakeTab) { t.popup("/next") }},
				}
			},
		},
		"/links": {
			title: "Links",
			body: `<button onclick="window.open('/next')">New window</button>
<a href=/next target=_blank>New tab</a>
<a href=/next target=_blank onclick="event.preventDefault()">No tab</a>
<a href=/next>Next page</a>`,
			model: func() []element {
				return []element{
					{role: "button", name: "New window", act: true, click: func(t *fakeTab) { t.popup("/next") }},
					{role: "link", name: "New tab", tail: "→ /next", act: true, click: func(t *fakeTab) { t.popup("/next") }},
					{role: "link", name: "No tab", tail: "→ /next", act: true},
					{role: "link", name: "Next page", tail: "→ /next", act: true, click: func(t *fakeTab) { t.follow("/next") }},
				}
			},
		},
		"/next": {
			title: "Next",
			body:  `<h1>Next</h1><a href=/start>Start page</a>`,
			model: func() []element {
				return []element{
					{role: "heading 1", name: "Next"},
					{role: "link", name: "Start page", tail: "→ /start", act: true, click: func(t *fakeTab) { t.follow("/start") }},
				}
			},
		},
		"/form": {
			title: "Form",
			body: `<label>Email <input type=email></label>
<label>Number <input value=KEEP readonly></label>
<label>Password <input type=password></label>`,
			model: func() []element {
				return []element{
					{role: "textbox", name: "Email", act: true, field: true},
					{role: "textbox", name: "Number", act: true, field: true, readonly: true, value: "KEEP"},
					{role: "textbox", name: "Password", act: true, field: true, tail: "password"},
				}
			},
		},
		"/move": {
			title: "Move",
			body: `<style>nav div { display: none } nav:hover div { display: block }</style>
<nav aria-label=Menu><button>File</button><div><button onclick="document.getElementById('out').textContent='Saved'">Save</button></div></nav>
<div draggable=true role=button tabindex=0 ondragstart="event.dataTransfer.setData('text/plain','card 7')">Card</div>
<div role=button tabindex=0 ondragover=event.preventDefault() ondrop="document.getElementById('out').textContent='Took '+event.dataTransfer.getData('text/plain')">Tray</div>
<div role=button tabindex=0>Wall</div>
<div role=button tabindex=0 onpointerdown="setPointerCapture(event.pointerId);this.x=event.clientX"
 onpointerup="document.getElementById('out').textContent='Moved by '+(event.clientX-this.x>100?'much':'little')">Knob</div>
<output id=out>Nothing yet</output>`,
			model: func() []element {
				return []element{
					{role: "button", name: "File", act: true, hover: func(t *fakeTab) {
						t.add(element{role: "button", name: "Save", act: true, click: func(t *fakeTab) { t.setText("status", "Saved") }})
					}},
					{role: "button", name: "Card", act: true},
					{role: "button", name: "Tray", act: true, drop: func(t *fakeTab, what string) {
						if what == "Card" {
							t.setText("status", "Took card 7")
						}
					}},
					{role: "button", name: "Wall", act: true},
					{role: "button", name: "Knob", act: true},
					{role: "status", name: "Nothing yet"},
				}
			},
		},
		"/tall": {
			title: "Tall",
			body: `<output id=out>Not scrolled</output><div style="height:5000px"></div>
<script>onscroll = () => { out.textContent = 'Scrolled' }</script>`,
			model: func() []element {
				return []element{{role: "status", name: "Not scrolled", scrolled: func(t *fakeTab) { t.setText("status", "Scrolled") }}}
			},
		},
		"/framed": {
			title: "Framed",
			body: `<output id=out>Open</output>
<iframe title=Near srcdoc="<button onclick=&quot;const b=document.createElement('button');b.textContent='Late';b.onclick=()=>frameElement.remove();document.body.append(b)&quot;>More</button>"></iframe>
<iframe title=Far sandbox=allow-scripts srcdoc="<input aria-label=Code oninput=&quot;if(this.value==='1234')parent.postMessage('done','*')&quot;><button onclick=&quot;parent.postMessage('done','*')&quot;>Close</button>"></iframe>
<script>onmessage = () => { document.querySelector('[title=Far]').remove(); out.textContent = 'Closed' }</script>`,
			model: func() []element {
				shut := func(t *fakeTab) {
					t.remove("button", "Close")
					t.remove("textbox", "Code")
					t.setText("status", "Closed")
				}
				return []element{
					{role: "status", name: "Open"},
					{role: "button", name: "More", act: true, click: func(t *fakeTab) {
						t.add(element{role: "button", name: "Late", act: true, click: func(t *fakeTab) { t.remove("button", "Late"); t.remove("button", "More") }})
					}},
					{role: "textbox", name: "Code", act: true, field: true, filled: func(t *fakeTab, v string) {
						if v == "1234" {
							shut(t)
						}
					}},
					{role: "button", name: "Close", act: true, click: shut},
				}
			},
		},
		"/debug": {
			title: "Debug",
			body: "<h1>Debug</h1>\n<script>console.log('ready', {a: 1, b: 'x'});console.error('went wrong')\n" +
				"fetch('" + sendPath + "', {method: 'POST', headers: {Authorization: 'Bearer " + sendToken + "'}, body: '" + sendBody + "'})" +
				".then(r => r.text()).then(() => document.title = 'Debugged')</script>",
			model: func() []element { return []element{{role: "heading 1", name: "Debug"}} },
			sends: sendBody,
			says: []browser.Message{
				{Level: browser.LevelInfo, Text: `ready {a: 1, b: "x"}`},
				{Level: browser.LevelError, Text: "went wrong"},
			},
		},
		"/files": {
			title: "Files",
			body: `<button onclick=one.click()>Attach</button><input type=file id=one hidden onchange=show(this.files)>
<div role=button tabindex=0 ondragover=event.preventDefault() ondrop="event.preventDefault();show(event.dataTransfer.files)">Shelf</div>
<button>Plain</button>
<output id=out>No file</output>
<script>async function show(files) { const all = []; for (const f of files) all.push(f.name + ' ' + await f.text()); document.getElementById('out').textContent = 'Has ' + all.join(', ') }</script>`,
			model: func() []element {
				show := func(t *fakeTab, files []browser.File) {
					var all []string
					for _, f := range files {
						text, _ := os.ReadFile(f.Path)
						all = append(all, filepath.Base(f.Path)+" "+string(text))
					}
					t.setText("status", "Has "+strings.Join(all, ", "))
				}
				return []element{
					{role: "button", name: "Attach", act: true, files: show, one: true},
					{role: "button", name: "Shelf", act: true, files: show},
					{role: "button", name: "Plain", act: true},
					{role: "status", name: "No file"},
				}
			},
		},
		"/tools": {
			title: "Tools",
			body: `<script>
function offer(name, inputSchema, more) {
  const stop = new AbortController();
  document.modelContext.registerTool({name, description: 'About ' + name, inputSchema, execute: () => name, ...more}, {signal: stop.signal});
  return stop;
}
offer('inline', ` + inlineSchema + `, {title: 'In line', annotations: {readOnlyHint: true}});
let late;
</script>
<button onclick="late=offer('late',{type:'object',properties:{n:{type:'number'}}})">Offer</button>
<button onclick="late.abort();late=offer('late',{type:'object',properties:{n:{type:'string'}}})">Change</button>
<button onclick="late.abort()">Withdraw</button>
<form toolname=ask tooldescription=Asks tooltitle=Ask><input name=q toolparamdescription=Question required><button>Send</button></form>
<form toolname=go tooldescription=Goes toolautosubmit></form>`,
			model: func() []element {
				return []element{
					{role: "button", name: "Offer", act: true, click: func(t *fakeTab) { t.offer(script("late", lateSchema)) }},
					{role: "button", name: "Change", act: true, click: func(t *fakeTab) { t.offer(script("late", laterSchema)) }},
					{role: "button", name: "Withdraw", act: true, click: func(t *fakeTab) { t.withdraw("late") }},
					{role: "textbox", name: "Question", act: true, field: true},
					{role: "button", name: "Send", act: true},
				}
			},
			tools: []browser.PageTool{
				{Name: "inline", Title: "In line", Description: "About inline", Kind: browser.ToolOfScript, Schema: json.RawMessage(inlineSchema),
					Hints: browser.PageToolHints{ReadOnly: new(true)}},
				{Name: "ask", Title: "Ask", Description: "Asks", Kind: browser.ToolOfForm, Schema: json.RawMessage(askSchema)},
				{Name: "go", Description: "Goes", Kind: browser.ToolOfSelfForm, Schema: json.RawMessage(`{"type":"object","properties":{},"required":[]}`)},
			},
		},
		"/search": {
			title: "Search",
			body: `<form onsubmit="event.preventDefault();document.getElementById('out').textContent='Sought '+this.q.value+(this.pressed?' by a press':'')" onmousedown="this.pressed=true">
<input name=q aria-label=Query value=cat style="position:fixed;left:10px;top:200px;width:200px;height:30px"><button>Go</button></form>
<div style="position:fixed;left:0;top:190px;width:150px;height:50px"></div>
<input aria-label=Locked disabled><p>No field</p><output id=out>Nothing yet</output>`,
			model: func() []element {
				return []element{
					{role: "textbox", name: "Query", act: true, field: true, value: "cat", entered: func(t *fakeTab) { t.setText("status", "Sought cat") }},
					{role: "button", name: "Go", act: true},
					{role: "textbox", name: "Locked", act: true, field: true, disabled: true},
					{role: "paragraph", name: "No field"},
					{role: "status", name: "Nothing yet"},
				}
			},
		},
		"/squares": {
			title: "Squares",
			body:  `<div style="position:fixed;left:100px;top:100px;width:40px;height:20px;background:#f00"></div>`,
			model: func() []element { return nil },
		},
		"/calls":  callPage(),
		"/listed": listedPage(),
		"/dialog": {
			title: "Dialog",
			body: `<button onclick="document.getElementById('out').textContent=confirm('Sure?')?'Yes':'No'">Ask me</button>
<output id=out>No answer</output>`,
			model: func() []element {
				return []element{
					{role: "button", name: "Ask me", act: true, click: func(t *fakeTab) {
						t.ask("Sure?", func(yes bool) {
							t.setText("status", map[bool]string{true: "Yes", false: "No"}[yes])
						})
					}},
					{role: "status", name: "No answer"},
				}
			},
		},
	})
	return pages
}

// Site serves the suite's pages on the loopback until the test ends, and
// returns its address without a slash at the end.
func Site(t testing.TB) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == sendPath {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, sendAnswer)
			return
		}
		p, ok := sitePages()[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, document(p))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func document(p page) string {
	return strings.Join([]string{"<!doctype html><html lang=en><meta charset=utf-8><title>", p.title, "</title><link rel=icon href=data:,>\n", p.body}, "")
}
