package cdp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMessage(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want message
		bad  bool
	}{
		{in: `{"id":7,"result":{"a":[1,{"b":"}]"}]},"sessionId":"S"}`, want: message{id: 7, session: "S", result: []byte(`{"a":[1,{"b":"}]"}]}`)}},
		{in: ` { "method" : "A.b" , "params" : { } } `, want: message{method: "A.b", params: json.RawMessage(`{ }`)}},
		{in: `{"id":1,"error":{"code":-1}}`, want: message{id: 1, fault: []byte(`{"code":-1}`)}},
		{in: `{"id":1,"result":{"s":"a\\\"b\\"},"more":null}`, want: message{id: 1, result: []byte(`{"s":"a\\\"b\\"}`)}},
		{in: `{"method":"A\u002eb"}`, want: message{method: "A.b"}},
		{in: `{"id":-3,"result":true}`, want: message{id: -3, result: []byte(`true`)}},
		{in: ``, bad: true},
		{in: `{}`, bad: true},
		{in: `{"result":{}}`, bad: true},
		{in: `{"id":1`, bad: true},
		{in: `{"id":1,}`, bad: true},
		{in: `{"id":1 "result":{}}`, bad: true},
		{in: `{"id":1,"result":"x}`, bad: true},
		{in: `{"id":1.5}`, bad: true},
		{in: `{"id":1}}`, bad: true},
		{in: `{"id":1}x`, bad: true},
		{in: `{id:1}`, bad: true},
		{in: `{"method":1}`, bad: true},
		{in: `[{"id":1}]`, bad: true},
		{in: `{"id"`, bad: true},
		{in: `{"`, bad: true},
	} {
		got, err := parseMessage([]byte(tt.in))
		if tt.bad {
			if err == nil {
				t.Errorf("%s: no error", tt.in)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
		} else if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(message{})); diff != "" {
			t.Errorf("%s: %s", tt.in, diff)
		}
	}
}

// FuzzParseMessage holds the scanner against encoding/json: what that accepts
// as a message is taken apart in the same way, and nothing makes it panic.
func FuzzParseMessage(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"result":{"s":"\"\\"},"sessionId":"S"}`,
		`{"method":"A.b","params":{"x":[1,2,{"y":null}]}}`,
		`{"id":2,"error":{"code":-32000,"message":"no","data":"x"}}`,
		`{"id":3,"result":"\ud800"}`,
		"{\"id\":3,\"result\":\"\xff\"}",
		`{"id":1,"id":2}`, `{"a":{"id":1}}`, `{`, `"`, `{"\`, `{"id":1e3}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := parseMessage(in)
		got.answer()
		var want map[string]json.RawMessage
		if json.Unmarshal(in, &want) != nil || want == nil || strings.Contains(string(in), `\u`) {
			return // malformed, or with names that the scanner does not decode
		}
		var id int64
		var method, session string
		hasID := want["id"] != nil
		for name, v := range map[string]any{"id": &id, "method": &method, "sessionId": &session} {
			raw, ok := want[name]
			if ok && (string(raw) == "null" || json.Unmarshal(raw, v) != nil) {
				return // of another type: an error, or not; it is no message
			}
		}
		if !hasID && method == "" {
			if err == nil {
				t.Fatalf("no error for what is no message: %q", in)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if got.id != id || got.method != method || got.session != session {
			t.Fatalf("%q: got %+v", in, got)
		}
		for name, part := range map[string][]byte{"params": got.params, "result": got.result, "error": got.fault} {
			if string(part) != string(want[name]) {
				t.Fatalf("%q: %s is %q, want %q", in, name, part, want[name])
			}
		}
	})
}

func BenchmarkParseMessage(b *testing.B) {
	big := []byte(`{"id":1,"result":{"result":{"type":"string","value":"` + strings.Repeat(`- link \"About us\" → /about\n`, 350_000) + `"}},"sessionId":"S"}`)
	for name, msg := range map[string][]byte{"small": []byte(`{"id":1,"result":{"result":{"type":"number","value":1}},"sessionId":"F8147831C777CF3AC87F442584A9F771"}`), "10MB": big} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parseMessage(msg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
