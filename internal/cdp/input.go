package cdp

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/input"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// Input implements pageagent.Host. Events go to the main frame's session, which
// finds the frame under a point and the one with the focus.
func (d *Driver) Input(ctx context.Context, id browser.TabID, events []pageagent.InputEvent) error {
	t, err := d.lookUp(id)
	if err != nil {
		return err
	}
	session, err := d.attach(ctx, t)
	if err != nil {
		return d.pageError(t, err)
	}
	waiting, stop := d.begin(ctx, t, nil)
	defer stop()
	for i := 0; i < len(events); {
		// The browser takes events of one kind in the order in which they are
		// sent; different kinds go to the page by different ways.
		n := i + 1
		for n < len(events) && events[n].Key == nil == (events[i].Key == nil) && events[n].Mouse == nil == (events[i].Mouse == nil) {
			n++
		}
		if err := d.burst(waiting, session, events[i:n]); err != nil {
			if errors.Is(err, errDialog) && d.dialogOf(t) != nil {
				return nil
			}
			if i > 0 && errors.Is(err, errCrashed) {
				return nil // the watch tells it
			}
			return d.pageError(t, err)
		}
		i = n
	}
	return nil
}

// burst sends events of one kind all at once and waits until the page has had
// them all.
func (d *Driver) burst(ctx context.Context, session string, events []pageagent.InputEvent) error {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	if conn == nil {
		return ErrDetached
	}
	for _, e := range events[:len(events)-1] {
		method, params := inputCommand(e)
		conn.Post(session, method, params)
	}
	method, params := inputCommand(events[len(events)-1])
	return conn.Send(ctx, session, method, params, nil)
}

func (d *Driver) dialogOf(t *tab) *browser.Dialog {
	d.mu.Lock()
	defer d.mu.Unlock()
	return t.dialog
}

// inputCommand is the command for an event.
func inputCommand(e pageagent.InputEvent) (string, any) {
	switch {
	case e.Mouse != nil && e.Mouse.Type == "wheel":
		m := e.Mouse
		return input.CommandDispatchMouseEvent, wheelParams{Type: "mouseWheel", X: m.X, Y: m.Y, Modifiers: m.Modifiers, DX: m.DX, DY: m.DY}
	case e.Mouse != nil:
		return input.CommandDispatchMouseEvent, mouseParams(*e.Mouse)
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

func mouseParams(e pageagent.MouseEvent) input.DispatchMouseEventParams {
	p := input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseMoved, X: e.X, Y: e.Y, Modifiers: int64(e.Modifiers),
		Button: input.MouseButtonNone, ClickCount: int64(e.Count),
	}
	if e.Button != "" {
		p.Button = input.MouseButton(e.Button)
	}
	switch e.Type {
	case "down":
		p.Type, p.Buttons = input.DispatchMouseEventTypeMousePressed, map[string]int64{"left": 1, "right": 2, "middle": 4}[e.Button]
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
