package cdp

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/pageagent"
)

// ownAPI tells whether the page has put something in the place of the browser's
// WebMCP, or of what was its name before. It runs in the page's world, which may
// answer as it likes; so much only decides whether the page is asked more.
const ownAPI = `function(){for(const o of[this,navigator])for(let p=o;p;p=Object.getPrototypeOf(p)){
const d=Object.getOwnPropertyDescriptor(p,"modelContext");if(!d)continue;
if(!d.get||!Function.prototype.toString.call(d.get).includes("[native code]"))return true;break}return false}`

// seekOwn finds out whether the page of a document has a stand-in for WebMCP of
// its own, beside that of the browser, and if so what it offers. Libraries for
// pages bring one, and older ones do not know where browsers have theirs. d.mu
// is held.
func (d *Driver) seekOwn(f *frame) {
	if !d.world.known || d.world.lacks || f.tools.own || f.loader == "" || f.missing() != "" || d.conn == nil {
		return
	}
	t, loader := f.tab, f.loader
	d.ask(t, askMost, func(ctx context.Context) {
		waiting, stop := d.begin(ctx, t, f)
		defer stop()
		found, err := d.askOwn(waiting, f)
		if err != nil || !found {
			if err != nil {
				d.log.Debug("page not asked for a stand-in of its own", "tab", t.id, "err", err)
			}
			return
		}
		d.mu.Lock()
		conn, a, there := d.conn, d.agentOf(f), f.loader == loader && d.conn != nil
		f.tools.own = f.tools.own || there
		d.mu.Unlock()
		if !there {
			return
		}
		select {
		case <-a.done:
		case <-waiting.Done():
			return
		}
		if a.err != nil {
			return
		}
		if _, err := d.hearOnce(waiting, conn, f, a); err != nil {
			d.log.Debug("page's own stand-in not asked", "tab", t.id, "err", err)
		}
	})
}

// askOwn looks for a stand-in of the page, and has our script ask it from then on.
func (d *Driver) askOwn(ctx context.Context, f *frame) (found bool, err error) {
	document, err := d.mainWorld(ctx, f)
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	conn, session := d.conn, f.session
	d.mu.Unlock()
	if conn == nil {
		return false, ErrDetached
	}
	run := func(function string) (json.RawMessage, error) {
		var reply evaluation
		err := conn.Send(ctx, session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: document, ReturnByValue: new(true)}, &reply)
		if err == nil && reply.Exception != nil {
			err = reply.Exception.error()
		}
		return reply.Result.Value, err
	}
	said, err := run(ownAPI)
	if err != nil || string(said) != "true" {
		return false, err
	}
	source, err := pageagent.ModelContext(pageagent.ModelContextOptions{Key: d.world.key})
	if err != nil {
		return false, err
	}
	_, err = run("function(){" + source + "\n}")
	return err == nil, err
}
