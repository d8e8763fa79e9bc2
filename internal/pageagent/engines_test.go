package pageagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/firefox"
	"drawbridge/internal/firefox/firefoxtest"
	"drawbridge/internal/pageagent"
)

// An engine shows pages in which the page agent is asked directly.
type engine interface {
	open(t *testing.T, url string) shown
	front(t *testing.T) // puts another tab before all others
}

// shown is a page with agents in all its frames, which are named f1, f2, … in
// the order of a walk through the tree.
type shown interface {
	ask(ctx context.Context, frame browser.FrameID, op string, args, reply any) error
	eval(t *testing.T, frame browser.FrameID, expression string) string // as JSON; in frames it sees no more than their DOM
	openRoots(t *testing.T)                                             // makes closed roots known
	shut(t *testing.T)
}

// where a frame's world is: a Chromium's execution context and agent, or the
// context and agent of a Firefox.
type world struct {
	frame   string
	context runtime.ExecutionContextID
	agent   string
}

// nameFrames tells an agent the names of the frames in its document.
const nameFrames = `function(names){const all=[...document.querySelectorAll('iframe')];for(const r of document.querySelectorAll('*'))if(r.shadowRoot)all.push(...r.shadowRoot.querySelectorAll('iframe'));(names??[]).forEach((n,i)=>this.bind(all[i],n))}`

const callAgent = "function(o,n,a){return this.call(o,n,a)}"

// decode takes an answer of the agent apart.
func decode(answer string, reply any) error {
	var got pageagent.Reply
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		return err
	}
	switch {
	case got.Err != nil:
		return &browser.Error{Code: browser.Code(got.Err.Code), Msg: got.Err.Message, Hint: got.Err.Hint}
	case reply != nil:
		return json.Unmarshal(got.OK, reply)
	}
	return nil
}

type chromium struct {
	conn  cdp.Connection
	ended chan error
}

func newChromium(t *testing.T) engine {
	ctx, cancel := context.WithCancel(context.Background())
	// All frames in one process, so that one session reaches them.
	b, err := cdp.Launch(ctx, cdp.LaunchOptions{Width: 1000, Height: 700, Args: []string{"--disable-features=IsolateOrigins,site-per-process", "--disable-site-isolation-trials"}})
	if err != nil {
		cancel()
		if _, missing := cdp.FindBrowser(""); missing != nil && os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") == "" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	c := &chromium{conn: b.Conn, ended: make(chan error, 1)}
	go func() { c.ended <- b.Conn.Run(ctx, func(cdp.Event) {}) }()
	t.Cleanup(func() {
		closing, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		if err := b.Close(closing); err != nil {
			t.Error(err)
		}
		cancel()
		<-c.ended
	})
	return c
}

type tab struct {
	c       *chromium
	session string
	target  target.ID
	worlds  map[browser.FrameID]world
}

func (c *chromium) send(t *testing.T, session, method string, params, result any) {
	t.Helper()
	if err := c.conn.Send(t.Context(), session, method, params, result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

func (c *chromium) create(t *testing.T, url string) *tab {
	t.Helper()
	var made target.CreateTargetResult
	c.send(t, "", target.CommandCreateTarget, target.CreateTargetParams{URL: url}, &made)
	var at target.AttachToTargetResult
	c.send(t, "", target.CommandAttachToTarget, target.AttachToTargetParams{TargetID: made.TargetID, Flatten: new(true)}, &at)
	return &tab{c: c, session: string(at.SessionID), target: made.TargetID, worlds: map[browser.FrameID]world{}}
}

func (c *chromium) front(t *testing.T) { c.create(t, "about:blank") }

type evaluated struct {
	Result struct {
		Value    json.RawMessage `json:"value"`
		ObjectID string          `json:"objectId"`
	} `json:"result"`
	Exception *runtime.ExceptionDetails `json:"exceptionDetails"`
}

func (c *chromium) open(t *testing.T, url string) shown {
	t.Helper()
	p := c.create(t, "about:blank")
	c.send(t, p.session, page.CommandEnable, nil, nil)
	c.send(t, p.session, page.CommandNavigate, page.NavigateParams{URL: url}, nil)
	c.send(t, p.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "document.readyState=='complete'||new Promise(r=>addEventListener('load',r))", AwaitPromise: new(true)}, nil)
	var tree struct {
		FrameTree *page.FrameTree `json:"frameTree"`
	}
	c.send(t, p.session, page.CommandGetFrameTree, nil, &tree)
	n := 0
	var walk func(f *page.FrameTree, name browser.FrameID)
	walk = func(f *page.FrameTree, name browser.FrameID) {
		p.enter(t, f, name)
		var names []browser.FrameID
		for range f.ChildFrames {
			n++
			names = append(names, browser.FrameID(fmt.Sprintf("f%d", n)))
		}
		p.call(t, name, nameFrames, names)
		for i, child := range f.ChildFrames {
			walk(child, names[i])
		}
	}
	walk(tree.FrameTree, "")
	return p
}

func (p *tab) enter(t *testing.T, f *page.FrameTree, name browser.FrameID) {
	t.Helper()
	var w struct {
		Context runtime.ExecutionContextID `json:"executionContextId"`
	}
	p.c.send(t, p.session, page.CommandCreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: f.Frame.ID, WorldName: "test"}, &w)
	var made evaluated
	p.c.send(t, p.session, runtime.CommandEvaluate, runtime.EvaluateParams{ContextID: w.Context, Expression: pageagent.Source}, &made)
	if made.Result.ObjectID == "" {
		t.Fatalf("no agent in %s: %+v", name, made.Exception)
	}
	p.worlds[name] = world{frame: string(f.Frame.ID), context: w.Context, agent: made.Result.ObjectID}
}

func (p *tab) call(t *testing.T, frame browser.FrameID, function string, arg any) {
	t.Helper()
	value, err := json.Marshal(arg)
	if err != nil {
		t.Fatal(err)
	}
	var got evaluated
	p.c.send(t, p.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: runtime.RemoteObjectID(p.worlds[frame].agent),
		Arguments: []*runtime.CallArgument{{Value: value}}}, &got)
	if got.Exception != nil {
		t.Fatalf("%s", got.Exception.Exception.Description)
	}
}

