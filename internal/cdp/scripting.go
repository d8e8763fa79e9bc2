package cdp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// Scripting reaches into documents where the browser lends no Runtime domain:
// an extension or a userscript does it. It comes with a Transport that tells of
// tabs, frames and navigations as the DevTools protocol does, all frames of a
// tab in one session. What concerns a document that is gone fails with ErrGone.
type Scripting interface {
	// Refresh has told of all frames that a tab has now when it returns.
	Refresh(ctx context.Context, session string) error
	// Enter makes the page agent in the document that a frame shows, or finds it
	// there.
	Enter(ctx context.Context, session string, frame cdp.FrameID) (Entered, error)
	// Ask has the agent of a document do an op; see the agent's call.
	Ask(ctx context.Context, session, document, op string, first int, args string) (answer string, err error)
	// Name tells the agent of a document the number of the one that a frame
	// within it shows; see the agent's bind.
	Name(ctx context.Context, session, document string, frame cdp.FrameID, number browser.FrameID) error
	// Trusted tells whether the Input domain is there, for a tab.
	Trusted(session string) bool
	// Ready prepares a tab for input of the Input domain: what that changes of the
	// page's layout has changed when it returns.
	Ready(ctx context.Context, session string) error
	// TakesPaths tells whether the browser gives these files to the page of a tab
	// by their paths.
	TakesPaths(ctx context.Context, session string, files []browser.File) bool
	// GiveFiles has it give files to the field that the agent of a document knows
	// by a number, where TakesPaths.
	GiveFiles(ctx context.Context, session, document string, n int, paths []string) error
	// ChosenField is the number by which the agent of a document knows the field
	// that Page.fileChooserOpened told of, by its node; see Ask.
	ChosenField(ctx context.Context, session, document string, node int64, first int) (int, error)
	// Evaluate runs an expression in the page's own world of the document that a
	// frame shows, waits for what it promises, and answers as Runtime.evaluate
	// does for a value.
	Evaluate(ctx context.Context, session string, frame cdp.FrameID, expression string) (json.RawMessage, error)
	// Travel goes back or forward in a tab's history, and returns once that is
	// seen to have begun; inFrame tells that only a frame of the page moved.
	Travel(ctx context.Context, session string, to browser.History) (inFrame bool, err error)
	// Open opens a tab that the page of a tab wants, in front or behind it, and has
	// told of it when it returns.
	Open(ctx context.Context, session, url string, front bool) error
	// Load has the browser load a resource of a tab's page, as its user where that
	// is of the document's own origin, or tells that it has more than most bytes.
	// Status 0: it did not load.
	Load(ctx context.Context, session, url string, own bool, most int64) (Loaded, error)
	// Save has the browser keep a file in its downloads folder, and returns where.
	Save(ctx context.Context, name, mime string, data []byte) (path string, err error)
	// ToolScript has the script for page tools in all documents from now on.
	ToolScript(ctx context.Context, o pageagent.ModelContextOptions) error
	// Powers is what can be done to a tab now. It is called in handling events,
	// and must not wait.
	Powers(tab string) browser.Capability
}

// Loaded is a resource.
type Loaded struct {
	Status int
	MIME   string
	Body   []byte
	More   bool // than may come; none did
}

// Entered tells of a document in which the agent is. ID is for Ask and Name.
type Entered struct {
	ID     string
	Origin string // self.origin
	Blank  bool   // nothing is in it
}

// ErrGone ends what was asked of a document that is not shown any more.
var ErrGone = errNavigated

// enter is install by way of an extension.
func (a *agent) enter(ctx context.Context, id cdp.FrameID) error {
	in, err := a.by.Enter(ctx, a.session, id)
	if err != nil {
		return err
	}
	a.object, a.origin, a.blank = runtime.RemoteObjectID(in.ID), browser.OriginOf(in.Origin), in.Blank
	return nil
}

