package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestBetween(t *testing.T) {
	got, err := between([]byte("a\n<!-- tools:begin -->\nold\n<!-- tools:end -->\nb <!-- tools:end -->\n"), "tools", []byte("new\n"))
	if want := "a\n<!-- tools:begin -->\nnew\n<!-- tools:end -->\nb <!-- tools:end -->\n"; err != nil || string(got) != want {
		t.Errorf("%q %v", got, err)
	}
	for _, text := range []string{"", "<!-- tools:begin -->\n", "<!-- tools:end -->\n<!-- tools:begin -->\n"} {
		if _, err := between([]byte(text), "tools", nil); err == nil {
			t.Errorf("%q has its marks", text)
		}
	}
}

func TestDocumentsAreUpToDate(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outputs {
		if filepath.Ext(o.path) != ".md" { // the others need Node
			continue
		}
		want, err := o.make(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(root, o.path)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale (%v); run: go run ./internal/gen", o.path, err)
		}
	}
}
