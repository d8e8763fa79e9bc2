package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

var _ pageagent.Host = (*Driver)(nil)

// worldName names the isolated world of the page agent.
const worldName = "drawbridge"

const callAgent = "function(o,n,a){return this.call(o,n,a)}"

// agent is the page agent of one document, or on its way there.
type agent struct {
	done    chan struct{}
	err     error
	session string
	context runtime.ExecutionContextID
	object  runtime.RemoteObjectID
	origin  browser.Origin

	custom bool                   // the document has custom elements
	sweep  chan struct{}          // holds a token; whoever has it looks for closed shadow roots
	hosts  runtime.RemoteObjectID // what lists their hosts; "" until needed
}

// binding is the document's name in its parent's agent, or on its way there.
type binding struct {
	done   chan struct{}
	err    error
	parent *agent
}

// world is a frame's main world.
type world struct {
	session  string
	document runtime.RemoteObjectID
}

// Frames implements pageagent.Host.
func (d *Driver) Frames(ctx context.Context, id browser.TabID) ([]browser.Frame, error) {
	t, err := d.lookUp(id)
	if err != nil {
		return nil, err
	}
	if _, err := d.attach(ctx, t); err != nil {
		return nil, err
	}
	waiting, stop := d.begin(ctx, t, nil)
	defer stop()
	looked := false // for closed shadow roots
	for {
		if err := context.Cause(waiting); err != nil {
			return nil, d.pageError(t, err)
		}
		d.mu.Lock()
		pending := d.ready(t)
		if pending == nil && !looked {
			d.mu.Unlock()
			d.openAllRoots(waiting, t)
			looked = true
			continue
		}
		if pending == nil {
			defer d.mu.Unlock()
			return d.readyList(t)
		}
		d.mu.Unlock()
		select {
		case <-pending:
		case <-waiting.Done():
		}
	}
}

// ready starts what is missing for the frames of a tab to be read. It returns
// a channel to wait for, or nil when nothing is missing. d.mu is held.
func (d *Driver) ready(t *tab) (pending <-chan struct{}) {
	var walk func(f *frame)
	walk = func(f *frame) {
		if f.missing() != "" {
			return
		}
		if a := d.agentOf(f); unfinished(a.done) && pending == nil {
			pending = a.done
		}
		if f.parent != nil {
			if b := d.bindingOf(f); unfinished(b.done) && pending == nil {
				pending = b.done
			}
		}
		for _, c := range f.children {
			walk(c)
		}
	}
	walk(t.root)
	return pending
}

func unfinished(done <-chan struct{}) bool {
	select {
	case <-done:
		return false
	default:
		return true
	}
}

// readyList is the frames with what cannot be read and why; a failure is
// forgotten, so that the next call tries again. d.mu is held.
func (d *Driver) readyList(t *tab) ([]browser.Frame, error) {
	list := t.list()
	if len(list) == 0 {
		return nil, &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s shows no document yet", t.id), Hint: "wait for it, or navigate"}
	}
	for i := range list {
		f := t.find(list[i].ID)
		if f == nil || list[i].Missing != "" {
			continue
		}
		switch {
		case f.agent.err != nil:
			list[i].Missing = "its page agent could not be set up"
			d.log.Debug("no page agent", "tab", t.id, "frame", list[i].ID, "url", f.url, "err", f.agent.err)
			f.agent, f.bound = nil, nil
		case f.bound != nil && f.bound.err != nil:
			list[i].Missing = "its element was not found in the page around it"
			d.log.Debug("frame not bound", "tab", t.id, "frame", list[i].ID, "url", f.url, "err", f.bound.err)
			f.bound = nil
		}
		if i == 0 && list[0].Missing != "" {
			return nil, &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the page in %s cannot be read: %s", t.id, list[0].Missing), Hint: "try again, or navigate"}
		}
	}
	return list, nil
}

// agentOf returns the agent of f's document, which it starts if there is none.
// d.mu is held.
func (d *Driver) agentOf(f *frame) *agent {
	if f.agent != nil {
		return f.agent
	}
	a := &agent{done: make(chan struct{}), session: f.session, sweep: make(chan struct{}, 1)}
	f.agent = a
	conn := d.conn
	if conn == nil {
		a.err = ErrDetached
		close(a.done)
		return a
	}
	d.spawn(func(ctx context.Context) {
		a.err = a.install(ctx, conn, f.id)
		d.mu.Lock()
		defer d.mu.Unlock()
		if f.agent == a && a.err == nil && a.origin != f.origin {
			f.origin = a.origin
			d.changed(f.tab)
		}
		close(a.done)
	})
	return a
}

