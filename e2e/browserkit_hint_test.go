package e2e

import (
	"fmt"
	"strings"
)

// hinted is what showHumanHint answers.
type hinted struct {
	OK                      bool
	Reason, Action, Message string
	HumanMessage            string `json:"humanMessage"`
	Value                   *string
	Target                  *hintTarget
	Tab                     struct{ Title, URL string }
	ExpiresInSeconds        int `json:"expiresInSeconds"`
}

type hintTarget struct {
	Type, ReadablePath, Label string
	X, Y                      *float64
}

// hint shows one, or not, and checks what holds for each answer.
func (t *kitTab) hint(a args) (h hinted) {
	t.Helper()
	r := t.ask("showHumanHint", t.args(a))
	t.decode(string(r.shaped), &h)
	if h.HumanMessage == "" || r.text != h.HumanMessage || h.Action != a["action"] || h.Message != a["message"] || h.ExpiresInSeconds != 60 || h.OK != (h.Reason == "") {
		t.Errorf("%s with the text %q", r.shaped, r.text)
	}
	if h.Tab.Title == "" || h.Tab.URL != t.url {
		t.Errorf("it names the tab %+v", h.Tab)
	}
	return h
}

// finding is code for what a selector finds, in open shadow roots too.
const finding = `const all = (s, root = document) => [...root.querySelectorAll(s), ...[...root.querySelectorAll('*')].flatMap((e) => e.shadowRoot ? all(s, e.shadowRoot) : [])];
const shown = (e) => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && e.checkVisibility({ visibilityProperty: true }) };`

// overlay is the text of the hint that the page shows; "" when there is none.
func (t *kitTab) overlay() (text string) {
	t.Helper()
	t.decode(t.js(finding+`const roots = all('#mbk-human-hint-root');
if (roots.length > 1) throw new Error('there are ' + roots.length + ' hints');
return roots.length && shown(roots[0]) ? all('[data-mbk-hint-text]')[0].textContent : ''`), &text)
	return text
}

// formTab is a form in the front, for hints.
func (k *kit) formTab() *kitTab {
	k.Helper()
	return k.open("/form-test")
}

const clickHint = "Please click the highlighted element."

var kitHumanHint = kitArea{name: "human hint tools", alone: true, behaviours: []behaviour{
	{"17 a hint to click, by a path", func(k *kit) {
		t := k.formTab()
		path := t.path("Submit Form")
		h := t.hint(args{"action": "click", "message": "  It sends the form. ", "readablePath": path})
		if !h.OK || h.Target == nil || h.Target.Type != "readablePath" || h.Target.ReadablePath != path || h.Target.Label != "Submit Form" || h.Value != nil {
			t.Fatalf("%+v", h)
		}
		const want = clickHint + " It sends the form."
		if h.HumanMessage != want || t.overlay() != want {
			t.Errorf("it says %q and shows %q", h.HumanMessage, t.overlay())
		}
		ring, field := t.rect(`all('[data-mbk-hint-ring]')[0]`), t.rect(part("submit-button"))
		if ring[0] > field[0] || ring[1] > field[1] || ring[2] < field[2] || ring[3] < field[3] {
			t.Errorf("the ring is at %v, the button at %v", ring, field)
		}
	}},
	{"18 a hint to fill", func(k *kit) {
		t := k.formTab()
		h := t.hint(args{"action": "fill", "message": "", "value": "testuser123", "readablePath": t.path("Enter username")})
		const want = `Please type "testuser123" into the highlighted field.`
		if !h.OK || h.HumanMessage != want || h.Value == nil || *h.Value != "testuser123" || t.overlay() != want {
			t.Errorf("%+v, and it shows %q", h, t.overlay())
		}
	}},
	{"19 a hint at a place", func(k *kit) {
		t := k.formTab()
		a := t.center("search-button")
		a["action"], a["message"] = "hit-enter", "Now."
		h := t.hint(a)
		if !h.OK || h.Target == nil || h.Target.Type != "coordinates" || h.Target.X == nil || *h.Target.X != a["x"] || h.Target.Y == nil || *h.Target.Y != a["y"] {
			t.Fatalf("%+v", h)
		}
		if got := t.overlay(); got != "Please press Enter on the highlighted element. Now." {
			t.Errorf("it shows %q", got)
		}
	}},
	{"20 nothing to fill in", func(k *kit) {
		t := k.formTab()
		t.notHinted(args{"action": "fill", "message": "", "value": " ", "readablePath": t.path("Enter username")}, "fill action requires value")
	}},
	{"21 no target", func(k *kit) {
		t := k.formTab()
		t.notHinted(args{"action": "click", "message": "", "x": 5}, "provide readablePath or x and y")
	}},
	{"22 two targets", func(k *kit) {
		t := k.formTab()
		t.notHinted(args{"action": "click", "message": "", "x": 5, "y": 5, "readablePath": t.path("Submit Form")}, "provide readablePath or x and y, not both")
	}},
	{"23 it can be dismissed", func(k *kit) {
		t := k.formTab()
		t.hint(args{"action": "click", "message": "", "readablePath": t.path("Submit Form")})
		a := t.args(t.point(finding + `const r = all('button[aria-label="Dismiss hint"]').filter(shown)[0].getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]`))
		t.do("clickOnCoordinates", a)
		if k.scripted { // what drawbridge shows in a page hears only a person, and no script
			if t.overlay() == "" {
				t.Error("a script has dismissed it")
			}
			return
		}
		until(t.T, "the hint to go", func() bool { return t.overlay() == "" })
	}},
	{"24 the next one is in its place", func(k *kit) {
		t := k.formTab()
		t.hint(args{"action": "click", "message": "One.", "readablePath": t.path("Submit Form")})
		t.hint(args{"action": "click", "message": "Two.", "readablePath": t.path("Search")})
		if got := t.overlay(); got != clickHint+" Two." {
			t.Errorf("it shows %q", got)
		}
	}},
	{"+ a hint goes with its page, and is no content", func(k *kit) {
		t := k.formTab()
		before := t.elements()
		t.hint(args{"action": "click", "message": "", "readablePath": t.path("Submit Form")})
		if after := t.elements(); len(after) != len(before) {
			t.Errorf("elements are %q, and were %q", after, before)
		}
		t.js("history.pushState({}, '', '/form-test?on'); return 1")
		until(t.T, "the hint to go", func() bool { return t.overlay() == "" })
	}},
	{"+ a hint for what is gone", func(k *kit) {
		t := k.formTab()
		path := t.path("Submit Form")
		t.js(part("submit-button") + ".remove(); return 1")
		if h := t.hint(args{"action": "click", "message": "", "readablePath": path}); h.OK || h.Reason == "" || strings.HasPrefix(h.Reason, "Error:") {
			t.Errorf("%+v", h)
		}
	}},
}}

// notHinted checks why a hint is not shown, and that nothing is.
func (t *kitTab) notHinted(a args, why string) {
	t.Helper()
	if h := t.hint(a); h.OK || h.Reason != why {
		t.Errorf("%+v", h)
	}
	if got := t.overlay(); got != "" {
		t.Errorf("it shows %q", got)
	}
}

// rect is where an element of the page is: left, top, right and bottom.
func (t *kitTab) rect(code string) (r [4]float64) {
	t.Helper()
	t.decode(t.js(finding+fmt.Sprintf("const r = (%s).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]", code)), &r)
	return r
}
