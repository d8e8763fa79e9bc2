package cdp

import (
	"context"
	"fmt"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

const (
	callLimit = 20 * time.Second // unless the op names another
	callMost  = 256 << 10        // bytes of the answer, unless the op names another

	sentGrace = 500 * time.Millisecond // for a call on its way, before its page is left
)

// docCalls are the calls of the page tools of a document. Driver.mu guards them.
type docCalls struct {
	turns   map[string]chan struct{} // by form: each holds a token, and whoever has it calls
	waiting map[string]*invocation   // forms that are filled, and wait for a person
	parsed  time.Time                // when the document had been parsed; only of frames within a page
}

// tabCalls are the calls of a tab on their way, and those that nobody waits for
// any more. Driver.mu guards them.
type tabCalls struct {
	late  []*invocation // that may still be answered
	heard []heard       // that nobody was told of yet

	sent map[*invocation]struct{} // that no document has begun to run yet
}

// pageCall is one CallPageTool op.
type pageCall struct {
	d      *Driver
	t      *tab
	f      *frame
	op     browser.CallPageTool
	kind   browser.PageToolKind // "" when it is not known
	source toolSource
	limit  time.Duration
	most   int
	w      *watch
	inv    *invocation
	input  []byte
	notes  []string
	times  callTimes
	went   bool // a navigation was seen to begin
}

func (d *Driver) callPageTool(ctx context.Context, t *tab, to browser.Target, op browser.CallPageTool) (*browser.PageToolAnswer, error) {
	c := &pageCall{d: d, t: t, op: op, limit: op.Timeout, most: op.MaxBytes}
	if c.limit <= 0 {
		c.limit = callLimit
	}
	if c.most <= 0 {
		c.most = callMost
	}
	input, awkward, err := toolInput(op.Name, op.Args)
	if err != nil {
		return nil, err
	}
	c.input = input
	within, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	if err := c.find(within, to); err != nil {
		return nil, c.tooLate(ctx, within, err)
	}
	defer c.w.Close()
	if c.source == ofOlderForms {
		return c.viaForm(ctx, within, to)
	}
	if c.kind.Form() {
		release, err := c.takeTurn(within)
		if err != nil {
			return nil, c.tooLate(ctx, within, err)
		}
		defer release()
		if err := c.clearForm(within); err != nil {
			return nil, c.tooLate(ctx, within, err)
		}
	}
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if c.inv.late == nil {
			c.inv.leave()
		}
	}()
	byAgent := c.source != ofBrowser || d.scripting != nil
	if awkward == "" && !byAgent {
		awkward = c.risk()
	}
	switch {
	case byAgent:
		c.viaAgent()
	case awkward != "":
		c.viaPage(within, awkward)
	default:
		c.inv.invoke(c.input, c.limit)
	}
	return c.await(ctx, within)
}

// risk says why the browser should not be asked to call the tool: a page crashes
// when it is asked for a tool that the document, or the one that is about to take
// its place, does not have.
func (c *pageCall) risk() string {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	switch {
	case c.t.nav.pending != "" || c.f.pending != "":
		return "the page is about to be left"
	case c.f.tools.by[ofBrowser][c.op.Name] == nil:
		return "the browser has not told of the tool"
	}
	return ""
}

// awaitCalls allows the documents of a tab that is about to be left a moment to
// begin to run what they were asked to: one that goes before that crashes.
func (d *Driver) awaitCalls(ctx context.Context, t *tab, w *watch) {
	served := func(pageagent.Activity) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(t.calls.sent) == 0
	}
	if served(pageagent.Activity{}) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sentGrace)
	defer cancel()
	_ = until(ctx, w, served) // one that hangs is left all the same
}

// tooLate makes a timeout of err if the time of the op was up before anything
// was called.
func (c *pageCall) tooLate(ctx, within context.Context, err error) error {
	if ctx.Err() == nil && within.Err() != nil && overdue(err) {
		return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("%s could not be called within %s: the page was not ready for it", c.called(), c.limit),
			Hint: "nothing was called; try again, or give a longer timeout", Err: err}
	}
	return c.d.pageError(c.t, err)
}

