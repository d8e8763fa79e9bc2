package policy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"drawbridge/internal/yamldoc"
)

// Source keeps the policy that a file of rules makes, and follows the file's
// changes when it is asked: at most once in checkEvery it looks whether the
// file is another. It may be used concurrently.
type Source struct {
	o    SourceOptions
	now  atomic.Pointer[state]
	busy atomic.Bool // someone is looking; the others go on with what is known
}

// SourceOptions are what Open needs.
type SourceOptions struct {
	Path  string           // of the file of rules, which need not exist; "" for none
	Allow []string         // values of --allow
	Log   *slog.Logger     // told when the file is read, breaks or is mended; nil: nobody
	Now   func() time.Time // nil: time.Now
}

const (
	checkEvery = time.Second
	// settled is how old a file must be for its time to tell it from a later
	// version; file systems keep time coarsely.
	settled = 2 * time.Second
)

// state is what is known of the file; it does not change.
type state struct {
	policy *Policy
	broken error
	good   []Rule // of the last version that could be trusted

	info   fs.FileInfo // nil: no file
	gone   bool        // it was not there at the last look, which may be an editor at work
	readAt time.Time
	next   time.Time // when to look again
}

// Open reads the file of rules. A file that cannot be trusted is no error
// here: what is not denied is asked then, and Err tells why. The error names
// the bad --allow.
func Open(o SourceOptions) (*Source, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Source{o: o}
	st, err := s.look(state{})
	if err != nil {
		return nil, err
	}
	s.now.Store(st)
	return s, nil
}

// Policy returns the policy that holds now.
func (s *Source) Policy() *Policy {
	st := s.now.Load()
	if s.o.Path == "" || s.o.Now().Before(st.next) || !s.busy.CompareAndSwap(false, true) {
		return st.policy
	}
	defer s.busy.Store(false)
	// Another may have looked since.
	if st = s.now.Load(); s.o.Now().Before(st.next) {
		return st.policy
	}
	next, err := s.look(*st)
	if err != nil { // --allow was good before, so this cannot be
		return st.policy
	}
	s.now.Store(next)
	return next.policy
}

// Err tells why the file of rules cannot be trusted, or nil.
func (s *Source) Err() error { return s.now.Load().broken }

// look returns what follows old when the file is as it is now.
func (s *Source) look(old state) (*state, error) {
	now := s.o.Now()
	st := old
	st.next = now.Add(checkEvery)
	if s.o.Path == "" {
		return s.made(st, nil, nil)
	}
	info, err := os.Stat(s.o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if old.info != nil && !old.gone {
			st.gone = true // believed when it is so the next time too
			return &st, nil
		}
		if old.policy != nil && old.info == nil && old.broken == nil {
			return &st, nil
		}
		st.info, st.gone = nil, false
		return s.made(st, nil, nil)
	case err == nil && old.broken == nil && old.info != nil && same(info, old.info) && old.readAt.Sub(info.ModTime()) > settled:
		st.gone = false
		return &st, nil
	}
	st.gone, st.readAt = false, now
	rules, info, err := readRules(s.o.Path)
	st.info = info
	return s.made(st, rules, err)
}

// made completes st with the policy that rules make.
func (s *Source) made(st state, rules []Rule, broken error) (*state, error) {
	before := st.broken
	st.broken = broken
	if broken != nil {
		rules = append(slices.Clone(st.good), rules...)
	} else {
		st.good = rules
	}
	p, err := New(Options{Rules: rules, Broken: broken, Allow: s.o.Allow})
	if err != nil {
		return nil, err
	}
	st.policy = p
	switch {
	case broken != nil && (before == nil || before.Error() != broken.Error()):
		s.o.Log.Error("the file of rules is broken; what it does not deny is asked until it is mended", "path", s.o.Path, "err", broken)
	case broken == nil && before != nil:
		s.o.Log.Info("the file of rules is mended", "path", s.o.Path, "rules", len(rules))
	}
	return &st, nil
}

// same tells whether both describe one version of one file.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && a.Mode() == b.Mode()
}

// readRules reads the file of rules; the info is that of the version read.
// The rules are there beside an error as far as they could be read, also when
// the file is one that others may have written.
func readRules(path string) ([]Rule, fs.FileInfo, error) {
	name := filepath.Base(path)
	named := func(err error) error {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	// Opening a pipe would wait for its other end.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, named(err)
	}
	if !info.Mode().IsRegular() {
		return nil, info, named(errors.New("not a file"))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, info, named(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, named(err)
	}
	data, err := io.ReadAll(io.LimitReader(f, yamldoc.MaxSize+1))
	if err != nil {
		return nil, info, named(err)
	}
	rules, err := ParseFile(name, data)
	if err == nil {
		if why := othersMayWrite(info); why != "" {
			err = named(errors.New(why))
		}
	}
	return rules, info, err
}
