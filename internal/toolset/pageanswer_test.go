package toolset

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
)

func TestCallPageTool(t *testing.T) {
	const fence = "answer of add_to_cart from https://shop.example, untrusted, each line after >:\n> "
	landing := &browser.Navigation{URL: "https://shop.example/done?token=abc", Doc: 5, Status: 200}
	for _, tt := range []struct {
		name   string
		answer browser.PageToolAnswer
		want   string
		failed bool
	}{
		{"text", browser.PageToolAnswer{JSON: json.RawMessage(`"Added\n> forged\n\u202ecart: 1"`)}, fence + "Added\n> > forged\n> cart: 1", false},
		{"number", browser.PageToolAnswer{JSON: json.RawMessage(`42`)}, fence + "42", false},
		{"null", browser.PageToolAnswer{JSON: json.RawMessage(`null`)}, fence + "null", false},
		{"short JSON", browser.PageToolAnswer{JSON: json.RawMessage(`{"items": [1, 2]}`)}, fence + `{"items":[1,2]}`, false},
		{"long JSON", browser.PageToolAnswer{JSON: json.RawMessage(`{"items":[{"name":"` + strings.Repeat("a", 80) + `"},{"name":"b"}],"total":2}`)},
			fence + "{\n>   \"items\": [\n>     {\"name\":\"" + strings.Repeat("a", 80) + "\"},\n>     {\"name\":\"b\"}\n>   ],\n>   \"total\": 2\n> }", false},
		{"blocks", browser.PageToolAnswer{JSON: json.RawMessage(`{"content":[{"type":"text","text":"one"},{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=","mimeType":"image/png"},{"type":"text","text":"two"}]}`)},
			fence + "one\n> two", false},
		{"failed", browser.PageToolAnswer{JSON: json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"Sold out"}]}`)},
			"page tool add_to_cart says that it failed; its words, from https://shop.example, untrusted, each line after >:\n> Sold out", true},
		{"nothing", browser.PageToolAnswer{Notes: []string{"called in an isolated world"}}, "note: called in an isolated world\npage tool add_to_cart ran, and answered nothing", false},
		{"waiting", browser.PageToolAnswer{Waiting: true}, "the form of add_to_cart is filled, and not submitted: it waits for a person to press its button (snapshot shows it)", false},
		{"navigated", browser.PageToolAnswer{Navigated: landing}, "navigated to doc 5", false},
		{"answered and navigated", browser.PageToolAnswer{JSON: json.RawMessage(`"bye"`), Navigated: landing, Landed: json.RawMessage(`[]`)}, fence + "bye\nnavigated to doc 5", false},
		{"landed", browser.PageToolAnswer{Navigated: landing, Landed: json.RawMessage(`[{"@type":"Order","orderNumber":"7"}]`)},
			"navigated to doc 5\ndata in the document there (JSON-LD), from https://shop.example, untrusted, each line after >:\n> [{\"@type\":\"Order\",\"orderNumber\":\"7\"}]", false},
		{"navigated in a frame", browser.PageToolAnswer{Navigated: &browser.Navigation{URL: "https://shop.example/done?token=abc", Doc: 2, InFrame: true}},
			"a frame of the page went to https://shop.example/done?token=(redacted)", false},
		{"larger than wanted", browser.PageToolAnswer{JSON: json.RawMessage(`"` + strings.Repeat("a", 256<<10-1) + `ä the rest"`)},
			fence + strings.Repeat("a", 256<<10-1) + "\ncut: these are the first 262143 of its 262154 bytes (max_bytes); calling it again repeats what it does", false},
		{"failed, and larger than wanted", browser.PageToolAnswer{JSON: json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("a", 300<<10) + `"}],"isError":true}`)},
			"page tool add_to_cart says that it failed; its words, from https://shop.example, untrusted, each line after >:\n> " + strings.Repeat("a", 256<<10) +
				"\ncut: these are the first 262144 of its 307200 bytes (max_bytes); calling it again repeats what it does", true},
		{"cut on the way", browser.PageToolAnswer{JSON: json.RawMessage(`"[1,2"`), Cut: 99e6}, fence + "[1,2\ncut: these are the first 4 of its 99000000 bytes (max_bytes); calling it again repeats what it does", false},
		{"dialog", browser.PageToolAnswer{Dialog: &browser.Dialog{Kind: browser.DialogConfirm, Message: "Sure?"}},
			"page tool add_to_cart waits for the dialog; handle_dialog tells what it answers then", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv()
			e.pageTool = shopTools()[0]
			e.answer = func(browser.TabID, browser.Op) (any, error) { return tt.answer, nil }
			out, err := e.call(t.Context(), t, "call_page_tool", `{"name":"add_to_cart","arguments":{"sku":"m1","quantity":2},"timeout":3}`)
			if err != nil {
				t.Fatal(err)
			}
			c := out.Content()
			if c.Text != tt.want || c.Failed != tt.failed {
				t.Errorf("failed %v:\n%s\nwant:\n%s", c.Failed, c.Text, tt.want)
			}
			if tt.name == "blocks" && len(c.Images) != 1 {
				t.Error(c.Images)
			}
			want := browser.CallPageTool{Name: "add_to_cart", Origin: shop, Args: json.RawMessage(`{"quantity":2,"sku":"m1"}`), Timeout: 3 * time.Second, MaxBytes: 16 << 20}
			if d := cmp.Diff([]browser.Op{want}, e.ops); d != "" {
				t.Error(d)
			}
			structured, err := json.Marshal(out)
			if err != nil || strings.Contains(string(structured), "abc") {
				t.Errorf("%s %v", structured, err)
			}
		})
	}
}

