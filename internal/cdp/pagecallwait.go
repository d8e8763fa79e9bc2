package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

const (
	cancelGrace    = 300 * time.Millisecond // for a tool that is told to stop
	landedGrace    = 300 * time.Millisecond // for what the browser says of a document that has loaded
	nothingGrace   = 500 * time.Millisecond // for a form whose submission brings no document
	parsedTogether = 50 * time.Millisecond  // between a frame's end of parsing and what the browser says of it
)

// callTimes are when a call came to where it stays for a time only; zero: it has not.
type callTimes struct {
	going   time.Time // it has its answer, and its document is about to be left
	left    time.Time // its document has gone
	settled time.Time // the document that came has loaded
	nothing time.Time // a form was submitted and brings no document
}

// callState is how far a call has come.
type callState struct {
	act     pageagent.Activity
	more    <-chan struct{}
	value   *toolAnswer   // the tool's own; nil: none yet
	landed  *toolAnswer   // of the document that came
	doubted *toolAnswer   // the tool's own, or what a frame says of itself
	wake    time.Duration // until there is something to decide; 0: never
	crossed bool          // a document of another origin came
	left    bool          // the document of the tool is gone
	gone    bool          // its frame is gone
	going   bool          // it is about to be left
	settled bool          // the document that came has loaded
	filled  bool          // the form waits for a person
	misled  bool          // see invocation
	hearing bool          // the document that came is being asked what it says of itself
	refusal error
}

// look sees how far the call has come.
func (c *pageCall) look(now time.Time) *callState {
	s := &callState{}
	s.act, s.more = c.w.Activity()
	d, inv, f, t := c.d, c.inv, c.f, c.t
	d.mu.Lock()
	defer d.mu.Unlock()
	s.refusal, s.misled, s.filled, s.hearing = inv.refusal, inv.misled, inv.activated, inv.hearing
	if inv.kind != "" {
		c.kind = inv.kind
	}
	s.left, s.gone = inv.left(), t.frames[f.id] != f
	s.going, s.settled = t.nav.pending != "", t.nav.pending == "" && t.nav.loaded
	if f.parent != nil && !s.gone {
		s.going = s.going || f.pending != ""
		s.settled = s.settled && !f.loading && f.pending == ""
	}
	for _, a := range inv.answers {
		switch {
		case a.crossed():
			s.crossed = true
		case a.after && s.landed == nil:
			s.landed = a
		case a.after || s.value != nil:
		case c.ofFrame(a, now, s):
			s.doubted = a
		default:
			s.value = a
		}
	}
	return s
}

// ofFrame tells that an answer may be what the browser says of a frame that the
// tool has loaded, and not the tool's own, which comes later then. d.mu is held.
func (c *pageCall) ofFrame(a *toolAnswer, now time.Time, s *callState) bool {
	if c.kind.Form() || len(c.f.children) == 0 || !a.completed() || !describes(a.output) {
		return false
	}
	found := false
	var walk func(f *frame)
	walk = func(f *frame) {
		for _, child := range f.children {
			parsed := child.calls.parsed
			switch {
			case parsed.IsZero() && child.loading && now.Sub(a.at) < parsedTogether:
				found = true
				s.wakeIn(parsedTogether - now.Sub(a.at))
			case !parsed.IsZero() && parsed.Sub(a.at).Abs() < parsedTogether:
				found = true
			}
			walk(child)
		}
	}
	walk(c.f)
	return found
}

// describes tells that a value may be what the browser collects from a
// document: an array of JSON-LD objects.
func describes(output json.RawMessage) bool {
	if len(output) == 0 || output[0] != '[' {
		return false
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(output, &list) != nil {
		return false
	}
	for _, o := range list {
		if o["@type"] == nil && o["@context"] == nil && o["@graph"] == nil && o["@id"] == nil {
			return false
		}
	}
	return true
}

func (s *callState) wakeIn(d time.Duration) {
	if d = max(d, time.Millisecond); s.wake == 0 || d < s.wake {
		s.wake = d
	}
}

// await waits for the end of the call.
func (c *pageCall) await(ctx, within context.Context) (*browser.PageToolAnswer, error) {
	waiting, stop := c.d.begin(within, c.t, c.f)
	defer func() { stop() }()
	var wake *time.Timer
	for {
		now := time.Now()
		s := c.look(now)
		if why := viaPageInstead(s.refusal); why != "" && c.inv.input == nil {
			c.viaPage(within, why)
			continue
		}
		if out, err, over := c.over(within, s, now); over {
			return out, err
		}
		var woken <-chan time.Time
		if s.wake > 0 {
			wake = time.NewTimer(s.wake)
			woken = wake.C
		}
		select {
		case <-c.inv.more:
		case <-s.more:
		case <-woken:
		case <-waiting.Done():
			cause := context.Cause(waiting)
			if !errors.Is(cause, errNavigated) {
				return c.broken(ctx, within, cause)
			}
			stop()
			waiting, stop = c.d.begin(within, c.t, nil)
		}
		if wake != nil {
			wake.Stop()
		}
	}
}

// over tells whether the call has come to its end, and with what.
func (c *pageCall) over(within context.Context, s *callState, now time.Time) (out *browser.PageToolAnswer, err error, over bool) {
	switch {
	case s.refusal != nil:
		return nil, c.refusedError(s.refusal), true
	case s.misled:
		return nil, &browser.Error{Code: browser.CodeOriginChanged, Msg: fmt.Sprintf("a page of another origin came in place of the one that offers %s just as it was called, and offers that too; it was told to stop", c.called()),
			Hint: "read the page; list_page_tools shows what is offered now"}, true
	case s.left:
		over = c.hasLanded(s, now)
	case s.value != nil:
		over = !s.going || c.times.pass(&c.times.going, now, loadLimit, s)
	case s.filled && c.kind == browser.ToolOfForm:
		return c.filled(), nil, true
	default:
		over = c.cameToNothing(s, now)
	}
	if !over {
		return nil, nil, false
	}
	out, err = c.finish(within, s)
	return out, err, true
}

// hasLanded tells that nothing more is to be expected of the document that came
// in place of the tool's.
func (c *pageCall) hasLanded(s *callState, now time.Time) bool {
	switch {
	case s.gone && !s.act.Committed && !s.going:
		return c.f.parent != nil // else the tab goes, which ends the wait
	case c.times.pass(&c.times.left, now, loadLimit, s):
		return true
	case !s.settled:
		return false
	}
	return s.landed != nil || s.crossed || !s.hearing && c.times.pass(&c.times.settled, now, landedGrace, s)
}

// cameToNothing tells that a form was submitted, and that no document comes of
// it that would answer.
func (c *pageCall) cameToNothing(s *callState, now time.Time) bool {
	if c.kind != browser.ToolOfSelfForm {
		return false
	}
	c.went = c.went || s.going
	if s.going || !c.went && len(s.act.Opened) == 0 && len(s.act.Downloads) == 0 {
		c.times.nothing = time.Time{}
		return false
	}
	if !c.times.pass(&c.times.nothing, now, nothingGrace, s) {
		return false
	}
	c.notes = append(c.notes, "the form was submitted, and no document came of it here: it may have begun a download, opened another tab, or been answered with nothing")
	return true
}

// pass tells that something has been so for a time; s wakes when that is over.
func (*callTimes) pass(since *time.Time, now time.Time, limit time.Duration, s *callState) bool {
	if since.IsZero() {
		*since = now
	}
	rest := limit - now.Sub(*since)
	if rest > 0 {
		s.wakeIn(rest)
	}
	return rest <= 0
}
