package e2e

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// kitSaved is what savePage tells.
type kitSaved struct {
	Filename, Format string
	Bytes            int64
	ResourceCount    int
	Skipped          []struct{ URL, Reason string }
}

// saved saves the page of the tab, and finds the file.
func (t *kitTab) saved(a args) (s kitSaved, file string) {
	t.Helper()
	r := t.do("savePage", t.args(a))
	t.decode(string(r.Value), &s)
	if s.Skipped == nil || len(s.Skipped) > 0 || s.ResourceCount < 2 {
		t.Errorf("%s", r.Value)
	}
	if want := fmt.Sprintf("Saved %s (%d bytes, %d resources embedded)", s.Filename, s.Bytes, s.ResourceCount); r.text != want {
		t.Errorf("the text is %q, not %q", r.text, want)
	}
	until(t.T, s.Filename+" to be there", func() bool {
		file = findFile(t.c.cmd.Dir, s.Filename)
		info, err := os.Stat(file)
		return err == nil && info.Size() == s.Bytes
	})
	return s, file
}

// findFile is the newest file of that name below a folder; "" when there is none.
func findFile(dir, name string) (found string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error { // what goes meanwhile is not it
		if err == nil && d.Name() == name {
			found = path
		}
		return nil
	})
	return found
}

var kitPageSave = kitArea{name: "page save", alone: true, behaviours: []behaviour{
	{"N16 a zip", func(k *kit) {
		t := k.open("/text-test")
		s, file := t.saved(nil)
		if s.Format != "zip" || s.Filename != "text-test.zip" {
			t.Errorf("%+v", s)
		}
		z, err := zip.OpenReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for i, f := range z.File {
			switch {
			case f.Name == "index.html":
				r, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				b, err := io.ReadAll(r)
				if err != nil {
					t.Fatal(err)
				}
				t.isSaved(string(b))
			case !strings.HasPrefix(f.Name, "assets/"):
				t.Errorf("entry %d is %s", i, f.Name)
			}
		}
		if len(z.File) < 3 {
			t.Errorf("%d entries", len(z.File))
		}
	}},
	{"N17 an html file", func(k *kit) {
		t := k.open("/text-test")
		s, file := t.saved(args{"format": "html"})
		if s.Format != "html" || s.Filename != "text-test.html" {
			t.Errorf("%+v", s)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.isSaved(string(b))
		if strings.Contains(string(b), `rel="stylesheet"`) {
			t.Error("a style sheet is linked")
		}
	}},
	{"N18 it opens from the disk and asks for nothing", func(k *kit) {
		t := k.open("/text-test?disk")
		_, file := t.saved(args{"format": "html"})
		d := serve(k.T, "--toolsets", "all", "--schemes", "file")
		tab := d.open("file://" + filepath.ToSlash(file))
		d.want(d.call("snapshot", args{"tab": tab}), "Text Test Screen", "South gate")
		d.want(d.call("evaluate", args{"tab": tab, "code": "return [...document.images].map((i) => i.complete && i.naturalWidth)"}), "[16]")
		for line := range strings.Lines(d.call("list_requests", args{"tab": tab, "limit": 500})) {
			if strings.HasPrefix(line, "r") && !strings.Contains(line, " file:///") {
				t.Errorf("it made a request: %s", line)
			}
		}
	}},
	{"+ a title that is no name", func(k *kit) {
		t := k.open("/text-test?titled")
		t.js("document.title = '  Über-Brücken: rund 1 000 _ m! '; return 1")
		if s, _ := t.saved(nil); s.Filename != "uber-brucken-rund-1-000-m.zip" {
			t.Errorf("%+v", s)
		}
	}},
}}

// isSaved checks the document of a saved page.
func (t *kitTab) isSaved(html string) {
	t.Helper()
	if !strings.HasPrefix(html, "<!DOCTYPE html>\n") && !strings.HasPrefix(html, "<!doctype html>") {
		t.Errorf("it begins with %.100s", html)
	}
	if strings.Contains(strings.ToLower(html), "<script") {
		t.Error("it has a script")
	}
	t.has(html, "Saved by MCP Browser Kit from "+t.url+" on ", "Text Test Screen")
}
