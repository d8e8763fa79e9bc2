package broker

import (
	"strings"
	"testing"
	"testing/synctest"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

// own makes f a person's browser behind an extension.
func own(f *fake, name string) *fake {
	f.info = browser.Info{Name: name, Way: "extension", Product: "Chromium 1", Caps: browser.AllCaps}
	return f
}

// anything allows everything.
func anything(t *testing.T) func() *policy.Policy {
	p, err := policy.New(policy.Options{Allow: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	return func() *policy.Policy { return p }
}

// A person's browser that is there holds up no launch, and none of its tabs is
// waited for until a call is about one.
func TestABrowserIsLaunchedBesideAPersons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{}
		r := start(t, nil, Options{Start: st.start, Policy: anything(t)})
		r.b.Attach(own(newFake(&st.ids, shop), "work"))
		synctest.Wait()
		s := r.open("claude")
		r.want(r.call(s, `look {"tab":"t1"}`), "t1 · doc 1 · https://shop.example/\nseen")
		if len(st.made) != 0 {
			t.Error("a browser was launched for a call that needs none")
		}
		opening := r.begin(t.Context(), s, `open {"url":"https://bank.example/"}`)
		synctest.Wait()
		if len(st.made) != 1 {
			t.Fatal("no browser was launched for a new tab")
		}
		close(st.made[0].slow)
		r.wantHas(opening.text(), "https://bank.example/\nopened")
		r.wantHas(st.made[0].did(), "open_tab")

		// A tab beside one of the person's is in the person's browser.
		r.call(s, `choose {"tab":"t1"}`)
		r.wantHas(r.call(s, `open {"url":"https://bank.example/2"}`), "opened")
		r.want(st.made[0].did(), "")
		r.wantHas(r.call(s, `open {"url":"https://bank.example/3","browser":"launched"}`), "opened")
		r.wantHas(st.made[0].did(), "open_tab")
	})
}

func TestABrowserIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{ready: func(f *fake) { close(f.slow) }}
		r := start(t, nil, Options{Start: st.start, Policy: anything(t)})
		work, home := own(newFake(&st.ids, shop), "work"), own(newFake(&st.ids, bank), "home")
		r.b.Attach(work)
		r.b.Attach(home)
		second := own(newFake(&st.ids), "home")
		r.b.Attach(second)
		synctest.Wait()
		s := r.open("claude")
		r.wantHas(r.call(s, `open {"url":"https://a.example/","browser":"work"}`), "opened")
		r.wantHas(work.did(), "open_tab")
		r.want(r.call(s, `open {"url":"https://a.example/","browser":"home"}`), `invalid_arguments: several browsers are called "home"; give the id, one of b2, b3`)
		r.wantHas(r.call(s, `open {"url":"https://a.example/","browser":"b2"}`), "opened")
		r.wantHas(home.did(), "open_tab")
		r.wantHas(r.call(s, `open {"url":"https://a.example/","browser":"home 2"}`), "opened")
		r.wantHas(second.did(), "open_tab")
		r.want(r.call(s, `open {"url":"https://a.example/","browser":"play"}`), `no_browser: there is no browser "play"; attached: b1 work, b2 home, b3 home 2, launched (not started yet)`)
		if st.served() != 0 {
			t.Error("a browser was launched that nobody named")
		}
		r.wantHas(r.call(s, `open {"url":"https://a.example/","browser":"launched"}`), "opened")
		if st.served() != 1 {
			t.Error("the browser that was named was not launched")
		}
	})
}

func TestABrowserIsRenamed(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		work := own(newFake(r.f.ids, shop), "work")
		r.b.Attach(work)
		synctest.Wait()
		work.emit(browser.Renamed{Name: "office"})
		s := r.open("claude")
		r.wantHas(r.call(s, `open {"url":"https://bank.example/","browser":"work"}`), `there is no browser "work"`)
		r.wantHas(r.call(s, `open {"url":"https://bank.example/","browser":"office"}`), "denied")
	}, shop)
}

// The rules are asked about the browser in which a tab is to be opened.
func TestRulesOfNamedBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &starter{ready: func(f *fake) { close(f.slow) }}
		r := start(t, nil, Options{Start: st.start})
		work := own(newFake(&st.ids, shop), "work")
		r.b.Attach(work)
		synctest.Wait()
		s := r.open("claude")
		r.wantHas(r.call(s, `open {"url":"https://bank.example/","browser":"work"}`), "denied: navigate on https://bank.example needs the user's consent")
		r.want(work.did(), "")
		r.wantHas(r.call(s, `open {"url":"https://bank.example/"}`), "opened")
		r.want(work.did(), "")
	})
}

// Without a browser to launch, new tabs go to the browser in which its user has
// allowed some.
func TestUsualBrowserOfPersons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := new(browser.IDs)
		r := start(t, nil, Options{Policy: anything(t)})
		none, some := own(newFake(ids), "none"), own(newFake(ids, shop), "some")
		r.b.Attach(none)
		r.b.Attach(some)
		synctest.Wait()
		r.wantHas(r.call(r.open("claude"), `open {"url":"https://bank.example/"}`), "opened")
		r.want(none.did(), "")
		r.wantHas(some.did(), "open_tab")
	})
}

// A browser that comes again has its tabs again, and no other gets their ids.
func TestABrowserComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := new(browser.IDs)
		r := start(t, nil, Options{})
		first := own(newFake(ids), "work")
		first.keys = "work"
		first.add(browser.Tab{URL: shop})
		r.b.Attach(first)
		synctest.Wait()
		s := r.open("claude")
		r.wantHas(r.call(s, `choose {"tab":"t1"}`), "chosen")
		first.crash <- nil
		synctest.Wait()
		r.b.Attach(own(newFake(ids, bank), "home"))
		synctest.Wait()
		r.want(r.call(s, `look {"tab":"t1"}`), "unknown_tab: browser work ended, and its tabs are gone\nthere is no tab \"t1\"; give tab, one of these:\nt2 · doc 1 · https://bank.example/")
		again := own(newFake(ids), "work")
		again.keys = "work"
		again.add(browser.Tab{URL: shop})
		r.b.Attach(again)
		synctest.Wait()
		text := r.call(s, `look {"tab":"t1"}`)
		if !strings.HasPrefix(text, "t1 · doc 1 · https://shop.example/") {
			t.Error(text)
		}
	})
}

func TestUntouchableTabs(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.f.add(browser.Tab{URL: "chrome://settings/", Caps: browser.CanNavigate, Untouchable: "a page of the browser"})
		r.want(r.call(r.open("claude"), `look`), "not_supported: the page in t1 cannot be touched: a page of the browser; navigate it to another page, or open_tab")
	})
}
