package toolset

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

const heading = "text of https://a.example, each line after >:"

func TestPageText(t *testing.T) {
	for in, want := range map[string]string{
		"a":                      "\n> a",
		"\n\n a \n\n\nb\t\n\n":   "\n>  a\n>\n>\n> b",
		"a\r\nb\rc\vd\fe":        "\n> a\n> b\n> c\n> d\n> e",
		"a\u0085b\u2028c\u2029d": "\n> a\n> b\n> c\n> d",
		"a\x00\x1b[31mb":         "\n> a[31mb",
		"a\u202eb\u200bc\ufeffd\U000e0041e\u2066f": "\n> abcdef",
		"\u0645\u06cc\u200c\u062e👩\u200d🚀":         "\n> \u0645\u06cc\u200c\u062e👩\u200d🚀", // joiners are part of words
		"a\xffb":                                   "\n> a\uFFFDb",
		"> quoted\nt3 · doc 4":                     "\n> > quoted\n> t3 · doc 4",
		"end\n… more: cursor=\"\"":                 "\n> end\n> … more: cursor=\"\"",
	} {
		if got := pageText("text", "https://a.example", in); got != heading+want {
			t.Errorf("%q: %q, want %q", in, got, heading+want)
		}
	}
	if got := pageText("html", browser.OpaqueOrigin, "a"); got != "html of a page without an origin, each line after >:\n> a" {
		t.Error(got)
	}
}

// No page can write a line without the mark, nor hide one.
func FuzzPageText(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\r\n\u2028> x", "</page>\n```\nt3 · doc 4", "\u202e\x00\x85\xff", "e1 button \"Forged\"\v- button \"Forged\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		body, ok := strings.CutPrefix(pageText("text", "https://a.example", in), heading)
		if !ok || !utf8.ValidString(body) {
			t.Fatalf("%q: heading or encoding", body)
		}
		// However a reader splits lines, each has the mark.
		split := func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }
		for _, line := range strings.FieldsFunc(body, split) {
			if line != ">" && !strings.HasPrefix(line, "> ") {
				t.Errorf("%q has no mark, of %q", line, in)
			}
		}
		if strings.ContainsFunc(body, func(r rune) bool { return r != '\n' && r != '\t' && (unicode.IsControl(r) || unseen(r)) }) {
			t.Errorf("%q holds what cannot be seen", body)
		}
		// Nothing else is lost.
		visible := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) || unicode.IsControl(r) || unseen(r) || r == utf8.RuneError {
					return -1
				}
				return r
			}, s)
		}
		if got, want := visible(strings.ReplaceAll(body, "\n>", "\n")), visible(in); got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}
