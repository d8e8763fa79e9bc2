package mcpserver

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
)

// What a past keeps: a client whose request broke off comes again within
// seconds.
const (
	pastBytes   = 4 << 20
	pastStreams = 1024
)

// past holds the last messages of one connection's streams, so that a client
// whose request broke off can read on where it was. It is an mcp.EventStore. The
// oldest messages are forgotten first, the newest of all never: an answer may be
// large.
type past struct {
	mu      sync.Mutex // guards following
	streams map[string]*pastStream
	order   []string // of the streams, the one longest without a message first
	bytes   int
}

// pastStream is what is left of a stream.
type pastStream struct {
	first  int // the number of the first event that is left
	events [][]byte
}

func newPast() *past { return &past{streams: map[string]*pastStream{}} }

var errForgotten = errors.New("what followed is forgotten by now")

// Open does nothing: a stream begins with its first message.
func (p *past) Open(context.Context, string, string) error { return nil }

// Append adds a message to a stream.
func (p *past) Append(_ context.Context, _, stream string, event []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.streams[stream]
	if s == nil {
		s = &pastStream{}
		p.streams[stream] = s
	}
	p.order = append(slices.DeleteFunc(p.order, func(id string) bool { return id == stream }), stream)
	s.events = append(s.events, event)
	p.bytes += len(event)
	for _, id := range p.order {
		p.shorten(p.streams[id], id == stream)
	}
	if len(p.order) > pastStreams {
		i := slices.IndexFunc(p.order, func(id string) bool { return id != "" }) // which goes on for ever
		for _, e := range p.streams[p.order[i]].events {
			p.bytes -= len(e)
		}
		delete(p.streams, p.order[i])
		p.order = slices.Delete(p.order, i, i+1)
	}
	return nil
}

// shorten forgets the oldest events of a stream as long as there are too many
// bytes, the last one too unless it is the newest of all; p.mu is held.
func (p *past) shorten(s *pastStream, newest bool) {
	n := 0
	for p.bytes > pastBytes && n < len(s.events) && (!newest || n < len(s.events)-1) {
		p.bytes -= len(s.events[n])
		n++
	}
	s.events = slices.Delete(s.events, 0, n)
	s.first += n
}

// After returns the messages of a stream after the one of that number. With -1 a
// client begins to read the stream that goes on for ever: it is given what is
// left, and numbers are counted from there.
func (p *past) After(_ context.Context, _, stream string, index int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		events, err := p.after(stream, index)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (p *past) after(stream string, index int) ([][]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.streams[stream]
	switch {
	case s == nil && index < 0:
		return nil, nil
	case s == nil:
		return nil, errForgotten
	case index < 0:
		s.first = 0
	}
	from := index + 1 - s.first
	if from < 0 {
		return nil, errForgotten
	}
	return slices.Clone(s.events[min(from, len(s.events)):]), nil
}

// SessionClosed forgets everything.
func (p *past) SessionClosed(context.Context, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams, p.order, p.bytes = map[string]*pastStream{}, nil, 0
	return nil
}
