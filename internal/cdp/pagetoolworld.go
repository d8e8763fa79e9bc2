package cdp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/pageagent"
)

// toolWorld is what the browser has for pages that offer tools, and what is put
// into their own world for it.
type toolWorld struct {
	key   string // of the script's channel
	known bool   // whether it has WebMCP is known
	lacks bool   // it has none that tells of itself: our script stands in, or agents tell
	calls int    // of the stand-in, counted
}

// hasWebMCP asks a document whether its browser has WebMCP for pages. The API
// itself is in secure contexts only; this comes with it everywhere.
const hasWebMCP = "'agentInvoked' in SubmitEvent.prototype"

// learnWorld finds out, by the first page that answers, whether the browser has
// WebMCP, and gives all sessions the script that is needed then.
func (d *Driver) learnWorld(ctx context.Context, conn Transport, session string, id cdp.FrameID) {
	if d.scripting != nil {
		d.scriptWorld(ctx)
		return
	}
	const tries = 3 // the document may go before it has answered
	for range tries {
		d.mu.Lock()
		known := d.world.known
		d.mu.Unlock()
		if known {
			return
		}
		has, err := askWorld(ctx, conn, session, id)
		if err == nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.knowWorld(conn, has)
			return
		}
		if ctx.Err() != nil || !noContext(err) {
			d.log.Debug("browser not asked for WebMCP", "err", err)
			return // the next page tells
		}
	}
}

func askWorld(ctx context.Context, conn Transport, session string, id cdp.FrameID) (has bool, err error) {
	var w cdppage.CreateIsolatedWorldResult
	if err := conn.Send(ctx, session, cdppage.CommandCreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: id, WorldName: worldName}, &w); err != nil {
		return false, err
	}
	var reply evaluation
	err = conn.Send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: hasWebMCP, ContextID: w.ExecutionContextID, ReturnByValue: new(true)}, &reply)
	switch {
	case err != nil:
		return false, err
	case reply.Exception != nil:
		return false, reply.Exception.error()
	}
	return has, json.Unmarshal(reply.Result.Value, &has)
}

// knowWorld notes whether the browser has WebMCP. d.mu is held.
func (d *Driver) knowWorld(conn Transport, has bool) {
	if d.world.known {
		return
	}
	d.world.known, d.world.lacks = true, !has
	for _, s := range d.sessions {
		if s.worker == "" && s.part == nil {
			d.addScript(conn, s)
		}
	}
}

// addScript gives the documents of a session the script of their own world, the
// present ones too. d.mu is held.
func (d *Driver) addScript(conn Transport, s *session) {
	if s.scripted || !d.scripted() {
		return
	}
	s.scripted = true
	source, err := pageagent.ModelContext(pageagent.ModelContextOptions{Key: d.world.key, Polyfill: d.world.lacks, Hints: true})
	if err != nil {
		d.log.Warn("no script for page tools", "err", err)
		return
	}
	conn.Post(s.id, cdppage.CommandAddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: source, RunImmediately: new(true)})
}

// scripted tells that documents have the script in their own world. d.mu is held.
func (d *Driver) scripted() bool {
	return d.scripting != nil || d.world.known && (d.world.lacks || d.o.PageHints)
}

// followAll follows the tools of all documents of a tab, where events of the
// browser do not tell all of them. d.mu is held.
func (d *Driver) followAll(t *tab) {
	if d.scripted() {
		t.walk(d.follow)
	}
}

// follow has the agent of a document tell its tools and their changes, as far
// as the browser does not. d.mu is held.
func (d *Driver) follow(f *frame) {
	if f.tools.followed || f.loader == "" || f.missing() != "" || d.conn == nil {
		return
	}
	f.tools.followed = true
	t, a, conn := f.tab, d.agentOf(f), d.conn
	told := make(chan struct{})
	d.ask(t, askMost, func(ctx context.Context) {
		select {
		case <-told:
		case <-ctx.Done():
		}
	})
	d.spawn(func(ctx context.Context) {
		first := sync.OnceFunc(func() { close(told) })
		defer first()
		waiting, stop := d.beginSteady(ctx, t, f)
		defer stop()
		err := d.hearTools(waiting, conn, f, a, first)
		d.mu.Lock()
		defer d.mu.Unlock()
		if f.agent == a { // else the next document is followed
			f.tools.followed = false
		}
		d.log.Debug("page tools not followed any more", "tab", t.id, "err", err)
	})
}

