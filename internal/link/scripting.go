package link

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	cdproto "github.com/chromedp/cdproto/cdp"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/pageagent"
)

var _ cdp.Scripting = (*transport)(nil)

// Refresh implements cdp.Scripting.
func (t *transport) Refresh(ctx context.Context, session string) error {
	return t.within(ctx, session, func(ctx context.Context) error { return t.refresh(ctx, session) })
}

// within does something until its session ends.
func (t *transport) within(ctx context.Context, session string, do func(context.Context) error) error {
	within, leave, err := t.enter(ctx, session)
	if err != nil {
		return err
	}
	defer leave()
	err = do(within)
	if cause := context.Cause(within); err != nil && cause != nil && ctx.Err() == nil {
		return cause
	}
	return err
}

// place is a document in a frame; its text names it to the driver.
type place struct {
	frame    int64
	document string
}

func (p place) String() string { return strconv.FormatInt(p.frame, 10) + " " + p.document }

func parsePlace(s string) (place, error) {
	n, document, ok := strings.Cut(s, " ")
	frame, err := strconv.ParseInt(n, 10, 64)
	if !ok || err != nil {
		return place{}, cdp.ErrGone
	}
	return place{frame, document}, nil
}

// Enter implements cdp.Scripting.
func (t *transport) Enter(ctx context.Context, session string, id cdproto.FrameID) (cdp.Entered, error) {
	var in EnterReply
	var at place
	err := t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err != nil {
			return err
		}
		if at, err = t.place(b, string(id)); err != nil {
			return err
		}
		return callError("enter", t.peer.Call(ctx, "enter", FrameArgs{Tab: b.Tab.Load(), Frame: at.frame, Document: at.document}, &in))
	})
	if err != nil {
		return cdp.Entered{}, err
	}
	at.document = in.Document
	return cdp.Entered{ID: at.String(), Origin: in.Origin, Blank: in.Blank}, nil
}

// place is the document that a frame shows.
func (t *transport) place(b *tab, name string) (place, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := b.number(name)
	f := b.frames[n]
	if !ok || f == nil {
		return place{}, cdp.ErrGone
	}
	return place{n, f.document}, nil
}

// Ask implements cdp.Scripting.
func (t *transport) Ask(ctx context.Context, session, document, op string, first int, args string) (string, error) {
	var reply AskReply
	err := t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err != nil {
			return err
		}
		at, err := parsePlace(document)
		if err != nil {
			return err
		}
		return callError("ask", t.peer.Call(ctx, "ask", AskArgs{Tab: b.Tab.Load(), Frame: at.frame, Document: at.document, Op: op, First: first, Args: args}, &reply))
	})
	return reply.Answer, err
}

// Name implements cdp.Scripting.
func (t *transport) Name(ctx context.Context, session, document string, id cdproto.FrameID, number browser.FrameID) error {
	return t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err != nil {
			return err
		}
		at, err := parsePlace(document)
		if err != nil {
			return err
		}
		child, ok := b.number(string(id))
		if !ok {
			return cdp.ErrGone
		}
		return callError("name", t.peer.Call(ctx, "name", NameArgs{Tab: b.Tab.Load(), Parent: at.frame, ParentDocument: at.document, Frame: child, Number: string(number)}, nil))
	})
}

// Trusted implements cdp.Scripting.
func (t *transport) Trusted(session string) bool {
	b, err := t.tabOf(session)
	return err == nil && t.full(b)
}

// Travel implements cdp.Scripting.
func (t *transport) Travel(ctx context.Context, session string, to browser.History) (inFrame bool, err error) {
	err = t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err == nil {
			inFrame, err = t.travel(ctx, b, string(to))
		}
		return err
	})
	return inFrame, err
}

// Open implements cdp.Scripting.
func (t *transport) Open(ctx context.Context, session, url string, front bool) error {
	return t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err == nil {
			_, err = t.openTab(ctx, OpenTabArgs{URL: url, Active: front, Opener: b.Tab.Load()})
		}
		return err
	})
}

