package pageagent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
)

func TestListElements(t *testing.T) {
	h := newFake(t, browser.Frame{ID: "f1", Origin: "https://shop.example"}, browser.Frame{ID: "f2", Origin: "https://ads.example"},
		browser.Frame{ID: "f3", Origin: "https://shop.example"})
	answers(h, "", opElements, ElementsReply{Numbers: []int{3, 7}, Role: []int{0, 1}, Roles: []string{"p", "input"}, Texts: []string{"a", "b"}, Valued: []int{1}, Values: []string{"v"}})
	answers(h, "f1", opElements, ElementsReply{Numbers: []int{1}, Role: []int{0}, Roles: []string{"a"}, Texts: []string{"c"}, More: "that is all"})
	answers(h, "f3", opElements, &browser.Error{Code: browser.CodeTimeout, Msg: "silent"})
	c := New(h, nil)
	to := browser.Target{Tab: "t1", Origins: browser.Origins(func(o browser.Origin) bool { return o == "https://shop.example" })}
	var got browser.Elements
	if err := c.Do(t.Context(), to, browser.ListElements{}, &got); err != nil {
		t.Fatal(err)
	}
	want := browser.Elements{Doc: 4, Frames: []browser.FrameElements{
		{Elements: []browser.Element{{N: 3, Role: "p", Text: "a"}, {N: 7, Role: "input", Text: "b", Value: "v"}}},
		{Frame: "f1", Elements: []browser.Element{{N: 1, Role: "a", Text: "c"}}, Missing: "that is all"},
		{Frame: "f2", Missing: "reading https://ads.example is not permitted"},
		{Frame: "f3", Missing: noAnswer},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, bad := range []ElementsReply{
		{Numbers: []int{1}},
		{Numbers: []int{1}, Role: []int{1}, Roles: []string{"a"}, Texts: []string{""}},
		{Numbers: []int{1}, Role: []int{-1}, Roles: []string{"a"}, Texts: []string{""}},
		{Valued: []int{0}, Values: []string{"v"}},
		{Valued: []int{0}},
	} {
		answers(h, "", opElements, bad)
		if err := c.Do(t.Context(), to, browser.ListElements{}, &got); browser.CodeOf(err) != browser.CodeInternal {
			t.Errorf("%+v gave %v", bad, err)
		}
	}
}
