package cdp_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/cdp/cdptest"
)

// seat is a browser with a window, a driver that is attached to it, and who
// sits at it.
type seat struct {
	*rig
	*cdptest.Person
}

func newSeat(t *testing.T) *seat {
	t.Helper()
	needBrowser(t)
	needDisplay(t)
	program, err := cdp.FindBrowser("")
	if err != nil {
		t.Fatal(err)
	}
	profile := t.TempDir()
	cmd := exec.Command(program, "--no-sandbox", "--test-type", "--disable-gpu", "--no-first-run", "--password-store=basic", "--use-mock-keychain",
		"--window-size=1280,900", "--remote-debugging-port=0", "--user-data-dir="+profile, "about:blank")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // Wait tells
		_ = cmd.Wait()
	})
	var url string
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(patience); url == ""; {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("the browser does not listen")
		}
		b, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if port, path, ok := strings.Cut(strings.TrimSpace(string(b)), "\n"); err == nil && ok {
			url = "ws://127.0.0.1:" + port + path
		}
	}
	r := newRigOf(t, cdp.Options{Open: func(ctx context.Context) (*cdp.Browser, error) {
		return cdp.Connect(ctx, cdp.ConnectOptions{URL: url})
	}}, cdp.LaunchOptions{})
	return &seat{r, cdptest.Sit(t, url)}
}

// ask asks in the background; the returned function waits for the answer.
func (s *seat) ask(t *testing.T, tab browser.TabID, op browser.AskPerson) func() (browser.Asked, error) {
	t.Helper()
	if op.Wait == 0 {
		op.Wait = patience
	}
	op.Session = "s1"
	if op.Client == "" {
		op.Client = "claude"
	}
	var out browser.Asked
	done := make(chan error, 1)
	go func() { done <- s.do(tab, op, &out) }()
	return func() (browser.Asked, error) {
		err := <-done
		return out, err
	}
}

// ends waits for the answer, which must be of a kind and hold words.
func ends(t *testing.T, answer func() (browser.Asked, error), end browser.AskEnd, words ...string) browser.Asked {
	t.Helper()
	out, err := answer()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v %+v", out, out.Seen)
	if out.End != end {
		t.Errorf("it ended as %s, want %s: %s", out.End, end, text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not told in %s", w, text)
		}
	}
	return out
}

// servePlea has the pages that a person is asked in.
func servePlea(w http.ResponseWriter, path string) bool {
	switch path {
	case "/person/shop":
		fmt.Fprint(w, `<title>Shop</title><h1>Shop</h1><button id=pay onclick="out.textContent='Paid'">Pay</button><p><label>Name <input id=name></label>
			<label>Secret <input id=pw type=password></label></p><p id=out role=status></p><a href=/person/next>Next</a><div style="height:3000px"></div><button id=low onclick="out.textContent='Low'">Low</button>`)
	case "/person/next":
		fmt.Fprint(w, `<title>Next</title><h1>Next</h1>`)
	case "/person/login":
		fmt.Fprint(w, `<title>Login</title><form action=/person/home><label>User <input id=user name=user></label><label>Password <input id=pw name=pw type=password></label><button id=go>Log in</button></form>`)
	case "/person/home":
		fmt.Fprint(w, `<title>Home</title><h1>Welcome, Ann</h1>`)
	default:
		return false
	}
	return true
}

func TestAskPerson(t *testing.T) {
	s := newSeat(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *seat)
	}{
		{"done", testPersonDone},
		{"clicked", testPersonClicks},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, s) })
	}
}

func testPersonDone(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	before := s.outline(t, tab)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskConfirm, Message: "Buy it?"})
	page.Part("Done")
	if dir := os.Getenv("PICTURES"); dir != "" {
		page.Picture(dir + "/done.png")
	}
	if during := s.outline(t, tab); during != before {
		t.Errorf("the outline tells of the question:\n%s\nwant\n%s", during, before)
	}
	page.Press("Done")
	out := ends(t, answer, browser.AskDone, "brought to the front")
	if seen := out.Seen; seen == nil || len(seen.Added)+len(seen.Removed)+len(seen.Updated) > 0 {
		t.Errorf("seen: %+v", seen)
	}
	page.AwaitNoOverlay()
}

func testPersonClicks(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	ref := refOf(t, s.outline(t, tab), `button "Pay"`, 0)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskClick, Message: "Please pay.", At: browser.Spot{Ref: ref}})
	ring := page.Part("ring").Box
	page.PressAt(ring.X+ring.Width/2, ring.Y+ring.Height/2)
	ends(t, answer, browser.AskInPage, `button "Pay" was clicked`, "Paid")
	page.AwaitNoOverlay()
}
