package process

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	var tl Tail
	for range 1000 {
		io.WriteString(&tl, strings.Repeat("x", 99)+"\n")
	}
	io.WriteString(&tl, "the end \n\n")
	if got := tl.String(); len(got) > tailSize || !strings.HasSuffix(got, "the end \n\n") {
		t.Errorf("%d bytes", len(got))
	}
	if got := tl.Last(); got != "the end" {
		t.Errorf("got %q", got)
	}
	if got := new(Tail).Last(); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestRuns(t *testing.T) {
	dir := t.TempDir()
	prog, text := filepath.Join(dir, "prog"), filepath.Join(dir, "text")
	for path, mode := range map[string]os.FileMode{prog: 0o755, text: 0o644} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{prog: true, text: false, dir: false, filepath.Join(dir, "none"): false} {
		if got := runs(path); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}
