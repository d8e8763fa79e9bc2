package cdp_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp/cdptest"
)

// servePlea has the pages that a person is asked in.
func servePlea(w http.ResponseWriter, q *http.Request) bool {
	switch q.URL.Path {
	case "/person/shop":
		fmt.Fprint(w, `<title>Shop</title><h1>Shop</h1><button id=pay onclick="out.textContent='Paid'">Pay</button><p><label>Name <input id=name></label>
			<label>Secret <input id=pw type=password></label></p><p id=out role=status></p><a href=/person/next>Next</a><div style="height:3000px"></div><button id=low onclick="out.textContent='Low'">Low</button>`)
	case "/person/next":
		fmt.Fprint(w, `<title>Next</title><h1>Next</h1>`)
	case "/person/login":
		fmt.Fprint(w, `<title>Login</title><form action=/person/home><label>User <input id=user name=user></label><label>Password <input id=pw name=pw type=password></label><button id=go>Log in</button></form>`)
	case "/person/home":
		fmt.Fprint(w, `<title>Home</title><h1>Welcome, Ann</h1>`)
	case "/person/frame":
		fmt.Fprintf(w, `<title>Framed</title><h1>Framed</h1><iframe src="%s/person/inner" style="margin:150px 0 0 200px;width:300px;height:120px"></iframe>`, "http://"+strings.Replace(q.Host, "127.0.0.1", "localhost", 1))
	case "/person/inner":
		fmt.Fprint(w, `<button style="margin:40px" onclick="this.textContent='Thanks'">Inside</button>`)
	case "/person/modal":
		fmt.Fprint(w, `<title>Modal</title><h1>Modal</h1><dialog id=d><p>Please log in</p><input id=i></dialog><script>d.showModal()</script>`)
	case "/person/strict":
		w.Header().Set("Content-Security-Policy", "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
		fmt.Fprint(w, `<title>Strict</title><h1>Strict</h1>`)
	case "/person/hostile":
		fmt.Fprint(w, `<title>Hostile</title><style>*, html > div, [popover] { display: none !important; opacity: 0 !important; pointer-events: none !important; transform: scale(0) !important }
			html, body, head, h1 { display: block !important; opacity: 1 !important; transform: none !important }</style><h1>Hostile</h1><script>
			var seen = [], roots = [];
			const attach = Element.prototype.attachShadow;
			Element.prototype.attachShadow = function (o) { const r = attach.call(this, {...o, mode: 'open'}); roots.push(r); return r };
			for (const type of ['click', 'pointerdown', 'keydown']) addEventListener(type, e => seen.push(type), true);
			let left = 5;
			new MutationObserver(all => { for (const m of all) for (const n of m.addedNodes) {
				if (n.nodeName !== 'DIV') continue;
				n.style.cssText = 'display:none!important;visibility:hidden!important';
				n.inert = true;
				for (const type of ['click', 'pointerdown', 'pointerup', 'mousedown', 'mouseup']) n.dispatchEvent(new MouseEvent(type, {bubbles: true, composed: true, clientX: 1000, clientY: 100}));
				n.click();
				if (n.shadowRoot) document.title = 'Open';
				if (left-- > 0) n.remove();
			} }).observe(document.documentElement, {childList: true});</script>`)
	case "/person/stubborn":
		fmt.Fprint(w, `<title>Stubborn</title><h1>Stubborn</h1><script>
			new MutationObserver(all => { for (const m of all) for (const n of m.addedNodes) if (n.nodeName === 'DIV') n.remove() }).observe(document.documentElement, {childList: true});</script>`)
	case "/person/files":
		fmt.Fprint(w, `<title>Files</title><input id=f type=file style="position:fixed;left:20px;top:60px">`)
	default:
		return false
	}
	return true
}

// In a frame of another site the mark is there, and the card clear of the frame.
func testPersonFrame(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/frame")
	page := s.Look(t, "/person/frame")
	ref := refOf(t, s.outlineWith(t, tab, `button "Inside"`), `button "Inside"`, 0)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskClick, Message: "Inside.", At: browser.Spot{Ref: ref}})
	card := page.Part("card").Box
	if frame := (cdptest.Box{X: 208, Y: 200, Width: 300, Height: 120}); meet(card, frame) {
		t.Errorf("the card at %+v covers the frame", card)
	}
	pictureOf(t, page, "frame")
	page.PressAt(208+80, 230+50)
	ends(t, answer, browser.AskInPage, `button "Inside" was clicked`, "Thanks")
	page.AwaitNoOverlay()
}

func meet(a, b cdptest.Box) bool {
	return a.X < b.X+b.Width && b.X < a.X+a.Width && a.Y < b.Y+b.Height && b.Y < a.Y+a.Height
}

// pictureOf keeps what is seen for who looks at it: PICTURES names a folder.
func pictureOf(t *testing.T, page *cdptest.Page, name string) {
	t.Helper()
	if dir := os.Getenv("PICTURES"); dir != "" {
		page.Picture(dir + "/" + name + ".png")
	}
}

