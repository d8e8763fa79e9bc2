package cdp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// browserPath is the browser that tests use. Without one they are skipped,
// unless DRAWBRIDGE_REQUIRE_BROWSER says that there must be one.
func browserPath(tb testing.TB) string {
	tb.Helper()
	path, err := FindBrowser(os.Getenv("DRAWBRIDGE_BROWSER"))
	if err != nil {
		if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
	return path
}

// launched starts a browser whose files are all in a folder of the test's, and
// runs its connection until the test ends.
func launched(tb testing.TB, o LaunchOptions) (b *Browser, ran <-chan error) {
	tb.Helper()
	if o.Path == "" {
		o.Path = browserPath(tb)
	}
	b, err := Launch(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { closeAll(tb, b) })
	done := make(chan error, 1)
	go func() { done <- b.Conn.Run(context.Background(), ignore) }()
	return b, done
}

func closeAll(tb testing.TB, b *Browser) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		tb.Error(err)
	}
}

// ownTemp gives the test a temporary folder, with a path that is short enough
// for sockets in it.
func ownTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cdp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
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

// page attaches to the page that the browser shows at the start.
func page(tb testing.TB, c Transport) (session string) {
	tb.Helper()
	var targets struct {
		TargetInfos []struct {
			TargetID string `json:"targetId"`
			Type     string `json:"type"`
		} `json:"targetInfos"`
	}
	for range 100 { // the page comes a little after the first answer
		if err := c.Send(tb.Context(), "", "Target.getTargets", nil, &targets); err != nil {
			tb.Fatal(err)
		}
		for _, ti := range targets.TargetInfos {
			if ti.Type != "page" {
				continue
			}
			var got struct {
				SessionID string `json:"sessionId"`
			}
			if err := c.Send(tb.Context(), "", "Target.attachToTarget", map[string]any{"targetId": ti.TargetID, "flatten": true}, &got); err != nil {
				tb.Fatal(err)
			}
			return got.SessionID
		}
	}
	tb.Fatal("no page")
	return ""
}

func evaluate(tb testing.TB, c Transport, session, expression string, value any) {
	tb.Helper()
	got := struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
	}{}
	got.Result.Value = value
	params := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}
	if err := c.Send(tb.Context(), session, "Runtime.evaluate", params, &got); err != nil {
		tb.Fatal(err)
	}
}

func TestLaunch(t *testing.T) {
	temp := ownTemp(t)
	b, ran := launched(t, LaunchOptions{})
	if !strings.ContainsAny(b.Product, "0123456789") || strings.Contains(b.Product, "/") {
		t.Errorf("product %q", b.Product)
	}
	if root := isRoot(); root != (len(b.Notes) == 1) {
		t.Errorf("root: %v, notes: %q", root, b.Notes)
	}
	st, err := os.Stat(b.dir.Path)
	if err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("the profile's folder: %v, %v", st.Mode(), err)
	}
	s := page(t, b.Conn)
	var height int
	var got struct {
		Width int    `json:"width"`
		Agent string `json:"agent"`
	}
	// A bar that comes late would make the page lower after its first moments.
	evaluate(t, b.Conn, s, `new Promise(done => setTimeout(() => done(innerHeight), 1000))`, &height)
	if height < 700 || height > 740 {
		t.Errorf("the page's height is %d", height)
	}
	evaluate(t, b.Conn, s, `({width: innerWidth, agent: navigator.userAgent})`, &got)
	if got.Width != 1280 {
		t.Errorf("the page's width is %d", got.Width)
	}
	if !strings.Contains(got.Agent, "Chrome/") {
		t.Errorf("agent %q", got.Agent)
	}
	closeAll(t, b)
	if err := <-ran; browser.CodeOf(err) != browser.CodeDisconnected {
		t.Errorf("Run: %v", err)
	}
	if err := b.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}
	isEmpty(t, temp)
}

