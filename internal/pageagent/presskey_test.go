package pageagent

import (
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestPressKey(t *testing.T) {
	for _, tt := range []struct {
		op   browser.PressKey
		did  string
		want string
	}{
		{browser.PressKey{Keys: "ctrl+a"}, "pressed Control+a", "aim\nkey down Control\nkey down a\nkey up a\nkey up Control\nobserve diff"},
		{browser.PressKey{Keys: "ArrowDown", Times: 2}, "pressed ArrowDown 2 times", "aim\nkey down ArrowDown\nkey up ArrowDown\nkey down ArrowDown\nkey up ArrowDown\nobserve diff"},
		{browser.PressKey{Text: "hé"}, `typed 2 characters`, "aim\nkey down h\nkey up h\ntext \"é\"\nobserve diff"},
		{browser.PressKey{Keys: "Enter", At: at(t, "e3")}, `pressed Enter in e3 button "Pay"`,
			"aim\nmove 10,20\ndown 10,20\nup 10,20\nobserve disarm\nkey down Enter\nkey up Enter\nobserve diff"},
	} {
		h := newFake(t)
		tt.op.Acting = still
		got, err := observe(h, tt.op)
		if err != nil {
			t.Fatal(err)
		}
		if got.Did != tt.did || got.Effect != browser.EffectNone {
			t.Errorf("observation: %+v", got)
		}
		if h.asked() != tt.want {
			t.Errorf("asked:\n%s\nwant:\n%s", h.asked(), tt.want)
		}
	}
}

func TestPressKeyAfterAClickThatNavigates(t *testing.T) {
	h := newFake(t)
	h.onKey = func(e InputEvent) {
		if e.Mouse != nil {
			h.do(func(a *Activity) { a.Committed, a.Doc = true, 5 })
		}
	}
	_, err := observe(h, browser.PressKey{Text: "x", At: at(t, "e3")})
	wantCode(t, err, browser.CodeStaleDocument, "the click before the keys did that")
	if strings.Contains(h.asked(), "key") {
		t.Errorf("asked:\n%s", h.asked())
	}
}

func TestPressKeyClaimsNothingOfFramesThatItDoesNotSee(t *testing.T) {
	var frames []browser.Frame
	for _, id := range []browser.FrameID{"f1", "f2", "f3", "f4", "f5", "f6"} {
		frames = append(frames, browser.Frame{ID: id, Origin: "https://shop.example"})
	}
	got, err := observe(newFake(t, frames...), browser.PressKey{Keys: "x", Acting: still})
	if err != nil || got.Effect != browser.EffectUnknown {
		t.Errorf("effect %q, %v", got.Effect, err)
	}
}

func TestPressKeyRefuses(t *testing.T) {
	for _, op := range []browser.PressKey{{}, {Keys: "a", Text: "a"}, {Keys: "Nope"}, {Keys: "a", Times: -1}, {Keys: "a", Times: 5000}, {Text: strings.Repeat("x", typedMost+1)}} {
		h := newFake(t)
		_, err := observe(h, op)
		wantCode(t, err, browser.CodeInvalidArguments)
		if h.asked() != "" {
			t.Errorf("asked %s", h.asked())
		}
	}
}

func TestScroll(t *testing.T) {
	moved := ScrollReply{Line: `e20 list "Terms"`, DY: 300, Top: 300, Height: 1200, View: 400}
	end := ScrollReply{Line: `e20 list "Terms"`, Top: 800, Height: 1200, View: 400}
	for _, tt := range []struct {
		name   string
		op     browser.Scroll
		reply  ScrollReply
		args   ScrollArgs
		did    string
		effect browser.Changed
		note   string
	}{
		{"the page", browser.Scroll{Direction: "down"}, moved, ScrollArgs{Direction: "down"}, `scrolled e20 list "Terms" down by 300 px (now at 300 of 1200, 400 in view)`, browser.EffectConfirmed, ""},
		{"a container", browser.Scroll{Ref: ref(t, "e20"), Direction: "down", Amount: 50}, moved, ScrollArgs{N: 20, Direction: "down", Amount: 50}, "", browser.EffectConfirmed, ""},
		{"to an element", browser.Scroll{To: "e9"}, moved, ScrollArgs{Into: 9}, `scrolled e9 button "Pay" into view (now at 300 of 1200, 400 in view)`, browser.EffectConfirmed, ""},
		{"at the end", browser.Scroll{Ref: ref(t, "e20"), Direction: "down"}, end, ScrollArgs{N: 20, Direction: "down"}, "", browser.EffectNone, "already at the end"},
		{"to the bottom again", browser.Scroll{To: "bottom"}, end, ScrollArgs{To: "bottom"}, "", browser.EffectNone, "already at the end"},
		{"at the top", browser.Scroll{Direction: "up"}, ScrollReply{Height: 1200, View: 400}, ScrollArgs{Direction: "up"}, "", browser.EffectNone, "already at the top"},
		{"nothing to scroll", browser.Scroll{Direction: "down"}, ScrollReply{Height: 400, View: 400}, ScrollArgs{Direction: "down"}, "", browser.EffectNone, "cannot scroll"},
		{"sideways", browser.Scroll{Direction: "left"}, ScrollReply{Height: 400, View: 400}, ScrollArgs{Direction: "left"}, "", browser.EffectNone, "cannot scroll further left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFake(t)
			var args ScrollArgs
			on(h, "", opScroll, func(a ScrollArgs) (any, error) { args = a; return tt.reply, nil })
			tt.op.Acting = still
			got, err := observe(h, tt.op)
			if err != nil {
				t.Fatal(err)
			}
			if args != tt.args {
				t.Errorf("asked with %+v", args)
			}
			if tt.did != "" && got.Did != tt.did {
				t.Errorf("did %s", got.Did)
			}
			if notes := strings.Join(got.Notes, "\n"); got.Effect != tt.effect || !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("observation: %+v", got)
			}
		})
	}
}

func TestScrollRefuses(t *testing.T) {
	for _, op := range []browser.Scroll{{}, {Direction: "down", To: "top"}, {Direction: "sideways"}, {To: "end"}, {Direction: "up", Amount: -3}, {To: "f2:e1", Ref: ref(t, "e3")}} {
		_, err := observe(newFake(t), op)
		wantCode(t, err, browser.CodeInvalidArguments)
	}
}
