package broker

import (
	"context"
	"testing"
	"testing/synctest"

	"drawbridge/internal/browser"
)

const (
	shop = "https://shop.example/"
	bank = "https://bank.example/"
)

func TestCurrentTab(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		r.want(r.call(s, `look`), "unknown_tab: no tab is open; open one with open_tab")

		r.f.add(browser.Tab{URL: shop})
		r.want(r.call(s, `look`), "t1 · doc 1 · https://shop.example/\nseen") // the only one

		r.f.add(browser.Tab{URL: bank, Title: "Bank"})
		r.want(r.call(s, `look`), "unknown_tab: no tab is current; give tab, one of these:\nt1 · doc 1 · https://shop.example/\nt2 · doc 1 · Bank · https://bank.example/")
		r.want(r.call(s, `look {"tab":"t2"}`), "t2 · doc 1 · Bank · https://bank.example/\nseen")
		r.wantHas(r.call(s, `look`), "no tab is current") // a tab once named is not current

		r.want(r.call(s, `choose {"tab":"t2"}`), "t2 · doc 1 · Bank · https://bank.example/\nchosen")
		r.wantHas(r.call(s, `look`), "t2 · doc 1")
		r.wantHas(r.call(r.open("other"), `look`), "no tab is current") // each session has its own

		r.f.close("t2") // by a person
		r.want(r.call(s, `look`), "unknown_tab: the current tab t2 is gone; give tab, one of these:\nt1 · doc 1 · https://shop.example/")
		r.want(r.call(s, `look`), "t1 · doc 1 · https://shop.example/\nseen") // told once

		r.call(s, `choose`)
		r.want(r.call(s, `close`), "closed") // its own doing is no surprise
		r.want(r.call(s, `look`), "unknown_tab: no tab is open; open one with open_tab")
		r.want(r.call(s, `look {"tab":"t1"}`), `unknown_tab: there is no tab "t1"; open one with open_tab`)
	})
}

func TestManyTabsAreNotAllListed(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		for range 25 {
			r.f.add(browser.Tab{URL: shop})
		}
		r.wantHas(r.call(r.open("claude"), `look`), "\nt20 ·", "\n… 5 more (list_tabs)")
	})
}

func TestGuard(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		r.want(r.call(s, `click {"doc":1}`), "t1 · doc 1 · https://shop.example/\nclicked")
		r.f.goTo("t1", shop+"2", "")
		r.f.did()
		r.want(r.call(s, `click {"doc":1}`), "stale_document: t1 shows document 2 by now, not 1; nothing was done; look at it again before you repeat the call")
		r.want(r.f.did(), "")

		// The driver is told too, and only what the client gave.
		var docs []int
		r.f.on(func(_ context.Context, to browser.Target, _ browser.Op, _ any) error {
			docs = append(docs, to.Doc)
			return nil
		})
		r.call(s, `click {"doc":2}`)
		r.call(s, `click`)
		if len(docs) != 2 || docs[0] != 2 || docs[1] != 0 {
			t.Errorf("guards %v", docs)
		}
	}, shop)
}

func TestTheGuardEndsWithTheCallsOwnAct(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.want(r.call(r.open("claude"), `reload {"doc":1}`), "t1 · doc 2 · https://shop.example/\nreloaded")
	}, shop)
}

func TestGuardWhileWaiting(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		gate := r.hold()
		first := r.begin(t.Context(), s, `click`)
		second := r.begin(t.Context(), s, `click {"doc":1}`)
		r.f.goTo("t1", shop+"2", "")
		close(gate)
		r.wantHas(first.text(), "clicked")
		r.wantHas(second.text(), "stale_document: t1 shows document 2 by now, not 1")
		r.want(r.f.did(), "t1 click")
	}, shop)
}

