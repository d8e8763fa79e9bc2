package toolset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// jsonLine is JSON in one line, without characters that cannot be seen.
func jsonLine(raw json.RawMessage) string {
	if bytes.ContainsAny(raw, "\n\r") {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil {
			raw = b.Bytes()
		}
	}
	return spelled(string(raw))
}

// jsonLines is JSON for reading: lists and objects that are wide have an
// element a line.
func jsonLines(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) <= wideJSON || json.Compact(&b, raw) != nil {
		return jsonLine(raw)
	}
	return spread(spelled(b.String()))
}

// wideJSON is how long a list or object may be in one line, in bytes, and
// deepJSON how deep it may be for its elements to have lines of their own.
const (
	wideJSON = 100
	deepJSON = 16
)

// spread breaks valid, compact JSON into lines.
func spread(text string) string {
	ends := wide(text)
	var b strings.Builder
	indent := "\n" + strings.Repeat("  ", deepJSON)
	depth := 0
	newLine := func() { b.WriteString(indent[:1+2*depth]) }
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			end, isWide := ends[i]
			if !isWide {
				end = closing(text, i)
			}
			if !isWide || depth == deepJSON {
				b.WriteString(text[i : end+1])
				i = end
				continue
			}
			depth++
			b.WriteByte(c)
			newLine()
		case '}', ']':
			depth--
			newLine()
			b.WriteByte(c)
		case ',':
			b.WriteByte(c)
			newLine()
		case ':':
			b.WriteString(": ")
		case '"':
			end := quoteEnd(text, i)
			b.WriteString(text[i : end+1])
			i = end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// wide finds where the lists and objects that are wide end, by where they begin.
func wide(text string) map[int]int {
	ends := map[int]int{}
	var open []int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = quoteEnd(text, i)
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			at := open[len(open)-1]
			open = open[:len(open)-1]
			if i-at >= wideJSON {
				ends[at] = i
			}
		}
	}
	return ends
}

// closing returns where the list or object that begins at i ends.
func closing(text string, i int) int {
	for depth := 0; ; i++ {
		switch text[i] {
		case '"':
			i = quoteEnd(text, i)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
}

// quoteEnd returns where the string that begins at i ends.
func quoteEnd(text string, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// odd tells characters of JSON that a reader would not see, or see as a break.
func odd(r rune) bool {
	return unicode.IsControl(r) || unseen(r) || r == '\u2028' || r == '\u2029'
}

// spelled writes odd characters as JSON's escapes.
func spelled(text string) string {
	if !strings.ContainsFunc(text, odd) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !odd(r) {
			b.WriteRune(r)
			continue
		}
		if r > 0xFFFF {
			r1, r2 := (r-0x10000)>>10+0xD800, (r-0x10000)&0x3FF+0xDC00
			fmt.Fprintf(&b, `\u%04x\u%04x`, r1, r2)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}
