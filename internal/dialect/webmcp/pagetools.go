package webmcp

import (
	"encoding/json"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

func (d *Dialect) status() tool.Older {
	return tool.Older{
		Name: "webmcp_status", Title: "Get bridge and page status",
		Description: "Report connection status, current URL, and the WebMCP tools of the active tab.",
		Schema:      schema(""), Annotations: hints(true, false, false), Native: d.natives[nativeListTabs],
		In: func(s tool.Scope, _ json.RawMessage) (tool.Use, error) {
			if t, ok := active(s); ok {
				return d.useOn(nativeListPageTools, t, onlyTab{t.ID}), nil
			}
			return d.use(nativeListTabs, struct{}{}), nil
		},
		// It tells how things are, also when the page could not be asked.
		Reply: func(s tool.Scope, _ tool.Use, _ tool.Output, err *browser.Error) tool.Reply {
			var st struct {
				Connected         bool     `json:"connected"`
				URL               *string  `json:"url"`
				ActiveTabID       *string  `json:"activeTabId"`
				TabCount          int      `json:"tabCount"`
				WebMCPAvailable   bool     `json:"webmcpAvailable"`
				MonkeyPatchActive bool     `json:"monkeyPatchActive"`
				ToolCount         int      `json:"toolCount"`
				ToolNames         []string `json:"toolNames"`
			}
			st.TabCount, st.ToolNames = len(s.Tabs()), []string{}
			if t, ok := active(s); ok {
				url, id := address(t), tabID(t)
				st.URL, st.ActiveTabID = &url, &id
				st.WebMCPAvailable = t.Caps&browser.CanPageTools != 0
				_, st.MonkeyPatchActive = s.PageTools(t.ID)
				st.ToolNames = d.pageTools(s, t.ID)
			}
			st.Connected = err == nil || st.URL != nil
			st.ToolCount = len(st.ToolNames)
			return answer(st)
		},
	}
}

// pageTools names the page tools of a tab that can be called by their names.
func (d *Dialect) pageTools(s tool.Scope, id browser.TabID) []string {
	names, seen := []string{}, map[string]bool{}
	tools, _ := s.PageTools(id)
	for _, t := range tools {
		if !seen[t.Name] {
			seen[t.Name] = true
			names = append(names, t.Name)
		}
	}
	return names
}

type callArgs struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Frame     string          `json:"frame,omitempty"`
	Timeout   int             `json:"timeout"`
	MaxBytes  int             `json:"max_bytes"`
	Tab       browser.TabID   `json:"tab"`
}

// called is what the native call_page_tool answers.
type called struct {
	Failed    bool            `json:"failed"`
	Waiting   bool            `json:"waiting"`
	Navigated bool            `json:"navigated"`
	URL       string          `json:"url"`
	Landed    json.RawMessage `json:"landed"`
	Dialog    json.RawMessage `json:"dialog"`
}

func (d *Dialect) invokeTool() tool.Older {
	return tool.Older{
		Name:        "webmcp_invoke_tool",
		Description: "Call any WebMCP tool of the page by name with arguments.",
		Schema: schema(`"name":{"type":"string","description":"Name of the WebMCP tool"},`+
			`"args":{"type":"object","description":"Arguments for the tool","additionalProperties":true},`+tabIDArg, "name"),
		Native: d.natives[nativeCallPageTool],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(raw)
			if err != nil {
				return tool.Use{}, err
			}
			name, err := a.required("name", "Missing argument")
			if err != nil {
				return tool.Use{}, err
			}
			t, err := a.living(s)
			if err != nil {
				return tool.Use{}, err
			}
			return d.invoke(s, t, name, a["args"])
		},
		Reply: d.invoked,
	}
}

// Other is the page tool of that name in the active tab.
func (d *Dialect) Other(name string) tool.Tool {
	return tool.As(tool.Older{
		Name: name, Native: d.natives[nativeCallPageTool],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			t, err := arguments(nil).living(s)
			if err != nil {
				return tool.Use{}, err
			}
			return d.invoke(s, t, name, raw)
		},
		Reply: d.invoked,
	})
}

