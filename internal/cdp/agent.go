package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// worldName names the isolated world of the page agent.
const worldName = "drawbridge"

// aboutDocument asks a document for its origin, and whether it is empty.
const aboutDocument = "[self.origin,document.childNodes.length==0||!document.querySelector('body>*,frameset')&&!document.documentElement.textContent]"

// agent is the page agent of one document, or on its way there.
type agent struct {
	done    chan struct{}
	err     error
	session string
	conn    Transport
	by      Scripting // makes and asks it; nil: the Runtime domain does
	context runtime.ExecutionContextID
	object  runtime.RemoteObjectID // or, by Scripting, the document
	origin  browser.Origin

	blank    bool // the document was empty
	listed   bool // Frames has told of the document: only then it is acted on
	searched bool // for closed shadow roots
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

// agentOf returns the agent of f's document, which it starts if there is none.
// d.mu is held.
func (d *Driver) agentOf(f *frame) *agent {
	if f.agent != nil {
		return f.agent
	}
	a := &agent{done: make(chan struct{}), session: f.session, conn: d.conn, by: d.scripting}
	f.agent = a
	conn := d.conn
	if conn == nil {
		a.err = ErrDetached
		close(a.done)
		return a
	}
	var code *agent
	if r := f.tab.root; r != f && r.missing() == "" && r.session == f.session {
		code = d.agentOf(r)
	}
	d.spawn(func(ctx context.Context) {
		if a.by != nil {
			a.err = a.enter(ctx, f.id)
		} else {
			a.err = a.install(ctx, conn, f.id, code)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if f.agent == a && a.err == nil && a.origin != f.origin {
			f.setOrigin(a.origin)
			d.changed(f.tab)
		}
		close(a.done)
	})
	return a
}

// install makes the agent in the document that the frame shows, or finds it
// there: a document out of the back/forward cache has it still. It comes after
// the agent whose code it may share, if there is one.
func (a *agent) install(ctx context.Context, conn Transport, id cdp.FrameID, code *agent) error {
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
	if code != nil {
		select {
		case <-code.done:
		case <-ctx.Done(): // which the next command tells
		}
	}
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
	if json.Unmarshal(about.Result.Value, &[]any{&origin, &a.blank}) != nil {
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
		if parent.by != nil {
			b.err = b.name(ctx, f.id, number)
		} else {
			b.err = b.bind(ctx, conn, f.id, number)
		}
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
	if err := p.ready(ctx); err != nil {
		return err
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
