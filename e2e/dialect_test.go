package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// offering is a page with tools of all kinds: of an inline script, of a form,
// and one that another tool brings.
const offering = `<!doctype html><title>Offers</title><h1>Offers</h1>
<script>
const offer = (name, more) => document.modelContext.registerTool({name, description: 'About ' + name, execute: () => null, ...more})
offer('add', {
  title: 'Add', annotations: {readOnlyHint: true, destructiveHint: false, idempotentHint: true},
  inputSchema: {type: 'object', properties: {a: {type: 'number'}, b: {type: 'number'}}, required: ['a', 'b']},
  execute: ({a, b}) => a + b,
})
offer('list', {execute: () => ({items: ['tea', '<b>']})})
offer('break', {execute: () => { throw new RangeError('kaboom') }})
offer('ask', {execute: () => confirm('Really?')})
offer('more', {execute: async () => { await offer('late', {}); return 'there' }})
offer('webmcp_status', {execute: () => 'shadow'})
</script>
<form toolname=greet tooldescription="Greets" toolautosubmit action="/greeted"><input name=who toolparamdescription="Whom"><button>Go</button></form>
<form toolname=older onsubmit="event.preventDefault(); window.sent = (window.sent ?? 0) + 1"><input name=q toolname-target="older.q"><button>Go</button></form>
<a href="/second" target=_blank>Second</a>`

