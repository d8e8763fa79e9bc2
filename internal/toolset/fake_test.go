package toolset

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/tool"
)

// env is a tool.Env over nothing: it notes the ops and answers them with what
// the test gives it.
type env struct {
	tabs     []tool.TabView
	browsers []tool.BrowserView
	answer   func(tab browser.TabID, op browser.Op) (any, error)
	urlFault error
	shots    map[string]tool.Shot
	status   tool.Status

	ops     []browser.Op
	on      []browser.TabID // of each op
	current browser.TabID
	past    history.Page  // that Calls finds
	asked   history.Query // of Calls
	kept    bool
	written string // by NewFile

	pageTool   browser.PageTool // that calls are for
	pageTools  []browser.PageTool
	toolsKnown bool
	strict     bool // StrictSchemas

	mu       sync.Mutex // guards progress
	progress []string
}

// newEnv has one browser with one tab, t3, which is current.
func newEnv() *env {
	return &env{
		browsers: []tool.BrowserView{{ID: "b1", Info: browser.Info{Name: "launched", Way: "launched", Product: "Chromium 156", Caps: browser.AllCaps}}},
		tabs: []tool.TabView{{Current: true, Tab: browser.Tab{
			ID: "t3", Browser: "b1", Doc: 4, URL: "https://shop.example/checkout", Title: "Checkout", Caps: browser.AllCaps &^ browser.CanOpenTabs,
		}}},
		shots:  map[string]tool.Shot{},
		answer: func(browser.TabID, browser.Op) (any, error) { return nil, nil },
	}
}

func (e *env) Run(ctx context.Context, tab browser.TabID, op browser.Op, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.ops, e.on = append(e.ops, op), append(e.on, tab)
	v, err := e.answer(tab, op)
	if err == nil && v != nil && result != nil {
		reflect.ValueOf(result).Elem().Set(reflect.ValueOf(v))
	}
	return err
}

func (e *env) Lookup(id browser.TabID) (browser.Tab, bool) {
	for _, t := range e.tabs {
		if t.ID == id {
			return t.Tab, true
		}
	}
	return browser.Tab{}, false
}

func (e *env) PageTool() browser.PageTool { return e.pageTool }
func (e *env) StrictSchemas() bool        { return e.strict }
func (e *env) PageTools(browser.TabID) ([]browser.PageTool, bool) {
	return e.pageTools, e.toolsKnown
}

func (e *env) Tabs() []tool.TabView         { return e.tabs }
func (e *env) Browsers() []tool.BrowserView { return e.browsers }

func (e *env) OpenTab(_ context.Context, name string, op browser.OpenTab, keep bool) (browser.Tab, error) {
	t := browser.Tab{ID: "t9", Browser: "b1", Doc: 1, URL: "about:blank"}
	e.ops, e.on, e.kept = append(e.ops, op), append(e.on, ""), keep
	e.tabs = append(e.tabs, tool.TabView{Tab: t})
	return t, nil
}

func (e *env) Asker() (client, session string)     { return "claude", "s1" }
func (e *env) Status() tool.Status                 { return e.status }
func (e *env) SetCurrent(id browser.TabID)         { e.current = id }
func (e *env) CheckURL(raw string) (string, error) { return raw, e.urlFault }
func (e *env) KeepShot(s tool.Shot) string         { e.shots["s1"] = s; return "s1" }
func (e *env) Shot(handle string) (tool.Shot, bool) {
	s, ok := e.shots[handle]
	return s, ok
}

func (e *env) Calls(_ context.Context, q history.Query) (history.Page, error) {
	e.asked = q
	return e.past, nil
}

func (e *env) ClearCalls(context.Context) (int, error) { return len(e.past.Entries), nil }

func (e *env) Progress(_ context.Context, _, _ float64, message string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.progress = append(e.progress, message)
}

func (e *env) FileToRead(path string) (string, fs.FileInfo, error) {
	info, err := os.Stat(path)
	return path, info, err
}

func (e *env) NewFile(path, suggested string, write func(io.Writer) error) (string, int64, error) {
	var b strings.Builder
	err := write(&b)
	e.written = b.String()
	if path == "" {
		path = "/work/" + suggested
	}
	return path, int64(b.Len()), err
}

// named returns the tool of that name.
func named(t testing.TB, name string) tool.Tool {
	t.Helper()
	for _, x := range All() {
		if x.Spec.Name == name {
			return x
		}
	}
	t.Fatalf("no tool %s", name)
	return tool.Tool{}
}

// call binds args and runs the tool on t3.
func (e *env) call(ctx context.Context, t testing.TB, name, args string) (tool.Output, error) {
	t.Helper()
	x := named(t, name)
	b, err := x.Bind(json.RawMessage(args))
	if err != nil {
		return nil, err
	}
	tab := browser.TabID("")
	if b.HasTab {
		tab = "t3"
	}
	return b.Run(ctx, tool.NewCall(e, x.Spec, tab))
}