// The browser ends by itself, orderly, when the connection ends.
func TestContextEndsBrowser(t *testing.T) {
	temp := ownTemp(t)
	b, err := Launch(t.Context(), LaunchOptions{Path: browserPath(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Conn.Run(ctx, ignore); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
	if err := b.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}
	closeAll(t, b)
	isEmpty(t, temp)
}

func TestCloseWithoutRun(t *testing.T) {
	temp := ownTemp(t)
	b, err := Launch(t.Context(), LaunchOptions{Path: browserPath(t)})
	if err != nil {
		t.Fatal(err)
	}
	closeAll(t, b)
	closeAll(t, b)
	isEmpty(t, temp)
}

func TestBrowserCrash(t *testing.T) {
	temp := ownTemp(t)
	b, ran := launched(t, LaunchOptions{})
	b.process.Kill()
	if err := <-ran; browser.CodeOf(err) != browser.CodeDisconnected || !errors.Is(err, io.EOF) {
		t.Errorf("Run: %v", err)
	}
	if err := b.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Wait: %v", err)
	}
	closeAll(t, b)
	isEmpty(t, temp)
}

// A page that is closed answers no more: whoever waits for it is told.
func TestSendToClosedPage(t *testing.T) {
	ownTemp(t)
	b, _ := launched(t, LaunchOptions{})
	var made struct {
		TargetID string `json:"targetId"`
	}
	first := page(t, b.Conn)
	if err := b.Conn.Send(t.Context(), "", "Target.createTarget", map[string]string{"url": "about:blank"}, &made); err != nil {
		t.Fatal(err)
	}
	var at struct {
		SessionID string `json:"sessionId"`
	}
	if err := b.Conn.Send(t.Context(), "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &at); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error, 1)
	go func() {
		waits <- b.Conn.Send(t.Context(), at.SessionID, "Runtime.evaluate", map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}, nil)
	}()
	evaluate(t, b.Conn, at.SessionID, "1", new(int)) // the promise was asked for before it
	if err := b.Conn.Send(t.Context(), "", "Target.closeTarget", map[string]string{"targetId": made.TargetID}, nil); err != nil {
		t.Fatal(err)
	}
	var refusal *ProtocolError
	if err := <-waits; !errors.Is(err, ErrDetached) && !errors.As(err, &refusal) {
		t.Errorf("got %v", err)
	}
	evaluate(t, b.Conn, first, "1", new(int)) // others are not concerned
}

func TestProfileStays(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "profile")
	temp := ownTemp(t)
	o := LaunchOptions{Path: browserPath(t), Profile: profile}
	b, _ := launched(t, o)
	page(t, b.Conn)
	if _, err := Launch(t.Context(), o); browser.CodeOf(err) != browser.CodeNoBrowser || !strings.Contains(err.Error(), "is in use") {
		t.Errorf("a second browser in the profile: %v", err)
	}
	closeAll(t, b)
	isEmpty(t, temp)
	prefs, err := os.ReadFile(filepath.Join(profile, "Default", "Preferences"))
	if err != nil || !bytes.Contains(prefs, []byte(`"exit_type":"Normal"`)) {
		t.Errorf("the profile was not left in order: %v", err)
	}
	b, _ = launched(t, o)
	closeAll(t, b)
}

