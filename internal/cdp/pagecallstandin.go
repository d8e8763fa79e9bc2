package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// viaAgent calls a tool by way of the document's agent: one of the stand-in, or,
// where the browser lends no other way, of the browser. What that would tell of
// such a call is made of what the agent tells.
func (c *pageCall) viaAgent() {
	d, inv, t, f := c.d, c.inv, c.t, c.f
	d.mu.Lock()
	defer d.mu.Unlock()
	conn, a := d.conn, f.agent
	d.world.calls++
	args := pageagent.CallToolArgs{Key: d.world.key, ID: d.world.calls, Source: c.from(), Name: c.op.Name, Input: string(c.input), Most: max(c.most, lateValueMost)}
	inv.stop = func() {
		d.spawn(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, cancelGrace)
			defer cancel()
			if err := askAgent(ctx, a, "cancelTool", pageagent.CancelToolArgs{Key: args.Key, ID: args.ID}, nil); err != nil {
				d.log.Debug("page tool not cancelled", "tab", t.id, "err", err)
			}
		})
	}
	inv.hearing = true
	d.spawn(func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		d.mu.Lock()
		inv.end = cancel
		w := d.watch(t)
		d.mu.Unlock()
		defer w.Close()
		defer func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			inv.hearing = false
			inv.tell()
		}()
		waiting, stop := d.beginSteady(ctx, t, f)
		err := inv.hear(waiting, conn, a, args)
		stop()
		if err == nil || !left(err) {
			return
		}
		// As the browser does, the document that came is taken for the answer.
		if landed := d.landed(ctx, w, inv, args.Most); landed != nil {
			d.mu.Lock()
			inv.answered(landed)
			d.mu.Unlock()
		}
	})
}

// from is the source of the tool as agents call it.
func (c *pageCall) from() string {
	switch {
	case c.source == ofBrowser:
		return pageagent.ToolOfBrowser
	case c.kind == "" && c.d.scripting != nil:
		return "" // the agent finds out
	}
	return pageagent.ToolOfStandIn
}

// hear takes what becomes of a call until the page leaves it: then, or when that
// cannot be heard, it returns why.
func (inv *invocation) hear(ctx context.Context, conn Transport, a *agent, args pageagent.CallToolArgs) error {
	d := inv.d
	for answered := false; ; args.Follow = true {
		if answered {
			<-ctx.Done() // the tool may yet lead elsewhere
			return context.Cause(ctx)
		}
		var r pageagent.CallToolReply
		if err := askAgent(ctx, a, "callTool", args, &r); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return err
		}
		d.mu.Lock()
		switch r.State {
		case "waiting":
			inv.activated, inv.kind = true, browser.ToolOfForm
			inv.tell()
		case "left":
			inv.kind = cmp.Or(inv.kind, browser.ToolOfSelfForm)
			d.spawn(func(context.Context) { inv.awaitFrame(ctx, conn, args.Most) })
		case "unknown":
			inv.refusal = &ProtocolError{Message: toolNotFound}
			inv.tell()
			d.mu.Unlock()
			return nil
		default:
			inv.answered(answerOf(&r))
			answered = true
		}
		d.mu.Unlock()
	}
}

// answerOf is what the browser would tell of it.
func answerOf(r *pageagent.CallToolReply) *toolAnswer {
	switch r.State {
	case "cancelled":
		return &toolAnswer{status: "Canceled", errorText: r.Message}
	case "failed":
		a := &toolAnswer{status: "Error", errorText: r.Message}
		switch r.Thrown {
		case "error":
			class, _, _ := strings.Cut(r.Message, ":")
			a.exception, _ = json.Marshal(map[string]string{"type": "object", "subtype": "error", "className": class, "description": r.Message}) // of texts
		case "text":
			a.threw = quoted(said(r.Message, saidMost))
		case "value":
			a.threw = said(r.Message, saidMost)
		}
		return a
	}
	if r.Length > 0 {
		a := &toolAnswer{status: "Completed", length: r.Length}
		a.output, _ = json.Marshal(r.Result) // a text always can be
		return a
	}
	a := &toolAnswer{status: "Completed", output: json.RawMessage(r.Result)}
	if !json.Valid(a.output) {
		a.output, _ = json.Marshal(r.Result)
	}
	return a
}

// landed is what the document says of itself that came in place of the tool's,
// once it has been parsed; nil when none comes.
func (d *Driver) landed(ctx context.Context, w *watch, inv *invocation, most int) *toolAnswer {
	t, f := w.t, inv.f
	for {
		act, more := w.Activity()
		d.mu.Lock()
		gone := act.Gone != "" || t.frames[f.id] != f
		there := inv.left() && (f.parent != nil && !f.loading && f.pending == "" || f.parent == nil && act.Ready && !act.Navigating)
		other := there && !f.requested // as by a client, or back: the browser takes that for no answer
		crossed := there && f.origin != inv.origin
		var a *agent
		if there && !gone && f.missing() == "" {
			a = d.agentOf(f)
		}
		conn := d.conn
		d.mu.Unlock()
		switch {
		case gone || other || act.Failed != "":
			return nil
		case crossed:
			return &toolAnswer{status: "Error", errorText: crossedOrigins}
		case a != nil:
			return linked(ctx, conn, a, most)
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil
		}
	}
}

// awaitFrame takes the document that a form leads to in a frame within the
// tool's own for the answer.
func (inv *invocation) awaitFrame(ctx context.Context, conn Transport, most int) {
	d, t := inv.d, inv.f.tab
	d.mu.Lock()
	w, before := d.watch(t), inv.loadersBelow()
	d.mu.Unlock()
	defer w.Close()
	for {
		_, more := w.Activity()
		d.mu.Lock()
		var a *agent
		for f, loader := range inv.loadersBelow() {
			if loader != "" && before[f] != loader && f.requested && !f.loading && f.pending == "" && f.missing() == "" && f.origin == inv.origin {
				a = d.agentOf(f)
			}
		}
		d.mu.Unlock()
		if a != nil {
			if landed := linked(ctx, conn, a, most); landed != nil {
				d.mu.Lock()
				defer d.mu.Unlock()
				inv.answered(landed)
			}
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

// loadersBelow are the documents of the frames within the tool's own. d.mu is held.
func (inv *invocation) loadersBelow() map[*frame]string {
	out := make(map[*frame]string)
	var walk func(f *frame)
	walk = func(f *frame) {
		for _, c := range f.children {
			out[c] = c.loader
			walk(c)
		}
	}
	walk(inv.f)
	return out
}

// linked asks a document for its JSON-LD.
func linked(ctx context.Context, conn Transport, a *agent, most int) *toolAnswer {
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil
	}
	var r pageagent.LinkedDataReply
	if a.err != nil || askAgent(ctx, a, "linkedData", pageagent.LinkedDataArgs{Most: most}, &r) != nil {
		return nil
	}
	return &toolAnswer{status: "Completed", output: json.RawMessage(r.Objects), length: r.Length}
}
