package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/internal/history"
)

// told is a log that tests read.
type told struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *told) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *told) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func exec(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", address(path, pragmas))
	if err == nil {
		_, err = db.Exec(statement)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestFaults: whatever is wrong with the file, calls are not held up, it is
// told once, memory goes on, and the file gets all when it can be used again.
func TestFaults(t *testing.T) {
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		mend  func(path string) error
		want  string // of the error
	}{
		{"no database", write(strings.Repeat("this is no database\n", 100)), os.Remove, "not a database"},
		{"damaged", func(t *testing.T, path string) {
			during(t, path, func(s *Store) { s.Add(call("before")) })
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 100; i < len(data); i++ {
				data[i] = 0x5a
			}
			write(string(data))(t, path)
		}, os.Remove, "malformed"},
		{"of a newer version", func(t *testing.T, path string) {
			during(t, path, func(s *Store) { s.Add(call("before")) })
			exec(t, path, "PRAGMA user_version=99")
		}, os.Remove, "newer drawbridge (version 99"},
		{"of another program", func(t *testing.T, path string) { exec(t, path, "CREATE TABLE theirs (x)") }, os.Remove, "another program"},
		{"a folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, os.Remove, "is a directory"},
		{"below a file", func(t *testing.T, path string) {
			dir := filepath.Dir(path)
			if err := os.Remove(dir); err != nil {
				t.Fatal(err)
			}
			write("")(t, dir)
		}, func(path string) error { return os.Remove(filepath.Dir(path)) }, "not a directory"},
		{"read-only", func(t *testing.T, path string) {
			if os.Getuid() == 0 {
				t.Skip("root may write everything")
			}
			write("")(t, path)
			if err := os.Chmod(path, 0o400); err != nil {
				t.Fatal(err)
			}
		}, func(path string) error { return os.Chmod(path, 0o600) }, "permission denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := newPath(t)
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			tt.spoil(t, path)
			var log told
			s := running(t, Options{Path: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
			s.Add(call("first"))
			if st := s.Status(); st.Fault == nil || !strings.Contains(st.Fault.Error(), tt.want) || st.Pending != 1 || st.Path != path {
				t.Errorf("status %+v, want %q", st, tt.want)
			}
			s.Add(call("second"))
			p, err := s.Find(t.Context(), history.Query{})
			if err != nil || p.Fault == nil || len(p.Entries) != 2 || p.Entries[0].Tool != "second" {
				t.Errorf("found %+v, %v", p, err)
			}
			if n, err := s.Clear(t.Context(), "claude"); n != 2 || err != nil {
				t.Errorf("cleared %d, %v", n, err)
			}
			if err := tt.mend(path); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the file is written", func() bool { return s.Status().Pending == 0 })
			eventually(t, "that is told", func() bool { return strings.Contains(log.String(), "written again") })
			if n := strings.Count(log.String(), "cannot be written"); n != 1 || !strings.Contains(log.String(), path) {
				t.Errorf("told %d times:\n%s", n, log.String())
			}
			other := New(Options{Path: path})
			p, err = other.Find(t.Context(), history.Query{})
			if err != nil || p.Fault != nil || len(p.Entries) != 2 {
				t.Errorf("the file has %+v, %v", p, err)
			}
			if p, err = other.Find(t.Context(), history.Query{Client: "claude", Uncleared: true}); err != nil || len(p.Entries) != 0 {
				t.Errorf("the mark is missing: %+v, %v", p, err)
			}
			if err := other.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A file that others hold delays one call a little, and no other one.
func TestLocked(t *testing.T) {
	path := newPath(t)
	s := running(t, Options{Path: path})
	s.Add(call("before"))
	db, err := sql.Open("sqlite", address(path, pragmas))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin() // immediate: it holds the right to write
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for i := range 100 {
		s.Add(call(fmt.Sprint(i)))
	}
	if took := time.Since(begin); took > 2*patience {
		t.Errorf("100 calls were held up for %s", took)
	}
	p, err := s.Find(t.Context(), history.Query{})
	if err != nil || p.Fault != nil || len(p.Entries) != 101 {
		t.Errorf("found %d, %v, %v", len(p.Entries), p.Fault, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all is written", func() bool { return s.Status().Pending == 0 })
}

// When the disk is full, what is in the file can still be read.
func TestFullDisk(t *testing.T) {
	s := running(t, Options{Path: newPath(t), pragmas: []string{"max_page_count(40)"}})
	n := 0
	for ; s.Status().Fault == nil && n < 1000; n++ {
		e := call("click")
		e.Args = strings.Repeat("x", 1000)
		s.Add(e)
	}
	if err := s.Status().Fault; err == nil || !strings.Contains(err.Error(), "full") {
		t.Fatalf("after %d: %v", n, err)
	}
	s.Add(call("last"))
	p, err := s.Find(t.Context(), history.Query{})
	if err != nil || p.Fault != nil || len(p.Entries) != n+1 || p.Entries[0].Tool != "last" {
		t.Errorf("found %d of %d, %v, %v", len(p.Entries), n+1, p.Fault, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := running(t, Options{Path: t.TempDir()})
	for range maxPending + 10 {
		s.Add(call("click"))
	}
	if n := s.Status().Pending; n != maxPending {
		t.Errorf("%d entries are kept", n)
	}
}

func TestFindEndsWithItsContext(t *testing.T) {
	s := running(t, Options{Path: newPath(t)})
	s.Add(call("click"))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := s.Find(ctx, history.Query{}); err == nil || err.Error() != "enough" {
		t.Errorf("error %v", err)
	}
	if _, err := s.Clear(ctx, "claude"); err == nil || err.Error() != "enough" {
		t.Errorf("error %v", err)
	}
}

// A file of each version becomes one of the newest, with all that it had.
func TestMigration(t *testing.T) {
	path := newPath(t)
	during(t, path, func(s *Store) { s.Add(call("old")) })
	db, err := sql.Open("sqlite", address(path, pragmas))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	steps := append(migrations[:len(migrations):len(migrations)], `ALTER TABLE calls ADD COLUMN page TEXT NOT NULL DEFAULT 'none'`)
	for range 2 { // the second time there is nothing to do
		if err := migrate(t.Context(), db, steps); err != nil {
			t.Fatal(err)
		}
	}
	var got string
	if err := db.QueryRow(`SELECT tool || ' ' || page || ' ' || user_version FROM calls, pragma_user_version`).Scan(&got); err != nil || got != fmt.Sprint("old none ", len(steps)) {
		t.Errorf("%q, %v", got, err)
	}
	if err := migrate(t.Context(), db, append(steps, `SYNTAX`)); err == nil {
		t.Error("a migration that fails is taken for done")
	}
	if v, err := versionOf(t.Context(), db, 99); v != len(steps) || err != nil {
		t.Errorf("version %d, %v after a migration that failed", v, err)
	}
}
