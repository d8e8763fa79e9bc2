package cdp_test

import (
	"context"
	"fmt"
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
	program, err := cdp.FindBrowser("")
	if err != nil {
		t.Fatal(err)
	}
	url := cdptest.Window(t, program, cdptest.NewDisplay(t))
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

func TestAskPerson(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *seat)
	}{
		{"done", testPersonDone},
		{"clicked", testPersonClicks},
		{"filled", testPersonFills},
		{"entered", testPersonEnters},
		{"cannot", testPersonCannot},
		{"keyboard", testPersonKeys},
		{"login", testPersonLogin},
		{"pending", testPersonPending},
		{"replaced", testPersonReplaced},
		{"cancelled", testPersonCancelled},
		{"closed", testPersonClosed},
		{"left", testPersonLeft},
		{"several", testPersonSeveral},
		{"frame", testPersonFrame},
		{"gone", testPersonMarkGone},
		{"dialog", testPersonModal},
		{"strict", testPersonStrict},
		{"hostile", testPersonHostile},
		{"stubborn", testPersonStubborn},
		{"ours", testPersonNotUs},
		{"pictures", testPersonPictures},
		{"card", testPersonCard},
		{"chooser", testPersonChooser},
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
	for name, op := range map[string]struct {
		op  browser.Op
		out any
	}{"text": {browser.ReadPage{As: "text"}, &browser.Text{}}, "html": {browser.ReadPage{As: "html"}, &browser.Text{}}, "found": {browser.Find{Text: "Done", Limit: 5}, &browser.Found{}}} {
		s.must(t, tab, op.op, op.out)
		if text := fmt.Sprint(op.out); strings.Contains(text, "Buy it") || strings.Contains(text, "Done") || strings.Contains(text, "popover") {
			t.Errorf("the %s tells of the question: %s", name, text)
		}
	}
	if html, _ := s.save(t, tab, browser.SavePage{Format: "html"}); strings.Contains(string(html), "Buy it") || strings.Contains(string(html), "popover") {
		t.Error("the saved page holds the question")
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

func middle(b cdptest.Box) (x, y float64) { return b.X + b.Width/2, b.Y + b.Height/2 }

func testPersonClicks(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	outline := s.outline(t, tab)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskClick, Message: "Please pay.", At: browser.Spot{Ref: refOf(t, outline, `button "Pay"`, 0)}})
	ring := page.Part("ring").Box
	page.Eval(`document.getElementById('pay').click()`) // no person did
	page.PressAt(middle(ring))
	ends(t, answer, browser.AskInPage, `button "Pay" was clicked`, "Paid")
	page.AwaitNoOverlay()

	// What is out of sight is scrolled to, and a link is clicked before it leads on.
	answer = s.ask(t, tab, browser.AskPerson{Kind: browser.AskClick, Message: "Down.", At: browser.Spot{Ref: refOf(t, outline, `button "Low"`, 0)}})
	page.PressAt(middle(page.Part("ring").Box))
	ends(t, answer, browser.AskInPage, `button "Low" was clicked`, "Low")
	answer = s.ask(t, tab, browser.AskPerson{Kind: browser.AskClick, Message: "On.", At: browser.Spot{Ref: refOf(t, outline, `link "Next"`, 0)}})
	page.PressAt(middle(page.Part("ring").Box))
	if out := ends(t, answer, browser.AskInPage, `link "Next" was clicked`); out.Seen == nil || out.Seen.Navigated == nil || !strings.HasSuffix(out.Seen.Navigated.URL, "/person/next") {
		t.Errorf("seen: %+v", out.Seen)
	}
}

func testPersonFills(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	outline := s.outline(t, tab)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskFill, Message: "Your name, please.", Value: "Ann", At: browser.Spot{Ref: refOf(t, outline, `textbox "Name"`, 0)}})
	page.Part("Ann")
	page.PressAt(middle(page.Part("ring").Box))
	page.Type("Ann")
	page.Key("Tab", "", 9, 0)
	ends(t, answer, browser.AskInPage, `textbox "Name" has a value`, `= "Ann"`)

	answer = s.ask(t, tab, browser.AskPerson{Kind: browser.AskFill, Message: "Your secret, please.", At: browser.Spot{Ref: refOf(t, outline, `textbox "Secret"`, 0)}})
	page.PressAt(middle(page.Part("ring").Box))
	page.Type("hunter2hunter2")
	page.Key("Tab", "", 9, 0)
	if out := ends(t, answer, browser.AskInPage, `textbox "Secret" has a value`); strings.Contains(fmt.Sprintf("%+v %+v", out, out.Seen), "hunter2") {
		t.Error("the secret is told")
	}
}

func testPersonEnters(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/login")
	page := s.Look(t, "/person/login")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskEnter, Message: "Send it.", At: browser.Spot{Ref: refOf(t, s.outline(t, tab), `textbox "User"`, 0)}})
	page.PressAt(middle(page.Part("ring").Box))
	page.Key("Enter", "\r", 13, 0)
	ends(t, answer, browser.AskInPage, `Enter was pressed in`)
}

func testPersonCannot(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	page.Eval(`(window.keys = [], document.addEventListener('keydown', e => keys.push(e.key), true), addEventListener('input', e => keys.push('input')))`)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskCaptcha, Message: "Solve it."})
	page.Press("Cannot")
	page.Part("Send")
	page.Type(`I see none of the "pictures"`)
	page.Key("x", "x", 88, 0)
	page.Key("Enter", "\r", 13, 0)
	ends(t, answer, browser.AskCannot, `I see none of the "pictures"x`)
	if heard := page.Eval("keys.join()"); heard != "" {
		t.Errorf("the page heard what was written: %s", heard)
	}
}

