package pageagent

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

var still = browser.Acting{Settle: browser.Settle{None: true}}

// nested is a tab with a frame in a frame; each parent moves points by 100.
func nested(t *testing.T) *fakeHost {
	h := newFake(t, browser.Frame{ID: "f2", Origin: "https://pay.example"}, browser.Frame{ID: "f3", Parent: "f2", Origin: "https://card.example"},
		browser.Frame{ID: "f4", Origin: "https://shop.example"})
	for _, parent := range []browser.FrameID{"", "f2"} {
		on(h, parent, opThroughMe, func(a ThroughArgs) (any, error) { return AimReply{OK: true, X: a.X + 100, Y: a.Y + 100}, nil })
	}
	return h
}

func TestAimGoesUpThroughTheFrames(t *testing.T) {
	h := nested(t)
	var through []ThroughArgs
	for _, parent := range []browser.FrameID{"", "f2"} {
		inner := h.agents[parent][opThroughMe]
		on(h, parent, opThroughMe, func(a ThroughArgs) (any, error) {
			through = append(through, a)
			return inner(t.Context(), a)
		})
	}
	if _, err := observe(h, browser.Click{At: at(t, "f3:e1"), Acting: still}); err != nil {
		t.Fatal(err)
	}
	want := "f3:aim aim f2:aim f4:aim\nf2:throughMe\nthroughMe\nmove 210,220\ndown 210,220\nup 210,220\n" +
		"observe diff f2:observe f2:diff f3:observe f3:diff f4:observe f4:diff f3:disarm f2:disarm disarm"
	if h.asked() != want {
		t.Errorf("asked:\n%s\nwant:\n%s", h.asked(), want)
	}
	if !slices.Equal(through, []ThroughArgs{{Frame: "f3", X: 10, Y: 20, For: "click"}, {Frame: "f2", X: 110, Y: 120, For: "click"}}) {
		t.Errorf("through %+v", through)
	}
}

func TestAimWaitsForAncestorsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := nested(t)
		answers(h, "", opThroughMe, AimReply{Reason: `covered by dialog "Cookies"`, Wait: true}, AimReply{OK: true, X: 1, Y: 2})
		if _, err := observe(h, browser.Click{At: at(t, "f3:e1"), Acting: still}); err != nil {
			t.Fatal(err)
		}
		answers(h, "", opThroughMe, AimReply{Reason: `covered by dialog "Cookies"`, Wait: true})
		_, err := observe(h, browser.Click{At: at(t, "f3:e1"), Acting: browser.Acting{Timeout: time.Second}})
		wantCode(t, err, browser.CodeNotActionable, `f3:e1 button "Pay" is covered by dialog "Cookies"`)
		if !strings.HasSuffix(h.asked(), "f3:disarm f2:disarm disarm") {
			t.Errorf("guards left armed:\n%s", h.asked())
		}
	})
}

func TestAimAtAPointGoesDownIntoFrames(t *testing.T) {
	h := nested(t)
	spot := browser.Spot{Point: &browser.Point{X: 300, Y: 400}}
	on(h, "", opAim, func(a AimArgs) (any, error) {
		return AimReply{OK: true, Frame: "f2", FrameX: a.X - 100, FrameY: a.Y - 100, Line: "iframe f2"}, nil
	})
	var inner AimArgs
	on(h, "f2", opAim, func(a AimArgs) (any, error) {
		if a.For != "record" {
			inner = a
		}
		return AimReply{OK: true, Line: `f2:e9 button "Pay"`}, nil
	})
	got, err := observe(h, browser.Click{At: spot, Acting: still})
	if err != nil {
		t.Fatal(err)
	}
	if inner.X != 200 || inner.Y != 300 || !inner.Continue {
		t.Errorf("aimed in the frame with %+v", inner)
	}
	if got.Did != `clicked f2:e9 button "Pay" at 300,400` || h.count("down 300,400") != 1 {
		t.Errorf("%s\n%s", got.Did, h.asked())
	}
	only := browser.Target{Tab: "t3", Origins: browser.Origins(func(o browser.Origin) bool { return o == "https://shop.example" })}
	err = New(h, nil).Do(t.Context(), only, browser.Click{At: spot}, nil)
	wantCode(t, err, browser.CodeOriginChanged, "https://pay.example")
}

