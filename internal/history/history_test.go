package history

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
)

func tools(es []Entry) string {
	var out []string
	for _, e := range es {
		out = append(out, e.Tool)
	}
	return strings.Join(out, " ")
}

func TestFind(t *testing.T) {
	l := NewLog(10)
	for _, e := range []Entry{
		{Tool: "a", Client: "x", Tab: "t1"},
		{Tool: "b", Client: "y", Tab: "t1", Code: browser.CodeDenied},
		{Tool: "c", Client: "x", Tab: "t2"},
		{Tool: "a", Client: "x", Tab: "t2", Code: browser.CodeTimeout},
	} {
		l.Add(e)
	}
	for _, tt := range []struct {
		q    Query
		want string
	}{
		{Query{}, "a c b a"},
		{Query{Limit: 2}, "a c"},
		{Query{Client: "x"}, "a c a"},
		{Query{Tool: "a"}, "a a"},
		{Query{Tab: "t1"}, "b a"},
		{Query{Failed: true}, "a b"},
		{Query{Client: "x", Failed: true, Tab: "t2"}, "a"},
		{Query{Client: "z"}, ""},
	} {
		if got := tools(l.Find(tt.q)); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.q, got, tt.want)
		}
	}
}

func TestTheOldestGoFirst(t *testing.T) {
	l := NewLog(3)
	if got := l.Find(Query{}); got != nil {
		t.Errorf("an empty log has %v", got)
	}
	for _, name := range strings.Fields("a b c d e") {
		l.Add(Entry{Tool: name})
	}
	if got := tools(l.Find(Query{})); got != "e d c" {
		t.Errorf("got %q", got)
	}
}

func TestTextsAreBounded(t *testing.T) {
	l := NewLog(1)
	long := strings.Repeat("é", 5000) + "x"
	l.Add(Entry{Tool: long, Args: "x" + long, Error: long, Rule: long})
	e := l.Find(Query{})[0]
	for _, s := range []string{e.Tool, e.Args, e.Error, e.Rule} {
		if len(s) > maxArgs+len("…") || !utf8.ValidString(s) || !strings.HasSuffix(s, "…") {
			t.Errorf("%d bytes, valid %v", len(s), utf8.ValidString(s))
		}
	}
	l.Add(Entry{Args: `{"ref":"e1"}`})
	if diff := cmp.Diff(`{"ref":"e1"}`, l.Find(Query{})[0].Args); diff != "" {
		t.Error(diff)
	}
}
