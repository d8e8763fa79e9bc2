package link

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"drawbridge/internal/cdp"
	"drawbridge/internal/pageagent"
)

// world is one of ours, in a frame, in which the debugger calls functions.
type world struct {
	pageFrame
	context int64
}

// object is what a call returned: a value, or the debugger's name of it.
type object struct {
	ID    string          `json:"objectId"`
	Value json.RawMessage `json:"value"`
}

// enterWorld makes a world in a frame, or finds it there.
func (t *transport) enterWorld(ctx context.Context, b *tab, f pageFrame) (world, error) {
	raw, err := t.commandIn(ctx, b, f.session, "Page.createIsolatedWorld", map[string]string{"frameId": f.id, "worldName": "drawbridge"})
	if err != nil {
		return world{}, err
	}
	var made struct {
		Context int64 `json:"executionContextId"`
	}
	err = json.Unmarshal(raw, &made)
	return world{f, made.Context}, err
}

// call calls a function: with a name of an object as its method, else in a world.
func (t *transport) call(ctx context.Context, b *tab, w world, this, function string, byValue bool, args ...any) (object, error) {
	given := make([]map[string]any, len(args))
	for i, a := range args {
		given[i] = map[string]any{"value": a}
	}
	p := map[string]any{"functionDeclaration": function, "arguments": given, "returnByValue": byValue}
	if this != "" {
		p["objectId"] = this
	} else {
		p["executionContextId"] = w.context
	}
	var reply struct {
		Result    object          `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	raw, err := t.commandIn(ctx, b, w.session, "Runtime.callFunctionOn", p)
	if err == nil {
		err = json.Unmarshal(raw, &reply)
	}
	if err == nil && reply.Exception != nil {
		err = refusal("Runtime.callFunctionOn", "a function of ours failed: "+string(reply.Exception))
	}
	return reply.Result, err
}

// A world hears a word by these; see web/agent/worlds.ts.
const (
	listenFor = `function(w){const h=e=>{h.e=e};globalThis[w]=h;addEventListener(w,h,{once:true})}`
	takeHeard = `function(w){const h=globalThis[w];delete globalThis[w];removeEventListener(w,h);return h.e?h.e.submitter||document:null}`
	showWord  = `function(w){dispatchEvent(new SubmitEvent(w))}`
	showThis  = `function(w){dispatchEvent(new SubmitEvent(w,{submitter:this}))}`
)

// meet finds the element that the agent of a document knows by a number, or with
// 0 the document, and a world in it. The agent and we do not know each other's
// frames: whoever hears its word is there.
func (t *transport) meet(ctx context.Context, b *tab, at place, n int) (world, string, error) {
	if _, err := t.prepare(ctx, b); err != nil {
		return world{}, "", err
	}
	likely, others := t.likely(ctx, b, at)
	for _, frames := range [][]pageFrame{likely, others} {
		if len(frames) == 0 {
			continue
		}
		word := rand.Text()
		worlds := t.listening(ctx, b, frames, word)
		if err := t.askAt(ctx, b, at, "show", 1, pageagent.ShowArgs{N: n, Word: word}, nil); err != nil {
			return world{}, "", err
		}
		var mu sync.Mutex
		var in world
		var found string
		each(ctx, partMost, worlds, func(ctx context.Context, w world) {
			got, err := t.call(ctx, b, w, "", takeHeard, false, word)
			if err != nil || got.ID == "" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			in, found = w, got.ID
		})
		if found != "" {
			return in, found, nil
		}
	}
	if ctx.Err() != nil {
		return world{}, "", context.Cause(ctx)
	}
	return world{}, "", cdp.ErrGone
}

// likely is the frames that may be the one at a place: those with its address,
// and the others.
func (t *transport) likely(ctx context.Context, b *tab, at place) (likely, others []pageFrame) {
	t.mu.Lock()
	var main, url string
	if b.debugging != nil {
		main = b.debugging.frame
	}
	if f := b.frames[at.frame]; f != nil {
		url = f.url
	}
	t.mu.Unlock()
	if at.frame == mainFrame {
		return []pageFrame{{id: main}}, nil
	}
	for _, f := range t.pageFrames(ctx, b) {
		switch {
		case f.id == main:
		case f.url == url:
			likely = append(likely, f)
		default:
			others = append(others, f)
		}
	}
	return likely, others
}

// listening has a world in each of the frames listen for a word.
func (t *transport) listening(ctx context.Context, b *tab, frames []pageFrame, word string) []world {
	var mu sync.Mutex
	var out []world
	each(ctx, partMost, frames, func(ctx context.Context, f pageFrame) {
		w, err := t.enterWorld(ctx, b, f)
		if err == nil {
			_, err = t.call(ctx, b, w, "", listenFor, true, word)
		}
		if err != nil {
			t.log.Debug("no world in a frame", "err", err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		out = append(out, w)
	})
	return out
}

// askAt has the agent of a document do an op.
func (t *transport) askAt(ctx context.Context, b *tab, at place, op string, first int, args, reply any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	var answer AskReply
	if err := t.peer.Call(ctx, "ask", AskArgs{Tab: b.Tab.Load(), Frame: at.frame, Document: at.document, Op: op, First: first, Args: string(text)}, &answer); err != nil {
		return callError("ask", err)
	}
	return pageagent.Decode([]byte(answer.Answer), reply)
}

// mainWorld is the page's own world of a document.
type mainWorld struct{ session, document string }

// evaluate runs an expression in the page's own world of a document.
func (t *transport) evaluate(ctx context.Context, b *tab, at place, expression string) (json.RawMessage, error) {
	for {
		t.mu.Lock()
		var w mainWorld
		known := false
		if b.debugging != nil {
			w, known = b.debugging.worlds[at.document]
		}
		t.mu.Unlock()
		if !known {
			var err error
			if w, err = t.mainWorldOf(ctx, b, at); err != nil {
				return nil, err
			}
		}
		raw, err := t.commandIn(ctx, b, w.session, "Runtime.callFunctionOn", map[string]any{"functionDeclaration": "function(){return " + expression + "\n}",
			"objectId": w.document, "awaitPromise": true, "returnByValue": true, "userGesture": true})
		if err == nil || !known || !forgotten(err) {
			return raw, err
		}
		t.mu.Lock()
		if b.debugging != nil {
			delete(b.debugging.worlds, at.document)
		}
		t.mu.Unlock()
	}
}

// forgotten tells that the debugger knows an object no more.
func forgotten(err error) bool {
	var refused *cdp.ProtocolError
	return errors.As(err, &refused) && (strings.Contains(refused.Message, "Could not find object") || strings.Contains(refused.Message, "Cannot find context") ||
		strings.Contains(refused.Message, "Session with given id"))
}

func (t *transport) mainWorldOf(ctx context.Context, b *tab, at place) (mainWorld, error) {
	w, document, err := t.meet(ctx, b, at, 0)
	if err != nil {
		return mainWorld{}, err
	}
	raw, err := t.commandIn(ctx, b, w.session, "DOM.describeNode", map[string]any{"objectId": document, "depth": 0})
	if err != nil {
		return mainWorld{}, err
	}
	var described struct {
		Node struct {
			ID int64 `json:"backendNodeId"`
		} `json:"node"`
	}
	if err := json.Unmarshal(raw, &described); err != nil {
		return mainWorld{}, err
	}
	id, err := t.resolve(ctx, b, w.session, map[string]any{"backendNodeId": described.Node.ID})
	if err != nil {
		return mainWorld{}, err
	}
	out := mainWorld{w.session, id}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := b.debugging; a != nil {
		if a.worlds == nil || len(a.worlds) >= worldsMost {
			a.worlds = make(map[string]mainWorld)
		}
		a.worlds[at.document] = out
	}
	return out, nil
}

// worldsMost bounds those that are kept for a tab.
const worldsMost = 200

// resolve is the name of a node for calls.
func (t *transport) resolve(ctx context.Context, b *tab, session string, params map[string]any) (string, error) {
	raw, err := t.commandIn(ctx, b, session, "DOM.resolveNode", params)
	if err != nil {
		return "", err
	}
	var node struct {
		Object object `json:"object"`
	}
	err = json.Unmarshal(raw, &node)
	return node.Object.ID, err
}
