package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/tool"
)

// call is one call on its way. It is the tool.Env of its handler, which uses
// it from one goroutine at a time, but for Progress.
type call struct {
	scope
	spec     *tool.Spec
	bound    tool.Bound
	paths    []string // those of bound, resolved
	progress func(done, total float64, message string)
	caller   string // what the client calls itself

	at    place         // where it was decided
	tab   browser.TabID // that it concerns, or ""
	guard int           // the document that the client wants to be there; 0: any, or the call itself has acted on it
	about browser.TabID // whose line heads the reply
	rule  string        // that refused it

	pageTool browser.PageTool // that the call is for
	direct   *toolID          // that was called by a name of its own, or nil

	older  *tool.Older // the tool of a dialect that was called, or nil
	use    tool.Use    // what it stands for; without a tool when that was not found
	output tool.Output // of the call, once it is known that the client may read it
	fault  error       // that the dialect told, or nil
}

// Call runs one call. Its errors are *browser.Error.
func (s *Session) Call(ctx context.Context, r Request) (Outcome, error) {
	start := s.b.o.Now()
	c := &call{scope: scope{s}, progress: r.Progress, caller: r.Caller}
	out, err := c.run(ctx, r)
	if err != nil {
		err = c.told(ctx, err)
	}
	if c.older != nil {
		now := s.b.o.Now()
		out, err = c.spoken(r, tool.OlderCall{Ended: now, Took: now.Sub(start)}, out, err)
	}
	told := err
	if told == nil {
		told = c.fault
	}
	c.record(r.Name, start, &out, told)
	return out, err
}

func (c *call) run(ctx context.Context, r Request) (out Outcome, err error) {
	t, args := r.Native, r.Args
	if t == nil {
		t = c.s.toolNamed(r.Name)
	}
	if t == nil {
		t, args = c.directly(r)
	}
	if t == nil {
		return Outcome{}, &browser.Error{Code: browser.CodeNotSupported, Msg: "there is no tool " + quote(r.Name), Hint: "list the tools"}
	}
	if o := t.Older(); o != nil {
		if t, args, err = c.speak(o, args); err != nil {
			return Outcome{}, err
		}
		if c.use.Done != nil {
			return Outcome{}, nil
		}
	}
	c.spec = &t.Spec
	if c.bound, err = t.Bind(args); err != nil {
		return Outcome{}, err
	}
	if err := c.deniedOutright(); err != nil {
		return Outcome{}, err
	}
	if !c.spec.NoBrowser {
		var done func(error) error
		if ctx, done, err = c.s.b.stoppable(ctx); err != nil {
			return Outcome{}, err
		}
		defer func() { err = done(err) }()
	}
	if c.bound.Destination != "" {
		if c.bound.Destination, err = c.s.b.checkURL(c.bound.Destination); err != nil {
			return Outcome{}, err
		}
	}
	if c.paths, err = c.s.resolve(c.bound.Paths); err != nil {
		return Outcome{}, err
	}
	if err := c.locate(ctx); err != nil {
		return Outcome{}, err
	}
	if err := c.choose(ctx); err != nil {
		return Outcome{}, err
	}
	if err := c.house(); err != nil {
		return Outcome{}, err
	}
	if err := c.allowed(&c.at); err != nil {
		return Outcome{}, err
	}
	done, err := c.around(ctx, t)
	if err != nil {
		return Outcome{}, err
	}
	return c.reply(done)
}

// deniedOutright refuses what no browser, tab or address would change.
func (c *call) deniedOutright() error {
	if !c.s.b.o.Policy().NeverAllowed(c.s.client.Name, c.s.client.ReadOnly, c.spec.Action) {
		return nil
	}
	r := c.s.ask(c.s.question(c.spec.Action, &c.at))
	if r == nil {
		return nil
	}
	c.rule = r.Rule
	return r.err()
}

// allowed asks the rules, and notes which one refused.
func (c *call) allowed(p *place) error {
	r := c.decide(p)
	if r == nil {
		return nil
	}
	c.rule = r.Rule
	return r.err()
}

// locate finds the call's tab, or its browser. A browser is started when there
// is none and the call concerns one.
func (c *call) locate(ctx context.Context) error {
	b, s := c.s.b, c.s
	if c.spec.NoBrowser {
		return c.locateNowhere()
	}
	var on *attached
	var err error
	if c.bound.Opens {
		on, err = c.usual(ctx, c.bound.Browser)
	} else {
		on, err = b.browserFor(ctx, wanted{}, c.waiting(ctx))
	}
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if !c.bound.HasTab {
		c.at = place{on: on, info: on.info}
		return nil
	}
	t, err := s.named(browser.TabID(c.bound.Tab))
	if err != nil && c.direct != nil {
		return c.direct.gone()
	}
	if err != nil {
		return err
	}
	c.at, c.tab, c.about, c.guard = placeOf(t), t.ID, t.ID, c.bound.Doc
	return c.guarded(&c.at)
}

