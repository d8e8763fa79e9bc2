package broker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

// starter makes fakes for Options.Start.
type starter struct {
	ids   browser.IDs
	made  []*fake
	ready func(*fake) // before it is served
}

func (s *starter) start() browser.Driver {
	f := newFake(&s.ids, "about:blank")
	f.slow = make(chan struct{})
	if s.ready != nil {
		s.ready(f)
	}
	s.made = append(s.made, f)
	return f
}

// served counts those that were not only asked who they are.
func (s *starter) served() int {
	n := 0
	for _, f := range s.made {
		f.mu.Lock()
		if f.sink != nil {
			n++
		}
		f.mu.Unlock()
	}
	return n
}

func TestABrowserIsStartedOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{}
		r := start(t, nil, Options{Start: st.start})
		s := r.open("claude")
		r.b.Warm()
		r.b.Warm()
		ctx, cancel := context.WithCancel(t.Context())
		first, second, third := r.begin(t.Context(), s, `look`), r.begin(t.Context(), r.open("codex"), `list`), r.begin(ctx, s, `look`)
		cancel()
		r.want(third.text(), "cancelled: the call was cancelled")
		r.want(first.text(), "(waiting)")
		close(st.made[0].slow)
		r.want(first.text(), "t1 · doc 1 · about:blank\nseen")
		r.want(second.text(), "b1 launched Fake 1\nt1 · doc 1 · about:blank")
		if len(st.made) != 1 {
			t.Errorf("%d browsers were started", len(st.made))
		}
	})
}

// A browser may wait for a person, who has to let drawbridge in.
func TestABrowserThatWaitsForAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{}
		r := start(t, nil, Options{Start: st.start})
		s := r.open("claude")
		var told []string
		ask := func() string {
			_, err := s.Call(t.Context(), Request{Name: "list", Progress: func(_, _ float64, message string) { told = append(told, message) }})
			return string(browser.CodeOf(err))
		}
		r.b.Warm()
		synctest.Wait()
		began := time.Now()
		r.b.event(r.b.attached[0], browser.Starting{Waiting: "somebody must click Allow"})
		r.want(ask(), "pending")
		if took := time.Since(began); took > 50*time.Second {
			t.Errorf("the call waited %v", took)
		}
		if len(told) < 5 || told[0] != "somebody must click Allow" {
			t.Errorf("the client was told %q", told)
		}
		close(st.made[0].slow)
		r.want(ask(), "")
		if len(st.made) != 1 {
			t.Errorf("%d connections were opened", len(st.made))
		}
	})
}

func TestCallsStartABrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{ready: func(f *fake) { close(f.slow) }}
		r := start(t, nil, Options{Start: st.start})
		s := r.open("claude")
		if len(st.made) != 0 {
			t.Error("started before it was needed")
		}
		r.wantHas(r.call(s, `nothing`), "not_supported: there is no tool \"nothing\"")
		r.wantHas(r.call(s, `look {"tap":1}`), `invalid_arguments: look has no argument "tap" (did you mean "tab"?)`)
		r.wantHas(r.call(s, `go {"url":"ftp://x.example"}`), "denied")
		if len(st.made) != 0 {
			t.Error("started for a call that cannot run")
		}
		r.wantHas(r.call(s, `look`), "seen")
	})
}

func TestABrowserThatDoesNotStart(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&browser.Error{Code: browser.CodeNoBrowser, Msg: "no Chromium was found", Hint: "install one"}, "no_browser: no Chromium was found; install one"},
		{errors.New("exec: /secret/path"), "no_browser: the browser did not start; drawbridge's log has the reason"},
		{nil, "no_browser: the browser did not start; drawbridge's log has the reason"},
	} {
		synctest.Test(t, func(t *testing.T) {
			st := &starter{}
			r := start(t, nil, Options{Start: st.start})
			s := r.open("claude")
			first, second := r.begin(t.Context(), s, `look`), r.begin(t.Context(), s, `look`)
			st.made[0].crash <- tt.err
			r.want(first.text(), tt.want)
			r.want(second.text(), tt.want)

			// The next call tries again.
			third := r.begin(t.Context(), s, `look`)
			close(st.made[1].slow)
			r.wantHas(third.text(), "\nseen")
		})
	}
}

func TestNoBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, Options{})
		r.b.Warm()
		r.want(r.call(r.open("claude"), `look`), "no_browser: no browser is attached; ask the user to attach one, or to let drawbridge launch one")
	})
}

func TestACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{ready: func(f *fake) { close(f.slow) }}
		var log bytes.Buffer
		r := start(t, nil, Options{Start: st.start, Log: slog.New(slog.NewTextHandler(&log, nil))})
		s, idle := r.open("claude"), r.open("codex")
		r.call(s, `choose`)
		r.call(s, `click`)

		// A call that was under way, and what the browser still says.
		st.made[0].on(func(context.Context, browser.Target, browser.Op, any) error {
			st.made[0].crash <- errors.New("signal 11")
			synctest.Wait()
			st.made[0].emit(browser.TabOpened{Tab: browser.Tab{ID: "t9", URL: bank}})
			return errors.New("EOF")
		})
		r.want(r.call(s, `click`), "disconnected: browser launched ended, and its tabs are gone\nthe browser ended before it had answered; "+
			"the next call starts another one, or looks for it again; what this call did is not known")
		r.wantHas(log.String(), "browser ended", "signal 11")

		// The next one starts another browser; its tabs have other ids.
		r.want(r.call(idle, `look`), "t2 · doc 1 · about:blank\nbrowser launched ended, and its tabs are gone; another was started in its place\nseen")
		r.want(r.call(idle, `look`), "t2 · doc 1 · about:blank\nseen")                                                          // told once
		r.want(r.call(s, `look`), "unknown_tab: the current tab t1 is gone; give tab, one of these:\nt2 · doc 1 · about:blank") // never another one unasked
		r.want(r.call(s, `look`), "t2 · doc 1 · about:blank\nseen")
		r.want(r.call(s, `look {"tab":"t1"}`), "unknown_tab: there is no tab \"t1\"; give tab, one of these:\nt2 · doc 1 · about:blank")
		r.want(r.call(s, `list`), "b2 launched Fake 1\nt2 · doc 1 · about:blank")
		r.wantHas(r.call(r.open("new"), `look`), "about:blank\nseen") // did not know the old one
	})
}

func TestACrashIsToldWithErrorsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{ready: func(f *fake) { close(f.slow) }}
		r := start(t, nil, Options{Start: st.start})
		s := r.open("claude")
		r.call(s, `choose`)
		st.made[0].crash <- nil
		synctest.Wait()
		r.want(r.call(s, `look {"tab":"t1"}`), "unknown_tab: browser launched ended, and its tabs are gone; another was started in its place\n"+
			"there is no tab \"t1\"; give tab, one of these:\nt2 · doc 1 · about:blank")
	})
}

// A browser that went away takes a while to be cleared away, and keeps its
// profile for as long.
func TestABrowserThatIsGoingIsNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{ready: func(f *fake) { close(f.slow); f.bye = make(chan struct{}) }}
		r := start(t, nil, Options{Start: st.start})
		s := r.open("claude")
		r.call(s, `choose`)
		first := st.made[0]
		first.on(func(context.Context, browser.Target, browser.Op, any) error {
			first.emit(browser.Ending{})
			return &browser.Error{Code: browser.CodeUnknownTab, Msg: "t1 is gone"}
		})
		r.want(r.call(s, `look`), "disconnected: browser launched ended, and its tabs are gone\nthe browser ended before it had answered; the next call starts another one, or looks for it again")
		next := r.begin(t.Context(), s, `look`)
		r.want(next.text(), "(waiting)")
		ctx, cancel := context.WithCancel(t.Context())
		impatient := r.begin(ctx, s, `list`)
		cancel()
		r.want(impatient.text(), "cancelled: the call was cancelled")
		if len(st.made) != 1 {
			t.Errorf("%d browsers at a time", len(st.made))
		}
		first.crash <- errors.New("signal 9")
		close(first.bye)
		r.want(next.text(), "unknown_tab: the current tab t1 is gone; give tab, one of these:\nt2 · doc 1 · about:blank")
		r.want(r.call(s, `list`), "b2 launched Fake 1\nt2 · doc 1 · about:blank")
		close(st.made[1].bye)
	})
}

func TestRunWaitsForItsBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(new(browser.IDs), shop)
		f.bye = make(chan struct{})
		r := start(t, f, Options{Start: func() browser.Driver { return newFake(f.ids) }})
		s := r.open("claude")
		r.end()
		synctest.Wait()
		select {
		case <-r.ended:
			t.Error("Run did not wait")
		default:
		}
		r.want(r.call(s, `look`), "disconnected: drawbridge is ending")
		r.b.Attach(newFake(f.ids)) // is not served, and holds nobody up
		r.b.Warm()
		close(f.bye)
		<-r.ended
		r.want(r.call(s, `look`), "disconnected: drawbridge is ending")
		s.Close(t.Context())
	})
}

func TestErrorsNotMeantForModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := start(t, newFake(new(browser.IDs), shop), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		s := r.open("claude")
		for _, tt := range []struct {
			err    error
			want   string
			logged bool
		}{
			{errors.New("/home/ann: boom"), "internal: internal error; drawbridge's log has the details", true},
			{&browser.Error{Code: browser.CodeInternal, Msg: "op has no form"}, "internal: op has no form", true},
			{&browser.Error{Code: browser.CodePageError, Msg: "oops"}, "page_error: oops", false},
			{context.DeadlineExceeded, "timeout: the call took too long", false},
		} {
			log.Reset()
			r.f.on(func(context.Context, browser.Target, browser.Op, any) error { return tt.err })
			r.want(r.call(s, `look`), tt.want)
			if logged := strings.Contains(log.String(), tt.err.Error()); logged != tt.logged {
				t.Errorf("%v: logged %v: %s", tt.err, logged, log.String())
			}
		}
	})
}

func TestCancellationReachesTheBrowser(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		ended := make(chan error, 1)
		r.f.on(func(ctx context.Context, _ browser.Target, _ browser.Op, _ any) error {
			<-ctx.Done()
			ended <- ctx.Err()
			return errors.New("the reply is not waited for")
		})
		ctx, cancel := context.WithCancel(t.Context())
		p := r.begin(ctx, s, `look`)
		cancel()
		r.want(p.text(), "cancelled: the call was cancelled")
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p = r.begin(ctx, s, `run`)
		time.Sleep(time.Second)
		r.want(p.text(), "timeout: the call took too long")
	}, shop)
}
