package e2e

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
)

const canary = "canary-of-a-private-tab"

// held is a page whose button has it wait, busy, until the test lets it go on.
type held struct {
	*httptest.Server
	pressed chan struct{} // told of every press
	goOn    chan struct{} // ends the wait of one
}

const heldPage = `<!doctype html><title>Held</title><button>Press</button><p id=out role=status></p><script>
let n = 0
document.querySelector('button').onclick = (e) => {
	const r = new XMLHttpRequest()
	r.open('POST', '/press', false)
	r.send()
	out.textContent = 'pressed ' + ++n + ' times, by ' + (e.isTrusted ? 'a person' : 'script')
}</script>`

func newHeld(t *testing.T) *held {
	h := &held{pressed: make(chan struct{}, 16), goOn: make(chan struct{}, 16)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, heldPage)
			return
		}
		h.pressed <- struct{}{}
		select {
		case <-h.goOn:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// far is the same page as of another site, in a process of its own.
func (h *held) far() string { return strings.Replace(h.URL, "127.0.0.1", "localhost", 1) }

// ask begins a call; the function that it returns waits for what is said.
func (c *client) ask(t *testing.T, name string, a args) func() string {
	said := make(chan string, 1)
	go func() {
		res, err := c.result(context.WithoutCancel(t.Context()), name, a)
		if err != nil {
			said <- err.Error()
			return
		}
		said <- textOf(res)
	}()
	return func() string { return <-said }
}

// TestAWorkerIsEndedWhileAnAgentActs ends the extension's background as a browser
// may at any time.
func TestAWorkerIsEndedWhileAnAgentActs(t *testing.T) {
	t.Parallel()
	c, address := serveOwn(t)
	h := newHeld(t)
	u := own(t, c.process, address, "work", cdp.LaunchOptions{}, nil)
	c.awaitBrowser(t, "work")
	busy, other := c.openIn("work", h.URL), c.openIn("work", h.far())
	theirs, private := h.URL+"/?theirs", h.far()+"/?"+canary
	u.page(theirs)
	u.page(private)
	u.popup(theirs, `{ kind: "allow", what: "tab", subdomains: false, duration: "hour" }`)
	before := c.call("list_tabs", nil)
	c.want(before, busy+" · ", other+" · ", theirs)
	press := c.ref(busy, `button "Press"`)

	said := c.ask(t, "click", args{"tab": busy, "ref": press})
	<-h.pressed
	u.kill()
	c.want(said(), `the connection to the browser "work" was lost in the middle of the call`)
	said = c.ask(t, "read_page", args{"tab": other, "as": "text"}) // most often before it comes back
	h.goOn <- struct{}{}                                           // which the browser wakes it for
	u.popup("", `{ kind: "look" }`)
	c.want(said(), "Press")

	c.want(c.call("wait_for", args{"tab": busy, "text": "pressed 1 times, by script"}), busy)
	if n := len(h.pressed); n > 0 {
		t.Errorf("it was pressed again, %d times", n)
	}
	h.goOn <- struct{}{}
	c.want(c.call("click", args{"tab": busy, "ref": press}), "pressed 2 times, by script")
	after := c.call("list_tabs", nil)
	for line := range strings.Lines(before) {
		if id, _, _ := strings.Cut(line, " · "); strings.HasPrefix(id, "t") && !strings.Contains(after, id+" · ") {
			t.Errorf("no %s after it:\n%s", id, after)
		}
	}
	if all := before + after + c.stderr.String(); strings.Contains(all, canary) {
		t.Errorf("a private tab was told of:\n%s", all)
	}

	// What becomes private while an agent acts on it is gone for it at once.
	<-h.pressed
	said = c.ask(t, "click", args{"tab": busy, "ref": press})
	<-h.pressed
	began := time.Now()
	u.popup(h.URL+"/", `{ kind: "hide" }`)
	c.want(said(), busy+" is gone: it is private now")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("told after %s", took)
	}
	h.goOn <- struct{}{}
	if after = c.call("list_tabs", nil); strings.Contains(after, busy+" · ") {
		t.Errorf("it is still told of:\n%s", after)
	}
}
