package link

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/cdp"
)

// full tells whether commands may go to the debugger of a tab.
func (t *transport) full(b *tab) bool {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	return t.state.powers.Full && t.state.closed[b.Key] == ""
}

func (t *transport) powers() Powers {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	return t.state.powers
}

// debugging is the debugger of a tab, as long as it is attached.
type debugging struct {
	done  chan struct{} // closed when it is prepared, or err
	err   error
	frame string // its name of the main frame
	parts
	worlds map[string]mainWorld // the pages' own, by document
}

// lasting tells of commands whose effect ends when the debugger is detached, and
// is wanted for longer.
func lasting(method string) bool {
	return recording(method) || method == "Network.emulateNetworkConditions" || strings.HasPrefix(method, "Emulation.")
}

// recording tells of commands that only serve to record.
func recording(method string) bool {
	switch method {
	case "Network.enable", "Network.configureDurableMessages", "Runtime.enable", "Log.enable":
		return true
	}
	return false
}

// debug sends a command to the debugger of a tab. The extension refuses what is
// not for the page alone.
func (t *transport) debug(ctx context.Context, b *tab, method string, params any) (any, error) {
	if lasting(method) {
		t.remember(b, order{method, params})
	}
	if _, err := t.prepare(ctx, b); err != nil {
		return nil, err
	}
	return t.command(ctx, b, method, params)
}

// debugOnly is debug without waiting for the reply: a page may take input as
// late as with its next frame.
func (t *transport) debugOnly(ctx context.Context, b *tab, method string, params any) error {
	if lasting(method) {
		t.remember(b, order{method, params})
	}
	if _, err := t.prepare(ctx, b); err != nil {
		return err
	}
	finish, err := t.begin(ctx, b, "", method, params)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.spawn(func(ctx context.Context) {
		if err := finish(ctx, nil); err != nil {
			t.log.Debug("command not done", "method", method, "err", err)
		}
	})
	t.mu.Unlock()
	if recording(method) {
		t.recordParts(ctx, b)
	}
	return nil
}

// command sends a command to the debugger of a tab, which attaches to it if it
// has not.
func (t *transport) command(ctx context.Context, b *tab, method string, params any) (json.RawMessage, error) {
	return t.commandIn(ctx, b, "", method, params)
}

// commandIn is command in one of the debugger's sessions within the tab.
func (t *transport) commandIn(ctx context.Context, b *tab, session, method string, params any) (json.RawMessage, error) {
	finish, err := t.begin(ctx, b, session, method, params)
	if err != nil {
		return nil, callError(method, err)
	}
	var reply DebugReply
	if err := finish(ctx, &reply); err != nil {
		return nil, callError(method, err)
	}
	return reply.Result, nil
}

func (t *transport) begin(ctx context.Context, b *tab, session, method string, params any) (finish func(context.Context, any) error, err error) {
	var raw json.RawMessage
	if params != nil {
		if raw, err = json.Marshal(params); err != nil {
			return nil, err
		}
	}
	return t.peer.Begin(ctx, "debug", DebugArgs{Tab: b.Tab.Load(), Session: session, Method: method, Params: raw})
}

// order is a command that is given again whenever the debugger attaches.
type order struct {
	method string
	params any
}

// remember notes a command that is to last, and keeps the debugger attached.
func (t *transport) remember(b *tab, o order) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range b.orders {
		if b.orders[i].method == o.method {
			b.orders[i].params = o.params
			return
		}
	}
	b.orders = append(b.orders, o)
	if s := b.session; len(b.orders) == 1 {
		t.spawn(func(ctx context.Context) { t.hold(ctx, b, s) })
	}
}

// holdEvery is well below the time after which an idle debugger is let go of.
const holdEvery = 5 * time.Second

// hold keeps the debugger of a tab attached as long as its session lasts.
func (t *transport) hold(ctx context.Context, b *tab, s *session) {
	tick := time.NewTicker(holdEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		t.mu.Lock()
		over := b.session != s
		if over && b.session == nil {
			b.orders = nil
		}
		t.mu.Unlock()
		if over {
			return
		}
		if !t.full(b) {
			continue
		}
		if _, err := t.debug(ctx, b, "Page.enable", nil); err != nil {
			t.log.Debug("debugger not held", "err", err)
		}
	}
}