// newOffers serves the page, and what its form leads to.
func newOffers(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/greeted":
			who, _ := json.Marshal("Hello " + r.URL.Query().Get("who"))
			_, _ = w.Write([]byte(`<!doctype html><title>Greeted</title><script type="application/ld+json">{"@type":"Message","text":` + string(who) + `}</script>`))
		case "/strict":
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'none'; require-trusted-types-for 'script'")
			_, _ = w.Write([]byte(`<!doctype html><title>Strict</title>`))
		case "/favicon.ico":
			http.NotFound(w, r)
		default:
			_, _ = w.Write([]byte(offering))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestDialectWebMCP walks as opencode-webmcp's README does, over the same
// settings.
func TestDialectWebMCP(t *testing.T) {
	t.Parallel()
	site := newOffers(t)
	config := filepath.Join(t.TempDir(), "webmcp.yaml")
	if err := os.WriteFile(config, []byte("targetUrl: "+site+"/\nheadless: true\nlogHistory: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	needBrowser(t)
	changed := make(chan struct{}, 100)
	c := connect(t, launch(t, "--dialect", "webmcp", "--config", config), "", &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})

	// The list has the tools of the first page, with their hints: the first list,
	// unless the machine is so busy that nothing waits that long.
	tools := c.listed()
	eventually(t, "the first page's tools are listed", func() bool { tools = c.listed(); return len(tools) == 12+7 })
	add := tools["add"]
	switch {
	case add == nil:
		t.Fatalf("listed %v", tools)
	case add.Title != "Add" || add.Annotations == nil || !add.Annotations.ReadOnlyHint || add.Annotations.DestructiveHint == nil || !add.Annotations.IdempotentHint:
		t.Errorf("got %+v %+v", add, add.Annotations)
	}
	if tools["greet"] == nil || tools["late"] != nil || len(tools) != 12+7 {
		t.Errorf("listed %v", tools)
	}

	c.want(c.call("webmcp_status", nil), `"connected": true`, `"url": "`+site+`/"`, `"tabCount": 1`, `"toolCount": 8`, `"add"`)
	c.want(c.call("webmcp_navigate", args{"url": site + "/again"}), `"status": "ok"`, site+"/again", `"toolsFound": 8`)

	for _, tt := range []struct {
		tool string
		args args
		want string
	}{
		{"add", args{"a": 1, "b": 41}, "42"},
		{"list", nil, "{\n  \"items\": [\n    \"tea\",\n    \"<b>\"\n  ]\n}"},
		{"ask", nil, "false"},
		{"more", nil, "there"},
		{"webmcp_invoke_tool", args{"name": "webmcp_status"}, "shadow"},
		{"webmcp_evaluate", args{"code": "document.title"}, "Offers"},
		{"webmcp_evaluate", args{"code": "const n = 1; ({n, m: [n]})"}, "{\n  \"n\": 1,\n  \"m\": [\n    1\n  ]\n}"},
		{"webmcp_evaluate", args{"code": "Promise.resolve(7)"}, "7"},
		{"webmcp_evaluate", args{"code": "void 0"}, "undefined"},
		{"webmcp_evaluate", args{"code": "alert(1); confirm('?')"}, "false"},
	} {
		if got := c.call(tt.tool, tt.args); got != tt.want {
			t.Errorf("%s %v: got %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
	for _, tt := range []struct {
		tool string
		args args
		want string
	}{
		{"break", nil, "kaboom"},
		{"add", args{"a": "one"}, "page tool add was not called: a: "},
		{"gone", nil, `WebMCP tool "gone" not found on the page`},
		{"webmcp_evaluate", args{"code": "throw new Error('kaboom')"}, "kaboom"},
		{"webmcp_navigate", args{"url": "http://127.0.0.1:1/"}, "127.0.0.1:1"},
	} {
		if got := c.refused(tt.tool, tt.args); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s %v: got %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}

	// A form of opencode-webmcp's own kind is filled, and submitted once.
	c.call("webmcp_navigate", args{"url": site + "/"})
	c.call("older", args{"q": "tea"})
	if got := c.call("webmcp_evaluate", args{"code": "document.querySelector('[name=q]').value + sent"}); got != "tea1" {
		t.Errorf("got %q", got)
	}

	// What a page does later reaches the client.
	c.call("webmcp_navigate", args{"url": site + "/"})
	for len(changed) > 0 {
		<-changed
	}
	c.listed()
	c.call("more", nil)
	select {
	case <-changed:
	case <-time.After(patience):
		t.Error("no notification of the new tool")
	}
	if c.listed()["late"] == nil {
		t.Error("the new tool is not listed")
	}

	// A form is filled and submitted, and answers with what it led to.
	c.want(c.call("greet", args{"who": "Ann"}), `"text": "Hello Ann"`)
	c.want(c.call("webmcp_register_test_tools", nil), `"registered": 3`, "test_greet")
	c.call("webmcp_register_test_tools", nil)
	if got := c.call("test_greet", args{"name": "Ann"}); got != "Hello, Ann! Welcome to WebMCP." {
		t.Errorf("got %q", got)
	}
	if got := c.call("webmcp_invoke_tool", args{"name": "test_fetch_title", "args": args{"url": "/"}}); got != "Offers" {
		t.Errorf("got %q", got)
	}

	// Code runs whatever the page's policy says, and a page does not hold its tab.
	c.call("webmcp_evaluate", args{"code": "onbeforeunload = (e) => { e.preventDefault(); return 'no' }; 1"})
	c.call("webmcp_navigate", args{"url": site + "/strict"})
	if got := c.call("webmcp_evaluate", args{"code": "document.title + 1"}); got != "Strict1" {
		t.Errorf("got %q", got)
	}

	c.call("webmcp_clear_history", nil)
	c.refused("gone", nil)
	c.want(c.call("webmcp_history", args{"limit": 1}), `"count": 1`, `"total": 2`, `"toolName": "gone"`, `"success": false`, "not found on the page")
	c.want(c.stderr.String(), `{"timestamp":"`, `"toolName":"webmcp_status"`)
}

// listed lists the tools by name.
func (c *client) listed() map[string]*mcp.Tool {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(c.tb.Context(), patience)
	defer cancel()
	list, err := c.session.ListTools(ctx, nil)
	if err != nil {
		c.tb.Fatal(err)
	}
	tools := map[string]*mcp.Tool{}
	for _, x := range list.Tools {
		tools[x.Name] = x
	}
	return tools
}

// TestDialectWebMCPTabs: two tabs and a pop-up, and pictures of them.
func TestDialectWebMCPTabs(t *testing.T) {
	t.Parallel()
	site := newOffers(t)
	c := serve(t, "--dialect", "webmcp", "--url", site+"/")
	type tab struct {
		TabID, URL string
		IsActive   bool
	}
	tabs := func() (out []tab) {
		var l struct{ Tabs []tab }
		if err := json.Unmarshal([]byte(c.call("webmcp_list_tabs", nil)), &l); err != nil {
			t.Fatal(err)
		}
		return l.Tabs
	}
	var second struct {
		TabID    string
		IsActive bool
	}
	if err := json.Unmarshal([]byte(c.call("webmcp_open_tab", args{"url": site + "/second"})), &second); err != nil || second.IsActive {
		t.Errorf("%+v, %v", second, err)
	}
	if got := c.call("webmcp_evaluate", args{"code": "location.pathname", "tabId": second.TabID}); got != "/second" {
		t.Errorf("got %q", got)
	}
	if got := c.call("webmcp_invoke_tool", args{"name": "add", "args": args{"a": 1, "b": 2}, "tabId": second.TabID}); got != "3" {
		t.Errorf("got %q", got)
	}
	c.call("webmcp_switch_tab", args{"tabId": second.TabID})
	c.call("webmcp_evaluate", args{"code": "open('/popup'); 1"})
	eventually(t, "the pop-up is a tab", func() bool { l := tabs(); return len(l) == 3 && strings.HasSuffix(l[2].URL, "/popup") })
	// The active tab closes itself: the first of the others becomes active.
	c.call("webmcp_switch_tab", args{"tabId": tabs()[2].TabID})
	c.call("webmcp_evaluate", args{"code": "setTimeout(close, 10); 1"})
	eventually(t, "it is gone", func() bool { l := tabs(); return len(l) == 2 && l[0].IsActive })
	c.call("webmcp_close_tab", args{"tabId": tabs()[0].TabID})
	c.want(c.refused("webmcp_close_tab", args{"tabId": tabs()[0].TabID}), "Cannot close the last tab")
	if got := c.call("webmcp_evaluate", args{"code": "location.pathname"}); got != "/second" {
		t.Errorf("got %q", got)
	}

	for _, tt := range []struct {
		args args
		w, h int
		mime string
	}{
		{nil, 1280, 720, "image/png"},
		{args{"format": "jpeg", "quality": 75, "fullPage": true}, 1280, 720, "image/jpeg"},
		{args{"clip": args{"x": 0, "y": 0, "width": 200, "height": 100}}, 200, 100, "image/png"},
	} {
		res, err := c.result(t.Context(), "webmcp_screenshot", tt.args)
		if err != nil || res.IsError || len(res.Content) != 1 {
			t.Fatalf("%v: %v, %+v", tt.args, err, res)
		}
		shot, ok := res.Content[0].(*mcp.ImageContent)
		if size := pictureOf(t, res).Bounds().Size(); !ok || size.X != tt.w || size.Y != tt.h || shot.MIMEType != tt.mime {
			t.Errorf("%v: %v, %+v", tt.args, size, shot)
		}
	}
}