// ask has the agent do an op, and returns what it answers: at once, or (late)
// when it does.
func (a *agent) ask(ctx context.Context, op string, first int, args []byte, late bool) ([]byte, error) {
	if a.by != nil {
		answer, err := a.by.Ask(ctx, a.session, string(a.object), op, first, string(args))
		return []byte(answer), err
	}
	given := make([]*runtime.CallArgument, 3)
	for i, v := range []any{op, first, string(args)} {
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		given[i] = &runtime.CallArgument{Value: value}
	}
	p := runtime.CallFunctionOnParams{FunctionDeclaration: callAgent, ObjectID: a.object, Arguments: given, ReturnByValue: new(true)}
	if late {
		p.AwaitPromise = new(true)
	}
	var reply evaluation
	if err := a.conn.Send(ctx, a.session, runtime.CommandCallFunctionOn, p, &reply); err != nil {
		return nil, err
	}
	if reply.Exception != nil {
		return nil, &agentFailed{reply.Exception.error()}
	}
	var answer string
	err := json.Unmarshal(reply.Result.Value, &answer)
	return []byte(answer), err
}

// agentFailed tells that the agent itself threw.
type agentFailed struct{ error }

// name is bind by way of an extension.
func (b *binding) name(ctx context.Context, id cdp.FrameID, number browser.FrameID) error {
	p := b.parent
	if err := p.ready(ctx); err != nil {
		return err
	}
	return p.by.Name(ctx, p.session, string(p.object), id, number)
}

// ready waits for the agent, and says why there is none.
func (a *agent) ready(ctx context.Context) error {
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Driver) sessionOf(t *tab) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return t.session
}

// capsOf is what can be done to a tab now. d.mu is held.
func (d *Driver) capsOf(t *tab) browser.Capability {
	if d.scripting == nil {
		return d.o.Info.Caps
	}
	return d.o.Info.Caps & d.scripting.Powers(string(t.target))
}

// scriptWorld has the script for page tools put into documents. It stands in
// where the browser has no WebMCP; of the browser's own, the agents tell.
func (d *Driver) scriptWorld(ctx context.Context) {
	d.mu.Lock()
	d.world.lacks = true // as far as the browser tells us itself
	known, key := d.world.known, d.world.key
	d.mu.Unlock()
	if known {
		return
	}
	if err := d.scripting.ToolScript(ctx, pageagent.ModelContextOptions{Key: key, Polyfill: true, Hints: true, Faults: true}); err != nil {
		d.log.Debug("no script for page tools", "err", err)
		return // the next page tries again
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.world.known = true
}

// supports refuses what cannot be done to a tab of an extension. d.mu is held.
func (d *Driver) supports(t *tab, op browser.Op) error {
	if d.scripting == nil {
		return nil
	}
	lacks := op.Needs() &^ d.capsOf(t)
	switch {
	case lacks == 0:
		return nil
	case t.untouchable != "":
		return &browser.Error{Code: browser.CodeNotSupported, Msg: fmt.Sprintf("the page in %s cannot be touched: %s", t.id, t.untouchable), Hint: "navigate to another page, or open_tab"}
	}
	return browser.Lacking(string(t.id), lacks, d.Info())
}

// asking asks the agents of a tab's documents that were listed.
func (d *Driver) asking(t *tab) pageagent.Asking {
	return func(ctx context.Context, frame browser.FrameID, op string, args, reply any) error {
		_, a := d.agentIn(t, frame)
		if a == nil {
			return staleFrame(t, frame, errNavigated)
		}
		text, err := json.Marshal(args)
		if err != nil {
			return err
		}
		answer, err := a.ask(ctx, op, 1, text, false)
		if err != nil {
			return err
		}
		return pageagent.Decode(answer, reply)
	}
}

// readyToAct prepares a tab of an extension for an op; done is called after it.
// Files that the browser does not take by their paths the page gets by script, as
// it does all else of that op.
func (d *Driver) readyToAct(ctx context.Context, t *tab, op browser.Op) (done func(), err error) {
	done = func() {}
	if !op.Turn() {
		return done, nil
	}
	session := d.sessionOf(t)
	trusted := d.scripting.Trusted(session)
	if up, ok := op.(browser.Upload); ok && !(trusted && d.scripting.TakesPaths(ctx, session, up.Files)) {
		hint := browser.Remedy(browser.CanTrustedInput, d.Info())
		if trusted {
			hint = "its user can switch on Allow access to file URLs in the details of its extension (chrome://extensions); the files must lie where the browser may read them"
		}
		if err := pageagent.Givable(up.Files, hint); err != nil {
			return nil, err
		}
		d.byScript(t, true)
		return func() { d.byScript(t, false) }, nil
	}
	if trusted {
		err = d.scripting.Ready(ctx, session)
	}
	return done, err
}

func (d *Driver) byScript(t *tab, is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.byScript = is
}
