package firefox_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/firefox"
	"drawbridge/internal/firefox/firefoxtest"
)

// ownTemp gives the test a temporary folder.
func ownTemp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return dir
}

func isEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s was left in the temporary folder", e.Name())
	}
}

func site(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'")
			fmt.Fprint(w, `<button style="position:fixed;inset:0 auto auto 0;width:90px;height:40px">go</button><input autofocus style="margin-top:60px">
<script>onclick = (e) => { document.title = "clicked " + e.isTrusted; document.querySelector("input").focus(); };</script>`)
		case "/file":
			w.Header().Set("Content-Disposition", `attachment; filename="a.txt"`)
			fmt.Fprint(w, "content")
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// marking is an extension that marks every page.
func marking(dir string) error { return os.CopyFS(dir, os.DirFS("testdata/extension")) }

func TestLaunch(t *testing.T) {
	temp, downloads, url := ownTemp(t), t.TempDir(), site(t)
	t.Setenv("HOME", t.TempDir())
	b, err := firefox.Launch(t.Context(), firefox.LaunchOptions{Path: firefoxtest.Path(t), Extension: marking, Downloads: downloads, Width: 800, Height: 600})
	if err != nil {
		t.Fatal(err)
	}
	defer firefoxtest.Close(t, b)
	if !strings.HasPrefix(b.Product, "Firefox ") || len(b.Product) < len("Firefox 1.0") {
		t.Errorf("product %q", b.Product)
	}
	if b.Extension != "launch-test@drawbridge.example" {
		t.Errorf("extension %q", b.Extension)
	}
	if tabs := firefoxtest.Tabs(t, b); len(tabs) != 1 || tabs[0].URL != "about:blank" {
		t.Errorf("tabs %v", tabs)
	}
	tab := firefoxtest.Open(t, b, url)
	var mark, title, value string
	var size [2]int
	firefoxtest.Evaluate(t, b, tab, `document.documentElement.dataset.extension`, &mark)
	firefoxtest.Evaluate(t, b, tab, `[innerWidth, innerHeight]`, &size)
	if mark != "here" || size != [2]int{800, 600} {
		t.Errorf("the page has the mark %q and the size %v", mark, size)
	}
	firefoxtest.Click(t, b, tab, 20, 20)
	firefoxtest.Type(t, b, tab, "é1")
	firefoxtest.Evaluate(t, b, tab, `document.title`, &title)
	firefoxtest.Evaluate(t, b, tab, `document.querySelector("input").value`, &value)
	if title != "clicked true" || value != "é1" {
		t.Errorf("the page has the title %q and the value %q", title, value)
	}
	firefoxtest.Evaluate(t, b, tab, `alert("does not stay open")`, new(any))

	firefoxtest.Evaluate(t, b, tab, `void (location = "/file")`, new(any))
	arrives(t, filepath.Join(downloads, "a.txt"), "content")

	var refused *firefox.Error
	if err := b.BiDi.Call(t.Context(), "browsingContext.close", map[string]any{"context": "none"}, nil); !errors.As(err, &refused) || refused.Code != "no such frame" {
		t.Errorf("got %v", err)
	}
	firefoxtest.Close(t, b)
	if err := b.BiDi.Call(t.Context(), "session.status", nil, nil); err == nil {
		t.Error("a browser that was closed answers")
	}
	isEmpty(t, temp)
	if runtime.GOOS == "linux" {
		isEmpty(t, os.Getenv("HOME"))
	}
}

// arrives waits for a file.
func arrives(t *testing.T, path, want string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	for {
		if got, err := os.ReadFile(path); err == nil && string(got) == want {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s did not arrive", path)
		}
	}
}

func TestBadExtension(t *testing.T) {
	temp := ownTemp(t)
	_, err := firefox.Launch(t.Context(), firefox.LaunchOptions{Path: firefoxtest.Path(t), Extension: func(string) error { return nil }})
	var e *browser.Error
	if !errors.As(err, &e) || e.Code != browser.CodeNoBrowser || !strings.Contains(e.Msg, "extension was not installed") {
		t.Errorf("got %v", err)
	}
	isEmpty(t, temp)
}

// program is a script in the place of Firefox.
func program(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), "firefox")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDoesNotStart(t *testing.T) {
	for _, tt := range []struct{ about, script, msg, hint string }{
		{"no screen", "echo 'Error: no DISPLAY environment variable specified' >&2; exit 1", "no DISPLAY environment variable", "run headless"},
		{"ends", "exit 3", "ended before it could be reached", ""},
	} {
		t.Run(tt.about, func(t *testing.T) {
			temp := ownTemp(t)
			_, err := firefox.Launch(t.Context(), firefox.LaunchOptions{Path: program(t, tt.script)})
			var e *browser.Error
			if !errors.As(err, &e) || e.Code != browser.CodeNoBrowser || !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("got %v", err)
			}
			isEmpty(t, temp)
		})
	}
}

func TestLaunchGivenUp(t *testing.T) {
	temp := ownTemp(t)
	up := filepath.Join(t.TempDir(), "up")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
			if _, err := os.Stat(up); err == nil || t.Context().Err() != nil {
				return
			}
		}
	}()
	_, err := firefox.Launch(ctx, firefox.LaunchOptions{Path: program(t, "touch "+up+"; sleep 60 & wait")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	isEmpty(t, temp)
}
