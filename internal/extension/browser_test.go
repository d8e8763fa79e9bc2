package extension_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"drawbridge/internal/cdp"
	"drawbridge/internal/firefox"
	"drawbridge/internal/firefox/firefoxtest"
)

// write puts an extension for the bridge into a folder, as it is written for a browser's user.
func write(dir, engine string, b *bridge, more map[string]any) error {
	for _, from := range []string{"common", engine} {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("files", from))); err != nil {
			return err
		}
	}
	config := map[string]any{"address": b.address(), "name": testName, "token": testToken, "allowAll": true, "browser": "work"}
	for k, v := range more {
		config[k] = v
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), text, 0o600)
}

// firefoxWith starts a Firefox with the extension.
func firefoxWith(t testing.TB, b *bridge, more map[string]any) *firefox.Browser {
	return firefoxtest.Launch(t, firefox.LaunchOptions{Extension: func(dir string) error { return write(dir, "firefox", b, more) }})
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
	ch, err := cdp.Launch(t.Context(), cdp.LaunchOptions{
		Extension: func(dir string) error { return write(dir, "chromium", b, more) }, Args: []string{"--site-per-process"},
	})
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