// script makes a program that stands in for a browser.
func script(t *testing.T, body string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLaunchFails(t *testing.T) {
	for _, tt := range []struct{ about, body, msg, hint string }{
		{"library", "echo \"chrome: error while loading shared libraries: libnss3.so: cannot open\" >&2; exit 127", "libnss3.so", "install the missing library"},
		{"sandbox", "echo first >&2; echo '[1:1] FATAL: No usable sandbox! Update' >&2; echo more >&2; exit 1", "No usable sandbox!", "--no-sandbox"},
		{"display", "echo 'ERROR: Missing X server or $DISPLAY' >&2; exit 1", "Missing X server", "headless"},
		{"says something", "echo one >&2; echo two words >&2; exit 3", "did not start: two words", ""},
		{"says nothing", "exit 3", "exit status 3", ""},
		{"closes its pipe and stays", "exec 3<&- 4>&-; exec sleep 60", "did not start", ""},
		{"speaks something else", "printf 'hello\\0' >&4; exec sleep 60", "did not start", ""},
	} {
		t.Run(tt.about, func(t *testing.T) {
			path := script(t, tt.body)
			temp := ownTemp(t)
			_, err := Launch(t.Context(), LaunchOptions{Path: path})
			var e *browser.Error
			if !errors.As(err, &e) || e.Code != browser.CodeNoBrowser || !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("got %v", err)
			}
			isEmpty(t, temp)
		})
	}
	t.Run("not a program", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "none")
		temp := ownTemp(t)
		_, err := Launch(t.Context(), LaunchOptions{Path: path})
		if browser.CodeOf(err) != browser.CodeNoBrowser || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
		isEmpty(t, temp)
	})
	t.Run("everyday profile", func(t *testing.T) {
		path, profile := script(t, "echo 'DevTools remote debugging requires a non-default data directory.' >&2; exec sleep 60"), t.TempDir()
		temp := ownTemp(t)
		began := time.Now()
		_, err := Launch(t.Context(), LaunchOptions{Path: path, Profile: profile})
		if browser.CodeOf(err) != browser.CodeNoBrowser || !strings.Contains(err.Error(), "use another folder") || time.Since(began) > startLimit/2 {
			t.Errorf("got %v", err)
		}
		isEmpty(t, temp)
	})
	t.Run("profile in use", func(t *testing.T) {
		path, profile := script(t, "echo 'Opening in existing browser session.' >&2; exit 0"), t.TempDir()
		temp := ownTemp(t)
		_, err := Launch(t.Context(), LaunchOptions{Path: path, Profile: profile})
		if browser.CodeOf(err) != browser.CodeNoBrowser || !strings.Contains(err.Error(), "is in use") {
			t.Errorf("got %v", err)
		}
		isEmpty(t, temp)
	})
	t.Run("cancelled", func(t *testing.T) {
		path := script(t, "read x <&3; exec sleep 60")
		temp := ownTemp(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if _, err := Launch(ctx, LaunchOptions{Path: path}); browser.CodeOf(err) != browser.CodeCancelled {
			t.Errorf("got %v", err)
		}
		isEmpty(t, temp)
	})
	t.Run("too slow", func(t *testing.T) {
		path := script(t, "exec sleep 60")
		temp := ownTemp(t)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := Launch(ctx, LaunchOptions{Path: path}); browser.CodeOf(err) != browser.CodeTimeout {
			t.Errorf("got %v", err)
		}
		isEmpty(t, temp)
	})
}

// A browser that does not end when it is told to is killed, and what it
// started as well.
func TestCloseKills(t *testing.T) {
	path := script(t, `trap '' TERM
printf '{"id":0,"result":{"product":"Stub/1.0"}}\0' >&4
sleep 60 &
while :; do sleep 1; done`)
	temp := ownTemp(t)
	b, err := Launch(t.Context(), LaunchOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if b.Product != "Stub 1.0" {
		t.Errorf("product %q", b.Product)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Close(ctx); err != nil {
		t.Error(err)
	}
	isEmpty(t, temp)
}

func TestVersionName(t *testing.T) {
	for _, tt := range []struct{ product, agent, path, want string }{
		{"HeadlessChrome/156.0.1", "", "/usr/bin/chromium", "Chromium 156.0.1"},
		{"Chrome/156.0.1", "", "/Applications/Chromium.app/Contents/MacOS/Chromium", "Chromium 156.0.1"},
		{"HeadlessChrome/156.0.1", "", "/opt/google/chrome/chrome", "Chrome 156.0.1"},
		{"Chrome/156.0.1", "Mozilla/5.0 … Edg/156.0.2", "", "Edge 156.0.1"},
		{"Chrome/156.0.1", "", "/usr/bin/brave-browser", "Brave 156.0.1"},
		{"Other", "", "", "Other"},
	} {
		if got := (version{tt.product, tt.agent}).name(tt.path); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// BenchmarkEvaluate is a round trip to a real page.
func BenchmarkEvaluate(b *testing.B) {
	br, _ := launched(b, LaunchOptions{Log: slog.New(slog.DiscardHandler)})
	s := page(b, br.Conn)
	params := map[string]any{"expression": "1", "returnByValue": true}
	run := func() {
		var got struct {
			Result struct {
				Value int `json:"value"`
			} `json:"result"`
		}
		if err := br.Conn.Send(b.Context(), s, "Runtime.evaluate", params, &got); err != nil || got.Result.Value != 1 {
			b.Error(err)
		}
	}
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			run()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				run()
			}
		})
	})
}

func BenchmarkLaunch(b *testing.B) {
	path := browserPath(b)
	for b.Loop() {
		br, err := Launch(b.Context(), LaunchOptions{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		closeAll(b, br)
		b.StartTimer()
	}
}
