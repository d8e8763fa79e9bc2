package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/sqlite"
)

// recordedCalls makes a file of two calls.
func recordedCalls(t *testing.T) (dataDir string) {
	t.Helper()
	dir := t.TempDir()
	s := sqlite.New(sqlite.Options{Path: filepath.Join(dir, "history.db")})
	at := time.Now().Add(-time.Hour)
	s.Add(history.Entry{Time: at, Client: "ann", Session: "1", Tool: "click", Action: "act", Tab: "t3", Origin: "https://shop.example", Args: "{\"ref\":\"e1\"}", Took: 84 * time.Millisecond})
	s.Add(history.Entry{Time: at.Add(time.Minute), Client: "bob", Session: "2", Tool: "odd\x1b[31m", PageTool: "add\x1b[31m", Args: "{}", Code: browser.CodeDenied, Error: "denied", Took: 1500 * time.Microsecond})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHistory(t *testing.T) {
	dir := recordedCalls(t)
	for _, tt := range []struct {
		args       string
		want, lack string // parts of the output
	}{
		{"history", "ann  click                        t3  ok      84ms  https://shop.example  {\"ref\":\"e1\"}", "\x1b"},
		{"history", "\n", ""},
		{"history --client ann", "click", "bob"},
		{"history --failed", "denied  2ms", "click"},
		{"history --failed", "{} · denied", ""},
		{"history --tool none", "", "click"},
		{"history list --tool click", "click", "bob"},
		{"history --tool add\x1b[31m", "odd\\u001b[31m add\\u001b[31m", "click"},
		{"history --text SHOP.example", "click", "bob"},
		{"history --since 59m30s", "bob", "click"},
		{"history --limit 1", "bob", "click"},
		{"history --limit 0 --json --client bob", `"ok":false,"code":"denied","error":"denied","ms":1.5,"bytes":0}`, "ann"},
		{"history --history off", "", "click"},
		{"history --history none.db", "", "click"},
		{"history clear --client bob", "1 deleted", ""},
		{"history", "ann", "bob"},
		{"history clear", "1 deleted", ""},
		{"doctor --json --browser /nowhere", filepath.Join(dir, "history.db"), ""},
	} {
		var out, errs bytes.Buffer
		m := &Main{Dir: t.TempDir(), DataDir: dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
		code := m.Run(t.Context(), strings.Fields(tt.args))
		if !strings.Contains(out.String(), tt.want) || tt.lack != "" && strings.Contains(out.String(), tt.lack) {
			t.Errorf("%s: code %d, no %q, or %q\n%s%s", tt.args, code, tt.want, tt.lack, &out, &errs)
		}
		for line := range strings.Lines(out.String()) {
			if strings.Contains(tt.args, "--json") && strings.HasPrefix(tt.args, "history") && !json.Valid([]byte(line)) {
				t.Errorf("%s: no JSON: %s", tt.args, line)
			}
		}
	}
}

// What cannot be read is told, with the file's name.
func TestHistoryOfNoUse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "history.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, code := range map[string]int{"history": exitFailed, "history clear": exitFailed, "history --history off": exitUsage, "history --history none.db": exitOK} {
		var out, errs bytes.Buffer
		m := &Main{Dir: dir, DataDir: dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
		if got := m.Run(t.Context(), strings.Fields(args)); got != code || errs.Len() == 0 || out.Len() > 0 {
			t.Errorf("%s: code %d, want %d\n%s%s", args, got, code, &out, &errs)
		}
		if code == exitFailed && !strings.Contains(errs.String(), path) {
			t.Errorf("%s names no file: %s", args, &errs)
		}
	}
}