func TestOpenAndClose(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		r.want(r.call(s, `open {"url":"https://shop.example/"}`), "t2 · doc 2 · https://shop.example/\nopened")
		r.want(r.call(s, `open {"url":"https://bank.example/","keep":true}`), "t3 · doc 2 · https://bank.example/\nopened")
		r.want(r.call(s, `list`), "b1 launched Fake 1\nt1 · doc 1 · about:blank\n"+
			"t2 · doc 2 · https://shop.example/\nt3 · doc 2 · https://bank.example/ current")
		r.want(r.call(r.open("codex"), `list`), "b1 launched Fake 1\nt1 · doc 1 · about:blank\n"+
			"t2 · doc 2 · https://shop.example/ of claude claimed by claude until 00:01:00\n"+
			"t3 · doc 2 · https://bank.example/ of claude claimed by claude until 00:01:00")
		r.f.did()
		s.Close(t.Context())
		r.want(r.f.did(), "t2 close_tab")
		r.want(r.call(r.open("other"), `list`), "b1 launched Fake 1\nt1 · doc 1 · about:blank\nt3 · doc 2 · https://bank.example/")
		r.want(r.call(s, `list`), "cancelled: the session has ended")
		r.want(r.call(s, `click {"tab":"t1"}`), "cancelled: the session has ended")
		r.want(r.f.did(), "")
	}, "about:blank")
}

func TestATabOpenedDuringCloseIsClosed(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		gate := make(chan struct{})
		r.f.on(func(_ context.Context, to browser.Target, op browser.Op, result any) error {
			switch op.(type) {
			case browser.OpenTab:
				*result.(*browser.Tab) = r.f.add(browser.Tab{URL: "about:blank"})
				<-gate
			case browser.CloseTab:
				r.f.close(to.Tab)
			}
			return nil
		})
		opening := r.begin(t.Context(), s, `open {"url":"https://shop.example/"}`)
		s.Close(t.Context())
		close(gate)
		r.want(opening.text(), "cancelled: the session has ended")
		r.want(r.f.did(), "open_tab, t1 close_tab")
	})
}

func TestBrowsersSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := new(browser.IDs)
		a, b := newFake(ids, shop), newFake(ids, bank)
		b.info = browser.Info{Name: "work", Way: "attached", Caps: browser.AllCaps}
		r := start(t, a, Options{Policy: anything(t)})
		r.b.Attach(b)
		synctest.Wait()
		s := r.open("claude")
		r.want(r.call(s, `list`), "b1 launched Fake 1\nb2 work Fake 1\nt1 · doc 1 · https://shop.example/\nt2 · doc 1 · https://bank.example/")
		r.wantHas(r.call(s, `click {"tab":"t2"}`), "t2 · doc 1 · https://bank.example/")
		r.want(a.did(), "")
		r.want(b.did(), "t2 click")
		r.call(s, `choose {"tab":"t2"}`)
		r.call(s, `open {"url":"https://shop.example/"}`) // beside the current tab
		r.wantHas(b.did(), "open_tab")

		// A tab of one browser is no business of another one's events.
		a.emit(browser.TabClosed{Tab: "t2"})
		a.emit(browser.TabChanged{Tab: browser.Tab{ID: "t2", URL: shop}})
		r.wantHas(r.call(s, `look {"tab":"t2"}`), "t2 · doc 1 · https://bank.example/")

		a.crash <- nil
		synctest.Wait()
		r.want(r.call(s, `look {"tab":"t2"}`), "t2 · doc 1 · https://bank.example/\nbrowser launched ended, and its tabs are gone\nseen")
	})
}

func TestCapabilities(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.f.add(browser.Tab{URL: shop, Caps: browser.CanRead})
		s := r.open("claude")
		r.want(r.call(s, `click`), "not_supported: t1 cannot do it: no act; its browser is launched (launched); a browser that drawbridge launches can")
		r.wantHas(r.call(s, `look`), "seen")
		r.want(r.f.did(), "t1 snapshot")
	})
}
