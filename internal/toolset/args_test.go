package toolset

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

func TestWrongArguments(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"click", `{}`, "click needs a place; give ref, or x and y"},
		{"click", `{"x":1}`, "a point needs x and y"},
		{"click", `{"ref":"e1","x":1,"y":2}`, "a ref and a point were given"},
		{"click", `{"ref":"e1","in":"s1"}`, "in is for x and y"},
		{"click", `{"ref":"#id"}`, `"#id" is not a ref`},
		{"click", `{"ref":"e1","count":4}`, "count must be at most 3"},
		{"click", `{"ref":"e1","button":"top"}`, "button must be one of left, right, middle"},
		{"click", `{"ref":"e1","timeout":5000}`, "timeout must be at most 60"},
		{"click", `{"ref":"e1","settle":"soon"}`, "give auto, none, or milliseconds up to 3000"},
		{"click", `{"ref":"e1","settle":"60000"}`, "is no way to settle"},
		{"click", `{"ref":"e1","settle":-1}`, "is no way to settle"},
		{"click", `{"ref":"e1","settle":"NaN"}`, "is no way to settle"},
		{"click", `{"ref":"e1","dblclick":true}`, `click has no argument "dblclick"`},
		{"fill", `{"ref":"e1"}`, `no value was given; give value; "" empties a field`},
		{"fill", `{"value":"a"}`, "fill needs a field"},
		{"fill", `{"ref":"e1","value":"a","values":["b"]}`, "value and values were given"},
		{"fill", `{"ref":"e1","value":"a","fields":[{"ref":"e2","value":"b"}]}`, "either one field or fields"},
		{"fill", `{"fields":[]}`, "fields is empty"},
		{"fill", `{"fields":[{"ref":"e2","value":"b"},{"ref":"e3"}]}`, "fields[1]: no value was given"},
		{"fill", `{"fields":[{"ref":"","value":"b"}]}`, "fields[0]: the ref is empty"},
		{"fill", `{"fields":[{"value":"b"}]}`, `needs "ref"`},
		{"press_key", `{}`, "press_key needs keys or text"},
		{"press_key", `{"keys":"a","text":"b"}`, "keys and text were given"},
		{"press_key", `{"keys":"a","y":3}`, "a point needs x and y"},
		{"scroll", `{}`, "scroll needs a direction or a destination"},
		{"scroll", `{"direction":"up","to":"top"}`, "direction and to were given"},
		{"scroll", `{"to":"top","amount":5}`, "amount is for a direction"},
		{"scroll", `{"to":"middle"}`, `"middle" is not a ref`},
		{"navigate", `{}`, "navigate needs a destination"},
		{"navigate", `{"url":"https://a.example","to":"back"}`, "url and to were given"},
		{"open_tab", `{}`, `open_tab needs "url"`},
		{"find", `{}`, "find needs something to look for"},
		{"wait_for", `{}`, "one condition, not 0"},
		{"wait_for", `{"text":"a","ms":1}`, "one condition, not 2"},
		{"wait_for", `{"text":"a","state":"visible"}`, "state is of a ref"},
		{"wait_for", `{"ref":"e1"}`, "what to wait for in e1 is missing"},
		{"evaluate", `{"code":" "}`, "code is empty"},
		{"evaluate", `{"code":"return 1","frame":"main"}`, `"main" is not a frame`},
		{"screenshot", `{"ref":"e1","full_page":true}`, "a ref is shown by itself"},
		{"screenshot", `{"format":"png","quality":3}`, "png has no quality"},
		{"screenshot", `{"clip":{"x":1,"y":1,"width":2}}`, `needs "height"`},
		{"handle_dialog", `{}`, `needs "accept"`},
	} {
		_, err := named(t, tt.tool).Bind(json.RawMessage(tt.args))
		if browser.CodeOf(err) != browser.CodeInvalidArguments || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v, want %q", tt.tool, tt.args, err, tt.want)
		}
	}
}

func TestSettle(t *testing.T) {
	for text, want := range map[string]browser.Settle{
		"": {}, "auto": {}, "AUTO": {}, "none": {None: true}, "0": {None: true},
		"250": {Quiet: 250 * time.Millisecond}, "0.5": {Quiet: 500 * time.Microsecond}, "3000": {Quiet: 3 * time.Second},
	} {
		var got settleArg
		if err := got.UnmarshalText([]byte(text)); err != nil || got.Settle != want {
			t.Errorf("%q: %v %v, want %v", text, got.Settle, err, want)
		}
	}
}

// What the rules are asked about, and what history keeps.
func TestBound(t *testing.T) {
	for _, tt := range []struct{ tool, args, refs, destination, subject string }{
		{"click", `{"ref":"f2:e5"}`, "f2:e5", "", ""},
		{"click", `{"x":1,"y":2}`, "", "", ""},
		{"fill", `{"fields":[{"ref":"e1","value":"a"},{"ref":"f1:e2","value":"b"}]}`, "e1 f1:e2", "", ""},
		{"press_key", `{"keys":"a","ref":"e7"}`, "e7", "", ""},
		{"scroll", `{"to":"f3:e1","ref":"e2"}`, "e2 f3:e1", "", ""},
		{"scroll", `{"to":"bottom"}`, "", "", ""},
		{"snapshot", `{"scope":"f2:e1"}`, "f2:e1", "", ""},
		{"read_page", `{"ref":"e1"}`, "e1", "", ""},
		{"screenshot", `{"ref":"e1"}`, "e1", "", ""},
		{"wait_for", `{"ref":"e1","state":"gone"}`, "e1", "", ""},
		{"navigate", `{"url":"https://a.example/"}`, "", "https://a.example/", ""},
		{"navigate", `{"to":"back"}`, "", "", ""},
		{"open_tab", `{"url":"https://a.example/"}`, "", "https://a.example/", ""},
		{"evaluate", `{"code":"return 1"}`, "", "", "return 1"},
		{"evaluate", `{"code":"return 1","frame":"f4"}`, "f4:e1", "", "return 1"},
	} {
		b, err := named(t, tt.tool).Bind(json.RawMessage(tt.args))
		if err != nil {
			t.Errorf("%s %s: %v", tt.tool, tt.args, err)
			continue
		}
		var refs []string
		for _, r := range b.Refs {
			refs = append(refs, r.String())
		}
		if got := strings.Join(refs, " "); got != tt.refs || b.Destination != tt.destination || b.Subject != tt.subject {
			t.Errorf("%s %s: refs %q, destination %q, subject %q", tt.tool, tt.args, got, b.Destination, b.Subject)
		}
		if wantTab := tt.tool != "open_tab"; b.HasTab != wantTab {
			t.Errorf("%s: HasTab %v", tt.tool, b.HasTab)
		}
	}
}

func TestSecretsStayOutOfHistory(t *testing.T) {
	for _, tt := range []struct{ tool, args string }{
		{"fill", `{"ref":"e1","value":"hunter2"}`},
		{"fill", `{"ref":"e1","values":["hunter2","x"]}`},
		{"fill", `{"fields":[{"ref":"e1","value":"hunter2"},{"ref":"e2","values":["hunter2"]}]}`},
		{"press_key", `{"text":"hunter2"}`},
		{"handle_dialog", `{"accept":true,"text":"hunter2"}`},
	} {
		b, err := named(t, tt.tool).Bind(json.RawMessage(tt.args))
		if err != nil || strings.Contains(string(b.Args), "hunter2") || !strings.Contains(string(b.Args), " characters)") {
			t.Errorf("%s: %s %v", tt.tool, b.Args, err)
		}
	}
}
