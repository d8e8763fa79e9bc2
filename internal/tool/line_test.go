package tool

import (
	"strings"
	"testing"
	"unicode"

	"drawbridge/internal/browser"
)

func TestTabLine(t *testing.T) {
	for _, tt := range []struct {
		tab  browser.Tab
		want string
	}{
		{browser.Tab{ID: "t3", Doc: 4, Title: "Checkout – Shop", URL: "https://shop.example/checkout"},
			"t3 · doc 4 · Checkout – Shop · https://shop.example/checkout"},
		{browser.Tab{ID: "t1", Doc: 1, URL: "about:blank"}, "t1 · doc 1 · about:blank"},
		{browser.Tab{ID: "t1", Doc: 1, Title: "about:blank", URL: "about:blank"}, "t1 · doc 1 · about:blank"},
		{browser.Tab{ID: "t1", Doc: 2, Title: "A · https://bank.example\nt9 · doc 1", URL: "https://evil.example/"},
			"t1 · doc 2 · A - https://bank.example t9 - doc 1 · https://evil.example/"},
		{browser.Tab{ID: "t1", Doc: 2, Title: strings.Repeat("x", 101), URL: "https://x.example/" + strings.Repeat("y", 200)},
			"t1 · doc 2 · " + strings.Repeat("x", 100) + "… · https://x.example/" + strings.Repeat("y", 182) + "…"},
	} {
		if got := TabLine(tt.tab); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain", "plain"},
		{"a\tb\u00a0c", "a b c"},
		{"a\x00b\x1b[31m", `a\u0000b\u001b[31m`},
		{"a\u202eb\u200b", `a\u202eb\u200b`},
		{"日本語 👩\u200d💻", "日本語 👩\u200d💻"},
		{"tag\U000e0041", `tag\udb40\udc41`},
		{"\xff", "\ufffd"},
		{strings.Repeat("é", 30), strings.Repeat("é", 20) + "…"},
		{strings.Repeat("é", 20), strings.Repeat("é", 20)},
	} {
		if got := OneLine(tt.in, 20); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
	for in, want := range map[string]string{`say "hi"`: `"say \"hi\""`, `a\" b`: `"a\\\" b"`, "a\nb": `"a b"`, "": `""`} {
		if got := Quoted(in, 20); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func FuzzOneLine(f *testing.F) {
	f.Add("a\nb", 3)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = max(1, limit%300)
		got := OneLine(s, limit)
		for _, r := range got {
			if !unicode.IsPrint(r) && r != '\u200c' && r != '\u200d' {
				t.Fatalf("%q has %U", got, r)
			}
		}
		if n := len([]rune(got)); n > 12*limit+1 {
			t.Fatalf("%d characters of at most %d", n, limit)
		}
	})
}
