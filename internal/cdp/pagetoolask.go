package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

// asking is what is being asked of the documents of a tab, all at once.
type asking struct {
	left int           // that have not answered; Driver.mu guards it
	done chan struct{} // closed when all have, or have had their time
}

// Patience with documents that do not answer.
const (
	askMost     = 1500 * time.Millisecond
	askMainMost = 3 * time.Second // in the process of the main one, when somebody waits for the list
)

// ask has run done beside others; when the last one of them has ended, the page
// tools of the tab are known. d.mu is held.
func (d *Driver) ask(t *tab, limit time.Duration, run func(ctx context.Context)) {
	if d.conn == nil {
		return
	}
	a := t.asking
	if a == nil {
		a = &asking{done: make(chan struct{})}
		t.asking = a
	}
	a.left++
	d.spawn(func(ctx context.Context) {
		within, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		run(within)
		d.mu.Lock()
		defer d.mu.Unlock()
		if a.left--; a.left > 0 {
			d.tellTools(t)
			return
		}
		close(a.done)
		if t.asking == a { // else the browser let go of the tab
			t.asking = nil
			d.knowTools(t)
			d.tellTools(t)
		}
	})
}

// methodNotFound is the code of the browser's refusal of what it does not know.
const methodNotFound = -32601

// enableTools has a session tell again what the document at its root offers,
// and finds out whether the browser knows how. That one session does not, as
// of a page of the browser's own, says nothing once another does. d.mu is held.
func (d *Driver) enableTools(t *tab, session string) {
	if d.scripting != nil {
		return // agents tell
	}
	conn := d.conn
	d.ask(t, askMost, func(ctx context.Context) {
		err := conn.Send(ctx, session, commandEnableWebMCP, nil, nil)
		var refused *ProtocolError
		lacks := errors.As(err, &refused) && refused.Code == methodNotFound
		d.mu.Lock()
		defer d.mu.Unlock()
		if err == nil || lacks && !d.toolsTried {
			d.toolless, d.toolsTried = lacks, true
		}
	})
}

// question is what a document is being asked about its tools.
type question struct {
	news map[string]bool // tools that were told of since
	open int             // times that it was asked and has not answered
}

// askFrames asks documents for their tools. One that answers after the limit is
// heard all the same, while nobody waits for it any more. d.mu is held.
func (d *Driver) askFrames(frames []*frame, limit time.Duration) {
	if d.scripting != nil {
		return // their agents are followed
	}
	turns := make(chan struct{}, beginMost)
	for _, f := range frames {
		t, conn, session, agent := f.tab, d.conn, f.session, f.agent
		main := t.session
		q := f.tools.question
		if q == nil {
			q = &question{news: make(map[string]bool)}
			f.tools.question = q
		}
		q.open++
		script, brief := toolScript, false
		if s := d.sessions[session]; s != nil && s.frame == f.id && !d.toolless && f.tools.left == 0 {
			script, brief = titleScript, true // the browser tells the rest
		}
		answered := make(chan struct{})
		d.ask(t, limit, func(ctx context.Context) {
			select {
			case <-answered:
			case <-ctx.Done():
				if awaited(ctx.Err()) && session != main {
					d.fallSilent(t, session)
				}
			}
		})
		d.spawn(func(ctx context.Context) {
			defer close(answered)
			waiting, stop := d.beginSteady(ctx, t, f)
			defer stop()
			var said *documentTools
			err := error(nil)
			select {
			case turns <- struct{}{}:
				release := sync.OnceFunc(func() { <-turns })
				late := time.AfterFunc(limit, release) // it keeps no other one from being asked
				said, err = askDocument(waiting, conn, session, f.id, agent, script)
				late.Stop()
				release()
			case <-waiting.Done():
				err = context.Cause(waiting)
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if f.tools.question != q {
				return // it is gone
			}
			if q.open--; q.open == 0 {
				f.tools.question = nil
			}
			if err == nil {
				d.answeredTools(f, said, brief, q.news)
				d.tellTools(t)
			} else {
				d.log.Debug("document not asked for its tools", "tab", t.id, "url", f.url, "err", err)
			}
		})
	}
}

// documentTools is what a document answers to toolScript.
type documentTools struct {
	Origin string     `json:"origin"`
	Why    string     `json:"why"` // it offers none
	Tools  []wireTool `json:"tools"`
	Left   int        `json:"left"` // how many were too many
}

// askDocument asks the document that a frame shows.
func askDocument(ctx context.Context, conn Transport, session string, id cdp.FrameID, a *agent, script string) (*documentTools, error) {
	var world runtime.ExecutionContextID
	if a != nil && !unfinished(a.done) && a.err == nil {
		world = a.context
	} else {
		var w cdppage.CreateIsolatedWorldResult
		if err := conn.Send(ctx, session, cdppage.CommandCreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: id, WorldName: worldName}, &w); err != nil {
			return nil, err
		}
		world = w.ExecutionContextID
	}
	var reply evaluation
	if err := conn.Send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: script, ContextID: world,
		AwaitPromise: new(true), ReturnByValue: new(true)}, &reply); err != nil {
		return nil, err
	}
	if reply.Exception != nil {
		return nil, reply.Exception.error()
	}
	var text string
	said := new(documentTools)
	if err := json.Unmarshal(reply.Result.Value, &text); err != nil {
		return nil, err
	}
	return said, json.Unmarshal([]byte(text), said)
}

// answeredTools takes over what a document answered; brief are titles only. What
// events told since it was asked is newer. d.mu is held.
func (d *Driver) answeredTools(f *frame, said *documentTools, brief bool, news map[string]bool) {
	o := &f.tools
	if !d.world.lacks { // else the document's agent tells why
		o.why = said.reason(f)
	}
	if origin := browser.OriginOf(said.Origin); origin != f.origin && f.agent == nil {
		f.setOrigin(origin)
		d.changed(f.tab)
	}
	if said.Why != "" {
		return
	}
	o.stale = len(news) > 0
	has := make(map[string]bool, len(said.Tools))
	for i := range said.Tools {
		w := &said.Tools[i]
		has[w.Name] = true
		was := o.by[ofBrowser][w.Name]
		switch {
		case news[w.Name] && (was == nil || was.Title == w.Title):
		case was == nil && !brief:
			f.putTool(w.tool())
		case was == nil:
		case was.Title != w.Title:
			titled := *was
			titled.Title = strings.Clone(w.Title)
			f.putTool(&titled)
		}
	}
	for name := range o.by[ofBrowser] {
		if !has[name] && !news[name] && said.Left == 0 {
			f.dropTool(ofBrowser, name)
		}
	}
	o.left = said.Left
}

// reason is why a document offers no tools. An empty tab is in no state to be
// called insecure.
func (s *documentTools) reason(f *frame) browser.PageToolWhy {
	switch {
	case s.Why == "insecure" && f.parent == nil && f.url == blank:
		return browser.NoPageToolsYet
	case s.Why == "insecure":
		return browser.NoPageToolsInsecure
	case s.Why == "NotAllowedError":
		return browser.NoPageToolsPolicy
	case s.Why == "SecurityError":
		return browser.NoPageToolsDomain
	case s.Why != "":
		return browser.NoPageToolsAPI
	}
	return browser.NoPageToolsYet
}