// install makes the agent in the document that the frame shows, or finds it
// there: a document out of the back/forward cache has it still.
func (a *agent) install(ctx context.Context, conn Transport, id cdp.FrameID) error {
	var w cdppage.CreateIsolatedWorldResult
	if err := conn.Send(ctx, a.session, cdppage.CommandCreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: id, WorldName: worldName}, &w); err != nil {
		return err
	}
	a.context = w.ExecutionContextID
	var about evaluation
	var asked sync.WaitGroup
	asked.Go(func() {
		if conn.Send(ctx, a.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: aboutDocument, ContextID: a.context, ReturnByValue: new(true)}, &about) != nil {
			about.Result.Value = nil // the other command tells why
		}
	})
	var made evaluation
	err := conn.Send(ctx, a.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: pageagent.Source, ContextID: a.context}, &made)
	asked.Wait()
	switch {
	case err != nil:
		return err
	case made.Exception != nil:
		return made.Exception.error()
	case made.Result.ObjectID == "":
		return errors.New("the page agent is no object")
	}
	a.object = runtime.RemoteObjectID(made.Result.ObjectID)
	var origin string
	if json.Unmarshal(about.Result.Value, &[]any{&origin, &a.custom}) != nil {
		return errors.New("the document tells no origin")
	}
	a.origin = browser.OriginOf(origin)
	return nil
}

// bindingOf returns the binding of f's document in its parent's agent, which
// it starts if there is none. d.mu is held.
func (d *Driver) bindingOf(f *frame) *binding {
	parent := d.agentOf(f.parent)
	if f.bound != nil && f.bound.parent == parent {
		return f.bound
	}
	b := &binding{done: make(chan struct{}), parent: parent}
	f.bound = b
	conn, number := d.conn, f.tab.numberOf(f)
	if conn == nil {
		b.err = ErrDetached
		close(b.done)
		return b
	}
	d.spawn(func(ctx context.Context) {
		b.err = b.bind(ctx, conn, f.id, number)
		close(b.done)
	})
	return b
}

func (b *binding) bind(ctx context.Context, conn Transport, id cdp.FrameID, number browser.FrameID) error {
	p := b.parent
	var owner dom.GetFrameOwnerResult
	if err := conn.Send(ctx, p.session, dom.CommandGetFrameOwner, dom.GetFrameOwnerParams{FrameID: id}, &owner); err != nil {
		return err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.err != nil {
		return p.err
	}
	element, err := resolve(ctx, conn, p.session, owner.BackendNodeID, p.context)
	if err != nil {
		return err
	}
	name, err := json.Marshal(number)
	if err != nil {
		return err
	}
	var reply evaluation
	err = conn.Send(ctx, p.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(e,f){this.bind(e,f)}", ObjectID: p.object,
		Arguments: []*runtime.CallArgument{{ObjectID: element}, {Value: name}},
	}, &reply)
	if err == nil && reply.Exception != nil {
		err = reply.Exception.error()
	}
	return err
}

// resolve makes a node an object of an execution context; 0 is the main world's.
func resolve(ctx context.Context, conn Transport, session string, node cdp.BackendNodeID, in runtime.ExecutionContextID) (runtime.RemoteObjectID, error) {
	var reply struct {
		Object struct {
			ObjectID runtime.RemoteObjectID `json:"objectId"`
		} `json:"object"`
	}
	err := conn.Send(ctx, session, dom.CommandResolveNode, dom.ResolveNodeParams{BackendNodeID: node, ExecutionContextID: in}, &reply)
	return reply.Object.ObjectID, err
}

// mainWorld returns the document of a frame as an object of its main world,
// by way of the isolated world: what names main worlds directly is noticed by
// pages.
func (d *Driver) mainWorld(ctx context.Context, f *frame) (runtime.RemoteObjectID, error) {
	d.mu.Lock()
	w, session, conn := f.world, f.session, d.conn
	d.mu.Unlock()
	if conn == nil {
		return "", ErrDetached
	}
	if w != nil && w.session == session {
		return w.document, nil
	}
	var made cdppage.CreateIsolatedWorldResult
	if err := conn.Send(ctx, session, cdppage.CommandCreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: f.id, WorldName: worldName}, &made); err != nil {
		return "", err
	}
	var document evaluation
	if err := conn.Send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "document", ContextID: made.ExecutionContextID}, &document); err != nil {
		return "", err
	}
	var node struct {
		Node struct {
			BackendNodeID cdp.BackendNodeID `json:"backendNodeId"`
		} `json:"node"`
	}
	if err := conn.Send(ctx, session, dom.CommandDescribeNode, dom.DescribeNodeParams{ObjectID: runtime.RemoteObjectID(document.Result.ObjectID), Depth: new(int64(0))}, &node); err != nil {
		return "", err
	}
	main, err := resolve(ctx, conn, session, node.Node.BackendNodeID, 0)
	if err != nil {
		return "", err
	}
	w = &world{session: session, document: main}
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.session == session {
		f.world = w
	}
	return w.document, nil
}

