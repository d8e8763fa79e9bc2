package cdp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// outline is what a reader sees of a tab.
func (r *rig) outline(t *testing.T, tab browser.TabID) string {
	t.Helper()
	var o browser.Outline
	r.must(t, tab, browser.Snapshot{MaxTokens: 4000}, &o)
	for range looks {
		if !tooBusy(o.Text) {
			break
		}
		r.must(t, tab, browser.Snapshot{MaxTokens: 4000}, &o)
	}
	return o.Text
}

// looks is how often a machine that is too busy for frames is asked again.
const looks = 10

// tooBusy tells that a frame was left out because the machine was slow.
func tooBusy(text string) bool {
	return strings.Contains(text, "there was no time yet") || strings.Contains(text, "it does not answer")
}

// searchTime is what a busy machine may need to look for closed roots, after
// which a page is told as far as it is known.
const searchTime = 2 * time.Second

// outlineWith is the outline, which has the words: at the first look, or at a
// later one where there was no time to look for closed roots.
func (r *rig) outlineWith(t *testing.T, tab browser.TabID, words ...string) string {
	t.Helper()
	for range looks {
		began := time.Now()
		outline := r.outline(t, tab)
		without := func(word string) bool { return !strings.Contains(outline, word) }
		if !slices.ContainsFunc(words, without) || time.Since(began) < searchTime {
			wantWords(t, "the outline", outline, words...)
			return outline
		}
	}
	t.Fatalf("the machine is too busy for the roots of %s", tab)
	return ""
}

// refOf is the ref of the nth line that has the words.
func refOf(t *testing.T, outline, words string, n int) browser.Ref {
	t.Helper()
	for line := range strings.Lines(outline) {
		if !strings.Contains(line, words) {
			continue
		}
		if n--; n >= 0 {
			continue
		}
		ref, err := browser.ParseRef(strings.Fields(line)[0])
		if err != nil {
			t.Fatalf("no ref in %q", line)
		}
		return ref
	}
	t.Fatalf("no line with %q in\n%s", words, outline)
	return browser.Ref{}
}

func wantWords(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not have %q:\n%s", what, w, text)
		}
	}
}

// press and field of a closed root are found, pressed and filled.
func (r *rig) useRoot(t *testing.T, tab browser.TabID) {
	t.Helper()
	outline := r.outline(t, tab)
	r.must(t, tab, browser.Click{At: browser.Spot{Ref: refOf(t, outline, `button "Press"`, 0)}}, &browser.Observation{})
	r.wantEval(t, tab, "return hits.join()", `"press"`)
	r.must(t, tab, browser.Fill{Fields: []browser.Field{{At: browser.Spot{Ref: refOf(t, outline, `textbox "Field"`, 0)}, Value: "typed"}}}, &browser.Observation{})
	r.wantEval(t, tab, "return value()", `"typed"`)
	wantWords(t, "the outline after filling", r.outline(t, tab), `"typed"`)
}

func testClosedRoots(t *testing.T, r *rig) {
	for _, tt := range []struct {
		page string
		want []string
	}{
		{"plain", []string{"Inside", "Light"}},
		{"declarative", []string{"Declared", "Fallback words", "Slotted words"}},
		{"nested", []string{"Level 0", "Level 5"}},
		{"slotted", []string{"Before", "Second", "After"}},
		{"twins", []string{"Tea", "Coffee"}},
	} {
		t.Run(tt.page, func(t *testing.T) {
			tab := r.open(t, r.here+"/shadow/"+tt.page)
			r.outlineWith(t, tab, tt.want...)
			var read browser.Text
			r.must(t, tab, browser.ReadPage{}, &read)
			wantWords(t, "the text", read.Text, tt.want...)
			r.must(t, tab, browser.WaitFor{Text: tt.want[0]}, &browser.Waited{})
			r.useRoot(t, tab)
		})
	}
}

// testLateRoot has an element that was read get a closed root, in a tab behind
// another one.
func testLateRoot(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/shadow/late")
	front := r.open(t, r.here+"/plain")
	r.must(t, front, browser.ActivateTab{}, nil)
	wantWords(t, "the outline before", r.outline(t, tab), "Light words")
	r.eval(t, tab, "return later()")
	r.outlineWith(t, tab, "Light words", "Press")
	r.useRoot(t, tab)
}

func testRootsInFrames(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/shadow/framed")
	r.outlineWith(t, tab, "Inside", "Level 5", "Deep in srcdoc", "Deep in sandbox")
	tab = r.open(t, r.here+"/shadow/holds")
	outline := r.outlineWith(t, tab, "Around", `iframe "Held"`, `iframe "Far"`, "Inside")
	for i := range 2 {
		press := refOf(t, outline, `button "Press"`, i)
		r.must(t, tab, browser.Click{At: browser.Spot{Ref: press}}, &browser.Observation{})
		var v browser.Value
		r.must(t, tab, browser.Evaluate{Code: "return hits.join()", Frame: press.Frame}, &v)
		if v.JSON != `"press"` {
			t.Errorf("a press in frame %s had %s", press.Frame, v.JSON)
		}
	}
}

// testCoveredInRoot has something come over an element as the mouse does, both
// in one closed root.
func testCoveredInRoot(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/shadow/covered")
	target := refOf(t, r.outline(t, tab), `button "Real"`, 0)
	err := r.do(tab, browser.Click{At: browser.Spot{Ref: target}, Acting: browser.Acting{Timeout: 300 * time.Millisecond}}, &browser.Observation{})
	wantError(t, "a press on what gets covered", err, browser.CodeNotActionable, `covered by button "Twin"`)
	r.wantEval(t, tab, "return hits.length", "0")
}

// testNoRoots has trees of the browser's own, which nobody is told of.
func testNoRoots(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/shadow/quiet")
	outline := r.outline(t, tab)
	wantWords(t, "the outline", outline, "Open < words", "3 < 4")
	if strings.Contains(outline, "Hidden part") {
		t.Errorf("the outline has what is hidden:\n%s", outline)
	}
}
