package cdp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drawbridge/internal/browser"
)

// finish makes the answer of what has come.
func (c *pageCall) finish(within context.Context, s *callState) (*browser.PageToolAnswer, error) {
	out := &browser.PageToolAnswer{Notes: c.notes, Opened: s.act.Opened}
	out.Navigated = c.navigated(within, s)
	switch {
	case s.value == nil && s.left && !s.crossed && (s.landed == nil || !s.landed.completed()):
		return nil, c.leftError(s)
	case s.value != nil && !s.value.completed():
		e := c.failure(within, s.value)
		if out.Navigated != nil {
			e.Msg += "; the page went to " + brief(out.Navigated.URL)
		}
		return nil, e
	case s.value != nil:
		plain, size := valueOfTool(s.value.output, c.most)
		size = max(size, s.value.length)
		if out.JSON = plain; size > c.most { // the tool has run: what it said is not thrown away
			out.JSON, out.Cut = beginning(s.value.output, c.most), size
		}
	}
	if s.going {
		out.Notes = append(out.Notes, "the page is on its way to "+brief(c.going()))
	}
	if s.crossed && s.value == nil {
		out.Notes = append(out.Notes, "the tool led to another origin, from which the browser takes no answer")
	}
	if s.landed != nil && s.landed.completed() && string(s.landed.output) != "[]" {
		plain, size := plainJSON(s.landed.output, c.most)
		if size > c.most {
			out.Notes = append(out.Notes, fmt.Sprintf("what the page there says of itself has %d bytes, and was left out", size))
		}
		out.Landed = plain
	}
	return out, nil
}

// navigated is where the call has led; nil when it stayed.
func (c *pageCall) navigated(within context.Context, s *callState) *browser.Navigation {
	if s.act.Committed {
		c.d.refreshTitle(within, c.t)
		now, _ := c.w.Activity()
		return &browser.Navigation{URL: now.URL, Title: now.Title, Doc: now.Doc, Status: now.Status, TimedOut: !now.Loaded}
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	switch {
	case s.left && !s.gone && c.f.parent != nil:
		return &browser.Navigation{URL: c.f.url, Doc: c.t.doc, InFrame: true, TimedOut: !s.settled}
	case s.act.SameDoc && c.f.parent == nil:
		return &browser.Navigation{URL: c.t.url, Title: c.t.title, Doc: c.t.doc, SameDoc: true}
	}
	return nil
}

func (c *pageCall) going() string {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if c.t.nav.pending != "" {
		return c.t.nav.going
	}
	return "another document"
}

// leftError says that the document went before the tool answered, by whomever.
func (c *pageCall) leftError(s *callState) error {
	e := &browser.Error{Code: browser.CodePageError, Hint: "read the page to see what it did before calling it again"}
	switch {
	case s.act.Committed && s.act.Failed != "":
		e.Msg = fmt.Sprintf("%s went to %s before %s answered, and that cannot be opened: %s", c.t.id, brief(s.act.URL), c.called(), netReason(s.act.Failed))
	case s.act.Committed:
		e.Msg = fmt.Sprintf("%s went to %s before %s answered", c.t.id, brief(s.act.URL), c.called())
	case s.gone:
		e.Msg = fmt.Sprintf("the frame %s was removed before its %s answered", c.op.Frame, c.called())
	default:
		e.Msg = fmt.Sprintf("the frame %s went elsewhere before its %s answered", c.op.Frame, c.called())
	}
	return e
}

// broken makes the answer of a call that something came in the way of.
func (c *pageCall) broken(ctx, within context.Context, cause error) (*browser.PageToolAnswer, error) {
	switch {
	case ctx.Err() != nil:
		c.d.mu.Lock()
		c.inv.cancel()
		c.d.mu.Unlock()
		c.d.halt(c.t, c.f)
		return nil, cancelled(ctx)
	case within.Err() != nil:
		return c.giveUp(ctx)
	case errors.Is(cause, errDialog):
		return c.heldUp(within)
	case errors.Is(cause, errCrashed):
		return nil, c.crashedError()
	case errors.Is(cause, ErrDetached):
		return nil, c.lostError(c.detached(within, cause))
	}
	return nil, c.lostError(cause)
}

// detached is why the browser let go of the tab: the tab is likely to be closed,
// which is told a moment later.
func (c *pageCall) detached(ctx context.Context, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, cancelGrace)
	defer cancel()
	waiting, stop := c.d.beginAny(ctx, c.t, nil)
	defer stop()
	<-waiting.Done()
	if known := new(browser.Error); errors.As(context.Cause(waiting), &known) {
		return known
	}
	return cause
}

// heldUp leaves the call to go on when the dialog is answered.
func (c *pageCall) heldUp(within context.Context) (*browser.PageToolAnswer, error) {
	s := c.look(time.Now())
	if s.act.Dialog == nil {
		return nil, c.d.pageError(c.t, errDialog)
	}
	if s.value != nil {
		out, err := c.finish(within, s)
		if err == nil {
			out.Dialog = s.act.Dialog
		}
		return out, err
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.leaveBe()
	return &browser.PageToolAnswer{Dialog: s.act.Dialog, Opened: s.act.Opened, Notes: c.notes}, nil
}

// filled leaves the form to a person.
func (c *pageCall) filled() *browser.PageToolAnswer {
	a, _ := c.w.Activity()
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if !c.inv.left() {
		if c.f.calls.waiting == nil {
			c.f.calls.waiting = make(map[string]*invocation)
		}
		c.f.calls.waiting[c.op.Name] = c.inv
	}
	c.leaveBe()
	return &browser.PageToolAnswer{Waiting: true, Opened: a.Opened, Notes: c.notes}
}

// giveUp ends a call whose time is up: the page is told, and what keeps it from
// hearing of that is stopped.
func (c *pageCall) giveUp(ctx context.Context) (*browser.PageToolAnswer, error) {
	c.d.mu.Lock()
	c.inv.cancel()
	c.d.mu.Unlock()
	s := c.lastWord(ctx)
	switch {
	case s.value != nil && s.value.completed():
		return c.finish(ctx, s)
	case s.doubted != nil:
		s.value = s.doubted
		c.notes = append(c.notes, "the tool may not have ended: this may be what a frame that it loaded says of itself")
		return c.finish(ctx, s)
	case s.value != nil:
		return nil, c.lateError("it was told to stop", c.limit)
	}
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if c.d.answers(ctx, c.inv.session, probeLimit) {
		return nil, c.lateError("it was told to stop, and does not say whether it has", c.limit)
	}
	if c.d.hangs(ctx) {
		return nil, c.d.hangError(browser.Destroys)
	}
	if err := c.d.stopScripts(ctx, c.inv.session); err != nil {
		return nil, c.lostError(c.d.pageError(c.t, err))
	}
	c.lastWord(ctx)
	if c.d.answers(ctx, c.inv.session, probeLimit) {
		return nil, c.lateError("a script of its page ran without end, and was stopped", c.limit)
	}
	c.d.fallSilent(c.t, c.inv.session)
	return nil, c.lateError("its page does not answer any more, and could not be made to", c.limit)
}

// lastWord waits a moment for the tool to hear that it is to stop.
func (c *pageCall) lastWord(ctx context.Context) *callState {
	moment, cancel := context.WithTimeout(ctx, cancelGrace)
	defer cancel()
	waiting, stop := c.d.begin(moment, c.t, nil)
	defer stop()
	for {
		s := c.look(time.Now())
		if s.value != nil {
			return s
		}
		select {
		case <-c.inv.more:
		case <-waiting.Done():
			return s
		}
	}
}
