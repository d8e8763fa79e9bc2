package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

type shape string

type spot struct {
	Ref string       `json:"ref,omitempty" doc:"element"`
	X   Opt[float64] `json:"x,omitempty" doc:"point" min:"0"`
}

type item struct {
	Name   string      `json:"name" doc:"name"`
	Value  Opt[string] `json:"value,omitempty" doc:"value" redact:"yes"`
	Values []string    `json:"values,omitempty" doc:"values" redact:"yes"`
}

type hex struct{ n int }

func (h *hex) UnmarshalText(text []byte) error {
	if h.n = len(text); strings.Trim(string(text), "0123456789abcdef") != "" {
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "no hexadecimal number"}
	}
	return nil
}

type args struct {
	spot
	Text    string      `json:"text" doc:"text"`
	Secret  Opt[string] `json:"secret,omitempty" doc:"secret" redact:"yes"`
	Kind    shape       `json:"kind,omitempty" doc:"kind" enum:"png,jpeg" default:"png"`
	Times   int         `json:"times,omitempty" doc:"times" min:"1" max:"9" default:"1"`
	Rate    float64     `json:"rate,omitempty" doc:"rate"`
	On      Opt[bool]   `json:"on,omitempty" doc:"on"`
	Keys    []string    `json:"keys,omitempty" doc:"keys" enum:"Alt,Shift"`
	Items   []item      `json:"items,omitempty" doc:"items" max:"2"`
	Box     Opt[item]   `json:"box,omitempty" doc:"box"`
	Color   hex         `json:"color,omitempty" doc:"color"`
	FullWay bool        `json:"full_way,omitempty" doc:"full"`
	TabArgs
}

func (a args) Refs() []string      { return []string{a.Ref} }
func (a args) Destination() string { return a.Text }
func (a args) Subject() string     { return string(a.Kind) }
func (a args) Check() error {
	if a.Text == "bad" {
		return errors.New("text is bad")
	}
	return nil
}

type seen struct{ Args args }

func (seen) Content() Content { return Content{} }

var spec = Spec{Name: "try", Title: "Try", Group: "core", Description: "Tries.",
	Effect: browser.Changes, Action: policy.Act, OpenWorld: Yes, Idempotent: No}

func try() Tool {
	return New(spec, func(_ context.Context, _ *Call, in args) (seen, error) { return seen{in}, nil })
}

// bindArgs binds and runs.
func bindArgs(t *testing.T, raw string) (args, error) {
	t.Helper()
	b, err := try().Bind(json.RawMessage(raw))
	if err != nil {
		return args{}, err
	}
	out, err := b.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.(seen).Args, nil
}

