package drivertest

import (
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// testFocus presses keys in what is given the focus without a press, also under
// a layer that lies over it.
func testFocus(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	enter := func(at browser.Spot) browser.PressKey {
		return browser.PressKey{Keys: "Enter", At: at, Focus: true, Acting: browser.Acting{Timeout: 200e6}}
	}
	spots := []browser.Spot{{}}
	tab := r.open(t, site+"/search")
	if now, _ := r.Tab(tab); now.Caps&browser.CanCapture != 0 { // it has places
		spots = append(spots, browser.Spot{Point: &browser.Point{X: 195, Y: 215}})
	}
	for _, at := range spots {
		tab := r.open(t, site+"/search")
		place(t, tab)
		all := r.list(t, tab)
		if at.Point == nil {
			_, at.Ref = listedAs(t, all, "input", "Query")
		}
		var obs browser.Observation
		r.must(t, tab, enter(at), &obs)
		if obs.Effect != browser.EffectConfirmed || !strings.Contains(obs.Did, `pressed Enter in`) {
			t.Errorf("Enter is told as %q, effect %s", obs.Did, obs.Effect)
		}
		listedAs(t, r.list(t, tab), "output", "Sought cat")
		for _, no := range []string{"Locked", "No field"} {
			role := map[string]string{"Locked": "input", "No field": "p"}[no]
			_, ref := listedAs(t, all, role, no)
			wantCode(t, "keys in "+no, r.do(tab, enter(browser.Spot{Ref: ref}), &browser.Observation{}), browser.CodeNotActionable)
		}
	}
}
