package cdp_test

import (
	"testing"

	"drawbridge/internal/browser"
)

// TestHint shows hints where pages make that hard, and has them go.
func TestHint(t *testing.T) {
	r := newRig(t)
	const root = `document.querySelector('#mbk-human-hint-root')`
	mark := func(t *testing.T, tab browser.TabID, role string) {
		t.Helper()
		var all browser.Elements
		r.must(t, tab, browser.ListElements{}, &all)
		for _, f := range all.Frames {
			for _, e := range f.Elements {
				if e.Role == role {
					r.must(t, tab, browser.ShowHint{At: browser.Spot{Ref: browser.Ref{Frame: f.Frame, N: e.N}}, Text: "Look"}, nil)
					return
				}
			}
		}
		t.Fatalf("no %s in %+v", role, all)
	}
	tab := r.open(t, r.here+"/strict")
	r.eval(t, tab, `const b = document.createElement('button'); b.textContent = 'B'; b.style.position = 'absolute'; b.style.top = '3000px'; document.body.style.height = '9000px'; document.body.append(b)`)
	mark(t, tab, "button")
	const placed = `const b = document.querySelector('button').getBoundingClientRect(), r = document.querySelector('[data-mbk-hint-ring]').getBoundingClientRect(), c = document.querySelector('[data-mbk-hint-callout]').getBoundingClientRect();
		return [b.left - r.left, b.top - r.top, r.right - b.right, Math.round(c.top - b.bottom)].join()`
	const painted = "await new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)));"
	r.wantEval(t, tab, painted+placed, `"4,4,4,12"`)
	r.wantEval(t, tab, "scrollBy(0, -50);"+painted+placed, `"4,4,4,12"`)
	for _, gone := range []string{
		root + `.querySelector('button[aria-label="Dismiss hint"]').click()`,
		`location.hash = 'x'`,
		`history.pushState(null, '', '?y')`,
		root + `.querySelector('button').dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true, composed: true}))`,
	} {
		mark(t, tab, "button")
		r.wantEval(t, tab, "return "+root+" !== null", "true")
		r.eval(t, tab, gone+";"+painted)
		r.wantEval(t, tab, "return "+root+" === null", "true")
	}
	// Over a modal dialog, and heard of by no listener of the page.
	r.eval(t, tab, `const d = document.createElement('dialog'); d.style.width = '100vw'; d.style.height = '100vh'; document.body.append(d); d.showModal(); addEventListener('click', () => { window.heard = true })`)
	mark(t, tab, "button")
	r.wantEval(t, tab, "return "+root+`.matches(':popover-open')`, "true")
	r.eval(t, tab, root+`.querySelector('button').click()`)
	r.wantEval(t, tab, "return window.heard === undefined", "true")

	tab = r.open(t, r.here+"/frames")
	r.frames(t, tab)
	mark(t, tab, "input") // of a frame
	r.wantEval(t, tab, "return "+root+" === null", "true")
	r.must(t, tab, browser.ShowHint{At: browser.Spot{Point: &browser.Point{X: 50, Y: 50}}, Text: "There"}, nil)
	r.wantEval(t, tab, "return "+root+" !== null", "true")
}