func TestBind(t *testing.T) {
	plain := args{Text: "t", Kind: "png", Times: 1}
	for _, tt := range []struct {
		raw  string
		want func(*args)
	}{
		{`{"text":"t"}`, func(*args) {}},
		{` { "text" : "t" , "on" : null , "kind" : null } `, func(*args) {}},
		{`{"text":12.50}`, func(a *args) { a.Text = "12.50" }},
		{`{"text":true}`, func(a *args) { a.Text = "true" }},
		{`{"text":""}`, func(a *args) { a.Text = "" }},
		{`{"text":"t","secret":""}`, func(a *args) { a.Secret = Some("") }},
		{`{"text":"t","secret":7}`, func(a *args) { a.Secret = Some("7") }},
		{`{"text":"t","kind":"JPEG"}`, func(a *args) { a.Kind = "jpeg" }},
		{`{"text":"t","times":3.0}`, func(a *args) { a.Times = 3 }},
		{`{"text":"t","times":" 4 "}`, func(a *args) { a.Times = 4 }},
		{`{"text":"t","times":2e0}`, func(a *args) { a.Times = 2 }},
		{`{"text":"t","rate":"1.5","x":0}`, func(a *args) { a.Rate, a.X = 1.5, Some(0.0) }},
		{`{"text":"t","on":"false"}`, func(a *args) { a.On = Some(false) }},
		{`{"text":"t","on":"True"}`, func(a *args) { a.On = Some(true) }},
		{`{"text":"t","keys":"alt"}`, func(a *args) { a.Keys = []string{"Alt"} }},
		{`{"text":"t","keys":[]}`, func(a *args) { a.Keys = []string{} }},
		{`{"text":"t","items":{"name":1}}`, func(a *args) { a.Items = []item{{Name: "1"}} }},
		{`{"text":"t","items":"[{\"name\":\"n\",\"values\":3}]"}`, func(a *args) { a.Items = []item{{Name: "n", Values: []string{"3"}}} }},
		{`{"text":"t","box":"{\"name\":\"n\"}"}`, func(a *args) { a.Box = Some(item{Name: "n"}) }},
		{`{"text":"t","color":255}`, func(a *args) { a.Color = hex{3} }},
		{`{"text":"t","tab":"t3","doc":"4"}`, func(a *args) { a.TabArgs = TabArgs{"t3", 4} }},
	} {
		want := plain
		tt.want(&want)
		got, err := bindArgs(t, tt.raw)
		if err != nil {
			t.Errorf("%s: %v", tt.raw, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(args{}, hex{}, Opt[string]{}, Opt[float64]{}, Opt[bool]{}, Opt[item]{})); diff != "" {
			t.Errorf("%s: %s", tt.raw, diff)
		}
	}
}

func TestBindRefuses(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{``, `try needs "text"; accepted arguments: ref, x, text, secret, kind, times, rate, on, keys, items, box, color, full_way, tab, doc`},
		{`null`, `try needs "text"`},
		{`[]`, `try needs its arguments in an object; accepted arguments: ref`},
		{`{`, `try needs its arguments in an object`},
		{`{"text":"t","txt":1}`, `try has no argument "txt" (did you mean "text"?); accepted arguments: ref, x`},
		{`{"txt":1}`, `try has no argument "txt" (did you mean "text"?)`},
		{`{"text":"t","fullWay":true}`, `no argument "fullWay" (did you mean "full_way"?)`},
		{`{"text":"t","tab_id":"t1","zzz":1}`, `no argument "tab_id" (did you mean "tab"?) nor "zzz"; accepted`},
		{`{"text":null}`, `try needs "text"`},
		{`{"text":{}}`, `text must be a string, not an object`},
		{`{"text":["t"]}`, `text must be a string, not a list`},
		{`{"text":"t","kind":"gif"}`, `kind must be one of png, jpeg, not the string "gif"`},
		{`{"text":"t","times":1.5}`, `times must be a whole number, not 1.5`},
		{`{"text":"t","times":0}`, `times must be at least 1, not 0`},
		{`{"text":"t","times":10}`, `times must be at most 9, not 10`},
		{`{"text":"t","times":1e300}`, `times must be a whole number`},
		{`{"text":"t","rate":"0x10"}`, `rate must be a number, not the string "0x10"`},
		{`{"text":"t","rate":"Inf"}`, `rate must be a number`},
		{`{"text":"t","rate":true}`, `rate must be a number, not true`},
		{`{"text":"t","rate":""}`, `rate must be a number, not the string ""`},
		{`{"text":"t","x":-1}`, `x must be at least 0, not -1`},
		{`{"text":"t","on":1}`, `on must be true or false, not 1`},
		{`{"text":"t","keys":["Alt","Ctrl"]}`, `keys[1] must be one of Alt, Shift, not the string "Ctrl"`},
		{`{"text":"t","keys":[null]}`, `keys[0] must be left out, not null`},
		{`{"text":"t","items":[{"name":"n"},{}]}`, `items[1] needs "name"; accepted arguments: name, value, values`},
		{`{"text":"t","items":[{"name":"n","valu":"hunter2"}]}`, `items[0] has no argument "valu" (did you mean "value"?); accepted arguments: name, value, values`},
		{`{"text":"t","items":[{"name":"n"},{"name":"n"},{"name":"n"}]}`, `items must be a list of at most 2, not a list`},
		{`{"text":"t","items":"nothing"}`, `items[0] must be an object, not the string "nothing"`},
		{`{"text":"t","box":""}`, `box needs "name"`},
		{`{"text":"t","box":{"name":[]}}`, `box.name must be a string, not a list`},
		{`{"text":"t","secret":{"hunter2":1}}`, `secret must be a string, not an object`},
		{`{"text":"t","color":"xyz"}`, `color is not accepted: no hexadecimal number`},
		{`{"text":"t","ref":"button"}`, `"button" is not a ref`},
		{`{"text":"bad"}`, `text is bad`},
		{`{"text":"t","doc":0}`, `doc must be at least 1, not 0`},
		{`{"text":"a\ud800"}`, `text holds \ud800, which is half a character; send the character itself`},
		{`{"text":"a\uDC00b"}`, `text holds \uDC00, which`},
		{`{"text":"\ud83d\ud83d\ude00"}`, `text holds \ud83d, which`},
		{`{"text":"\\\ud800"}`, `text holds \ud800, which`},
		{`{"text":"t","items":[{"name":"n","value":"\ud800"}]}`, `items[0].value holds \ud800, which`},
	} {
		_, err := bindArgs(t, tt.raw)
		if browser.CodeOf(err) != browser.CodeInvalidArguments || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", tt.raw, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error tells the secret: %v", tt.raw, err)
		}
	}
}

