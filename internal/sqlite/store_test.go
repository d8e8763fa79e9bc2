package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/history"
	"drawbridge/internal/history/historytest"
)

func TestStore(t *testing.T) {
	historytest.Run(t, func(t *testing.T) history.Store { return running(t, Options{Path: newPath(t)}) })
}

// TestStoreWithoutFile: memory alone does the same.
func TestStoreWithoutFile(t *testing.T) {
	historytest.Run(t, func(t *testing.T) history.Store { return &faultless{running(t, Options{Path: t.TempDir()})} })
}

// faultless hides that the file cannot be read.
type faultless struct{ *Store }

func (s *faultless) Find(ctx context.Context, q history.Query) (history.Page, error) {
	p, err := s.Store.Find(ctx, q)
	p.Fault = nil
	return p, err
}

// newPath is in a folder that does not exist.
func newPath(tb testing.TB) string { return filepath.Join(tb.TempDir(), "data", "history.db") }

// during runs a Store while body runs.
func during(t *testing.T, path string, body func(*Store)) {
	t.Helper()
	s := New(Options{Path: path})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	body(s)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestNextProcess(t *testing.T) {
	path := newPath(t)
	want := historytest.Full()
	during(t, path, func(s *Store) { s.Add(want) })
	during(t, path, func(s *Store) {
		entries, _ := historytest.Find(t, s, history.Query{Client: "claude", Uncleared: true})
		want.ID = history.IDAt(want.Time.Add(want.Took))
		if diff := cmp.Diff([]history.Entry{want}, entries); diff != "" {
			t.Error(diff)
		}
		if n, err := s.Clear(t.Context(), "claude"); n != 1 || err != nil {
			t.Errorf("cleared %d, %v", n, err)
		}
	})
	during(t, path, func(s *Store) {
		if got := historytest.Tools(t, s, history.Query{Client: "claude", Uncleared: true}); got != "" {
			t.Errorf("what was cleared is there: %s", got)
		}
		if got := historytest.Tools(t, s, history.Query{Client: "claude"}); got != "click" {
			t.Errorf("what was cleared is deleted: %q", got)
		}
	})
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

// A file of the first version keeps what it has, and gets what is new.
func TestFileOfTheFirstVersion(t *testing.T) {
	path := newPath(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", address(path, firstPragmas))
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), db, migrations[:1]); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO calls VALUES (7, 1, 2, 'claude', 's', 'click', 'act', 't3', 4, '', '{}', '', '', '', 5)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	during(t, path, func(s *Store) {
		s.Add(historytest.Full())
		entries, _ := historytest.Find(t, s, history.Query{})
		if len(entries) != 2 || entries[0].PageTool != historytest.Full().PageTool || entries[1].Tool != "click" || entries[1].PageTool != "" {
			t.Errorf("got %+v", entries)
		}
		if got := historytest.Tools(t, s, history.Query{Tool: historytest.Full().PageTool}); got != "click" {
			t.Errorf("by the page tool: %q", got)
		}
	})
}

// Nothing is opened before a call ends, and a reply leaves after its entry is
// in the file, where another process sees it.
func TestWhenTheFileIsUsed(t *testing.T) {
	path := newPath(t)
	s := running(t, Options{Path: path})
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("the file was opened before there was something to write")
	}
	for i := range 5 {
		s.Add(call(fmt.Sprint(i)))
		other := New(Options{Path: path})
		if got := historytest.Tools(t, other, history.Query{Limit: 1}); got != fmt.Sprint(i) {
			t.Errorf("another process sees %q, want %d", got, i)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, beside := range []string{"-wal", "-shm"} {
		if info, err := os.Stat(path + beside); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", beside, info, err)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	path := newPath(t)
	const stores, writers, each = 3, 4, 50
	var wg sync.WaitGroup
	for n := range stores {
		s := running(t, Options{Path: path})
		for range writers {
			wg.Go(func() {
				for range each {
					e := call(fmt.Sprint("tool", n))
					e.Session = fmt.Sprint(n)
					s.Add(e)
				}
			})
		}
		wg.Go(func() {
			for range each {
				if _, err := s.Find(t.Context(), history.Query{Limit: 10}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := running(t, Options{Path: path})
	for n := range stores { // a slow machine may have let calls go on before their entries were written
		eventually(t, "every call is in the file", func() bool {
			entries, _ := historytest.Find(t, s, history.Query{Session: fmt.Sprint(n)})
			return len(entries) == writers*each
		})
	}
}

// eventually waits for what another goroutine brings about.
func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !met(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestErase(t *testing.T) {
	path := newPath(t)
	s := running(t, Options{Path: path})
	for i := range 20 {
		e := call("click")
		e.Client, e.Args = fmt.Sprint("client", i%2), `{"text":"the canary sings"}`
		s.Add(e)
	}
	eventually(t, "all is written", func() bool { return s.Status().Pending == 0 })
	for _, tt := range []struct {
		client string
		want   int
	}{{"client1", 10}, {"", 10}, {"", 0}} {
		if n, err := s.Erase(t.Context(), history.Query{Client: tt.client}); err != nil || n != tt.want {
			t.Errorf("%q: %d deleted, %v, want %d", tt.client, n, err, tt.want)
		}
	}
	for _, name := range []string{path, path + "-wal"} {
		if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), "canary") {
			t.Errorf("%s still has what was deleted", name)
		}
	}
}
