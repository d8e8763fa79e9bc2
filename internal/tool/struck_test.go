package tool

import (
	"context"
	"encoding/json"
	"testing"
)

func TestStruck(t *testing.T) {
	for _, tt := range []struct {
		text   string
		hidden []string
		want   string
	}{
		{"nothing here", []string{"hunter2"}, "nothing here"},
		{`no option "hunter2" in hunter2`, []string{"hunter2"}, `no option "(7 characters)" in (7 characters)`},
		{`no option "a", only "b" and a`, []string{"a", "b", ""}, `no option "(1 characters)", only "(1 characters)" and a`},
		{`no option "correct horse…"`, []string{"correct horse battery staple"}, `no option "(28 characters)…"`},
		{`no option "a \"quoted\" text"`, []string{`a "quoted" text`}, `no option "(15 characters)"`},
		{"no option two lines", []string{"two\nlines"}, "no option (9 characters)"},
		{"pässwörd und pässwörter", []string{"pässwörd"}, "(8 characters) und (8 characters)ter"},
	} {
		if got := Struck(tt.text, tt.hidden); got != tt.want {
			t.Errorf("%q without %q: got %q, want %q", tt.text, tt.hidden, got, tt.want)
		}
	}
}

// What Args masks is told beside it, wherever it was.
func TestMasked(t *testing.T) {
	type field struct {
		Ref   string `json:"ref" doc:"ref"`
		Value string `json:"value,omitempty" doc:"value" redact:"yes"`
	}
	type in struct {
		Value  string  `json:"value,omitempty" doc:"value" redact:"yes"`
		Fields []field `json:"fields,omitempty" doc:"fields"`
	}
	x := New(spec, func(context.Context, *Call, in) (seen, error) { return seen{}, nil })
	for args, want := range map[string]string{
		`{"value":"one"}`:           `["one"]`,
		`{"valeu":"one","value":2}`: `["one","2"]`,
		`{"fields":[{"ref":"e1","value":"one"},{"ref":"e2","value":"two"}]}`: `["one","two"]`,
		`{}`: `null`,
	} {
		b, _ := x.Bind(json.RawMessage(args))
		if got, _ := json.Marshal(b.Masked); string(got) != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}
