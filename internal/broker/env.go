package broker

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/tool"
)

// Run runs op on a tab, or on the call's browser.
func (c *call) Run(ctx context.Context, id browser.TabID, op browser.Op, result any) error {
	if id == "" && c.at.on != nil {
		return c.onBrowser(ctx, c.at.on, op, result)
	}
	if op.Turn() {
		t, err := c.enter(id, op)
		if err != nil {
			return err
		}
		if err := t.take(ctx); err != nil {
			return err
		}
		defer t.give()
		// The page may have moved on while the call waited.
		if p, ok := c.s.b.find(id); ok {
			if err := c.allowed(&p); err != nil {
				return err
			}
		}
	}
	p, end, err := c.begin(id, op)
	if err != nil {
		return err
	}
	defer end()
	to := browser.Target{Browser: p.on.id, Tab: id, Origins: c.permitted(&p, op)}
	if id == c.tab {
		to.Doc = c.guard
	}
	err = c.s.b.do(ctx, p.on, to, op, result)
	if err == nil && op.Effect() > browser.Reads {
		c.guard = 0 // what changes from here on is of the call's own doing
	}
	if _, closing := op.(browser.CloseTab); closing && err == nil {
		c.s.forget(id)
	}
	return err
}

// enter returns the tab when the session may run op on it now.
func (c *call) enter(id browser.TabID, op browser.Op) (*tab, error) {
	b := c.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	return c.entered(id, op)
}

// entered is enter with b.mu held.
func (c *call) entered(id browser.TabID, op browser.Op) (*tab, error) {
	b := c.s.b
	t := b.tabs[id]
	if t == nil {
		return nil, c.s.unknown(string(id) + " is gone")
	}
	if id == c.tab {
		p := placeOf(t)
		if err := c.guarded(&p); err != nil {
			return nil, err
		}
	}
	if err := touchable(op, t); err != nil {
		return nil, err
	}
	if _, leaves := op.(browser.Navigate); op.Turn() && t.Dialog != nil && (t.Dialog.Kind != browser.DialogAuth || !leaves) {
		return nil, &browser.Error{Code: browser.CodeDialogOpen, Msg: dialogLine(t.Dialog) + " on " + string(id),
			Hint: "answer it with handle_dialog first"}
	}
	if claims(op) {
		if err := t.claim.refuse(id, c.s, b.o.Now()); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// begin enters the tab, claims it for an op that acts, and returns where it is
// now. The returned end keeps the claim for a while.
func (c *call) begin(id browser.TabID, op browser.Op) (place, func(), error) {
	b := c.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := c.entered(id, op)
	if err != nil {
		return place{}, nil, err
	}
	if _, closing := op.(browser.CloseTab); c.s.closed && !closing {
		return place{}, nil, errClosed
	}
	if !claims(op) {
		return placeOf(t), func() {}, nil
	}
	t.claim.begin(c.s)
	return placeOf(t), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		t.claim.end(c.s, b.o.Now())
	}, nil
}

// touchable fails when op cannot be done to t.
func touchable(op browser.Op, t *tab) error {
	if t.Untouchable != "" && op.Needs()&^t.Caps != 0 {
		return &browser.Error{Code: browser.CodeNotSupported, Msg: "the page in " + string(t.ID) + " cannot be touched: " + t.Untouchable,
			Hint: "navigate it to another page, or open_tab"}
	}
	return capable(op, t.Caps, string(t.ID), &t.on.info)
}

// claims tells whether a tab is the session's while op runs: it acts, or has a
// person act.
func claims(op browser.Op) bool {
	_, asks := op.(browser.AskPerson)
	return asks || op.Effect() > browser.Reads
}

// capable fails when caps, of the tab or browser named what, do not do for op.
func capable(op browser.Op, caps browser.Capability, what string, info *browser.Info) error {
	if info.Refused != "" {
		return &browser.Error{Code: browser.CodeNotSupported, Msg: info.Refused}
	}
	lacking := op.Needs() &^ caps
	if lacking == 0 {
		return nil
	}
	return browser.Lacking(what, lacking, *info)
}

func (c *call) onBrowser(ctx context.Context, on *attached, op browser.Op, result any) error {
	b := c.s.b
	b.mu.Lock()
	info := on.info
	b.mu.Unlock()
	if err := capable(op, info.Caps, info.Name, &info); err != nil {
		return err
	}
	return b.do(ctx, on, browser.Target{Browser: on.id, Origins: browser.AnyOrigin()}, op, result)
}

// do runs op, and tells when the browser went away meanwhile.
func (b *Broker) do(ctx context.Context, on *attached, to browser.Target, op browser.Op, result any) error {
	err := on.driver.Do(ctx, to, op, result)
	if err == nil || ctx.Err() != nil {
		return err
	}
	var e *browser.Error
	if errors.As(err, &e) && e.Code != browser.CodeDisconnected && e.Code != browser.CodeUnknownTab {
		return err
	}
	b.mu.Lock()
	gone, started, way := on.ending || on.ended, on.started, on.info.Way
	b.mu.Unlock()
	if !gone {
		return err
	}
	hint := "the user must attach it again"
	switch {
	case started:
		hint = "the next call starts another one, or looks for it again"
	case way == "extension":
		hint = "it comes back by itself once its extension reaches drawbridge again"
	}
	if op.Effect() > browser.Reads {
		hint += "; what this call did is not known"
	}
	return &browser.Error{Code: browser.CodeDisconnected, Msg: "the browser ended before it had answered", Hint: hint, Err: err}
}

// forget makes a tab that the session closed itself no loss.
func (s *Session) forget(id browser.TabID) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.lostTab == id {
		s.lostTab = ""
	}
}

