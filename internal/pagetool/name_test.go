package pagetool

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

var listable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

func TestName(t *testing.T) {
	for _, tt := range []struct{ prefix, page, want string }{ // # stands for a hash
		{"page_", "add_note", "page_add_note"},
		{"page_", "Add-Note2", "page_Add-Note2"},
		{"page_", "cart.add", "page_cart_add#"},
		{"page_", "sp ace/ä", "page_sp_ace__#"},
		{"page_", "", "page_#"},
		{"page_", strings.Repeat("n", 59), "page_" + strings.Repeat("n", 59)},
		{"page_", strings.Repeat("n", 60), "page_" + strings.Repeat("n", 50) + "#"},
		{"page_", "x_0123abcd", "page_x_0123abcd#"},
		{"", "click", "click"},
		{"", "2fast", "_2fast#"},
		{"", "-x", "_-x#"},
		{"", "__proto__", "___proto__#"},
		{"", "", "_#"},
	} {
		got := Name(tt.prefix, tt.page)
		told := got
		if hashed(told) && tt.page+tt.prefix != told {
			told = told[:len(told)-9] + "#"
		}
		if told != tt.want || !listable.MatchString(got) {
			t.Errorf("Name(%q, %q) is %s, want %s", tt.prefix, tt.page, got, tt.want)
		}
	}
	seen := map[string]string{}
	for _, page := range []string{"a.b", "a_b", "a b", "a/b", "ab", "a_b_a2e9ffad", Name("", "a.b"), strings.Repeat("n", 79) + "a", strings.Repeat("n", 79) + "b", "ä", "ö", "\xff", "\xfe"} {
		name := Name("page_", page)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %s", page, other, name)
		}
		seen[name] = page
	}
}

func TestAlias(t *testing.T) {
	long := Name("page_", strings.Repeat("n", 80))
	for _, base := range []string{"page_add", long} {
		a, b := Alias(base, "1"), Alias(base, "2")
		if a == b || a == base || a != Alias(base, "1") || !listable.MatchString(a) || !strings.HasPrefix(a, base[:8]) {
			t.Errorf("of %s: %s and %s", base, a, b)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		page string
		most int
		want string
	}{
		{"Adds a note", 100, "Adds a note"},
		{"  two\n\n\tlines\r\n ", 100, "two lines"},
		{"a\u0000b\u001b[31mc\u007f", 100, "ab[31mc"},
		{"a\u202eb\u2066c\ufeff\u200b\u00add", 100, "abcd"},
		{"hidden\U000e0041\U000e0042 tags\U000e01ef", 100, "hidden tags"},
		{"a\ufe0f\ufe0fb \u3164\u115f\u2800c", 100, "ab c"},
		{"👩\u200d👩\u200d👧 ❤\ufe0f नमस्ते می\u200cخواهم", 100, "👩\u200d👩\u200d👧 ❤\ufe0f नमस्ते می\u200cخواهم"},
		{"\xffa\xc3", 100, "a"},
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde…"},
		{"abcd efg", 6, "abcd…"},
		{"äöüßäöü", 6, "äöüßä…"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"", 10, ""},
		{"\u200b\n", 10, ""},
	} {
		if got := Words(tt.page, tt.most); got != tt.want {
			t.Errorf("Words(%q, %d) is %q, want %q", tt.page, tt.most, got, tt.want)
		}
	}
}

func TestList(t *testing.T) {
	yes := true
	note := browser.PageTool{Name: "add_note", Title: "Add\na note", Description: "Adds a note.\nAs you like.", Kind: browser.ToolOfScript,
		Schema: []byte(`{"properties":{"text":{"type":"string","x-mcp-header":"a b"}}}`), Origin: "https://shop.example", Hints: browser.PageToolHints{Destructive: &yes}}
	got := List(note, "page_add_note")
	if got.Name != "page_add_note" || got.Title != "Add a note" || string(got.Schema) != `{"type":"object","properties":{"text":{"type":"string"}}}` || got.Cut || got.Hints.Destructive != &yes {
		t.Errorf("got %+v, schema %s", got, got.Schema)
	}
	with := func(f func(*browser.PageTool)) browser.PageTool { t := note; f(&t); return t }
	for _, tt := range []struct {
		tool       browser.PageTool
		name, want string
	}{
		{note, "page_add_note", "Offered by https://shop.example. It says: Adds a note. As you like."},
		{note, "add_note", "Offered by https://shop.example. It says: Adds a note. As you like."},
		{note, "page_add_note_0123abcd", `Offered by https://shop.example as "add_note". It says: Adds a note. As you like.`},
		{with(func(t *browser.PageTool) { t.Kind = browser.ToolOfForm }), "add_note", "Offered by https://shop.example; fills a form, which a person submits. It says: Adds a note. As you like."},
		{with(func(t *browser.PageTool) { t.Kind = browser.ToolOfSelfForm }), "add_note", "Offered by https://shop.example; fills a form and submits it. It says: Adds a note. As you like."},
		{with(func(t *browser.PageTool) { t.Kind = browser.ToolOfOlderForm; t.Description = "\u200b" }), "add_note", "Offered by https://shop.example; fills a form and submits it; it says nothing more."},
		{with(func(t *browser.PageTool) { t.Origin = browser.OpaqueOrigin }), "add_note", "Offered by a document without an origin. It says: Adds a note. As you like."},
	} {
		if got := Describe(tt.tool, tt.name); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	for _, words := range []string{strings.Repeat("word ", 1<<18), strings.Repeat("ä", 1<<18), strings.Repeat("👩\u200d👩\u200d👧", 1000)} {
		got := Describe(with(func(t *browser.PageTool) {
			t.Description = words
			t.Name = words
			t.Origin = browser.Origin("https://" + words)
		}), "x")
		if len(got) > MostDescription || !utf8.ValidString(got) {
			t.Errorf("a description of %d bytes", len(got))
		}
	}
}
