package cdp

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// Input implements pageagent.Host. The mouse goes to the frame under it, keys
// and text to the one with the focus, which the browser finds.
func (d *Driver) Input(ctx context.Context, id browser.TabID, events []pageagent.InputEvent) error {
	t, err := d.lookUp(id)
	if err != nil {
		return err
	}
	session, err := d.attach(ctx, t)
	if err != nil {
		return err
	}
	waiting, stop := d.begin(ctx, t, nil)
	defer stop()
	defer func() { d.doubt(t, context.Cause(waiting)) }()
	if !d.trusted(id) {
		opens, err := pageagent.Synthesize(waiting, d.asking(t), events)
		d.openFor(ctx, session, opens)
		if err != nil {
			return d.inputError(t, err)
		}
		return nil
	}
	if travels(events) {
		defer d.lively(session)()
	}
	var at spot
	var aimed browser.Point
	for i := 0; i < len(events); {
		target := spot{session: session}
		if p, ok := pointed(events[i]); ok {
			if at.session == "" || p != aimed {
				at, aimed = d.whereTo(waiting, t, session, events[i], p), p
			}
			target = at
		} else if i > 0 && events[i-1].Mouse != nil {
			d.settleFocus(waiting, t, session, at.session)
		}
		if presses(events[i]) {
			d.catchChoosers(waiting, t, session, target.session)
		}
		if m := events[i].Mouse; m != nil && m.Hold && m.Type == "down" {
			d.hold(waiting, t, session, at, aimed)
		}
		n := i + 1
		for n < len(events) && together(events[i], events[n]) {
			n++
		}
		if err := d.burst(waiting, t, target, events[i:n]); err != nil {
			if awaited(err) {
				d.fallSilent(t, target.session)
			}
			if errors.Is(err, errDialog) && d.dialogOf(t) != nil {
				return nil
			}
			if i > 0 && (errors.Is(err, errCrashed) || errors.Is(err, ErrDetached)) {
				return nil // what the first of them did; the watch tells it
			}
			return d.pageError(t, err)
		}
		i = n
	}
	return nil
}

// Untrusted implements pageagent.Host.
func (d *Driver) Untrusted(id browser.TabID) string {
	if d.trusted(id) {
		return ""
	}
	return browser.Remedy(browser.CanTrustedInput, d.Info())
}

func (d *Driver) trusted(id browser.TabID) bool {
	if d.scripting == nil {
		return true
	}
	d.mu.Lock()
	t := d.tabs[id]
	byScript := t == nil || t.byScript
	session := ""
	if t != nil {
		session = t.session
	}
	d.mu.Unlock()
	return !byScript && d.scripting.Trusted(session)
}

// opensMost is how many tabs a page is opened for one act.
const opensMost = 3

// openFor opens the tabs that the page of a session wants.
func (d *Driver) openFor(ctx context.Context, session string, opens []pageagent.Opening) {
	for _, o := range opens[:min(len(opens), opensMost)] {
		u, err := url.Parse(o.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		if err := d.scripting.Open(ctx, session, o.URL, !o.Behind); err != nil {
			d.log.Debug("no tab opened for a link", "err", err)
		}
	}
}

// inputError is what became of events that a page was given by script: it may
// have gone after it had them.
func (d *Driver) inputError(t *tab, err error) error {
	if left(err) || errors.Is(err, errDialog) {
		return nil
	}
	return d.pageError(t, err)
}

// presses tells whether an event may have the page open a chooser: a press may
// go together with the move before it.
func presses(e pageagent.InputEvent) bool { return e.Mouse != nil || e.Key != nil }

// pointed is where in the main viewport an event happens; false for keys and text.
func pointed(e pageagent.InputEvent) (browser.Point, bool) {
	switch {
	case e.Mouse != nil:
		return browser.Point{X: e.Mouse.X, Y: e.Mouse.Y}, true
	case e.Carry != nil:
		return browser.Point{X: e.Carry.X, Y: e.Carry.Y}, true
	}
	return browser.Point{}, false
}

// whereTo is the spot that an event at a point goes to.
func (d *Driver) whereTo(ctx context.Context, t *tab, session string, e pageagent.InputEvent, p browser.Point) spot {
	if e.Mouse != nil && e.Mouse.Hold && e.Mouse.Type != "down" {
		if at, ok := d.whileHeld(t, p); ok {
			return at
		}
	}
	return d.locate(ctx, t, session, p)
}

// travels tells whether the mouse moves from one point to another.
func travels(events []pageagent.InputEvent) bool {
	var first *pageagent.MouseEvent
	for _, e := range events {
		switch {
		case e.Mouse == nil:
		case first == nil:
			first = e.Mouse
		case e.Mouse.X != first.X || e.Mouse.Y != first.Y:
			return true
		}
	}
	return false
}

// lively has the page painted as if somebody looked, until stop is called: a
// page gets movements of the mouse with its frames, which are few and late in a
// hidden tab.
func (d *Driver) lively(session string) (stop func()) {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	if conn == nil {
		return func() {}
	}
	conn.Post(session, cdppage.CommandStartScreencast, cdppage.StartScreencastParams{
		Format: cdppage.StartScreencastFormatJpeg, Quality: new(int64(1)), MaxWidth: 16, MaxHeight: 16})
	return func() { conn.Post(session, cdppage.CommandStopScreencast, nil) }
}

// settleFocus waits until the browser has heard where a press put the focus, of
// which it is told apart from the press: keys would go to where it was. In a
// tab of one process it need not hear.
func (d *Driver) settleFocus(ctx context.Context, t *tab, sessions ...string) {
	d.mu.Lock()
	several := false
	for _, f := range t.frames {
		several = several || f.session != t.session
	}
	d.mu.Unlock()
	if !several {
		return
	}
	for _, s := range sessions {
		if d.send(ctx, s, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "0"}, nil) != nil {
			return // the next command tells why
		}
	}
}

