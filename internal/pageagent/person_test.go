package pageagent

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

func TestOriginAndPath(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.example/login?next=/x#y": "https://a.example /login", "https://a.example": "https://a.example /",
		"http://127.0.0.1:80/": "http://127.0.0.1 /", "https://a.example/a/b?token=s3cret": "https://a.example /a/b",
	} {
		if origin, path := originAndPath(url); string(origin)+" "+path != want {
			t.Errorf("%s: %s %s, want %s", url, origin, path, want)
		}
	}
}

func TestCard(t *testing.T) {
	for _, kind := range []browser.AskKind{browser.AskClick, browser.AskFill, browser.AskEnter, browser.AskLogin, browser.AskCaptcha, browser.AskConfirm, browser.AskOther} {
		c := cardOf(browser.AskPerson{Kind: kind, Message: "Why", Client: "claude"}, true)
		if c.Task == "" || c.Message != "Why" || !strings.HasPrefix(c.Head, "claude asks") {
			t.Errorf("%s: %+v", kind, c)
		}
	}
	if c := cardOf(browser.AskPerson{Kind: browser.AskClick}, false); !strings.Contains(c.Small, "before") || strings.HasPrefix(c.Head, " ") {
		t.Errorf("after its page: %+v", c)
	}
}

// A login is done when the fields for secrets that were there are gone for a
// while, not while the next page comes.
func TestLoginIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		var fields atomic.Int32
		fields.Store(1)
		h.agents[""][opPose] = func(context.Context, any) (any, error) { return None{}, nil }
		h.agents[""][opWithdraw] = h.agents[""][opPose]
		h.agents[""][opHear] = func(ctx context.Context, _ any) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		on(h, "", opGuarded, func(None) (any, error) { return GuardedReply{Fields: int(fields.Load())}, nil })
		go func() {
			time.Sleep(3 * time.Second)
			fields.Store(0)
			h.do(func(a *Activity) { a.Navigating = true })
			time.Sleep(3 * time.Second)
			h.do(func(a *Activity) { a.Navigating, a.URL = false, "https://shop.example/home?token=s3cret" })
		}()
		began := time.Now()
		out, err := New(h, nil).AskPerson(t.Context(), browser.Target{Tab: "t1", Origins: browser.AnyOrigin()}, "t1q1", browser.AskPerson{Kind: browser.AskLogin, Message: "Log in."})
		if err != nil || out.End != browser.AskInPage || !strings.Contains(out.Why, "https://shop.example/home now") || strings.Contains(out.Why, "s3cret") {
			t.Errorf("%+v, %v", out, err)
		}
		if took := time.Since(began); took < 6*time.Second+loginCalm || took > 9*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
