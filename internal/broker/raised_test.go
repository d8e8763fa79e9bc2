package broker

import (
	"context"
	"testing"

	"drawbridge/internal/browser"
)

func TestARaisedDrawbridgeStopsEveryCallInAllBrowsers(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s, other := r.open("claude"), r.open("codex")
		theirs := newFake(r.f.ids, "https://own.example/")
		theirs.info.Name = "work"
		r.b.Attach(theirs)
		r.hold()
		const why = `denied: the user has raised the drawbridge in "work": nothing is done in any browser; stop, and ask the user to let it down in the extension's popup`
		acting, queued := r.begin(t.Context(), s, `click {"tab":"t1"}`), r.begin(t.Context(), s, `click {"tab":"t1"}`)
		r.want(acting.text(), "(waiting)")

		theirs.emit(browser.Stopped{Up: true})
		r.want(acting.text(), why)
		r.want(queued.text(), why)
		r.want(r.call(s, `look {"tab":"t1"}`), why)
		r.want(r.call(other, `list`), why)

		theirs.emit(browser.Stopped{Up: false})
		r.wantHas(r.call(s, `look {"tab":"t1"}`), "seen")
		done, err := func() (func(error) error, error) {
			_, done, err := r.b.stoppable(context.Background())
			return done, err
		}()
		if err != nil || done(nil) != nil || len(r.b.running) != 0 {
			t.Errorf("%v, and %d calls are taken to be running", err, len(r.b.running))
		}

		theirs.emit(browser.Stopped{Up: true})
		theirs.crash <- context.Canceled // one that has gone stops nothing
		r.begin(t.Context(), s, `look {"tab":"t1"}`)
		r.wantHas(r.call(s, `look {"tab":"t1"}`), "seen")
	}, "https://shop.example/")
}
