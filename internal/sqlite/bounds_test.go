package sqlite

import (
	"os"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/history"
	"drawbridge/internal/history/historytest"
)

func TestAgeIsBounded(t *testing.T) {
	path := newPath(t)
	during(t, path, func(s *Store) {
		for i := range 3 * trimStep {
			e := call("old")
			e.Time = time.Now().Add(-48*time.Hour + time.Duration(i)*time.Second)
			s.Add(e)
		}
		s.Add(call("young"))
	})
	s := running(t, Options{Path: path, MaxAge: 24 * time.Hour})
	s.Add(call("new"))
	eventually(t, "the old are gone", func() bool { return historytest.Tools(t, s, history.Query{}) == "new young" })
}

func TestSizeIsBounded(t *testing.T) {
	path := newPath(t)
	const most = 512 << 10
	s := running(t, Options{Path: path, MaxBytes: most})
	for i := range 2000 {
		e := call("click")
		e.Args = strings.Repeat("x", 1000)
		e.Doc = i
		s.Add(e)
	}
	eventually(t, "the file is small", func() bool {
		s.Add(call("another"))
		f, err := s.opened(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, size, err := f.bytes(t.Context())
		return err == nil && size <= most
	})
	entries, _ := historytest.Find(t, s, history.Query{Tool: "click"})
	if len(entries) < 200 || entries[0].Doc != 1999 {
		t.Errorf("%d entries are left, the newest %d", len(entries), entries[0].Doc)
	}
	for i := range entries[1:] {
		if entries[i].Doc != entries[i+1].Doc+1 {
			t.Fatalf("%d is missing", entries[i].Doc-1)
		}
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 16<<20 {
		t.Errorf("the log beside the file has %d bytes", info.Size())
	}
}