func (p *tab) ask(ctx context.Context, frame browser.FrameID, op string, args, reply any) error {
	w, ok := p.worlds[frame]
	if !ok {
		return fmt.Errorf("no frame %s", frame)
	}
	given, err := json.Marshal(args)
	if err != nil {
		return err
	}
	text, err := json.Marshal(string(given))
	if err != nil {
		return err
	}
	var got evaluated
	err = p.c.conn.Send(ctx, p.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: callAgent, ObjectID: runtime.RemoteObjectID(w.agent), ReturnByValue: new(true),
		Arguments: []*runtime.CallArgument{{Value: strconv.AppendQuote(nil, op)}, {Value: []byte("1")}, {Value: text}}}, &got)
	if err != nil {
		return err
	}
	var answer string
	if err := json.Unmarshal(got.Result.Value, &answer); err != nil {
		return err
	}
	return decode(answer, reply)
}

func (p *tab) eval(t *testing.T, frame browser.FrameID, expression string) string {
	t.Helper()
	var in runtime.ExecutionContextID // of the page itself
	if frame != "" {
		in = p.worlds[frame].context
	}
	var got evaluated
	p.c.send(t, p.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "Promise.resolve(" + expression + ").then(v=>JSON.stringify(v)??'null')", ContextID: in, AwaitPromise: new(true), ReturnByValue: new(true)}, &got)
	if got.Exception != nil {
		t.Fatalf("%s: %s", expression, got.Exception.Exception.Description)
	}
	var out string
	if err := json.Unmarshal(got.Result.Value, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (p *tab) openRoots(t *testing.T) {
	t.Helper()
	type node struct {
		Backend  int64   `json:"backendNodeId"`
		Shadow   string  `json:"shadowRootType"`
		Children []*node `json:"children"`
		Roots    []*node `json:"shadowRoots"`
	}
	var doc struct {
		Root *node `json:"root"`
	}
	p.c.send(t, p.session, "DOM.getDocument", map[string]any{"depth": -1, "pierce": true}, &doc)
	var walk func(n *node)
	walk = func(n *node) {
		if n.Shadow == "closed" {
			var got struct {
				Object struct {
					ObjectID string `json:"objectId"`
				} `json:"object"`
			}
			p.c.send(t, p.session, "DOM.resolveNode", map[string]any{"backendNodeId": n.Backend, "executionContextId": p.worlds[""].context}, &got)
			p.c.send(t, p.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(r){this.open(r)}", ObjectID: runtime.RemoteObjectID(p.worlds[""].agent),
				Arguments: []*runtime.CallArgument{{ObjectID: runtime.RemoteObjectID(got.Object.ObjectID)}}}, nil)
		}
		for _, c := range append(n.Children, n.Roots...) {
			walk(c)
		}
	}
	walk(doc.Root)
}

