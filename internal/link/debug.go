package link

import (
	"context"
	"encoding/json"
	"strings"
)

// full tells whether commands may go to the debugger of a tab.
func (t *transport) full(b *tab) bool {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	return t.state.powers.Full && t.state.closed[b.Key] == ""
}

// allowed tells of commands that go to the debugger.
func allowed(method string) bool {
	switch method {
	case "Page.captureScreenshot", "Page.startScreencast", "Page.stopScreencast", "Page.getLayoutMetrics", "Page.handleJavaScriptDialog", "Page.printToPDF",
		"Page.setInterceptFileChooserDialog", "Runtime.terminateExecution", "Page.crash":
		return true
	}
	domain, _, _ := strings.Cut(method, ".")
	switch domain {
	case "Input", "Emulation":
		return true
	}
	return false
}

// debug sends a command to the debugger of a tab.
func (t *transport) debug(ctx context.Context, b *tab, method string, params any) (any, error) {
	var raw json.RawMessage
	if params != nil {
		var err error
		if raw, err = json.Marshal(params); err != nil {
			return nil, err
		}
	}
	var reply DebugReply
	if err := t.peer.Call(ctx, "debug", DebugArgs{Tab: b.Tab, Method: method, Params: raw}, &reply); err != nil {
		return nil, callError(method, err)
	}
	return reply.Result, nil
}

// debugged hands on an event of the debugger.
func (t *transport) debugged(b *tab, d DebugEvent) {
	switch d.Method {
	case "Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Input.dragIntercepted":
		t.event(b.session.id, d.Method, d.Params)
	}
}

// letGoOf notes that the debugger was detached.
func (t *transport) letGoOf(*tab, DebugGone) {}
