package history

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Line is an entry as a line of JSON: for people's own programs, so a name is
// never changed.
type Line struct {
	ID       ID        `json:"id,omitzero"`
	Time     time.Time `json:"time"` // when it began
	Client   string    `json:"client"`
	Session  string    `json:"session"`
	Tool     string    `json:"tool"`
	PageTool string    `json:"page_tool,omitempty"`
	Action   string    `json:"action,omitempty"`
	Tab      string    `json:"tab,omitempty"`
	Doc      int       `json:"doc,omitempty"`
	Origin   string    `json:"origin,omitempty"`
	Args     string    `json:"arguments,omitempty"` // JSON, redacted, unless it was cut
	OK       bool      `json:"ok"`
	Code     string    `json:"code,omitempty"`
	Error    string    `json:"error,omitempty"`
	Rule     string    `json:"rule,omitempty"`
	Millis   float64   `json:"ms"`
	Bytes    int       `json:"bytes"`
}

// LineOf is e as a line.
func LineOf(e Entry) Line {
	return Line{e.ID, e.Time, e.Client, e.Session, e.Tool, e.PageTool, string(e.Action), string(e.Tab), e.Doc, string(e.Origin), e.Args,
		e.Code == "", string(e.Code), e.Error, e.Rule, float64(e.Took.Microseconds()) / 1000, e.Bytes}
}

// Told returns a Store that writes each entry to w too, a Line without its ID,
// when its call ends.
func Told(s Store, w io.Writer) Store { return &told{Store: s, w: w} }

type told struct {
	Store
	mu sync.Mutex // keeps lines whole
	w  io.Writer
}

// Add records e. That it could not be written is no fault of the call.
func (t *told) Add(e Entry) {
	t.Store.Add(e)
	l := LineOf(e.Kept(0))
	l.ID = 0
	t.mu.Lock()
	defer t.mu.Unlock()
	enc := json.NewEncoder(t.w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(l)
}
