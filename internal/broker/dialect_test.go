package broker

import (
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// older is a dialect without words.
type older struct{ tool.Dialect }

func (older) Called(tool.OlderCall) {}

// What becomes current by itself is no other session's, however soon a tab is
// there before it is known whose it is.
func TestOnlyOnesOwnTabsBecomeCurrent(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		open := func(name string) *Session { return r.b.Open(Client{Name: name, Dialect: older{}}, r.tools()) }
		first, second := open("first"), open("second")
		r.call(first, `open {"url":"`+shop+`"}`)
		r.wantHas(r.call(second, `look {"tab":"t1"}`), "seen")
		current := func(s *Session, want browser.TabID) {
			t.Helper()
			r.b.mu.Lock()
			defer r.b.mu.Unlock()
			if s.current != want {
				t.Errorf("the current tab of %s is %q, want %q", s.client.Name, s.current, want)
			}
		}
		current(first, "t1")
		current(second, "")
		r.f.add(browser.Tab{URL: bank, Opener: "t1"}) // a page of the first opens it
		current(second, "")
		r.f.add(browser.Tab{URL: bank}) // a person does
		current(second, "t3")
		r.call(second, `open {"url":"`+shop+`"}`)
		current(second, "t4")
		r.f.close("t4")
		current(second, "t3")
		r.f.close("t1")
		current(first, "t2")
		r.f.close("t3")
		current(second, "t2") // nobody's by now
	})
}
