package drivertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// testHover opens a menu that only style shows, and uses it.
func testHover(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	tab := r.open(t, site+"/move")
	place(t, tab)
	file := ref(t, r.outline(t, tab), `button "File"`)
	var obs browser.Observation
	r.must(t, tab, browser.Hover{At: browser.Spot{Ref: file}}, &obs)
	if now, _ := r.Tab(tab); now.Caps&browser.CanTrustedInput == 0 && len(obs.Added) == 0 && strings.Contains(strings.Join(obs.Notes, ""), "person") {
		return // scripts hover, and style does not hear of it
	}
	if obs.Effect != browser.EffectConfirmed || !strings.Contains(obs.Did, `hovered over`) {
		t.Errorf("told as %+v", obs)
	}
	save := ref(t, strings.Join(obs.Added, "\n"), `button "Save"`)
	r.must(t, tab, click(save), &obs)
	if o := r.outline(t, tab); !strings.Contains(o, "Saved") {
		t.Errorf("after the choice from the menu the page is\n%s", o)
	}
	wantCode(t, "hovering over what never was", r.do(tab, browser.Hover{At: browser.Spot{Ref: browser.Ref{N: 9999}}}, &obs), browser.CodeStaleRef)
}

// testScroll scrolls a page, which hears of it.
func testScroll(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	tab := r.open(t, site+"/tall")
	place(t, tab)
	r.outline(t, tab)
	var obs browser.Observation
	r.must(t, tab, browser.Scroll{To: "bottom"}, &obs)
	if o := r.outline(t, tab); obs.Effect != browser.EffectConfirmed || !strings.Contains(o, `"Scrolled"`) {
		t.Errorf("told as %+v, the page is\n%s", obs, o)
	}
}

// testDrag drags data to what takes it and to what does not.
func testDrag(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	tab := r.open(t, site+"/move")
	place(t, tab)
	o := r.outline(t, tab)
	drag := func(to string) (obs browser.Observation) {
		r.must(t, tab, browser.Drag{From: browser.Spot{Ref: ref(t, o, `"Card"`)}, To: browser.Spot{Ref: ref(t, o, to)}}, &obs)
		return obs
	}
	if obs := drag(`"Tray"`); obs.Effect != browser.EffectConfirmed || !strings.Contains(obs.Did, "Card") || !strings.Contains(obs.Did, "Tray") {
		t.Errorf("told as %+v", obs)
	}
	if o := r.outline(t, tab); !strings.Contains(o, "Took card 7") {
		t.Errorf("after the drop the page is\n%s", o)
	}
	if obs := drag(`"Wall"`); obs.Effect != browser.EffectNone || !strings.Contains(strings.Join(obs.Notes, ""), "refused") {
		t.Errorf("a drop on what takes nothing is told as %+v", obs)
	}
	card := browser.Spot{Ref: ref(t, o, `"Card"`)}
	wantCode(t, "dragging to what never was", r.do(tab, browser.Drag{From: card, To: browser.Spot{Ref: browser.Ref{N: 9999}}}, &browser.Observation{}), browser.CodeStaleRef)
	wantCode(t, "dragging to a frame that never was", r.do(tab, browser.Drag{From: card, To: browser.Spot{Ref: browser.Ref{Frame: "f77", N: 1}}}, &browser.Observation{}), browser.CodeStaleRef)
}

// testUpload gives files to what opens a chooser, and drops them.
func testUpload(t *testing.T, r *Rig, site string, place func(*testing.T, browser.TabID)) {
	dir := t.TempDir()
	files := []browser.File{{Path: filepath.Join(dir, "a.txt")}, {Path: filepath.Join(dir, "ö \"b\".txt")}}
	for i, text := range []string{"first", ""} {
		if err := os.WriteFile(files[i].Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tab := r.open(t, site+"/files")
	place(t, tab)
	o := r.outline(t, tab)
	attach, shelf, plain := ref(t, o, "Attach"), ref(t, o, "Shelf"), ref(t, o, "Plain")
	var obs browser.Observation
	r.must(t, tab, browser.Upload{Ref: attach, Files: files[:1]}, &obs)
	if obs.Effect != browser.EffectConfirmed || !strings.Contains(obs.Did, "a.txt") {
		t.Errorf("told as %q, effect %s", obs.Did, obs.Effect)
	}
	reads := func(want string) {
		t.Helper()
		r.must(t, tab, browser.WaitFor{Text: want, Timeout: 5e9}, &browser.Waited{})
	}
	reads("Has a.txt first")
	wantCode(t, "two files for one", r.do(tab, browser.Upload{Ref: attach, Files: files}, &obs), browser.CodeInvalidArguments)
	r.must(t, tab, browser.Upload{Ref: shelf, Files: files}, &obs)
	reads("Has a.txt first, ö \"b\".txt")
	wantCode(t, "what takes no files", r.do(tab, browser.Upload{Ref: plain, Files: files}, &obs), browser.CodeNotActionable)
	wantCode(t, "what never was", r.do(tab, browser.Upload{Ref: browser.Ref{N: 9999}, Files: files}, &obs), browser.CodeStaleRef)
}
