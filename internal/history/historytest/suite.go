// Package historytest holds the tests that every history.Store passes.
package historytest

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
)

// began is when the first call of the tests began.
var began = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// Run tests the stores that open returns, each of them empty.
func Run(t *testing.T, open func(t *testing.T) history.Store) {
	for name, test := range map[string]func(*testing.T, history.Store){
		"every field": everyField, "queries": queries, "pages": pages, "texts are bounded": bounded,
		"clear": clearing, "one microsecond": oneMicrosecond,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Find returns what q finds in s, and where older entries begin.
func Find(t *testing.T, s history.Store, q history.Query) ([]history.Entry, history.ID) {
	t.Helper()
	p, err := s.Find(t.Context(), q)
	if err != nil || p.Fault != nil {
		t.Fatal(err, p.Fault)
	}
	return p.Entries, p.Next
}

// Tools returns the tools of the entries that q finds, with spaces between.
func Tools(t *testing.T, s history.Store, q history.Query) string {
	t.Helper()
	entries, _ := Find(t, s, q)
	var out []string
	for _, e := range entries {
		out = append(out, e.Tool)
	}
	return strings.Join(out, " ")
}

// Full is an entry with something in every field but ID.
func Full() history.Entry {
	return history.Entry{
		Time: began, Client: "claude", Session: "s-1", Tool: "click", PageTool: "add_to_cart", Action: "act", Tab: "t3", Doc: 4, Origin: "https://shop.example",
		Args: `{"ref":"e12"}`, Rule: "rules.yaml:1", Code: browser.CodeDenied, Error: "act is denied", Took: 84 * time.Millisecond, Bytes: 512,
	}
}

func everyField(t *testing.T, s history.Store) {
	want := Full()
	s.Add(want)
	got, _ := Find(t, s, history.Query{})
	want.ID = history.IDAt(want.Time.Add(want.Took))
	if diff := cmp.Diff([]history.Entry{want}, got); diff != "" {
		t.Error(diff)
	}
}

func queries(t *testing.T, s history.Store) {
	for i, e := range []history.Entry{
		{Tool: "a", Client: "x", Tab: "t1", Session: "1", Args: `{"text":"Größe 100%"}`},
		{Tool: "b", Client: "y", Tab: "t1", Session: "2", Code: browser.CodeDenied, Error: "Act is denied"},
		{Tool: "c", PageTool: "Add_to_cart", Client: "x", Tab: "t2", Session: "1", Origin: "https://shop.example"},
		{Tool: "d", Client: "x", Tab: "t2", Session: "3", Code: browser.CodeTimeout, Args: `{"x_y":1}`},
	} {
		e.Time, e.Took = began.Add(time.Duration(i)*time.Minute), time.Second
		s.Add(e)
	}
	for _, tt := range []struct {
		q    history.Query
		want string
	}{
		{history.Query{}, "d c b a"},
		{history.Query{Limit: 2}, "d c"},
		{history.Query{Client: "x"}, "d c a"},
		{history.Query{Session: "1"}, "c a"},
		{history.Query{Tool: "a"}, "a"},
		{history.Query{Tool: "Add_to_cart"}, "c"},
		{history.Query{Tool: "c"}, "c"},
		{history.Query{Tool: "Add_to_cart", Client: "y"}, ""},
		{history.Query{Text: "to_CART"}, "c"},
		{history.Query{Tab: "t1"}, "b a"},
		{history.Query{Failed: true}, "d b"},
		{history.Query{Client: "x", Failed: true, Tab: "t2"}, "d"},
		{history.Query{Client: "z"}, ""},
		{history.Query{Client: "x' OR 1=1 --"}, ""},
		{history.Query{Since: began.Add(61 * time.Second)}, "d c b"},
		{history.Query{Since: began.Add(62 * time.Second)}, "d c"},
		{history.Query{Until: began.Add(61 * time.Second)}, "a"},
		{history.Query{Text: "IS DENIED"}, "b"},
		{history.Query{Text: "größe"}, "a"},
		{history.Query{Text: "GRÖSSE"}, ""},
		{history.Query{Text: "0%"}, "a"},
		{history.Query{Text: "%"}, "a"},
		{history.Query{Text: "x_"}, "d"},
		{history.Query{Text: "_"}, "d c"},
		{history.Query{Text: "shop.example", Client: "x"}, "c"},
		{history.Query{Text: `\`}, ""},
	} {
		if got := Tools(t, s, tt.q); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.q, got, tt.want)
		}
	}
}

func pages(t *testing.T, s history.Store) {
	const n = 25
	for i := range n {
		s.Add(history.Entry{Time: began.Add(time.Duration(i) * time.Second), Client: "x", Tool: fmt.Sprint(i)})
	}
	var got []string
	var before history.ID
	for page := 0; page == 0 || before != 0; page++ {
		var entries []history.Entry
		entries, before = Find(t, s, history.Query{Client: "x", Limit: 10, Before: before})
		for _, e := range entries {
			got = append(got, e.Tool)
		}
		s.Add(history.Entry{Time: began.Add(time.Hour + time.Duration(page)*time.Second), Client: "x", Tool: "new"}) // moves no page
		if page > 3 {
			t.Fatal("the pages do not end")
		}
	}
	if len(got) != n || got[0] != "24" || got[n-1] != "0" {
		t.Errorf("got %v", got)
	}
	if _, next := Find(t, s, history.Query{Limit: n + 3}); next != 0 {
		t.Error("there is a next page of nothing")
	}
}

func bounded(t *testing.T, s history.Store) {
	long := strings.Repeat("é", 5000) + "x"
	e := Full()
	e.Tool, e.PageTool, e.Args, e.Error, e.Rule = long, long, "x"+long, long, long
	s.Add(e)
	entries, _ := Find(t, s, history.Query{})
	for _, text := range []string{entries[0].Tool, entries[0].PageTool, entries[0].Args, entries[0].Error, entries[0].Rule} {
		if len(text) > 2048+len("…") || !utf8.ValidString(text) || !strings.HasSuffix(text, "…") {
			t.Errorf("%d bytes, valid %v", len(text), utf8.ValidString(text))
		}
	}
}

func clearing(t *testing.T, s history.Store) {
	clear := func(want int) {
		t.Helper()
		if n, err := s.Clear(t.Context(), "x"); err != nil || n != want {
			t.Errorf("cleared %d, %v, want %d", n, err, want)
		}
	}
	clear(0)
	for i, e := range []history.Entry{{Tool: "a", Client: "x"}, {Tool: "b", Client: "y"}, {Tool: "c", Client: "x"}} {
		e.Time = began.Add(time.Duration(i) * time.Second)
		s.Add(e)
	}
	clear(2)
	clear(0)
	s.Add(history.Entry{Tool: "d", Client: "x", Time: began.Add(time.Minute)})
	for _, tt := range []struct {
		q    history.Query
		want string
	}{
		{history.Query{Client: "x", Uncleared: true}, "d"},
		{history.Query{Client: "y", Uncleared: true}, "b"},
		{history.Query{Client: "x"}, "d c a"}, // the person keeps them
	} {
		if got := Tools(t, s, tt.q); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.q, got, tt.want)
		}
	}
	clear(1)
}

// Calls that end in one microsecond, and while the clock is set back, stay in
// the order in which they ended.
func oneMicrosecond(t *testing.T, s history.Store) {
	for i, name := range strings.Fields("a b c d") {
		s.Add(history.Entry{Tool: name, Time: began.Add(-time.Duration(i/2) * time.Hour)})
	}
	if got := Tools(t, s, history.Query{}); got != "d c b a" {
		t.Errorf("got %q", got)
	}
}
