package extension_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"drawbridge/internal/cdp"
)

// install writes an extension as it is written for a browser's user, for the bridge.
func install(t testing.TB, engine string, b *bridge, more map[string]any) string {
	t.Helper()
	dir := t.TempDir()
	for _, from := range []string{"common", engine} {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("files", from))); err != nil {
			t.Fatal(err)
		}
	}
	config := map[string]any{"address": b.address(), "name": testName, "token": testToken, "allowAll": true, "browser": "work"}
	for k, v := range more {
		config[k] = v
	}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// chromium starts one with the extension. Its DevTools connection is the test's
// own look at it.
func chromium(t testing.TB, b *bridge, more map[string]any) cdp.Connection {
	t.Helper()
	if _, err := cdp.FindBrowser(""); err != nil {
		if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	ch, err := cdp.Launch(t.Context(), cdp.LaunchOptions{Args: []string{"--load-extension=" + install(t, "chromium", b, more), "--site-per-process"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = ch.Conn.Run(ctx, func(cdp.Event) {})
	}()
	t.Cleanup(func() {
		cancel()
		if err := ch.Close(context.Background()); err != nil {
			t.Error(err)
		}
		<-done
	})
	return ch.Conn
}
