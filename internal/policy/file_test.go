package policy

import (
	"strings"
	"testing"
)

func TestParseFileFaults(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"verdict: deny\n", "rules.yaml:1:1: here is a mapping; rules are a list"},
		{"- deny\n", "rules.yaml:1:3: here is text; a rule is written as"},
		{"- action: act\n", "rules.yaml:1:3: the rule has no verdict: allow, ask or deny"},
		{"- verdict: deny\n  origins: 'https://a.example'\n", "rules.yaml:2:3: origins: a rule has no such key; did you mean origin?"},
		{"- verdict: deny\n  colour: red\n", "rules.yaml:2:3: colour: a rule has no such key; there are verdict, client, "},
		{"- verdict: forbid\n", `rules.yaml:1:12: verdict: "forbid" is none of allow, ask, deny`},
		{"- verdict: [deny]\n", "rules.yaml:1:12: verdict: here is a list; it takes a text"},
		{"- verdict: deny\n  verdict: allow\n", "rules.yaml:2:3: verdict: given twice, first in line 1"},
		{"- verdict: deny\n  action: [act, fly]\n", `rules.yaml:2:17: action: "fly" is not an action; there are read, act, `},
		{"- verdict: deny\n  action: []\n", "rules.yaml:2:11: action: the list is empty"},
		{"- verdict: deny\n  client:\n", "rules.yaml:2:3: client: here is nothing"},
		{"- verdict: deny\n  client: true\n", "rules.yaml:2:11: client: here is true or false; it takes a text or a list of them (in quotes, if need be)"},
		{"- verdict: deny\n  origin: bank.example\n", `rules.yaml:2:11: origin: "bank.example" is not an origin: it needs a scheme, such as https://bank.example`},
		{"- verdict: deny\n  origin: *\n", "rules.yaml:2:11: a value that begins with * or & needs quotes"},
		{"- verdict: deny\n  action: act\n  subject: x\n", "rules.yaml:3:12: subject: act has no subject"},
		{"- verdict: deny\n  subject: x\n", "rules.yaml:2:12: subject: a subject needs an action"},
		{"- verdict: allow\n  until: session\n", "rules.yaml:2:10: until: a rule in the file outlives the session"},
		{"- verdict: allow\n  until: soon\n", `rules.yaml:2:10: until: "soon" is not a time`},
		{"- verdict: allow\n  until: *x\n", "rules.yaml:2:10: "},
	} {
		_, err := ParseFile("rules.yaml", []byte(tt.in))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q:\nerror %v\n want %s", tt.in, err, tt.want)
		}
	}
}

// TestBrokenFile: what can be read of a broken file still denies, the rest is
// asked.
func TestBrokenFile(t *testing.T) {
	for _, tt := range []struct{ name, file, place string }{
		{"a bad rule", `
- verdict: allow
- verdict: deny
  action: act
  origin: https://bank.example
- verdict: alow
- verdict: deny
  client: codex
`, "rules.yaml:6:12"},
		{"no YAML", `
- verdict: allow
- verdict: deny # mine
  action: act
  origin: https://bank.example
- verdict: "deny
- verdict: deny
  client: codex
`, "rules.yaml:6:12"},
		{"no YAML, indented", `
  - verdict: allow
  - verdict: deny
    action:
      - act
    origin: https://bank.example
  - {verdict: deny
  - verdict: deny
    client: codex
`, "rules.yaml:8:3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules, err := ParseFile("rules.yaml", []byte(tt.file))
			if err == nil || !strings.HasPrefix(err.Error(), tt.place+": ") {
				t.Errorf("error %v, want one at %s", err, tt.place)
			}
			p, err := New(Options{Rules: rules, Broken: err, Allow: []string{"*"}})
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range []struct{ ask, want string }{
				{"claude act on https://bank.example in launched", "deny"},
				{"codex read in launched", "deny"},
				{"claude read on https://a.example in launched", "ask"},
			} {
				d := p.Decide(ask(t, q.ask))
				if d.Verdict.String() != q.want {
					t.Errorf("%s: %s by %s, want %s", q.ask, d.Verdict, d.Rule, q.want)
				}
				if d.Verdict == Ask && !strings.Contains(d.Reason, tt.place) {
					t.Errorf("the reason names no place: %s", d.Reason)
				}
			}
		})
	}
}

func FuzzParseFile(f *testing.F) {
	for _, s := range []string{"- verdict: deny\n", "[{verdict: allow, action: [act, read], origin: 'https://a.example'}]",
		"- verdict: ask\n  action: script\n  subject: |\n    return 1\n  until: 2026-01-01\n- verdict: \"\n- verdict: deny\n", "# none\n", "- {verdict: deny, client: 5}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := ParseFile("rules.yaml", []byte(text))
		if err != nil && !strings.HasPrefix(err.Error(), "rules.yaml:") {
			t.Errorf("the error names no place: %v", err)
		}
		p, err2 := New(Options{Rules: rules, Broken: err})
		if err2 != nil {
			t.Fatal(err2)
		}
		for _, a := range Actions {
			r := Request{Client: "c", Action: a, Launched: true, Browser: "chrome", Origin: "https://a.example", Now: noon}
			d := p.Decide(r)
			if err != nil && d.Verdict == Allow {
				t.Errorf("a broken file allows: %s", d.Rule)
			}
			if p.NeverAllowed("c", false, a) && d.Verdict != Deny {
				t.Errorf("%s is never allowed, and got %s", a, d.Verdict)
			}
		}
	})
}
