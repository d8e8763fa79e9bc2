package browserkit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	many := func(prefix string, n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint(prefix, i)
		}
		return out
	}
	with := func(l []string, i int, also ...string) []string { return slices.Insert(slices.Clone(l), i, also...) }
	ten := many("e", 10)
	for _, tt := range []struct {
		about         string
		before, after []string
		added, gone   int
		diff          string
	}{
		{"nothing", ten, ten, 0, 0, ""},
		{"none at all", nil, nil, 0, 0, ""},
		{"one more at the end", ten, with(ten, 10, "new"), 1, 0, "@@\n  e7\n  e8\n  e9\n+ new"},
		{"one more at the start", ten, with(ten, 0, "new"), 1, 0, "@@\n+ new\n  e0\n  e1\n  e2"},
		{"one less", ten, slices.Delete(slices.Clone(ten), 5, 6), 0, 1, "@@\n  e2\n  e3\n  e4\n- e5\n  e6\n  e7\n  e8"},
		{"another value: what goes comes first", []string{"a", "b", "c"}, []string{"a", "B", "c"}, 1, 1, "@@\n  a\n- b\n+ B\n  c"},
		{"far apart: two hunks", ten, with(with(ten, 10, "z"), 0, "a"), 2, 0, "@@\n+ a\n  e0\n  e1\n  e2\n@@\n  e7\n  e8\n  e9\n+ z"},
		{"near: one hunk", ten[:6], with(with(ten[:6], 6, "z"), 0, "a"), 2, 0, "@@\n+ a\n  e0\n  e1\n  e2\n  e3\n  e4\n  e5\n+ z"},
		{"all of it", []string{"a"}, []string{"b"}, 1, 1, "@@\n- a\n+ b"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			c := compare(tt.before, tt.after)
			if c.added != tt.added || c.removed != tt.gone || c.diff != tt.diff || c.tooLarge {
				t.Errorf("got %+v\n%s", c, c.diff)
			}
		})
	}
	t.Run("too long a text", func(t *testing.T) {
		c := compare(nil, many(strings.Repeat("x", 20), 1000))
		if !c.tooLarge || c.diff != "" || c.added != 1000 || c.removed != 0 {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("too much to compare", func(t *testing.T) {
		c := compare(many("a", 2001), many("b", 2000))
		if !c.tooLarge || c.added != 2000 || c.removed != 2001 {
			t.Errorf("got %d, %d, %t", c.added, c.removed, c.tooLarge)
		}
	})
}

// FuzzCompare: what a diff says, done to the list before, gives the one after.
func FuzzCompare(f *testing.F) {
	f.Add("abcdef", "abxdef")
	f.Add("", "a")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 60 || len(b) > 60 {
			return
		}
		before, after := strings.Split(a, ""), strings.Split(b, "")
		steps := align(before, after)
		var old, now []string
		for _, s := range steps {
			if s.sign != '+' {
				old = append(old, s.json)
			}
			if s.sign != '-' {
				now = append(now, s.json)
			}
		}
		if !slices.Equal(old, before) && len(before) > 0 || !slices.Equal(now, after) && len(after) > 0 {
			t.Errorf("%q to %q: %v", a, b, steps)
		}
		if c := compare(before, after); c.changed() == slices.Equal(before, after) {
			t.Errorf("%q to %q: %+v", a, b, c)
		}
	})
}
