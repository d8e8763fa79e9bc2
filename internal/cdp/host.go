package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

var _ pageagent.Host = (*Driver)(nil)

// silentFrame is why a frame that does not answer is left out.
const silentFrame = "it does not answer"

const callAgent = "function(o,n,a){return this.call(o,n,a)}"

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
	if d.scripting != nil {
		if err := d.scripting.Refresh(waiting, d.sessionOf(t)); err != nil {
			return nil, d.pageError(t, cmp.Or(context.Cause(waiting), err))
		}
	}
	patience := time.NewTimer(setUpMost)
	defer patience.Stop()
	late := false
	for {
		if err := context.Cause(waiting); err != nil {
			return nil, d.pageError(t, err)
		}
		d.mu.Lock()
		pending := d.ready(t)
		if pending == nil || late && t.root.agent != nil && !unfinished(t.root.agent.done) {
			defer d.mu.Unlock()
			return d.readyList(t)
		}
		d.mu.Unlock()
		select {
		case <-pending:
		case <-waiting.Done():
			d.doubt(t, context.Cause(waiting))
		case <-patience.C:
			d.doubtFrames(t)
			late = true
			patience.Reset(setUpMost)
		}
	}
}

// doubt notes that a wait for the page of a tab ended with err.
func (d *Driver) doubt(t *tab, err error) {
	if awaited(err) {
		d.fallSilent(t, t.session)
	}
}

// doubtFrames notes that the frames of other processes which are not ready yet
// do not answer.
func (d *Driver) doubtFrames(t *tab) {
	late := make(map[string]bool)
	d.mu.Lock()
	for _, f := range t.frames {
		if f.agent != nil && unfinished(f.agent.done) {
			late[f.agent.session] = true
		}
		if f.bound != nil && unfinished(f.bound.done) {
			late[f.bound.parent.session] = true
		}
	}
	delete(late, t.session)
	d.mu.Unlock()
	for session := range late {
		d.fallSilent(t, session)
	}
}

// beginMost is how many frames are made ready at once: a page with very many
// is kept from answering no longer than that takes.
const beginMost = 32

// ready starts what is missing for the frames of a tab to be read, and for
// those that cannot be read to be told of in their places. It returns a channel
// to wait for, or nil when nothing is missing. d.mu is held.
func (d *Driver) ready(t *tab) (pending <-chan struct{}) {
	begun := 0
	var walk func(f *frame)
	walk = func(f *frame) {
		if begun == beginMost || f != t.root && t.silent[f.session] != nil {
			return
		}
		var steps []<-chan struct{}
		readable := f.missing() == ""
		if readable {
			steps = append(steps, d.agentOf(f).done)
		}
		if f.parent != nil {
			steps = append(steps, d.bindingOf(f).done)
		}
		if i := slices.IndexFunc(steps, unfinished); i >= 0 {
			begun++
			if pending == nil {
				pending = steps[i]
			}
		}
		if !readable {
			return
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
		if f == nil {
			continue
		}
		switch {
		case list[i].Missing != "":
			if f.bound != nil && !unfinished(f.bound.done) && f.bound.err != nil {
				f.bound = nil
			}
		case f != t.root && t.silent[f.session] != nil:
			list[i].Missing = silentFrame
		case f.agent == nil || unfinished(f.agent.done) || f.parent != nil && (f.bound == nil || unfinished(f.bound.done)):
			list[i].Missing = "there was no time yet to look into it"
		case f.agent.err != nil && d.over(f.agent.err):
			return nil, f.agent.err
		case f.agent.err != nil:
			list[i].Missing = "its page agent could not be set up"
			d.log.Debug("no page agent", "tab", t.id, "frame", list[i].ID, "url", f.url, "err", f.agent.err)
			f.agent, f.bound = nil, nil
		case f.bound != nil && f.bound.err != nil:
			list[i].Missing = "its element was not found in the page around it"
			d.log.Debug("frame not bound", "tab", t.id, "frame", list[i].ID, "url", f.url, "err", f.bound.err)
			f.bound = nil
		case f.agent.blank && f.empty() != "":
			list[i].Missing = f.empty()
			f.agent = nil // something may be written there yet
		default:
			f.agent.listed = true
		}
		if i == 0 && list[0].Missing != "" {
			return nil, &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the page in %s cannot be read: %s", t.id, list[0].Missing), Hint: "try again, or navigate"}
		}
	}
	return list, nil
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
	need := sightOf(calls)
	if d.scripting != nil {
		need = blind // whoever scripts documents sees into closed shadow roots
	}
	d.mu.Lock()
	if need == again && t.unsearched() {
		need = before
	}
	d.mu.Unlock()
	if need == blind {
		return d.callFrames(ctx, t, calls, nil)
	}
	waiting, stop := d.begin(ctx, t, nil)
	defer stop()
	if need == before {
		return d.callFrames(ctx, t, calls, sync.OnceFunc(func() { d.findRoots(waiting, t, calls, need) }))
	}
	var replies []pageagent.FrameReply
	called := make(chan struct{})
	go func() {
		defer close(called)
		replies, err = d.callFrames(ctx, t, calls, nil)
	}()
	// Asked for first, so that its answer is there when the calls' are.
	more := d.findRoots(waiting, t, calls, need)
	if <-called; more && err == nil {
		return d.callFrames(ctx, t, calls, nil)
	}
	return replies, err
}

// callFrames makes calls, all at once; prepare, unless it is nil, is called
// before those that depend on closed shadow roots.
func (d *Driver) callFrames(ctx context.Context, t *tab, calls []pageagent.FrameCall, prepare func()) ([]pageagent.FrameReply, error) {
	replies := make([]pageagent.FrameReply, len(calls))
	whole := make([]error, len(calls))
	one := func(i int) {
		if prepare != nil && sightOf(calls[i:i+1]) != blind {
			prepare()
		}
		replies[i], whole[i] = d.callFrame(ctx, t, calls[i])
	}
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
	case "snapshot", "text", "find", "elements", "stamp", "check", "boxes", "describe", "archive":
		return true
	}
	return false
}

