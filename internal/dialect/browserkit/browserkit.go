// Package browserkit is the vocabulary of mcp-browser-kit over our own tools:
// its twenty tools with their envelopes, its ids of browsers, tabs and elements,
// its pages of snapshots and reports of change, and its resources.
package browserkit

import (
	"encoding/json"
	"fmt"
	"sync"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// Name is what the older server called itself.
const Name = "MCP Browser Kit"

// Options configure a Dialect.
type Options struct {
	Natives []tool.Tool // that the dialect is over
	Version string      // of this server
}

// Dialect is the vocabulary as one session speaks it. It is a tool.Resourced.
type Dialect struct {
	natives map[string]tool.Tool
	version string
	tools   []tool.Tool

	turns turns

	mu        sync.Mutex // guards what follows
	documents documents
	snapshots snapshots
	news      news
}

// The native tools that are used.
const (
	nativeListTabs   = "list_tabs"
	nativeOpenTab    = "open_tab"
	nativeCloseTab   = "close_tab"
	nativeSnapshot   = "snapshot"
	nativeReadPage   = "read_page"
	nativeScreenshot = "screenshot"
	nativeClick      = "click"
	nativeFill       = "fill"
	nativePressKey   = "press_key"
	nativeScroll     = "scroll"
	nativeEvaluate   = "evaluate"
	nativeSavePage   = "save_page"
	nativeAskHuman   = "ask_human"
)

var needed = []string{
	nativeListTabs, nativeOpenTab, nativeCloseTab, nativeSnapshot, nativeReadPage, nativeScreenshot, nativeClick, nativeFill,
	nativePressKey, nativeScroll, nativeEvaluate, nativeSavePage, nativeAskHuman,
}

// New returns a Dialect for one session. It fails when Natives lacks a tool
// that it needs.
func New(o Options) (*Dialect, error) {
	d := &Dialect{natives: map[string]tool.Tool{}, version: o.Version}
	for _, t := range o.Natives {
		d.natives[t.Spec.Name] = t
	}
	for _, name := range needed {
		if _, ok := d.natives[name]; !ok {
			return nil, fmt.Errorf("browserkit: there is no tool %s", name)
		}
	}
	for _, o := range []tool.Older{
		d.captureTab(), d.savePage(), d.invokeJsFn(), d.openTab(), d.closeTab(), d.getSelection(),
		d.clickOnCoordinates(), d.fillTextToCoordinates(), d.hitEnterOnCoordinates(),
		d.clickOnElement(), d.fillTextToElement(), d.hitEnterOnElement(),
		d.scrollPage(), d.scrollElement(), d.showHumanHint(),
		d.getContext(), d.getReadableText(), d.getReadableElements(), d.getReadableElementHTML(), d.getSnapshotPage(),
	} {
		d.tools = append(d.tools, tool.As(o))
	}
	return d, nil
}

// Tools are those of every session, in the order in which they are listed.
func (d *Dialect) Tools() []tool.Tool { return d.tools }

// Other answers a call of a tool that there is not.
func (d *Dialect) Other(name string) tool.Tool {
	return tool.As(tool.Older{
		Name: name, Native: d.natives[nativeListTabs],
		In: func(tool.Scope, json.RawMessage) (tool.Use, error) {
			return tool.Use{}, invalid("Tool %s not found", tool.OneLine(name, longestName))
		},
	})
}

// Called is of no use to the dialect: the history has its calls.
func (d *Dialect) Called(tool.OlderCall) {}

const longestName = 200

// invalid is the error of a call that is none, as the older server's library
// told it.
func invalid(format string, args ...any) error {
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "MCP error -32602: " + fmt.Sprintf(format, args...)}
}

// use is a native call on a tab, whose arguments name it.
func (d *Dialect) use(native string, t browser.Tab, args any) tool.Use {
	return tool.Use{Tool: d.natives[native], Args: args, Tab: t.ID}
}
