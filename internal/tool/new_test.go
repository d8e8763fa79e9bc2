package tool

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

func TestSchema(t *testing.T) {
	tab := reflect.TypeFor[TabArgs]()
	want := `{"type":"object","properties":{` +
		`"ref":{"type":"string","description":"element"},` +
		`"x":{"type":"number","description":"point","minimum":0},` +
		`"text":{"type":"string","description":"text"},` +
		`"secret":{"type":"string","description":"secret"},` +
		`"kind":{"type":"string","description":"kind","default":"png","enum":["png","jpeg"]},` +
		`"times":{"type":"integer","description":"times","default":1,"minimum":1,"maximum":9},` +
		`"rate":{"type":"number","description":"rate"},` +
		`"on":{"type":"boolean","description":"on"},` +
		`"keys":{"type":"array","description":"keys","items":{"type":"string","enum":["Alt","Shift"]}},` +
		`"items":{"type":"array","description":"items","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"name"},"value":{"type":"string","description":"value"},` +
		`"values":{"type":"array","description":"values","items":{"type":"string"}}},"required":["name"],"additionalProperties":false},"maxItems":2},` +
		`"box":{"type":"object","description":"box","properties":{` +
		`"name":{"type":"string","description":"name"},"value":{"type":"string","description":"value"},` +
		`"values":{"type":"array","description":"values","items":{"type":"string"}}},"required":["name"],"additionalProperties":false},` +
		`"color":{"type":"string","description":"color"},` +
		`"full_way":{"type":"boolean","description":"full"},` +
		`"tab":{"type":"string","description":"` + tab.Field(0).Tag.Get("doc") + `"},` +
		`"doc":{"type":"integer","description":"` + tab.Field(1).Tag.Get("doc") + `","minimum":1}},` +
		`"required":["text"],"additionalProperties":false}`
	var got, wanted any
	if json.Unmarshal(try().Schema, &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil {
		t.Fatal("no JSON")
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(wanted)
	if string(g) != string(w) {
		t.Errorf("got  %s\nwant %s", g, w)
	}
	var order []int
	for _, name := range []string{"ref", "x", "text", "secret", "kind", "items", "box", "tab", "doc"} {
		order = append(order, strings.Index(string(try().Schema), `"`+name+`":`))
	}
	for i := 1; i < len(order); i++ {
		if order[i] < order[i-1] {
			t.Errorf("properties are not in the order of the fields: %s", try().Schema)
		}
	}
}

func TestNewPanics(t *testing.T) {
	type undescribed struct {
		A string `json:"a"`
	}
	type unnamed struct {
		A string `doc:"a"`
	}
	type twice struct {
		TabArgs
		A string `json:"tab" doc:"a"`
	}
	type strange struct {
		A map[string]int `json:"a" doc:"a"`
	}
	type badDefault struct {
		A string `json:"a" doc:"a" enum:"x,y" default:"z"`
	}
	type badBound struct {
		A int `json:"a" doc:"a" min:"one"`
	}
	for name, f := range map[string]func(){
		"no description of an argument": func() { declare[undescribed](spec) },
		"no name of an argument":        func() { declare[unnamed](spec) },
		"one name twice":                func() { declare[twice](spec) },
		"a type that is not supported":  func() { declare[strange](spec) },
		"a default that is not allowed": func() { declare[badDefault](spec) },
		"a bound that is no number":     func() { declare[badBound](spec) },
		"no struct":                     func() { declare[string](spec) },
		"name":                          func() { s := spec; s.Name = "tryIt"; declare[args](s) },
		"title":                         func() { s := spec; s.Title = ""; declare[args](s) },
		"group":                         func() { s := spec; s.Group = ""; declare[args](s) },
		"description":                   func() { s := spec; s.Description = ""; declare[args](s) },
		"effect":                        func() { s := spec; s.Effect = 0; declare[args](s) },
		"action":                        func() { s := spec; s.Action = "look"; declare[args](s) },
		"open world":                    func() { s := spec; s.OpenWorld = 0; declare[args](s) },
		"idempotent":                    func() { s := spec; s.Idempotent = 0; declare[args](s) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	declare[args](spec)
}

func declare[In any](s Spec) {
	New(s, func(context.Context, *Call, In) (seen, error) { return seen{}, nil })
}

func TestList(t *testing.T) {
	s := spec
	s.Effect, s.Idempotent, s.OpenWorld = browser.Destroys, Yes, No
	got := List(New(s, func(context.Context, *Call, args) (seen, error) { return seen{}, nil }))
	if got.Name != "try" || got.Title != "Try" || got.Description != "Tries." || !reflect.DeepEqual(got.Annotations, &Annotations{false, new(true), true, new(false)}) {
		t.Errorf("got %+v", got)
	}
	s.Effect = browser.Reads
	if got := List(New(s, func(context.Context, *Call, args) (seen, error) { return seen{}, nil })).Annotations; !reflect.DeepEqual(got, &Annotations{true, new(false), true, new(false)}) {
		t.Errorf("got %+v", got)
	}
}

// env runs ops by a function and can do nothing else.
type env struct {
	Env
	run func(browser.TabID, browser.Op) error
}

func (e env) Run(_ context.Context, tab browser.TabID, op browser.Op, _ any) error {
	return e.run(tab, op)
}

func TestAnOpMustNotExceedItsTool(t *testing.T) {
	s := spec
	s.Effect = browser.Reads
	var ran []string
	c := NewCall(env{run: func(tab browser.TabID, op browser.Op) error {
		ran = append(ran, string(tab)+" "+op.OpName())
		return nil
	}}, s, "t3")
	if err := c.Do(t.Context(), browser.Click{}, nil); browser.CodeOf(err) != browser.CodeInternal {
		t.Errorf("a reading tool clicked: %v", err)
	}
	if err := c.Do(t.Context(), browser.Snapshot{}, nil); err != nil {
		t.Error(err)
	}
	if len(ran) != 1 || ran[0] != "t3 snapshot" {
		t.Errorf("ran %q", ran)
	}
}

func TestWithDefault(t *testing.T) {
	type args struct {
		Text string  `json:"text" doc:"a text"`
		Wait float64 `json:"wait,omitempty" doc:"seconds" max:"9" default:"5"`
	}
	var got float64
	old := New(Spec{Name: "wait", Title: "Wait", Group: "core", Description: "Waits.", Effect: browser.Reads, Action: policy.Read, OpenWorld: No, Idempotent: Yes},
		func(_ context.Context, _ *Call, in args) (briefOut, error) { got = in.Wait; return briefOut{}, nil })
	tool := old.WithDefault("wait", json.RawMessage("2"))
	for _, tt := range []struct {
		tool Tool
		args string
		want float64
	}{{tool, `{"text":"a"}`, 2}, {tool, `{"text":"a","wait":3}`, 3}, {old, `{"text":"a"}`, 5}} {
		b, err := tt.tool.Bind(json.RawMessage(tt.args))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Run(t.Context(), nil); err != nil || got != tt.want {
			t.Errorf("%s: waits %v, %v, want %v", tt.args, got, err, tt.want)
		}
	}
	if !strings.Contains(string(tool.Schema), `"default":2`) || !strings.Contains(string(old.Schema), `"default":5`) {
		t.Errorf("schemas: %s\n%s", tool.Schema, old.Schema)
	}
}
