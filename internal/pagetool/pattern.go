package pagetool

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// longestPattern is what is compiled of a page's patterns.
const longestPattern = 1000

// looksLikePattern tells of a regular expression where a format's name should
// be: Chromium makes such schemas for some controls of forms.
func looksLikePattern(format string) bool { return strings.ContainsAny(format, `^$[](){}*+?\|`) }

// compilePattern compiles a pattern of JavaScript, where that means the same
// here. It matches in linear time.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > longestPattern {
		return nil, errors.New("it is too long")
	}
	return regexp.Compile(unicodeEscape.ReplaceAllString(pattern, `$1\x{$2}`))
}

// patternCost is the most that a pattern takes for each character that it is
// matched with, and to be compiled.
func patternCost(pattern string) int {
	const most = 1000 // of repetitions in each other, which RE2 takes no more of
	repeated := 1
	for _, count := range repetition.FindAllStringSubmatch(pattern, -1) {
		n := max(count[1], count[2])
		if len(count[1]) != len(count[2]) && count[2] != "" {
			n = count[2]
		}
		i, err := strconv.Atoi(n)
		if err != nil {
			return most * len(pattern)
		}
		repeated = min(most, repeated*max(1, i))
	}
	return repeated * len(pattern)
}

var repetition = regexp.MustCompile(`\{(\d+)(?:,(\d*))?\}`)

// unicodeEscape is how JavaScript writes a character by its number.
var unicodeEscape = regexp.MustCompile(`((?:^|[^\\])(?:\\\\)*)\\u([0-9a-fA-F]{4})`)

// portable tells of a pattern that every client's regular expressions take, and
// in one sense: RE2's, JavaScript's with the flag u, and those of Python and Rust.
func portable(pattern string) bool {
	const longest = 200
	if pattern == "" || len(pattern) > longest {
		return false
	}
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		return false
	}
	class := false
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i+1:]
		switch c := pattern[i]; {
		case c == '\\':
			if rest == "" || !portableEscape(rest[0], class) {
				return false
			}
			i++
		case c >= 0x80:
			return false
		case c == '[':
			if class || strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, "^]") {
				return false
			}
			class = true
		case c == ']':
			if !class {
				return false
			}
			class = false
		case class:
		case c == '(' && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:"):
			return false
		case c == '{' && !strings.ContainsAny(rest[:min(1, len(rest))], "0123456789"), c == '}' && !closesCount(pattern[:i]):
			return false
		}
	}
	return true
}

func portableEscape(c byte, class bool) bool {
	if strings.IndexByte(`dDwWsSfnrt^$\.*+?()[]{}|/`, c) >= 0 {
		return true
	}
	return class && c == '-' || !class && (c == 'b' || c == 'B')
}

// closesCount tells that a repetition's count ends here.
func closesCount(before string) bool {
	from := strings.LastIndexByte(before, '{')
	return from >= 0 && strings.Trim(before[from+1:], "0123456789,") == ""
}
