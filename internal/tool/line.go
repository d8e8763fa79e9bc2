package tool

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"drawbridge/internal/browser"
)

// Longest titles and addresses in a line, in characters.
const (
	maxTitle   = 100
	maxAddress = 200
)

// TabLine names a tab in one line: t3 · doc 4 · Title · URL. Title and address
// are the page's words; a title cannot pass for the parts after it, and secrets
// in an address are left out.
func TabLine(t browser.Tab) string {
	var b strings.Builder
	b.Grow(len(t.ID) + len(t.Title) + len(t.URL) + 24)
	b.WriteString(string(t.ID))
	if t.Doc > 0 {
		b.WriteString(" · doc ")
		b.WriteString(strconv.Itoa(t.Doc))
	}
	if t.Title != "" && t.Title != t.URL {
		title := t.Title
		if strings.Contains(title, "·") {
			title = strings.ReplaceAll(title, "·", "-")
		}
		b.WriteString(" · ")
		b.WriteString(OneLine(title, maxTitle))
	}
	if t.URL != "" {
		b.WriteString(" · ")
		b.WriteString(OneLine(Address(t.URL), maxAddress))
	}
	return b.String()
}

// OneLine makes a page's words fit into a line: white space counts as spaces,
// what cannot be seen is escaped (controls, marks of direction), and what is
// longer than limit characters is cut.
func OneLine(s string, limit int) string {
	if plainText(s) && len(s) <= limit {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == limit {
			b.WriteRune('…')
			break
		}
		n++
		switch {
		case r == '\u200c', r == '\u200d', unicode.IsPrint(r): // joiners belong to words and emoji
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			escape(&b, r)
		}
	}
	return b.String()
}

// Quoted is OneLine in double quotes, with the quotes in it escaped.
func Quoted(s string, limit int) string {
	if strings.ContainsAny(s, `"\\`) {
		s = quoting.Replace(s)
	}
	return `"` + OneLine(s, limit) + `"`
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func plainText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// escape writes r as JSON does.
func escape(b *strings.Builder, r rune) {
	const hex = "0123456789abcdef"
	if r > 0xffff {
		r1, r2 := utf16.EncodeRune(r)
		escape(b, r1)
		escape(b, r2)
		return
	}
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(hex[r>>shift&15])
	}
}