// Load implements cdp.Scripting.
func (t *transport) Load(ctx context.Context, session, url string, own bool, most int64) (out cdp.Loaded, err error) {
	err = t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err != nil {
			return err
		}
		var reply LoadReply
		if err := callError("load", t.peer.Call(ctx, "load", LoadArgs{Tab: b.Tab.Load(), URL: url, Most: most, Own: own}, &reply)); err != nil {
			return err
		}
		out = cdp.Loaded{Status: reply.Status, MIME: reply.MIME, More: reply.More}
		out.Body, err = base64.StdEncoding.DecodeString(reply.Data)
		return err
	})
	return out, err
}

// Save implements cdp.Scripting.
func (t *transport) Save(ctx context.Context, name, mime string, data []byte) (string, error) {
	var reply SaveReply
	err := callError("save", t.peer.Call(ctx, "save", SaveArgs{Name: name, MIME: mime, Data: base64.StdEncoding.EncodeToString(data)}, &reply))
	return reply.Path, err
}

// Evaluate implements cdp.Scripting.
func (t *transport) Evaluate(ctx context.Context, session string, id cdproto.FrameID, expression string) (json.RawMessage, error) {
	var reply EvaluateReply
	var raw json.RawMessage
	err := t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err != nil {
			return err
		}
		at, err := t.place(b, string(id))
		if err != nil {
			return err
		}
		stop := t.attend(ctx, b)
		defer stop()
		if t.full(b) && !t.powers().Scripts {
			raw, err = t.evaluate(ctx, b, at, expression)
			return err
		}
		return callError("evaluate", t.peer.Call(ctx, "evaluate", EvaluateArgs{Tab: b.Tab.Load(), Frame: at.frame, Document: at.document, Code: expression}, &reply))
	})
	if err != nil || raw != nil {
		return raw, err
	}
	return json.Marshal(evaluation(reply))
}

// evaluation is what Runtime.evaluate would answer.
func evaluation(r EvaluateReply) map[string]any {
	if r.Thrown == nil {
		out := map[string]any{}
		if r.Value != "" {
			out["value"] = json.RawMessage(r.Value)
		}
		return map[string]any{"result": out}
	}
	thrown := map[string]any{"className": r.Thrown.Class, "description": r.Thrown.Description}
	switch {
	case r.Thrown.Syntax:
		thrown["className"], thrown["description"] = "SyntaxError", firstLine(r.Thrown.Description)
	case r.Thrown.Class != "":
		thrown["subtype"] = "error"
	case r.Thrown.Value != "":
		thrown["value"] = json.RawMessage(r.Thrown.Value)
	}
	return map[string]any{"result": map[string]any{}, "exceptionDetails": map[string]any{"text": "Uncaught", "lineNumber": max(r.Thrown.Line-1, 0), "exception": thrown}}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// answers answers Runtime.evaluate where it only asks whether the page answers at
// all.
func (t *transport) answers(ctx context.Context, b *tab, session string) (any, error) {
	_, err := t.askMain(ctx, b, session, "observe")
	return map[string]any{"result": map[string]any{}}, err
}

// askMain has the main document's agent do an op without arguments.
func (t *transport) askMain(ctx context.Context, b *tab, session, op string) (string, error) {
	at, err := t.place(b, b.target())
	if err != nil {
		return "", err
	}
	return t.Ask(ctx, session, at.String(), op, 1, "{}")
}

// ToolScript implements cdp.Scripting.
func (t *transport) ToolScript(ctx context.Context, o pageagent.ModelContextOptions) error {
	return t.peer.Call(ctx, "script", ScriptArgs(o), nil)
}

// Powers implements cdp.Scripting.
func (t *transport) Powers(target string) browser.Capability {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	p := t.state.powers
	caps := browser.CanNavigate | browser.CanActivate | browser.CanOpenTabs
	if t.state.closed[target] != "" {
		return caps
	}
	caps |= browser.CanRead | browser.CanAct | browser.CanPageTools
	if p.Captures || p.Full {
		caps |= browser.CanCapture
	}
	if p.Scripts || p.Full {
		caps |= browser.CanScript
	}
	if p.Full {
		caps |= browser.CanTrustedInput | browser.CanDialogs | browser.CanEmulate | browser.CanRecord | browser.CanPrint
	}
	return caps
}