func testPersonMarkGone(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskClick, Message: "Pay.", At: browser.Spot{Ref: refOf(t, s.outline(t, tab), `button "Pay"`, 0)}})
	ring := page.Part("ring").Box
	page.Eval(`(document.getElementById('pay').style.marginLeft = '300px')`)
	page.Await("the mark moves along", func() bool { return page.Part("ring").Box.X > ring.X+250 })
	page.Eval(`document.getElementById('pay').remove()`)
	page.Part("What was marked is not on the page any more.")
	page.Press("Done")
	ends(t, answer, browser.AskDone, "what was marked is not on the page any more", `button "Pay"`)
}

// A modal dialog of the page makes all outside of it inert.
func testPersonModal(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/modal")
	page := s.Look(t, "/person/modal")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "See."})
	page.Press("Done")
	ends(t, answer, browser.AskDone)
	page.Eval(`document.getElementById('d').close()`)
	answer = s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "See."})
	page.Part("Done")
	page.Eval(`document.getElementById('d').showModal()`)
	page.Await("the card above the dialog", func() bool {
		card := page.Part("Done").Box
		return page.Eval(fmt.Sprintf("document.elementFromPoint(%f, %f)?.popover", card.X+5, card.Y+5)) == "manual"
	})
	page.Press("Done")
	ends(t, answer, browser.AskDone)
	page.AwaitNoOverlay()
}

func testPersonStrict(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/strict")
	page := s.Look(t, "/person/strict")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "See."})
	if card := page.Part("card").Box; card.Width < 150 || card.Width > 400 {
		t.Errorf("the card has no style: %+v", card)
	}
	page.Press("Done")
	ends(t, answer, browser.AskDone)
}

// A page can neither press, nor hide, nor look into the question, which comes
// back when it is taken away.
func testPersonHostile(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/hostile")
	page := s.Look(t, "/person/hostile")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "Beware."})
	page.Await("the question stays", func() bool {
		for _, p := range page.Overlay() {
			if p.Text == "Done" && !p.Hidden && p.Box.Width > 0 {
				return page.Eval("left") == "-1"
			}
		}
		return false
	})
	done := page.Part("Done").Box
	page.Eval(fmt.Sprintf(`(() => { const e = document.elementFromPoint(%f, %f); for (const type of ['pointerdown','mousedown','pointerup','mouseup','click'])
		e.dispatchEvent(new MouseEvent(type, {bubbles: true, composed: true, clientX: %[1]f, clientY: %[2]f})); e.click() })()`, done.X+5, done.Y+5))
	pictureOf(t, page, "hostile")
	if got := page.Eval("[roots.length, document.title]"); got != "0,Hostile" {
		t.Errorf("the page got at the question: %s", got)
	}
	page.Eval("(seen = [])")
	page.Press("Done")
	ends(t, answer, browser.AskDone)
	if got := page.Eval("seen.join()"); got != "" && !strings.Contains(got, "click") {
		t.Errorf("the page heard %s", got)
	}
}

// A page that takes the question away for good ends it, which is told.
func testPersonStubborn(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/stubborn")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "Let me."})
	ends(t, answer, browser.AskRemoved, "takes the question away")
}

// What we press ourselves answers nothing, and goes to what is beneath.
func testPersonNotUs(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	ref := refOf(t, s.outline(t, tab), `button "Pay"`, 0)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskClick, Message: "Pay.", At: browser.Spot{Ref: ref}})
	done := page.Part("Done").Box
	x, y := middle(done)
	var o browser.Observation
	s.must(t, tab, browser.Click{At: browser.Spot{Point: &browser.Point{X: x, Y: y}}}, &o)
	if strings.Contains(o.Did, "Done") {
		t.Errorf("%+v", o)
	}
	s.must(t, tab, browser.Click{At: browser.Spot{Ref: ref}}, &o)
	if len(o.Added)+len(o.Updated) == 0 {
		t.Errorf("our click did nothing: %+v", o)
	}
	page.Eval(`document.getElementById('low').focus()`)
	page.Key("Tab", "", 9, 0)
	page.Key("Tab", "", 9, 0)
	s.must(t, tab, browser.PressKey{Keys: "Enter"}, &o)
	select {
	case err := <-asError(answer):
		t.Fatalf("we answered ourselves: %v", err)
	case <-time.After(1500 * time.Millisecond):
	}
	page.Press("Done")
}

func asError(answer func() (browser.Asked, error)) <-chan error {
	out := make(chan error, 1)
	go func() {
		a, err := answer()
		out <- fmt.Errorf("%+v, %w", a, err)
	}()
	return out
}

// Pictures for a client do not show the question, which is there again after.
func testPersonPictures(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/next")
	page := s.Look(t, "/person/next")
	var before, during browser.Picture
	s.must(t, tab, browser.Screenshot{Format: "png"}, &before)
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "Cheese."})
	page.Part("Cheese.")
	s.must(t, tab, browser.Screenshot{Format: "png"}, &during)
	if n := differ(t, before.Data, during.Data); n > 0 {
		t.Errorf("%d pixels differ while a person is asked", n)
	}
	page.Press("Done")
	ends(t, answer, browser.AskDone)
}