func (p *tab) shut(t *testing.T) {
	p.c.send(t, "", target.CommandCloseTarget, target.CloseTargetParams{TargetID: p.target}, nil)
}

type gecko struct{ b *firefox.Browser }

func newGecko(t *testing.T) engine {
	return &gecko{firefoxtest.Launch(t, firefox.LaunchOptions{Width: 1000, Height: 700})}
}

func (g *gecko) front(t *testing.T) {
	t.Helper()
	id := firefoxtest.Open(t, g.b, "about:blank")
	firefoxtest.Call(t, g.b, "browsingContext.activate", map[string]any{"context": id}, nil)
}

type foxTab struct {
	g      *gecko
	id     string
	worlds map[browser.FrameID]world
}

const sandbox = "test"

func (g *gecko) open(t *testing.T, url string) shown {
	t.Helper()
	p := &foxTab{g: g, id: firefoxtest.Open(t, g.b, url), worlds: map[browser.FrameID]world{}}
	var tree struct {
		Contexts []firefoxtest.Context `json:"contexts"`
	}
	firefoxtest.Call(t, g.b, "browsingContext.getTree", map[string]any{"root": p.id}, &tree)
	n := 0
	var walk func(f firefoxtest.Context, name browser.FrameID)
	walk = func(f firefoxtest.Context, name browser.FrameID) {
		var got struct {
			Result struct {
				Handle string `json:"handle"`
			} `json:"result"`
			Exception struct {
				Text string `json:"text"`
			} `json:"exceptionDetails"`
		}
		firefoxtest.Call(t, g.b, "script.evaluate", map[string]any{"expression": pageagent.Source, "awaitPromise": false, "resultOwnership": "root", "target": map[string]any{"context": f.ID, "sandbox": sandbox}}, &got)
		if got.Result.Handle == "" {
			t.Fatalf("no agent in %s: %s", name, got.Exception.Text)
		}
		p.worlds[name] = world{frame: f.ID, agent: got.Result.Handle}
		var names []any
		for range f.Children {
			n++
			names = append(names, map[string]any{"type": "string", "value": fmt.Sprintf("f%d", n)})
		}
		if err := p.call(t.Context(), name, nameFrames, nil, map[string]any{"type": "array", "value": append([]any{}, names...)}); err != nil {
			t.Fatal(err)
		}
		first := n - len(names)
		for i, c := range f.Children {
			walk(c, browser.FrameID(fmt.Sprintf("f%d", first+i+1)))
		}
	}
	walk(tree.Contexts[0], "")
	return p
}

// call calls a function of the agent's world, on the agent.
func (p *foxTab) call(ctx context.Context, frame browser.FrameID, function string, answer *string, args ...any) error {
	w, ok := p.worlds[frame]
	if !ok {
		return fmt.Errorf("no frame %s", frame)
	}
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	err := p.g.b.BiDi.Call(ctx, "script.callFunction", map[string]any{"functionDeclaration": function, "awaitPromise": true, "this": map[string]any{"handle": w.agent},
		"arguments": args, "target": map[string]any{"context": w.frame, "sandbox": sandbox}}, &got)
	if err == nil && got.Exception.Text != "" {
		err = errors.New(got.Exception.Text)
	}
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(got.Result.Value, answer)
}

func (p *foxTab) ask(ctx context.Context, frame browser.FrameID, op string, args, reply any) error {
	given, err := json.Marshal(args)
	if err != nil {
		return err
	}
	var answer string
	err = p.call(ctx, frame, callAgent, &answer, map[string]any{"type": "string", "value": op}, map[string]any{"type": "number", "value": 1}, map[string]any{"type": "string", "value": string(given)})
	if err != nil {
		return err
	}
	return decode(answer, reply)
}

func (p *foxTab) eval(t *testing.T, frame browser.FrameID, expression string) string {
	t.Helper()
	var out json.RawMessage
	firefoxtest.Evaluate(t, p.g.b, p.worlds[frame].frame, expression, &out)
	return string(out)
}

func (p *foxTab) openRoots(*testing.T) {}

func (p *foxTab) shut(t *testing.T) {
	firefoxtest.Call(t, p.g.b, "browsingContext.close", map[string]any{"context": p.id}, nil)
}
