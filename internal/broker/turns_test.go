package broker

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"testing/synctest"
)

// hold lets every click wait until the channel is closed.
func (r *rig) hold() chan struct{} {
	gate := make(chan struct{})
	r.f.on(func(ctx context.Context, _ browser.Target, op browser.Op, _ any) error {
		if _, ok := op.(browser.Click); !ok {
			return nil
		}
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return gate
}

func TestTurns(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		gate := r.hold()
		first := r.begin(t.Context(), s, `click {"tab":"t1"}`)
		second := r.begin(t.Context(), s, `click {"tab":"t1"}`)
		impatient, cancel := context.WithCancel(t.Context())
		third := r.begin(impatient, s, `click {"tab":"t1"}`)
		late, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		fourth := r.begin(late, s, `click {"tab":"t1"}`)

		// What takes no turn, and another tab, wait for nobody.
		r.wantHas(r.call(s, `look {"tab":"t1"}`), "seen")
		r.wantHas(r.call(s, `run {"tab":"t1"}`), "ran")
		r.wantHas(r.call(s, `dialog {"tab":"t1"}`), "answered")
		r.wantHas(r.call(s, `go {"tab":"t2","url":"https://shop.example/"}`), "went")
		r.want(r.f.did(), "t1 click, t1 snapshot, t1 evaluate, t1 handle_dialog, t2 navigate")

		cancel()
		r.want(third.text(), "cancelled: the call was cancelled")
		time.Sleep(2 * time.Second) // of the bubble
		r.want(fourth.text(), "timeout: the call took too long")
		r.want(first.text(), "(waiting)")
		r.want(second.text(), "(waiting)")
		close(gate)
		r.wantHas(first.text(), "clicked")
		r.wantHas(second.text(), "clicked")
		r.want(r.f.did(), "t1 click")
		r.wantHas(r.call(s, `click {"tab":"t1"}`), "clicked") // the turn was given back by all
	}, shop, bank)
}

func TestAFailedActGivesItsTurnBack(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		r.f.on(func(context.Context, browser.Target, browser.Op, any) error {
			return &browser.Error{Code: browser.CodeNotActionable, Msg: "e1 is covered"}
		})
		r.want(r.call(s, `click`), "not_actionable: e1 is covered")
		r.want(r.call(s, `click`), "not_actionable: e1 is covered")
	}, shop)
}

func TestClaims(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		a, b := r.open("claude"), r.open("codex")
		r.wantHas(r.call(a, `look`), "seen")
		r.wantHas(r.call(b, `click`), "clicked") // reading claims nothing
		const claimed = "claimed: t1 is claimed by another session (codex until 00:01:00); try later, or open a tab of your own with open_tab; it can still be read"
		r.want(r.call(a, `click`), claimed)
		r.f.did()
		for _, act := range []string{`click`, `run`, `dialog`, `close`, `go {"url":"https://x.example"}`} {
			r.want(r.call(a, act), claimed)
		}
		r.want(r.f.did(), "")
		r.wantHas(r.call(a, `look`), "seen")

		time.Sleep(50 * time.Second)
		r.wantHas(r.call(b, `click`), "clicked") // renews it
		time.Sleep(59 * time.Second)
		r.wantHas(r.call(a, `click`), "claimed", "until 00:01:50")
		time.Sleep(time.Second)
		r.wantHas(r.call(a, `click`), "clicked")
		r.wantHas(r.call(b, `click`), "claimed", "claude until")
		a.Close(t.Context())
		r.wantHas(r.call(b, `click`), "clicked")
	}, shop)
}

func TestAClaimLastsWhileItsActRuns(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		a, b := r.open("claude"), r.open("codex")
		gate := r.hold()
		acting := r.begin(t.Context(), a, `click`)
		time.Sleep(time.Hour)
		r.want(r.call(b, `click`), "claimed: t1 is claimed by another session (claude, which is acting); try later, or open a tab of your own with open_tab; it can still be read")
		close(gate)
		r.wantHas(acting.text(), "clicked")
		r.wantHas(r.call(b, `click`), "claude until 01:01:00")
	}, shop)
}

func TestAClaimTakenWhileWaitingForTheTurn(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		a, b := r.open("claude"), r.open("codex")
		gate := r.hold()
		acting := r.begin(t.Context(), a, `click`)
		// The claim ends with its session, but not the turn.
		a.Close(t.Context())
		waiting := r.begin(t.Context(), b, `click`)
		r.want(waiting.text(), "(waiting)")
		third := r.open("third")
		r.wantHas(r.call(third, `run`), "ran")
		close(gate)
		r.wantHas(acting.text(), "clicked")
		r.wantHas(waiting.text(), "claimed", "third until")
	}, shop)
}

func TestRulesAreAskedAgainAfterTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newFake(new(browser.IDs), shop), Options{Policy: rules(deny("https://bank.example", policy.Act))})
		s := r.open("claude")
		gate := r.hold()
		first := r.begin(t.Context(), s, `click`)
		second := r.begin(t.Context(), s, `click`)
		r.f.goTo("t1", bank, "")
		close(gate)
		r.wantHas(first.text(), "clicked")
		r.wantHas(second.text(), "denied: act on https://bank.example is denied (rules.yaml:1: deny act on https://bank.example)")
		r.want(r.f.did(), "t1 click")
	})
}

func TestADialogHoldsUpActs(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		gate := r.hold()
		first := r.begin(t.Context(), s, `click`)
		second := r.begin(t.Context(), s, `click`)
		r.f.change("t1", func(t *browser.Tab) {
			t.Dialog = &browser.Dialog{Kind: browser.DialogConfirm, Message: "Delete \"report\" 7?\n"}
		})
		close(gate)
		r.want(first.text(), "t1 · doc 1 · https://shop.example/\ndialog open: confirm \"Delete \\\"report\\\" 7? \" (handle_dialog)\nclicked")
		r.want(second.text(), `dialog_open: dialog open: confirm "Delete \"report\" 7? " on t1; answer it with handle_dialog first`)
		r.wantHas(r.call(s, `go {"url":"https://x.example"}`), "dialog_open: ")
		r.want(r.f.did(), "t1 click")
		r.wantHas(r.call(s, `look`), "seen") // the driver decides
		r.wantHas(r.call(s, `dialog`), "answered")
	}, shop)
}

func TestManyActsOneAtATime(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		var inside, most, count atomic.Int32
		r.f.on(func(context.Context, browser.Target, browser.Op, any) error {
			most.Store(max(most.Load(), inside.Add(1)))
			time.Sleep(time.Millisecond)
			inside.Add(-1)
			if count.Add(1)%3 == 0 {
				return errors.New("no luck")
			}
			return nil
		})
		var all []*pending
		for range 50 {
			all = append(all, r.begin(t.Context(), s, `click`))
		}
		time.Sleep(time.Second)
		for _, p := range all {
			if p.text() == "(waiting)" {
				t.Fatal("a call did not end")
			}
		}
		if most.Load() != 1 || count.Load() != 50 {
			t.Errorf("%d acts at once, %d in all", most.Load(), count.Load())
		}
	}, shop)
}
