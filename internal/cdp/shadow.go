package cdp

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// aboutDocument asks a document for its origin, and whether it has custom
// elements, which may have closed shadow roots.
const aboutDocument = `(()=>{for(const e of document.getElementsByTagName("*"))if(e.localName.includes("-"))return[self.origin,true];return[self.origin,false]})()`

// hostsSource makes an object that lists, each time it is asked, the custom
// elements that came since and have no open shadow root. One that is not
// defined yet is listed again.
const hostsSource = `(()=>{const seen=new WeakSet,roots=new Set([document]),most=200;return{` +
	`next(){const out=[],walk=r=>{for(const e of r.querySelectorAll("*")){if(out.length===most)return;` +
	`if(e.shadowRoot)walk(e.shadowRoot);else if(e.localName.includes("-")&&!seen.has(e)){if(e.matches(":defined"))seen.add(e);out.push(e)}}};` +
	`for(const r of roots)if(r===document||r.isConnected)walk(r);return out},` +
	`add(r){seen.add(r.host);roots.add(r)}}})()`

// shadowDepth is how deep closed roots in closed roots are looked for.
const shadowDepth = 8

// openRoots makes the closed shadow roots of a document known to its agent: no
// script can find them, but the browser tells.
func (a *agent) openRoots(ctx context.Context, conn Transport) error {
	if a.hosts == "" {
		var made evaluation
		if err := conn.Send(ctx, a.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: hostsSource, ContextID: a.context}, &made); err != nil {
			return err
		}
		a.hosts = runtime.RemoteObjectID(made.Result.ObjectID)
	}
	for range shadowDepth {
		hosts, err := a.newHosts(ctx, conn)
		if err != nil || len(hosts) == 0 {
			return err
		}
		var all sync.WaitGroup
		found := make([]bool, len(hosts))
		faults := make([]error, len(hosts))
		for i, h := range hosts {
			all.Go(func() { found[i], faults[i] = a.openRoot(ctx, conn, h) })
		}
		all.Wait()
		more := false
		for i := range hosts {
			if faults[i] != nil {
				return faults[i]
			}
			more = more || found[i]
		}
		if !more {
			return nil
		}
	}
	return nil
}

// newHosts returns the elements to look at.
func (a *agent) newHosts(ctx context.Context, conn Transport) ([]runtime.RemoteObjectID, error) {
	var list evaluation
	if err := conn.Send(ctx, a.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){return this.next()}", ObjectID: a.hosts}, &list); err != nil {
		return nil, err
	}
	if list.Result.Description == "Array(0)" {
		return nil, nil
	}
	var props struct {
		Result []struct {
			Value struct {
				Subtype  string                 `json:"subtype"`
				ObjectID runtime.RemoteObjectID `json:"objectId"`
			} `json:"value"`
		} `json:"result"`
	}
	if err := conn.Send(ctx, a.session, runtime.CommandGetProperties, runtime.GetPropertiesParams{ObjectID: runtime.RemoteObjectID(list.Result.ObjectID), OwnProperties: new(true)}, &props); err != nil {
		return nil, err
	}
	var out []runtime.RemoteObjectID
	for _, p := range props.Result {
		if p.Value.Subtype == "node" {
			out = append(out, p.Value.ObjectID)
		}
	}
	return out, nil
}

// openRoot hands the closed root of a host to the agent, if it has one.
func (a *agent) openRoot(ctx context.Context, conn Transport, host runtime.RemoteObjectID) (bool, error) {
	var node struct {
		Node struct {
			Roots []struct {
				BackendNodeID cdp.BackendNodeID `json:"backendNodeId"`
				Type          string            `json:"shadowRootType"`
			} `json:"shadowRoots"`
		} `json:"node"`
	}
	if err := conn.Send(ctx, a.session, dom.CommandDescribeNode, dom.DescribeNodeParams{ObjectID: host, Depth: new(int64(0))}, &node); err != nil {
		return false, err
	}
	for _, r := range node.Node.Roots {
		if r.Type != "closed" {
			continue
		}
		root, err := resolve(ctx, conn, a.session, r.BackendNodeID, a.context)
		if err != nil {
			return false, err
		}
		for _, to := range []struct {
			object runtime.RemoteObjectID
			call   string
		}{{a.hosts, "function(r){this.add(r)}"}, {a.object, "function(r){this.open(r)}"}} {
			var reply evaluation
			if err := conn.Send(ctx, a.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: to.call, ObjectID: to.object,
				Arguments: []*runtime.CallArgument{{ObjectID: root}}}, &reply); err != nil {
				return false, err
			}
			if reply.Exception != nil {
				return false, reply.Exception.error()
			}
		}
		return true, nil
	}
	return false, nil
}

// openAllRoots does openRoots for the frames of a tab that need it.
func (d *Driver) openAllRoots(ctx context.Context, t *tab) {
	d.mu.Lock()
	conn := d.conn
	var agents []*agent
	for _, f := range t.frames {
		if f.agent != nil && !unfinished(f.agent.done) && f.agent.custom {
			agents = append(agents, f.agent)
		}
	}
	d.mu.Unlock()
	if conn == nil {
		return
	}
	var all sync.WaitGroup
	for _, a := range agents {
		all.Go(func() {
			select {
			case a.sweep <- struct{}{}:
				defer func() { <-a.sweep }()
			case <-ctx.Done():
				return
			}
			if err := a.openRoots(ctx, conn); err != nil && !left(err) && ctx.Err() == nil {
				d.log.Debug("closed shadow roots not found", "tab", t.id, "err", err)
			}
		})
	}
	all.Wait()
}
