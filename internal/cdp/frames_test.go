package cdp_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// testTurnedFrames presses what lies in frames that are turned, slanted, scaled
// and scrolled.
func testTurnedFrames(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	for _, tt := range []struct{ css, outer, body string }{
		{css: ""},
		{css: "transform:scale(1.5);transform-origin:0 0"},
		{css: "transform:rotate(20deg);margin:100px"},
		{css: "transform:rotate(180deg)"},
		{css: "transform:scaleX(-1)"},
		{css: "transform:skewX(20deg);margin:60px"},
		{css: "rotate:30deg;scale:.8 1.1;margin:100px"},
		{css: "transform:rotate(20deg)", outer: "transform:rotate(15deg) scale(.8);margin:80px"},
		{css: "border-left-width:90px;padding-top:70px;transform:rotate(45deg);margin:150px"},
		{css: "zoom:1.7"},
		{css: "transform:scale(.8)", outer: "zoom:.7"},
		{css: "", outer: "overflow:auto;width:200px;height:150px"},
		{css: "", outer: "overflow:hidden;width:200px;height:150px"},
		{css: "margin-right:2000px", body: "direction:rtl"},
		{css: "margin-right:2000px", body: "writing-mode:vertical-rl"},
	} {
		for _, far := range []string{"", "yes"} {
			q := url.Values{"css": {tt.css}, "outer": {tt.outer}, "body": {tt.body}}
			if far != "" {
				q.Set("far", far)
			}
			r.must(t, tab, browser.Navigate{URL: r.here + "/frames/turned?" + q.Encode()}, &browser.Navigation{})
			outline := r.outline(t, tab)
			for _, n := range []int{99, 11} {
				tile := refOf(t, outline, fmt.Sprintf(`"Tile %d."`, n), 0)
				if err := r.do(tab, browser.Click{At: browser.Spot{Ref: tile}, Acting: browser.Acting{Settle: browser.Settle{None: true}}}, &browser.Observation{}); err != nil {
					t.Errorf("%+v far %q: %v", tt, far, err)
					continue
				}
				var v browser.Value
				r.must(t, tab, browser.Evaluate{Code: "return got.splice(0)", Frame: tile.Frame}, &v)
				if v.JSON != fmt.Sprintf("[%d]", n) {
					t.Errorf("%+v far %q: tile %d was to be pressed, and %s was", tt, far, n, v.JSON)
				}
			}
		}
	}
}

// lineOf is the line that has the words, and all that is in it.
func lineOf(outline, words string) string {
	lines := strings.Split(outline, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, words) })
	if i < 0 {
		return ""
	}
	indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " "))
	out := lines[i]
	for _, l := range lines[i+1:] {
		if len(l)-len(strings.TrimLeft(l, " ")) <= indent {
			break
		}
		out += "\n" + l
	}
	return out
}

// testFrameKinds reads frames of every kind, and why others are not read.
func testFrameKinds(t *testing.T, r *rig) {
	var made browser.Tab
	r.must(t, "", browser.OpenTab{}, &made)
	defer r.must(t, made.ID, browser.CloseTab{}, nil)
	r.must(t, made.ID, browser.Navigate{URL: r.here + "/frames/kinds", Wait: "dom"}, &browser.Navigation{})
	for name, want := range map[string]string{
		"srcdoc": "srcdoc words", "sandboxed": "sandboxed words", "blank": "blank words", "written": "written words", "data": "words within", "blob": "blob words",
		"script": "script words", "credentialless": "Leaf words", "object": "Leaf words", "embed": "Leaf words",
		"empty": "brought no document", "file": "brought no document", "refused": "ERR_UNSAFE_PORT", "alone": "ERR_BLOCKED_BY_RESPONSE",
		"silent": "still loading", "lazy": "not begun to load",
	} {
		r.eventually(t, name, func() (string, bool) {
			line := lineOf(r.outline(t, made.ID), `iframe "`+name+`"`)
			return line, strings.Contains(line, want)
		})
	}
	outline := r.outline(t, made.ID)
	for _, name := range []string{"tiny", "unseen"} {
		if strings.Contains(outline, name) {
			t.Errorf("the frame %s cannot be seen, and is told of:\n%s", name, outline)
		}
	}
	press := refOf(t, lineOf(outline, `iframe "object"`), `button "Press"`, 0)
	r.must(t, made.ID, browser.Click{At: browser.Spot{Ref: press}}, &browser.Observation{})
	wantWords(t, "the object after a press", lineOf(r.outline(t, made.ID), `iframe "object"`), "Done")
}

