package drivertest

import (
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// testFrames acts in frames, whose acts add to them and take them away.
func testFrames(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	tab := r.open(t, site+"/framed")
	place(t, tab)
	press := func(what string) browser.Ref {
		t.Helper()
		at := ref(t, r.outline(t, tab), `button "`+what+`"`)
		var obs browser.Observation
		r.must(t, tab, click(at), &obs)
		if obs.Effect != browser.EffectConfirmed {
			t.Errorf("%s is told as %+v", what, obs)
		}
		return at
	}
	r.must(t, tab, browser.WaitFor{Text: "Close", Timeout: 5 * time.Second}, &browser.Waited{})
	press("More")
	for _, what := range []string{"Late", "Close"} {
		gone := press(what)
		if o := r.outline(t, tab); strings.Contains(o, what) && !strings.Contains(o, "Closed") {
			t.Errorf("after %s took its frame away the page is\n%s", what, o)
		}
		wantCode(t, "a press in a frame that is gone", r.do(tab, click(gone), &browser.Observation{}), browser.CodeStaleRef)
	}
	tab = r.open(t, site+"/framed")
	place(t, tab)
	r.must(t, tab, browser.WaitFor{Text: "Close", Timeout: 5 * time.Second}, &browser.Waited{})
	code := ref(t, r.outline(t, tab), `textbox "Code"`)
	var obs browser.Observation
	r.must(t, tab, browser.Fill{Fields: []browser.Field{{At: browser.Spot{Ref: code}, Value: "1234"}}}, &obs)
	if o := r.outline(t, tab); obs.Effect != browser.EffectConfirmed || !strings.Contains(o, "Closed") {
		t.Errorf("a field whose frame goes when it is filled is told as %+v, the page is\n%s", obs, o)
	}
}
