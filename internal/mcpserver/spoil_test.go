package mcpserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
)

// badTools are those of ../shared/cases/58, and worse.
var badTools = []string{
	`{"name":"bad_type","inputSchema":{"type":"string"}}`,
	`{"name":"bad_ref","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/missing"}}}}`,
	`{"name":"bad_required","inputSchema":{"type":"object","required":"a","properties":{"a":7}}}`,
	`{"name":"no_schema"}`,
	`{"name":"null_schema","inputSchema":null}`,
	`{"name":"list","inputSchema":[1]}`,
	`{"name":"booleans","inputSchema":{"type":"object","properties":{"a":true,"b":false}}}`,
	`{"name":"union","inputSchema":{"anyOf":[{"type":"object"},{"type":"string"}]}}`,
	`{"name":"bad_header","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"Bad Header"}}}}`,
	`{"name":"header","inputSchema":{"type":"object","properties":{"secret":{"type":"string","x-mcp-header":"Leak"}}}}`,
	`{"name":"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"}`,
	`{"name":"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnb"}`,
	`{"name":"sp ace/ä"}`,
	`{"name":"click","description":"\u202enot\n\u0000 ours"}`,
	`{"name":"","description":"no name"}`,
	`{"name":"add_note","description":"Adds a note","title":"Note","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":true,"consequentialHint":true,"debugging":false}}`,
}

func (p *pages) offerBad(t *testing.T) {
	t.Helper()
	e := browser.PageToolsChanged{Tab: "t1", Known: true}
	for _, raw := range badTools {
		var d struct {
			Name, Title, Description string
			InputSchema              json.RawMessage
			Annotations              browser.PageToolHints
		}
		if err := json.Unmarshal([]byte(raw), &d); err != nil {
			t.Fatal(err)
		}
		e.Added = append(e.Added, browser.PageTool{Name: d.Name, Title: d.Title, Description: d.Description, Schema: d.InputSchema, Hints: d.Annotations,
			Kind: browser.ToolOfScript, Origin: "https://shop.example"})
	}
	cyclic := `{"type":"object"}`
	for range 5000 { // as deep as a cycle would be
		cyclic = `{"type":"object","properties":{"self":` + cyclic + `}}`
	}
	e.Added = append(e.Added, browser.PageTool{Name: "deep", Schema: json.RawMessage(cyclic), Origin: "https://shop.example"},
		browser.PageTool{Name: "large", Description: strings.Repeat("x", 1<<20), Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","description":"` + strings.Repeat("y", 1<<20) + `"}}}`), Origin: "https://shop.example"})
	p.sink(e)
}

// No page can spoil the list for a client.
func TestNoPageSpoilsTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(pages)
		p.during(t, false, func(s *broker.Session) {
			p.offerBad(t)
			c := serve(t, t.Context(), Options{Session: s})
			c.initialize("2025-11-25")
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			raw, _ := json.Marshal(c.read())
			var list struct {
				Result struct {
					Tools []struct {
						Name        string
						InputSchema map[string]any
						Annotations map[string]any
						Meta        map[string]map[string]any `json:"_meta"`
					}
				}
			}
			if err := json.Unmarshal(raw, &list); err != nil {
				t.Fatal(err)
			}
			page := 0
			seen := map[string]bool{}
			for _, x := range list.Result.Tools {
				if seen[x.Name] {
					t.Errorf("two tools %s", x.Name)
				}
				seen[x.Name] = true
				if !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`).MatchString(x.Name) {
					t.Errorf("the name %q", x.Name)
				}
				if x.InputSchema["type"] != "object" {
					t.Errorf("%s: schema %v", x.Name, x.InputSchema)
				}
				if x.Meta == nil {
					continue
				}
				page++
				if m := x.Meta["drawbridge"]; m["untrusted"] != true || m["tab"] != "t1" || m["origin"] != "https://shop.example" {
					t.Errorf("%s: %v", x.Name, m)
				}
				if x.Name == "page_add_note" {
					if got, want := fmt.Sprint(x.Annotations, x.Meta["drawbridge"]), `map[destructiveHint:false openWorldHint:true readOnlyHint:true] `+
						`map[consequentialHint:true debugging:false name:add_note origin:https://shop.example tab:t1 untrusted:true]`; got != want {
						t.Errorf("got %s, want %s", got, want)
					}
				} else if x.Annotations != nil {
					t.Errorf("%s: annotations that the page did not give: %v", x.Name, x.Annotations)
				}
			}
			if page < len(badTools) {
				t.Errorf("%d page tools are listed", page)
			}
			for _, bad := range []string{"x-mcp-header", "$ref", "\u202e"} {
				if strings.Contains(string(raw), bad) {
					t.Errorf("the list has %q", bad)
				}
			}
			c.end()

			client, err := Connect(t.Context(), New(Options{Session: s, Name: "drawbridge", Version: "1"}), "test")
			if err != nil {
				t.Fatal(err)
			}
			names, err := client.Tools(t.Context())
			if err != nil || len(names) != len(list.Result.Tools) {
				t.Errorf("the SDK's client has %d tools, %v", len(names), err)
			}
			if r, err := client.Call(t.Context(), "page_add_note", map[string]any{"text": "hi"}); err != nil || r.IsError || !strings.Contains(r.Text, "add_note") {
				t.Errorf("got %+v, %v", r, err)
			}
			if len(p.called) != 1 || p.called[0].Name != "add_note" {
				t.Errorf("called %v", p.called)
			}
			if r, err := client.Call(t.Context(), carrier, nil); err != nil || !r.IsError {
				t.Errorf("got %+v, %v", r, err)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		})
	})
}
