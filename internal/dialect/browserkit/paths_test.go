package browserkit

import (
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestPaths(t *testing.T) {
	d := &Dialect{}
	tab := browser.Tab{ID: "t1", Doc: 3, Frames: []browser.Frame{{}, {ID: "f4"}, {ID: "f9"}}}
	for _, tt := range []struct {
		frame browser.FrameID
		doc   int
		want  string
	}{{"", 2, "f1"}, {"f4", 2, "f2"}, {"", 3, "f3"}, {"f4", 3, "f2"}, {"f9", 3, "f4"}, {"", 3, "f3"}, {"f8", 3, "f5"}} {
		if got := d.frame(tab.ID, tt.frame, tt.doc); got != tt.want {
			t.Errorf("frame %q of document %d is %s, not %s", tt.frame, tt.doc, got, tt.want)
		}
	}
	if got := d.frame("t2", "", 1); got != "f1" {
		t.Errorf("of another tab it is %s", got)
	}
	const advice = " — re-read readable-elements"
	for _, tt := range []struct{ path, ref, why string }{
		{"f3:e1a", "e46", ""},
		{"f4:e1", "f9:e1", ""},
		{"f2:ezz", "f4:e1295", ""},
		{"f1:e2", "", "Frame was reloaded or navigated since it was read" + advice},
		{"f5:e2", "", "Frame f5 no longer exists" + advice},
		{"fzz:e2", "", "Frame fzz no longer exists" + advice},
		{"fzzzzzzzzzzzzzzzzzz:e2", "", "Frame fzzzzzzzzzzzzzzzzzz no longer exists" + advice},
		{"f3:0.1.2", "", `"0.1.2" is a positional path; readable paths are now element ids (e.g. e1a)` + advice},
		{"0:e1", "", `"0:e1" uses a numeric frame id; frame ids are now stable ids (e.g. f1:e1a)` + advice},
		{"e12", "", "Malformed frame-qualified path: e12"},
		{"", "", "Malformed frame-qualified path: "},
		{"f3:", "", "Malformed frame-qualified path: f3:"},
		{"f3:#id", "", "Malformed frame-qualified path: f3:#id"},
		{"F3:e1", "", "Malformed frame-qualified path: F3:e1"},
		{"f3:e0", "", "Element e0 no longer exists" + advice},
		{"f3:ezzzzzzzzzzz", "", "Element ezzzzzzzzzzz no longer exists" + advice},
		{"f3:e1\nx", "", `Malformed frame-qualified path: f3:e1\nx`},
	} {
		ref, why := d.ref(tab, tt.path)
		if ref.String() != tt.ref || why != tt.why {
			t.Errorf("%q: got %s, %s", tt.path, ref, why)
		}
	}
	d.forget(func(id browser.TabID) bool { return id == "t2" })
	if _, why := d.ref(tab, "f3:e1"); !strings.Contains(why, "no longer exists") {
		t.Errorf("of a tab that is gone: %s", why)
	}
}

// FuzzPaths: no path leads to an element that it does not name.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{"f1:e1a", "f1:0.1", "0:e1", "f1", ":", "f1:e1:e2", "f1:e-1"} {
		f.Add(s)
	}
	d := &Dialect{}
	tab := browser.Tab{ID: "t1", Doc: 1}
	d.frame(tab.ID, "", 1)
	f.Fuzz(func(t *testing.T, path string) {
		ref, why := d.ref(tab, path)
		if why == "" && (ref.N < 1 || !strings.HasPrefix(path, "f")) || why != "" && !ref.IsZero() {
			t.Errorf("%q: %v, %s", path, ref, why)
		}
		if strings.ContainsAny(why, "\n\r") {
			t.Errorf("%q is told as %q", path, why)
		}
	})
}
