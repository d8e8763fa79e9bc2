package cdp

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// message is one message of the browser: an event when it has a method, else
// a reply. The raw parts point into its frame.
type message struct {
	id      int64
	method  string
	session string
	params  json.RawMessage
	result  []byte
	fault   []byte
}

var errSyntax = errors.New("malformed JSON")

// parseMessage splits a message into its parts in one pass that jumps over
// values without decoding them: what is in them is checked by whoever decodes
// them. A message with neither id nor method is an error.
func parseMessage(frame []byte) (message, error) {
	var m message
	s := scanner{buf: frame}
	if !s.take('{') {
		return m, errSyntax
	}
	hasID := false
	for first := true; !s.take('}'); first = false {
		if !first && !s.take(',') {
			return m, errSyntax
		}
		name, ok := s.value()
		if !ok || len(name) < 2 || name[0] != '"' || !s.take(':') {
			return m, errSyntax
		}
		value, ok := s.value()
		if !ok {
			return m, errSyntax
		}
		var err error
		switch string(name) {
		case `"id"`:
			m.id, err = strconv.ParseInt(string(value), 10, 64)
			hasID = true
		case `"method"`:
			m.method, err = text(value)
		case `"sessionId"`:
			m.session, err = text(value)
		case `"params"`:
			m.params = value
		case `"result"`:
			m.result = value
		case `"error"`:
			m.fault = value
		}
		if err != nil {
			return m, err
		}
	}
	s.space()
	if s.pos != len(s.buf) {
		return m, errSyntax
	}
	if !hasID && m.method == "" {
		return m, errors.New("neither a reply nor an event")
	}
	return m, nil
}

func text(value []byte) (string, error) {
	if len(value) >= 2 && value[0] == '"' && bytes.IndexByte(value, '\\') < 0 && utf8.Valid(value) {
		return string(value[1 : len(value)-1]), nil
	}
	var s string
	err := jsonv2.Unmarshal(value, &s, jsonOptions)
	return s, err
}

// answer is what a reply tells the one who waits for it.
func (m message) answer() answer {
	if m.fault == nil {
		return answer{result: m.result}
	}
	var f struct {
		Code    int          `json:"code"`
		Message string       `json:"message"`
		Data    jsonv2.Value `json:"data"`
	}
	if err := jsonv2.Unmarshal(m.fault, &f, jsonOptions); err != nil {
		return answer{err: &ProtocolError{Message: string(m.fault)}}
	}
	data, err := text(f.Data)
	if err != nil {
		data = string(f.Data)
	}
	return answer{err: &ProtocolError{Code: f.Code, Message: f.Message, Data: data}}
}

// scanner walks over JSON without decoding it.
type scanner struct {
	buf []byte
	pos int
}

func (s *scanner) space() {
	for s.pos < len(s.buf) {
		switch s.buf[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// take moves past c, if it is next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.pos < len(s.buf) && s.buf[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// value moves past one value and returns it. Brackets are counted, not
// matched, and literals are not checked.
func (s *scanner) value() ([]byte, bool) {
	s.space()
	start, depth := s.pos, 0
	for s.pos < len(s.buf) {
		switch s.buf[s.pos] {
		case '"':
			if !s.str() {
				return nil, false
			}
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			if depth == 0 {
				return nil, false
			}
			depth--
			s.pos++
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return nil, false
			}
			s.pos++
			continue
		default:
			s.literal()
		}
		if depth == 0 {
			return s.buf[start:s.pos:s.pos], true
		}
	}
	return nil, false
}

func (s *scanner) literal() {
	for s.pos < len(s.buf) {
		switch s.buf[s.pos] {
		case '"', '{', '[', '}', ']', ',', ':', ' ', '\t', '\r', '\n':
			return
		}
		s.pos++
	}
}

// str moves past the string that begins here.
func (s *scanner) str() bool {
	for i := s.pos + 1; ; i++ {
		n := bytes.IndexByte(s.buf[i:], '"')
		if n < 0 {
			return false
		}
		i += n
		slashes := 0
		for s.buf[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			s.pos = i + 1
			return true
		}
	}
}

// members visits the members of an object without decoding them.
func members(object []byte, visit func(name string, value json.RawMessage)) error {
	s := scanner{buf: object}
	if !s.take('{') {
		return errSyntax
	}
	for first := true; !s.take('}'); first = false {
		if !first && !s.take(',') {
			return errSyntax
		}
		name, ok := s.value()
		if !ok || len(name) < 2 || name[0] != '"' || !s.take(':') {
			return errSyntax
		}
		value, ok := s.value()
		if !ok {
			return errSyntax
		}
		visit(string(name[1:len(name)-1]), value)
	}
	return nil
}
