package history

import (
	"context"
	"sync"
)

// InMemory is how many calls a process keeps that has no file for them.
const InMemory = 1000

// Log is a Store that keeps the last entries in memory.
type Log struct {
	mu      sync.Mutex // guards all below
	ring    []Entry
	next    int // where the next entry goes
	count   int
	last    ID
	cleared map[string]ID // by client
}

// NewLog returns a Log of at most size entries.
func NewLog(size int) *Log { return &Log{ring: make([]Entry, size), cleared: map[string]ID{}} }

// Add records e, in place of the oldest entry when the log is full.
func (l *Log) Add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e = e.Kept(l.last)
	l.last = e.ID
	l.ring[l.next] = e
	l.next = (l.next + 1) % len(l.ring)
	l.count = min(l.count+1, len(l.ring))
}

// Find returns the entries that q wants.
func (l *Log) Find(_ context.Context, q Query) (Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return PageOf(func(yield func(Entry) bool) {
		for i := range l.count {
			e := &l.ring[(l.next-1-i+len(l.ring))%len(l.ring)]
			if q.Matches(e, l.cleared[q.Client]) && !yield(*e) {
				return
			}
		}
	}, q.Limit), nil
}

// Status is that of no file.
func (l *Log) Status() Status { return Status{} }

// Clear hides what the client did until now.
func (l *Log) Clear(ctx context.Context, client string) (int, error) {
	p, err := l.Find(ctx, Query{Client: client, Uncleared: true})
	if err == nil && len(p.Entries) > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cleared[client] = max(l.cleared[client], p.Entries[0].ID)
	}
	return len(p.Entries), err
}
