package drivertest

import (
	"encoding/json"
	"strings"

	"drawbridge/internal/browser"
)

// fakeCall is what a tool of a page of the fake does.
type fakeCall func(t *fakeTab, op browser.CallPageTool) (*browser.PageToolAnswer, error)

// callScript registers the tools of /calls.
const callScript = `const register = (name, execute) => document.modelContext.registerTool({name, description: 'About ' + name, inputSchema: {type: 'object'}, execute});
register('echo', input => input);
register('nothing', () => undefined);
register('large', () => 'x'.repeat(1000));
register('fails', () => { throw new RangeError('no luck') });
register('never', () => new Promise(() => {}));
register('leaves', () => { location.href = '/next'; return new Promise(() => {}) });
register('asks', () => confirm('Sure?') ? 'Yes' : 'No');`

func callPage() page {
	calls := map[string]fakeCall{
		"echo": func(_ *fakeTab, op browser.CallPageTool) (*browser.PageToolAnswer, error) {
			return &browser.PageToolAnswer{JSON: op.Args}, nil
		},
		"nothing": func(*fakeTab, browser.CallPageTool) (*browser.PageToolAnswer, error) {
			return &browser.PageToolAnswer{}, nil
		},
		"large": func(_ *fakeTab, op browser.CallPageTool) (*browser.PageToolAnswer, error) {
			if op.MaxBytes > 0 && op.MaxBytes < 1002 {
				return &browser.PageToolAnswer{JSON: json.RawMessage(`"` + strings.Repeat("x", min(op.MaxBytes, 1000)) + `"`), Cut: 1002}, nil
			}
			return &browser.PageToolAnswer{JSON: json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)}, nil
		},
		"fails": func(*fakeTab, browser.CallPageTool) (*browser.PageToolAnswer, error) {
			return nil, &browser.Error{Code: browser.CodePageError, Msg: `page tool "fails" failed: RangeError: no luck`}
		},
		"never": func(*fakeTab, browser.CallPageTool) (*browser.PageToolAnswer, error) {
			return nil, &browser.Error{Code: browser.CodeTimeout, Msg: `page tool "never" has not answered in time`}
		},
		"leaves": func(t *fakeTab, _ browser.CallPageTool) (*browser.PageToolAnswer, error) {
			if err := t.push(t.f.base + "/next"); err != nil {
				return nil, err
			}
			return &browser.PageToolAnswer{Navigated: t.navigation(200)}, nil
		},
		"asks": func(t *fakeTab, _ browser.CallPageTool) (*browser.PageToolAnswer, error) {
			t.obs = &browser.Observation{}
			t.ask("Sure?", func(bool) {})
			return &browser.PageToolAnswer{Dialog: t.tab.Dialog}, nil
		},
	}
	p := page{title: "Calls", calls: calls}
	for _, name := range []string{"echo", "nothing", "large", "fails", "never", "leaves", "asks"} {
		p.tools = append(p.tools, script(name, `{"type":"object"}`))
	}
	p.tools = append(p.tools, browser.PageTool{Name: "write", Description: "Writes", Kind: browser.ToolOfForm, Schema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}},"required":[]}`)})
	p.body = `<form toolname=write tooldescription=Writes><input name=q aria-label=Question><button>Send</button></form><script>` + callScript + `</script>`
	p.model = func() []element {
		return []element{{role: "textbox", name: "Question", act: true, field: true}, {role: "button", name: "Send", act: true}}
	}
	return p
}
