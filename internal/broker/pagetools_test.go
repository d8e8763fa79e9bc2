package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

const shopOrigin, cardOrigin = browser.Origin("https://shop.example"), browser.Origin("https://card.example")

type pageCallArgs struct {
	Name      string                     `json:"name" doc:"name"`
	Frame     string                     `json:"frame,omitempty" doc:"frame"`
	Arguments map[string]json.RawMessage `json:"arguments,omitempty" doc:"arguments"`
	tool.TabArgs
}

func (a pageCallArgs) PageTool() (name, frame string) { return a.Name, a.Frame }

// pageTools are tools about page tools beside those of every test.
func (r *rig) pageTools() []tool.Tool {
	return append(r.tools(),
		tool.New(spec("call_page_tool", browser.Destroys, policy.PageTool), func(ctx context.Context, c *tool.Call, in pageCallArgs) (answer, error) {
			t := c.PageTool()
			args, _ := json.Marshal(in.Arguments)
			return r.say(fmt.Sprintf("called %s of %s in %q with %s", t.Name, t.Origin, t.Frame, args)),
				c.Do(ctx, browser.CallPageTool{Frame: t.Frame, Name: t.Name, Origin: t.Origin}, nil)
		}),
		tool.New(spec("list_page_tools", browser.Reads, policy.Read), func(ctx context.Context, c *tool.Call, in onTab) (answer, error) {
			tools, known := c.PageTools(c.Tab().ID)
			var out []string
			for _, t := range tools {
				out = append(out, string(t.Frame)+":"+t.Name)
			}
			return r.say(fmt.Sprint(known, out)), nil
		}))
}

func (r *rig) openWith(o PageTools) *Session {
	return r.b.Open(Client{Name: "claude", PageTools: o}, r.pageTools())
}

// tools makes page tools of "name" or "frame:name".
func tools(origin browser.Origin, names ...string) []browser.PageTool {
	var out []browser.PageTool
	for _, n := range names {
		frame, name, in := strings.Cut(n, ":")
		if !in {
			frame, name = "", n
		}
		out = append(out, browser.PageTool{Name: name, Frame: browser.FrameID(frame), Origin: origin, Description: "does " + name, Kind: browser.ToolOfScript})
	}
	return out
}

func keys(names ...string) []browser.PageToolKey {
	var out []browser.PageToolKey
	for _, t := range tools("", names...) {
		out = append(out, t.Key())
	}
	return out
}

// offer tells of page tools that came, and those that went.
func (r *rig) offer(id browser.TabID, added []browser.PageTool, removed ...string) {
	r.f.emit(browser.PageToolsChanged{Tab: id, Known: true, Added: added, Removed: keys(removed...)})
}

// listed are the names of the session's list, in its order.
func listed(s *Session) string {
	var out []string
	for _, l := range s.PageTools().Tools {
		out = append(out, l.Name)
	}
	return strings.Join(out, " ")
}

func TestRepliesTellOfPageTools(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s, other := r.openWith(PageTools{}), r.openWith(PageTools{})
		look := func(want string) {
			t.Helper()
			head, said, _ := strings.Cut(r.call(s, `look {"tab":"t1"}`), "\n")
			if !strings.HasPrefix(head, "t1 · doc") {
				t.Errorf("got %s", head)
			}
			r.want(strings.TrimSuffix(strings.TrimSuffix(said, "seen"), "\n"), want)
		}
		look("")
		r.offer("t1", nil)
		look("")
		r.offer("t1", tools(shopOrigin, "search", "add_to_cart"))
		look("page tools: 2 (new: add_to_cart, search)")
		look("page tools: 2")
		r.offer("t1", tools(shopOrigin, "pay")) // while nothing is said …
		r.offer("t1", tools(shopOrigin, "refund"), "search")
		look("page tools: 3 (new: pay, refund)") // … it is told at the next reply
		r.offer("t1", tools(shopOrigin, "search"))
		look("page tools: 4 (new: search)") // it was away, and that was seen
		changed := tools(shopOrigin, "search")
		changed[0].Description = "another"
		r.offer("t1", changed)
		look("page tools: 4")
		r.offer("t1", nil, "search", "add_to_cart", "pay", "refund")
		look("")
		r.offer("t1", tools(cardOrigin, "pay"))
		r.want(r.call(other, `look {"tab":"t1"}`), "t1 · doc 1 · https://shop.example/\npage tools: 1 (new: pay)\nseen")
		r.want(r.call(s, `look {"tab":"t2"}`), "t2 · doc 1 · https://bank.example/\nseen")
		r.f.emit(browser.PageToolsChanged{Tab: "t1"})
		look("")
		r.offer("t1", tools(shopOrigin, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"))
		look("page tools: 10 (new: a, b, c, d, e, f, g, h, … 2 more)")
		r.offer("t1", tools(shopOrigin, "bad \u202e\nname\"", strings.Repeat("x", 100)))
		look(`page tools: 12 (new: "bad name\"", ` + strings.Repeat("x", 63) + `…)`)
		r.offer("t1", tools(shopOrigin, "z"))
		r.want(r.call(s, `list_page_tools {"tab":"t1"}`)[:len("t1 · doc 1 · https://shop.example/\npage tools: 13\ntrue")], "t1 · doc 1 · https://shop.example/\npage tools: 13\ntrue")
		look("page tools: 13") // the list told of it
		r.offer("t1", tools(shopOrigin, "y"))
		r.wantHas(r.call(s, `call_page_tool {"name":"nope","tab":"t1"}`), "offers no page tool nope")
		look("page tools: 14 (new: y)") // an error tells of none
	}, shop, bank)
}

func TestPageToolsThatAClientIsNotOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(new(browser.IDs))
		f.add(browser.Tab{URL: shop, Frames: []browser.Frame{{Origin: shopOrigin}, {ID: "f2", Origin: cardOrigin}, {ID: "f1", Origin: shopOrigin}}})
		r := start(t, f, Options{Policy: rules(deny(string(cardOrigin), policy.Read), policy.Rule{Verdict: policy.Deny, Actions: []policy.Action{policy.PageTool}, Subjects: []string{"wipe"}})})
		form := tools(shopOrigin, "form")
		form[0].Kind = browser.ToolOfForm
		r.offer("t1", slices.Concat(tools(shopOrigin, "f1:search", "wipe", "search"), form, tools(cardOrigin, "f2:pay")))

		s := r.openWith(PageTools{})
		r.want(r.call(s, "list_page_tools"), "t1 · doc 1 · https://shop.example/\npage tools: 4\ntrue [:form :search :wipe f1:search]")
		r.want(r.call(s, `call_page_tool {"name":"pay"}`), "invalid_arguments: t1 offers no page tool pay; list_page_tools shows all 4")
		r.wantHas(r.call(s, `call_page_tool {"name":"wipe"}`), "denied: page_tool on https://shop.example is denied")
		if got := listed(s); !strings.HasPrefix(got, "page_form page_search page_search_") {
			t.Errorf("listed: %s", got)
		}
		s = r.openWith(PageTools{NoForms: true})
		r.want(r.call(s, "list_page_tools"), "t1 · doc 1 · https://shop.example/\npage tools: 3\ntrue [:search :wipe f1:search]")
		r.wantHas(r.call(s, `call_page_tool {"name":"form"}`), "offers no page tool form")
		if got := listed(r.openWith(PageTools{NoList: true})); got != "" {
			t.Errorf("listed although the client does not want that: %s", got)
		}
		if got := listed(r.open("claude")); got != "" {
			t.Errorf("listed though nothing calls them: %s", got)
		}

		// Nothing at all where it may not be read, or not be called.
		s = r.b.Open(Client{Name: "claude", ReadOnly: true}, r.pageTools())
		r.want(r.call(s, `look`), "t1 · doc 1 · https://shop.example/\nseen")
		r.wantHas(r.call(s, `call_page_tool {"name":"search"}`), "denied: page_tool is denied (--read-only)")
		if got := listed(s); got != "" {
			t.Errorf("a client that may only read is offered %s", got)
		}
		r.f.change("t1", func(t *browser.Tab) { t.Frames = []browser.Frame{{Origin: cardOrigin}} })
		if got := listed(r.openWith(PageTools{})); got != "" {
			t.Errorf("listed where the client may not read: %s", got)
		}
	})
}

