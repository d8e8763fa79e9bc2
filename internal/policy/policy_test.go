package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// ask reads a sentence such as
//
//	claude page_tool "add to cart" on https://shop.example from https://a.example in launched tab docs
//
// "says destructive" (or consequential) is what the page says of its tool.
// Without "in" the browser is one of the user's own, "chrome".
func ask(t *testing.T, sentence string) Request {
	t.Helper()
	if before, quoted, ok := strings.Cut(sentence, ` "`); ok {
		subject, after, _ := strings.Cut(quoted, `"`)
		r := ask(t, before+after)
		r.Subject = subject
		return r
	}
	w := strings.Fields(sentence)
	if len(w) < 2 || len(w)%2 != 0 || !slices.Contains(Actions, Action(w[1])) {
		t.Fatalf("not a question: %s", sentence)
	}
	r := Request{Client: w[0], Action: Action(w[1]), Browser: "chrome", Folder: filepath.FromSlash("/home/ann/work"), Now: noon}
	for pair := range slices.Chunk(w[2:], 2) {
		switch pair[0] {
		case "on":
			r.Origin = browser.Origin(pair[1])
		case "from":
			r.From = browser.Origin(pair[1])
		case "in":
			r.Browser, r.Launched = pair[1], pair[1] == "launched"
		case "tab":
			r.Tab = pair[1]
		case "says":
			r.Grave = pair[1] == "destructive" || pair[1] == "consequential"
		default:
			t.Fatalf("not a question: %s", sentence)
		}
	}
	return r
}

