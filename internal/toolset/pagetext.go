package toolset

import (
	"strings"
	"unicode"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// pageText is free text of a page in an answer, below a heading that names its
// origin.
func pageText(what string, origin browser.Origin, text string) string {
	return fenced(what+" of "+originWords(origin), text)
}

func originWords(origin browser.Origin) string {
	if origin == browser.OpaqueOrigin || origin == "" {
		return "a page without an origin"
	}
	return tool.OneLine(string(origin), 300)
}

// fenced is a heading and a text with a mark before every line. Whatever the
// text says, each of its lines keeps the mark, so that no page can end the
// block or write a line of the answer's own.
func fenced(heading, text string) string {
	var b strings.Builder
	b.WriteString(heading + ", each line after >:")
	for line := range strings.SplitSeq(plain(text), "\n") {
		b.WriteString("\n>")
		if line != "" {
			b.WriteString(" " + line)
		}
	}
	return b.String()
}

// plain keeps one kind of line break, and neither controls nor characters that
// cannot be seen. Blank ends of the text and of its lines go.
func plain(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			return '\n'
		case r == '\t':
			return r
		case unicode.IsControl(r), unseen(r):
			return -1
		}
		return r
	}, text)
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, " \t\n"), "\n") {
		line = strings.TrimRight(line, " \t")
		if b.Len() == 0 && line == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}