func TestWholeCharacters(t *testing.T) {
	for _, raw := range []string{`"\ud83d\ude00"`, `"\\ud800"`, `"\\\\ud800"`, `"\u00e4"`, `"\n\"\\"`, `"😀"`, `""`, `"\ud7ff\ue000"`} {
		if half := loneSurrogate([]byte(raw)); half != "" {
			t.Errorf("%s holds half a character, %s", raw, half)
		}
		if _, err := bindArgs(t, `{"text":`+raw+`}`); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestBound(t *testing.T) {
	b, err := try().Bind(json.RawMessage(`{"text":"https://x.example","kind":"jpeg","ref":"f2:e5","tab":"t3","doc":4}`))
	if err != nil {
		t.Fatal(err)
	}
	if b.Tab != "t3" || b.Doc != 4 || !b.HasTab || b.Destination != "https://x.example" || b.Subject != "jpeg" ||
		len(b.Refs) != 1 || b.Refs[0] != (browser.Ref{Frame: "f2", N: 5}) {
		t.Errorf("got %+v", b)
	}
	type none struct{}
	b, err = New(spec, func(context.Context, *Call, none) (seen, error) { return seen{}, errors.New("no") }).Bind(nil)
	if err != nil || b.HasTab || b.Refs != nil {
		t.Errorf("got %+v, %v", b, err)
	}
	if out, err := b.Run(t.Context(), nil); out != nil || err == nil {
		t.Errorf("got %v, %v", out, err)
	}
}

func TestRedaction(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`{"text":"t","secret":"hunter2"}`, `{"secret":"(7 characters)","text":"t"}`},
		{`{"text":"t","secret":"hüntér2"}`, `{"secret":"(7 characters)","text":"t"}`},
		{`{"text":"t","secret":1234567}`, `{"secret":"(7 characters)","text":"t"}`},
		{`{"text":"t","secrt":"hunter2"}`, `{"secrt":"(7 characters)","text":"t"}`},
		{`{"text":"t","items":[{"name":"n","value":"hunter2","values":["hunter2","x"]}]}`,
			`{"items":[{"name":"n","value":"(7 characters)","values":"(15 characters)"}],"text":"t"}`},
		{`{"text":"t","items":"[{\"name\":\"hunter2\"}]"}`, `{"items":"(20 characters)","text":"t"}`},
		{`{"text":"t","box":{"name":"n","value":"hunter2","extra":"hunter2"}}`, `{"box":{"extra":"(7 characters)","name":"n","value":"(7 characters)"},"text":"t"}`},
		{`{"text":"t","box":["hunter2"]}`, `{"box":"(11 characters)","text":"t"}`},
		{`{"text":{},"secret":"hunter2"}`, `{"secret":"(7 characters)","text":{}}`},
	} {
		b, _ := try().Bind(json.RawMessage(tt.raw))
		if string(b.Args) != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.raw, b.Args, tt.want)
		}
	}
}

// FuzzBind checks that what the schema accepts Bind accepts, and that no
// secret is told.
func FuzzBind(f *testing.F) {
	for _, s := range []string{`{"text":"t"}`, `{"text":1,"items":[{"name":"n","values":["a"]}],"keys":"Alt"}`,
		`{"text":"t","box":{"name":"x"},"color":"ff","times":"3","on":"true","secret":"SECRET"}`, `[`, `{"text":null}`, `{"items":"[{}]"}`, `{"a": null }`} {
		f.Add(s)
	}
	tl := try()
	var schema jsonschema.Schema
	if err := json.Unmarshal(tl.Schema, &schema); err != nil {
		f.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		b, err := tl.Bind(json.RawMessage(raw))
		if (err == nil) != (b.Run != nil) {
			t.Fatalf("error %v and run %v", err, b.Run != nil)
		}
		if err != nil && browser.CodeOf(err) != browser.CodeInvalidArguments {
			t.Fatalf("code of %v", err)
		}
		var v map[string]any
		if json.Unmarshal([]byte(raw), &v) != nil || v == nil {
			return
		}
		if !json.Valid(b.Args) {
			t.Fatalf("arguments for the history are no JSON: %s", b.Args)
		}
		if s, ok := v["secret"].(string); ok && len(s) > 20 && strings.Count(raw, s) == 1 && strings.Contains(string(b.Args), s) {
			t.Fatalf("the secret is told: %s", b.Args)
		}
		own := v["text"] == "bad" || v["ref"] != nil || v["color"] != nil || v["doc"] != nil // checks beyond the schema
		if resolved.Validate(v) == nil && err != nil && !own && !strings.Contains(err.Error(), "half a character") {
			t.Fatalf("the schema accepts %s: %v", raw, err)
		}
	})
}
