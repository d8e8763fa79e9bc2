package broker

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

func TestRules(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules []policy.Rule
		call  string
		want  string // begins the reply
	}{
		{"no rule", nil, `click`, "t1 · doc 1 · Shop · https://shop.example/\nclicked"},
		{"denied", []policy.Rule{deny("https://shop.example", policy.Act)}, `click`,
			"denied: act on https://shop.example is denied (rules.yaml:1: deny act on https://shop.example); do not look for a way around it; the user can change the rule"},
		{"with a reason", []policy.Rule{{Verdict: policy.Deny, Reason: "not on Sundays", Source: "r:1"}}, `click`,
			"denied: act is denied (r:1: deny everything): not on Sundays;"},
		{"asked", []policy.Rule{{Verdict: policy.Ask, Source: "r:1"}}, `click`,
			"denied: act on https://shop.example needs the user's consent (r:1: ask everything); the user can give it with --allow act,,https://shop.example, or in the rules file: - {verdict: allow, action: act"},
		{"another action", []policy.Rule{deny("https://shop.example", policy.Act)}, `look`, "t1 · doc 1 · Shop · https://shop.example/\nseen"},
		{"the frame acted in", []policy.Rule{deny("https://card.example", policy.Act)}, `click {"ref":"f2:e5"}`, "denied: act on https://card.example"},
		{"not the frame", []policy.Rule{deny("https://shop.example", policy.Act)}, `click {"ref":"f2:e5"}`, "t1"},
		{"an unknown frame counts as the tab's", []policy.Rule{deny("https://shop.example", policy.Act)}, `click {"ref":"f9:e5"}`, "denied: act on https://shop.example"},
		{"the destination", []policy.Rule{deny("https://bank.example", policy.Navigate)}, `go {"url":"https://bank.example/x"}`, "denied: navigate on https://bank.example"},
		{"the destination in another form", []policy.Rule{deny("https://bank.example", policy.Navigate)}, `go {"url":"BANK.example:443/x"}`, "denied: navigate on https://bank.example"},
		{"not the page before", []policy.Rule{deny("https://shop.example", policy.Navigate)}, `go {"url":"https://bank.example/x"}`, "t1 · doc 2"},
		{"the browser", []policy.Rule{{Verdict: policy.Deny, Browsers: []string{"work"}}}, `click`, "t1"},
		{"the client", []policy.Rule{{Verdict: policy.Deny, Clients: []string{"claude"}, Source: "r:1"}}, `list`, "denied: read is denied (r:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(new(browser.IDs))
				f.add(browser.Tab{URL: shop, Title: "Shop", Frames: []browser.Frame{
					{Origin: "https://shop.example"}, {ID: "f2", Origin: "https://card.example"}}})
				r := start(t, f, Options{Policy: rules(tt.rules...)})
				got := r.call(r.open("claude"), tt.call)
				if !strings.HasPrefix(got, tt.want) {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
				if strings.HasPrefix(got, "denied") != (r.f.did() == "") {
					t.Errorf("%s, and what reached the browser disagrees", got)
				}
			})
		})
	}
}

func TestWhereAnOpMayWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newFake(new(browser.IDs), shop), Options{Policy: rules(deny("https://card.example", policy.Act), deny("https://bank.example", policy.Read))})
		s := r.open("claude")
		var got []string
		r.f.on(func(_ context.Context, to browser.Target, op browser.Op, _ any) error {
			for _, o := range []browser.Origin{"https://shop.example", "https://card.example", "https://bank.example"} {
				if to.Origins.Has(o) {
					got = append(got, op.OpName()+" "+string(o))
				}
			}
			return nil
		})
		for _, call := range []string{`click`, `look`, `go {"url":"https://x.example"}`} {
			r.call(s, call)
		}
		r.want(strings.Join(got, "\n"), "click https://shop.example\nclick https://bank.example\n"+
			"snapshot https://shop.example\nsnapshot https://card.example\n"+
			"navigate https://shop.example\nnavigate https://card.example")
	})
}

