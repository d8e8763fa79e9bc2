package main

import "testing"

func TestBetween(t *testing.T) {
	got, err := between([]byte("a\n<!-- tools:begin -->\nold\n<!-- tools:end -->\nb <!-- tools:end -->\n"), "tools", []byte("new\n"))
	if want := "a\n<!-- tools:begin -->\nnew\n<!-- tools:end -->\nb <!-- tools:end -->\n"; err != nil || string(got) != want {
		t.Errorf("%q %v", got, err)
	}
	for _, text := range []string{"", "<!-- tools:begin -->\n", "<!-- tools:end -->\n<!-- tools:begin -->\n"} {
		if _, err := between([]byte(text), "tools", nil); err == nil {
			t.Errorf("%q has its marks", text)
		}
	}
}
