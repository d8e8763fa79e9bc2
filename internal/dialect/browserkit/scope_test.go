package browserkit

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
	"drawbridge/internal/toolset"
)

var update = flag.Bool("update", false, "write the golden file anew")

func dialect(t *testing.T) *Dialect {
	t.Helper()
	d, err := New(Options{Natives: toolset.All(), Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestListing(t *testing.T) {
	var all []tool.Listing
	for _, x := range dialect(t).Tools() {
		all = append(all, tool.List(x))
	}
	got := pretty(all) + "\n"
	if *update {
		if err := os.WriteFile("testdata/tools.json", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("the list has changed (go test -update):\n%s", d)
	}
	names := []string{
		"captureTab", "savePage", "invokeJsFn", "openTab", "closeTab", "getSelection",
		"clickOnCoordinates", "fillTextToCoordinates", "hitEnterOnCoordinates", "clickOnElement", "fillTextToElement", "hitEnterOnElement",
		"scrollPage", "scrollElement", "showHumanHint",
		"getContext", "getReadableText", "getReadableElements", "getReadableElementHtml", "getSnapshotPage",
	}
	if !slices.EqualFunc(all, names, func(l tool.Listing, name string) bool { return l.Name == name }) {
		t.Errorf("the order is another one")
	}
	for i, l := range all {
		var in struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		if err := json.Unmarshal(l.Schema, &in); err != nil || in.Type != "object" {
			t.Errorf("%s: the schema is %s", l.Name, l.Schema)
		}
		for name, p := range in.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s: %s is not described", l.Name, name)
			}
		}
		if structured := i < 15; structured != json.Valid(l.OutputSchema) {
			t.Errorf("%s: the schema of the answer is %s", l.Name, l.OutputSchema)
		}
	}
}

// scope is what a session sees.
type scope struct {
	browsers []tool.BrowserView
	tabs     []tool.TabView
}

func (s scope) Browsers() []tool.BrowserView                       { return s.browsers }
func (s scope) Tabs() []tool.TabView                               { return s.tabs }
func (s scope) PageTools(browser.TabID) ([]browser.PageTool, bool) { return nil, false }
func (s *scope) open(on browser.BrowserID, ids ...string) *scope {
	for _, id := range ids {
		s.tabs = append(s.tabs, tool.TabView{Tab: browser.Tab{ID: browser.TabID(id), Browser: on, Window: "w1", Doc: 1,
			URL: "https://" + id + ".example/p", Title: "Page " + id}})
	}
	return s
}

func two() *scope {
	s := &scope{browsers: []tool.BrowserView{
		{ID: "b1", Info: browser.Info{Name: "work", Way: "extension", Profile: "p1", Product: "Chromium 156.0.1", Extension: &browser.Extension{Version: "1.2.0", Manifest: 3}}},
		{ID: "b2", Info: browser.Info{Name: "play", Way: "extension", Profile: "p2", Product: "Firefox 153.0", Extension: &browser.Extension{Version: "1.2.0", Manifest: 2}}},
	}}
	return s.open("b1", "t1", "t2").open("b2", "t3")
}

// in answers a call of a tool as far as that goes without a browser.
func (d *Dialect) in(t *testing.T, s tool.Scope, name, args string) tool.Use {
	t.Helper()
	for _, x := range d.tools {
		if x.Spec.Name == name {
			u, err := x.Older().In(s, json.RawMessage(args))
			if err != nil {
				return tool.Use{Done: &tool.Reply{Text: err.Error(), Failed: true}}
			}
			return u
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tool.Use{}
}

func TestRefusedCalls(t *testing.T) {
	d, s := dialect(t), two()
	s.tabs[1].Untouchable = "a page of the browser's own"
	s.tabs[1].URL = "chrome://settings/"
	s.browsers = append(s.browsers, tool.BrowserView{ID: "b3", Info: browser.Info{Way: "extension", Profile: "p3", Refused: "it is of another time", Extension: &browser.Extension{Version: "0.1", Older: true}}})
	b1, b3 := kitBrowser(s.browsers[0]), kitBrowser(s.browsers[2])
	tab := func(id, more string) string {
		return fmt.Sprintf(`{"browserId":%q,"windowId":"any","tabId":%q%s}`, b1, id, more)
	}
	for _, tt := range []struct{ name, args, want string }{
		{"clickOnElement", `{"browserId":"nobody","windowId":"w1","tabId":"t1","readablePath":"f1:e1"}`, "Error: No channel found for browser instance: nobody"},
		{"openTab", `{"browserId":"nobody","windowId":"w1","url":"https://a.example/"}`, "Error: No channel found for browser instance: nobody"},
		{"clickOnElement", tab("t9", `,"readablePath":"f1:e1"`), "Error: Tab not found: " + b1 + "::t9"},
		{"closeTab", tab("t3", ``), "Error: Tab not found: " + b1 + "::t3"}, // which is of another browser
		{"captureTab", tab("t2", ``), "Error: Cannot perform operation on internal browser page: chrome://settings/ (a page of the browser's own)"},
		{"scrollPage", tab("t2", `,"direction":"up"`), "Error: Cannot perform operation on internal browser page: chrome://settings/ (a page of the browser's own)"},
		{"clickOnElement", tab("t1", `,"readablePath":"f1:e1"`), "Frame f1 no longer exists — re-read readable-elements"},
		{"clickOnElement", fmt.Sprintf(`{"browserId":%q,"windowId":"w","tabId":"t4","readablePath":"f1:e1"}`, b3),
			"Error: Browser " + b3 + `: it is of another time. Update the browser extension: run "drawbridge extension" and reload it in the browser.`},
		{"clickOnElement", tab("t1", ``), "MCP error -32602: Input validation error: Invalid arguments for tool clickOnElement: readablePath is required, a string"},
		{"clickOnElement", tab("t1", `,"readablePath":7`), "MCP error -32602: Input validation error: Invalid arguments for tool clickOnElement: readablePath must be a string"},
		{"scrollPage", tab("t1", `,"direction":"left","amount":0`), "MCP error -32602: Input validation error: Invalid arguments for tool scrollPage: amount must be a whole number above 0"},
		{"scrollPage", tab("t1", `,"direction":"in"`), "MCP error -32602: Input validation error: Invalid arguments for tool scrollPage: direction must be one of up, down, left, right"},
		{"clickOnCoordinates", tab("t1", `,"x":"1","y":2`), "MCP error -32602: Input validation error: Invalid arguments for tool clickOnCoordinates: x must be a number"},
		{"savePage", tab("t1", `,"format":"pdf"`), "MCP error -32602: Input validation error: Invalid arguments for tool savePage: format must be one of zip, html"},
		{"getContext", `[]`, ""},
		{"getReadableText", `{"browserId":"nobody","tabId":"t1"}`, "{\n  \"ok\": false,\n  \"reason\": \"Error: No browser found for browserId: nobody\"\n}"},
		{"getSnapshotPage", `{"snapshotId":"s","type":"readable-text","pageNumber":1}`, "{\n  \"ok\": false,\n  \"reason\": \"Error: No cached snapshot pages found for snapshot ID: s. Read page 1 first to fetch and cache content.\"\n}"},
		{"getSnapshotPage", `{"snapshotId":"s","type":"readable-text","pageNumber":0}`, "MCP error -32602: Input validation error: Invalid arguments for tool getSnapshotPage: pageNumber must be a whole number above 0"},
		{"showHumanHint", tab("t1", `,"action":"fill","message":"m","readablePath":"f1:e1","value":" "`), "Please press Enter on the highlighted element. m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := d.in(t, s, tt.name, tt.args)
			switch {
			case u.Done == nil && tt.want != "":
				t.Errorf("%s was not refused", tt.args)
			case u.Done != nil && u.Done.Text != tt.want:
				t.Errorf("%s\ngot  %s\nwant %s", tt.args, u.Done.Text, tt.want)
			}
		})
	}
}

func TestHints(t *testing.T) {
	d, s := dialect(t), two()
	d.frame("t1", "", 1)
	call := func(more string) string {
		return fmt.Sprintf(`{"browserId":%q,"windowId":"w1","tabId":"t1","message":" because ",%s}`, kitBrowser(s.browsers[0]), more)
	}
	refused := func(args string) hint {
		t.Helper()
		u := d.in(t, s, "showHumanHint", args)
		var h hint
		if u.Done == nil || json.Unmarshal(u.Done.Structured, &h) != nil || h.OK || u.Done.Text != h.HumanMessage {
			t.Fatalf("%s: got %+v", args, u.Done)
		}
		return h
	}
	for _, tt := range []struct{ args, reason, message string }{
		{`"action":"fill","readablePath":"f1:e1"`, "fill action requires value", "Please press Enter on the highlighted element. because"},
		{`"action":"fill","readablePath":"f1:e1","value":" "`, "fill action requires value", "Please press Enter on the highlighted element. because"},
		{`"action":"click","readablePath":"f1:e1","x":1,"y":2`, "provide readablePath or x and y, not both", "Please click the highlighted element. because"},
		{`"action":"click","readablePath":" "`, "provide readablePath or x and y", "Please click the highlighted element. because"},
		{`"action":"hit-enter","x":1`, "provide readablePath or x and y", "Please press Enter on the highlighted element. because"},
		{`"action":"click","readablePath":"f1:0.1"`, `"0.1" is a positional path; readable paths are now element ids (e.g. e1a) — re-read readable-elements`, "Please click the highlighted element. because"},
	} {
		h := refused(call(tt.args))
		if h.Reason != tt.reason || h.HumanMessage != tt.message || h.ExpiresInSeconds != 60 || h.Tab.Title != "Page t1" {
			t.Errorf("%s: got %+v", tt.args, h)
		}
	}
	u := d.in(t, s, "showHumanHint", call(`"action":"fill","readablePath":"f1:e1a","value":"abc"`))
	if got := compact(u.Args); got != `{"hint":true,"message":"Please type \"abc\" into the highlighted field. because","ref":"e46","tab":"t1"}` {
		t.Errorf("it stands for %s", got)
	}
}

func TestResources(t *testing.T) {
	d, s := dialect(t), two()
	s.tabs[1].Active = true
	s.tabs[2].Title = ""
	b1, b2 := kitBrowser(s.browsers[0]), kitBrowser(s.browsers[1])
	var got []string
	for _, r := range d.Resources(s) {
		got = append(got, r.URI+" | "+r.Title)
		if r.MIME != "application/json" || r.Description == "" || r.Name == "" {
			t.Errorf("%s is %+v", r.URI, r)
		}
	}
	want := []string{
		"bk:///context | Browser Context",
		"bk:///browsers/" + b1 + " | Chromium 156.0.1", "bk:///browsers/" + b2 + " | Firefox 153.0",
		"bk:///browsers/" + b1 + "/tabs/t2 | Page t2", "bk:///browsers/" + b2 + "/tabs/t3 | t3.example", "bk:///browsers/" + b1 + "/tabs/t1 | Page t1",
		"bk:///browsers/" + b1 + "/tabs/t2/readable-text | Page t2 — readable text snapshot", "bk:///browsers/" + b2 + "/tabs/t3/readable-text | t3.example — readable text snapshot",
		"bk:///browsers/" + b1 + "/tabs/t1/readable-text | Page t1 — readable text snapshot",
		"bk:///browsers/" + b1 + "/tabs/t2/readable-elements | Page t2 — readable elements snapshot", "bk:///browsers/" + b2 + "/tabs/t3/readable-elements | t3.example — readable elements snapshot",
		"bk:///browsers/" + b1 + "/tabs/t1/readable-elements | Page t1 — readable elements snapshot",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i := range 300 {
		s.open("b1", fmt.Sprint("t", 10+i))
	}
	if n := len(d.Resources(s)); n != 1+2+3*mostTabs {
		t.Errorf("%d are listed", n)
	}
	if n := len(d.Complete(s, "")); n != 2+len(s.tabs) {
		t.Errorf("%d completions", n)
	}
}

func TestComplete(t *testing.T) {
	d, s := dialect(t), two()
	b1, b2 := kitBrowser(s.browsers[0]), kitBrowser(s.browsers[1])
	tab := func(b, id string) string { return "browsers/" + b + "/tabs/" + id }
	for _, tt := range []struct {
		value string
		want  []string
	}{
		{"", []string{tab(b1, "t1"), tab(b1, "t2"), tab(b2, "t3"), "browsers/" + b1, "browsers/" + b2}},
		{"browsers/" + b2, []string{tab(b2, "t3"), "browsers/" + b2}},
		{"PAGE T2", []string{tab(b1, "t2")}},
		{"t3.example", []string{tab(b2, "t3")}},
		{"firefox", []string{"browsers/" + b2}},
		{"nothing like it", []string{}},
	} {
		if diff := cmp.Diff(tt.want, d.Complete(s, tt.value)); diff != "" {
			t.Errorf("%q:\n%s", tt.value, diff)
		}
	}
}

func TestResourceErrors(t *testing.T) {
	d, s := dialect(t), two()
	b1 := kitBrowser(s.browsers[0])
	for _, tt := range []struct{ uri, want string }{
		{"bk:///", "Invalid bk resource URI (missing resourceId): bk:///"},
		{"file:///x", "Invalid bk resource URI (missing resourceId): file:///x"},
		{"bk:///nothing", "Unknown or malformed bk resource ID: nothing (uri=bk:///nothing)"},
		{"bk:///browsers", "Unknown or malformed bk resource ID: browsers (uri=bk:///browsers)"},
		{"bk:///browsers/" + b1 + "/tabs", "Unknown or malformed bk resource ID: browsers/" + b1 + "/tabs (uri=bk:///browsers/" + b1 + "/tabs)"},
		{"bk:///browsers/" + b1 + "/tabs/t1/readable-text/pages/2", "Unknown or malformed bk resource ID: browsers/" + b1 + "/tabs/t1/readable-text/pages/2 (uri=bk:///browsers/" + b1 + "/tabs/t1/readable-text/pages/2)"},
		{"bk:///browsers/" + b1 + "/tabs/t9/readable-text", "Tab not found: t9 in channel channel:" + b1 + " (uri=bk:///browsers/" + b1 + "/tabs/t9/readable-text)"},
		{"bk:///browsers/nobody00/tabs/t1/readable-text", "Unknown or malformed bk resource ID: browsers/nobody00/tabs/t1/readable-text (uri=bk:///browsers/nobody00/tabs/t1/readable-text)"},
		{"bk:///browsers/" + b1 + "/tabs/t1/readable-element-html/0:e1", `"0:e1" uses a numeric frame id; frame ids are now stable ids (e.g. f1:e1a) — re-read readable-elements (uri=bk:///browsers/` + b1 + "/tabs/t1/readable-element-html/0:e1)"},
		{"bk:///snapshot-types/readable-text/snapshots/snapshot-fake/pages/1", "No cached snapshot pages found for snapshot ID: snapshot-fake. Read page 1 first to fetch and cache content. (uri=bk:///snapshot-types/readable-text/snapshots/snapshot-fake/pages/1)"},
		{"bk:///snapshot-types/readable-text/snapshots/x/pages/0", "Unknown or malformed bk resource ID: snapshot-types/readable-text/snapshots/x/pages/0 (uri=bk:///snapshot-types/readable-text/snapshots/x/pages/0)"},
	} {
		x, args := d.Resource(tt.uri)
		u, err := x.Older().In(s, args)
		if err != nil || u.Done == nil || !u.Done.Declined || u.Done.Text != tt.want {
			t.Errorf("%s\ngot  %+v, %v\nwant %s", tt.uri, u.Done, err, tt.want)
		}
	}
}

func TestResourceBodies(t *testing.T) {
	d, s := dialect(t), two()
	s.tabs[0].Active, s.tabs[0].Current = true, true
	b1 := kitBrowser(s.browsers[0])
	read := func(uri string) string {
		x, args := d.Resource(uri)
		u, err := x.Older().In(s, args)
		if err != nil || u.Done != nil {
			t.Fatalf("%s: %+v, %v", uri, u.Done, err)
		}
		r := x.Older().Reply(s, u, nil, nil)
		if r.Declined || r.Failed {
			t.Fatalf("%s: %s", uri, r.Text)
		}
		return strings.ReplaceAll(r.Text, b1, "B1")
	}
	for uri, want := range map[string]string{
		"bk:///browsers/" + b1 + "/tabs/t2": `{"channelId":"channel:B1","browserInfo":{"browserName":"Chromium","browserVersion":"156.0.1"},"extensionInfo":{"extensionId":"drawbridge","manifestVersion":3,"extensionVersion":"1.2.0"},` +
			`"tab":{"id":"t2","windowId":"w1","url":"https://t2.example/p","title":"Page t2","active":false}}`,
		"bk:///browsers/" + b1: `{"channelId":"channel:B1","name":"work","snapshot":{"status":"online","browserInfo":{"browserName":"Chromium","browserVersion":"156.0.1"},` +
			`"extensionInfo":{"extensionId":"drawbridge","manifestVersion":3,"extensionVersion":"1.2.0"},"windows":[{"id":"w1","focused":true}],` +
			`"tabs":[{"id":"t1","windowId":"w1","url":"https://t1.example/p","title":"Page t1","active":true},{"id":"t2","windowId":"w1","url":"https://t2.example/p","title":"Page t2","active":false}],` +
			`"activeTabIdByWindow":{"w1":"t1"},"contentChangedAt":{}},"lastSeenAt":0}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(want), &v); err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal([]byte(read(uri)), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, got); diff != "" {
			t.Errorf("%s:\n%s", uri, diff)
		}
	}
	if got := read("bk:///context"); !strings.Contains(got, `"tabUri": "bk:///browsers/B1/tabs/t2"`) || !strings.Contains(got, `"serverVersion": "1.2.3"`) {
		t.Errorf("the context is %s", got)
	}
	s.browsers, s.tabs = nil, nil
	if got := read("bk:///context"); got != "{\n  \"serverVersion\": \"1.2.3\",\n  \"browsers\": []\n}" {
		t.Errorf("without browsers it is %s", got)
	}
}

func TestChanged(t *testing.T) {
	d, s := dialect(t), two()
	b1, b2 := kitBrowser(s.browsers[0]), kitBrowser(s.browsers[1])
	tab := func(b, id string) []string {
		u := "bk:///browsers/" + b + "/tabs/" + id
		return []string{u, u + "/readable-text", u + "/readable-elements", "bk:///context"}
	}
	check := func(about string, content map[browser.TabID]string, listed bool, want ...string) {
		t.Helper()
		got, l := d.Changed(s, content)
		slices.Sort(got)
		slices.Sort(want)
		if l != listed || !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s: got %t, %v\nwant %t, %v", about, l, got, listed, want)
		}
	}
	all := slices.Concat(tab(b1, "t1"), tab(b1, "t2"), tab(b2, "t3"), []string{"bk:///browsers/" + b1, "bk:///browsers/" + b2})
	check("all is new", nil, true, all...)
	check("nothing", nil, false)
	check("what is followed from now on", map[browser.TabID]string{"t1": "a"}, false)
	check("its content", map[browser.TabID]string{"t1": "b"}, false, tab(b1, "t1")...)
	check("not followed any more", nil, false)
	check("followed again", map[browser.TabID]string{"t1": "c"}, false)
	check("its content again", map[browser.TabID]string{"t1": "d"}, false, tab(b1, "t1")...)
	s.tabs[1].Title = "Another"
	check("a title", nil, false, tab(b1, "t2")...)
	s.tabs[2].Doc++
	check("a reload", nil, false, tab(b2, "t3")...)
	s.open("b1", "t4")
	check("a new tab", nil, false, append(tab(b1, "t4"), "bk:///browsers/"+b1)...)
	s.tabs = slices.Delete(s.tabs, 3, 4)
	check("a closed tab", nil, false, append(tab(b1, "t4"), "bk:///browsers/"+b1)...)
	s.browsers, s.tabs = s.browsers[:1], s.tabs[:2]
	check("a browser that went", nil, true, append(tab(b2, "t3"), "bk:///browsers/"+b2)...)
	if got := d.Follows(s, []string{"bk:///context", "bk:///browsers/" + b1 + "/tabs/t2/readable-text", "bk:///browsers/" + b1 + "/tabs/t2", "bk:///browsers/nobody00/tabs/t1", "x"}); !slices.Equal(got, []browser.TabID{"t2"}) {
		t.Errorf("followed: %v", got)
	}
}

func TestReasons(t *testing.T) {
	known := []tuple{{"f1:e1", "button", "Pay"}}
	for _, tt := range []struct {
		err  browser.Error
		want string
	}{
		{browser.Error{Code: browser.CodeNotActionable, Msg: `e1 button "Pay" is covered by e15 div "Wait" (waited 5s)`}, `Element <button "Pay"> not actionable after 5000ms: covered by div "Wait"`},
		{browser.Error{Code: browser.CodeNotActionable, Msg: `e1 button "This is disabled" is disabled (waited 5s)`}, `Element <button "Pay"> not actionable after 5000ms: disabled`},
		{browser.Error{Code: browser.CodeNotActionable, Msg: `e1 button is moving (waited 5.1s)`}, `Element <button "Pay"> not actionable after 5000ms: not stable (still moving)`},
		{browser.Error{Code: browser.CodeNotActionable, Msg: `e1 button is detached`}, "Element is detached from the document; re-read readable-elements for a fresh id"},
		{browser.Error{Code: browser.CodeStaleRef, Msg: "e1 is not on the page any more"}, "Element e1 no longer exists — re-read readable-elements"},
		{browser.Error{Code: browser.CodeDenied, Msg: "denied", Hint: "--allow act"}, "denied; --allow act"},
		{browser.Error{Code: browser.CodeTimeout, Msg: "it took too long", Hint: "take a snapshot"}, "it took too long"},
	} {
		var e *browser.Error
		if err := reasoned(&tt.err, "f1:e1", known); !asError(err, &e) || reason(e) != tt.want {
			t.Errorf("%s\ngot  %v\nwant %s", tt.err.Msg, err, tt.want)
		}
	}
}

func asError(err error, e **browser.Error) bool {
	x, ok := err.(*browser.Error)
	*e = x
	return ok
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"My Page": "my-page", "  Über_uns -- jetzt!  ": "uber-uns-jetzt", "Страница": "", "日本": "", "a/b\\c:d": "abcd", "": "",
		strings.Repeat("ab ", 60): strings.TrimSuffix(strings.Repeat("ab-", 27), "-")[:80],
	} {
		if got := slug(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}