func differ(t *testing.T, a, b []byte) int {
	t.Helper()
	one, err1 := png.Decode(bytes.NewReader(a))
	two, err2 := png.Decode(bytes.NewReader(b))
	if err1 != nil || err2 != nil || one.Bounds() != two.Bounds() {
		t.Fatal(err1, err2, one.Bounds(), two.Bounds())
	}
	n := 0
	for y := range one.Bounds().Dy() {
		for x := range one.Bounds().Dx() {
			if !same(one, two, x, y) {
				n++
			}
		}
	}
	return n
}

func same(a, b image.Image, x, y int) bool {
	return color.RGBAModel.Convert(a.At(x, y)) == color.RGBAModel.Convert(b.At(x, y))
}

// The card covers nothing of what it marks, is inside of the page, and goes where
// a person drags it.
func testPersonCard(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/shop")
	page := s.Look(t, "/person/shop")
	outline := s.outline(t, tab)
	for _, tt := range []struct {
		name          string
		width, height int
		scheme        string
		op            browser.AskPerson
	}{
		{"click-light", 1280, 800, "light", browser.AskPerson{Kind: browser.AskClick, Message: "It costs €12, which I may not pay by myself.", At: browser.Spot{Ref: refOf(t, outline, `button "Pay"`, 0)}}},
		{"click-dark", 1280, 800, "dark", browser.AskPerson{Kind: browser.AskClick, Message: "It costs €12, which I may not pay by myself.", At: browser.Spot{Ref: refOf(t, outline, `button "Pay"`, 0)}}},
		{"fill-light", 1280, 800, "light", browser.AskPerson{Kind: browser.AskFill, Message: "The name on the order.", Value: "Ann Example-Longname, 12 Some Street, Anytown", At: browser.Spot{Ref: refOf(t, outline, `textbox "Name"`, 0)}}},
		{"enter-dark", 1280, 800, "dark", browser.AskPerson{Kind: browser.AskEnter, Message: "That sends it.", At: browser.Spot{Ref: refOf(t, outline, `textbox "Name"`, 0)}}},
		{"login-light", 1280, 800, "light", browser.AskPerson{Kind: browser.AskLogin, Message: "Log in to the shop, so that I can see your orders."}},
		{"captcha-dark", 1280, 800, "dark", browser.AskPerson{Kind: browser.AskCaptcha, Message: "The shop wants to know whether you are a person."}},
		{"other-light", 1280, 800, "light", browser.AskPerson{Kind: browser.AskOther, Message: strings.Repeat("A long message that goes on. ", 20), Client: "a-client-with-a-very-long-name-that-goes-on-and-on"}},
		{"small-light", 360, 400, "light", browser.AskPerson{Kind: browser.AskFill, Message: "The name on the order.", Value: "Ann", At: browser.Spot{Ref: refOf(t, outline, `textbox "Name"`, 0)}}},
		{"small-dark", 320, 480, "dark", browser.AskPerson{Kind: browser.AskLogin, Message: "Log in to the shop."}},
		{"point-light", 1280, 800, "light", browser.AskPerson{Kind: browser.AskClick, Message: "There.", At: browser.Spot{Point: &browser.Point{X: 640, Y: 400}}}},
	} {
		page.Show(tt.width, tt.height, tt.scheme)
		answer := s.ask(t, tab, tt.op)
		card := page.Part("card").Box
		if card.X < 0 || card.Y < 0 || page.Eval(fmt.Sprintf("%f <= document.documentElement.clientWidth && %f <= innerHeight", card.X+card.Width, card.Y+card.Height)) != "true" {
			t.Errorf("%s: the card at %+v is not wholly seen", tt.name, card)
		}
		if !tt.op.At.IsZero() && meet(card, page.Part("ring").Box) {
			t.Errorf("%s: the card at %+v covers %+v", tt.name, card, page.Part("ring").Box)
		}
		pictureOf(t, page, tt.name)
		if tt.name == "login-light" {
			page.Press("Cannot")
			page.Part("Send")
			pictureOf(t, page, "cannot-light")
			page.Press("Back")
			head := page.Part("who").Box
			page.Drag(head.X+20, head.Y+5, 300, 500)
			page.Await("the card where it was dragged", func() bool { return page.Part("card").Box.Y > 400 })
		}
		page.Press("Done")
		ends(t, answer, browser.AskDone)
	}
}

// A chooser of files opens for a person, though we keep it from opening for us.
func testPersonChooser(t *testing.T, s *seat) {
	tab := s.open(t, s.here+"/person/files")
	page := s.Look(t, "/person/files")
	answer := s.ask(t, tab, browser.AskPerson{Kind: browser.AskOther, Message: "Choose."})
	page.Part("Done")
	var o browser.Observation
	s.must(t, tab, browser.Click{At: browser.Spot{Point: &browser.Point{X: 600, Y: 300}}}, &o)
	if s.Catching(tab) {
		t.Error("choosers stay closed after an act of ours while a person is asked")
	}
	page.Press("Done")
	ends(t, answer, browser.AskDone)
}
