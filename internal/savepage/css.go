package savepage

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is what a resource is used for.
type kind int

const (
	image kind = iota
	font
	sheet
)

// piece is a part of a style sheet: text, or an address in it.
type piece struct {
	text string
	url  string // absolute, without its fragment; "" for text
	frag string // of url, with its #
	kind kind
}

// nowhere is in place of an address that leads to nothing that was saved.
const nowhere = "data:,"

// scan finds the addresses of a style sheet, which are relative to base. Rules
// for elements that a script defines apply to them although it never runs.
func scan(css, base string) []piece {
	s := scanner{in: css, base: base}
	s.run()
	s.flush(len(s.in))
	return s.out
}

type scanner struct {
	in   string
	base string
	at   int // where the scanner is
	from int // what is before has been written
	out  []piece

	funcs  []string // open parentheses, by the name before them
	rule   string   // the at-rule whose prelude is read; "" for none
	inFont bool     // in @font-face
}

func (s *scanner) flush(to int) {
	if to > s.from {
		s.text(s.in[s.from:to])
	}
	s.from = to
}

func (s *scanner) text(t string) {
	if n := len(s.out); n > 0 && s.out[n-1].url == "" {
		s.out[n-1].text += t
		return
	}
	s.out = append(s.out, piece{text: t})
}

// put writes p in place of what is between begin and the place of the scanner.
func (s *scanner) put(begin int, p piece) {
	s.flush(begin)
	if p.url == "" {
		s.text(p.text)
	} else {
		s.out = append(s.out, p)
	}
	s.from = s.at
}

func (s *scanner) run() {
	for s.at < len(s.in) {
		begin := s.at
		switch c := s.in[s.at]; {
		case strings.HasPrefix(s.in[s.at:], "/*"):
			end := strings.Index(s.in[s.at+2:], "*/")
			if end < 0 {
				s.at = len(s.in)
				s.put(begin, piece{})
				return
			}
			s.at += end + 4
		case c == '"' || c == '\'':
			text := s.quoted()
			switch {
			case s.rule == "import" && len(s.funcs) == 0:
				s.put(begin, s.found(text, sheet))
				s.rule = "imported"
			case len(s.funcs) > 0 && strings.HasSuffix(s.funcs[len(s.funcs)-1], "image-set"):
				s.put(begin, s.found(text, image))
			}
		case c == '@':
			s.at++
			s.rule = strings.ToLower(s.name())
			if s.rule == "font-face" {
				s.inFont = true
			}
			if s.rule == "charset" {
				if end := strings.IndexByte(s.in[s.at:], ';'); end >= 0 {
					s.at += end + 1
				}
				s.put(begin, piece{})
				s.rule = ""
			}
		case c == ';':
			s.rule = ""
			s.at++
		case c == '{' || c == '}':
			s.rule, s.funcs = "", s.funcs[:0]
			s.inFont = s.inFont && c == '{'
			s.at++
		case c == '(':
			s.funcs = append(s.funcs, "")
			s.at++
		case c == ')':
			if n := len(s.funcs); n > 0 {
				s.funcs = s.funcs[:n-1]
			}
			s.at++
		case c == ':':
			s.at++
			if name := s.name(); strings.EqualFold(name, "defined") {
				s.put(begin, piece{text: ":not(._)"})
			} else {
				s.call(name, begin+1)
			}
		case nameStart(c):
			s.call(s.name(), begin)
		default:
			s.at++
		}
	}
}

// call reads what a name begins: a function, when a parenthesis follows.
func (s *scanner) call(name string, begin int) {
	if s.at >= len(s.in) || s.in[s.at] != '(' {
		return
	}
	s.at++
	if !strings.EqualFold(name, "url") && !strings.EqualFold(name, "src") {
		s.funcs = append(s.funcs, strings.ToLower(name))
		return
	}
	text, ok := s.address()
	switch {
	case !ok, s.rule == "namespace":
	case s.rule == "import":
		s.put(begin, s.found(text, sheet))
		s.rule = "imported"
	case s.inFont:
		s.put(begin, s.found(text, font))
	default:
		s.put(begin, s.found(text, image))
	}
}

// found is the piece for an address.
func (s *scanner) found(text string, k kind) piece {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "#") || hasScheme(text, "data") {
		return piece{text: "url(" + quoteCSS(text) + ")"}
	}
	whole := resolve(s.base, text)
	if whole == "" {
		return piece{text: "url(" + nowhere + ")"}
	}
	u, frag := cutFragment(whole)
	return piece{url: u, frag: frag, kind: k}
}

