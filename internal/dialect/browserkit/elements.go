package browserkit

import (
	"context"
	"unicode/utf16"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// tuple is a readable element: its path, role and text, and its value when it
// has one.
type tuple []string

func (t tuple) path() string { return t[0] }

// elements are the readable elements of a tab, and what is missing in the list,
// for people.
func (d *Dialect) elements(ctx context.Context, c *tool.Call) (list []tuple, missing string, err error) {
	var all browser.Elements
	if err := c.Do(ctx, browser.ListElements{}, &all); err != nil {
		return nil, "", err
	}
	out := []tuple{}
	for _, f := range all.Frames {
		id := d.frame(c.Tab().ID, f.Frame, all.Doc)
		if f.Missing != "" && missing == "" {
			missing = "frame " + id + ": " + f.Missing
		}
		for _, e := range f.Elements {
			t := tuple{pathOf(id, e.N), e.Role, e.Text}
			if e.Value != "" {
				t = append(t, e.Value)
			}
			out = append(out, t)
		}
	}
	return out, missing, nil
}

// units is the length of a text as the older server counted it (UTF-16).
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
