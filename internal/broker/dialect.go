package broker

import (
	"context"
	"encoding/json"
	"errors"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// toolNamed returns the tool of that name, also one of the session's dialect.
func (s *Session) toolNamed(name string) *tool.Tool {
	if t := s.byName[name]; t != nil || s.client.Dialect == nil {
		return t
	}
	t := s.client.Dialect.Other(name)
	return &t
}

// speak finds the native call that a call in a dialect stands for.
func (c *call) speak(o *tool.Older, args json.RawMessage) (*tool.Tool, json.RawMessage, error) {
	c.older = o
	u, err := o.In(c, args)
	if err != nil {
		return nil, nil, err
	}
	c.use = u
	if u.Done != nil {
		return nil, nil, nil
	}
	raw, err := json.Marshal(u.Args)
	return &u.Tool, raw, err
}

// spoken answers in the dialect what the call came to, and tells the dialect.
// A call that In refused has its answer already.
func (c *call) spoken(r Request, ended tool.OlderCall, out Outcome, err error) (Outcome, error) {
	var fault *browser.Error
	if errors.As(err, &fault) { // which it always is
		ended.Fault = fault.Msg
	}
	var answer *tool.Reply
	switch {
	case c.use.Done != nil:
		answer = c.use.Done
	case c.use.Tool.Spec.Name != "":
		r := c.older.Reply(c, c.use, c.output, fault)
		answer = &r
	}
	if answer != nil {
		out, err = Outcome{Text: answer.Text, Images: answer.Images, Structured: answer.Structured, Declined: answer.Declined}, nil
		ended.Fault = ""
		if answer.Failed || answer.Declined {
			code := browser.CodeInvalidArguments
			if c.use.Done == nil {
				code = browser.CodePageError
			}
			if fault != nil {
				code = fault.Code
			}
			ended.Fault = answer.Text
			c.fault = &browser.Error{Code: code, Msg: answer.Text}
		}
		if answer.Failed {
			out, err = Outcome{}, c.fault
		}
	}
	ended.Name, ended.Args = r.Name, json.RawMessage(tool.Struck(string(r.Args), c.bound.Masked))
	ended.Fault = tool.Struck(ended.Fault, c.bound.Masked)
	c.s.client.Dialect.Called(ended)
	return out, err
}

// around runs the call as the dialect wants it.
func (c *call) around(ctx context.Context, t *tool.Tool) (tool.Output, error) {
	own := tool.NewCall(c, t.Spec, c.tab)
	if c.use.Around == nil {
		return c.bound.Run(ctx, own)
	}
	return c.use.Around(ctx, own.Looking(), func(ctx context.Context) (tool.Output, error) { return c.bound.Run(ctx, own) })
}

// replyOlder keeps the answer for the dialect to write, unless the page is now
// where the session may not read.
func (c *call) replyOlder(out tool.Output) (Outcome, error) {
	if p, open := c.s.b.find(c.about); open {
		if r := c.mayShow(&p); r != nil && c.withheld(&p) {
			return Outcome{}, r.err()
		}
	}
	c.output = out
	return Outcome{}, nil
}

// moveOn makes another tab current when there is none, for a session that was
// promised that: the first that is no other session's; b.mu is held.
func (s *Session) moveOn() {
	if s.client.Dialect == nil || s.current != "" {
		return
	}
	for _, t := range s.b.sorted() {
		if by := s.b.openedBy(t); by == nil || by == s {
			s.current, s.lostTab = t.ID, ""
			return
		}
	}
}

// openedBy returns the session that opened a tab, or the one whose page did; nil:
// none that is there. b.mu is held.
func (b *Broker) openedBy(t *tab) *Session {
	for range b.tabs { // a browser may say that tabs opened each other
		opener := b.tabs[t.Opener]
		if t.owner != nil || opener == nil {
			break
		}
		t = opener
	}
	return t.owner
}

// own makes a tab one that s opened. Those to whom it seemed to be one of the
// others until now move on; b.mu is held.
func (b *Broker) own(t *tab, s *Session, keep bool) {
	t.owner, t.keep = s, keep
	for other := range b.sessions {
		if other != s && other.client.Dialect != nil && other.current == t.ID {
			other.current = ""
			other.moveOn()
		}
	}
}
