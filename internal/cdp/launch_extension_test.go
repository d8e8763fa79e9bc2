package cdp

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// The extension marks pages by a script that it may only run once it is allowed
// to, past the page's policy.
func TestLaunchWithExtension(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", `attachment; filename="a.txt"`)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		w.Header().Set("Content-Type", "text/html")
	}))
	defer s.Close()
	downloads, temp := t.TempDir(), ownTemp(t)
	b, _ := launched(t, LaunchOptions{
		Extension: func(dir string) error { return os.CopyFS(dir, os.DirFS("testdata/extension")) }, Downloads: downloads,
	})
	if len(b.Extension) != 32 || len(b.Notes) > 1 {
		t.Errorf("extension %q, notes %q", b.Extension, b.Notes)
	}
	session := page(t, b.Conn)
	send := func(method string, params, result any) {
		t.Helper()
		if err := b.Conn.Send(t.Context(), session, method, params, result); err != nil {
			t.Fatal(err)
		}
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	wait := func() {
		t.Helper()
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("it did not happen in time")
		}
	}
	send("Page.navigate", map[string]any{"url": s.URL}, nil)
	for mark := ""; mark != "here"; wait() {
		var got struct {
			Result struct {
				Value string `json:"value"`
			} `json:"result"`
		}
		send("Runtime.evaluate", map[string]any{"expression": "document.documentElement.dataset.extension ?? ''"}, &got)
		mark = got.Result.Value
	}
	b.Conn.Post(session, "Page.navigate", json.RawMessage(`{"url":"`+s.URL+`/file"}`))
	for !exists(filepath.Join(downloads, "a.txt")) {
		wait()
	}
	var targets struct {
		Infos []struct {
			Type, URL string
		} `json:"targetInfos"`
	}
	if err := b.Conn.Send(t.Context(), "", "Target.getTargets", nil, &targets); err != nil {
		t.Fatal(err)
	}
	for _, target := range targets.Infos {
		if target.Type == "page" && strings.HasPrefix(target.URL, "chrome:") {
			t.Errorf("%s is open", target.URL)
		}
	}
	closeAll(t, b)
	isEmpty(t, temp)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestLaunchWithBadExtension(t *testing.T) {
	for _, tt := range []struct {
		about string
		write func(dir string) error
		want  string
	}{
		{"no manifest", func(string) error { return nil }, "did not load the extension"},
		{"not written", func(string) error { return errors.New("the disk is full") }, "the disk is full"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			temp := ownTemp(t)
			_, err := Launch(t.Context(), LaunchOptions{Path: browserPath(t), Extension: tt.write})
			var e *browser.Error
			if !errors.As(err, &e) || e.Code != browser.CodeNoBrowser || !strings.Contains(e.Msg, tt.want) {
				t.Errorf("got %v", err)
			}
			isEmpty(t, temp)
		})
	}
}
