package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// Closed shadow roots are hidden from scripts, so that agents have to be told
// of them. To look for them is dear, to see that there are none is not: the
// browser counts the nodes of a process's documents, in all their trees, and
// the agents count those that they know. Even that takes milliseconds on large
// pages, so that first the renderer's own counters are compared, which cost
// nothing: a new root is a new node.

// everything is a search that finds all elements, texts and comments.
const everything = ""

// rootSearch is what is known of the shadow roots of one session.
type rootSearch struct {
	turn    chan struct{}              // holds a token; whoever has it looks, and uses what follows
	counted bool                       // what follows is known
	there   int                        // nodes, when they were last counted
	meters  meters                     // of the renderer, just before that; zero: not known
	excess  int                        // of nodes beyond those that the agents know, in no closed root
	known   map[cdp.BackendNodeID]bool // closed roots that an agent was told of
}

func newRootSearch() rootSearch {
	return rootSearch{turn: make(chan struct{}, 1), known: make(map[cdp.BackendNodeID]bool)}
}

// meters are a renderer's counts of what there is, also of what is garbage by
// now. That as much went as came between two looks, to the node, hides a new
// root from one look; the next one differs.
type meters = memory.GetDOMCountersResult

// shadowed is a session of a tab, and the agents in it.
type shadowed struct {
	session *session
	root    cdp.FrameID // its outermost frame
	tellers []*agent    // between them they count every document
	agents  map[cdp.FrameID]*agent
	fresh   bool // one of them is asked for the first time
}

// shadowed lists the sessions of a tab that have agents. d.mu is held.
func (t *tab) shadowed(sessions map[string]*session) []*shadowed {
	var out []*shadowed
	of := make(map[string]*shadowed)
	var walk func(f *frame)
	walk = func(f *frame) {
		a := f.agent
		if s := sessions[f.session]; s != nil && t.silent[f.session] == nil && a != nil && !unfinished(a.done) && a.err == nil {
			in := of[f.session]
			if in == nil {
				in = &shadowed{session: s, root: f.id, agents: make(map[cdp.FrameID]*agent)}
				of[f.session] = in
				out = append(out, in)
			}
			in.agents[f.id], in.fresh = a, in.fresh || !a.searched
			if up := in.agents[f.parentID()]; up == nil || up.origin != a.origin || a.origin == browser.OpaqueOrigin {
				in.tellers = append(in.tellers, a)
			}
		}
		for _, c := range f.children {
			walk(c)
		}
	}
	walk(t.root)
	return out
}

// searchMost is how long is looked for closed shadow roots in pages that do
// not answer.
const searchMost = 3 * time.Second

// findRoots tells the agents of the sessions that calls go to the closed shadow
// roots that they do not know, and whether there were any.
func (d *Driver) findRoots(ctx context.Context, t *tab, calls []pageagent.FrameCall, need sight) bool {
	ctx, cancel := context.WithTimeout(ctx, searchMost)
	defer cancel()
	d.mu.Lock()
	conn := d.conn
	if conn == nil || t.root == nil {
		d.mu.Unlock()
		return false
	}
	concerned := make(map[string]*session)
	for _, c := range calls {
		if f := t.find(c.Frame); f != nil && sightOf([]pageagent.FrameCall{c}) != blind {
			concerned[f.session] = d.sessions[f.session]
		}
	}
	in, main := t.shadowed(concerned), t.session
	d.mu.Unlock()
	found, done := make([]bool, len(in)), make([]bool, len(in))
	var all sync.WaitGroup
	for i, s := range in {
		all.Go(func() {
			ctx := ctx
			if other := s.session.id != main; other {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeoutCause(ctx, frameMost, errFrameSilent)
				defer cancel()
			}
			var err error
			found[i], err = s.find(ctx, conn, need)
			if done[i] = err == nil; !done[i] && !left(err) && ctx.Err() == nil {
				d.log.Debug("closed shadow roots not found", "tab", t.id, "err", err)
			}
			if err != nil && errors.Is(context.Cause(ctx), errFrameSilent) {
				d.fallSilent(t, s.session.id) // nobody waits for it again in this call
			}
		})
	}
	all.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, s := range in {
		for _, a := range s.agents {
			a.searched = a.searched || done[i]
		}
	}
	return slices.Contains(found, true)
}

// unsearched tells that closed roots were never looked for in some documents of
// a tab. d.mu is held.
func (t *tab) unsearched() bool {
	for _, f := range t.frames {
		if a := f.agent; a != nil && !a.searched && !unfinished(a.done) && a.err == nil && t.silent[f.session] == nil {
			return true
		}
	}
	return false
}

// sight is what a call needs to know of closed shadow roots.
type sight int

const (
	blind  sight = iota // nothing: it concerns what a reader was told of
	again               // it is made again when there were unknown ones
	before              // they are looked for first: it answers but once
)

// sightOf is the greatest need of the calls.
func sightOf(calls []pageagent.FrameCall) sight {
	most := blind
	for _, c := range calls {
		if r, ok := c.Args.(pageagent.RelayArgs); ok {
			for _, in := range r.Calls {
				most = max(most, sightOfOp(in.Op))
			}
		}
		most = max(most, sightOfOp(c.Op))
	}
	return most
}