// together tells whether b may be sent before the page has had a: the browser
// keeps the order of what goes to the page by the same way.
func together(a, b pageagent.InputEvent) bool {
	if a.Carry != nil || b.Carry != nil || b.Mouse != nil && b.Mouse.Hold {
		return false
	}
	if a.Mouse != nil && b.Mouse != nil {
		return a.Mouse.X == b.Mouse.X && a.Mouse.Y == b.Mouse.Y
	}
	return a.Key != nil && b.Key != nil || a.Mouse == nil && a.Key == nil && b.Mouse == nil && b.Key == nil
}

// burst sends events of one kind all at once and waits until the page has had
// them all.
func (d *Driver) burst(ctx context.Context, t *tab, at spot, events []pageagent.InputEvent) error {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	if conn == nil {
		return ErrDetached
	}
	if c := events[0].Carry; c != nil {
		return d.carry(ctx, t, at, *c)
	}
	for i, e := range events {
		method, params := inputCommand(e, at)
		if i == len(events)-1 {
			return d.deliver(ctx, at.session, method, params)
		}
		conn.Post(at.session, method, params)
	}
	return nil
}

// heldLimit is how long input may be held up in a page that answers otherwise.
const heldLimit = 3 * time.Second

// deliver sends the last event of a burst, and waits until the page has had it.
// A window of the browser's own, such as for printing, may hold up the script
// that the event set off, for as long as nobody closes it: that is not waited for.
func (d *Driver) deliver(ctx context.Context, session, method string, params any) error {
	held, cancel := context.WithTimeout(ctx, heldLimit)
	defer cancel()
	err := d.send(held, session, method, params, nil)
	if err != nil && ctx.Err() == nil && held.Err() != nil && d.answers(ctx, session, hangLimit) {
		return nil
	}
	return err
}

func (d *Driver) dialogOf(t *tab) *browser.Dialog {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.holder(t); o != nil {
		return o.dialog
	}
	return t.dialog
}

// inputCommand is the command for an event; the mouse is at a spot.
func inputCommand(e pageagent.InputEvent, at spot) (string, any) {
	switch {
	case e.Mouse != nil && e.Mouse.Type == "wheel":
		m := e.Mouse
		return input.CommandDispatchMouseEvent, wheelParams{Type: "mouseWheel", X: at.X, Y: at.Y, Modifiers: m.Modifiers, DX: m.DX, DY: m.DY}
	case e.Mouse != nil:
		return input.CommandDispatchMouseEvent, mouseParams(*e.Mouse, at)
	case e.Key != nil:
		return input.CommandDispatchKeyEvent, keyParams(*e.Key)
	}
	return input.CommandInsertText, input.InsertTextParams{Text: e.Text}
}

// wheelParams are those of Input.dispatchMouseEvent for a wheel, which must
// have both distances, also when one is 0.
type wheelParams struct {
	Type      string  `json:"type"`
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	Modifiers int     `json:"modifiers"`
	DX        float64 `json:"deltaX"`
	DY        float64 `json:"deltaY"`
}

// pressed is the pressure of a mouse whose button is down, by Pointer Events.
const pressed = 0.5

func mouseParams(e pageagent.MouseEvent, at spot) input.DispatchMouseEventParams {
	p := input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y, Modifiers: int64(e.Modifiers),
		Button: input.MouseButtonNone, ClickCount: int64(e.Count),
	}
	if e.Button != "" {
		p.Button = input.MouseButton(e.Button)
		if e.Type != "up" {
			p.Buttons = map[string]int64{"left": 1, "right": 2, "middle": 4}[e.Button]
		}
	}
	switch e.Type {
	case "down":
		p.Type = input.DispatchMouseEventTypeMousePressed
		p.Force = pressed
	case "up":
		p.Type = input.DispatchMouseEventTypeMouseReleased
	}
	return p
}

func keyParams(e pageagent.KeyEvent) input.DispatchKeyEventParams {
	p := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Modifiers: int64(e.Modifiers), Key: e.Key, Code: e.Code,
		WindowsVirtualKeyCode: int64(e.KeyCode), NativeVirtualKeyCode: int64(e.KeyCode),
	}
	if e.Location == keypad {
		p.IsKeypad = new(true)
	} else {
		p.Location = int64(e.Location)
	}
	if e.Type == "down" {
		p.Type, p.Commands = input.DispatchKeyEventTypeRawKeyDown, e.Commands
		if e.Text != "" {
			p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, e.Text, e.Text
		}
	}
	return p
}

// keypad is KeyboardEvent.DOM_KEY_LOCATION_NUMPAD.
const keypad = 3
