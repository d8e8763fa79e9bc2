package pageagent

import (
	"strings"
	"unicode/utf8"
)

const headlineName = 80 // characters of a name or value in the words about an act

// headline is the part of an outline line that says which element it is: ref,
// role and name; its states are told where they matter.
func headline(line string) string {
	head, rest := cutQuoted(line)
	if head == "" {
		name, _, _ := strings.Cut(rest, " = ")
		return name
	}
	return head
}

// headlineWithValue is the headline and the value that the element has.
func headlineWithValue(line string) string {
	head, rest := cutQuoted(line)
	if head == "" {
		head, rest, _ = strings.Cut(line, " = ")
		if rest == "" {
			return head
		}
		rest = " = " + rest
	}
	value, ok := strings.CutPrefix(rest, " = ")
	if !ok {
		return head
	}
	if strings.HasPrefix(value, "(") { // the length of a secret
		if i := strings.IndexByte(value, ')'); i > 0 {
			return head + " = " + value[:i+1]
		}
	}
	if quoted, _ := cutQuoted(value); quoted != "" {
		return head + " = " + quoted
	}
	return head
}

// cutQuoted cuts a line after its first text in quotes, which is shortened when
// it is long; before is "" when the line has none before its value.
func cutQuoted(line string) (before, after string) {
	from := strings.IndexByte(line, '"')
	if from < 0 || strings.Contains(line[:from], " = ") {
		return "", line
	}
	for i := from + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return line[:from] + `"` + clipQuoted(line[from+1:i]) + `"`, line[i+1:]
		}
	}
	return line, ""
}

// clipQuoted shortens a text in which some characters are escaped; an escape
// counts as one character and stays whole.
func clipQuoted(s string) string {
	end, short := 0, 0 // where the next character begins; where to cut
	for n := 1; end < len(s); n++ {
		_, size := utf8.DecodeRuneInString(s[end:])
		switch {
		case strings.HasPrefix(s[end:], `\u`):
			size = len(`\u0000`)
		case s[end] == '\\':
			size = 2
		}
		if n == headlineName {
			short = end
		}
		if n > headlineName {
			return s[:short] + "…"
		}
		end = min(end+size, len(s))
	}
	return s
}