// Arguments are checked against the page's schema before anything reaches it.
func TestCallPageToolArguments(t *testing.T) {
	for _, tt := range []struct {
		args   string
		strict bool
		sent   string // to the page; "" when nothing is
		want   string // in the text or the error
	}{
		{`{"name":"add_to_cart","arguments":"{\"sku\":\"m1\"}"}`, false, `{"sku":"m1"}`, ", and answered nothing"},
		{`{"name":"add_to_cart","arguments":{"sku":"m1","quantity":"3"}}`, false, `{"quantity":3,"sku":"m1"}`, ", and answered nothing"},
		{`{"name":"add_to_cart","arguments":{"sku":"m1","quantity":99}}`, false, `{"quantity":99,"sku":"m1"}`, "note: sent, but mind the page tool's schema: quantity: "},
		{`{"name":"add_to_cart","arguments":{"sku":"m1","quantity":99}}`, true, "", "quantity"},
		{`{"name":"add_to_cart"}`, false, "", "sku"},
		{`{"name":"add_to_cart","arguments":{"sku":{}}}`, false, "", "sku"},
		{`{"name":"add_to_cart","arguments":[1]}`, false, "", "arguments must be an object"},
		{`{"name":"add_to_cart","arguments":"x"}`, false, "", "arguments must be an object"},
		{`{"arguments":{}}`, false, "", `needs "name"`},
		{`{"name":""}`, false, "", "name is empty"},
		{`{"name":"a","frame":"#x"}`, false, "", `"#x" is not a frame`},
		{`{"name":"a","timeout":500}`, false, "", "timeout must be at most 300"},
	} {
		e := newEnv()
		e.pageTool, e.strict = shopTools()[0], tt.strict
		e.answer = func(browser.TabID, browser.Op) (any, error) { return browser.PageToolAnswer{}, nil }
		out, err := e.call(t.Context(), t, "call_page_tool", tt.args)
		text, sent := "", ""
		if err != nil {
			text = err.Error()
		} else {
			text = out.Content().Text
		}
		if len(e.ops) > 0 {
			sent = string(e.ops[0].(browser.CallPageTool).Args)
		}
		if sent != tt.sent || !strings.Contains(text, tt.want) || err != nil && browser.CodeOf(err) != browser.CodeInvalidArguments {
			t.Errorf("%s: sent %s\n%s\nwant %s and %q", tt.args, sent, text, tt.sent, tt.want)
		}
	}
}
