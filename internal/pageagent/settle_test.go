package pageagent

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

// page is a scripted page that changes at times after its first input.
type page struct {
	h       *fakeHost
	pressed time.Time
	changes []time.Duration
}

func newPage(t *testing.T, changes ...time.Duration) *page {
	p := &page{h: newFake(t), changes: changes}
	p.h.onKey = func(e InputEvent) {
		if e.Mouse != nil && e.Mouse.Type == "up" {
			p.pressed = time.Now()
		}
	}
	p.h.agents[""][opObserve] = func(context.Context, any) (any, error) {
		quiet := time.Hour
		for _, c := range p.changes {
			if age := time.Since(p.pressed.Add(c)); age >= 0 {
				quiet = min(quiet, age)
			}
		}
		return ObserveReply{Quiet: float64(quiet) / float64(time.Millisecond), Hit: true}, nil
	}
	p.h.agents[""][opDiff] = func(context.Context, any) (any, error) {
		since := time.Since(p.pressed)
		return DiffReply{Changed: slices.ContainsFunc(p.changes, func(c time.Duration) bool { return c <= since })}, nil
	}
	return p
}

func every(step, until time.Duration) []time.Duration {
	var out []time.Duration
	for d := step; d <= until; d += step {
		out = append(out, d)
	}
	return out
}

func TestSettle(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	request := func(p *page, from, to int) {
		p.h.onKey = func(e InputEvent) {
			if e.Mouse.Type != "up" {
				return
			}
			p.pressed = time.Now()
			time.AfterFunc(ms(from), func() { p.h.do(func(a *Activity) { a.OpenRequests, a.LastRequest = 1, time.Now() }) })
			time.AfterFunc(ms(to), func() { p.h.do(func(a *Activity) { a.OpenRequests = 0 }) })
		}
	}
	for _, tt := range []struct {
		name    string
		changes []time.Duration
		with    func(*page)
		settle  browser.Settle
		want    time.Duration
		looks   int
	}{
		{name: "nothing happens", want: ms(400), looks: 2},
		{name: "a change at once", changes: []time.Duration{0}, want: ms(100), looks: 1},
		{name: "a change after 60 ms", changes: []time.Duration{ms(60)}, want: ms(160), looks: 2},
		{name: "a change after 300 ms", changes: []time.Duration{ms(300)}, want: ms(400), looks: 2},
		{name: "a change after 380 ms", changes: []time.Duration{ms(380)}, want: ms(480), looks: 3},
		{name: "a page that never rests", changes: every(ms(30), 5*time.Second), want: time.Second, looks: 20},
		{name: "a request of 400 ms", with: func(p *page) { request(p, 20, 420) }, want: ms(520), looks: 1},
		{name: "a request whose answer changes the page", changes: []time.Duration{ms(450)}, with: func(p *page) { request(p, 20, 420) }, want: ms(550), looks: 2},
		{name: "a request that stays open", with: func(p *page) { request(p, 20, 60000) }, want: 3 * time.Second, looks: 1},
		{name: "a request after 90 ms", with: func(p *page) { request(p, 90, 95) }, want: ms(400), looks: 2},
		{name: "a request on a page that never rests", changes: every(ms(30), 9*time.Second), with: func(p *page) { request(p, 20, 1500) }, want: ms(1700), looks: 5},
		{name: "no settling", changes: every(ms(30), 5*time.Second), settle: browser.Settle{None: true}, want: 0, looks: 1},
		{name: "half a second of quiet", changes: []time.Duration{ms(300)}, settle: browser.Settle{Quiet: ms(500)}, want: ms(800), looks: 3},
		{name: "a short quiet", changes: []time.Duration{ms(10)}, settle: browser.Settle{Quiet: ms(20)}, want: ms(30), looks: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPage(t, tt.changes...)
				if tt.with != nil {
					tt.with(p)
				}
				began := time.Now()
				if _, err := observe(p.h, browser.Click{At: at(t, "e1"), Acting: browser.Acting{Settle: tt.settle}}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took < tt.want || took > tt.want+ms(10) {
					t.Errorf("took %v, want %v", took, tt.want)
				}
				looks := p.h.count("observe diff disarm") + p.h.count("observe diff")
				if looks > tt.looks {
					t.Errorf("looked %d times, want %d at most", looks, tt.looks)
				}
				synctest.Wait()
			})
		})
	}
}

func TestSettleAfterANavigationThatCameToNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.onKey = func(InputEvent) { h.do(func(a *Activity) { a.Navigating = true }) }
		time.AfterFunc(300*time.Millisecond, func() {
			h.do(func(a *Activity) {
				a.Navigating, a.Downloads = false, []browser.Download{{Name: "a.csv", State: "completed"}}
			})
		})
		began := time.Now()
		got, err := observe(h, browser.Click{At: at(t, "e1")})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 400*time.Millisecond || got.Navigated != nil || len(got.Downloads) != 1 {
			t.Errorf("after %v: %+v", took, got)
		}
	})
}

func TestLookThatANavigationOvertakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.agents[""][opObserve] = func(context.Context, any) (any, error) {
			h.do(func(a *Activity) { a.Committed, a.Doc, a.URL = true, 5, "https://shop.example/next" })
			time.AfterFunc(time.Second, func() { h.do(func(a *Activity) { a.Ready = true }) })
			return nil, &browser.Error{Code: browser.CodeStaleRef, Msg: "the document is gone"}
		}
		got, err := observe(h, browser.Click{At: at(t, "e1")})
		if err != nil {
			t.Fatal(err)
		}
		if got.Navigated == nil || got.Navigated.TimedOut || got.Navigated.Doc != 5 {
			t.Errorf("navigated %+v", got.Navigated)
		}
	})
}

func TestEffect(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*fakeHost)
		want browser.Changed
		note string
	}{
		{"nothing changed", func(*fakeHost) {}, browser.EffectNone, ""},
		{"a line changed", func(h *fakeHost) {
			answers(h, "", opDiff, DiffReply{Updated: []string{`e1 checkbox "A" checked (was unchecked)`}, Changed: true})
		}, browser.EffectConfirmed, ""},
		{"only the focus moved", func(h *fakeHost) { answers(h, "", opDiff, DiffReply{Changed: true}) }, browser.EffectConfirmed, "nothing listed"},
		{"the click was not seen to arrive", func(h *fakeHost) { answers(h, "", opObserve, ObserveReply{Quiet: 500}) }, browser.EffectUnknown, "heard nothing"},
		{"the page cannot be looked at", func(h *fakeHost) { answers(h, "", opDiff, &browser.Error{Code: browser.CodeInternal, Msg: "broken"}) }, browser.EffectUnknown, ""},
		{"the address changed", func(h *fakeHost) {
			h.onKey = func(InputEvent) { h.do(func(a *Activity) { a.SameDoc, a.URL = true, "https://shop.example/#pay" }) }
		}, browser.EffectConfirmed, ""},
		{"a navigation failed", func(h *fakeHost) {
			h.onKey = func(InputEvent) { h.do(func(a *Activity) { a.Failed = "name not resolved" }) }
		}, browser.EffectConfirmed, "name not resolved"},
		{"the tab crashed", func(h *fakeHost) {
			h.onKey = func(InputEvent) { h.do(func(a *Activity) { a.Gone = "its renderer crashed" }) }
		}, browser.EffectConfirmed, "its renderer crashed"},
		{"a frame shows another document", func(h *fakeHost) {
			answers(h, "f2", opObserve, &browser.Error{Code: browser.CodeStaleRef, Msg: "the document is gone"})
		}, browser.EffectConfirmed, "frame f2 is gone, or shows another document"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFake(t, browser.Frame{ID: "f2", Origin: "https://shop.example"})
			answers(h, "f2", opObserve, ObserveReply{Quiet: 500})
			tt.set(h)
			got, err := observe(h, browser.Click{At: at(t, "e1"), Acting: browser.Acting{Settle: browser.Settle{None: true}}})
			if err != nil {
				t.Fatal(err)
			}
			if got.Effect != tt.want {
				t.Errorf("effect %q, want %q", got.Effect, tt.want)
			}
			if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("notes %q", got.Notes)
			}
		})
	}
}

func TestObserveTellsWhatADialogsAnswerChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.act.Dialog = &browser.Dialog{Kind: "confirm", Message: "Delete?"}
		answers(h, "", opDiff, DiffReply{Removed: []string{`e7 listitem "Report 7"`}, Changed: true})
		c := New(h, nil)
		got, err := c.Observe(t.Context(), everywhere, func(context.Context) error {
			h.do(func(a *Activity) { a.Dialog = nil })
			return nil
		}, browser.Settle{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Removed) != 1 || got.Dialog != nil || got.Effect != browser.EffectConfirmed {
			t.Errorf("observation: %+v", got)
		}
		got, err = c.Observe(t.Context(), everywhere, func(context.Context) error {
			h.do(func(a *Activity) { a.Dialog = &browser.Dialog{Kind: "prompt", Message: "How many?"} })
			return nil
		}, browser.Settle{})
		if err != nil || got.Dialog == nil || got.Dialog.Message != "How many?" {
			t.Errorf("the next dialog: %+v, %v", got, err)
		}
		if h.watches != 0 {
			t.Errorf("%d watches are left open", h.watches)
		}
	})
}