// Call implements pageagent.Host.
func (d *Driver) Call(ctx context.Context, id browser.TabID, calls []pageagent.FrameCall) ([]pageagent.FrameReply, error) {
	t, err := d.lookUp(id)
	if err != nil {
		return nil, err
	}
	if _, err := d.attach(ctx, t); err != nil {
		return nil, err
	}
	replies := make([]pageagent.FrameReply, len(calls))
	whole := make([]error, len(calls))
	one := func(i int) { replies[i], whole[i] = d.callFrame(ctx, t, calls[i]) }
	if len(calls) == 1 {
		one(0)
	} else {
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() { one(i) })
		}
		all.Wait()
	}
	for _, err := range whole {
		if err != nil {
			return nil, err
		}
	}
	return replies, nil
}

// reads tells which ops may be asked of another document than they were meant
// for: the main frame's next one.
func reads(op string) bool {
	switch op {
	case "snapshot", "text", "find", "check", "boxes", "describe":
		return true
	}
	return false
}

// callFrame makes one call. The error is for the whole tab.
func (d *Driver) callFrame(ctx context.Context, t *tab, c pageagent.FrameCall) (pageagent.FrameReply, error) {
	args, err := json.Marshal(c.Args)
	if err != nil {
		return pageagent.FrameReply{}, err
	}
	for try := 1; ; try++ {
		reply, err := d.callOnce(ctx, t, c, args)
		switch {
		case err == nil:
			return reply, nil
		case !left(err):
			return reply, d.pageError(t, err)
		case try > 1 || c.Frame != "" || !reads(c.Op):
			return pageagent.FrameReply{Err: staleFrame(t, c.Frame, err)}, nil
		}
	}
}

func staleFrame(t *tab, id browser.FrameID, err error) error {
	what := "the document of " + string(t.id)
	if id != "" {
		what = "the frame " + string(id)
	}
	return &browser.Error{Code: browser.CodeStaleRef, Msg: what + " is gone", Hint: "take a snapshot and use refs from it", Err: err}
}

func (d *Driver) callOnce(ctx context.Context, t *tab, c pageagent.FrameCall, args []byte) (pageagent.FrameReply, error) {
	var out pageagent.FrameReply
	d.mu.Lock()
	f := t.find(c.Frame)
	if f == nil || f.missing() != "" || f.agent == nil && !reads(c.Op) {
		d.mu.Unlock()
		return out, errNavigated
	}
	a := d.agentOf(f)
	d.mu.Unlock()
	waiting, stop := d.begin(ctx, t, f)
	defer stop()
	select {
	case <-a.done:
	case <-waiting.Done():
		return out, context.Cause(waiting)
	}
	if a.err != nil {
		if left(a.err) {
			d.forget(f, a)
		}
		return out, a.err
	}
	op, err := json.Marshal(c.Op)
	if err != nil {
		return out, err
	}
	first, err := json.Marshal(c.First)
	if err != nil {
		return out, err
	}
	text, err := json.Marshal(string(args))
	if err != nil {
		return out, err
	}
	p := runtime.CallFunctionOnParams{FunctionDeclaration: callAgent, ObjectID: a.object, ReturnByValue: new(true),
		Arguments: []*runtime.CallArgument{{Value: op}, {Value: first}, {Value: text}}}
	if c.Op == "changed" {
		p.AwaitPromise = new(true)
	}
	var reply evaluation
	if err := d.send(waiting, a.session, runtime.CommandCallFunctionOn, p, &reply); err != nil {
		if noContext(err) {
			d.forget(f, a)
		}
		return out, err
	}
	if reply.Exception != nil {
		out.Err = &browser.Error{Code: browser.CodeInternal, Msg: "the page agent failed", Err: reply.Exception.error()}
		return out, nil
	}
	var answer string
	err = json.Unmarshal(reply.Result.Value, &answer)
	if err == nil {
		err = json.Unmarshal([]byte(answer), &out.Reply)
	}
	if err != nil {
		out.Err = &browser.Error{Code: browser.CodeInternal, Msg: "the page agent answers what is not understood", Err: err}
	}
	return out, nil
}

// forget drops an agent whose document turned out to be gone before the
// browser told so.
func (d *Driver) forget(f *frame, a *agent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.agent == a {
		f.agent = nil
	}
}
