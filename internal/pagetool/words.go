package pagetool

import (
	"strings"
	"unicode"
)

// Words are a page's words in one line of at most so many characters: white
// space is one space, and what cannot be seen is left out, as it could be read
// by a model and not by the person who looks on.
func Words(s string, most int) string {
	if len(s) <= most && plainWords(s) {
		return s
	}
	var b strings.Builder
	n, space := 0, false
	var before rune
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = n > 0
			continue
		}
		if !seen(r, before) {
			continue
		}
		need := 1
		if space {
			need = 2
		}
		if n+need > most {
			return cutMark(b.String(), n, most)
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		n += need
		before = r
	}
	return b.String()
}

// plainWords tells of a text that is its words already.
func plainWords(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f || s[i] == ' ' && before == ' ' {
			return false
		}
		before = s[i]
	}
	return before != ' ' || s == ""
}

// cutMark puts a mark of what is missing in the place of the last character
// where there is no room for it.
func cutMark(s string, n, most int) string {
	if most <= 0 {
		return ""
	}
	if n == most {
		last := strings.LastIndexFunc(s, func(rune) bool { return true })
		s = s[:last]
	}
	return strings.TrimRight(s, " ") + "…"
}

// seen tells whether a character shows, after another one.
func seen(r, before rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d' || r == '\ufe0e' || r == '\ufe0f': // joiners and forms belong to words and emoji
		return before > unicode.MaxLatin1 && before != r
	case unicode.Is(unicode.Variation_Selector, r), blank(r):
		return false
	}
	return r != unicode.ReplacementChar && unicode.IsPrint(r)
}

// blank tells of letters and symbols that look like nothing.
func blank(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return false
}
