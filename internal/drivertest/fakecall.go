package drivertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drawbridge/internal/browser"
)

// callTool answers CallPageTool: a script's tool answers its name, a form is
// filled, and led where it leads when it submits itself.
func (t *fakeTab) callTool(to browser.Target, op browser.CallPageTool) (*browser.PageToolAnswer, error) {
	origin := t.tab.Frames[0].Origin
	if op.Origin != "" && op.Origin != origin || !to.Origins.Has(origin) {
		return nil, &browser.Error{Code: browser.CodeOriginChanged, Msg: "the tab is at " + string(origin) + " now; nothing was called"}
	}
	if t.tab.Dialog != nil {
		return nil, &browser.Error{Code: browser.CodeDialogOpen, Msg: "a dialog is open", Hint: "answer it with handle_dialog"}
	}
	if args := strings.TrimSpace(string(op.Args)); args != "" && args[0] != '{' {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the arguments are no object; nothing was called"}
	}
	i := slices.IndexFunc(t.tools, func(p browser.PageTool) bool { return p.Name == op.Name && p.Frame == op.Frame })
	if i < 0 {
		return nil, &browser.Error{Code: browser.CodeStaleRef, Msg: fmt.Sprintf("page tool %q is not offered any more; nothing was called", op.Name),
			Hint: "list_page_tools shows what is offered now"}
	}
	if call := t.calls[op.Name]; call != nil {
		return call(t, op)
	}
	switch t.tools[i].Kind {
	case browser.ToolOfScript:
		out, err := json.Marshal(op.Name)
		return &browser.PageToolAnswer{JSON: out}, err
	case browser.ToolOfForm:
		var values map[string]string
		if err := json.Unmarshal(op.Args, &values); err != nil {
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the arguments are no texts"}
		}
		if f := slices.IndexFunc(t.els, func(e element) bool { return e.field }); f >= 0 {
			t.els[f].value = values["q"]
		}
		return &browser.PageToolAnswer{Waiting: true}, nil
	}
	if err := t.load(t.tab.URL); err != nil {
		return nil, err
	}
	return &browser.PageToolAnswer{Navigated: t.navigation(200), Landed: json.RawMessage("[]")}, nil
}
