// Package cdptest has a person for tests: one who sits at a browser that
// listens for DevTools, sees what a driver has put over a page, and presses it.
package cdptest

import (
	"context"
	"encoding/base64"
	"os"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
)

// patience is for what a browser does by itself.
const patience = 20 * time.Second

type params map[string]any

// Person sits at a browser.
type Person struct {
	t    testing.TB
	conn cdp.Connection
}

// Sit connects to the browser at url until the test ends.
func Sit(t testing.TB, url string) *Person {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	b, err := cdp.Connect(ctx, cdp.ConnectOptions{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = b.Conn.Run(running, func(cdp.Event) {}) // it ends with the test
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return &Person{t, b.Conn}
}

func (p *Person) send(session, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return p.conn.Send(ctx, session, method, params, result)
}

func (p *Person) must(session, method string, params, result any) {
	p.t.Helper()
	if err := p.send(session, method, params, result); err != nil {
		p.t.Fatal(err)
	}
}

// Look turns to the page whose address has a part, for one test.
func (p *Person) Look(t testing.TB, part string) *Page {
	t.Helper()
	p = &Person{t, p.conn}
	var found *Page
	p.Await("a page at "+part, func() bool {
		var all struct {
			Infos []struct {
				ID   string `json:"targetId"`
				Type string `json:"type"`
				URL  string `json:"url"`
			} `json:"targetInfos"`
		}
		p.must("", "Target.getTargets", nil, &all)
		for _, i := range all.Infos {
			if i.Type != "page" || !strings.Contains(i.URL, part) {
				continue
			}
			var at struct {
				Session string `json:"sessionId"`
			}
			p.must("", "Target.attachToTarget", params{"targetId": i.ID, "flatten": true}, &at)
			found = &Page{p, at.Session}
			return true
		}
		return false
	})
	return found
}

// Await waits until ok holds.
func (p *Person) Await(what string, ok func() bool) {
	p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-limit:
			p.t.Fatalf("%s: not seen in %s", what, patience)
		}
	}
}

// Page is what the person looks at.
type Page struct {
	*Person
	session string
}

// Box is where something is, in CSS pixels of the viewport.
type Box struct{ X, Y, Width, Height float64 }

// Part is a part of what lies over the page.
type Part struct {
	Text   string
	Class  string
	Hidden bool
	Box    Box
}

// node is a part of a document as DOM.getDocument tells it.
type node struct {
	ID          int      `json:"nodeId"`
	Type        int      `json:"nodeType"`
	Name        string   `json:"localName"`
	Value       string   `json:"nodeValue"`
	Attributes  []string `json:"attributes"`
	Children    []*node  `json:"children"`
	ShadowRoots []*node  `json:"shadowRoots"`
	Root        string   `json:"shadowRootType"`
	Inner       *node    `json:"contentDocument"`
}

