package drivertest

import (
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// testHint shows hints to a person, who may have a look at them: no reader of
// the page is told of them, and no act is in their way.
func testHint(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	listed := r.list(t, tab)
	before := r.outline(t, tab)
	_, press := listedAs(t, listed, "button", "Press")
	_, next := listedAs(t, listed, "a", "Next page")
	show := func(at browser.Spot, text string) browser.ShowHint { return browser.ShowHint{At: at, Text: text} }
	var h browser.Hinted
	for _, at := range []struct {
		ref  browser.Ref
		says string
	}{{press, "Press"}, {press, "Press"}, {next, "Next page"}} {
		r.must(t, tab, show(browser.Spot{Ref: at.ref}, "Please look at "+at.says), &h)
		if h.Label != at.says {
			t.Errorf("marked is %q, not %q", h.Label, at.says)
		}
		r.hinted(t, tab, "Please look at "+at.says)
	}
	if now, _ := r.Tab(tab); !now.Active {
		t.Error("the tab with the hint is not in front")
	}
	if now := r.outline(t, tab); strings.ReplaceAll(now, " focused", "") != before {
		t.Errorf("the outline tells of the hint:\n%s\nit was\n%s", now, before)
	}
	if now := r.list(t, tab); len(now.Frames[0].Elements) != len(listed.Frames[0].Elements) {
		t.Errorf("the list tells of the hint: %+v", now)
	}
	wantCode(t, "a text of the hint", r.do(tab, browser.WaitFor{Text: "Please look", Timeout: 200e6}, &browser.Waited{}), browser.CodeTimeout)
	var text browser.Text
	r.must(t, tab, browser.ReadPage{}, &text)
	var found browser.Found
	r.must(t, tab, browser.Find{Text: "Please look", Limit: 5}, &found)
	if strings.Contains(text.Text, "look") || len(found.Lines) > 0 {
		t.Errorf("the page says %q, and where it does are %q", text.Text, found.Lines)
	}
	// What is beneath the text of the hint can be pressed.
	_, beneath := listedAs(t, listed, "button", "Pop up")
	r.must(t, tab, show(browser.Spot{Ref: press}, strings.Repeat("Lines and lines. ", 20)), &h)
	r.must(t, tab, browser.Hover{At: browser.Spot{Ref: beneath}, Acting: browser.Acting{Timeout: time.Second}}, &browser.Observation{})
	var obs browser.Observation
	r.must(t, tab, click(press), &obs)
	if all := strings.Join(append(obs.Updated, obs.Added...), "\n"); !strings.Contains(all, "Pressed 1") || strings.Contains(all, "Lines") {
		t.Errorf("a press beside a hint is told as %+v", obs)
	}

	wantCode(t, "a hint at what never was", r.do(tab, show(browser.Spot{Ref: browser.Ref{N: 9999}}, "x"), &h), browser.CodeStaleRef)
	wantCode(t, "a hint at nothing", r.do(tab, show(browser.Spot{}, "x"), &h), browser.CodeInvalidArguments)
	r.hinted(t, tab, "Lines and lines")
	brief := show(browser.Spot{Ref: next}, "Soon gone")
	brief.For = time.Millisecond
	r.must(t, tab, brief, &h)
	r.hinted(t, tab, "")
}

// hinted waits until the hint with the text is the only one in the page; "" is
// none. It looks where code can.
func (r *Rig) hinted(t *testing.T, tab browser.TabID, text string) {
	t.Helper()
	if now, _ := r.Tab(tab); now.Caps&browser.CanScript == 0 {
		return
	}
	const look = `const all = [...document.querySelectorAll('#mbk-human-hint-root')];
		return all.map(e => e.querySelector('[data-mbk-hint-ring]').getBoundingClientRect().width > 0 && e.querySelector('[data-mbk-hint-callout] [data-mbk-hint-text]').textContent).join('|')`
	var v browser.Value
	for range 100 {
		r.must(t, tab, browser.Evaluate{Code: look}, &v)
		if strings.Contains(v.JSON, text) && !strings.Contains(v.JSON, "|") && (text != "" || v.JSON == `""`) {
			return
		}
	}
	t.Fatalf("the hints are %s, not %q", v.JSON, text)
}

// hint marks an element of the model.
func (t *fakeTab) hint(op browser.ShowHint, out *browser.Hinted) error {
	if op.At.IsZero() {
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "nothing to mark is named", Hint: "give a ref, or x and y"}
	}
	*out = browser.Hinted{}
	if op.At.Point == nil {
		e, err := t.find(op.At.Ref)
		if err != nil {
			return err
		}
		out.Label = e.name
	}
	return t.do(browser.ActivateTab{}, nil)
}