func TestTheRulesAreAskedAboutThePageTool(t *testing.T) {
	grave := true
	for _, tt := range []struct {
		way   string
		rules []policy.Rule
		call  string
		want  string
	}{
		{"launched", nil, `call_page_tool {"name":"pay"}`, "called pay of https://card.example"},
		{"attached", nil, `call_page_tool {"name":"search"}`, "denied: page_tool on https://shop.example needs the user's consent (built-in: ask everything else in your own browser); " +
			"the user can give it with --allow page_tool,search,https://shop.example, or in the rules file: - {verdict: allow, action: page_tool, subject: \"search\", origin: \"https://shop.example\"}"},
		{"attached", []policy.Rule{allow("", policy.PageTool)}, `call_page_tool {"name":"search"}`, "called search"},
		{"attached", []policy.Rule{allow("", policy.PageTool)}, `call_page_tool {"name":"pay"}`, "denied: page_tool on https://card.example needs the user's consent (built-in: ask a page tool that calls itself destructive"},
		{"attached", []policy.Rule{allow("pay", policy.PageTool)}, `call_page_tool {"name":"pay"}`, "called pay"},
		{"attached", []policy.Rule{allow("", policy.PageTool)}, `page_pay`, "denied: page_tool on https://card.example needs the user's consent"},
		{"attached", []policy.Rule{allow("pay", policy.PageTool)}, `page_pay`, "called pay"},
		{"launched", []policy.Rule{deny(string(cardOrigin), policy.PageTool)}, `call_page_tool {"name":"pay"}`, "denied: page_tool on https://card.example is denied"},
		{"launched", []policy.Rule{deny(string(shopOrigin), policy.PageTool)}, `call_page_tool {"name":"pay"}`, "called pay"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(new(browser.IDs))
			f.info.Way, f.info.Launched = tt.way, tt.way == "launched"
			f.add(browser.Tab{URL: shop, Frames: []browser.Frame{{Origin: shopOrigin}, {ID: "f2", Origin: cardOrigin}}})
			r := start(t, f, Options{Policy: rules(tt.rules...)})
			pay := tools(cardOrigin, "f2:pay")
			pay[0].Hints.Destructive = &grave
			r.offer("t1", append(tools(shopOrigin, "search"), pay...))
			got := r.call(r.openWith(PageTools{}), tt.call)
			if !strings.Contains("\n"+got, "\n"+tt.want) {
				t.Errorf("%s %v %s: got\n%s\nwant\n%s", tt.way, tt.rules, tt.call, got, tt.want)
			}
			if strings.HasPrefix(got, "denied") != (r.f.did() == "") {
				t.Errorf("%s, and what reached the browser disagrees", got)
			}
		})
	}
}

func allow(subject string, a policy.Action) policy.Rule {
	r := policy.Rule{Verdict: policy.Allow, Actions: []policy.Action{a}, Source: "rules.yaml:1"}
	if subject != "" {
		r.Subjects = []string{subject}
	}
	return r
}