// Lookup returns what is known of a tab now.
func (c *call) Lookup(id browser.TabID) (browser.Tab, bool) {
	p, ok := c.s.b.find(id)
	if !ok {
		return browser.Tab{}, false
	}
	return c.s.masked(&p), true
}

// OpenTab opens a tab that belongs to the session; the reply is about it.
func (c *call) OpenTab(ctx context.Context, name string, op browser.OpenTab, keep bool) (browser.Tab, error) {
	b, s := c.s.b, c.s
	on, err := c.usual(ctx, name)
	if err != nil {
		return browser.Tab{}, err
	}
	if on != c.at.on { // which the rules were asked about
		b.mu.Lock()
		p := place{on: on, info: on.info}
		b.mu.Unlock()
		if err := c.allowed(&p); err != nil {
			return browser.Tab{}, err
		}
	}
	var opened browser.Tab
	if err := c.onBrowser(ctx, on, op, &opened); err != nil {
		return browser.Tab{}, err
	}
	b.mu.Lock()
	t := b.tabs[opened.ID]
	switch {
	case t == nil:
		b.mu.Unlock()
		return browser.Tab{}, &browser.Error{Code: browser.CodeUnknownTab, Msg: "the new tab is gone already", Hint: "try again"}
	case s.closed: // nobody else will close it
		b.mu.Unlock()
		b.closeTab(context.WithoutCancel(ctx), on, opened.ID)
		return browser.Tab{}, errClosed
	}
	b.own(t, s, keep)
	opened = t.Tab
	b.mu.Unlock()
	c.about = opened.ID
	return opened, nil
}

// usual returns the named browser, or that of the session's current tab, or
// the one that Options.Start gives, or without that the first, rather one with
// tabs.
func (c *call) usual(ctx context.Context, name string) (*attached, error) {
	b := c.s.b
	if name == "" {
		b.mu.Lock()
		t := b.tabs[c.s.current]
		b.mu.Unlock()
		if t != nil {
			return t.on, nil
		}
	}
	return b.browserFor(ctx, wanted{name: name, usual: true}, c.waiting(ctx))
}

// SetCurrent makes the tab the session's current one.
func (c *call) SetCurrent(id browser.TabID) {
	b := c.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tabs[id] != nil {
		c.s.current, c.s.lostTab = id, ""
		b.stir()
		b.moved()
	}
}

// CheckURL returns an address in its usual form.
func (c *call) CheckURL(raw string) (string, error) { return c.s.b.checkURL(raw) }

// Progress tells the client how far the call is.
func (c *call) Progress(_ context.Context, done, total float64, message string) {
	if c.progress != nil {
		c.progress(done, total, message)
	}
}

// waiting tells the client what a browser that does not come is waiting for.
func (c *call) waiting(ctx context.Context) func(string) {
	return func(what string) { c.Progress(ctx, 0, 0, what) }
}

// Calls returns what the client asked for before.
func (c *call) Calls(ctx context.Context, q history.Query) (history.Page, error) {
	q.Client, q.Uncleared = c.s.client.Name, true
	if q.Tab != "" {
		q.Session = c.s.id // another one's tab of the same name is another tab
	}
	return c.s.b.o.History.Find(ctx, q)
}

// ClearCalls hides what the client asked for before.
func (c *call) ClearCalls(ctx context.Context) (int, error) {
	return c.s.b.o.History.Clear(ctx, c.s.client.Name)
}

// longestCaller is of the name that a client gives itself, in characters.
const longestCaller = 60

// Asker tells whose call it is.
func (c *call) Asker() (client, session string) {
	return cmp.Or(strings.TrimSpace(tool.OneLine(c.caller, longestCaller)), c.s.client.Name), c.s.id
}

// KeepShot mints a handle for a screenshot.
func (c *call) KeepShot(shot tool.Shot) string {
	b := c.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	return c.s.shots.keep(shot)
}

// Shot looks a screenshot up by its handle.
func (c *call) Shot(handle string) (tool.Shot, bool) {
	b := c.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	shot, ok := c.s.shots.handle[handle]
	return shot, ok
}
