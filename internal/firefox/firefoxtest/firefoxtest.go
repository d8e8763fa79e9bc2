// Package firefoxtest launches Firefox for tests, and lets them look at its
// pages and use them as a person would.
package firefoxtest

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"drawbridge/internal/firefox"
)

// Path is the Firefox that tests use. Without one they are skipped, unless
// DRAWBRIDGE_REQUIRE_BROWSER says that there must be one.
func Path(tb testing.TB) string {
	tb.Helper()
	path, err := firefox.Find(os.Getenv("DRAWBRIDGE_FIREFOX"))
	if err != nil {
		if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
	return path
}

// Launch starts a Firefox that ends with the test.
func Launch(tb testing.TB, o firefox.LaunchOptions) *firefox.Browser {
	tb.Helper()
	if o.Path == "" {
		o.Path = Path(tb)
	}
	b, err := firefox.Launch(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { Close(tb, b) })
	return b
}

// Close ends a Firefox that was launched.
func Close(tb testing.TB, b *firefox.Browser) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		tb.Error(err)
	}
}

// Call has the browser do a command of WebDriver BiDi.
func Call(tb testing.TB, b *firefox.Browser, command string, params, result any) {
	tb.Helper()
	if err := b.BiDi.Call(tb.Context(), command, params, result); err != nil {
		tb.Fatal(err)
	}
}

// A Context is a tab, or a frame in one.
type Context struct {
	ID       string    `json:"context"`
	URL      string    `json:"url"`
	Children []Context `json:"children"`
}

// Tabs lists the tabs with their frames.
func Tabs(tb testing.TB, b *firefox.Browser) []Context {
	tb.Helper()
	var tree struct {
		Contexts []Context `json:"contexts"`
	}
	Call(tb, b, "browsingContext.getTree", nil, &tree)
	return tree.Contexts
}

// Open opens a tab and waits until it has loaded.
func Open(tb testing.TB, b *firefox.Browser, url string) (context string) {
	tb.Helper()
	var tab struct {
		ID string `json:"context"`
	}
	Call(tb, b, "browsingContext.create", map[string]any{"type": "tab"}, &tab)
	Call(tb, b, "browsingContext.navigate", map[string]any{"context": tab.ID, "url": url, "wait": "complete"}, nil)
	return tab.ID
}

// Evaluate evaluates an expression in the page's own world, whatever its CSP
// is, and stores its value, or what its promise comes to, in result.
func Evaluate(tb testing.TB, b *firefox.Browser, context, expression string, result any) {
	tb.Helper()
	var got struct {
		Type   string `json:"type"`
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
		Exception struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	Call(tb, b, "script.evaluate", map[string]any{
		"expression": "(async () => JSON.stringify(await (" + expression + ")) ?? 'null')()", "awaitPromise": true,
		"target": map[string]any{"context": context},
	}, &got)
	if got.Type != "success" {
		tb.Fatalf("%s threw %s", expression, got.Exception.Text)
	}
	if err := json.Unmarshal([]byte(got.Result.Value), result); err != nil {
		tb.Fatalf("%s gave %s: %v", expression, got.Result.Value, err)
	}
}

// Chrome runs code in the browser's own window, as a person uses that. The
// browser must have been launched with --remote-allow-system-access.
func Chrome(tb testing.TB, b *firefox.Browser, code string) {
	tb.Helper()
	var windows struct {
		Contexts []Context `json:"contexts"`
	}
	Call(tb, b, "browsingContext.getTree", map[string]any{"moz:scope": "chrome"}, &windows)
	if len(windows.Contexts) == 0 {
		tb.Fatal("the browser has no window")
	}
	var none any
	Evaluate(tb, b, windows.Contexts[0].ID, "(async () => { "+code+" })()", &none)
}

// Click clicks at a point of the viewport as a person would.
func Click(tb testing.TB, b *firefox.Browser, context string, x, y int) {
	tb.Helper()
	Call(tb, b, "input.performActions", map[string]any{"context": context, "actions": []any{map[string]any{
		"type": "pointer", "id": "mouse", "actions": []any{
			map[string]any{"type": "pointerMove", "x": x, "y": y},
			map[string]any{"type": "pointerDown", "button": 0},
			map[string]any{"type": "pointerUp", "button": 0},
		},
	}}}, nil)
}

// Type types text into what has the focus.
func Type(tb testing.TB, b *firefox.Browser, context, text string) {
	tb.Helper()
	var keys []any
	for _, r := range text {
		keys = append(keys, map[string]any{"type": "keyDown", "value": string(r)}, map[string]any{"type": "keyUp", "value": string(r)})
	}
	Call(tb, b, "input.performActions", map[string]any{"context": context, "actions": []any{
		map[string]any{"type": "key", "id": "keyboard", "actions": keys},
	}}, nil)
}
