package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Shortest texts that Struck finds, in bytes: whole ones, and beginnings of
// those that an error cut.
const (
	leastStruck    = 4
	leastBeginning = 8
)

// Struck masks the hidden texts in a text that may repeat them, also where
// only their beginning is. Short ones are masked in quotes only: elsewhere
// they are likely to be something else.
func Struck(text string, hidden []string) string {
	for _, h := range hidden {
		mask := fmt.Sprintf("(%d characters)", utf8.RuneCountInString(h))
		for _, form := range []string{h, OneLine(h, len(h)), strings.Trim(Quoted(h, 2*len(h)), `"`)} {
			if len(form) >= leastStruck {
				text = struck(text, form, mask)
			}
			if form != "" {
				text = strings.ReplaceAll(text, `"`+form+`"`, `"`+mask+`"`)
			}
		}
	}
	return text
}

func struck(text, form, mask string) string {
	begin := form[:min(len(form), leastBeginning)]
	var out strings.Builder
	for {
		i := strings.Index(text, begin)
		if i < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:i] + mask)
		text = text[i:]
		n := 0
		for n < len(text) && n < len(form) && text[n] == form[n] {
			n++
		}
		text = text[n:]
	}
}
