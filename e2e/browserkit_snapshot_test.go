package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

// pageSize is how many UTF-16 units a page has at most.
const pageSize = 8192

func utf16Of(s string) []uint16 { return utf16.Encode([]rune(s)) }

func pageURI(kind, snapshot string, number int) string {
	return fmt.Sprintf("bk:///snapshot-types/%s/snapshots/%s/pages/%d", kind, snapshot, number)
}

var kitSnapshots = kitArea{name: "snapshot", behaviours: []behaviour{
	{"92 text in two pages", func(k *kit) {
		t := k.open("/snapshot-test")
		s := t.snapshot(t.resource(t.uri() + "/readable-text"))
		if s.TotalPages != 2 || len(utf16Of(t.textOf(s))) != pageSize {
			t.Fatalf("%d pages, the first with %d", s.TotalPages, len(utf16Of(t.textOf(s))))
		}
		t.has(t.textOf(s), "This is paragraph number 1.")
		second := t.snapshot(t.resource(pageURI("readable-text", s.SnapshotID, 2)))
		t.has(t.textOf(second), "This is paragraph number 25.")
		again := t.snapshot(t.resource(pageURI("readable-text", s.SnapshotID, 1)))
		if string(again.Data) != string(s.Data) {
			t.Error("the first page is another one")
		}
	}},
	{"93 elements in pages", func(k *kit) {
		t := k.open("/snapshot-test")
		s := t.snapshot(t.resource(t.uri() + "/readable-elements"))
		if s.TotalPages < 2 {
			t.Fatalf("%d pages", s.TotalPages)
		}
		n := 0
		for number := 1; number <= s.TotalPages; number++ {
			p := t.snapshot(t.resource(pageURI("readable-elements", s.SnapshotID, number)))
			size := 0
			for _, x := range t.tuples(p) {
				b, err := json.Marshal(x)
				if err != nil {
					t.Fatal(err)
				}
				size += len(utf16Of(string(b)))
				if strings.HasPrefix(x[2], "Button Number") {
					n++
				}
			}
			if size > pageSize || size < pageSize/2 && number < s.TotalPages {
				t.Errorf("page %d has %d", number, size)
			}
		}
		if n != 220 {
			t.Errorf("%d buttons", n)
		}
	}},
	{"94 pages that are none", func(k *kit) {
		t := k.open("/snapshot-test")
		s := t.snapshot(t.resource(t.uri() + "/readable-text"))
		k.rejects(pageURI("readable-text", s.SnapshotID, 3), "Page 3 out of range (1–2) for snapshot ID: "+s.SnapshotID)
		k.rejects(pageURI("readable-text", "snapshot-fake", 1), "No cached snapshot pages found for snapshot ID: snapshot-fake")
		k.rejects(pageURI("readable-elements", s.SnapshotID, 1), "does not match cached type (readable-text)")
		k.rejects(pageURI("readable-text", s.SnapshotID, 0), "Unknown or malformed bk resource ID")
	}},
	{"95 a snapshot outlives its page", func(k *kit) {
		t := k.open("/snapshot-test")
		s := t.snapshot(t.resource(t.uri() + "/readable-text"))
		t.moveTo("/home")
		t.moveTo("/snapshot-test")
		t.has(t.textOf(t.snapshot(t.resource(pageURI("readable-text", s.SnapshotID, 2)))), "This is paragraph number 25.")
		if now := t.snapshot(t.resource(t.uri() + "/readable-text")); now.SnapshotID == s.SnapshotID {
			t.Errorf("the new one is %s too", now.SnapshotID)
		}
	}},
	{"+ a snapshot outlives its tab", func(k *kit) {
		t := k.open("/snapshot-test")
		s := t.readText()
		t.do("closeTab", t.args(nil))
		t.has(t.textOf(k.page(s, "readable-text", 2)), "This is paragraph number 25.")
	}},
}}

// moveTo has the tab show another page.
func (t *kitTab) moveTo(path string) {
	t.Helper()
	t.url = t.near + path
	t.js(fmt.Sprintf("setTimeout(() => location.assign(%q)); return 1", t.url))
	t.await()
}