func TestAnActThatLeadsToWhereTheClientMayNotRead(t *testing.T) {
	const withheld = "t1 · doc 2 · https://bank.example\nwhat is there is withheld: read on https://bank.example is denied " +
		"(rules.yaml:1: deny read on https://bank.example); do not look for a way around it; the user can change the rule"
	for _, tt := range []struct{ call, want string }{
		{`click`, withheld},
		{`run`, withheld},
		{`look`, withheld},
		{`go {"url":"https://bank.example/account"}`, withheld},
		{`open {"url":"https://bank.example/account"}`, strings.Replace(withheld, "t1", "t2", 1)},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, newFake(new(browser.IDs), shop), Options{Policy: rules(deny("https://bank.example", policy.Read))})
			r.content = tool.Content{Images: []tool.Image{{MIME: "image/png", Data: []byte("secret")}}, Since: browser.Since{Added: 3}}
			s := r.b.Open(Client{Name: "claude", Structured: true}, r.tools())
			r.f.on(func(_ context.Context, to browser.Target, op browser.Op, result any) error {
				if _, ok := op.(browser.OpenTab); ok {
					*result.(*browser.Tab) = r.f.add(browser.Tab{URL: "about:blank"})
					return nil
				}
				r.f.change(to.Tab, func(t *browser.Tab) {
					t.URL, t.Title, t.Doc = bank+"account?secret", "secret", 2
					t.Dialog = &browser.Dialog{Kind: browser.DialogAlert, Message: "secret"}
				})
				return nil
			})
			name, args, _ := strings.Cut(tt.call, " ")
			out, err := s.Call(t.Context(), Request{Name: name, Args: []byte(args)})
			if err != nil {
				t.Fatal(err)
			}
			r.want(out.Text, tt.want)
			if out.Images != nil || strings.Contains(string(out.Structured), "secret") || strings.Contains(string(out.Structured), "result") {
				t.Errorf("%s: it leaks: %v %s", tt.call, out.Images, out.Structured)
			}
			// Nor do lists and errors tell what is there.
			r.f.change("t1", func(t *browser.Tab) { t.URL, t.Title = bank+"secret", "secret" })
			r.f.add(browser.Tab{URL: shop})
			for _, call := range []string{`list`, `look {"tab":"t99"}`} {
				if got := r.call(s, call); strings.Contains(got, "secret") || !strings.Contains(got, "t1 · doc") {
					t.Errorf("%s: %s", call, got)
				}
			}
		})
	}
}

func TestCodeAnswersWhereItMayRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newFake(new(browser.IDs), bank+"x"), Options{Policy: rules(deny("https://bank.example", policy.Read))})
		s := r.open("claude")
		r.want(r.call(s, `run`), "t1 · doc 1 · https://bank.example\nran")
		r.wantHas(r.call(s, `click`), "what is there is withheld")
		r.wantHas(r.call(s, `look`), "denied: ")
	})
}

func TestReadOnlySessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := new(browser.IDs)
		launched, work := newFake(ids, shop), newFake(ids, shop)
		work.info = browser.Info{Name: "work", Way: "attached", Caps: browser.AllCaps}
		r := start(t, launched, Options{})
		r.b.Attach(work)
		synctest.Wait()
		s := r.b.Open(Client{Name: "claude", ReadOnly: true}, r.tools())
		r.wantHas(r.call(s, `look {"tab":"t1"}`), "seen")
		r.wantHas(r.call(s, `go {"tab":"t1","url":"https://x.example"}`), "went")
		r.wantHas(r.call(s, `go {"tab":"t2","url":"https://x.example"}`), "denied: ")
		r.wantHas(r.call(s, `click {"tab":"t1"}`), "denied: act is denied (--read-only): drawbridge runs with --read-only for this client, which only the user can change")
		r.want(names(s.Tools()), "look go reload open close list")
		r.want(names(r.open("claude").Tools()), "look click dialog run go reload open file close choose list")
	})
}

func TestToolsThatRulesDenyAreNotListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newFake(new(browser.IDs)), Options{Policy: rules(
			policy.Rule{Verdict: policy.Deny, Actions: []policy.Action{policy.Script}},
			deny("https://bank.example", policy.Act))})
		r.want(names(r.open("claude").Tools()), "look click dialog go reload open file close choose list")
	})
}

func names(tools []tool.Tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Spec.Name)
	}
	return strings.Join(out, " ")
}

func TestHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newFake(new(browser.IDs), shop), Options{Policy: rules(deny("https://bank.example", policy.Act))})
		r.content = tool.Content{Images: []tool.Image{{Data: make([]byte, 1000)}}}
		s := r.open("claude")
		for _, call := range []string{
			`click {"secret":"hunter2"}`,
			`click {"ref":1,"secrte":"hunter2"}`,
			`nothing {"x":"hunter2"}`,
			`look {"tab":"t9"}`,
			`list`,
			`open {"url":"https://bank.example/"}`,
			`click {"tab":"t2"}`,
		} {
			r.call(s, call)
		}
		page, err := r.b.History().Find(t.Context(), history.Query{Client: "claude"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range slices.Backward(page.Entries) {
			if e.Session != s.id || e.Time.IsZero() || (e.Code == "") != (e.Error == "") || (e.Code == "" && e.Bytes < 1000) {
				t.Errorf("%+v", e)
			}
			got = append(got, strings.Join([]string{e.Tool, string(e.Action), string(e.Tab), string(e.Origin), e.Args, string(e.Code), e.Rule}, " | "))
		}
		r.want(strings.Join(got, "\n"), strings.Join([]string{
			`click | act | t1 | https://shop.example | {"secret":"(7 characters)"} |  | `,
			`click | act |  |  | {"ref":1,"secrte":"(7 characters)"} | invalid_arguments | `,
			`nothing |  |  |  |  | not_supported | `,
			`look | read |  |  | {"tab":"t9"} | unknown_tab | `,
			`list | read |  |  |  |  | `,
			`open | navigate | t2 |  | {"url":"https://bank.example/"} |  | `,
			`click | act | t2 | https://bank.example | {"tab":"t2"} | denied | rules.yaml:1: deny act on https://bank.example`,
		}, "\n"))
	})
}
