package broker

import (
	"slices"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

// originOf returns the origin of what a tab shows.
func originOf(t *browser.Tab) browser.Origin {
	if len(t.Frames) > 0 && t.Frames[0].Origin != "" {
		return t.Frames[0].Origin
	}
	return browser.OriginOf(t.URL)
}

// question is what the rules are asked about a place, but for the origin.
func (s *Session) question(a policy.Action, p *place) policy.Request {
	q := policy.Request{
		Client: s.client.Name, ReadOnly: s.client.ReadOnly, Action: a, Folder: s.folder, Now: s.b.o.Now(),
		Browser: p.info.Name, Launched: p.info.Launched,
	}
	if p.ID != "" {
		q.Tab, q.From = string(p.ID), originOf(&p.Tab)
	}
	return q
}

// ask returns nil when the rules allow q.
func (s *Session) ask(q policy.Request) *refusal {
	d := s.b.o.Policy().Decide(q)
	if d.Verdict == policy.Allow {
		return nil
	}
	return &refusal{q, d}
}

// refusal is what the rules do not allow.
type refusal struct {
	asked policy.Request
	policy.Decision
}

// err tells a client of it, and how its user could change it.
func (r *refusal) err() error {
	what := string(r.asked.Action)
	switch r.asked.Origin {
	case "":
	case browser.OpaqueOrigin:
		what += " on a page without an origin"
	default:
		what += " on " + string(r.asked.Origin)
	}
	e := &browser.Error{Code: browser.CodeDenied}
	if r.Verdict == policy.Ask {
		e.Msg = what + " needs the user's consent (" + r.Rule + ")"
		e.Hint = "the user can give it with " + r.asked.AllowFlag() + ", or in the rules file: " + r.asked.AllowRule()
	} else {
		e.Msg = what + " is denied (" + r.Rule + ")"
		e.Hint = "do not look for a way around it; the user can change the rule"
	}
	if r.Reason != "" {
		e.Msg += ": " + r.Reason
	}
	return e
}

// origins are those that a call acts on: where it leads to, else the document
// of its page tool, else the frames of its refs, else the tab's document. A frame that is not known here is left to
// the driver, which refuses what Target.Origins does not hold.
func (c *call) origins(t *browser.Tab) []browser.Origin {
	if c.bound.Destination != "" {
		return []browser.Origin{browser.OriginOf(c.bound.Destination)}
	}
	if c.pageTool.Name != "" {
		return []browser.Origin{c.pageTool.Origin}
	}
	var out []browser.Origin
	for _, r := range c.bound.Refs {
		o := originOf(t)
		if r.Frame != "" {
			if i := slices.IndexFunc(t.Frames, func(f browser.Frame) bool { return f.ID == r.Frame }); i >= 0 {
				o = t.Frames[i].Origin
			}
		}
		if !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	if out == nil && t.ID != "" {
		out = append(out, originOf(t))
	}
	return out
}

// decide asks the rules whether the call may run at p, as it is now.
func (c *call) decide(p *place) *refusal {
	if r := c.decideFiles(p); r != nil {
		return r
	}
	q := c.ownQuestion(p)
	origins := c.origins(&p.Tab)
	if len(origins) == 0 {
		return c.s.ask(q)
	}
	for _, o := range origins {
		q.Origin = o
		if r := c.s.ask(q); r != nil {
			return r
		}
	}
	return nil
}

// ownQuestion is what the rules are asked about the call itself, but for the
// origin.
func (c *call) ownQuestion(p *place) policy.Request {
	q := c.s.question(c.ownAction(), p)
	q.Subject = c.bound.Subject
	if c.pageTool.Name != "" {
		q.Subject, q.Grave = c.pageTool.Name, c.pageTool.Hints.Grave()
	}
	return q
}

// ownAction is what the call does to pages, its files aside: one that only
// makes a file of a page reads it.
func (c *call) ownAction() policy.Action {
	if c.spec.Action == policy.Files && len(c.paths) > 0 {
		return policy.Read
	}
	return c.spec.Action
}

// decideFiles asks the rules about the files of the call.
func (c *call) decideFiles(p *place) *refusal {
	q := c.s.question(policy.Files, p)
	if p.ID != "" {
		q.Origin = originOf(&p.Tab)
	}
	for _, path := range c.paths {
		q.Subject = path
		if r := c.s.ask(q); r != nil {
			return r
		}
	}
	return nil
}

// permitted is where the call may run op. Where a call to navigate leads to is
// decided already; what it reads there is for the rules of reading, as is what
// a page offers, whoever may call it.
func (c *call) permitted(p *place, op browser.Op) browser.OriginSet {
	q := c.ownQuestion(p)
	if _, lists := op.(browser.PageTools); lists || q.Action == policy.Navigate {
		q.Action = policy.Read
	}
	return c.s.permits(q)
}

// permits is where the rules allow q, whose origin is not looked at.
func (s *Session) permits(q policy.Request) browser.OriginSet {
	return browser.Origins(func(o browser.Origin) bool {
		q := q
		q.Origin = o
		return s.ask(q) == nil
	})
}

// mayRead returns why the session may not read what is at p, or nil.
func (s *Session) mayRead(p *place) *refusal {
	q := s.question(policy.Read, p)
	q.Origin = originOf(&p.Tab)
	return s.ask(q)
}

// masked is the tab without its page's words when the session may not read it.
func (s *Session) masked(p *place) browser.Tab {
	if s.mayRead(p) == nil {
		return p.Tab
	}
	return hidden(p.Tab)
}

// hidden leaves of a tab only where it is.
func hidden(t browser.Tab) browser.Tab {
	t.Title, t.URL, t.Dialog, t.Frames = "", string(originOf(&t)), nil, nil
	return t
}
