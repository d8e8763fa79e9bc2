package drivertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// toolPages are pages that offer page tools in all the ways there are; THERE is
// the address of the same pages on another site, which makes frames of it run
// in another process.
var toolPages = map[string]string{
	"/plain": `<h1>Plain</h1>`,
	"/top":   `<script>offer('top')</script><iframe src=/inner></iframe><iframe srcdoc="<script>parent.offerIn(window,'doc')</script>"></iframe><iframe src=THERE/far allow=tools></iframe><iframe src=THERE/far></iframe>`,
	"/inner": `<script>offer('inner');offer('top')</script><form toolname=send tooldescription=Sends toolautosubmit><input name=a></form>`,
	"/far":   `<script>offer('far')</script><iframe src=/inner></iframe>`,
	"/other": `<script>offer('other')</script>`,
	"/box":   `<iframe sandbox=allow-scripts allow=tools src=/inner></iframe>`,
	"/none":  `<iframe src=/plain></iframe><iframe src=/inner allow="tools 'none'"></iframe><iframe src=/domain></iframe><iframe src=THERE/plain></iframe>`,
	"/hidden": `<div id=host></div><script>host.attachShadow({mode:'closed'}).innerHTML='<form toolname=deep tooldescription=Deep toolautosubmit><input name=a></form>'</script>
<div id=open></div><script>open=document.getElementById('open');open.attachShadow({mode:'open'}).innerHTML='<form toolname=shallow tooldescription=Shallow><input name=a></form>'</script>`,
	"/collide": `<script>offer('same')</script><form toolname=same tooldescription="About same"><input name=a></form>`,
	"/many":    `<script>for(let i=0;i<1000;i++)offer('t'+String(i).padStart(3,'0'))</script>`,
	"/notForms": `<form toolname=a><input name=q></form><form tooldescription=b><input name=q></form><form toolname="c d" tooldescription=c></form>
<div toolname=e tooldescription=e></div><template><form toolname=f tooldescription=f></form></template><form toolname=yes tooldescription=yes></form>
<form toolname=yes tooldescription=no></form>`,
	"/fields": fieldsPage(),
}

// toolHeaders are what pages are sent with.
var toolHeaders = map[string][2]string{
	"/domain":    {"Origin-Agent-Cluster", "?0"},
	"/forbidden": {"Permissions-Policy", "tools=()"},
}

// toolHead defines offer for the pages.
const toolHead = `<!doctype html><meta charset=utf-8><link rel=icon href=data:,><script>
const stops = {};
function offer(name, inputSchema = {type: 'object'}, more) { offerIn(window, name, inputSchema, more) }
function offerIn(w, name, inputSchema = {type: 'object'}, more) {
  stops[name] = new AbortController();
  w.document.modelContext?.registerTool({name, description: 'About ' + name, inputSchema, execute: () => name, ...more}, {signal: stops[name].signal}).catch(() => {});
}
</script>`

// formFields are controls of a form, and what a browser makes of each in the
// schema of its tool; "" is nothing.
var formFields = []struct{ control, schema string }{
	{`<input name=%s>`, `{"type":"string"}`},
	{`<input name=%s type=email pattern="[a-z]+" maxlength=5>`, `{"type":"string","pattern":"[a-z]+"}`},
	{`<textarea name=%s></textarea>`, `{"type":"string"}`},
	{`<input name=%s type=number min=1 max=9>`, `{"type":"number","minimum":1,"maximum":9,"multipleOf":1}`},
	{`<input name=%s type=number min=0 step=5>`, `{"type":"number","minimum":0,"multipleOf":5}`},
	{`<input name=%s type=range>`, `{"type":"number","minimum":0,"maximum":100,"multipleOf":1}`},
	{`<input name=%s type=checkbox>`, `{"type":"boolean"}`},
	{`<input name=%s type=text disabled>`, ``},
	{`<input name=%s type=text readonly>`, ``},
	{`<input name=%s type=file>`, ``},
	{`<input name=%s type=hidden>`, ``},
	{`<input name=%s type=hidden toolparamdescription=Told>`, `{"type":"string","description":"Told"}`},
	{`<label>Its label<input name=%s></label>`, `{"type":"string","description":"Its label"}`},
	{`<button name=%s>B</button>`, ``},
}

func fieldsPage() string {
	var b strings.Builder
	b.WriteString(`<form toolname=fields tooldescription=Fields>`)
	for i, f := range formFields {
		fmt.Fprintf(&b, f.control, fmt.Sprintf("f%02d", i))
	}
	b.WriteString(`<select name=pick required toolparamdescription=Which><option value=a>A<option value=b>B</select>
<label><input type=radio name=one value=x>X</label><label><input type=radio name=one value=y>Y</label>
<input type=checkbox name=some value=1><input type=checkbox name=some value=2></form>`)
	return b.String()
}

// toolSite serves the pages with tools on two sites until the test ends.
func toolSite(t testing.TB) (here, there string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := toolPages[r.URL.Path]
		if h, has := toolHeaders[r.URL.Path]; has {
			w.Header().Set(h[0], h[1])
			ok = true
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		port := r.Host[strings.LastIndexByte(r.Host, ':'):]
		_, _ = io.WriteString(w, toolHead+strings.ReplaceAll(body, "THERE", "http://localhost"+port)) // a broken connection shows at the other end
	}))
	t.Cleanup(s.Close)
	return s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}

// Difference is something that page tools may be other in than where the browser
// has WebMCP and tells of it, and why.
type Difference string

// Differences.
const (
	NoPolicy      Difference = "only browsers that have WebMCP have a policy about it"
	NoClosedTrees Difference = "no script of a page's world finds its closed shadow trees"
	NoAddressless Difference = "user scripts come too late into documents that have no address of their own"
	NoKeptFrames  Difference = "Chromium tells extensions nothing of the frames of a page that it kept"
	NotEverywhere Difference = "no extension is let into a tab that is empty, or led to data:"
)

// RunPageTools holds a driver of a browser that renders to what it must find of
// page tools, but for differences that are meant.
func RunPageTools(t *testing.T, start Start, differences ...Difference) {
	here, there := toolSite(t)
	r := NewRig(t, start(t, new(browser.IDs), here))
	r.differences = differences
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, r *Rig, here, there string)
	}{
		{"frames", testToolsOfFrames},
		{"frames/moves", testToolsOfMovingFrames},
		{"sandbox", testToolsOfSandbox},
		{"reasons", testNoTools},
		{"forms", testFormTools},
		{"forms/changes", testFormChanges},
		{"shadow", testHiddenForms},
		{"collision", testToolCollision},
		{"address", testToolsAndAddress},
		{"restored", testRestoredTools},
		{"many", testManyTools},
		{"wait", testWaitOverNavigation},
		{"crash", testToolsOfCrashed},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, r, here, there) })
	}
}
