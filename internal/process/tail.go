package process

import (
	"bytes"
	"strings"
	"sync"
)

// A Tail keeps the end of what is written to it, and calls Alarm once when
// Complaint is in that.
type Tail struct {
	Complaint string // after which the program neither answers nor ends; "": none
	Alarm     func()

	mu      sync.Mutex // guards following
	buf     []byte
	alarmed bool
}

const tailSize = 16 << 10

func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if extra := len(t.buf) - tailSize; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	if t.Complaint != "" && !t.alarmed && bytes.Contains(t.buf, []byte(t.Complaint)) {
		t.alarmed = true
		t.Alarm()
	}
	return len(b), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// Last is the last line that says something.
func (t *Tail) Last() string {
	lines := bytes.Split(bytes.TrimSpace([]byte(t.String())), []byte{'\n'})
	return strings.TrimSpace(string(lines[len(lines)-1]))
}
