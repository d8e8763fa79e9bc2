package extension_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/extension"
)

// tree lists the files below a folder.
func tree(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
			if info, err := d.Info(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", rel, info.Mode(), err)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWrite(t *testing.T) {
	for _, e := range []extension.Engine{extension.Chromium, extension.Firefox} {
		dir := filepath.Join(t.TempDir(), "a", "b")
		c := extension.Config{Address: "127.0.0.1:1", Name: "work", Token: "secret", Browser: "Work"}
		if err := extension.Write(dir, e, c); err != nil {
			t.Fatal(err)
		}
		if got, ok := extension.ReadConfig(dir); !ok || got != c {
			t.Errorf("%+v", got)
		}
		if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		first := tree(t, dir)
		var m struct {
			Version string         `json:"version"`
			Icons   map[int]string `json:"icons"`
		}
		data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append(slices.Collect(mapValues(m.Icons)), "background.gen.js", "agent.gen.js", "config.json") {
			if !slices.Contains(first, name) {
				t.Errorf("%s: %s is not among %v", e, name, first)
			}
		}
		if v, err := extension.Version(e); v != m.Version || err != nil {
			t.Errorf("version %s, %v", v, err)
		}

		// A later version leaves nothing of this one, nor of the other engine's.
		for _, name := range []string{"old.js", "icons/old.png", "old/folder/x.js"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(filepath.Join(dir, "background.gen.js")); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, "background.gen.js"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		c.Token = "another"
		if err := extension.Write(dir, e, c); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(first, tree(t, dir)); d != "" {
			t.Error(d)
		}
		if got, _ := extension.ReadConfig(dir); got.Token != "another" {
			t.Errorf("%+v", got)
		}
		for _, other := range []extension.Engine{extension.Chromium, extension.Firefox} {
			if err := extension.Write(dir, other, c); err != nil {
				t.Errorf("%s over %s: %v", other, e, err)
			}
		}
	}
	if err := extension.Write(t.TempDir(), "opera", extension.Config{}); err == nil {
		t.Error("an engine that is none")
	}
}

func mapValues(m map[int]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestWriteLeavesWhatIsNotOurs(t *testing.T) {
	for name, text := range map[string]string{"letter.txt": "dear", "manifest.json": `{"name":"drawbridge","version":"9"}`, "config.json/x": "mine"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := extension.Write(dir, extension.Chromium, extension.Config{}); !errors.Is(err, extension.ErrNotOurs) {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text || len(tree(t, dir)) != 1 {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		if _, ok := extension.ReadConfig(dir); ok {
			t.Errorf("%s: a configuration", name)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := extension.Write(file, extension.Chromium, extension.Config{}); err == nil {
		t.Error("a file became a folder")
	}
}

func TestPack(t *testing.T) {
	for _, e := range []extension.Engine{extension.Chromium, extension.Firefox} {
		var first, second bytes.Buffer
		if err := errors.Join(extension.Pack(&first, e), extension.Pack(&second, e)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two archives differ", e)
		}
		z, err := zip.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name)
		}
		dir := t.TempDir()
		if err := extension.Write(dir, e, extension.Config{}); err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(tree(t, dir), func(s string) bool { return s == "config.json" })
		slices.Sort(names)
		if d := cmp.Diff(want, names, cmp.Transformer("", func(s []string) string { return strings.Join(slices.Sorted(slices.Values(s)), "\n") })); d != "" {
			t.Errorf("%s: %s", e, d)
		}
	}
}
