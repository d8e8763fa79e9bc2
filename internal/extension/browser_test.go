package extension_test

import (
	"context"
	"os"
	"testing"

	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
	"drawbridge/internal/firefox/firefoxtest"
)

// write is what puts an extension for the bridge into a folder.
func write(engine extension.Engine, b *bridge, change func(*extension.Config)) func(dir string) error {
	config := extension.Config{Address: b.address(), Name: testName, Token: testToken, AllowAll: true, Browser: "work"}
	if change != nil {
		change(&config)
	}
	return func(dir string) error { return extension.Write(dir, engine, config) }
}

// firefoxWith starts a Firefox with the extension.
func firefoxWith(t testing.TB, b *bridge, change func(*extension.Config)) *firefox.Browser {
	return firefoxtest.Launch(t, firefox.LaunchOptions{Extension: write(extension.Firefox, b, change)})
}

// chromium starts one with the extension. Its DevTools connection is the test's
// own look at it.
func chromium(t testing.TB, b *bridge, change func(*extension.Config)) cdp.Connection {
	t.Helper()
	return launch(t, cdp.LaunchOptions{
		Extension: write(extension.Chromium, b, change), Downloads: t.TempDir(), Args: []string{"--site-per-process", "--disable-features=WebMCP", "--host-resolver-rules=MAP chromewebstore.google.com 127.0.0.1:1"},
	})
}

func launch(t testing.TB, o cdp.LaunchOptions) cdp.Connection {
	t.Helper()
	if _, err := cdp.FindBrowser(""); err != nil {
		if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	ch, err := cdp.Launch(t.Context(), o)
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
