package e2e

import (
	"testing"

	"drawbridge/internal/cdp/cdptest"
)

// TestAskAPerson asks one who sits at a browser of their own, with a window.
func TestAskAPerson(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t)
	url := cdptest.Window(t, chromium, cdptest.NewDisplay(t))
	person := cdptest.Sit(t, url)
	c := serve(t, "--cdp", url, "--allow", "navigate")
	tab := c.open(s.URL + "/shop")
	page := person.Look(t, "/shop")
	ask := func(a args) func() string {
		t.Helper()
		answer := make(chan string, 1)
		go func() {
			res, err := c.result(t.Context(), "ask_human", a)
			if err != nil {
				answer <- err.Error()
				return
			}
			answer <- textOf(res)
		}()
		return func() string { return <-answer }
	}

	answer := ask(args{"tab": tab, "kind": "click", "ref": c.ref(tab, `button "Order"`), "message": "I may not order by myself."})
	page.Part("e2e asks for your help")
	ring := page.Part("ring").Box
	page.PressAt(ring.X+ring.Width/2, ring.Y+ring.Height/2)
	c.want(answer(), `done in page · `, `button "Order" was clicked`, "brought to the front")

	answer = ask(args{"tab": tab, "kind": "captcha", "message": "Solve it."})
	page.Press("Cannot")
	page.Part("Send")
	page.Type("there is none")
	page.Press("Send")
	c.want(answer(), `cannot · the person pressed Cannot and wrote "there is none"`)

	pending := c.call("ask_human", args{"tab": tab, "message": "Choose what you like.", "wait": 0.5})
	c.want(pending, "pending · no answer yet")
	id := c.find(`id="(\w+)"`, pending)
	page.Press("Done")
	c.want(c.call("ask_human", args{"tab": tab, "id": id}), "done · the person pressed Done")
	page.AwaitNoOverlay()

	// A question goes with who asked, also where the tab stays.
	theirs := c.find(`(t\d+) · [^\n]*about:blank`, c.call("list_tabs", nil))
	c.call("ask_human", args{"tab": theirs, "message": "Still there?", "wait": 0.5})
	page = person.Look(t, "about:blank")
	page.Part("Still there?")
	c.stdin.Close()
	c.wantExit(0)
	if left := page.Overlay(); left != nil {
		t.Errorf("after the end: %+v", left)
	}
}

// TestNobodyToAsk has a browser that no person sees.
func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := serve(t)
	tab := c.open(s.URL + "/shop")
	c.want(c.call("ask_human", args{"tab": tab, "kind": "login", "message": "Log in."}), "nobody is there · the browser has no window", "--no-headless")
}
