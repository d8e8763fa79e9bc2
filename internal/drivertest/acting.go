package drivertest

import (
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func click(r browser.Ref) browser.Click { return browser.Click{At: browser.Spot{Ref: r}} }

func testClick(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	tab := r.open(t, site+"/start")
	place(t, tab)
	o := r.outline(t, tab)
	var obs browser.Observation
	r.must(t, tab, click(ref(t, o, `button "Press"`)), &obs)
	if obs.Effect != browser.EffectConfirmed || !strings.Contains(obs.Did, `button "Press"`) {
		t.Errorf("the click is told as %q, effect %s", obs.Did, obs.Effect)
	}
	if all := strings.Join(append(obs.Updated, obs.Added...), "\n"); !strings.Contains(all, "Pressed 1") {
		t.Errorf("the change is not told: %+v", obs)
	}
	if o := r.outline(t, tab); !strings.Contains(o, "Pressed 1") {
		t.Errorf("after the click the page is\n%s", o)
	}
	var gone browser.Observation
	r.must(t, tab, click(ref(t, o, `link "Next page"`)), &gone)
	if gone.Navigated == nil || gone.Navigated.URL != site+"/next" || gone.Effect != browser.EffectConfirmed {
		t.Errorf("a click on a link is told as %+v", gone)
	}
	if now, _ := r.Tab(tab); now.URL != site+"/next" || now.Title != "Next" {
		t.Errorf("after the link the tab is at %s %q", now.URL, now.Title)
	}
}

func testRefusals(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	tab := r.open(t, site+"/start")
	place(t, tab)
	o := r.outline(t, tab)
	asleep := click(ref(t, o, "Asleep"))
	asleep.Timeout = 200e6
	wantCode(t, "a click on a disabled button", r.do(tab, asleep, &browser.Observation{}), browser.CodeNotActionable)
	wantCode(t, "a click on a ref that never was", r.do(tab, click(browser.Ref{N: 9999}), &browser.Observation{}), browser.CodeStaleRef)
	wantCode(t, "a click in a frame that never was", r.do(tab, click(browser.Ref{Frame: "f77", N: 1}), &browser.Observation{}), browser.CodeStaleRef)
}

func testFill(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	tab := r.open(t, site+"/form")
	place(t, tab)
	o := r.outline(t, tab)
	fill := func(r browser.Ref, v string) browser.Fill {
		return browser.Fill{Fields: []browser.Field{{At: browser.Spot{Ref: r}, Value: v}}, Acting: browser.Acting{Timeout: 200e6}}
	}
	email := ref(t, o, `textbox "Email"`)
	for _, v := range []string{"ann@shop.example", "eva@shop.example", ""} {
		var obs browser.Observation
		r.must(t, tab, fill(email, v), &obs)
		if obs.Effect != browser.EffectConfirmed {
			t.Errorf("filling %q: effect %s", v, obs.Effect)
		}
		line := lineOf(r.outline(t, tab), "Email")
		if has := strings.Contains(line, "shop.example"); has != (v != "") || v != "" && !strings.Contains(line, v) {
			t.Errorf("after filling %q the line is %s", v, line)
		}
	}
	wantCode(t, "filling a read-only field", r.do(tab, fill(ref(t, o, "Number"), "x"), &browser.Observation{}), browser.CodeNotActionable)
	if line := lineOf(r.outline(t, tab), "Number"); !strings.Contains(line, "KEEP") {
		t.Errorf("the read-only field is now %s", line)
	}
	var obs browser.Observation
	r.must(t, tab, fill(ref(t, o, "Password"), "open-sesame-7"), &obs)
	told := strings.Join(append(append(obs.Added, obs.Updated...), obs.Did, r.outline(t, tab)), "\n")
	if strings.Contains(told, "sesame") {
		t.Errorf("the password is told:\n%s", told)
	}
}

func lineOf(outline, word string) string {
	for line := range strings.Lines(outline) {
		if strings.Contains(line, word) {
			return line
		}
	}
	return ""
}

func testPopup(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	for _, at := range []struct{ path, button string }{{"/start", "Pop up"}, {"/links", "New window"}} {
		tab := r.open(t, site+at.path)
		place(t, tab)
		openPopup(t, r, tab, at.button, false)
	}
	tab := r.open(t, site+"/links")
	place(t, tab)
	openPopup(t, r, tab, "New tab", true)
	var obs browser.Observation
	r.must(t, tab, click(ref(t, r.outline(t, tab), "No tab")), &obs)
	if len(obs.Opened) > 0 {
		t.Errorf("a link that its page does not follow is told as %+v", obs)
	}
	if now, _ := r.Tab(tab); now.Caps&browser.CanTrustedInput != 0 {
		return // what a person's Control-click opens is the browser's to say
	}
	aside := click(ref(t, r.outline(t, tab), "Next page"))
	aside.Modifiers = []string{"Control"}
	r.must(t, tab, aside, &obs)
	if len(obs.Opened) != 1 || obs.Navigated != nil {
		t.Fatalf("a link that is to open beside its page is told as %+v", obs)
	}
	r.must(t, obs.Opened[0], browser.CloseTab{}, nil)
}

func openPopup(t *testing.T, r *Rig, tab browser.TabID, button string, always bool) {
	var obs browser.Observation
	r.must(t, tab, click(ref(t, r.outline(t, tab), button)), &obs)
	if now, _ := r.Tab(tab); !always && now.Caps&browser.CanTrustedInput == 0 && len(obs.Opened) == 0 { // most browsers let only a person's input open them
		if obs.Effect == browser.EffectConfirmed {
			t.Errorf("a pop-up that the browser does not open is told as %+v", obs)
		}
		return
	}
	if len(obs.Opened) != 1 {
		t.Fatalf("the pop-up is not told: %+v", obs)
	}
	popup := obs.Opened[0]
	if p, ok := r.Tab(popup); !ok || p.Opener != tab {
		t.Errorf("the pop-up is %+v", p)
	}
	r.must(t, popup, browser.WaitFor{Text: "Start page", Timeout: 5e9}, &browser.Waited{})
	r.until(t, popup, func(p browser.Tab) bool { return strings.HasSuffix(p.URL, "/next") && p.Title == "Next" && !p.Loading })
	r.must(t, popup, browser.CloseTab{}, nil)
}

func testDialog(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	other := r.open(t, site+"/next")
	tab := r.open(t, site+"/dialog")
	place(t, tab)
	ask := click(ref(t, r.outline(t, tab), "Ask me"))
	for _, accept := range []bool{true, false} {
		var obs browser.Observation
		r.must(t, tab, ask, &obs)
		if obs.Dialog == nil || obs.Dialog.Kind != browser.DialogConfirm || obs.Dialog.Message != "Sure?" {
			t.Fatalf("the dialog is not told: %+v", obs)
		}
		if now, _ := r.Tab(tab); now.Dialog == nil {
			t.Error("the event does not tell the dialog")
		}
		wantCode(t, "a reading under a dialog", r.do(tab, browser.Snapshot{}, &browser.Outline{}), browser.CodeDialogOpen)
		wantCode(t, "an act under a dialog", r.do(tab, ask, &browser.Observation{}), browser.CodeDialogOpen)
		if o := r.outline(t, other); !strings.Contains(o, "Start page") {
			t.Errorf("another tab under a dialog reads\n%s", o)
		}
		r.must(t, tab, browser.HandleDialog{Accept: accept}, &browser.Observation{})
		want := map[bool]string{true: "Yes", false: "No"}[accept]
		if o := r.outline(t, tab); !strings.Contains(o, `"`+want+`"`) {
			t.Errorf("after the answer %v the page reads\n%s", accept, o)
		}
	}
	wantCode(t, "answering no dialog", r.do(tab, browser.HandleDialog{Accept: true}, &browser.Observation{}), browser.CodeInvalidArguments)
}
