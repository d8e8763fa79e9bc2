package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

func TestAnswers(t *testing.T) {
	pay := browser.Observation{
		Did: `clicked e6 button "Pay €12"`, Effect: browser.EffectConfirmed,
		Removed: []string{`e6 button "Pay €12"`}, Added: []string{`e14 status "Paid. Thank you!"`},
		Updated: []string{`e3 textbox "Email" = "" (was "ann@shop.example")`},
	}
	for _, tt := range []struct {
		name, tool, args string
		answer           any
		op               browser.Op
		want             string
	}{
		{"diff", "click", `{"ref":"e6"}`, pay,
			browser.Click{At: browser.Spot{Ref: browser.Ref{N: 6}}, Button: "left", Count: 1, Acting: browser.Acting{Timeout: 5 * time.Second}},
			"clicked e6 button \"Pay €12\" · effect confirmed\n- e6 button \"Pay €12\"\n+ e14 status \"Paid. Thank you!\"\n~ e3 textbox \"Email\" = \"\" (was \"ann@shop.example\")"},
		{"nothing", "click", `{"x":3,"y":4.5,"button":"right","count":2,"modifiers":["shift"],"settle":"none","timeout":1.5}`,
			browser.Observation{Did: "clicked 3, 4.5", Effect: browser.EffectNone, Untrusted: true, TooLarge: 12, Notes: []string{"beneath\nit"}},
			browser.Click{At: browser.Spot{Point: &browser.Point{X: 3, Y: 4.5}}, Button: "right", Count: 2, Modifiers: []string{"Shift"},
				Acting: browser.Acting{Settle: browser.Settle{None: true}, Timeout: 1500 * time.Millisecond}},
			"clicked 3, 4.5 · effect none\nthe input was synthetic: the page can tell it from a person's\n… 12 more changes (snapshot)\nbeneath it"},
		{"navigated", "press_key", `{"keys":"Enter","times":2}`,
			browser.Observation{Did: "pressed Enter", Navigated: &browser.Navigation{URL: "https://shop.example/x", Doc: 5, Status: 500, TimedOut: true}},
			browser.PressKey{Keys: "Enter", Times: 2, Acting: browser.Acting{Timeout: 5 * time.Second}},
			"pressed Enter · effect unknown\nnavigated to doc 5 · status 500\nstill loading"},
		{"within the document", "press_key", `{"text":"a\n","ref":"f1:e2","settle":200}`,
			browser.Observation{Did: "typed", Effect: browser.EffectConfirmed, Navigated: &browser.Navigation{SameDoc: true, Doc: 4}},
			browser.PressKey{Text: "a\n", Times: 1, At: browser.Spot{Ref: browser.Ref{Frame: "f1", N: 2}},
				Acting: browser.Acting{Timeout: 5 * time.Second, Settle: browser.Settle{Quiet: 200 * time.Millisecond}}},
			"typed · effect confirmed\nnavigated within the document"},
		{"one field", "fill", `{"ref":"e1","value":true,"submit":true}`, browser.Observation{Did: "checked e1"},
			browser.Fill{Fields: []browser.Field{{At: browser.Spot{Ref: browser.Ref{N: 1}}, Value: "true"}}, Submit: true, Acting: browser.Acting{Timeout: 5 * time.Second}},
			"checked e1 · effect unknown"},
		{"emptied", "fill", `{"ref":"e1","value":""}`, browser.Observation{Did: "emptied e1"},
			browser.Fill{Fields: []browser.Field{{At: browser.Spot{Ref: browser.Ref{N: 1}}}}, Acting: browser.Acting{Timeout: 5 * time.Second}},
			"emptied e1 · effect unknown"},
		{"fields", "fill", `{"fields":[{"ref":"e1","value":7},{"ref":"e2","values":["a","b"],"group":"g"}]}`, browser.Observation{Did: "filled 2 fields"},
			browser.Fill{Fields: []browser.Field{{At: browser.Spot{Ref: browser.Ref{N: 1}}, Value: "7"}, {At: browser.Spot{Ref: browser.Ref{N: 2}}, Values: []string{"a", "b"}, Group: "g"}},
				Acting: browser.Acting{Timeout: 5 * time.Second}},
			"filled 2 fields · effect unknown"},
		{"scroll", "scroll", `{"direction":"down","amount":300,"ref":"e4"}`, browser.Observation{Did: "scrolled"},
			browser.Scroll{Ref: browser.Ref{N: 4}, Direction: "down", Amount: 300, Acting: browser.Acting{Timeout: 5 * time.Second}}, "scrolled · effect unknown"},
		{"dialog", "handle_dialog", `{"accept":true,"text":"42"}`, browser.Observation{Did: "accepted prompt", Effect: browser.EffectConfirmed},
			browser.HandleDialog{Accept: true, Text: new("42")}, "accepted prompt · effect confirmed"},

		{"loaded", "navigate", `{"url":"https://shop.example/"}`, browser.Navigation{URL: "https://shop.example/", Doc: 5, Status: 200},
			browser.Navigate{URL: "https://shop.example/", Wait: browser.WaitLoad, Timeout: 30 * time.Second}, ""},
		{"not found", "navigate", `{"to":"back","wait":"dom","timeout":2}`, browser.Navigation{Doc: 5, Status: 404, TimedOut: true},
			browser.Navigate{To: browser.Back, Wait: browser.WaitDOM, Timeout: 2 * time.Second}, "status 404\nstill loading; what is there can be read"},
		{"anchor", "navigate", `{"url":"https://shop.example/#a","wait":"none"}`, browser.Navigation{Doc: 4, SameDoc: true},
			browser.Navigate{URL: "https://shop.example/#a", Wait: browser.WaitNone, Timeout: 30 * time.Second}, "same document, another address"},
		{"frame", "navigate", `{"to":"back"}`, browser.Navigation{Doc: 4, InFrame: true},
			browser.Navigate{To: browser.Back, Wait: browser.WaitLoad, Timeout: 30 * time.Second}, "only a frame of the page went there"},

		{"outline", "snapshot", `{}`, browser.Outline{Text: "heading 1 \"Checkout\"\ne3 link \"Terms\""},
			browser.Snapshot{MaxTokens: 4000}, "heading 1 \"Checkout\"\ne3 link \"Terms\""},
		{"cut outline", "snapshot", `{"scope":"e20","only":"interactive","max_tokens":500,"cursor":"c1"}`, browser.Outline{Text: "row \"1\"", Cursor: "c2"},
			browser.Snapshot{Scope: browser.Ref{N: 20}, Interactive: true, MaxTokens: 500, Cursor: "c1"}, "row \"1\"\n… more: cursor=\"c2\""},
		{"found", "find", `{"role":"button","name":"pay"}`, browser.Found{Lines: []string{`e6 button "Pay"`}, More: 1},
			browser.Find{Role: "button", Name: "pay", Limit: 20}, "e6 button \"Pay\"\n… 1 more match (raise limit, or ask for less)"},
		{"not found", "find", `{"text":"x","limit":3}`, browser.Found{}, browser.Find{Text: "x", Limit: 3}, "no match"},
		{"text", "read_page", `{}`, browser.Text{Text: "Hello\n\nworld", URL: "https://shop.example/a", Cursor: "9"},
			browser.ReadPage{As: "text", MaxTokens: 4000}, "text of https://shop.example, each line after >:\n> Hello\n>\n> world\n… more: cursor=\"9\""},
		{"no selection", "read_page", `{"as":"selection"}`, browser.Text{URL: "https://shop.example/a"},
			browser.ReadPage{As: "selection", MaxTokens: 4000}, "nothing is selected"},
		{"no text", "read_page", `{"ref":"e9"}`, browser.Text{Text: " \n "}, browser.ReadPage{As: "text", Ref: browser.Ref{N: 9}, MaxTokens: 4000}, "no text"},

		{"waited", "wait_for", `{"text":"Done"}`, browser.Waited{Met: true, Detail: `e3 status "Done"`, Millis: 1240},
			browser.WaitFor{Text: "Done", Timeout: 30 * time.Second}, "\"Done\" is visible · after 1.2 s\ne3 status \"Done\""},
		{"time", "wait_for", `{"ms":50}`, browser.Waited{Met: true, Millis: 51},
			browser.WaitFor{For: 50 * time.Millisecond, Timeout: 50 * time.Millisecond}, "50 ms have passed · after 51 ms"},
		{"state", "wait_for", `{"ref":"e3","state":"enabled","timeout":1}`, browser.Waited{Met: true, Millis: 2},
			browser.WaitFor{Ref: browser.Ref{N: 3}, State: "enabled", Timeout: time.Second}, "e3 is enabled · after 2 ms"},

		{"value", "evaluate", `{"code":"return 1","frame":"f2","until_navigated":true,"max_bytes":10}`, browser.Value{JSON: `{"a":[1,"x\ny"]}`},
			browser.Evaluate{Code: "return 1", Frame: "f2", UntilNavigated: true, Timeout: 30 * time.Second, MaxBytes: 10}, `{"a":[1,"x\ny"]}`},
		{"undefined", "evaluate", `{"code":"x()"}`, browser.Value{},
			browser.Evaluate{Code: "x()", Timeout: 30 * time.Second, MaxBytes: 1 << 20}, "undefined"},
		{"navigating code", "evaluate", `{"code":"x()"}`, browser.Value{Navigated: &browser.Navigation{Doc: 6}},
			browser.Evaluate{Code: "x()", Timeout: 30 * time.Second, MaxBytes: 1 << 20}, "navigated to doc 6"},
		{"blocked code", "evaluate", `{"code":"alert(1)"}`, browser.Value{Dialog: &browser.Dialog{Kind: browser.DialogAlert}},
			browser.Evaluate{Code: "alert(1)", Timeout: 30 * time.Second, MaxBytes: 1 << 20},
			"the code waits for the dialog; it goes on once that is answered, and its value is lost"},

		{"activated", "activate_tab", `{}`, nil, browser.ActivateTab{}, "t3 is the current tab"},
		{"closed", "close_tab", `{}`, browser.Closed{}, browser.CloseTab{Ask: true}, "closed t3"},
		{"held up", "close_tab", `{}`, browser.Closed{Dialog: &browser.Dialog{Kind: browser.DialogBeforeUnload}}, browser.CloseTab{Ask: true},
			"t3 asks whether it may be left: handle_dialog with accept true closes it, with false keeps it"},
	} {
		t.Run(tt.tool+" "+tt.name, func(t *testing.T) {
			e := newEnv()
			e.answer = func(browser.TabID, browser.Op) (any, error) { return tt.answer, nil }
			out, err := e.call(t.Context(), t, tt.tool, tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if got := out.Content().Text; got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
			if len(e.ops) != 1 || !reflect.DeepEqual(e.ops[0], tt.op) {
				t.Errorf("op: %s", cmp.Diff([]browser.Op{tt.op}, e.ops))
			}
			if b, err := json.Marshal(out); err != nil || b[0] != '{' {
				t.Errorf("structured: %s %v", b, err)
			}
		})
	}
}

// What the broker writes itself is handed to it, once.
func TestHandedOn(t *testing.T) {
	o := browser.Observation{Did: "clicked e1", Since: browser.Since{Added: 3}, Opened: []browser.TabID{"t5"},
		Downloads: []browser.Download{{Name: "a.pdf", State: "running"}}, Dialog: &browser.Dialog{Kind: browser.DialogConfirm, Message: "Sure?"}}
	c := newActed(o).Content()
	want := tool.Content{Text: "clicked e1 · effect unknown", Since: o.Since, NewTabs: o.Opened, Downloads: o.Downloads}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
}

func TestStructuredObservation(t *testing.T) {
	b, err := json.Marshal(newActed(browser.Observation{
		Did: "clicked e1", Effect: browser.EffectConfirmed, Added: []string{"status"}, Updated: []string{"a", "b"}, TooLarge: 2,
		Navigated: &browser.Navigation{URL: "https://a.example/", Doc: 2}, Opened: []browser.TabID{"t5"},
		Dialog: &browser.Dialog{Kind: browser.DialogAlert, Message: "Hi"}, Downloads: []browser.Download{{Name: "a", State: "completed", Bytes: 3}},
	}))
	want := `{"ok":true,"did":"clicked e1","effect":"confirmed","changed":true,"navigated":true,"url":"https://a.example/","added":1,"removed":0,"updated":2,` +
		`"too_large":2,"diff":"+ status\n~ a\n~ b","opened_tabs":["t5"],"dialog":{"kind":"alert","message":"Hi"},"downloads":[{"name":"a","bytes":3,"state":"completed"}]}`
	if err != nil || string(b) != want {
		t.Errorf("got  %s %v\nwant %s", b, err, want)
	}
}

func TestWaitNotMet(t *testing.T) {
	e := newEnv()
	e.answer = func(browser.TabID, browser.Op) (any, error) {
		return browser.Waited{Detail: "https://shop.example/cart", Millis: 30000}, nil
	}
	_, err := e.call(t.Context(), t, "wait_for", `{"url":"*/done"}`)
	want := `waited 30.0 s, and not yet: the address matches "*/done"; seen: https://shop.example/cart; take a snapshot to see what is there, or give a longer timeout`
	if browser.CodeOf(err) != browser.CodeTimeout || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestFaultsPassThrough(t *testing.T) {
	fault := &browser.Error{Code: browser.CodeStaleRef, Msg: "e1 is not on the page any more"}
	e := newEnv()
	e.answer = func(browser.TabID, browser.Op) (any, error) { return nil, fault }
	for name, args := range map[string]string{
		"navigate": `{"to":"back"}`, "snapshot": `{}`, "read_page": `{}`, "find": `{"text":"a"}`, "screenshot": `{}`, "click": `{"ref":"e1"}`,
		"fill": `{"ref":"e1","value":""}`, "press_key": `{"keys":"a"}`, "scroll": `{"to":"top"}`, "wait_for": `{"ms":1}`, "evaluate": `{"code":"1"}`,
		"handle_dialog": `{"accept":false}`, "activate_tab": `{}`, "close_tab": `{}`,
	} {
		if _, err := e.call(t.Context(), t, name, args); !errors.Is(err, error(fault)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e.current != "" {
		t.Error("a tab that could not be activated became the current one")
	}
	if _, err := e.call(context.Background(), t, "read_page", `{"as":"article"}`); !errors.Is(err, error(fault)) {
		t.Errorf("article: %v", err)
	}
}

func TestJSONLine(t *testing.T) {
	for in, want := range map[string]string{
		"{\n \"a\": 1\n}":                     `{"a":1}`,
		"\"a\u2028b\u202ec\U000e0041\u0085\"": `"a\u2028b\u202ec\udb40\udc41\u0085"`,
		`"t3 · doc 4"`:                        `"t3 · doc 4"`,
	} {
		got := jsonLine(json.RawMessage(in))
		var a, b any
		if got != want || json.Unmarshal([]byte(in), &a) != nil || json.Unmarshal([]byte(got), &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
