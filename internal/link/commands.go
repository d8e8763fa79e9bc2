package link

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// Post implements cdp.Transport. Commands of a session are done in their order.
func (t *transport) Post(session, method string, params any) {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	s := t.state.sessions[session]
	if s == nil || s.part == "" && (idle(method) || recording(method) && !t.record) {
		return
	}
	select {
	case s.posts <- post{method: method, params: params}:
	default:
		t.log.Warn("command dropped: the browser is too slow", "method", method)
	}
}

// work does what is posted to a session.
func (t *transport) work(ctx context.Context, s *session) {
	for {
		select {
		case p, open := <-s.posts:
			switch {
			case !open:
				return
			case p.done != nil:
				close(p.done)
			default:
				if err := t.doPosted(ctx, s, p); err != nil {
					t.log.Debug("command not done", "method", p.method, "err", err)
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

func (t *transport) doPosted(ctx context.Context, s *session, p post) error {
	if s.part != "" {
		return t.partOnly(ctx, s, p)
	}
	if !emulated(p.method) && p.method != intercept && t.full(s.tab) {
		return t.debugOnly(ctx, s.tab, p.method, p.params)
	}
	_, err := t.run(ctx, s.tab, s.id, p.method, p.params)
	return err
}

// after waits until what was posted to a session before is done.
func (t *transport) after(ctx context.Context, session string) error {
	done := make(chan struct{})
	t.state.mu.Lock()
	s := t.state.sessions[session]
	queued := false
	if s != nil && len(s.posts) > 0 {
		select {
		case s.posts <- post{done: done}:
			queued = true
		default:
		}
	}
	t.state.mu.Unlock()
	if !queued {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// idle tells of commands that have no effect here: what they turn on is on.
func idle(method string) bool {
	switch method {
	case "Page.enable", "Target.setAutoAttach", "Runtime.runIfWaitingForDebugger", "Page.addScriptToEvaluateOnNewDocument", "WebMCP.enable",
		"DOM.enable", "Runtime.releaseObject", "Runtime.releaseObjectGroup", "Browser.setPermission", "Browser.setDownloadBehavior", "Page.stopLoading":
		return true
	}
	return false
}

// do does a command of the browser (session "") or of a tab.
func (t *transport) do(ctx context.Context, session, method string, params any) (any, error) {
	if session == "" {
		if idle(method) {
			return struct{}{}, nil
		}
		return t.doBrowser(ctx, method, params)
	}
	b, part, err := t.sessionOf(session)
	switch {
	case err == nil && part == "" && idle(method):
		return struct{}{}, nil
	case err == nil:
		err = t.after(ctx, session)
	}
	if err != nil {
		return nil, err
	}
	if part != "" {
		return t.commandIn(ctx, b, part, method, params)
	}
	return t.run(ctx, b, session, method, params)
}

func (t *transport) doBrowser(ctx context.Context, method string, params any) (any, error) {
	var p struct {
		Target     string `json:"targetId"`
		URL        string `json:"url"`
		Background bool   `json:"background"`
		Window     int64  `json:"windowId"`
	}
	if err := convert(params, &p); err != nil {
		return nil, err
	}
	switch method {
	case "Browser.getVersion":
		return map[string]string{"product": t.peer.Hello().Product}, nil
	case "Target.setDiscoverTargets":
		return struct{}{}, t.discover(ctx)
	case "Target.attachToTarget":
		id, err := t.attach(ctx, p.Target)
		return map[string]string{"sessionId": id}, callError(method, err)
	case "Target.createTarget":
		id, err := t.openTab(ctx, OpenTabArgs{URL: p.URL, Active: !p.Background, Window: p.Window})
		return map[string]string{"targetId": id}, callError(method, err)
	}
	t.mu.Lock()
	b := t.byTarget(p.Target)
	var told targetEvent
	var window int64
	if b != nil {
		told, window = t.info(b), b.info.Window
	}
	t.mu.Unlock()
	if b == nil {
		return nil, refusal(method, "No target with given id found")
	}
	switch method {
	case "Target.getTargetInfo":
		return told, nil
	case "Target.closeTarget":
		return struct{}{}, callError(method, t.peer.Call(ctx, "closeTab", TabArgs{b.Tab.Load()}, nil))
	case "Target.activateTarget":
		return struct{}{}, callError(method, t.peer.Call(ctx, "activateTab", TabArgs{b.Tab.Load()}, nil))
	case "Browser.getWindowForTarget":
		return map[string]int64{"windowId": window}, nil
	}
	return nil, unknown(method)
}

// emulated tells of the commands of a tab that are made of what an extension
// does, also where it has full power.
func emulated(method string) bool {
	switch method {
	case "Page.getFrameTree", "Page.setLifecycleEventsEnabled", "Page.navigate", "Page.reload", "Runtime.evaluate", "Page.close", "Emulation.setFocusEmulationEnabled":
		return true
	}
	return false
}

// run does a command of a tab.
func (t *transport) run(ctx context.Context, b *tab, session, method string, params any) (any, error) {
	switch method {
	case "Page.getFrameTree":
		t.mu.Lock()
		defer t.mu.Unlock()
		tree, err := t.tree(b)
		return map[string]any{"frameTree": tree}, err
	case "Page.setLifecycleEventsEnabled":
		t.mu.Lock()
		defer t.mu.Unlock()
		if b.session != nil && b.session.id == session && !b.info.Loading {
			t.settled(b)
		}
		return struct{}{}, nil
	case "Page.navigate":
		var p struct {
			URL string `json:"url"`
		}
		if err := convert(params, &p); err != nil {
			return nil, err
		}
		return t.navigate(ctx, b, p.URL)
	case "Page.reload":
		return struct{}{}, callError(method, t.peer.Call(ctx, "go", GoArgs{Tab: b.Tab.Load(), To: "reload"}, nil))
	case "Runtime.evaluate":
		var p struct {
			Expression string `json:"expression"`
		}
		if err := convert(params, &p); err != nil {
			return nil, err
		}
		// The debugger's answer comes after what it has to tell of before.
		if t.full(b) && (t.record || p.Expression != "0") {
			return t.debug(ctx, b, method, params)
		}
		return t.answers(ctx, b, session)
	case "Page.close":
		return struct{}{}, callError(method, t.peer.Call(ctx, "closeTab", TabArgs{b.Tab.Load()}, nil))
	case "Page.crash":
		if !t.full(b) {
			return struct{}{}, callError(method, t.unload(ctx, b))
		}
	case "Emulation.setFocusEmulationEnabled": // it is, whenever the debugger attaches
		return struct{}{}, nil
	}
	switch {
	case method == intercept && t.full(b):
		return struct{}{}, t.catchChoosers(ctx, b, params)
	case t.full(b):
		return t.debug(ctx, b, method, params)
	case recording(method):
		return struct{}{}, nil
	}
	switch method {
	case "Page.getLayoutMetrics":
		return t.layout(ctx, b, session)
	case "Page.captureScreenshot":
		return t.capture(ctx, b, session, params)
	case "Page.startScreencast", "Page.stopScreencast":
		return struct{}{}, nil
	}
	return nil, unknown(method)
}

func unknown(method string) error {
	return &cdp.ProtocolError{Method: method, Code: -32601, Message: "'" + method + "' wasn't found"}
}

// convert reads the parameters of a command.
func convert(params, into any) error {
	if params == nil {
		return nil
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// gone is the message of an extension whose document is not there any more.
const gone = "gone"

// callError is the error of a call as the driver expects it.
func callError(method string, err error) error {
	var e *browser.Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Code == browser.CodeStaleRef && strings.HasPrefix(e.Msg, gone):
		return cdp.ErrGone
	case e.Code == browser.CodeUnknownTab:
		return refusal(method, "No target with given id found")
	case e.Code == browser.CodeInvalidArguments:
		return refusal(method, e.Msg)
	}
	return err
}

// closedError says why the page of a tab cannot be touched.
func closedError(why string) error {
	return &browser.Error{Code: browser.CodeNotSupported, Msg: "this page cannot be touched: " + why, Hint: "navigate to another page, or open_tab"}
}
