package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/pageagent"
)

// scripted reaches into documents as an extension without full power does: by
// its agents alone, which give all input.
type scripted struct {
	conn cdp.Connection

	mu    sync.Mutex                            // guards following
	docs  map[string]document                   // by their ids
	shown map[cdproto.FrameID]string            // the document that a frame shows
	names map[string]map[string]cdproto.FrameID // of the frames of a session, by their numbers
}

type document struct {
	session string
	context runtime.ExecutionContextID
}

var _ cdp.Scripting = (*scripted)(nil)

// launchScripted launches a browser of which only scripts are used.
func launchScripted(ctx context.Context, o cdp.LaunchOptions) (*cdp.Browser, error) {
	b, err := cdp.Launch(ctx, o)
	if err == nil {
		b.Scripting = &scripted{conn: b.Conn, docs: map[string]document{}, shown: map[cdproto.FrameID]string{}, names: map[string]map[string]cdproto.FrameID{}}
	}
	return b, err
}

type result struct {
	Result struct {
		Value    json.RawMessage `json:"value"`
		ObjectID string          `json:"objectId"`
	} `json:"result"`
	Exception *runtime.ExceptionDetails `json:"exceptionDetails"`
}

func (*scripted) Load(context.Context, string, string, bool, int64) (cdp.Loaded, error) {
	return cdp.Loaded{}, nil
}

func (s *scripted) Save(_ context.Context, name, _ string, data []byte) (string, error) {
	return fmt.Sprintf("/downloads/%s of %d bytes", name, len(data)), nil
}

func (s *scripted) Refresh(context.Context, string) error { return nil }

func (s *scripted) Enter(ctx context.Context, session string, frame cdproto.FrameID) (cdp.Entered, error) {
	var w page.CreateIsolatedWorldResult
	if err := s.conn.Send(ctx, session, page.CommandCreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: "scripted"}, &w); err != nil {
		return cdp.Entered{}, err
	}
	var about, made result
	if err := s.conn.Send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{ContextID: w.ExecutionContextID, ReturnByValue: new(true),
		Expression: "[self.origin,document.childNodes.length==0||!document.querySelector('body>*,frameset')&&!document.documentElement.textContent]"}, &about); err != nil {
		return cdp.Entered{}, err
	}
	if err := s.conn.Send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{ContextID: w.ExecutionContextID, Expression: pageagent.Source}, &made); err != nil {
		return cdp.Entered{}, err
	}
	if made.Exception != nil || made.Result.ObjectID == "" {
		return cdp.Entered{}, fmt.Errorf("no agent: %+v", made.Exception)
	}
	in := cdp.Entered{ID: made.Result.ObjectID}
	if err := json.Unmarshal(about.Result.Value, &[]any{&in.Origin, &in.Blank}); err != nil {
		return in, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[in.ID], s.shown[frame] = document{session, w.ExecutionContextID}, in.ID
	return in, nil
}

func (s *scripted) Ask(ctx context.Context, session, doc, op string, first int, args string) (string, error) {
	var given []*runtime.CallArgument
	for _, v := range []any{op, first, args} {
		value, err := json.Marshal(v)
		if err != nil {
			return "", err
		}
		given = append(given, &runtime.CallArgument{Value: value})
	}
	var got result
	err := s.conn.Send(ctx, session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(o,n,a){return this.call(o,n,a)}",
		ObjectID: runtime.RemoteObjectID(doc), Arguments: given, ReturnByValue: new(true), AwaitPromise: new(op == "changed")}, &got)
	if err != nil {
		return "", err
	}
	if got.Exception != nil {
		return "", fmt.Errorf("the agent threw: %s", got.Exception.Text)
	}
	var answer string
	err = json.Unmarshal(got.Result.Value, &answer)
	return answer, err
}

func (s *scripted) Name(ctx context.Context, session, doc string, frame cdproto.FrameID, number browser.FrameID) error {
	s.mu.Lock()
	context := s.docs[doc].context
	if s.names[session] == nil {
		s.names[session] = map[string]cdproto.FrameID{}
	}
	s.names[session][string(number)] = frame
	s.mu.Unlock()
	var owner dom.GetFrameOwnerResult
	if err := s.conn.Send(ctx, session, dom.CommandGetFrameOwner, dom.GetFrameOwnerParams{FrameID: frame}, &owner); err != nil {
		return err
	}
	var node struct {
		Object struct {
			ObjectID runtime.RemoteObjectID `json:"objectId"`
		} `json:"object"`
	}
	if err := s.conn.Send(ctx, session, dom.CommandResolveNode, dom.ResolveNodeParams{BackendNodeID: owner.BackendNodeID, ExecutionContextID: context}, &node); err != nil {
		return err
	}
	return s.conn.Send(ctx, session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(e,f){this.bind(e,f)}",
		ObjectID: runtime.RemoteObjectID(doc), Arguments: []*runtime.CallArgument{{ObjectID: node.Object.ObjectID}, {Value: strconv.AppendQuote(nil, string(number))}}}, nil)
}

func (s *scripted) Trusted(string) bool { return false }

func (s *scripted) Ready(context.Context, string) error { return nil }

func (s *scripted) Evaluate(ctx context.Context, session string, frame cdproto.FrameID, expression string) (json.RawMessage, error) {
	var tree page.GetFrameTreeResult
	if err := s.conn.Send(ctx, session, page.CommandGetFrameTree, nil, &tree); err != nil {
		return nil, err
	}
	if tree.FrameTree.Frame.ID != frame {
		return nil, errors.New("only in the main frames of sessions")
	}
	var raw json.RawMessage
	err := s.conn.Send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: expression, AwaitPromise: new(true), ReturnByValue: new(true)}, &raw)
	return raw, err
}

func (s *scripted) TakesPaths(context.Context, string, []browser.File) bool { return false }

func (s *scripted) GiveFiles(context.Context, string, string, int, []string) error {
	return errors.New("not here")
}

func (s *scripted) ChosenField(context.Context, string, string, int64, int) (int, error) {
	return 0, errors.New("not here")
}

func (s *scripted) Open(ctx context.Context, session, url string, _ bool) error {
	return s.conn.Send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: fmt.Sprintf("void window.open(%q)", url), UserGesture: new(true)}, nil)
}

func (s *scripted) Travel(context.Context, string, browser.History) (bool, error) {
	return false, errors.New("not here")
}

func (s *scripted) ToolScript(context.Context, pageagent.ModelContextOptions) error { return nil }

func (s *scripted) Powers(string) browser.Capability {
	return browser.AllCaps &^ (browser.CanTrustedInput | browser.CanPageTools)
}

// newScriptedRig is newRig without trusted input. What is in frames of other
// sites runs in processes of its own.
func newScriptedRig(t testing.TB) *rig {
	t.Helper()
	needBrowser(t)
	return newRigOf(t, cdp.Options{Width: 1280, Height: 720, Open: func(ctx context.Context) (*cdp.Browser, error) { return launchScripted(ctx, cdp.LaunchOptions{}) }}, cdp.LaunchOptions{})
}
