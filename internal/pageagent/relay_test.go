package pageagent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// nest is a tab with three frames of its origin, one in the other, and in the
// innermost one a frame of another.
func nest(t *testing.T) *fakeHost {
	const here = "https://shop.example"
	return newFake(t, browser.Frame{ID: "f1", Origin: here}, browser.Frame{ID: "f2", Parent: "f1", Origin: here},
		browser.Frame{ID: "f3", Parent: "f2", Origin: here}, browser.Frame{ID: "f4", Parent: "f3", Origin: "https://card.example"})
}

// outlined is an outline of one line, with a frame in it.
func outlined(line, frame string) SnapshotReply {
	r := SnapshotReply{Text: line}
	if frame != "" {
		r.Frames = []FrameAnchor{{Frame: frame, Indent: 1}}
	}
	return r
}

func TestFramesOfOneOriginAreAskedInOneCall(t *testing.T) {
	h := nest(t)
	text := map[string]SnapshotReply{"": outlined("iframe f1", "f1"), "f1": outlined("iframe f2", "f2"), "f2": outlined("iframe f3", "f3"),
		"f3": outlined("iframe f4", "f4"), "f4": outlined(`text "there"`, "")}
	for f, r := range text {
		answers(h, browser.FrameID(f), opSnapshot, r)
	}
	reach := []string{"", "f1", "f2"}
	on(h, "", opRelay, func(a RelayArgs) (any, error) {
		want := []InnerFrame{{"f1", ""}, {"f2", "f1"}, {"f3", "f2"}}
		if a.Own != "" || !slices.Equal(a.Frames, want) {
			t.Errorf("relay of %q to %+v, want %+v", a.Own, a.Frames, want)
		}
		var out RelayReply
		for _, c := range a.Calls {
			var args SnapshotArgs
			if err := json.Unmarshal([]byte(c.Args), &args); err != nil || c.Op != opSnapshot || c.First < 1 || args.Prefix != prefix(browser.FrameID(c.Frame)) {
				t.Errorf("relayed %+v: %v", c, err)
			}
			if !slices.Contains(reach, c.Frame) {
				out.Replies = append(out.Replies, Relayed{})
				continue
			}
			raw, err := json.Marshal(text[c.Frame])
			if err != nil {
				t.Fatal(err)
			}
			out.Replies = append(out.Replies, Relayed{Reply: &Reply{OK: raw, Next: 7, Since: Since{Added: 1}}})
		}
		return out, nil
	})
	got, err := runOp[browser.Outline](h, t.Context(), browser.Snapshot{})
	want := "iframe f1\n  iframe f2\n    iframe f3\n      iframe f4\n        text \"there\""
	if err != nil || got.Text != want {
		t.Errorf("outline\n%s\n%v, want\n%s", got.Text, err, want)
	}
	if got.Since.Added != 3 {
		t.Errorf("since %+v, want what each frame that was reached tells", got.Since)
	}
	if want := "relay f4:snapshot\nf3:snapshot"; h.asked() != want {
		t.Errorf("asked:\n%s\nwant:\n%s", h.asked(), want)
	}

	// A relay that fails is as if there were none.
	answers(h, "", opRelay, &browser.Error{Code: browser.CodeInternal, Msg: "no relay"})
	if got, err := runOp[browser.Outline](h, t.Context(), browser.Snapshot{}); err != nil || got.Text != want {
		t.Errorf("outline without relay\n%s\n%v, want\n%s", got.Text, err, want)
	}
	if want := "\nsnapshot f1:snapshot f2:snapshot f3:snapshot"; !strings.HasSuffix(h.asked(), want) {
		t.Errorf("asked:\n%s\nwant at the end:%s", h.asked(), want)
	}
}

func TestAimClimbsInOneCall(t *testing.T) {
	h := nest(t)
	for _, parent := range []browser.FrameID{"", "f1", "f2", "f3"} {
		on(h, parent, opThroughMe, func(a ThroughArgs) (any, error) { return AimReply{OK: true, X: a.X + 100, Y: a.Y + 100}, nil })
	}
	var asked ClimbArgs
	on(h, "", opClimb, func(a ClimbArgs) (any, error) {
		asked = a
		return ClimbReply{Asked: 2, Last: AimReply{OK: true, X: a.X + 7, Y: a.Y + 7}}, nil
	})
	if _, err := observe(h, browser.Click{At: at(t, "f3:e1"), Acting: still}); err != nil {
		t.Fatal(err)
	}
	want := []InnerFrame{{"f1", ""}, {"f2", "f1"}, {"f3", "f2"}}
	if asked.Own != "" || !slices.Equal(asked.Frames, want) || asked.X != 10 || asked.Y != 20 || asked.For != "click" {
		t.Errorf("climb %+v", asked)
	}
	for _, line := range []string{"climb\nthroughMe\nmove 117,127", "f3:disarm", "f2:disarm", "f1:disarm", " disarm"} {
		if !strings.Contains(h.asked(), line) {
			t.Errorf("asked:\n%s\nwithout %q", h.asked(), line)
		}
	}

	// Each frame that was asked may have its guard armed, also when one refuses.
	answers(h, "", opClimb, ClimbReply{Asked: 1, Last: AimReply{Reason: "covered by dialog"}})
	_, err := observe(h, browser.Click{At: at(t, "f3:e1"), Acting: still})
	wantCode(t, err, browser.CodeNotActionable, "covered by dialog")
	if !strings.HasSuffix(h.asked(), "climb\nf3:disarm f2:disarm") {
		t.Errorf("asked:\n%s", h.asked())
	}

	// What was not reached is asked one by one, and so are few.
	answers(h, "", opClimb, ClimbReply{})
	for ref, move := range map[string]string{"f3:e1": "move 310,320", "f1:e1": "move 110,120", "f4:e1": "move 410,420"} {
		if _, err := observe(h, browser.Click{At: at(t, ref), Acting: still}); err != nil || !strings.Contains(h.asked(), move) {
			t.Errorf("click on %s: %v, asked:\n%s", ref, err, h.asked())
		}
	}
}
