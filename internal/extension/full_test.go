package extension_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
	"drawbridge/internal/link"
)

// Without the permission to run scripts of its own choosing, but with full power.
func TestFullPower(t *testing.T) {
	t.Parallel()
	b, s := newBridge(t), newSite(t)
	dir := t.TempDir()
	if err := write(extension.Chromium, b, func(c *extension.Config) { c.FullPower = true })(dir); err != nil {
		t.Fatal(err)
	}
	launch(t, cdp.LaunchOptions{Args: []string{"--load-extension=" + dir}})
	c := b.next(t, longest)
	if h := c.hello; !h.Full || h.Scripts || !h.Hidden || !h.Captures {
		t.Errorf("%+v", h)
	}
	tab, frames := visit(t, c, s.near+"/strict")
	send := func(method string, params any) json.RawMessage {
		t.Helper()
		raw, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		return do[link.DebugReply](t, c, "debug", link.DebugArgs{Tab: tab.Tab, Method: method, Params: raw}).Result
	}
	if f := refused(t, c, "evaluate", link.EvaluateArgs{Tab: tab.Tab, Document: frames[0].Document, Code: "1"}); f.Code != "not_supported" {
		t.Errorf("%+v", f)
	}
	if raw := send("Runtime.evaluate", map[string]any{"expression": "document.title", "returnByValue": true}); !strings.Contains(string(raw), `"Strict"`) {
		t.Errorf("%s", raw)
	}
	from := c.mark()
	send("Runtime.enable", nil)
	awaitEvent(t, c, from, "debugged", func(d link.DebugEvent) bool { return d.Tab == tab.Tab && d.Method == "Runtime.executionContextCreated" })
	var shot struct{ Data string }
	if err := json.Unmarshal(send("Page.captureScreenshot", map[string]any{"format": "png"}), &shot); err != nil {
		t.Fatal(err)
	}
	if data, err := base64.StdEncoding.DecodeString(shot.Data); err != nil || len(data) < 100 {
		t.Errorf("%d bytes %v", len(data), err)
	}
	for _, method := range []string{"Browser.close", "Storage.getCookies", "Network.getAllCookies", "Target.createTarget", "Fetch.enable", "Page.navigate", "Nothing"} {
		if f := refused(t, c, "debug", link.DebugArgs{Tab: tab.Tab, Method: method}); f.Code != "denied" {
			t.Errorf("%s: %+v", method, f)
		}
	}
	if f := refused(t, c, "debug", link.DebugArgs{Tab: tab.Tab, Method: "Input.dispatchKeyEvent", Params: json.RawMessage(`{"type": 7}`)}); f.Code != "invalid_arguments" {
		t.Errorf("%+v", f)
	}
	from = c.mark()
	do[link.None](t, c, "letGo", link.TabArgs{Tab: tab.Tab})
	letGo := func() {
		t.Helper()
		awaitEvent(t, c, from, "letGoOf", func(d link.DebugGone) bool { return d.Tab == tab.Tab && d.Why == "us" })
	}
	letGo()
	// By itself after ten seconds in which nothing was asked of it.
	from = c.mark()
	began := time.Now()
	send("Page.enable", nil)
	letGo()
	if took := time.Since(began); took < 9*time.Second {
		t.Errorf("an idle debugger is let go of after %s", took)
	}
}

// How often the script for page tools is there before the page's own, where the
// browser does not put it there by itself.
func BenchmarkScriptIsEarly(b *testing.B) {
	br, s := newBridge(b), newSite(b)
	dir := b.TempDir()
	if err := write(extension.Chromium, br, nil)(dir); err != nil {
		b.Fatal(err)
	}
	launch(b, cdp.LaunchOptions{Args: []string{"--load-extension=" + dir, "--disable-features=WebMCP"}})
	c := br.next(b, longest)
	do[link.None](b, c, "script", link.ScriptArgs{Key: "a key", Polyfill: true})
	early, seen := 0, 0
	for b.Loop() {
		tab, _ := visit(b, c, s.near+"/early?titled")
		info := do[link.TabInfo](b, c, "getTab", link.TabArgs{Tab: tab.Tab})
		if seen++; info.Title == "true" {
			early++
		}
	}
	b.ReportMetric(float64(early)/float64(seen), "early")
}
