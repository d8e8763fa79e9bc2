package broker

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"slices"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

// pageTools are the page tools of a tab; the Broker's mutex guards them.
type pageTools struct {
	known   bool
	version uint64 // of all; another one after each change
	all     map[browser.PageToolKey]*offer
	// left are those that went away lately, for they may come back at once.
	left  map[browser.PageToolKey]parting
	swept time.Time // when left was looked through
}

// offer is a page tool as it stands since a moment. It does not change.
type offer struct {
	browser.PageTool
	since time.Time
}

type parting struct {
	origin browser.Origin
	at     time.Time
}

// unsteady is how long a page tool counts as unsteady that came, changed or
// went: pages register theirs anew whenever they draw themselves.
const unsteady = 150 * time.Millisecond

// mostPageTools bounds what is kept of a tab.
const mostPageTools = 20_000

// change takes in an event.
func (p *pageTools) change(e browser.PageToolsChanged, now time.Time) {
	p.version++
	p.known = e.Known
	if !e.Known {
		p.all, p.left = nil, nil
		return
	}
	if p.all == nil {
		p.all = make(map[browser.PageToolKey]*offer, len(e.Added))
		p.left = map[browser.PageToolKey]parting{}
	}
	if now.Sub(p.swept) > unsteady {
		p.swept = now
		maps.DeleteFunc(p.left, func(_ browser.PageToolKey, was parting) bool { return now.Sub(was.at) >= unsteady })
	}
	var back map[browser.PageToolKey]*offer // removed, and perhaps added again
	for _, k := range e.Removed {
		old := p.all[k]
		if old == nil {
			continue
		}
		delete(p.all, k)
		if len(e.Added) > 0 {
			if back == nil {
				back = map[browser.PageToolKey]*offer{}
			}
			back[k] = old
		}
		if len(p.left) < mostPageTools {
			p.left[k] = parting{old.Origin, now}
		}
	}
	for _, t := range e.Added {
		k := t.Key()
		old := p.all[k]
		if old == nil {
			if old = back[k]; old != nil {
				delete(p.left, k)
			}
		}
		switch {
		case old != nil && same(&old.PageTool, &t):
			p.all[k] = old
		case old != nil || len(p.all) < mostPageTools:
			p.all[k] = &offer{t, now}
		}
	}
}

// same tells whether two page tools say the same.
func same(x, y *browser.PageTool) bool {
	return x.Name == y.Name && x.Title == y.Title && x.Description == y.Description && x.Kind == y.Kind && x.Frame == y.Frame &&
		x.Origin == y.Origin && bytes.Equal(x.Schema, y.Schema) && reflect.DeepEqual(x.Hints, y.Hints)
}

// byFrame puts offers in the order of frames, those of frames that are not
// known yet last, and then of names.
func byFrame(offers []*offer, frames []browser.Frame) []*offer {
	order := make(map[browser.FrameID]int, len(frames))
	for i, f := range frames {
		order[f.ID] = i - len(frames)
	}
	slices.SortFunc(offers, func(x, y *offer) int {
		if x.Frame == y.Frame {
			return cmp.Compare(x.Name, y.Name)
		}
		return cmp.Or(cmp.Compare(order[x.Frame], order[y.Frame]), cmp.Compare(x.Frame, y.Frame))
	})
	return offers
}

// offered returns the page tools of a tab that the client may know of, in no
// order; false where they are not followed, or the client may not read the
// tab. The rules are p; b.mu is held.
func (s *Session) offered(t *tab, p *policy.Policy) ([]*offer, bool) {
	if !t.tools.known {
		return nil, false
	}
	at := placeOf(t)
	q := s.question(policy.Read, &at)
	may := map[browser.Origin]bool{}
	readable := func(o browser.Origin) bool {
		ok, asked := may[o]
		if !asked {
			q.Origin = o
			ok = p.Decide(q).Verdict == policy.Allow
			may[o] = ok
		}
		return ok
	}
	if !readable(originOf(&t.Tab)) {
		return nil, false
	}
	out := make([]*offer, 0, len(t.tools.all))
	for _, x := range t.tools.all {
		if (!s.client.PageTools.NoForms || !x.Kind.Form()) && readable(x.Origin) {
			out = append(out, x)
		}
	}
	return out, true
}

// StrictSchemas tells what the client wants of arguments.
func (c *call) StrictSchemas() bool { return c.s.client.PageTools.Strict }

// PageTool is the page tool that the call is for.
func (c *call) PageTool() browser.PageTool { return c.pageTool }