// Overlay is the parts of what lies over the page in a closed shadow tree with
// a stage, in order; nil when nothing does.
func (p *Page) Overlay() []Part {
	p.t.Helper()
	var doc struct {
		Root *node `json:"root"`
	}
	if p.send(p.session, "DOM.getDocument", params{"depth": -1, "pierce": true}, &doc) != nil {
		return nil // the document is going
	}
	stage := find(doc.Root, false)
	if stage == nil {
		return nil
	}
	var out []Part
	var walk func(n *node)
	walk = func(n *node) {
		if n.Type == 1 {
			part := Part{Text: textOf(n), Class: attribute(n, "class")}
			var got struct {
				Model struct {
					Border []float64 `json:"border"`
				} `json:"model"`
			}
			if p.send(p.session, "DOM.getBoxModel", params{"nodeId": n.ID}, &got) != nil || len(got.Model.Border) < 8 {
				part.Hidden = true
			} else {
				q := got.Model.Border
				part.Box = Box{q[0], q[1], q[4] - q[0], q[5] - q[1]}
			}
			if n.Name != "div" || part.Class == "ring" || part.Class == "card" {
				out = append(out, part)
			}
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(stage)
	return out
}

func find(n *node, closed bool) *node {
	if n == nil {
		return nil
	}
	if closed && strings.HasPrefix(attribute(n, "class"), "stage") {
		return n
	}
	for _, r := range n.ShadowRoots {
		if s := find(r, r.Root == "closed"); s != nil {
			return s
		}
	}
	for _, c := range append(n.Children, n.Inner) {
		if s := find(c, closed); s != nil {
			return s
		}
	}
	return nil
}

func attribute(n *node, name string) string {
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		if n.Attributes[i] == name {
			return n.Attributes[i+1]
		}
	}
	return ""
}

func textOf(n *node) string {
	if n.Type == 3 {
		return n.Value
	}
	var b strings.Builder
	for _, c := range n.Children {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// Part waits for the part that is seen and has a text, or a class.
func (p *Page) Part(name string) Part {
	p.t.Helper()
	var found Part
	p.Await("over the page: "+name, func() bool {
		for _, part := range p.Overlay() {
			if !part.Hidden && (part.Text == name || part.Class == name) {
				found = part
				return true
			}
		}
		return false
	})
	return found
}

// AwaitNoOverlay waits until nothing lies over the page.
func (p *Page) AwaitNoOverlay() {
	p.t.Helper()
	p.Await("nothing over the page", func() bool { return p.Overlay() == nil })
}

// Press presses the part with a text.
func (p *Page) Press(text string) {
	p.t.Helper()
	part := p.Part(text)
	p.PressAt(part.Box.X+part.Box.Width/2, part.Box.Y+part.Box.Height/2)
}

// PressAt presses a point of the viewport.
func (p *Page) PressAt(x, y float64) { p.drag(x, y, x, y) }

// Drag drags from one point to another.
func (p *Page) Drag(x, y, toX, toY float64) { p.drag(x, y, toX, toY) }

func (p *Page) drag(x, y, toX, toY float64) {
	events := []params{{"type": "mouseMoved", "x": x, "y": y}, {"type": "mousePressed", "x": x, "y": y, "button": "left", "clickCount": 1}}
	if x != toX || y != toY {
		events = append(events, params{"type": "mouseMoved", "x": toX, "y": toY, "button": "left", "buttons": 1})
	}
	for _, e := range append(events, params{"type": "mouseReleased", "x": toX, "y": toY, "button": "left", "clickCount": 1}) {
		_ = p.send(p.session, "Input.dispatchMouseEvent", e, nil) // a press may take its page away
	}
}

// Type types at the focus.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.must(p.session, "Input.insertText", params{"text": text}, nil)
}

// Key presses a key, by its name and number, which types text. Shift is 8.
func (p *Page) Key(key, text string, number, modifiers int) {
	for _, typ := range []string{"keyDown", "keyUp"} {
		e := params{"type": typ, "key": key, "code": key, "windowsVirtualKeyCode": number, "modifiers": modifiers}
		if typ == "keyDown" {
			e["text"] = text
		}
		_ = p.send(p.session, "Input.dispatchKeyEvent", e, nil) // it may take the page away
	}
}

// Eval runs code of the page, as JSON.
func (p *Page) Eval(code string) string {
	p.t.Helper()
	var got struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	p.must(p.session, "Runtime.evaluate", params{"expression": "(async () => String(" + code + "))()", "returnByValue": true, "awaitPromise": true}, &got)
	if got.Exception != nil {
		p.t.Fatalf("%s: %v", code, got.Exception.Text)
	}
	s, _ := got.Result.Value.(string)
	return s
}

// Show resizes the page and sets its colours: "light" or "dark".
func (p *Page) Show(width, height int, scheme string) {
	p.t.Helper()
	p.must(p.session, "Emulation.setDeviceMetricsOverride", params{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.must(p.session, "Emulation.setEmulatedMedia", params{"features": []params{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Picture writes what the person sees into a file.
func (p *Page) Picture(file string) {
	p.t.Helper()
	var got struct {
		Data string `json:"data"`
	}
	p.must(p.session, "Page.captureScreenshot", params{"format": "png"}, &got)
	png, err := base64.StdEncoding.DecodeString(got.Data)
	if err == nil {
		err = os.WriteFile(file, png, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