// testNestedFrames presses through frames of three sites within each other,
// and reads a set of frames.
func testNestedFrames(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/frames/nest")
	r.eventually(t, "the innermost frame", func() (string, bool) {
		outline := r.outline(t, tab)
		return outline, strings.Contains(outline, `"Press"`)
	})
	outline := r.outline(t, tab)
	if n := strings.Count(outline, "Words of this"); n != 5 {
		t.Errorf("%d documents are read, want 5:\n%s", n, outline)
	}
	var obs browser.Observation
	r.must(t, tab, browser.Click{At: browser.Spot{Ref: refOf(t, outline, `"Press"`, 0)}}, &obs)
	wantWords(t, "the outline after the press", r.outline(t, tab), "Done")
	tab = r.open(t, r.here+"/frames/set")
	r.eventually(t, "the set of frames", func() (string, bool) {
		outline := r.outline(t, tab)
		return outline, strings.Count(outline, "Leaf words") == 3
	})
}

// testFrameTurns shows one document after another in a frame, some of which
// cannot be read, and reads each in the frame's place.
func testFrameTurns(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/framed")
	for _, step := range []struct{ to, want string }{
		{"/next", `heading 1 "Next"`}, {"http://127.0.0.1:1/", "ERR_UNSAFE_PORT"}, {"/alone", "ERR_BLOCKED_BY_RESPONSE"}, {"/plain", `heading 1 "Plain"`}, {"http://127.0.0.1:1/", "ERR_UNSAFE_PORT"},
	} {
		r.eval(t, tab, "document.querySelector('iframe').src="+quote(step.to))
		r.eventually(t, step.to, func() (string, bool) {
			outline := r.outline(t, tab)
			return outline, strings.Contains(lineOf(outline, "iframe"), step.want)
		})
	}
	r.eval(t, tab, "document.body.append(Object.assign(document.createElement('iframe'),{title:'second',src:'/alone'}))")
	r.eventually(t, "two that cannot be read", func() (string, bool) {
		outline := r.outline(t, tab)
		return outline, strings.Contains(lineOf(outline, "iframe"), "ERR_UNSAFE_PORT") && strings.Contains(lineOf(outline, `iframe "second"`), "ERR_BLOCKED_BY_RESPONSE")
	})
}

// eventually asks again whenever something has happened to a tab, and after a
// while also if nothing has. ok tells with its answer what it saw.
func (r *rig) eventually(t *testing.T, what string, ok func() (saw string, met bool)) {
	t.Helper()
	end := time.Now().Add(patience)
	for {
		r.mu.Lock()
		more := r.more
		r.mu.Unlock()
		saw, met := ok()
		switch {
		case met:
			return
		case time.Now().After(end):
			t.Errorf("%s: not so in %s:\n%s", what, patience, saw)
			return
		}
		select {
		case <-more:
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// A frame after the last text of a page is read with it, in every way.
func TestAFrameAtTheEndIsRead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, r.here+"/plain")
	for _, inner := range []string{
		`<p>Around</p><iframe srcdoc="<p>Within</p>"></iframe>`,
		`<dialog id=d><p>Around</p><iframe srcdoc="<p>Within</p>"></iframe></dialog>`,
		`<h1>Around</h1><div><div><iframe srcdoc="<p>Within</p>"></iframe></div></div>`,
	} {
		code, err := json.Marshal(inner)
		if err != nil {
			t.Fatal(err)
		}
		r.wantEval(t, id, "document.body.innerHTML="+string(code)+";document.querySelector('dialog')?.showModal();await new Promise(f=>document.querySelector('iframe').onload=f);return 1", "1")
		for _, as := range []string{"text", "html"} {
			for _, most := range []int{0, 4000} {
				var text browser.Text
				r.must(t, id, browser.ReadPage{As: as, MaxTokens: most}, &text)
				if !strings.Contains(text.Text, "Around") || strings.Count(text.Text, "Within") != 1 {
					t.Errorf("%s of %s is %q", as, inner, text.Text)
				}
			}
		}
	}
}
