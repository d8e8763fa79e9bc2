package link

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
	"drawbridge/internal/wire"
)

// fakePeer is a browser of a test: its tabs are values, and what is to happen
// is told by the test.
type fakePeer struct {
	hello  wire.Hello
	events chan fakeEvent

	mu     sync.Mutex
	tabs   map[int64]TabInfo
	frames map[int64][]FrameInfo
	calls  []string
	went   func(GoArgs) []fakeEvent // what a navigation leads to
	failed map[string]error         // ops that fail
	hangs  map[string]bool          // ops that are never answered
	record bool                     // what its pages write is recorded
	debug  func(DebugArgs) (any, error)
}

type fakeEvent struct {
	name string
	body any
}

func newFakePeer(tabs ...TabInfo) *fakePeer {
	p := &fakePeer{
		hello: wire.Hello{Name: "work", Product: "Fake 1", Captures: true},
		tabs:  make(map[int64]TabInfo), frames: make(map[int64][]FrameInfo), failed: make(map[string]error),
	}
	for _, i := range tabs {
		p.tabs[i.Tab] = i
		p.frames[i.Tab] = []FrameInfo{{Frame: 0, Parent: -1, Document: fmt.Sprintf("doc-%d", i.Tab), URL: i.URL}}
	}
	return p
}

func (p *fakePeer) Hello() wire.Hello { return p.hello }

func (p *fakePeer) Refusal() *browser.Error { return nil }

func (p *fakePeer) Run(ctx context.Context, handle func(string, json.RawMessage)) error {
	for {
		select {
		case e := <-p.events:
			raw, err := json.Marshal(e.body)
			if err != nil {
				return err
			}
			handle(e.name, raw)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tell has the browser tell of something, and returns when that was taken.
func (p *fakePeer) tell(name string, body any) { p.events <- fakeEvent{name, body} }

func (p *fakePeer) Call(ctx context.Context, op string, args, result any) error {
	p.mu.Lock()
	p.calls = append(p.calls, op)
	err, hangs := p.failed[op], p.hangs[op]
	var out any
	if err == nil {
		out, err = p.answer(op, args)
	}
	var follow []fakeEvent
	if g, ok := args.(GoArgs); ok && err == nil && p.went != nil {
		follow = p.went(g)
	}
	p.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	for _, e := range follow {
		select {
		case p.events <- e:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if result == nil || out == nil {
		return nil
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

func (p *fakePeer) answer(op string, args any) (any, error) {
	switch a := args.(type) {
	case None:
		var list TabList
		for _, i := range p.tabs {
			list.Tabs = append(list.Tabs, i)
		}
		return list, nil
	case TabArgs:
		if _, ok := p.tabs[a.Tab]; !ok {
			return nil, &browser.Error{Code: browser.CodeUnknownTab, Msg: "no such tab"}
		}
		return FrameList{Frames: p.frames[a.Tab]}, nil
	case FrameArgs:
		for _, f := range p.frames[a.Tab] {
			if f.Frame == a.Frame && (a.Document == "" || a.Document == f.Document) {
				return EnterReply{Document: f.Document, Origin: originOf(f.URL)}, nil
			}
		}
		return nil, &browser.Error{Code: browser.CodeStaleRef, Msg: gone}
	case DebugArgs:
		if p.debug != nil {
			return p.debug(a)
		}
	case AskArgs:
		return AskReply{Answer: answerOf(a)}, nil
	case OpenTabArgs:
		i := TabInfo{Tab: int64(100 + len(p.tabs)), Key: fmt.Sprintf("key-%d", 100+len(p.tabs)), URL: a.URL, Active: a.Active}
		p.tabs[i.Tab] = i
		p.frames[i.Tab] = []FrameInfo{{Parent: -1, Document: "doc-" + i.Key, URL: i.URL}}
		return i, nil
	}
	return nil, nil
}

// answerOf is what the agent of any document answers: its text is the name of
// the document.
func answerOf(a AskArgs) string {
	ok := any(map[string]any{})
	if a.Op == "text" {
		ok = pageagent.TextReply{Text: "text of " + a.Document}
	}
	raw, _ := json.Marshal(ok) // of plain values
	out, _ := json.Marshal(pageagent.Reply{OK: raw, Next: a.First, Title: "title of " + a.Document})
	return string(out)
}

func (p *fakePeer) called(op string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range p.calls {
		if c == op {
			n++
		}
	}
	return n
}

func (p *fakePeer) Begin(ctx context.Context, op string, args any) (func(context.Context, any) error, error) {
	return func(ctx context.Context, result any) error { return p.Call(ctx, op, args, result) }, ctx.Err()
}