// late tells whether an op is answered when something happens.
func late(op string) bool { return op == "changed" || op == "hear" }

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
		case errors.Is(err, errFrameSilent):
			return pageagent.FrameReply{Err: &browser.Error{Code: browser.CodeTimeout, Msg: "the frame " + string(c.Frame) + " does not answer",
				Hint: "a script of it may run without end; the rest of the page can be used"}}, nil
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
	if f == nil || f.missing() != "" || (f.agent == nil || !f.agent.listed) && !reads(c.Op) {
		d.mu.Unlock()
		return out, errNavigated
	}
	other := f.session != t.session
	if other && t.silent[f.session] != nil {
		d.mu.Unlock()
		return out, errFrameSilent
	}
	a := d.agentOf(f)
	d.mu.Unlock()
	waiting, stop := d.begin(ctx, t, f)
	defer stop()
	if other && !late(c.Op) { // which waits by design
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeoutCause(waiting, frameMost, errFrameSilent)
		defer cancel()
	}
	defer func() {
		if cause := context.Cause(waiting); awaited(cause) || errors.Is(cause, errFrameSilent) {
			d.fallSilent(t, a.session)
		}
	}()
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
	answer, err := a.ask(waiting, c.Op, c.First, args, late(c.Op))
	var failed *agentFailed
	switch {
	case errors.As(err, &failed):
		out.Err = &browser.Error{Code: browser.CodeInternal, Msg: "the page agent failed", Err: failed.error}
		return out, nil
	case err != nil:
		if noContext(err) || errors.Is(err, ErrGone) {
			d.forget(f, a)
		}
		return out, err
	}
	if err := json.Unmarshal(answer, &out.Reply); err != nil {
		out.Err = &browser.Error{Code: browser.CodeInternal, Msg: "the page agent answers what is not understood", Err: err}
		return out, nil
	}
	d.titled(f, a, out.Reply.Title)
	return out, nil
}

// titled takes over the title that the agent of a main document told.
func (d *Driver) titled(f *frame, a *agent, title string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := f.tab
	if f != t.root || f.agent != a {
		return
	}
	t.titles++
	t.titledDoc = t.doc
	if title != t.title {
		t.title = title
		d.changed(t)
	}
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
