// Package sqlite keeps the history in a file that several processes may share.
package sqlite

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"drawbridge/internal/history"
)

// Options configure a Store.
type Options struct {
	Path string // of the file, which need not exist
	// MaxAge and MaxBytes bound what is kept: the oldest goes first. 0: no bound.
	MaxAge   time.Duration
	MaxBytes int64
	Log      *slog.Logger // nil: none

	pragmas []string // of tests
}

// Store is a history.Store over a file. The file is opened when the first call
// ends or the first query comes. What cannot be written is kept in memory, up
// to a number, is found there, and is written when that succeeds; a file that
// cannot be used is told once in the log and never fails a call.
type Store struct {
	o    Options
	wake chan struct{} // holds a token when Run has something to do
	turn chan struct{} // holds a token; whoever has it may open the file

	mu      sync.Mutex // guards all below
	file    *file      // nil: not opened, or given up
	last    history.ID
	pending []history.Entry // not in the file, the oldest first
	cleared map[string]history.ID
	marks   map[string]history.ID // of cleared, not in the file
	batch   chan struct{}         // closed when what is pending now was tried to be written
	slow    bool                  // the file is slower than calls may wait
	moved   int                   // counts batches that went to the file
	running bool
	fault   error // why the last attempt failed
}

var _ history.Store = (*Store)(nil)

const (
	// maxPending bounds what is kept in memory.
	maxPending = 1000
	// patience is how long a call waits for its entry to be durable, on a disk
	// that stalls: a file that is locked or fails takes less. It is spent once;
	// then calls go on until the file has caught up.
	patience = 2 * time.Second
)

// New returns a Store. Its Run must be called for anything to be written.
func New(o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{
		o: o, wake: make(chan struct{}, 1), turn: make(chan struct{}, 1), batch: make(chan struct{}),
		cleared: map[string]history.ID{}, marks: map[string]history.ID{},
	}
}

// Add records e. When it returns, the end of the process does not lose the
// entry, unless the file fails or is slow.
func (s *Store) Add(e history.Entry) {
	s.mu.Lock()
	e = e.Kept(s.last)
	s.last = e.ID
	if len(s.pending) == maxPending {
		s.pending = slices.Delete(s.pending, 0, 1)
	}
	s.pending = append(s.pending, e)
	batch := s.awaited()
	s.mu.Unlock()
	s.await(batch)
}

// awaited returns what to await for what is pending; nil: nothing. s.mu is held.
func (s *Store) awaited() chan struct{} {
	if !s.running || s.slow || s.fault != nil {
		return nil
	}
	return s.batch
}

// await wakes Run and waits until it has tried to write the batch.
func (s *Store) await(batch chan struct{}) {
	select {
	case s.wake <- struct{}{}:
	default:
	}
	if batch == nil {
		return
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-batch:
	case <-limit.C:
		s.mu.Lock()
		s.slow = true
		s.mu.Unlock()
	}
}

// Find returns the entries that q wants, from memory and the file.
func (s *Store) Find(ctx context.Context, q history.Query) (history.Page, error) {
	var inFile []history.Entry
	var cleared history.ID
	fault := s.consistently(ctx, func(f *file) (err error) {
		if q.Uncleared {
			if cleared, err = f.clearedBy(ctx, q.Client); err != nil {
				return err
			}
			cleared = max(cleared, s.clearedIn(q.Client))
		}
		most := q.Limit
		if most > 0 {
			most++ // tells whether there are older ones
		}
		inFile, err = f.find(ctx, q, cleared, most)
		return err
	})
	if ctx.Err() != nil {
		return history.Page{}, context.Cause(ctx)
	}
	p := history.PageOf(slices.Values(merged(s.waiting(q, cleared), inFile)), q.Limit)
	p.Fault = fault
	return p, nil
}

// consistently reads the file at a time when nothing moves there from memory.
func (s *Store) consistently(ctx context.Context, read func(*file) error) error {
	for {
		s.mu.Lock()
		before := s.moved
		s.mu.Unlock()
		f, err := s.opened(ctx)
		if err == nil {
			err = read(f)
		}
		s.mu.Lock()
		after := s.moved
		s.mu.Unlock()
		if before == after || err != nil {
			return err
		}
	}
}

// clearedIn returns up to where the client cleared its calls, as this process
// knows it.
func (s *Store) clearedIn(client string) history.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cleared[client]
}

// waiting returns what q wants of the entries that are not in the file.
func (s *Store) waiting(q history.Query, cleared history.ID) []history.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	cleared = max(cleared, s.cleared[q.Client])
	var out []history.Entry
	for _, e := range slices.Backward(s.pending) {
		if q.Matches(&e, cleared) {
			out = append(out, e)
		}
	}
	return out
}

// Clear hides what the client did until now.
func (s *Store) Clear(ctx context.Context, client string) (int, error) {
	q := history.Query{Client: client, Uncleared: true}
	var n int
	var newest history.ID
	_ = s.consistently(ctx, func(f *file) error { // a fault is told by those who read
		cleared, err := f.clearedBy(ctx, client)
		if err == nil {
			n, newest, err = f.count(ctx, q, max(cleared, s.clearedIn(client)))
		}
		return err
	})
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	for _, e := range s.waiting(q, 0) {
		n++
		newest = max(newest, e.ID)
	}
	s.mu.Lock()
	s.cleared[client] = max(s.cleared[client], newest)
	s.marks[client] = s.cleared[client]
	batch := s.awaited()
	s.mu.Unlock()
	s.await(batch)
	return n, nil
}

// Erase deletes the entries that q wants from the file, for the person whose
// file it is. It returns how many there were.
func (s *Store) Erase(ctx context.Context, q history.Query) (int, error) {
	f, err := s.opened(ctx)
	if err != nil {
		return 0, err
	}
	return f.erase(ctx, q)
}

// Check tells what is wrong with the file, for the person whose file it is. It
// reads all of it.
func (s *Store) Check(ctx context.Context) error {
	f, err := s.opened(ctx)
	if err != nil {
		return err
	}
	return f.check(ctx)
}

// Status tells how the file does.
func (s *Store) Status() history.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return history.Status{Path: s.o.Path, Pending: len(s.pending), Fault: s.fault}
}

// opened returns the file, which it opens when nobody has.
func (s *Store) opened(ctx context.Context) (*file, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.turn }()
	s.mu.Lock()
	f := s.file
	s.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := open(ctx, s.o.Path, s.o.pragmas)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.file = f
	s.mu.Unlock()
	return f, nil
}

// giveUp closes the file, so that the next attempt opens it anew.
func (s *Store) giveUp() error {
	s.mu.Lock()
	f := s.file
	s.file = nil
	s.mu.Unlock()
	if f == nil {
		return nil
	}
	return errors.Join(f.insert.Close(), f.Close())
}

// Close closes the file of a Store whose Run was not called, or has ended.
func (s *Store) Close() error { return s.giveUp() }

// taken returns what is pending, and the batch of those who wait for it.
func (s *Store) taken() ([]history.Entry, map[string]history.ID, chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := s.batch
	s.batch = make(chan struct{})
	return slices.Clone(s.pending), maps.Clone(s.marks), batch
}