// invoke is a call of a page tool; of those with one name, the first counts.
func (d *Dialect) invoke(s tool.Scope, t browser.Tab, name string, args json.RawMessage) (tool.Use, error) {
	a, err := parse(args)
	if err != nil {
		return tool.Use{}, refuse("The arguments of %s must be an object", tool.Quoted(name, 80))
	}
	c := callArgs{Name: name, Timeout: patience, MaxBytes: mostBytes, Tab: t.ID}
	if len(a) > 0 {
		c.Arguments = args
	}
	tools, _ := s.PageTools(t.ID)
	for _, x := range tools {
		if x.Name == name {
			if c.Frame = string(x.Frame); c.Frame == "" {
				c.Frame = "main"
			}
			break
		}
	}
	return d.useOn(nativeCallPageTool, t, c), nil
}

// invoked writes what a page tool answered, or what came instead of an answer.
func (d *Dialect) invoked(s tool.Scope, u tool.Use, out tool.Output, err *browser.Error) tool.Reply {
	asked, _ := u.Args.(callArgs)
	if err != nil {
		tools, known := s.PageTools(u.Tab)
		for _, t := range tools {
			known = known && t.Name != asked.Name
		}
		if known && err.Code == browser.CodeInvalidArguments {
			return tool.Reply{Text: `WebMCP tool "` + asked.Name + `" not found on the page`, Failed: true}
		}
		return fault(err)
	}
	var c called
	if err := result(out, &c); err != nil {
		return tool.Reply{Text: err.Error(), Failed: true}
	}
	if out, ok := out.(tool.Returned); ok && len(out.Returned()) > 0 {
		r := written(out.Returned())
		r.Failed = c.Failed
		return r
	}
	switch {
	case len(c.Landed) > 0 && string(c.Landed) != "[]":
		return written(c.Landed)
	case c.Waiting:
		return answer(map[string]any{"submitted": false, "message": "The form is filled; a person must submit it."})
	case c.Navigated:
		return answer(map[string]any{"navigated": true, "url": c.URL})
	case len(c.Dialog) > 0:
		return tool.Reply{Text: "The page shows a dialog, for which the tool waits", Failed: true}
	}
	return written(nil)
}

// testTools registers tools for trying things out. That they are there already
// is no fault.
const testTools = `const context = document.modelContext
const text = (description) => ({ type: 'string', description })
const tools = [
  {
    name: 'test_greet', description: 'Greets somebody by name',
    inputSchema: { type: 'object', properties: { name: text('Who to greet') }, required: ['name'] },
    execute: async ({ name }) => 'Hello, ' + name + '! Welcome to WebMCP.',
  },
  {
    name: 'test_calculator', description: 'Adds two numbers',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    execute: async ({ a, b }) => a + b,
  },
  {
    name: 'test_fetch_title', description: 'Fetches a page and returns its title',
    inputSchema: { type: 'object', properties: { url: text('Address of the page') }, required: ['url'] },
    execute: async ({ url }) => {
      const page = new DOMParser().parseFromString(await (await fetch(url)).text(), 'text/html')
      return page.querySelector('title')?.textContent ?? 'No title found'
    },
  },
]
const registered = await Promise.allSettled(tools.map((tool) => context.registerTool({ annotations: { readOnlyHint: true }, ...tool })))
for (const { reason } of registered) {
  if (reason && reason.name !== 'InvalidStateError') throw reason
}
return tools.length`

func (d *Dialect) registerTestTools() tool.Older {
	return tool.Older{
		Name: "webmcp_register_test_tools", Title: "Register sample WebMCP tools",
		Description: "Register sample tools (test_greet, test_calculator, test_fetch_title) on the page, for validation.",
		Schema:      schema(tabIDArg), Annotations: hints(false, false, false), Native: d.natives[nativeEvaluate],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(raw)
			if err != nil {
				return tool.Use{}, err
			}
			t, err := a.living(s)
			return d.evaluateOn(t, testTools), err
		},
		Reply: func(s tool.Scope, u tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			var v evaluated
			if err := result(out, &v); err != nil {
				return tool.Reply{Text: err.Error(), Failed: true}
			}
			return answer(struct {
				Status     string          `json:"status"`
				TabID      string          `json:"tabId"`
				Registered json.RawMessage `json:"registered"`
				ToolNames  []string        `json:"toolNames"`
			}{"ok", tabID(now(s, u.Tab).Tab), v.Value, d.pageTools(s, u.Tab)})
		},
	}
}