// find finds the frame, and refuses a document other than the one that was
// permitted. The origin is known for certain when the document has its agent.
func (c *pageCall) find(within context.Context, to browser.Target) error {
	d, t := c.d, c.t
	if _, err := d.attach(within, t); err != nil {
		return err
	}
	d.mu.Lock()
	f, err := c.permitted(to)
	var a *agent
	if err == nil {
		a = d.agentOf(f)
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	if unfinished(a.done) {
		waiting, stop := d.begin(within, t, f)
		defer stop()
		select {
		case <-a.done:
		case <-waiting.Done():
			if err := context.Cause(waiting); !left(err) {
				return err
			}
			return staleFrame(t, c.op.Frame, context.Cause(waiting))
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, err = c.permitted(to); err != nil {
		return err
	}
	tool := f.tools.best(c.op.Name)
	if tool == nil {
		tool = c.lookFurther(within, f)
		if f, err = c.permitted(to); err != nil {
			return err
		}
	}
	if tool != nil {
		c.kind, c.source = tool.Kind, tool.source
	} else if d.world.lacks {
		c.source = ofStandIn
	}
	c.f, c.w = f, d.watch(t)
	c.inv = &invocation{d: d, f: f, name: c.op.Name, session: f.session, loader: f.loader, origin: f.origin, more: make(chan struct{}, 1)}
	return nil
}

// permitted is the frame, if it may be acted on. d.mu is held.
func (c *pageCall) permitted(to browser.Target) (*frame, error) {
	t := c.t
	f := t.find(c.op.Frame)
	if err := t.permitFrame(to.Origins, f, c.op.Frame); err != nil {
		return nil, err
	}
	switch {
	case t.dialog != nil:
		return nil, t.dialogError(t)
	case c.op.Origin != "" && c.op.Origin != f.origin:
		return nil, &browser.Error{Code: browser.CodeOriginChanged, Msg: fmt.Sprintf("%s was offered by %s, and its document is of %s now; nothing was called", c.called(), c.op.Origin, f.origin),
			Hint: "list_page_tools shows what is offered now"}
	case f != t.root && t.silent[f.session] != nil:
		return nil, &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("the frame %s does not answer; nothing was called", c.op.Frame),
			Hint: "a script of it may run without end; the rest of the page can be used"}
	}
	return f, nil
}

// takeTurn waits until nobody else calls the form: of two calls at once, the
// browser answers only the second one.
func (c *pageCall) takeTurn(within context.Context) (release func(), err error) {
	c.d.mu.Lock()
	turns := c.f.calls.turns
	if turns == nil {
		turns = make(map[string]chan struct{})
		c.f.calls.turns = turns
	}
	turn := turns[c.op.Name]
	if turn == nil {
		turn = make(chan struct{}, 1)
		turn <- struct{}{}
		turns[c.op.Name] = turn
	}
	c.d.mu.Unlock()
	waiting, stop := c.d.begin(within, c.t, c.f)
	defer stop()
	select {
	case <-turn:
		return func() { turn <- struct{}{} }, nil
	case <-waiting.Done():
		if err := context.Cause(waiting); !left(err) {
			return nil, err
		}
		return nil, staleFrame(c.t, c.op.Frame, context.Cause(waiting))
	}
}

// clearForm takes the place of a call of the form that waits for a person, and
// has the page tell when it is filled for this one.
func (c *pageCall) clearForm(within context.Context) error {
	c.d.mu.Lock()
	if old := c.f.calls.waiting[c.op.Name]; old != nil {
		delete(c.f.calls.waiting, c.op.Name)
		old.late = func(*toolAnswer) {}
		old.cancel()
	}
	c.d.mu.Unlock()
	if c.kind != browser.ToolOfForm || c.source != ofBrowser || c.d.scripting != nil {
		return nil // the agent tells
	}
	return c.listen(within)
}
