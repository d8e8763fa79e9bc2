package sqlite

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"drawbridge/internal/history"
)

// running returns a Store whose Run is at work until the end of the test.
func running(tb testing.TB, o Options) *Store {
	tb.Helper()
	s := New(o)
	ctx, cancel := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			tb.Error(err)
		}
	})
	for !runs(s) {
		runtime.Gosched()
	}
	return s
}

func BenchmarkAdd(b *testing.B) {
	s := running(b, Options{Path: filepath.Join(b.TempDir(), "history.db"), MaxAge: time.Hour, MaxBytes: 64 << 20})
	e := call("click")
	for b.Loop() {
		e.Time = time.Now()
		s.Add(e)
	}
}

func BenchmarkFind(b *testing.B) {
	s := running(b, Options{Path: filepath.Join(b.TempDir(), "history.db")})
	for range 10000 {
		s.Add(call("click"))
	}
	for name, q := range map[string]history.Query{
		"page": {Client: "claude", Uncleared: true, Limit: 50}, "text": {Text: "nowhere", Limit: 50},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Find(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// call is an entry with something in every field.
func call(name string) history.Entry {
	return history.Entry{
		Time: time.Now().Add(-84 * time.Millisecond), Client: "claude", Session: "s-1", Tool: name, Action: "act", Tab: "t3", Doc: 4,
		Origin: "https://shop.example", Args: `{"tab":"t3","ref":"e12"}`, Took: 84 * time.Millisecond, Bytes: 512,
	}
}

func runs(s *Store) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}
