package sqlite

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"drawbridge/internal/history"
)

const (
	// Entries between two looks at the bounds, and two checkpoints.
	trimEvery       = 64
	checkpointEvery = 256
	// mostPages of the log beside the file: when checkpoints that writers need
	// not wait for do not keep it below, they have to wait.
	mostPages = 2000

	// How long to leave a file alone that fails: the pause doubles.
	shortestPause = 100 * time.Millisecond
	longestPause  = time.Minute
)

// Run writes what is added until ctx ends, and once more then. It returns nil:
// a file that fails is told in the log. It is called once.
func (s *Store) Run(ctx context.Context) error {
	w := &writer{s: s, ctx: context.WithoutCancel(ctx), sinceTrim: trimEvery}
	s.setRunning(true)
	defer func() {
		s.setRunning(false)
		w.write() // what was added while the end was near
		w.beside.Wait()
		if err := s.giveUp(); err != nil {
			s.o.Log.Debug("the history did not close", "path", s.o.Path, "error", err)
		}
	}()
	retry := time.NewTimer(0)
	defer retry.Stop()
	<-retry.C
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-retry.C:
			w.pause *= 2
			w.resting = false
		case <-s.wake:
			if w.resting {
				continue
			}
		}
		if w.write() {
			w.pause = 0
			w.tidy()
			continue
		}
		w.pause = min(max(w.pause, shortestPause), longestPause)
		w.resting = true
		retry.Reset(w.pause)
	}
}

func (s *Store) setRunning(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = is
}

// writer is what Run knows.
type writer struct {
	s      *Store
	ctx    context.Context // does not end
	beside sync.WaitGroup  // for checkpoints

	pause           time.Duration
	resting         bool   // until the pause is over
	told            string // the last fault in the log
	sinceTrim       int    // entries
	sinceCheckpoint int
	checkpointing   chan struct{} // closed when none is being made; nil: none ever was
	pages           atomic.Int64  // of the log beside the file, at the last one
}

// write writes what is pending and tells whether that went well.
func (w *writer) write() bool {
	s := w.s
	entries, marks, batch := s.taken()
	var err error
	if len(entries)+len(marks) > 0 {
		var f *file
		if f, err = s.opened(w.ctx); err == nil {
			err = f.write(entries, marks)
		}
	}
	s.done(entries, marks, err)
	close(batch)
	w.tell(err)
	if err != nil {
		if passing(err) {
			return false
		}
		w.beside.Wait()
		if err := s.giveUp(); err != nil {
			s.o.Log.Debug("the history did not close", "path", s.o.Path, "error", err)
		}
		return false
	}
	w.sinceTrim += len(entries)
	w.sinceCheckpoint += len(entries)
	return true
}

// done takes what was written out of the memory.
func (s *Store) done(entries []history.Entry, marks map[string]history.ID, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.slow = err, false
	if err != nil || len(entries)+len(marks) == 0 {
		return
	}
	s.moved++
	if len(entries) > 0 {
		newest := entries[len(entries)-1].ID
		s.pending = slices.DeleteFunc(s.pending, func(e history.Entry) bool { return e.ID <= newest })
	}
	maps.DeleteFunc(s.marks, func(client string, id history.ID) bool { return id == marks[client] })
}

// tell tells once of a fault, and of its end.
func (w *writer) tell(err error) {
	log, path := w.s.o.Log, w.s.o.Path
	switch {
	case err == nil && w.told != "":
		w.told = ""
		log.Info("the history is written again", "path", path)
	case err != nil && err.Error() != w.told:
		w.told = err.Error()
		log.Warn("the history cannot be written; calls are kept in memory meanwhile (--history names another file)", "path", path, "error", err)
	}
}

// tidy keeps the file within its bounds.
func (w *writer) tidy() {
	s := w.s
	s.mu.Lock()
	f := s.file
	s.mu.Unlock()
	if f == nil {
		return
	}
	if w.sinceTrim >= trimEvery {
		w.trim(f)
	}
	if w.sinceCheckpoint < checkpointEvery || w.busy() {
		return
	}
	w.sinceCheckpoint = 0
	if w.pages.Load() > mostPages {
		w.checkpoint(f)
		return
	}
	w.checkpointing = make(chan struct{})
	w.beside.Go(func() {
		defer close(w.checkpointing)
		w.checkpoint(f)
	})
}

func (w *writer) checkpoint(f *file) {
	pages, err := f.checkpoint(w.ctx)
	if err != nil {
		w.s.o.Log.Debug("the history has no checkpoint", "error", err)
	}
	w.pages.Store(int64(pages))
}

// busy tells whether a checkpoint is being made.
func (w *writer) busy() bool {
	select {
	case <-w.checkpointing:
		return false
	default:
		return w.checkpointing != nil
	}
}

// trim deletes what is too old or too much, unless a call has ended meanwhile.
func (w *writer) trim(f *file) {
	var oldest time.Time
	if w.s.o.MaxAge > 0 {
		oldest = time.Now().Add(-w.s.o.MaxAge)
	}
	for len(w.s.wake) == 0 {
		more, err := f.trim(w.ctx, oldest, w.s.o.MaxBytes)
		if err != nil { // such as another process that writes; the next look comes soon
			w.s.o.Log.Debug("the history was not trimmed", "error", err)
		}
		if err != nil || !more {
			w.sinceTrim = 0
			return
		}
	}
}