func TestListedPageToolsMeanOneThing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{})
		use := func(tab string) { t.Helper(); r.call(s, `choose {"tab":"`+tab+`"}`); r.f.did() }
		names := map[string]string{} // what each name was first called to
		check := func(name, want string) {
			t.Helper()
			_, got, _ := strings.Cut(r.call(s, name+` {"x":1}`), "called ")
			if got != want {
				t.Errorf("%s: called %s, want %s", name, got, want)
			}
			if was, ok := names[name]; ok && was != got {
				t.Errorf("%s came to mean %s, and meant %s", name, got, was)
			}
			names[name] = got
		}
		if got := listed(s); got != "" {
			t.Errorf("without a current tab there are %s", got)
		}
		r.offer("t1", tools(shopOrigin, "search", "a.b", "look"))
		r.offer("t2", tools("https://bank.example", "search"))
		use("t1")
		r.want(listed(s), "page_a_b_"+listed(s)[len("page_a_b_"):][:8]+" page_look page_search")
		check("page_search", `search of https://shop.example in "" with {"x":1}`)
		check(strings.Fields(listed(s))[0], `a.b of https://shop.example in "" with {"x":1}`)
		use("t2")
		alias := listed(s)
		if !regexp.MustCompile(`^page_search_[0-9a-f]{8}$`).MatchString(alias) {
			t.Errorf("a namesake of another tab is listed as %q", alias)
		}
		check(alias, `search of https://bank.example in "" with {"x":1}`)
		check("page_search", `search of https://shop.example in "" with {"x":1}`) // in the tab that it was listed for

		// Another origin in the tab, and back.
		use("t1")
		r.f.goTo("t1", "https://evil.example/", "")
		r.offer("t1", tools("https://evil.example", "search"), "search", "a.b", "look")
		const changed = "stale_document: the list of tools changed: t1 offers no tool search of https://shop.example any more; nothing was called; list the tools again; call_page_tool calls one by the page's name of it"
		r.want(r.call(s, "page_search"), changed)
		evil := listed(s)
		if evil == "page_search" || evil == alias {
			t.Errorf("another origin's tool is listed as %q", evil)
		}
		check(evil, `search of https://evil.example in "" with {"x":1}`)
		r.f.goTo("t1", shop, "")
		r.offer("t1", tools(shopOrigin, "search"), "search")
		r.want(listed(s), "page_search")
		check("page_search", `search of https://shop.example in "" with {"x":1}`)
		if got := r.call(s, evil); !strings.HasPrefix(got, "stale_document: the list of tools changed") {
			t.Errorf("got %s", got)
		}
		// Its own words do too, and by the other tool.
		r.wantHas(r.call(s, `call_page_tool {"name":"page_search","tab":"t1"}`), "called search of https://shop.example")

		// The tab goes.
		r.f.close("t1")
		r.want(r.call(s, "page_search"), changed)
		r.want(listed(s), "")
		r.wantHas(r.call(s, "page_nothing"), "not_supported: there is no tool")
		if s.HasPageTool("page_nothing") || !s.HasPageTool("page_search") || s.HasPageTool("look") {
			t.Error("HasPageTool is wrong")
		}
	}, shop, bank)
}

func TestTwentyTabsWithTheSameTools(t *testing.T) {
	urls := make([]string, 20)
	for i := range urls {
		urls[i] = shop
	}
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{})
		names := map[string]browser.TabID{}
		for round := range 2 {
			for i := range urls {
				id := browser.TabID(fmt.Sprint("t", i+1))
				r.offer(id, tools(shopOrigin, "search"), "search")
				r.call(s, fmt.Sprintf(`choose {"tab":%q}`, id))
				name := listed(s)
				if was, known := names[name]; known != (round > 0) || known && was != id {
					t.Errorf("round %d: %s is listed as %q, which was of %s", round, id, name, was)
				}
				names[name] = id
			}
		}
		for name, id := range names {
			r.wantHas(r.call(s, name), string(id)+" · doc 1", "called search")
		}
	}, urls...)
}

// A name that was never listed here means what it would be listed as.
func TestPageToolsCalledBeforeTheyAreListed(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{})
		r.offer("t1", tools(shopOrigin, "search"))
		if !s.HasPageTool("page_search") {
			t.Error("it is not known")
		}
		r.wantHas(r.call(s, "page_search"), `called search of https://shop.example in "" with null`)
		r.wantHas(r.call(s, "page_search [1]"), "invalid_arguments: ")
		r.wantHas(r.call(s, `page_search {"x":`), "invalid_arguments: ")
	}, shop)
}

func TestPageToolsOfFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(new(browser.IDs))
		f.add(browser.Tab{URL: shop, Frames: []browser.Frame{{Origin: shopOrigin}, {ID: "f3", Origin: shopOrigin}, {ID: "f2", Origin: shopOrigin}, {ID: "f4", Origin: browser.OpaqueOrigin}}})
		r := start(t, f, Options{})
		s := r.openWith(PageTools{})
		r.offer("t1", tools(shopOrigin, "search", "f2:search"))
		one := strings.Fields(listed(s))
		if len(one) != 2 || one[0] != "page_search" {
			t.Fatalf("listed %v", one)
		}
		r.wantHas(r.call(s, one[1]), `called search of https://shop.example in "f2"`)
		if got, want := string(s.PageTools().Tools[1].JSON), `{"name":"`+one[1]+`","description":"Offered by https://shop.example in a frame as \"search\". It says: does search",`+
			`"inputSchema":{"type":"object","properties":{}},"_meta":{"drawbridge":{"name":"search","tab":"t1","origin":"https://shop.example","untrusted":true}}}`; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		// Another frame offers it too: the name of the only one means none of them.
		r.offer("t1", tools(shopOrigin, "f3:search"))
		r.wantHas(r.call(s, one[1]), "the list of tools changed")
		two := strings.Fields(listed(s))
		if len(two) != 3 || slices.Contains(two, one[1]) || two[1] == two[2] {
			t.Fatalf("listed %v", two)
		}
		r.wantHas(r.call(s, two[1]), `in "f3"`)
		r.wantHas(r.call(s, two[2]), `in "f2"`)
		r.want(r.call(s, `call_page_tool {"name":"search","frame":"f3"}`), "t1 · doc 1 · https://shop.example/\npage tools: 3\ncalled search of https://shop.example in \"f3\" with null")
		// The frame's document is another one by now, with a number of its own.
		r.offer("t1", nil, "f3:search")
		r.wantHas(r.call(s, one[1]), `in "f2"`)
		r.offer("t1", tools(shopOrigin, "f7:search"), "f2:search")
		r.wantHas(r.call(s, one[1]), `in "f7"`)

		// Documents without an origin of their own have no lasting names.
		r.offer("t1", tools(browser.OpaqueOrigin, "f4:pay"))
		r.wantHas(listed(s), "page_pay")
		r.wantHas(r.call(s, "page_pay"), `called pay of null in "f4"`)
		r.f.goTo("t1", shop, "")
		r.wantHas(r.call(s, "page_pay"), "the list of tools changed")
		r.wantHas(r.call(s, `call_page_tool {"name":"nope"}`), "offers no page tool nope")
		r.offer("t1", tools(shopOrigin, "f8:pay"))
		r.wantHas(r.call(s, `call_page_tool {"name":"pay"}`), "several frames offer a page tool pay; give frame, one of f4, f8")
	})
}

func TestNamesAreNoneOfOurTools(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		own := r.pageTools()
		for _, t := range own {
			if t.Spec.Name == "look" { // a tool of ours, by the name that a page's would have
				t.Spec.Name = "page_look"
				own = append(own, t)
			}
		}
		s := r.b.Open(Client{Name: "claude"}, own)
		r.offer("t1", tools(shopOrigin, "look", "search"))
		got := strings.Fields(listed(s))
		if len(got) != 2 || got[0] == "page_look" || !strings.HasPrefix(got[0], "page_look_") || got[1] != "page_search" {
			t.Errorf("listed %v", got)
		}
		r.wantHas(r.call(s, "page_look"), "\nseen")
		r.wantHas(r.call(s, got[0]), "called look of")
	}, shop)
}

func TestTheListIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{})
		var many []browser.PageTool
		for i := range 1000 {
			x := tools(shopOrigin, fmt.Sprintf("tool%04d", i))[0]
			x.Schema = json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)
			if i == 3 { // too large for the whole list
				x.Description = strings.Repeat("Ü<", 5000)
				x.Schema = json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","enum":["` + strings.Repeat("abcdefgh", 1000) + `"]}}}`)
			}
			many = append(many, x)
		}
		slices.Reverse(many)
		r.offer("t1", many)
		list := s.PageTools()
		total := 0
		for i, l := range list.Tools {
			total += len(l.JSON) + 1
			if again, err := json.Marshal(l); err != nil || string(again) != string(l.JSON) {
				t.Errorf("%s: %v, %s", l.Name, err, again)
			}
			if i == 0 && l.Name != "page_tool0000" {
				t.Errorf("the first is %s", l.Name)
			}
		}
		if total > maxPageList || total < maxPageList-700 {
			t.Errorf("%d bytes of %d tools", total, len(list.Tools))
		}
		if again := s.PageTools(); len(again.Tools) != len(list.Tools) {
			t.Error("another list, of the same")
		}
		if n := len(s.names.of); n > maxPageList/leastListing {
			t.Errorf("%d names for %d tools", n, len(list.Tools))
		}
		r.wantHas(r.call(s, `call_page_tool {"name":"tool0999"}`), "called tool0999")
	}, shop)
}

