package pageagent

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

func waitFor(h *fakeHost, op browser.WaitFor) (browser.Waited, error) {
	h.t.Helper()
	return runOp[browser.Waited](h, h.t.Context(), op)
}

// switched is a page state that a test turns on, of which the agent tells
// whoever waits for a change.
type switched struct {
	mu   sync.Mutex
	on   bool
	seq  int
	more chan struct{}
}

func (s *switched) set(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = on
	s.seq++
	close(s.more)
	s.more = make(chan struct{})
}

func (s *switched) attach(h *fakeHost, frame browser.FrameID) {
	h.agents[frame][opCheck] = func(_ context.Context, args any) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		a := args.(CheckArgs)
		return CheckReply{Met: s.on != (a.Gone != ""), Detail: "as seen"}, nil
	}
	h.agents[frame][opChanged] = func(ctx context.Context, args any) (any, error) {
		for {
			s.mu.Lock()
			seq, more := s.seq, s.more
			s.mu.Unlock()
			if seq > args.(ChangedArgs).Seq {
				return ChangedReply{Seq: seq}, nil
			}
			select {
			case <-more:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

func switches(h *fakeHost, frame browser.FrameID) *switched {
	s := &switched{more: make(chan struct{})}
	s.attach(h, frame)
	return s
}

func TestWaitForTextInAnyFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t, browser.Frame{ID: "f2", Origin: "https://pay.example"})
		switches(h, "")
		s := switches(h, "f2")
		time.AfterFunc(1100*time.Millisecond, func() { s.set(true) })
		began := time.Now()
		got, err := waitFor(h, browser.WaitFor{Text: "Paid"})
		if err != nil || !got.Met || got.Detail != "as seen" || got.Millis != 1125 {
			t.Errorf("%+v, %v", got, err)
		}
		if took := time.Since(began); took != 1125*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

func TestWaitForTheEndOfATextInAllFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t, browser.Frame{ID: "f2", Origin: "https://pay.example"})
		a, b := switches(h, ""), switches(h, "f2")
		a.set(true)
		b.set(true)
		time.AfterFunc(time.Second, func() { a.set(false) })
		time.AfterFunc(2*time.Second, func() { b.set(false) })
		got, err := waitFor(h, browser.WaitFor{Gone: "Loading"})
		if err != nil || got.Millis < 2000 || got.Millis > 2030 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestWaitForTestsAgainWithoutBeingTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		began := time.Now()
		on(h, "", opCheck, func(CheckArgs) (any, error) { return CheckReply{Met: time.Since(began) > 400*time.Millisecond}, nil })
		h.agents[""][opChanged] = func(ctx context.Context, _ any) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		got, err := waitFor(h, browser.WaitFor{Ref: ref(t, "e3"), State: "enabled"})
		if err != nil || got.Millis != 500 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestWaitForDoesNotSpin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		answers(h, "", opCheck, CheckReply{})
		seq := 0
		on(h, "", opChanged, func(ChangedArgs) (any, error) { seq++; return ChangedReply{Seq: seq}, nil })
		_, err := waitFor(h, browser.WaitFor{Text: "x", Timeout: time.Second})
		wantCode(t, err, browser.CodeTimeout)
		if n := h.count("check"); n > 45 {
			t.Errorf("tested %d times in a second", n)
		}
	})
}

func TestWaitForTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		switches(h, "")
		began := time.Now()
		_, err := waitFor(h, browser.WaitFor{Text: "Paid"})
		wantCode(t, err, browser.CodeTimeout, `text "Paid" did not come within 30s`, "seen last: as seen")
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestWaitForAnAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		time.AfterFunc(time.Second, func() { h.do(func(a *Activity) { a.Committed, a.Doc, a.URL = true, 5, "https://shop.example/paid" }) })
		got, err := waitFor(h, browser.WaitFor{URL: "*/paid"})
		if err != nil || got.Detail != "https://shop.example/paid" || got.Millis != 1000 {
			t.Errorf("%+v, %v", got, err)
		}
		_, err = waitFor(h, browser.WaitFor{URL: "/never", Timeout: time.Second})
		wantCode(t, err, browser.CodeTimeout, `"/never"`, "https://shop.example/paid")
	})
}