// locateNowhere is locate for a tool that needs no browser. The rules are asked
// about the first one, or the one that a call would start.
func (c *call) locateNowhere() error {
	b := c.s.b
	b.mu.Lock()
	if c.s.closed {
		b.mu.Unlock()
		return errClosed
	}
	for _, a := range b.attached {
		if a.up {
			c.at = place{on: a, info: a.info}
			break
		}
	}
	b.mu.Unlock()
	if c.at.on == nil && b.o.Start != nil {
		c.at.info = b.o.Start().Info()
	}
	return nil
}

var errClosed = &browser.Error{Code: browser.CodeCancelled, Msg: "the session has ended"}

// named returns the tab with the id, or without one the session's current tab,
// or the only one; b.mu is held. A tab that is gone is an error, never
// another tab.
func (s *Session) named(id browser.TabID) (*tab, error) {
	b := s.b
	given := id != ""
	if !given {
		id = s.current
	}
	if t := b.tabs[id]; t != nil {
		return t, nil
	}
	switch {
	case given:
		return nil, s.unknown("there is no tab " + quote(string(id)))
	case s.lostTab != "":
		id, s.lostTab = s.lostTab, ""
		return nil, s.unknown("the current tab " + string(id) + " is gone")
	case len(b.tabs) == 1:
		for _, t := range b.tabs {
			return t, nil
		}
	case len(b.tabs) > 1:
		return nil, s.unknown("no tab is current")
	}
	return nil, s.unknown("no tab is open")
}

// maxListed bounds the tabs that an error lists.
const maxListed = 20

// unknown is the error of a call whose tab is not known; b.mu is held.
func (s *Session) unknown(msg string) error {
	tabs := s.b.sorted()
	if len(tabs) == 0 {
		return &browser.Error{Code: browser.CodeUnknownTab, Msg: msg, Hint: "open one with open_tab"}
	}
	var hint strings.Builder
	hint.WriteString("give tab, one of these:")
	for i, t := range tabs {
		if i == maxListed {
			fmt.Fprintf(&hint, "\n… %d more (list_tabs)", len(tabs)-i)
			break
		}
		p := placeOf(t)
		hint.WriteString("\n" + tool.TabLine(s.masked(&p)))
	}
	return &browser.Error{Code: browser.CodeUnknownTab, Msg: msg, Hint: hint.String()}
}

// guarded fails when the client named another document than is there.
func (c *call) guarded(p *place) error {
	if c.guard == 0 || c.guard == p.Doc {
		return nil
	}
	return &browser.Error{Code: browser.CodeStaleDocument,
		Msg:  fmt.Sprintf("%s shows document %d by now, not %d; nothing was done", p.ID, p.Doc, c.guard),
		Hint: "look at it again before you repeat the call"}
}

// told makes an error one that a client may read. What is not meant for it
// goes to the log in full.
func (c *call) told(ctx context.Context, err error) error {
	var e *browser.Error
	switch {
	case errors.As(err, &e):
		if e.Code == browser.CodeInternal {
			c.log(err)
		}
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		e = &browser.Error{Code: browser.CodeTimeout, Msg: "the call took too long", Err: err}
	case ctx.Err() != nil:
		e = &browser.Error{Code: browser.CodeCancelled, Msg: "the call was cancelled", Err: err}
	default:
		c.log(err)
		e = &browser.Error{Code: browser.CodeInternal, Msg: "internal error", Hint: "drawbridge's log has the details", Err: err}
	}
	if lost := c.s.tellLost(); lost != "" {
		with := *e
		with.Msg = lost + "\n" + e.Msg
		e = &with
	}
	return e
}

func (c *call) log(err error) {
	name := ""
	if c.spec != nil {
		name = c.spec.Name
	}
	c.s.b.o.Log.Error("call failed", "tool", name, "tab", c.tab, "client", c.s.client.Name, "error", err)
}

// record writes the call's entry.
func (c *call) record(name string, start time.Time, out *Outcome, err error) {
	if native := c.use.Tool.Spec.Name; native != "" {
		name = native
	} else if c.direct != nil {
		name = callPageTool
	}
	e := history.Entry{
		Time: start, Client: c.s.client.Name, Session: c.s.id, Tool: name, Tab: c.tab,
		Args: history.Args(c.bound.Args), Rule: c.rule, Took: c.s.b.o.Now().Sub(start), Bytes: len(out.Text),
	}
	if c.spec != nil {
		e.Action = c.spec.Action
	}
	e.PageTool = cmp.Or(c.pageTool.Name, c.bound.PageTool)
	if c.tab != "" {
		e.Doc, e.Origin = c.at.Doc, cmp.Or(c.pageTool.Origin, originOf(&c.at.Tab))
	} else if c.about != "" {
		e.Tab = c.about
	}
	for _, i := range out.Images {
		e.Bytes += len(i.Data)
	}
	for _, r := range out.Resources {
		e.Bytes += len(r.Text) + len(r.Data)
	}
	if out.Failed { // how is the page's to know
		e.Code, e.Error = browser.CodePageError, "the page's tool says that it failed"
	}
	if err != nil {
		e.Code, e.Error = browser.CodeOf(err), tool.Struck(err.Error(), c.bound.Masked)
	}
	c.s.b.o.History.Add(e)
}
