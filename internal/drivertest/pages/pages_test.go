package pages

import (
	"io/fs"
	"strings"
	"testing"
)

func TestNamesAreApart(t *testing.T) {
	all, err := Names()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 80 {
		t.Errorf("only %d names", len(all))
	}
	seen := map[string]bool{}
	for _, e := range all {
		number := strings.Fields(e.Name)[0]
		if seen[number] {
			t.Errorf("%s begins two names", number)
		}
		seen[number] = true
	}
}

func TestEveryPageHasAnOutline(t *testing.T) {
	all, err := fs.Glob(files, "*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range all {
		if page == "names.html" {
			continue
		}
		outline, err := files.ReadFile(strings.TrimSuffix(page, ".html") + ".outline")
		if err != nil || len(outline) == 0 {
			t.Errorf("%s has no outline: %v", page, err)
		}
	}
}