func TestWaitForSurvivesANavigation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		s := switches(h, "")
		time.AfterFunc(500*time.Millisecond, func() {
			h.mu.Lock()
			h.err = &browser.Error{Code: browser.CodeStaleRef, Msg: "the document is gone"}
			h.mu.Unlock()
			h.do(func(a *Activity) { a.Committed, a.Doc = true, 5 })
		})
		time.AfterFunc(900*time.Millisecond, func() {
			h.mu.Lock()
			h.err = nil
			h.mu.Unlock()
			s.set(true)
		})
		if got, err := waitFor(h, browser.WaitFor{Text: "Paid"}); err != nil || !got.Met {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestWaitForARefThatIsGone(t *testing.T) {
	stale := &browser.Error{Code: browser.CodeStaleRef, Msg: "e3 is not on the page any more"}
	for _, tt := range []struct {
		ref, state string
		met        bool
	}{{"e3", "gone", true}, {"e3", "hidden", true}, {"e3", "visible", false}, {"f9:e1", "gone", true}, {"f9:e1", "enabled", false}} {
		h := newFake(t)
		answers(h, "", opCheck, stale)
		got, err := waitFor(h, browser.WaitFor{Ref: ref(t, tt.ref), State: tt.state})
		if tt.met && (err != nil || !got.Met) {
			t.Errorf("%s %s: %+v, %v", tt.ref, tt.state, got, err)
		}
		if !tt.met {
			wantCode(t, err, browser.CodeStaleRef)
		}
	}
}

func TestWaitForEndsWithADialogOrTheTab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		switches(h, "")
		time.AfterFunc(time.Second, func() { h.do(func(a *Activity) { a.Dialog = &browser.Dialog{Kind: "alert", Message: "Hi"} }) })
		_, err := waitFor(h, browser.WaitFor{Text: "Paid"})
		wantCode(t, err, browser.CodeDialogOpen, `"Hi"`)
	})
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		switches(h, "")
		time.AfterFunc(time.Second, func() { h.do(func(a *Activity) { a.Gone = "it was closed" }) })
		_, err := waitFor(h, browser.WaitFor{Text: "Paid"})
		wantCode(t, err, browser.CodeUnknownTab, "it was closed")
	})
}

func TestWaitForIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		switches(h, "")
		for _, op := range []browser.WaitFor{{Text: "x"}, {URL: "/never"}, {For: time.Minute}} {
			ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
			began := time.Now()
			_, err := runOp[browser.Waited](h, ctx, op)
			cancel()
			if browser.CodeOf(err) != browser.CodeTimeout || time.Since(began) != 700*time.Millisecond {
				t.Errorf("%+v: %v after %v", op, err, time.Since(began))
			}
		}
	})
}

func TestWaitForTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		got, err := waitFor(h, browser.WaitFor{For: 1500 * time.Millisecond})
		if err != nil || got.Millis != 1500 || h.asked() != "" {
			t.Errorf("%+v, %v, asked %q", got, err, h.asked())
		}
	})
}

func TestWaitForRefusesBadArguments(t *testing.T) {
	for _, op := range []browser.WaitFor{{}, {Text: "a", Gone: "b"}, {Ref: ref(t, "e1")}, {Ref: ref(t, "e1"), State: "happy"}, {URL: "x", For: time.Second}} {
		_, err := waitFor(newFake(t), op)
		wantCode(t, err, browser.CodeInvalidArguments)
	}
}

func TestMatchURL(t *testing.T) {
	const url = "https://shop.example/orders/7?x=1"
	for pattern, want := range map[string]bool{
		"orders": true, "/orders/7": true, "https://shop.example": true, "*": true, "https://*/orders/*": true, "*x=1": true, "*/orders/7": false,
		"https://*": true, "http://*": false, "*orders*x=1": true, "*x=1*orders*": false, "https://shop.example/orders/7?x=1*": true,
		"https://shop.example/orders/7?x=1*1": false, "nothing": false,
	} {
		if got := matchURL(pattern, url); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
}
