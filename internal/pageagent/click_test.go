package pageagent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

func TestClickWithoutSettlingTakesThreeRoundTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.rtt = 2 * time.Millisecond
		answers(h, "", opDiff, DiffReply{Added: []string{`e14 status "Paid"`}, Changed: true})
		began := time.Now()
		got, err := observe(h, browser.Click{At: at(t, "e6"), Acting: browser.Acting{Settle: browser.Settle{None: true}}})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 6*time.Millisecond {
			t.Errorf("took %v", took)
		}
		want := "aim\nmove 10,20\ndown 10,20\nup 10,20\nobserve diff disarm"
		if h.asked() != want {
			t.Errorf("asked:\n%s\nwant:\n%s", h.asked(), want)
		}
		if got.Did != `clicked e6 button "Pay"` || got.Effect != browser.EffectConfirmed || len(got.Added) != 1 {
			t.Errorf("observation: %+v", got)
		}
	})
}

func TestClickSettlesWithinItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.rtt = 3 * time.Millisecond
		began := time.Now()
		got, err := observe(h, browser.Click{At: at(t, "e6")})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 410*time.Millisecond || took < 400*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if got.Effect != browser.EffectNone {
			t.Errorf("effect %q, want none: the click arrived and nothing changed", got.Effect)
		}
	})
}

func TestClickModifiersAndCount(t *testing.T) {
	h := newFake(t)
	var last MouseEvent
	h.onKey = func(e InputEvent) { last = *e.Mouse }
	got, err := observe(h, browser.Click{At: at(t, "e6"), Button: "right", Count: 2, Modifiers: []string{"ctrl", "Shift"},
		Acting: browser.Acting{Settle: browser.Settle{None: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if last != (MouseEvent{Type: "up", X: 10, Y: 20, Button: "right", Count: 2, Modifiers: 10}) {
		t.Errorf("last event %+v", last)
	}
	if got.Did != `double-right-clicked e6 button "Pay" with Control+Shift` {
		t.Error(got.Did)
	}
}

func TestClickRefusesBadArguments(t *testing.T) {
	for name, op := range map[string]browser.Click{
		"button":   {At: at(t, "e1"), Button: "fourth"},
		"count":    {At: at(t, "e1"), Count: 9},
		"modifier": {At: at(t, "e1"), Modifiers: []string{"Hyper"}},
		"spot":     {},
	} {
		h := newFake(t)
		_, err := observe(h, op)
		wantCode(t, err, browser.CodeInvalidArguments)
		if h.asked() != "" {
			t.Errorf("%s: the page was asked %q", name, h.asked())
		}
	}
}

func TestClickWaitsUntilActionable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		began := time.Now()
		on(h, "", opAim, func(a AimArgs) (any, error) {
			if time.Since(began) < 1300*time.Millisecond {
				return AimReply{Reason: "disabled", Wait: true, Line: `e6 button "Pay" disabled`}, nil
			}
			return AimReply{OK: true, X: 1, Y: 2, Line: `e6 button "Pay"`}, nil
		})
		if _, err := observe(h, browser.Click{At: at(t, "e6")}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 1800*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

func TestClickGivesUp(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply AimReply
		op    browser.Click
		waits time.Duration // at least; never more than 100 ms longer
		words []string
	}{
		{"at once when waiting cannot help", AimReply{Reason: "read-only", Line: `e6 textbox "Order"`}, browser.Click{}, 0, []string{`e6 textbox "Order" is read-only`}},
		{"after five seconds", AimReply{Reason: `covered by dialog "Cookies"`, Wait: true, Line: `e6 button "Pay"`}, browser.Click{}, 4900 * time.Millisecond,
			[]string{`e6 button "Pay" is covered by dialog "Cookies"`, "waited 5s", "close it"}},
		{"after its own timeout", AimReply{Reason: "not visible", Wait: true}, browser.Click{Acting: browser.Acting{Timeout: 300 * time.Millisecond}}, 200 * time.Millisecond,
			[]string{"e6 is not visible"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newFake(t)
				answers(h, "", opAim, tt.reply)
				tt.op.At = at(t, "e6")
				began := time.Now()
				_, err := observe(h, tt.op)
				wantCode(t, err, browser.CodeNotActionable, tt.words...)
				if took := time.Since(began); took < tt.waits || took > tt.waits+100*time.Millisecond {
					t.Errorf("took %v", took)
				}
				if strings.Contains(h.asked(), "move") {
					t.Error("input was given")
				}
			})
		})
	}
}

func TestClickThatIsSwallowedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		answers(h, "", opObserve, ObserveReply{Quiet: 500, Blocked: `dialog "Cookies"`}, ObserveReply{Quiet: 500, Hit: true})
		got, err := observe(h, browser.Click{At: at(t, "e6")})
		if err != nil {
			t.Fatal(err)
		}
		if n := h.count("aim"); n != 2 {
			t.Errorf("aimed %d times", n)
		}
		if got.Effect != browser.EffectNone {
			t.Errorf("effect %q", got.Effect)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		answers(h, "", opObserve, ObserveReply{Quiet: 500, Blocked: `dialog "Cookies"`})
		_, err := observe(h, browser.Click{At: at(t, "e6"), Acting: browser.Acting{Timeout: time.Second}})
		wantCode(t, err, browser.CodeNotActionable, `covered by dialog "Cookies"`)
	})
}

