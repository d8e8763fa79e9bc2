// Package history is the record of calls: what clients asked for and what
// came of it, refused and failed calls too. Its texts are cut to a length,
// and arguments come to it redacted.
package history

import (
	"strings"
	"sync"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

// Entry is one call.
type Entry struct {
	Time    time.Time // when it began
	Client  string
	Session string
	Tool    string
	Action  policy.Action
	Tab     browser.TabID
	Doc     int
	Origin  browser.Origin // of the tab when the call was decided
	Args    string         // JSON, redacted, perhaps cut
	Rule    string         // that refused the call; "" when none did
	Code    browser.Code   // "" when the call succeeded
	Error   string
	Took    time.Duration
	Bytes   int // of the reply
}

// Longest texts of an entry, in bytes.
const (
	maxArgs  = 2048
	maxError = 512
	maxName  = 256
)

// Log keeps the last entries in memory. It is safe for concurrent use.
type Log struct {
	mu    sync.Mutex // guards all below
	ring  []Entry
	next  int // where the next entry goes
	count int
}

// NewLog returns a Log of at most size entries.
func NewLog(size int) *Log { return &Log{ring: make([]Entry, size)} }

// Add records e, in place of the oldest entry when the log is full.
func (l *Log) Add(e Entry) {
	e.Args = cut(e.Args, maxArgs)
	e.Error = cut(e.Error, maxError)
	e.Tool = cut(e.Tool, maxName) // whatever a client calls
	e.Rule = cut(e.Rule, maxName)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring[l.next] = e
	l.next = (l.next + 1) % len(l.ring)
	l.count = min(l.count+1, len(l.ring))
}

// Query says which entries are wanted; a zero field wants all.
type Query struct {
	Client string
	Tool   string
	Tab    browser.TabID
	Failed bool
	Limit  int
}

func (q Query) matches(e *Entry) bool {
	return (q.Client == "" || q.Client == e.Client) &&
		(q.Tool == "" || q.Tool == e.Tool) &&
		(q.Tab == "" || q.Tab == e.Tab) &&
		(!q.Failed || e.Code != "")
}

// Find returns the entries that q wants, the newest first.
func (l *Log) Find(q Query) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Entry
	for i := range l.count {
		e := &l.ring[(l.next-1-i+len(l.ring))%len(l.ring)]
		if !q.matches(e) {
			continue
		}
		out = append(out, *e)
		if len(out) == q.Limit {
			break
		}
	}
	return out
}

// Args is the text of arguments for an Entry; it copies no more than is kept.
func Args(raw []byte) string {
	if len(raw) > maxArgs {
		raw = raw[:maxArgs+1] // one too many, so that Add tells of the cut
	}
	return string(raw)
}

// cut shortens s to about n bytes, in a copy that keeps no longer text alive.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
