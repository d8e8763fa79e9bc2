package pagetool

import (
	"strconv"
	"strings"

	"drawbridge/internal/tool"
)

// longestQuote is how much of a word or value a message tells.
const longestQuote = 40

// quoted is a word of a page or client in a message.
func quoted(s string) string { return tool.Quoted(Words(s, longestQuote), longestQuote) }

// listed tells values in a row, the first ones of many.
func listed(vs []value, most int) string {
	var b strings.Builder
	for i := range vs {
		if i == most {
			b.WriteString(" and " + strconv.Itoa(len(vs)-i) + " more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(vs[i].told())
	}
	return b.String()
}

// told is a value in a message.
func (v *value) told() string {
	switch v.kind {
	case null:
		return "null"
	case text:
		return quoted(v.text)
	case list:
		return "a list"
	case object:
		return "an object"
	}
	return Words(v.text, longestQuote)
}
