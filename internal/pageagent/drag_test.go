package pageagent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

// apart makes e1 and e2 lie 100 px apart.
func apart(h *fakeHost) {
	on(h, "", opAim, func(a AimArgs) (any, error) {
		return AimReply{OK: true, X: float64(a.N * 100), Y: 50, Line: "e" + itoa(a.N) + ` button "B` + itoa(a.N) + `"`, Box: Box{X: float64(a.N*100) - 20, Y: 40, Width: 40, Height: 20}}, nil
	})
}

func TestDragFollowsTheMouse(t *testing.T) {
	h := newFake(t)
	apart(h)
	var first MouseEvent
	var held int
	h.onKey = func(e InputEvent) {
		if e.Mouse.Type == "down" {
			first = *e.Mouse
		}
		if e.Mouse.Type == "move" && e.Mouse.Hold && e.Mouse.Button == "left" {
			held++
		}
	}
	got, err := observe(h, browser.Drag{From: at(t, "e1"), To: at(t, "e2"), Modifiers: []string{"Shift"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Did != `dragged e1 button "B1" to e2 button "B2" with Shift` {
		t.Error(got.Did)
	}
	if first.X != 100 || first.Modifiers != 8 || held < 5 {
		t.Errorf("pressed %+v, %d moves", first, held)
	}
	log := h.asked()
	if !strings.Contains(log, "intercept\nmove 96,48\nmove 100,50\ndown 100,50\nmove 103,50\nmove 106,50\nmove 112,50\nobserve") {
		t.Errorf("began with\n%s", log)
	}
	if i, j := strings.LastIndex(log, "move 200,50"), strings.LastIndex(log, "up 200,50"); i < 0 || j < i || !strings.HasSuffix(log, "release") {
		t.Errorf("ended with\n%s", log)
	}
}

func TestDragCarriesData(t *testing.T) {
	for _, dropped := range []bool{true, false} {
		h := newFake(t)
		apart(h)
		answers(h, "", opObserve, ObserveReply{Hit: true, Lifted: true, Quiet: 1e6}, ObserveReply{Hit: true, Lifted: true, Dropped: dropped, Quiet: 1e6})
		got, err := observe(h, browser.Drag{From: at(t, "e1"), To: at(t, "e2")})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(got.Did, ", carrying text/plain") || got.Effect != browser.EffectNone {
			t.Errorf("observed %+v", got)
		}
		if note := strings.Join(got.Notes, ""); strings.Contains(note, "refused") == dropped {
			t.Errorf("dropped %v: %q", dropped, note)
		}
		if log := h.asked(); !strings.Contains(log, "enter 112,50\nover 112,50") || !strings.Contains(log, "over 200,50\ndrop 200,50") || strings.Contains(log, "\nup ") {
			t.Errorf("gave\n%s", log)
		}
	}
}

func TestDragWaitsUntilTheTargetRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		down := time.Time{}
		h.onKey = func(e InputEvent) {
			if e.Mouse.Type == "down" {
				down = time.Now()
			}
		}
		on(h, "", opAim, func(a AimArgs) (any, error) {
			switch {
			case a.N == 1:
				return AimReply{OK: true, X: 100, Y: 50}, nil
			case a.For == "drop":
				return AimReply{Reason: "not visible", Wait: true}, nil
			case time.Since(down) < 300*time.Millisecond:
				return AimReply{Reason: "moving", Wait: true}, nil
			}
			return AimReply{OK: true, X: 400, Y: 300}, nil
		})
		if _, err := observe(h, browser.Drag{From: at(t, "e1"), To: at(t, "e2")}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(h.asked(), "up 400,300") {
			t.Errorf("gave\n%s", h.asked())
		}
	})
}

func TestDragLetsGoWhenItComesToNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		lifted bool
		want   string
	}{
		"mouse": {false, "move 100,50\nup 100,50\ndisarm\nrelease"},
		"data":  {true, "cancel 100,50\ndisarm\nrelease"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFake(t)
			apart(h)
			answers(h, "", opObserve, ObserveReply{Hit: true, Lifted: tt.lifted})
			ctx, cancel := context.WithCancel(t.Context())
			h.onKey = func(e InputEvent) {
				if e.Mouse != nil && e.Mouse.X > 150 || e.Carry != nil && e.Carry.X > 150 {
					cancel()
				}
			}
			_, err := runOp[browser.Observation](h, ctx, browser.Drag{From: at(t, "e1"), To: at(t, "e2")})
			if err == nil || ctx.Err() == nil {
				t.Fatal("it was not cancelled")
			}
			log := strings.Split(h.asked(), "\n")
			if got := strings.Join(log, "\n"); !strings.Contains(got, strings.Split(tt.want, "\ndisarm")[0]) || !strings.Contains(got, "release") {
				t.Errorf("ended with\n%s", got)
			}
		})
	}
}

func TestDragThatIsHeldBackIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		apart(h)
		answers(h, "", opObserve, ObserveReply{Blocked: `dialog "News"`}, ObserveReply{Hit: true, Quiet: 1e6})
		if _, err := observe(h, browser.Drag{From: at(t, "e1"), To: at(t, "e2")}); err != nil {
			t.Fatal(err)
		}
		if n := h.count("down 100,50"); n != 2 {
			t.Errorf("pressed %d times:\n%s", n, h.asked())
		}
		answers(h, "", opObserve, ObserveReply{Blocked: `dialog "News"`})
		_, err := observe(h, browser.Drag{From: at(t, "e1"), To: at(t, "e2"), Acting: browser.Acting{Timeout: 300 * time.Millisecond}})
		wantCode(t, err, browser.CodeNotActionable, `covered by dialog "News"`)
	})
}

func TestDragNeedsBothEnds(t *testing.T) {
	h := newFake(t)
	_, err := observe(h, browser.Drag{From: at(t, "e1")})
	wantCode(t, err, browser.CodeInvalidArguments, "from and to")
	_, err = observe(h, browser.Drag{From: at(t, "e1"), To: at(t, "e2"), Modifiers: []string{"Hyper"}})
	wantCode(t, err, browser.CodeInvalidArguments, "Hyper")
}

func TestHoverLooksOnForTips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		began := time.Now()
		on(h, "", opDiff, func(DiffArgs) (any, error) {
			if time.Since(began) < 400*time.Millisecond {
				return DiffReply{}, nil
			}
			return DiffReply{Added: []string{`tooltip "Saves it"`}, Changed: true}, nil
		})
		got, err := observe(h, browser.Hover{At: at(t, "e6")})
		if err != nil {
			t.Fatal(err)
		}
		if got.Did != `hovered over e6 button "Pay"` || len(got.Added) != 1 {
			t.Errorf("observed %+v", got)
		}
		if log := h.asked(); !strings.Contains(log, "aim\nmove 7.5,18\nmove 10,20\n") || strings.Contains(log, "down") {
			t.Errorf("gave\n%s", log)
		}
	})
}