// hearTools takes over the tools of a document whenever they change, until ctx
// ends or the document goes. heard is called each time that they are known.
func (d *Driver) hearTools(ctx context.Context, conn Transport, f *frame, a *agent, heard func()) error {
	select {
	case <-a.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if a.err != nil {
		return a.err
	}
	for {
		seq, err := d.hearOnce(ctx, conn, f, a)
		if err != nil {
			return err
		}
		heard()
		if err := askAgent(ctx, a, "toolsChanged", pageagent.ToolsChangedArgs{Key: d.world.key, Seq: seq}, nil); err != nil {
			return err
		}
		if err := pause(ctx, toolPace); err != nil {
			return err
		}
	}
}

// hearOnce takes over the tools that a document has now; seq is their state.
func (d *Driver) hearOnce(ctx context.Context, conn Transport, f *frame, a *agent) (seq int, err error) {
	if d.scripting != nil {
		if err := d.beginHearing(ctx, f); err != nil {
			return 0, err
		}
		defer d.endHearing(f.tab)
	}
	var list pageagent.ToolsReply
	if err := askAgent(ctx, a, "tools", pageagent.ToolsArgs{Key: d.world.key, Browser: d.scripting != nil}, &list); err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.agent == a {
		d.takeTools(f, &list)
		d.tellTools(f.tab)
	}
	return list.Seq, nil
}

// beginHearing waits until no document of f's tab is about to be left: a
// Chromium may end, as a whole, over one that goes while a script gets the tools
// that its own WebMCP has.
func (d *Driver) beginHearing(ctx context.Context, f *frame) error {
	t := f.tab
	d.mu.Lock()
	w := d.watch(t)
	d.mu.Unlock()
	defer w.Close()
	brief, cancel := context.WithTimeout(ctx, stillMost)
	defer cancel()
	err := until(brief, w, func(pageagent.Activity) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return t.leaving == 0 && t.nav.pending == "" && f.pending == ""
	})
	if err != nil && ctx.Err() != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t.hearing++
	return nil
}

// stillMost is how long is waited for a page that is about to be left, and may
// stay all the same.
const stillMost = time.Second

func (d *Driver) endHearing(t *tab) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.hearing--
	t.stir()
}

// hearingMost is how long what is heard of tools may hold up a navigation.
const hearingMost = 300 * time.Millisecond

// leave keeps a tab's documents from being asked for their tools until done is
// called, and waits for those that are asked now.
func (d *Driver) leave(ctx context.Context, t *tab, w *watch) (done func()) {
	if d.scripting == nil {
		return func() {}
	}
	d.mu.Lock()
	t.leaving++
	d.mu.Unlock()
	brief, cancel := context.WithTimeout(ctx, hearingMost)
	defer cancel()
	_ = until(brief, w, func(pageagent.Activity) bool { // one that hangs is left all the same
		d.mu.Lock()
		defer d.mu.Unlock()
		return t.hearing == 0
	})
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		t.leaving--
		t.stir()
	}
}

// rehear asks the documents of a tab for their tools where no event of the
// browser tells of them: who follows them lets some time go by between their
// changes. d.mu is held.
func (d *Driver) rehear(t *tab) {
	conn := d.conn
	t.walk(func(f *frame) {
		a := f.agent
		if !d.world.lacks && !f.tools.own || !f.tools.followed || a == nil || unfinished(a.done) || a.err != nil || t.silent[f.session] != nil {
			return
		}
		d.ask(t, askMost, func(ctx context.Context) {
			if _, err := d.hearOnce(ctx, conn, f, a); err != nil {
				d.log.Debug("document not asked for its tools", "tab", t.id, "url", f.url, "err", err)
			}
		})
	})
}

// hearAfter waits for what a call of a page tool changed in what its page offers.
func (d *Driver) hearAfter(ctx context.Context, t *tab) {
	d.mu.Lock()
	if d.obstacle(t) == nil {
		d.rehear(t)
	}
	lacks := d.world.lacks
	d.mu.Unlock()
	if lacks {
		_ = d.awaitTools(ctx, t) // the call has its answer in any case
	}
}

// askAgent asks the agent of a document beside all ops, and waits for what it
// promises.
func askAgent(ctx context.Context, a *agent, op string, args, out any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := a.ask(ctx, op, 1, text, true)
	if err != nil {
		return err
	}
	return pageagent.Decode(answer, out)
}