func nameStart(c byte) bool {
	return c == '-' || c == '_' || c == '\\' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// name reads a name, without its escapes.
func (s *scanner) name() string {
	begin, plain := s.at, true
	var b strings.Builder
	for s.at < len(s.in) {
		c := s.in[s.at]
		switch {
		case c == '\\':
			if plain {
				b.WriteString(s.in[begin:s.at])
				plain = false
			}
			b.WriteString(s.escape())
		case nameStart(c) || c >= '0' && c <= '9':
			if !plain {
				b.WriteByte(c)
			}
			s.at++
		default:
			if plain {
				return s.in[begin:s.at]
			}
			return b.String()
		}
	}
	if plain {
		return s.in[begin:]
	}
	return b.String()
}

// escape reads a backslash and what it stands for.
func (s *scanner) escape() string {
	s.at++
	begin := s.at
	for s.at < len(s.in) && s.at < begin+6 && strings.IndexByte("0123456789abcdefABCDEF", s.in[s.at]) >= 0 {
		s.at++
	}
	if s.at > begin {
		n, _ := strconv.ParseUint(s.in[begin:s.at], 16, 32) // six digits fit
		if s.at < len(s.in) && strings.IndexByte(" \t\n\r\f", s.in[s.at]) >= 0 {
			s.at++
		}
		if n == 0 || n > utf8.MaxRune {
			n = utf8.RuneError
		}
		return string(rune(n))
	}
	if s.at >= len(s.in) {
		return ""
	}
	_, size := utf8.DecodeRuneInString(s.in[s.at:])
	s.at += size
	return s.in[begin:s.at]
}

// quoted reads a string; one that a line's end breaks off ends there.
func (s *scanner) quoted() string {
	quote := s.in[s.at]
	s.at++
	var b strings.Builder
	for s.at < len(s.in) {
		switch c := s.in[s.at]; c {
		case quote:
			s.at++
			return b.String()
		case '\n':
			return b.String()
		case '\\':
			if s.at+1 < len(s.in) && s.in[s.at+1] == '\n' {
				s.at += 2
				continue
			}
			b.WriteString(s.escape())
		default:
			b.WriteByte(c)
			s.at++
		}
	}
	return b.String()
}

// address reads the rest of url( up to and with its parenthesis.
func (s *scanner) address() (string, bool) {
	s.space()
	var text string
	if s.at < len(s.in) && (s.in[s.at] == '"' || s.in[s.at] == '\'') {
		text = s.quoted()
		s.space()
	} else {
		var b strings.Builder
		for s.at < len(s.in) && s.in[s.at] != ')' {
			if s.in[s.at] == '\\' {
				b.WriteString(s.escape())
				continue
			}
			b.WriteByte(s.in[s.at])
			s.at++
		}
		text = strings.TrimSpace(b.String())
	}
	if s.at >= len(s.in) || s.in[s.at] != ')' {
		s.funcs = append(s.funcs, "url")
		return "", false // with modifiers, or broken
	}
	s.at++
	return text, true
}

func (s *scanner) space() {
	for s.at < len(s.in) && strings.IndexByte(" \t\n\r\f", s.in[s.at]) >= 0 {
		s.at++
	}
}

// quoteCSS is a string as CSS has it.
func quoteCSS(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == '<':
			b.WriteString("\\" + strconv.FormatInt(int64(r), 16) + " ")
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hasScheme(s, scheme string) bool {
	return len(s) > len(scheme) && s[len(scheme)] == ':' && strings.EqualFold(s[:len(scheme)], scheme)
}

func cutFragment(u string) (whole, fragment string) {
	if i := strings.IndexByte(u, '#'); i >= 0 {
		return u[:i], u[i:]
	}
	return u, ""
}

// resolve makes an address absolute as browsers do, "" if it cannot be.
func resolve(base, ref string) string {
	ref = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, ref)
	r, err := url.Parse(tidy(ref))
	if err != nil {
		return ""
	}
	if r.IsAbs() {
		return r.String()
	}
	b, err := url.Parse(tidy(base))
	if err != nil || b.Opaque != "" || b.Scheme == "" {
		return ""
	}
	return b.ResolveReference(r).String()
}

// tidy escapes what browsers take in addresses and net/url does not.
func tidy(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])):
			b.WriteString("%25")
		case c <= ' ' || c == 0x7f || c == '"' || c == '<' || c == '>' || c == '`' || c == '\\':
			const hex = "0123456789ABCDEF"
			if c == '\\' && !strings.ContainsAny(s[:i], "?#") {
				b.WriteByte('/')
				continue
			}
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