// attend has the debugger of a tab attached, where there may be one, while the
// page does what may open dialogs, which are not told without it.
func (t *transport) attend(ctx context.Context, b *tab) (stop func()) {
	if !t.full(b) {
		return func() {}
	}
	if _, err := t.prepare(ctx, b); err != nil {
		t.log.Debug("dialogs are not told", "err", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spawn(func(context.Context) {
		tick := time.NewTicker(holdEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := t.debugOnly(ctx, b, "Page.enable", nil); err != nil {
					t.log.Debug("debugger not held", "err", err)
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return cancel
}

// prepare has the debugger of a tab attached, and the page as the driver takes
// it to be. fresh tells that it had not been.
func (t *transport) prepare(ctx context.Context, b *tab) (fresh bool, err error) {
	t.mu.Lock()
	d := b.debugging
	if d == nil {
		d, fresh = &debugging{done: make(chan struct{})}, true
		b.debugging = d
		orders := append([]order{
			{"Page.enable", nil},
			{"Emulation.setFocusEmulationEnabled", map[string]bool{"enabled": true}},
		}, b.orders...)
		t.spawn(func(ctx context.Context) { t.attachDebugger(ctx, b, d, orders) })
	}
	t.mu.Unlock()
	select {
	case <-d.done:
		return fresh, d.err
	case <-ctx.Done():
		return fresh, context.Cause(ctx)
	}
}

func (t *transport) attachDebugger(ctx context.Context, b *tab, d *debugging, orders []order) {
	err := t.giveOrders(ctx, b, d, orders)
	t.mu.Lock()
	defer t.mu.Unlock()
	d.err = err
	if err != nil && b.debugging == d {
		t.detach(b) // the next command tries again
	}
	close(d.done)
}

func (t *transport) giveOrders(ctx context.Context, b *tab, d *debugging, orders []order) error {
	raw, err := t.command(ctx, b, "Page.getFrameTree", nil)
	if err != nil {
		return err
	}
	var tree struct {
		Tree frameTree `json:"frameTree"`
	}
	if err := json.Unmarshal(raw, &tree); err != nil {
		return err
	}
	t.mu.Lock()
	d.frame = tree.Tree.Frame.ID
	t.mu.Unlock()
	for _, o := range orders {
		if _, err := t.command(ctx, b, o.method, o.params); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(orders, func(o order) bool { return recording(o.method) }) {
		t.recordParts(ctx, b)
	}
	return nil
}

// barTime is how long a browser takes to show, above the page, that it is being
// debugged; the page is lower by that.
const barTime = 200 * time.Millisecond

// Ready implements cdp.Scripting.
func (t *transport) Ready(ctx context.Context, session string) error {
	return t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err != nil {
			return err
		}
		fresh, err := t.prepare(ctx, b)
		if err != nil || !fresh || !t.barred {
			return err
		}
		shown := time.NewTimer(barTime)
		defer shown.Stop()
		select {
		case <-shown.C:
		case <-ctx.Done():
		}
		return nil
	})
}

// debugged hands on an event of the debugger: it is for what the extension does
// not tell, and to be recorded.
func (t *transport) debugged(b *tab, d DebugEvent) {
	if b.debugging == nil {
		return
	}
	switch d.Method {
	case "Target.attachedToTarget", "Target.detachedFromTarget":
		t.partChanged(b, d)
		return
	case "Page.fileChooserOpened":
		t.chooserOpened(b, d)
		return
	}
	domain, _, _ := strings.Cut(d.Method, ".")
	record := domain == "Runtime" || domain == "Log" || domain == "Network"
	params := d.Params
	if record {
		params = t.nameFrames(b, d)
	}
	if d.Session != "" {
		if s := b.debugging.recorded[d.Session]; record && s != nil && s.told {
			t.emit(cdp.Event{Session: s.id, Method: d.Method, Params: params, Record: true})
		}
		return
	}
	if name := b.debugging.frame; name != "" {
		params = bytes.ReplaceAll(params, quoted(name), quoted(b.target()))
	}
	switch d.Method {
	case "Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Input.dragIntercepted":
		t.event(b.session.id, d.Method, params)
		return
	}
	if record && t.emit != nil {
		t.emit(cdp.Event{Session: b.session.id, Method: d.Method, Params: params, Record: true})
	}
}

func quoted(s string) []byte { return []byte(`"` + s + `"`) }

// letGoOf notes that the debugger was detached.
func (t *transport) letGoOf(b *tab, _ DebugGone) { t.detach(b) }

// detach forgets the debugger of a tab. t.mu is held.
func (t *transport) detach(b *tab) {
	if b.debugging != nil {
		t.endRecords(b)
		b.debugging = nil
		if t.record && b.session != nil {
			t.recordEvent(b.session.id, "Inspector.detached", struct{}{})
		}
	}
}
