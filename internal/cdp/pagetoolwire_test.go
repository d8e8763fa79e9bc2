package cdp

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
)

// The forms in which versions of the browser have told of tools.
func TestWireTool(t *testing.T) {
	grave := browser.PageToolHints{ReadOnly: new(true), Consequential: new(true)}
	for in, want := range map[string]browser.PageTool{
		`{"name":"a","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnly":true,"consequential":true,"untrustedContent":false,"debugging":false},"stackTrace":{}}`: {Name: "a", Description: "d",
			Schema: json.RawMessage(`{"type":"object"}`), Kind: browser.ToolOfScript, Hints: grave},
		`{"name":"a","title":"T","description":"d","inputSchema":"{\"type\":\"object\"}","annotations":{"readOnlyHint":true,"consequentialHint":true,"extra":{}}}`: {Name: "a", Title: "T", Description: "d",
			Schema: json.RawMessage(`{"type":"object"}`), Kind: browser.ToolOfScript, Hints: grave},
		`{"name":"a","title":null,"description":null,"inputSchema":null,"annotations":null}`: {Name: "a", Kind: browser.ToolOfScript},
		`{"name":"a","inputSchema":"no JSON","annotations":[1]}`:                             {Name: "a", Kind: browser.ToolOfScript},
		`{"name":"a","annotations":{"readOnly":"yes"}}`:                                      {Name: "a", Kind: browser.ToolOfScript},
		`{"name":"a","backendNodeId":7}`:                                                     {Name: "a", Kind: browser.ToolOfForm},
		`{"name":"a","backendNodeId":7,"annotations":{"autosubmit":true}}`:                   {Name: "a", Kind: browser.ToolOfSelfForm},
		`{"name":"a","submits":false}`:                                                       {Name: "a", Kind: browser.ToolOfForm},
		`{"name":"a","submits":true}`:                                                        {Name: "a", Kind: browser.ToolOfSelfForm},
		`{"name":"a","annotations":{"destructiveHint":true,"idempotentHint":true,"openWorld":true,"untrustedContent":true,"debugging":true}}`: {Name: "a", Kind: browser.ToolOfScript,
			Hints: browser.PageToolHints{Destructive: new(true), Idempotent: new(true), OpenWorld: new(true), UntrustedContent: new(true), Debugging: new(true)}},
	} {
		var w wireTool
		if err := Decode(Event{Params: json.RawMessage(in)}, &w); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if diff := cmp.Diff(want, w.tool().PageTool); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}

// FuzzToolsAdded: whatever a page made the browser say, a tool has a name and
// a schema that is JSON.
func FuzzToolsAdded(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnly":true},"frameId":"F"}]}`))
	f.Add([]byte(`{"tools":[{"name":"\ud800","inputSchema":"{}","backendNodeId":1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d := New(Options{})
		tab := &tab{frames: make(map[cdp.FrameID]*frame)}
		s := &session{id: "S", tab: tab}
		tab.root = tab.addFrame("F", nil, "S")
		onTab((*Driver).toolsAdded)(d, s, Event{Params: raw})
		for _, p := range tab.listTools() {
			if p.Name == "" || p.Schema != nil && !json.Valid(p.Schema) {
				t.Errorf("%q has the schema %q", p.Name, p.Schema)
			}
		}
	})
}