// A page that makes names up without end gets names that need no memory.
func TestRememberedNamesAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{})
		for i := range maxToolNames + 5 {
			s.names.name(toolID{tab: "t9", origin: shopOrigin, page: fmt.Sprint(i)}, fmt.Sprint("page_", i), func(string) bool { return false })
		}
		if len(s.names.of) != maxToolNames || len(s.names.meant) != maxToolNames {
			t.Errorf("%d names", len(s.names.of))
		}
		r.offer("t1", tools(shopOrigin, "search", "7"))
		got := strings.Fields(listed(s))
		if len(got) != 2 || got[1] == "page_search" || got[0] == "page_7" {
			t.Fatalf("listed %v", got)
		}
		r.wantHas(r.call(s, got[1]), "called search of https://shop.example")
		r.offer("t1", tools("https://evil.example", "search"), "search")
		r.wantHas(r.call(s, got[1]), "there is no tool")
	}, shop)
}

func TestUnsteadyPageTools(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{})
		want := func(want string) {
			t.Helper()
			var out []string
			for n := range s.PageTools().Unsteady {
				out = append(out, n)
			}
			slices.Sort(out)
			r.want(strings.Join(out, " "), want)
		}
		stirred := func(want bool) {
			t.Helper()
			select {
			case <-s.PageToolsChanged():
				if !want {
					t.Error("told that page tools changed")
				}
			default:
				if want {
					t.Error("not told that page tools changed")
				}
			}
		}
		stirred(false)
		r.offer("t1", tools(shopOrigin, "a", "b"))
		stirred(true)
		want("page_a page_b")
		time.Sleep(unsteady)
		want("")
		r.offer("t1", tools(shopOrigin, "b"), "a")
		want("page_a") // b came again as it was
		time.Sleep(unsteady)
		want("")
		r.offer("t1", tools(shopOrigin, "b"), "b") // at once, as pages do that draw themselves anew
		want("")
		changed := tools(shopOrigin, "b")
		changed[0].Title = "B"
		r.offer("t1", changed)
		want("page_b")
		time.Sleep(unsteady)
		for range 1000 {
			r.offer("t1", tools(shopOrigin, "x"))
			r.offer("t1", nil, "x")
		}
		want("") // x was never listed
		listed(s)
		stirred(true)
		r.f.change("t1", func(t *browser.Tab) { t.Title = "tick" })
		stirred(false)
		r.call(s, `choose {"tab":"t1"}`)
		stirred(true)
		r.f.close("t1")
		stirred(true)
	}, shop)
}

func TestHistoryOfPageTools(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{})
		r.offer("t1", tools(cardOrigin, "pay"))
		r.call(s, `page_pay {"amount":3}`)
		r.call(s, `call_page_tool {"name":"nope"}`)
		r.content = tool.Content{Failed: true, Resources: []tool.Resource{{URI: "x:y", Text: "1234"}}}
		r.call(s, `call_page_tool {"name":"pay"}`)
		p, err := r.b.History().Find(t.Context(), history.Query{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range p.Entries {
			got = append(got, fmt.Sprintf("%s %s %s %s %s %s %s", e.Tool, e.PageTool, e.Tab, e.Origin, e.Args, e.Code, e.Error))
		}
		r.want(strings.Join(got, "\n"), `call_page_tool pay t1 https://card.example {"name":"pay"} page_error the page's tool says that it failed
call_page_tool nope t1 https://shop.example {"name":"nope"} invalid_arguments t1 offers no page tool nope; list_page_tools shows all 1
call_page_tool pay t1 https://card.example {"tab":"t1","name":"pay","arguments":{"amount":3}}  `)
	}, shop)
}

func TestThePairIsNotListedWhereItIsNotWanted(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{NoPair: true})
		for _, x := range s.Tools() {
			if x.Spec.Name == "call_page_tool" || x.Spec.Name == "list_page_tools" {
				t.Errorf("%s is listed", x.Spec.Name)
			}
		}
		if got, want := len(s.Known())-len(s.Tools()), 2; got != want {
			t.Errorf("%d tools are left out", got)
		}
		r.offer("t1", tools(shopOrigin, "search"))
		r.wantHas(r.call(s, `call_page_tool {"name":"search"}`), "called search")
	}, shop)
}

func TestTabsTellTheirPageTools(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.openWith(PageTools{})
		r.offer("t1", tools(shopOrigin, "search", "pay"))
		var got []string
		for _, v := range (&call{scope: scope{s}}).Tabs() {
			got = append(got, fmt.Sprint(v.ID, " ", v.PageTools, " ", v.PageToolsKnown))
		}
		r.want(strings.Join(got, ", "), "t1 2 true, t2 0 false")
	}, shop, bank)
}