func TestClickThatReachedItsElementIsNotRepeated(t *testing.T) {
	h := newFake(t)
	answers(h, "", opObserve, ObserveReply{Quiet: 500, Hit: true, Blocked: `dialog "Done"`})
	got, err := observe(h, browser.Click{At: at(t, "e6"), Count: 2, Acting: browser.Acting{Settle: browser.Settle{None: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if n := h.count("aim"); n != 1 {
		t.Errorf("aimed %d times", n)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], `dialog "Done"`) {
		t.Errorf("notes %q", got.Notes)
	}
}

func TestClickReturnsWhenADialogOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.onKey = func(e InputEvent) {
			if e.Mouse.Type == "up" {
				h.do(func(a *Activity) { a.Dialog = &browser.Dialog{Kind: "confirm", Message: "Delete report 7?"} })
			}
		}
		began := time.Now()
		got, err := observe(h, browser.Click{At: at(t, "e6")})
		if err != nil {
			t.Fatal(err)
		}
		if got.Dialog == nil || got.Dialog.Message != "Delete report 7?" || got.Effect != browser.EffectConfirmed {
			t.Errorf("observation: %+v", got)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("took %v", took)
		}
	})
}

func TestClickBeneathADialogIsRefused(t *testing.T) {
	h := newFake(t)
	h.act.Dialog = &browser.Dialog{Kind: "alert", Message: "Hello"}
	_, err := observe(h, browser.Click{At: at(t, "e6")})
	wantCode(t, err, browser.CodeDialogOpen)
}

func TestClickFollowsANavigation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.onKey = func(e InputEvent) {
			if e.Mouse.Type != "up" {
				return
			}
			h.do(func(a *Activity) { a.Navigating = true })
			time.AfterFunc(700*time.Millisecond, func() {
				h.do(func(a *Activity) {
					a.Navigating, a.Committed, a.Doc, a.URL, a.Status = false, true, 5, "https://shop.example/paid", 200
				})
			})
			time.AfterFunc(900*time.Millisecond, func() { h.do(func(a *Activity) { a.Ready, a.Title = true, "Paid" }) })
		}
		answers(h, "", opDiff, DiffReply{Removed: []string{"e6"}, Changed: true})
		began := time.Now()
		got, err := observe(h, browser.Click{At: at(t, "e6")})
		if err != nil {
			t.Fatal(err)
		}
		want := browser.Navigation{URL: "https://shop.example/paid", Title: "Paid", Doc: 5, Status: 200}
		if got.Navigated == nil || *got.Navigated != want || len(got.Removed) != 0 {
			t.Errorf("observation: %+v, navigated %+v", got, got.Navigated)
		}
		if took := time.Since(began); took != 900*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

func TestClickFollowsANavigationForTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.onKey = func(InputEvent) { h.do(func(a *Activity) { a.Committed, a.Doc = true, 5 }) }
		began := time.Now()
		got, err := observe(h, browser.Click{At: at(t, "e6")})
		if err != nil {
			t.Fatal(err)
		}
		if got.Navigated == nil || !got.Navigated.TimedOut || time.Since(began) != followMost {
			t.Errorf("navigated %+v after %v", got.Navigated, time.Since(began))
		}
	})
}

