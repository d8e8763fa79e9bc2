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

type briefPoint struct {
	X float64 `json:"x" doc:"left" list:"bare"`
}

type briefArgs struct {
	Name string          `json:"name" doc:"the name" list:"bare"`
	Wait string          `json:"wait,omitempty" doc:"how far" enum:"load,none" default:"load"`
	Time float64         `json:"time,omitempty" doc:"seconds" min:"1" max:"9" default:"5"`
	Keys []string        `json:"keys,omitempty" doc:"held" enum:"Alt,Shift" max:"2"`
	At   Opt[briefPoint] `json:"at,omitempty" doc:"place"`
}

type briefOut struct{}

func (briefOut) Content() Content { return Content{} }

func TestListing(t *testing.T) {
	l := List(New(Spec{
		Name: "x", Title: "X", Group: "g", Description: "Does x.",
		Effect: browser.Destroys, Action: policy.Act, OpenWorld: Yes, Idempotent: No,
	}, func(context.Context, *Call, briefArgs) (briefOut, error) { return briefOut{}, nil }))
	want := `{"name":"x","title":"X","description":"Does x.","inputSchema":{"type":"object","properties":{` +
		`"name":{"type":"string"},` +
		`"wait":{"type":"string","description":"how far","enum":["load","none"]},` +
		`"time":{"type":"number","description":"seconds (5)"},` +
		`"keys":{"type":"array","items":{"type":"string","enum":["Alt","Shift"]},"description":"held"},` +
		`"at":{"type":"object","properties":{"x":{"type":"number"}},"description":"place","required":["x"]}},"required":["name"]},` +
		`"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}}`
	got, err := json.Marshal(l)
	if err != nil || string(got) != want {
		t.Errorf("got  %s %v\nwant %s", got, err, want)
	}
}

// What the listing leaves out, the schema that documents are made of has.
func TestSchemaSaysAll(t *testing.T) {
	s, err := json.Marshal(objectOf(reflect.TypeFor[briefArgs](), "x").schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"the name"`, `"default":"load"`, `"minimum":1`, `"maximum":9`, `"maxItems":2`, `"additionalProperties":false`} {
		if !strings.Contains(string(s), want) {
			t.Errorf("no %s in %s", want, s)
		}
	}
}