func sightOfOp(op string) sight {
	switch op {
	case "snapshot", "text", "find", "elements", "check", "boxes":
		return again
	case "diff":
		return before
	}
	return blind
}

// fewNodes are counted as quickly as anything is asked.
const fewNodes = 2000

// find compares what there is with what is known, and looks only for what is
// missing.
func (s *shadowed) find(ctx context.Context, conn Transport, need sight) (found bool, err error) {
	search := &s.session.roots
	select {
	case search.turn <- struct{}{}:
		defer func() { <-search.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if !search.counted {
		conn.Post(s.session.id, dom.CommandEnable, nil)
	}
	fresh := s.fresh || !search.counted
	var now meters // none are asked for where a count is as quick, and somebody waits
	if fresh || need != before || search.there > fewNodes {
		if err := conn.Send(ctx, s.session.id, memory.CommandGetDOMCounters, nil, &now); err != nil {
			return false, err
		}
	}
	if !fresh {
		if now != (meters{}) && now == search.meters {
			return false, nil
		}
		there, err := s.count(ctx, conn)
		if err != nil {
			return false, err
		}
		if there == search.there {
			search.meters = now
			return false, nil
		}
	}
	for thorough := fresh; ; thorough = true {
		there, known, err := s.compare(ctx, conn, thorough)
		excess := there - known
		switch {
		case err != nil:
			return found, err
		case search.counted && excess == search.excess:
			search.there, search.meters = there, now
			return found, nil
		case !thorough:
			continue
		case excess > 0:
			more, err := s.open(ctx, conn)
			if err != nil {
				return found, err
			}
			if more {
				found = true
				continue
			}
		}
		search.counted, search.there, search.excess, search.meters = true, there, excess, now
		return found, nil
	}
}

// count returns how many nodes there are.
func (s *shadowed) count(ctx context.Context, conn Transport) (int, error) {
	var result struct {
		ID    string `json:"searchId"`
		Count int    `json:"resultCount"`
	}
	if err := conn.Send(ctx, s.session.id, dom.CommandPerformSearch, dom.PerformSearchParams{Query: everything}, &result); err != nil {
		return 0, err
	}
	conn.Post(s.session.id, dom.CommandDiscardSearchResults, dom.DiscardSearchResultsParams{SearchID: result.ID})
	return result.Count, nil
}

// compare counts what there is and what the agents know.
func (s *shadowed) compare(ctx context.Context, conn Transport, thorough bool) (there, known int, err error) {
	how, err := json.Marshal(thorough)
	if err != nil {
		return 0, 0, err
	}
	tallies := make([]evaluation, len(s.tellers))
	faults := make([]error, len(s.tellers)+1)
	var all sync.WaitGroup
	all.Go(func() { there, faults[len(s.tellers)] = s.count(ctx, conn) })
	for i, a := range s.tellers {
		all.Go(func() {
			faults[i] = conn.Send(ctx, a.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(t){return this.tally(t)}",
				ObjectID: a.object, Arguments: []*runtime.CallArgument{{Value: how}}, ReturnByValue: new(true)}, &tallies[i])
		})
	}
	all.Wait()
	if err := errors.Join(faults...); err != nil {
		return 0, 0, err
	}
	for _, t := range tallies {
		if t.Exception != nil {
			return 0, 0, t.Exception.error()
		}
		var n int
		if err := json.Unmarshal(t.Result.Value, &n); err != nil {
			return 0, 0, err
		}
		known += n
	}
	return there, known, nil
}

// open looks at every node of the session's documents, and tells the agents of
// the closed roots that they do not know.
func (s *shadowed) open(ctx context.Context, conn Transport) (found bool, err error) {
	outer := s.agents[s.root]
	var document evaluation
	if err := conn.Send(ctx, s.session.id, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "document", ContextID: outer.context}, &document); err != nil {
		return false, err
	}
	roots, err := s.search(ctx, conn, dom.DescribeNodeParams{ObjectID: runtime.RemoteObjectID(document.Result.ObjectID)})
	if err != nil {
		return false, err
	}
	known := s.session.roots.known
	s.session.roots.known = make(map[cdp.BackendNodeID]bool, len(roots))
	faults := make([]error, len(roots))
	var all sync.WaitGroup
	for i, r := range roots {
		if a := s.agents[r.frame]; a != nil && !known[r.id] {
			found = true
			all.Go(func() { faults[i] = a.learn(ctx, conn, r.id) })
		}
	}
	all.Wait()
	for i, r := range roots {
		if s.agents[r.frame] != nil && faults[i] == nil { // the others are told of again
			s.session.roots.known[r.id] = true
		}
	}
	return found, errors.Join(faults...)
}

// learn hands a closed root to the agent.
func (a *agent) learn(ctx context.Context, conn Transport, id cdp.BackendNodeID) error {
	root, err := resolve(ctx, conn, a.session, id, a.context)
	if err != nil {
		return err
	}
	var reply evaluation
	err = conn.Send(ctx, a.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(r){this.open(r)}", ObjectID: a.object,
		Arguments: []*runtime.CallArgument{{ObjectID: root}}}, &reply)
	if err == nil && reply.Exception != nil {
		err = reply.Exception.error()
	}
	return err
}
