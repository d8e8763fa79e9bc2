package cdp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

const (
	inputMost = 4 << 20 // bytes of arguments: the browser takes very long over more
	inputDeep = 250     // levels of arguments that the browser carries; beyond, it loses the call
)

// toolInput checks the arguments of a page tool. awkward says why the browser
// does not carry them; "" when it does.
func toolInput(name string, args json.RawMessage) (input json.RawMessage, awkward string, err error) {
	input = bytes.TrimSpace(args)
	if len(input) == 0 || bytes.Equal(input, []byte("null")) {
		return json.RawMessage("{}"), "", nil
	}
	switch {
	case len(input) > inputMost:
		return nil, "", &browser.Error{Code: browser.CodeTooLarge, Msg: fmt.Sprintf("the arguments of the page tool %q have %d bytes; at most %d are sent; nothing was called", name, len(input), inputMost),
			Hint: "send less at a time"}
	case input[0] != '{' || !json.Valid(input):
		return nil, "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("the arguments of the page tool %q are no JSON object; nothing was called", name),
			Hint: `give an object, such as {"name": "value"}`}
	}
	return input, awkwardness(input), nil
}

// awkwardness looks for what the browser does not carry to a tool: names beyond
// ASCII, and many levels. The JSON is valid.
func awkwardness(input []byte) string {
	s := scanner{buf: input}
	depth := 0
	for s.pos < len(s.buf) {
		switch s.buf[s.pos] {
		case '{', '[':
			if depth++; depth >= inputDeep {
				return "its arguments are nested very deep"
			}
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case '"':
			start := s.pos
			s.str()
			if word := s.buf[start:s.pos]; !plainASCII(word) && s.take(':') {
				return "its arguments have names beyond ASCII"
			}
		default:
			s.pos++
		}
	}
	return ""
}

// plainASCII tells that a JSON string has neither other characters nor their escapes.
func plainASCII(word []byte) bool {
	for i, c := range word {
		if c >= utf8.RuneSelf || c == 'u' && word[i-1] == '\\' {
			return false
		}
	}
	return true
}

// plainJSON is JSON of the browser with its characters as they are, which the
// browser escapes beyond ASCII; size is how many bytes that has. When they are
// more than most, there is no copy.
func plainJSON(raw []byte, most int) (plain json.RawMessage, size int) {
	if bytes.IndexByte(raw, '\\') < 0 {
		if len(raw) > most {
			return nil, len(raw)
		}
		return raw, len(raw)
	}
	out := make([]byte, 0, min(len(raw), most))
	var rune4 [utf8.UTFMax]byte
	put := func(b []byte) {
		if size += len(b); size <= most {
			out = append(out, b...)
		}
	}
	for len(raw) > 0 {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 {
			put(raw)
			break
		}
		put(raw[:n])
		raw = raw[n:]
		if r, used := escaped(raw); used > 0 {
			put(utf8.AppendRune(rune4[:0], r))
			raw = raw[used:]
			continue
		}
		n = min(2, len(raw))
		put(raw[:n])
		raw = raw[n:]
	}
	if size > most {
		return nil, size
	}
	return out, size
}

// escaped reads an escape \uXXXX, or two for one character. used is 0 when
// there is none, or when the character must stay escaped.
func escaped(b []byte) (r rune, used int) {
	unit := func(b []byte) (rune, bool) {
		if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
		return rune(v), err == nil
	}
	r, ok := unit(b)
	switch {
	case !ok || r < ' ' || r == '"' || r == '\\':
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if second, ok := unit(b[6:]); ok {
		if both := utf16.DecodeRune(r, second); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, 6
}

// valueOfTool is what a tool returned; nil for what stands for nothing. The
// browser makes texts of that, and of values that it does not carry as they
// are: beyond some depth, and often with characters beyond ASCII. It takes apart
// what a tool returns as text as well. size is how many bytes the value has;
// when they are more than most, there is none.
func valueOfTool(output json.RawMessage, most int) (value json.RawMessage, size int) {
	text := bytes.HasPrefix(output, []byte(`"{`)) || bytes.HasPrefix(output, []byte(`"[`))
	room := most
	if text {
		room = 2*most + len(`""`) // as text, quotes are escaped
	}
	value, size = plainJSON(output, room)
	switch string(value) {
	case "", `"undefined"`, `"Operation succeeded"`:
		return nil, size
	}
	var inner string
	if text && json.Unmarshal(value, &inner) == nil && json.Valid([]byte(inner)) {
		value, size = json.RawMessage(inner), len(inner)
	}
	if size > most {
		return nil, size
	}
	return value, size
}

// beginning is a text of the beginning of what a tool returned, in at most so
// many bytes: of a text, of what that says.
func beginning(output json.RawMessage, most int) json.RawMessage {
	const escape = len(`\uXXXX`)
	part := output[:min(len(output), escape*most)]
	text, _ := plainJSON(part, len(part))
	if bytes.HasPrefix(part, []byte(`"`)) {
		text = []byte(openString(part))
	}
	end := min(len(text), most)
	for end < len(text) && end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	out, _ := json.Marshal(string(text[:end])) // a text always can be
	return out
}

// openString reads a string of JSON whose end may be missing.
func openString(raw []byte) string {
	end := 1
	for end < len(raw) && raw[end] != '"' {
		step := 1
		if raw[end] == '\\' {
			step = 2
			if end+1 < len(raw) && raw[end+1] == 'u' {
				step = len(`\uXXXX`)
			}
		}
		if end+step > len(raw) {
			break
		}
		end += step
	}
	var text string
	if json.Unmarshal(append(bytes.Clone(raw[:end]), '"'), &text) != nil {
		return ""
	}
	return strings.TrimRight(text, string(utf8.RuneError)) // half a character
}
