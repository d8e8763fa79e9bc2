package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestRun(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module x\n")
	write("fresh", "fresh")
	write("stale", "old")
	inner := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(inner)
	constant := func(text string) func(context.Context, string) ([]byte, error) {
		return func(context.Context, string) ([]byte, error) { return []byte(text), nil }
	}
	before := outputs
	t.Cleanup(func() { outputs = before })
	outputs = []output{{"fresh", constant("fresh")}, {"stale", constant("new")}, {"a/missing", constant("")}}

	want := []string{"stale", "a/missing"}
	if got, err := run(t.Context(), true); err != nil || !slices.Equal(got, want) {
		t.Errorf("check names %v, %v", got, err)
	}
	if text, _ := os.ReadFile(filepath.Join(root, "stale")); string(text) != "old" {
		t.Errorf("check wrote %q", text)
	}
	if got, err := run(t.Context(), false); err != nil || !slices.Equal(got, want) {
		t.Errorf("writing names %v, %v", got, err)
	}
	if got, err := run(t.Context(), true); err != nil || len(got) != 0 {
		t.Errorf("after writing, check names %v, %v", got, err)
	}
}

func TestProtocolIsFresh(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	want, err := protocol(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile(filepath.Join(root, "web/shared/protocol.gen.ts")); err != nil || string(have) != string(want) {
		t.Errorf("web/shared/protocol.gen.ts is not made from the protocol as it is: %v", err)
	}
}
