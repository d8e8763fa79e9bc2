package drivertest

import (
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// testStamp has pages change in each way that a stamp is to tell, and in those
// that are none.
func testStamp(t *testing.T, r *Rig, site string) {
	var tab browser.TabID
	last := ""
	stamp := func() string {
		t.Helper()
		var s browser.Stamp
		r.must(t, tab, browser.ContentStamp{}, &s)
		return s.Text
	}
	after := func(what string, differs bool) {
		t.Helper()
		now := stamp()
		for end := time.Now().Add(3 * time.Second); differs && now == last && time.Now().Before(end); {
			now = stamp()
		}
		if (now != last) != differs || now == "" {
			t.Errorf("after %s the stamp is %q, it was %q", what, now, last)
		}
		last = now
	}
	tab = r.open(t, site+"/framed")
	r.must(t, tab, browser.WaitFor{Text: "Close", Timeout: 5 * time.Second}, &browser.Waited{})
	r.list(t, tab)
	last = stamp()
	after("nothing", false)
	all := r.list(t, tab)
	after("a list", false)
	_, code := listedAs(t, all, "input", "Code")
	r.must(t, tab, browser.Fill{Fields: []browser.Field{{At: browser.Spot{Ref: code}, Value: "12"}}}, &browser.Observation{})
	after("a value of a field in a frame", true)
	after("nothing", false)
	_, more := listedAs(t, all, "button", "More")
	r.must(t, tab, click(more), &browser.Observation{})
	after("an element that came", true)
	r.must(t, tab, browser.ShowHint{At: browser.Spot{Ref: more}, Text: "Look"}, &browser.Hinted{})
	after("a hint", false)
	r.must(t, tab, browser.Navigate{URL: site + "/listed"}, &browser.Navigation{})
	after("another document", true)
	r.must(t, tab, browser.Navigate{To: browser.Reload}, &browser.Navigation{})
	after("a document in its place", true)
	if now, _ := r.Tab(tab); now.Caps&browser.CanScript == 0 {
		return
	}
	after("nothing", false)
	for _, code := range []string{
		`document.getElementById('name').value = 'Eva'`,
		`document.querySelector('[type=checkbox]').checked = false`,
		`document.querySelector('select').value = 's'`,
		`document.getElementById('one').firstChild.data = 'Other'`,
		`document.getElementById('one').title = 'Other'`,
		`document.getElementById('two').remove()`,
		`document.getElementById('open').shadowRoot.firstChild.textContent = 'Other'`,
	} {
		r.must(t, tab, browser.Evaluate{Code: code}, nil)
		after(code, true)
	}
}

// stamp is the model's.
func (t *fakeTab) stamp() string {
	sum := fnv.New64a()
	fmt.Fprintln(sum, t.tab.Doc)
	for _, e := range t.els {
		fmt.Fprintln(sum, e.role, e.name, e.value)
	}
	return fmt.Sprint(sum.Sum64())
}
