package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Limits of a frame's parts.
const (
	maxID   = 1 << 53 // what JavaScript counts to
	maxName = 64
)

// ParseFrame reads a frame. It refuses what no kind of frame looks like; what it
// does not know in one is left out, since a later minor version may have added it.
func ParseFrame(data []byte) (Frame, error) {
	var f Frame
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) == 0 || t[0] != '{' {
		return Frame{}, errors.New("a frame is no JSON object")
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return Frame{}, fmt.Errorf("a frame is not readable: %w", err)
	}
	if bytes.Equal(f.Body, []byte("null")) {
		f.Body = nil
	}
	return f, f.check()
}

// check tells what is wrong with a frame of its kind.
func (f Frame) check() error {
	var id, name, body, fault bool // what it must have
	switch f.Kind {
	case KindBegin, KindChallenge, KindHello, KindWelcome, KindPair, KindCode, KindPaired:
		body = true
	case KindRefused:
		fault = true
	case KindRequest:
		id, name = true, true
	case KindReply:
		id = true
	case KindCancel, KindPing, KindPong:
		id = true
	case KindEvent:
		name = true
	default:
		return fmt.Errorf("there is no kind of frame %.40q", f.Kind)
	}
	switch {
	case f.ID < 0 || f.ID > maxID || id && f.ID == 0:
		return fmt.Errorf("a %s has the id %d", f.Kind, f.ID)
	case name && f.Name == "" || len(f.Name) > maxName:
		return fmt.Errorf("a %s has the name %.80q", f.Kind, f.Name)
	case body && f.Body == nil:
		return fmt.Errorf("a %s has no body", f.Kind)
	case fault && f.Error == nil:
		return fmt.Errorf("a %s has no error", f.Kind)
	case f.Error != nil && (f.Body != nil || f.Kind != KindReply && f.Kind != KindRefused):
		return fmt.Errorf("a %s has an error", f.Kind)
	}
	return nil
}

// Bytes returns the frame's JSON. The body, which may be large, is not read again.
func (f Frame) Bytes() []byte {
	head := f
	head.Body = nil
	b, _ := json.Marshal(head) // numbers and texts: it cannot fail
	if len(f.Body) == 0 {
		return b
	}
	out := make([]byte, 0, len(b)+len(f.Body)+len(`,"body":`))
	out = append(out, b[:len(b)-1]...)
	out = append(out, `,"body":`...)
	out = append(out, f.Body...)
	return append(out, '}')
}