// policyOf makes a policy from a file and --allow.
func policyOf(t *testing.T, file string, allow ...string) *Policy {
	t.Helper()
	rules, err := ParseFile("rules.yaml", []byte(file))
	if err != nil {
		t.Fatalf("%s\n%v", file, err)
	}
	p, err := New(Options{Rules: rules, Allow: allow})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDefaults(t *testing.T) {
	p := policyOf(t, "")
	for _, tt := range []struct{ ask, want string }{
		{"claude read on https://a.example in launched", "allow"},
		{"claude act on https://a.example in launched", "allow"},
		{"claude act on null in launched", "allow"},
		{"claude navigate on https://b.example from https://a.example in launched", "allow"},
		{`claude page_tool "buy" on https://a.example in launched`, "allow"},
		{`claude script "1" on https://a.example in launched`, "allow"},
		{"claude admin in launched", "allow"},
		{`claude files "report.pdf" in launched`, "allow"},
		{`claude files "/home/ann/work/a/b.pdf" in launched`, "allow"},
		{`claude files "/home/ann/work/../.ssh/id" in launched`, "ask"},
		{`claude files "../x" in launched`, "ask"},
		{`claude files "/home/ann/workshop/x" in launched`, "ask"},
		{`claude files "/etc/passwd" in launched`, "ask"},
		{`claude secret "shop" on https://a.example in launched`, "ask"},

		{"claude read on https://a.example", "allow"},
		{"claude act on https://a.example", "allow"},
		{"claude navigate on https://www.a.example from https://shop.a.example", "allow"},
		{"claude navigate on http://a.example from https://a.example", "ask"},
		{"claude navigate on https://b.example from https://a.example", "ask"},
		{"claude navigate on https://a.example", "ask"},
		{"claude navigate on null from null", "ask"},
		{`claude page_tool "buy" on https://a.example`, "ask"},
		{`claude page_tool "buy" on https://a.example in launched says destructive`, "allow"},
		{`claude page_tool "look" on https://a.example says readonly`, "ask"},
		{`claude script "1" on https://a.example`, "ask"},
		{`claude files "report.pdf"`, "ask"},
		{`claude secret "shop" on https://a.example`, "ask"},
		{"claude admin", "ask"},
	} {
		d := p.Decide(ask(t, tt.ask))
		if d.Verdict.String() != tt.want {
			t.Errorf("%s: %s by %s, want %s", tt.ask, d.Verdict, d.Rule, tt.want)
		}
		if !strings.HasPrefix(d.Rule, "built-in: ") {
			t.Errorf("%s: decided by %q", tt.ask, d.Rule)
		}
	}
	if d := p.Decide(Request{Action: "fly", Launched: true}); d.Verdict == Allow {
		t.Error("an action that does not exist is allowed")
	}
	noFolder := ask(t, `claude files "report.pdf" in launched`)
	noFolder.Folder = ""
	if d := p.Decide(noFolder); d.Verdict != Ask {
		t.Errorf("a relative path without a working folder: %s", d.Verdict)
	}
}

func TestRules(t *testing.T) {
	for _, tt := range []struct{ rules, ask, want string }{
		// the first match wins
		{"[{verdict: deny, action: act}, {verdict: allow}]", "claude act on https://a.example", "deny"},
		{"[{verdict: allow, action: act}, {verdict: deny}]", "claude act on https://a.example", "allow"},
		{"[{verdict: allow, action: act}, {verdict: deny}]", "claude read on https://a.example", "deny"},
		{"[{verdict: ask, action: [read, act]}]", "claude act on https://a.example in launched", "ask"},

		// client
		{"[{verdict: deny, client: claude}]", "claude read", "deny"},
		{"[{verdict: deny, client: claude}]", "codex read", "allow"},
		{"[{verdict: deny, client: [codex, claude]}]", "claude read", "deny"},
		{"[{verdict: deny, client: '*'}]", "claude read", "deny"},
		{"[{verdict: deny, client: claude}]", "Claude read", "allow"},

		// origin
		{"[{verdict: deny, origin: 'https://*.bank.example'}]", "claude act on https://eu.bank.example", "deny"},
		{"[{verdict: deny, origin: 'https://*.bank.example'}]", "claude act on https://a.eu.bank.example", "deny"},
		{"[{verdict: deny, origin: 'https://*.bank.example'}]", "claude act on https://bank.example", "deny"},
		{"[{verdict: deny, origin: 'https://*.bank.example'}]", "claude act on http://bank.example", "allow"},
		{"[{verdict: deny, origin: 'https://bank.example'}]", "claude act on https://eu.bank.example", "allow"},
		{"[{verdict: deny, origin: 'http://localhost:*'}]", "claude act on http://localhost:8080", "deny"},
		{"[{verdict: deny, origin: 'http://localhost:*'}]", "claude act on http://localhost", "deny"},
		{"[{verdict: deny, origin: 'http://localhost'}]", "claude act on http://localhost:8080", "allow"},
		{"[{verdict: allow, origin: 'https://*.shop.example'}, {verdict: deny}]", "claude act on https://eu.shop.example", "allow"},
		{"[{verdict: allow, origin: 'https://*.shop.example'}, {verdict: deny}]", "claude act on https://shop.example.evil", "deny"},
		{"[{verdict: deny, origin: ['https://a.example', 'https://b.example']}]", "claude act on https://b.example", "deny"},

		// documents without an origin: an allowing rule needs to say all, a
		// denying one follows them into the frames of its pages
		{"[{verdict: allow, origin: 'https://a.example'}, {verdict: deny}]", "claude act on null from https://a.example", "deny"},
		{"[{verdict: allow, origin: '*'}, {verdict: deny}]", "claude act on null from https://a.example", "allow"},
		{"[{verdict: deny, origin: 'https://a.example'}]", "claude act on null from https://a.example in launched", "deny"},
		{"[{verdict: deny, origin: 'https://a.example'}]", "claude act on null from https://b.example in launched", "allow"},
		{"[{verdict: deny, origin: 'https://a.example'}]", "claude navigate on null from https://a.example in launched", "allow"},

		// what narrows sees through other spellings
		{"[{verdict: deny, origin: 'https://bank.example'}]", "claude act on https://BANK.example", "deny"},
		{"[{verdict: deny, origin: 'https://bank.example'}]", "claude act on https://bank.example.", "deny"},
		{"[{verdict: deny, origin: 'https://bank.example'}]", "claude act on https://bank.example.:443", "deny"},
		{"[{verdict: deny, origin: 'https://bank.example'}]", "claude act on https://ann@bank.example:443/", "deny"},
		{"[{verdict: deny, origin: 'https://*.bank.example'}]", "claude act on https://a!b.bank.example", "deny"},
		{"[{verdict: deny, origin: 'https://*.bank.example'}]", "claude act on https://xn--0.bank.example", "deny"},
		{"[{verdict: deny, origin: 'https://*.bank.example'}]", "claude act on https://bank.example:", "deny"},
		{"[{verdict: deny, origin: 'https://*.bank.example'}]", "claude act on https://evilbank.example", "allow"},
		{"[{verdict: ask, origin: 'https://bücher.example'}]", "claude act on https://xn--bcher-kva.example", "ask"},

		// browser and tab
		{"[{verdict: deny, browser: launched}]", "claude read in launched", "deny"},
		{"[{verdict: deny, browser: launched}]", "claude read in chrome", "allow"},
		{"[{verdict: deny, browser: chrome}]", "claude read in chrome", "deny"},
		{"[{verdict: deny, browser: chrome}]", "claude read in firefox", "allow"},
		{"[{verdict: deny, tab: docs}]", "claude read tab docs", "deny"},
		{"[{verdict: deny, tab: docs}]", "claude read tab t3", "allow"},

		// until
		{"[{verdict: deny, until: 2026-05-01T12:00:01Z}]", "claude read", "deny"},
		{"[{verdict: deny, until: 2026-05-01T12:00:00Z}]", "claude read", "allow"},
		{"[{verdict: allow, action: admin, until: 2026-05-01T14:30:00+02:00}]", "claude admin", "allow"},
		{"[{verdict: allow, action: admin, until: 2026-04-30}]", "claude admin", "ask"},

		// subject
		{"[{verdict: allow, action: page_tool, subject: search}]", `claude page_tool "search" on https://a.example`, "allow"},
		{"[{verdict: allow, action: page_tool, subject: search}]", `claude page_tool "buy" on https://a.example`, "ask"},
		{"[{verdict: allow, action: page_tool, subject: search}]", `claude page_tool on https://a.example`, "ask"},
		{"[{verdict: allow, action: page_tool, subject: '*'}]", `claude page_tool "buy" on https://a.example`, "allow"},

		// what a page says of its tool only tightens, in browsers that are not launched
		{"[{verdict: allow, action: page_tool}]", `claude page_tool "buy" on https://a.example`, "allow"},
		{"[{verdict: allow, action: page_tool}]", `claude page_tool "buy" on https://a.example says destructive`, "ask"},
		{"[{verdict: allow, action: page_tool}]", `claude page_tool "buy" on https://a.example says consequential`, "ask"},
		{"[{verdict: allow, action: page_tool}]", `claude page_tool "buy" on https://a.example says readonly`, "allow"},
		{"[{verdict: allow}]", `claude page_tool "buy" on https://a.example says destructive`, "ask"},
		{"[{verdict: allow}]", `claude page_tool "buy" on https://a.example in launched says destructive`, "allow"},
		{"[{verdict: allow}]", `claude act on https://a.example says destructive`, "allow"},
		{"[{verdict: allow, action: page_tool, subject: buy}]", `claude page_tool "buy" on https://a.example says destructive`, "allow"},
		{"[{verdict: allow, action: page_tool, subject: sell}]", `claude page_tool "buy" on https://a.example says destructive`, "ask"},
		{"[{verdict: allow}, {verdict: allow, action: page_tool, subject: buy}]", `claude page_tool "buy" on https://a.example says destructive`, "allow"},
		{"[{verdict: allow}, {verdict: deny, action: page_tool, subject: buy}]", `claude page_tool "buy" on https://a.example says destructive`, "deny"},
		{"[{verdict: allow}, {verdict: deny}]", `claude page_tool "buy" on https://a.example says destructive`, "ask"},
		{"[{verdict: allow, action: page_tool, origin: 'https://a.example'}, {verdict: deny}]", `claude page_tool "buy" on https://b.example says destructive`, "deny"},
		{"[{verdict: deny, action: page_tool}]", `claude page_tool "look" on https://a.example says readonly`, "deny"},
		{"[{verdict: ask, action: page_tool}]", `claude page_tool "look" on https://a.example in launched says readonly`, "ask"},

		{"[{verdict: allow, action: script, subject: return 1}]", `claude script "return 1"`, "allow"},
		{"[{verdict: allow, action: script, subject: return 1}]", `claude script "return 12"`, "ask"},
		{"[{verdict: allow, action: script, subject: 'sha256:7C2E5B6DB5C8D0F1B9E0B5D9B4D09D23D8B8D0F7C1E6C8D6C6D5E0E0F8A0C8B1'}]", `claude script "return 1"`, "ask"},
		{"[{verdict: allow, action: files, subject: /srv/in}]", `claude files "/srv/in/a.txt"`, "allow"},
		{"[{verdict: allow, action: files, subject: /srv/in}]", `claude files "/srv/in"`, "allow"},
		{"[{verdict: allow, action: files, subject: /srv/in}]", `claude files "/srv/inner/a.txt"`, "ask"},
		{"[{verdict: allow, action: files, subject: /srv/in}]", `claude files "/srv/in/../b.txt"`, "ask"},
		{"[{verdict: allow, action: files, subject: /srv/in}]", `claude files "/srv/IN/a.txt"`, "ask"},
		{"[{verdict: allow, action: files, subject: out}]", `claude files "/home/ann/work/out/a.txt"`, "allow"},
		{"[{verdict: deny, action: files, subject: out}]", `claude files "Out/a.txt" in launched`, "deny"},
	} {
		p := policyOf(t, tt.rules)
		if d := p.Decide(ask(t, tt.ask)); d.Verdict.String() != tt.want {
			t.Errorf("%s\n%s: %s by %s, want %s", tt.rules, tt.ask, d.Verdict, d.Rule, tt.want)
		}
	}
}

func TestDecisionNamesItsRule(t *testing.T) {
	p := policyOf(t, `# mine
- verdict: deny
  client: claude
  action: [act, navigate]
  origin:
    - https://*.bank.example
    - http://localhost:*
  reason: money is mine
- verdict: allow
  action: page_tool
  subject: "add to cart"
  browser: launched
  tab: docs
  until: 2026-06-01T00:00:00Z
`, "script,,https://a.example", "page_tool,,https://c.example")
	for _, tt := range []struct{ ask, rule, reason string }{
		{"claude act on https://bank.example", "rules.yaml:2: deny act, navigate on https://*.bank.example, http://localhost:* for claude", "money is mine"},
		{`claude page_tool "add to cart" in launched tab docs`, `rules.yaml:9: allow page_tool "add to cart" in browser launched in tab docs until 2026-06-01T00:00:00Z`, ""},
		{"claude script on https://a.example", "--allow: allow script on https://a.example", ""},
		{`claude page_tool "buy" on https://c.example says destructive`, "built-in: ask a page tool that calls itself destructive or consequential, in your own browser, unless a rule names it", "--allow: allow page_tool on https://c.example does not"},
		{"claude script on https://b.example", "built-in: ask everything else in your own browser", ""},
	} {
		d := p.Decide(ask(t, tt.ask))
		if d.Rule != tt.rule || d.Reason != tt.reason {
			t.Errorf("%s:\n got %s (%s)\nwant %s (%s)", tt.ask, d.Rule, d.Reason, tt.rule, tt.reason)
		}
	}
}

func TestReadOnly(t *testing.T) {
	rules, err := ParseFile("rules.yaml", []byte("[{verdict: deny, action: read, origin: 'https://bank.example'}]"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{Rules: rules, Allow: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ ask, want string }{
		{"claude read on https://a.example", "allow"},
		{"claude read on https://bank.example", "deny"}, // it takes away, and gives nothing
		{"claude navigate on https://a.example in launched", "allow"},
		{"claude navigate on https://a.example from https://a.example", "deny"},
		{"claude act on https://a.example in launched", "deny"},
		{"claude script in launched", "deny"},
		{`claude files "a" in launched`, "deny"},
		{`claude page_tool "look" on https://a.example in launched says readonly`, "deny"},
		{"claude admin", "deny"},
	} {
		r := ask(t, tt.ask)
		r.ReadOnly = true
		d := p.Decide(r)
		if d.Verdict.String() != tt.want {
			t.Errorf("%s: %s by %s, want %s", tt.ask, d.Verdict, d.Rule, tt.want)
		}
		if d.Verdict == Deny && d.Rule == "--read-only" && !strings.Contains(d.Reason, "--read-only") {
			t.Errorf("%s: the reason is %q", tt.ask, d.Reason)
		}
	}
	for _, a := range Actions {
		if got, want := p.NeverAllowed("claude", true, a), a != Read && a != Navigate; got != want {
			t.Errorf("NeverAllowed %s is %v", a, got)
		}
	}
}

func TestNeverAllowed(t *testing.T) {
	for _, tt := range []struct {
		rules string
		a     Action
		want  bool
	}{
		{"", Script, false},
		{"[{verdict: deny, action: script}]", Script, true},
		{"[{verdict: deny, action: script}]", Act, false},
		{"[{verdict: deny}]", Act, true},
		{"[{verdict: deny, client: codex}]", Act, false},
		{"[{verdict: deny, client: claude}]", Act, true},
		{"[{verdict: deny, action: script, origin: 'https://a.example'}]", Script, false},
		{"[{verdict: deny, action: script, origin: '*'}]", Script, true},
		{"[{verdict: deny, action: script, until: 2030-01-01}]", Script, false},
		{"[{verdict: allow, action: script, origin: 'https://a.example'}, {verdict: deny}]", Script, false},
		{"[{verdict: allow, action: act, origin: 'https://a.example'}, {verdict: deny}]", Script, true},
		{"[{verdict: ask, action: script, browser: launched}, {verdict: deny}]", Script, false},
		{"[{verdict: deny, browser: launched}, {verdict: deny, action: script}]", Script, true},
	} {
		if got := policyOf(t, tt.rules, "*").NeverAllowed("claude", false, tt.a); got != tt.want {
			t.Errorf("%s: NeverAllowed %s is %v", tt.rules, tt.a, got)
		}
	}
}

func TestAllow(t *testing.T) {
	for _, tt := range []struct{ allow, ask, want string }{
		{"*", `claude secret "x" on https://a.example`, "allow"},
		{"*", "claude act on null", "allow"},
		{"script", "claude script on https://a.example", "allow"},
		{"script", "claude admin", "ask"},
		{"page_tool,buy", `claude page_tool "buy" on https://a.example`, "allow"},
		{"page_tool,buy", `claude page_tool "sell" on https://a.example`, "ask"},
		{"page_tool,buy,https://a.example", `claude page_tool "buy" on https://a.example`, "allow"},
		{"page_tool,buy,https://a.example", `claude page_tool "buy" on https://b.example`, "ask"},
		{"page_tool,*,https://a.example", `claude page_tool "sell" on https://a.example`, "allow"},
		{"page_tool,*,https://a.example", `claude page_tool "sell" on https://a.example says consequential`, "ask"},
		{"*", `claude page_tool "sell" on https://a.example says consequential`, "ask"},
		{"page_tool,sell,https://a.example", `claude page_tool "sell" on https://a.example says consequential`, "allow"},
		{"page_tool,,https://*.a.example", `claude page_tool "sell" on https://eu.a.example`, "allow"},
		{"page_tool,a,b", `claude page_tool "a,b" on https://a.example`, "allow"},
		{"page_tool,a,b,", `claude page_tool "a,b" on https://a.example`, "allow"},
		{"*,,https://a.example", "claude admin on https://a.example", "allow"},
		{"*,,https://a.example", "claude admin on https://b.example", "ask"},
		{"navigate,,https://b.example", "claude navigate on https://b.example from https://a.example", "allow"},
		{"files,/srv", `claude files "/srv/a"`, "allow"},
	} {
		p := policyOf(t, "[{verdict: deny, origin: 'https://bank.example'}]", tt.allow)
		if d := p.Decide(ask(t, tt.ask)); d.Verdict.String() != tt.want {
			t.Errorf("--allow %s\n%s: %s by %s, want %s", tt.allow, tt.ask, d.Verdict, d.Rule, tt.want)
		}
		if d := p.Decide(ask(t, "claude act on https://bank.example")); d.Verdict != Deny {
			t.Errorf("--allow %s is stronger than the file", tt.allow)
		}
	}
}

func TestAllowFaults(t *testing.T) {
	for _, tt := range []struct{ allow, want string }{
		{"", `--allow "": "" is not an action; there are read, act, `},
		{"fly", `--allow "fly": "fly" is not an action`},
		{"act,x", "act has no subject; page_tool, script, files and secret have one"},
		{"*,x", "a subject needs an action"},
		{"act,,a.example", "act has no subject"},
		{"act,https://a.example", "an origin is the third part: act,,https://a.example"},
		{"act,,https://a.example/x", "it ends before the path"},
		{"script,sha256:12", "is not a SHA-256"},
	} {
		_, err := New(Options{Allow: []string{tt.allow}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("--allow %s: error %v, want %s", tt.allow, err, tt.want)
		}
	}
}

func TestAllowFlag(t *testing.T) {
	for _, tt := range []struct{ ask, flag, rule string }{
		{"claude act on https://a.example", "--allow act,,https://a.example", `- {verdict: allow, action: act, origin: "https://a.example"}`},
		{"claude act on null", "--allow act", "- {verdict: allow, action: act}"},
		{`claude script "alert(1)" on https://a.example`, "--allow script,,https://a.example", `- {verdict: allow, action: script, origin: "https://a.example"}`},
		{`claude page_tool "add to cart" on https://a.example:8443`, "--allow 'page_tool,add to cart,https://a.example:8443'", `- {verdict: allow, action: page_tool, subject: "add to cart", origin: "https://a.example:8443"}`},
		{`claude files "/srv/a,b"`, "--allow files,/srv/a,b,", `- {verdict: allow, action: files, subject: "/srv/a,b"}`},
	} {
		r := ask(t, tt.ask)
		if got := r.AllowFlag(); got != tt.flag {
			t.Errorf("%s: flag %s, want %s", tt.ask, got, tt.flag)
		}
		if got := r.AllowRule(); got != tt.rule {
			t.Errorf("%s: rule %s, want %s", tt.ask, got, tt.rule)
		}
		if d := policyOf(t, r.AllowRule()).Decide(r); d.Verdict != Allow {
			t.Errorf("%s: its rule answers %s", tt.ask, d.Verdict)
		}
	}
}

// FuzzAllowFlag: the flag and the rule that a refusal names do allow the call.
func FuzzAllowFlag(f *testing.F) {
	for _, s := range []string{"", "search", "a,b", "a,https://b.example", "it's", "*", "~/x", "sha256:00", "a,", ",", "\n", "é"} {
		f.Add(s, "https://a.example")
		f.Add(s, "null")
	}
	f.Fuzz(func(t *testing.T, subject, origin string) {
		if at := placeOf(browser.Origin(origin)); at.scheme != "" && !at.strict {
			return // no browser writes an origin so, and no rule may allow it
		}
		for _, a := range Actions {
			r := Request{Client: "c", Action: a, Subject: subject, Origin: browser.Origin(origin), Folder: "/w", Now: noon}
			flag, ok := unquote(strings.TrimPrefix(r.AllowFlag(), "--allow "))
			if !ok {
				t.Fatalf("not one word of a shell: %s", r.AllowFlag())
			}
			p, err := New(Options{Allow: []string{flag}})
			if err != nil {
				continue // a subject that no rule can name
			}
			if d := p.Decide(r); d.Verdict != Allow {
				t.Errorf("%s answers %s to %+v", r.AllowFlag(), d.Verdict, r)
			}
		}
	})
}

// unquote reads one word as a shell does.
func unquote(s string) (string, bool) {
	if !strings.HasPrefix(s, "'") {
		return s, !strings.ContainsAny(s, " '\"\\$`*?[]{}~\n;&|<>()#!")
	}
	s, ok := strings.CutSuffix(s[1:], "'")
	return strings.ReplaceAll(s, `'\''`, "'"), ok && !strings.Contains(strings.ReplaceAll(s, `'\''`, ""), "'")
}

func TestDecideDoesNotDependOnTime(t *testing.T) {
	p := policyOf(t, "[{verdict: deny, action: act, until: 2026-06-01}, {verdict: allow, action: admin, until: 2026-06-01}]")
	r := ask(t, "claude act")
	r.Now = time.Time{}
	if d := p.Decide(r); d.Verdict != Deny {
		t.Errorf("a limited denial at an unknown time: %s", d.Verdict)
	}
	r.Action = Admin
	if d := p.Decide(r); d.Verdict != Ask {
		t.Errorf("a limited permission at an unknown time: %s", d.Verdict)
	}
}
