package mcpserver

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// after is what a past gives a client that has read up to index.
func after(t *testing.T, p *past, stream string, index int) string {
	t.Helper()
	var got []string
	for e, err := range p.After(t.Context(), "", stream, index) {
		if err != nil {
			return err.Error()
		}
		got = append(got, string(e[:min(len(e), 4)]))
	}
	return strings.Join(got, " ")
}

func TestPast(t *testing.T) {
	p := newPast()
	put := func(stream, event string) {
		if err := p.Append(t.Context(), "", stream, []byte(event)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(stream string, index int, want string) {
		t.Helper()
		if got := after(t, p, stream, index); got != want {
			t.Errorf("after %q %d: %q, want %q", stream, index, got, want)
		}
	}
	want("", -1, "")
	want("a", 0, errForgotten.Error())
	for i := range 4 {
		put("a", "a"+strconv.Itoa(i))
		put("", "n"+strconv.Itoa(i))
	}
	want("a", 0, "a1 a2 a3")
	want("a", 3, "")
	want("a", 9, "")
	want("", -1, "n0 n1 n2 n3")

	large := strings.Repeat("x", pastBytes-3)
	put("b", large) // all else is too much then, oldest stream first
	want("a", 0, errForgotten.Error())
	want("a", 3, "")
	want("", 1, errForgotten.Error())
	want("", 2, "n3")
	put("a", "a4")
	want("a", 3, "a4")
	want("a", 2, errForgotten.Error())
	want("b", -1, "xxxx")
	want("", 3, "")
	put("", "n4")
	want("b", -1, "")
	want("", 3, "n4")
	want("", -1, "n4") // and a client that begins counts from there
	put("", "n5")
	want("", 0, "n5")
	put("c", large+large)
	want("c", -1, "xxxx")
	if p.bytes != len(large)*2 {
		t.Errorf("%d bytes", p.bytes)
	}
}

func TestPastIsBounded(t *testing.T) {
	p := newPast()
	event := bytes.Repeat([]byte("e"), 100)
	for i := range 3 * pastStreams {
		for _, stream := range []string{"", fmt.Sprint(i)} {
			if err := p.Append(t.Context(), "", stream, event); err != nil {
				t.Fatal(err)
			}
		}
	}
	sum := 0
	for _, s := range p.streams {
		for _, e := range s.events {
			sum += len(e)
		}
	}
	if len(p.streams) != pastStreams || len(p.order) != pastStreams || p.bytes != sum || p.bytes > pastBytes {
		t.Errorf("%d streams, %d in order, %d bytes, counted as %d", len(p.streams), len(p.order), sum, p.bytes)
	}
	if s := p.streams[""]; s == nil || s.first+len(s.events) != 3*pastStreams {
		t.Error("the stream that goes on for ever has lost count")
	}
	if err := p.SessionClosed(t.Context(), ""); err != nil || len(p.streams) != 0 || p.bytes != 0 {
		t.Errorf("%v, %d bytes", err, p.bytes)
	}
}