func TestClickNeverHitsTheNextDocument(t *testing.T) {
	h := newFake(t)
	on(h, "", opAim, func(AimArgs) (any, error) {
		h.do(func(a *Activity) { a.Committed, a.Doc, a.URL = true, 5, "https://other.example/" })
		return AimReply{OK: true, X: 1, Y: 1, Line: "e6"}, nil
	})
	_, err := observe(h, browser.Click{At: at(t, "e6")})
	wantCode(t, err, browser.CodeStaleDocument, "nothing was clicked", "document 5")
	if strings.Contains(h.asked(), "move") {
		t.Error("input was given")
	}
	if h.count("disarm") != 1 {
		t.Errorf("the guard was not disarmed:\n%s", h.asked())
	}
}

func TestClickThatIsCancelledDisarms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(40*time.Millisecond, cancel)
		began := time.Now()
		_, err := runOp[browser.Observation](h, ctx, browser.Click{At: at(t, "e6")})
		if browser.CodeOf(err) != browser.CodeCancelled || time.Since(began) != 40*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if h.count("disarm") != 1 {
			t.Errorf("the guard was not disarmed:\n%s", h.asked())
		}
	})
}

func TestClickTellsTabsAndDownloads(t *testing.T) {
	h := newFake(t)
	h.onKey = func(InputEvent) {
		h.do(func(a *Activity) {
			a.Opened, a.Downloads = []browser.TabID{"t9"}, []browser.Download{{Name: "x.csv", State: "running"}}
		})
	}
	got, err := observe(h, browser.Click{At: at(t, "e6"), Acting: browser.Acting{Settle: browser.Settle{None: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Opened) != 1 || len(got.Downloads) != 1 || got.Effect != browser.EffectConfirmed {
		t.Errorf("observation: %+v", got)
	}
}

func TestObservationKeepsToItsLines(t *testing.T) {
	child := browser.Frame{ID: "f2", Origin: "https://shop.example"}
	h := newFake(t, child)
	lines := strings.Split(strings.Repeat("status\n", 20), "\n")[:20]
	answers(h, "", opDiff, DiffReply{Added: lines, TooLarge: 3, Changed: true})
	answers(h, "f2", opDiff, DiffReply{Added: lines, Changed: true})
	got, err := observe(h, browser.Click{At: at(t, "e6"), Acting: browser.Acting{Settle: browser.Settle{None: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Added) != diffLines || got.TooLarge != 18 {
		t.Errorf("%d lines and %d more", len(got.Added), got.TooLarge)
	}
}

func TestClickOnARefOfAGoneFrame(t *testing.T) {
	_, err := observe(newFake(t), browser.Click{At: at(t, "f7:e2")})
	wantCode(t, err, browser.CodeStaleRef, "f7:e2", "snapshot")
}

func TestClickOnAFrameOutsideTheOrigins(t *testing.T) {
	h := newFake(t, browser.Frame{ID: "f2", Origin: "https://ads.example"})
	only := browser.Target{Tab: "t3", Origins: browser.Origins(func(o browser.Origin) bool { return o == "https://shop.example" })}
	err := New(h, nil).Do(t.Context(), only, browser.Click{At: at(t, "f2:e1")}, nil)
	wantCode(t, err, browser.CodeOriginChanged, "https://ads.example")
	if h.asked() != "" {
		t.Errorf("the page was asked %q", h.asked())
	}
}

func TestClickAtAPointOfAnotherView(t *testing.T) {
	for _, tt := range []struct {
		name string
		seen browser.View
		ok   bool
	}{
		{"the same", browser.View{Doc: 4, Scroll: browser.Point{Y: 100}}, true},
		{"another document", browser.View{Doc: 3, Scroll: browser.Point{Y: 100}}, false},
		{"scrolled", browser.View{Doc: 4}, false},
	} {
		h := newFake(t)
		answers(h, "", opDescribe, DescribeReply{ScrollY: 100})
		_, err := observe(h, browser.Click{At: browser.Spot{Point: &browser.Point{X: 7, Y: 8}, Seen: &tt.seen}, Acting: browser.Acting{Settle: browser.Settle{None: true}}})
		if tt.ok && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if !tt.ok {
			wantCode(t, err, browser.CodeStaleDocument)
		}
	}
}
