package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// run runs the program in this process, in a folder of its own.
func run(t *testing.T, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	m := &Main{Dir: t.TempDir(), Stdin: stdin, Stdout: &out, Stderr: &errs}
	code = m.Run(t.Context(), args)
	return code, out.String(), errs.String()
}

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"--help", exitOK, "Usage: drawbridge", ""},
		{"version", exitOK, "drawbridge ", ""},
		{"tools", exitOK, "  click ", ""},
		{"config", exitOK, "headless", ""},
		{"fly", exitUsage, "", "drawbridge: hint: "},
		{"serve --nope", exitUsage, "", "unknown flag --nope"},
		{"call fly", exitUsage, "", `there is no tool "fly"`},
		{"call click ref", exitUsage, "", "key=value"},
		{"demo --serve 0.0.0.0:8080", exitUsage, "", "127.0.0.1:8080"},
		{"demo --serve shop", exitUsage, "", `"shop" is no address`},
		{"config --config missing.yaml", exitUsage, "", "missing.yaml"},
		{"call list_tabs --browser firefox", exitUsage, "", "add --via extension"},
		{"call list_tabs --via extension --cdp auto", exitUsage, "", "--cdp and --via extension do not go together"},
		{"call list_tabs --via extension --profile p", exitUsage, "", "--profile and --via extension"},
		{"call list_tabs --via extension --browser firefox --full-power", exitUsage, "", "no full power in Firefox"},
		{"call list_tabs --full-power", exitUsage, "", "add --via extension"},
		{"call open_tab url=about:blank --via extension --browser /nowhere/firefox", exitFailed, "", "/nowhere/firefox"},
		{"call open_tab url=about:blank --browser /nowhere/chromium", exitFailed, "", "/nowhere/chromium"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			code, stdout, stderr := run(t, strings.NewReader(""), strings.Fields(tt.args)...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("code %d\nstdout: %s\nstderr: %s", code, stdout, stderr)
			}
			if tt.code != exitOK && stdout != "" {
				t.Errorf("a failure wrote to stdout: %s", stdout)
			}
		})
	}
}

func TestBareServesWhoDoesNotType(t *testing.T) {
	code, stdout, stderr := run(t, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n"),
		"--browser", "/nowhere/chromium")
	if code != exitOK || !strings.HasPrefix(stdout, `{"jsonrpc":"2.0","id":1,"result":`) || strings.Count(stdout, "\n") != 1 {
		t.Errorf("code %d\nstdout: %s\nstderr: %s", code, stdout, stderr)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	defer feed.Close()
	m := &Main{Dir: t.TempDir(), Stdin: in, Stdout: io.Discard, Stderr: io.Discard}
	ended := make(chan int)
	go func() { ended <- m.Run(ctx, []string{"serve"}) }()
	cancel()
	if code := <-ended; code != exitOK {
		t.Errorf("code %d", code)
	}
}

func TestTheDemoSiteIsServed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, tell := io.Pipe()
	m := &Main{Dir: t.TempDir(), Stdin: strings.NewReader(""), Stdout: tell, Stderr: io.Discard}
	ended := make(chan int)
	go func() { ended <- m.Run(ctx, []string{"demo", "--serve", "127.0.0.1:0"}) }()
	line, err := bufio.NewReader(told).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(regexp.MustCompile(`http://\S+/`).FindString(line))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", line, res.Status)
	}
	cancel()
	if code := <-ended; code != exitOK {
		t.Errorf("code %d", code)
	}
}

func TestFail(t *testing.T) {
	for _, tt := range []struct {
		err    error
		code   int
		stderr string
	}{
		{nil, exitOK, ""},
		{errors.New("it broke"), exitFailed, "drawbridge: it broke\n"},
		{&browser.Error{Code: browser.CodeStaleRef, Msg: "e1 is gone", Hint: "take a snapshot"}, exitFailed, "drawbridge: e1 is gone\ndrawbridge: hint: take a snapshot\n"},
		{usage(errors.Join(errors.New("one"), errors.New("two")), ""), exitUsage, "drawbridge: one\ndrawbridge: two\n"},
		{usage(errors.New("no such flag"), "see --help"), exitUsage, "drawbridge: no such flag\ndrawbridge: hint: see --help\n"},
	} {
		var out bytes.Buffer
		m := &Main{Stderr: &out}
		if code := m.fail(tt.err); code != tt.code || out.String() != tt.stderr {
			t.Errorf("%v: code %d, %q", tt.err, code, out.String())
		}
	}
}

func TestIsTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, r := range map[string]io.Reader{"null device": null, "file": file, "no file at all": strings.NewReader("")} {
		if isTerminal(r) {
			t.Errorf("the %s is taken for a terminal", name)
		}
	}
}

func TestSaveImageTakesNoNameTwice(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"screenshot-1.png", "screenshot-2.png"} {
		path, err := saveImage(dir, "screenshot", tool.Image{MIME: "image/png", Data: []byte("a picture")})
		if err != nil || path != filepath.Join(dir, want) {
			t.Errorf("%s, %v, want %s", path, err, want)
		}
	}
}