func TestChangesAreRecordedInFewFrames(t *testing.T) {
	var frames []browser.Frame
	for _, id := range []browser.FrameID{"f1", "f2", "f3", "f4", "f5", "f6"} {
		frames = append(frames, browser.Frame{ID: id, Origin: "https://shop.example"})
	}
	for _, n := range []int{4, 6} {
		h := newFake(t, frames[:n]...)
		if _, err := observe(h, browser.Click{At: at(t, "e1"), Acting: still}); err != nil {
			t.Fatal(err)
		}
		all := strings.Count(h.asked(), ":diff") == n
		if all != (n <= fewFrames) {
			t.Errorf("%d frames: %s", n, h.asked())
		}
	}
}

func TestElementNumbersGoOnOverDocuments(t *testing.T) {
	h := newFake(t, browser.Frame{ID: "f2", Origin: "https://shop.example"})
	h.next[""], h.next["f2"] = 41, 7
	for f := range h.agents {
		answers(h, f, opFind, FindReply{})
	}
	c := New(h, nil)
	find := func() []FrameCall {
		t.Helper()
		if err := c.Do(t.Context(), everywhere, browser.Find{Text: "x"}, nil); err != nil {
			t.Fatal(err)
		}
		return h.batches[len(h.batches)-1]
	}
	if got := find(); got[0].First != 1 || got[1].First != 1 {
		t.Errorf("first call: %+v", got)
	}
	h.next[""] = 3 // another document, which was told to begin later, says so
	if got := find(); got[0].First != 41 || got[1].First != 1 {
		t.Errorf("second call: %+v", got)
	}
	c.Forget("t3")
	if got := find(); got[0].First != 1 {
		t.Errorf("after the tab is forgotten: %+v", got)
	}
}

func TestSinceIsCountedOnce(t *testing.T) {
	h := newFake(t)
	h.since = Since{Added: 3, Removed: 1}
	got, err := observe(h, browser.Click{At: at(t, "e1"), Acting: still})
	if err != nil || got.Since != (browser.Since{Added: 3, Removed: 1}) {
		t.Errorf("since %+v, %v", got.Since, err)
	}
}

func TestElementBoxIsMappedToTheMainViewport(t *testing.T) {
	h := nested(t)
	scale := func(a ThroughArgs) (any, error) { return AimReply{OK: true, X: 2*a.X + 50, Y: 2*a.Y + 60}, nil }
	on(h, "", opThroughMe, scale)
	got, line, err := New(h, nil).ElementBox(t.Context(), everywhere, ref(t, "f3:e1"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (browser.Rect{X: 260, Y: 290, Width: 20, Height: 20}); got != want || line != `f3:e1 button "Pay"` {
		t.Errorf("%+v %s, want %+v", got, line, want)
	}
}

func TestLabelsOfAllFrames(t *testing.T) {
	h := nested(t)
	answers(h, "", opDescribe, DescribeReply{ViewWidth: 300, ViewHeight: 300})
	answers(h, "", opBoxes, BoxesReply{Boxes: []RefBox{{Ref: "e1", Line: "e1 button", Box: Box{X: 1, Y: 2, Width: 3, Height: 4}}}})
	answers(h, "f3", opBoxes, BoxesReply{Boxes: []RefBox{{Ref: "f3:e1", Box: Box{X: 50, Y: 50, Width: 20, Height: 20}}, {Ref: "f3:e2", Box: Box{X: 150, Y: 0, Width: 20, Height: 20}}}})
	got, err := New(h, nil).Labels(t.Context(), everywhere, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []Label{{Ref: ref(t, "e1"), Line: "e1 button", Rect: browser.Rect{X: 1, Y: 2, Width: 3, Height: 4}},
		{Ref: ref(t, "f3:e1"), Rect: browser.Rect{X: 250, Y: 250, Width: 20, Height: 20}}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