// The page keeps its focus, and the keyboard is enough.
func testPersonKeys(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	page.Eval(`document.getElementById('name').focus()`)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "Look."})
	page.Part("Done")
	if at := page.Eval("document.activeElement.id"); at != "name" {
		t.Errorf("the focus went to %q", at)
	}
	page.Press("Move")
	if at := page.Eval("document.activeElement.id"); at != "name" {
		t.Errorf("a press took the focus to %q", at)
	}
	page.Eval(`document.getElementById('low').focus()`)
	page.Key("Tab", "", 9, 0) // Move
	page.Key("Tab", "", 9, 0) // Done
	page.Key("Enter", "\r", 13, 0)
	ends(t, answer, browser.AskDone)
}

func testPersonLogin(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/login")
	page := s.Look(t, "/person/login")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskLogin, Message: "Log in to the shop."})
	page.Part("Please log in.")
	// A login that goes wrong leads back to itself, where it is asked again.
	page.Eval(`location.search = 'again'`)
	page.Await("the login anew", func() bool { return strings.HasSuffix(page.Eval("location.href"), "again") })
	page.Part("Please log in.")
	page.Eval(`document.getElementById('user').focus()`)
	page.Type("ann")
	page.Eval(`document.getElementById('pw').focus()`)
	page.Type("hunter2hunter2")
	page.Key("Enter", "\r", 13, 0)
	out := ends(t, answer, browser.AskInPage, "no field for a password", "/person/home")
	if text := fmt.Sprintf("%+v %+v", out, out.Seen.Notes); strings.Contains(text, "hunter2") || strings.Contains(text, "ann") || len(out.Seen.Added)+len(out.Seen.Updated) > 0 {
		t.Errorf("told of the login: %s", text)
	}
	page.AwaitNoOverlay()
}

func testPersonPending(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	first := ends(t, s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "Think.", Wait: 300 * time.Millisecond}), browser.AskPending)
	page.Part("Think.")
	second := ends(t, s.ask(t, tab, browser.AskPerson{ID: first.ID, Wait: 300 * time.Millisecond}), browser.AskPending)
	if first.ID == "" || first.ID != second.ID {
		t.Errorf("pending as %q and %q", first.ID, second.ID)
	}
	// It survives what navigates between two calls, and is answered between them.
	page.Eval(`location.href = '/person/next'`)
	s.await(t, "the next page", func() bool { return strings.HasSuffix(s.tabs[tab].URL, "/person/next") })
	page.Press("Done")
	page.AwaitNoOverlay()
	if out := ends(t, s.ask(t, tab, browser.AskPerson{ID: first.ID}), browser.AskDone); out.Seen == nil || out.Seen.Navigated == nil {
		t.Errorf("seen: %+v", out.Seen)
	}
	_, err := s.ask(t, tab, browser.AskPerson{ID: first.ID})()
	wantError(t, "a question that is over", err, browser.CodeInvalidArguments, "ask again")
}

func testPersonReplaced(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	one := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "First."})
	page.Part("First.")
	var other browser.Asked
	wantError(t, "another session", s.do(tab, browser.AskPerson{Kind: browser.AskOther, Message: "Mine.", Session: "s2", Wait: time.Second}, &other), browser.CodeClaimed)
	two := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "Second."})
	ends(t, one, browser.AskReplaced)
	page.Part("Second.")
	page.Press("Done")
	ends(t, two, browser.AskDone)
}

func testPersonCancelled(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		op := browser.AskPerson{Kind: browser.AskOther, Message: "Never mind.", Wait: patience}
		done <- s.Do(ctx, browser.Target{Tab: tab, Origins: browser.AnyOrigin()}, op, &browser.Asked{})
	}()
	page.Part("Never mind.")
	cancel()
	wantError(t, "a cancelled question", <-done, browser.CodeCancelled)
	page.AwaitNoOverlay()
}

func testPersonClosed(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "Close it."})
	page.Part("Close it.")
	s.must(t, tab, browser.CloseTab{}, nil)
	ends(t, answer, browser.AskClosed, "closed")
}

func testPersonLeft(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	var out browser.Asked
	done := make(chan error, 1)
	here := browser.OriginOf(s.here)
	go func() {
		to := browser.Target{Tab: tab, Origins: browser.Origins(func(o browser.Origin) bool { return o == here })}
		done <- s.Do(t.Context(), to, browser.AskPerson{Kind: browser.AskOther, Message: "Stay.", Wait: patience}, &out)
	}()
	page.Part("Stay.")
	page.Eval(fmt.Sprintf(`location.href = %q`, s.there+"/person/next"))
	if err := <-done; err != nil || out.End != browser.AskLeft || !strings.Contains(out.Why, "localhost") {
		t.Errorf("%+v, %v", out, err)
	}
	if part := page.Overlay(); part != nil {
		t.Errorf("asked there too: %+v", part)
	}
}

func testPersonSeveral(t *testing.T, s *seat) {
	one, two := s.open(t, s.here+"/person/shop?1"), s.open(t, s.here+"/person/shop?2")
	first := s.ask(t, one, browser.AskPerson{Kind: browser.AskOther, Message: "One."})
	s.Look(t, "shop?1").Part("One.")
	second := s.ask(t, two, browser.AskPerson{Kind: browser.AskOther, Message: "Two."})
	page := s.Look(t, "shop?2")
	page.Press("Done")
	ends(t, second, browser.AskDone)
	s.must(t, one, browser.ActivateTab{}, nil)
	page = s.Look(t, "shop?1")
	page.Press("Done")
	ends(t, first, browser.AskDone)
}
