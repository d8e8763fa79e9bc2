package browserkit

import (
	"fmt"
	"strings"
	"testing"
)

func TestTextPages(t *testing.T) {
	for _, tt := range []struct {
		about, text string
		lengths     []int
	}{
		{"none", "", []int{0}},
		{"one", "short", []int{5}},
		{"just one", strings.Repeat("a", 8192), []int{8192}},
		{"two", strings.Repeat("a", 8193), []int{8192, 1}},
		{"no half of a character", strings.Repeat("a", 8191) + "😀b", []int{8191, 3}},
		{"what counts is not bytes", strings.Repeat("ж", 8192), []int{8192}},
	} {
		t.Run(tt.about, func(t *testing.T) {
			pages := textPages(tt.text)
			var whole strings.Builder
			var lengths []int
			for _, p := range pages {
				whole.WriteString(p.(string))
				lengths = append(lengths, units(p.(string)))
			}
			if whole.String() != tt.text || fmt.Sprint(lengths) != fmt.Sprint(tt.lengths) {
				t.Errorf("got pages of %v", lengths)
			}
		})
	}
}

func TestElementPages(t *testing.T) {
	if got := compact(elementPages([]tuple{})); got != "[[]]" {
		t.Errorf("no elements: %s", got)
	}
	long := tuple{"f1:e1", "p", strings.Repeat("x", 9000)}
	short := tuple{"f1:e2", "p", "y"}
	pages := elementPages([]tuple{short, long, short, short})
	if got := len(pages); got != 3 {
		t.Fatalf("%d pages", got)
	}
	if got := compact(pages[2]); got != `[["f1:e2","p","y"],["f1:e2","p","y"]]` {
		t.Errorf("the last page is %s", got)
	}
}

func TestSnapshots(t *testing.T) {
	d := &Dialect{}
	first := d.keep(kindText, content{pages: []any{"a", "b"}, size: 2})
	if got := compact(first); got != `{"snapshotId":"`+first.SnapshotID+`","pageNumber":1,"nextPageNumber":2,"hasNextPage":true,"totalPages":2,"data":"a"}` {
		t.Errorf("got %s", got)
	}
	if len(first.SnapshotID) != len("snapshot:")+8 {
		t.Errorf("the id is %s", first.SnapshotID)
	}
	last, why := d.again(first.SnapshotID, kindText, 2)
	if got := compact(last); why != "" || got != `{"snapshotId":"`+first.SnapshotID+`","pageNumber":2,"nextPageNumber":null,"hasNextPage":false,"totalPages":2,"data":"b"}` {
		t.Errorf("got %s, %s", got, why)
	}
	for _, tt := range []struct {
		id, kind string
		n        int
		why      string
	}{
		{"snapshot-fake", kindText, 1, "No cached snapshot pages found for snapshot ID: snapshot-fake. Read page 1 first to fetch and cache content."},
		{first.SnapshotID, kindHTML, 1, "Requested snapshot type (readable-element-html) does not match cached type (readable-text) for snapshot ID: " + first.SnapshotID},
		{first.SnapshotID, kindText, 3, "Page 3 out of range (1–2) for snapshot ID: " + first.SnapshotID},
		{first.SnapshotID, kindText, 0, "Page 0 out of range (1–2) for snapshot ID: " + first.SnapshotID},
	} {
		if _, why := d.again(tt.id, tt.kind, tt.n); why != tt.why {
			t.Errorf("got %s\nwant %s", why, tt.why)
		}
	}
	for range mostSnapshots - 1 {
		d.keep(kindText, content{pages: []any{""}, size: 0})
	}
	if _, why := d.again(first.SnapshotID, kindText, 1); why != "" {
		t.Errorf("the oldest of %d: %s", mostSnapshots, why)
	}
	d.keep(kindText, content{pages: []any{""}, size: 0})
	if _, why := d.again(first.SnapshotID, kindText, 1); why == "" {
		t.Errorf("more than %d are kept", mostSnapshots)
	}
	d.keep(kindText, content{pages: []any{""}, size: mostKept})
	if len(d.snapshots) != 51-1 {
		t.Errorf("%d are kept", len(d.snapshots))
	}
	big := d.keep(kindText, content{pages: []any{""}, size: mostKept + 1})
	if _, why := d.again(big.SnapshotID, kindText, 1); why != "" || len(d.snapshots) != 1 {
		t.Errorf("%d are kept beside one that is too large: %s", len(d.snapshots), why)
	}
}
