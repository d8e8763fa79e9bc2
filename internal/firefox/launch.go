package firefox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/process"
)

// LaunchOptions tell how to start a Firefox.
type LaunchOptions struct {
	Path          string         // of the program; "" for the one that Find finds
	Headful       bool           // with a window that people see
	Downloads     string         // where what pages download goes; "": it goes with the browser
	Args          []string       // more arguments
	Prefs         map[string]any // more preferences; they win over our own
	Width, Height int            // of a page in CSS pixels; 0: 1280 by 720. A window's pages have the window's size
	// Extension writes an extension into a new folder, which goes with the
	// browser and from which it is installed; nil: none.
	Extension func(dir string) error
	Log       *slog.Logger
}

const (
	startLimit = 60 * time.Second // for a browser to answer
	closeGrace = 2 * time.Second  // for a browser to end by itself
)

// Browser is a Firefox that was launched. Whoever has it calls Close in the
// end, also when it ended by itself.
type Browser struct {
	BiDi      *Client
	Product   string // "Firefox 153.8.0"
	Extension string // the id of the one that was installed

	process *process.Process
	dir     *process.Dir
	closing sync.Once
	closed  error
}

// Launch starts a Firefox and waits until it answers and its extension is
// installed. It shows about:blank and ends, and its profile with it, when it is
// closed; when this process ends some other way, the browser ends too where the
// system can arrange that, and the next launch removes what is left.
func Launch(ctx context.Context, o LaunchOptions) (*Browser, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = 1280, 720
	}
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errors.New("the browser did not answer in time"))
	defer cancel()
	if o.Path == "" {
		path, err := Find("")
		if err != nil {
			return nil, err
		}
		o.Path = path
	}
	home, _ := os.UserHomeDir() // "" where there is none
	root := process.TempRoot(o.Path, home)
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() { process.Sweep(root, o.Log) })

	b := &Browser{}
	var err error
	if b.dir, err = process.NewDir(root); err != nil {
		return nil, &browser.Error{Code: browser.CodeNoBrowser, Msg: "there is no place for the browser's files", Err: err,
			Hint: "let " + root + " be written to, or set TMPDIR"}
	}
	if err := b.start(ctx, o, root == os.TempDir()); err != nil {
		return nil, errors.Join(err, b.dir.Remove())
	}
	o.Log.Info("browser started", "product", b.Product, "pid", b.process.PID(), "took", time.Since(began).Round(time.Millisecond))
	return b, nil
}

// start starts the process, greets it and installs the extension. It leaves no
// process behind when it fails.
func (b *Browser) start(ctx context.Context, o LaunchOptions, free bool) error {
	profile := b.dir.Profile()
	if o.Downloads == "" {
		o.Downloads = b.dir.Downloads()
	}
	if err := writePrefs(profile, o.Downloads, o.Prefs); err != nil {
		return err
	}
	cmd := exec.Command(o.Path, arguments(o, profile)...)
	cmd.Env = append(os.Environ(), "MOZ_CRASHREPORTER_DISABLE=1")
	if free && !o.Headful && runtime.GOOS == "linux" {
		// The little that it writes outside of its profile. A window needs what
		// tells of the screen there.
		cmd.Env = append(cmd.Env, "HOME="+b.dir.Path, "XDG_CONFIG_HOME="+filepath.Join(b.dir.Path, "config"), "XDG_CACHE_HOME="+filepath.Join(b.dir.Path, "cache"))
	}
	p, err := process.Start(cmd, new(process.Tail), false)
	if err != nil {
		return &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser " + o.Path + " cannot be started", Err: err,
			Hint: "name another Firefox with --browser"}
	}
	b.process = p
	r, err := p.Record(profile)
	if err == nil {
		err = b.dir.Note(r)
	}
	if err == nil {
		err = b.greet(ctx, o, profile)
	}
	if err != nil {
		return b.failed(ctx, o, err)
	}
	return nil
}

// arguments are those of the command line.
func arguments(o LaunchOptions, profile string) []string {
	args := []string{"--no-remote", "--profile", profile, "--remote-debugging-port", "0",
		"--width", strconv.Itoa(o.Width), "--height", strconv.Itoa(o.Height)}
	if !o.Headful {
		args = append(args, "--headless")
	}
	if runtime.GOOS == "windows" {
		args = append(args, "--wait-for-browser") // what is started first is no browser yet
	}
	return append(append(args, o.Args...), "about:blank")
}

// greet opens the session, and installs the extension.
func (b *Browser) greet(ctx context.Context, o LaunchOptions, profile string) error {
	at, err := b.address(ctx, profile)
	if err != nil {
		return err
	}
	if b.BiDi, err = dial(ctx, "ws://"+at+"/session"); err != nil {
		return err
	}
	// Nobody is there to answer the dialogs of a browser without windows.
	prompts := "dismiss"
	if o.Headful {
		prompts = "ignore"
	}
	var session struct {
		Capabilities struct {
			Version string `json:"browserVersion"`
		} `json:"capabilities"`
	}
	if err := b.BiDi.Call(ctx, "session.new", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"unhandledPromptBehavior": map[string]any{"default": prompts, "beforeUnload": "accept"},
	}}}, &session); err != nil {
		return err
	}
	b.Product = "Firefox " + session.Capabilities.Version
	if !o.Headful {
		if err := b.BiDi.Call(ctx, "browsingContext.setViewport", map[string]any{
			"userContexts": []string{"default"}, "viewport": map[string]int{"width": o.Width, "height": o.Height},
		}, nil); err != nil {
			o.Log.Debug("pages have the window's size", "err", err) // an older Firefox
		}
	}
	if o.Extension == nil {
		return nil
	}
	if err := b.install(ctx, o.Extension); err != nil {
		return fmt.Errorf("the extension was not installed: %w", err)
	}
	return nil
}

// install installs the extension that write puts into a folder.
func (b *Browser) install(ctx context.Context, write func(dir string) error) error {
	dir := b.dir.Extension()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := write(dir); err != nil {
		return err
	}
	var installed struct {
		Extension string `json:"extension"`
	}
	if err := b.BiDi.Call(ctx, "webExtension.install", map[string]any{
		"extensionData": map[string]any{"type": "path", "path": dir},
	}, &installed); err != nil {
		return err
	}
	b.Extension = installed.Extension
	return nil
}

// address waits until the browser has said where it listens.
func (b *Browser) address(ctx context.Context, profile string) (string, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var at struct {
			Host string `json:"ws_host"`
			Port int    `json:"ws_port"`
		}
		// What is not there, or half written, will be.
		data, err := os.ReadFile(filepath.Join(profile, "WebDriverBiDiServer.json"))
		if err == nil && json.Unmarshal(data, &at) == nil && at.Port > 0 {
			return net.JoinHostPort(at.Host, strconv.Itoa(at.Port)), nil
		}
		select {
		case <-tick.C:
		case <-b.process.Exited:
			return "", errors.New("the browser ended before it could be reached")
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// complaints are what Firefox writes before it gives up, and what helps.
var complaints = []struct{ text, hint string }{
	{"no DISPLAY environment variable", "run headless, or set DISPLAY to a screen"},
	{"cannot open display", "run headless, or set DISPLAY to a screen"},
	{"error while loading shared libraries", "install the missing library, or Firefox anew with the system's package manager"},
	{"XPCOMGlueLoad error", "install Firefox anew with the system's package manager"},
	{"No space left on device", "make room on the disk"},
}

// failed ends a browser that did not come up and says why it did not.
func (b *Browser) failed(ctx context.Context, o LaunchOptions, err error) error {
	b.process.Kill()
	<-b.process.Exited
	if b.BiDi != nil {
		b.BiDi.Close()
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if errors.Is(cause, context.Canceled) {
			return cause
		}
		return &browser.Error{Code: browser.CodeTimeout, Msg: "the browser " + o.Path + " did not answer in time", Err: errors.Join(cause, b.process.Ended()),
			Hint: "try again when the machine is less busy"}
	}
	e := &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser " + o.Path + " did not start: " + err.Error(), Err: errors.Join(err, b.process.Ended())}
	for line := range strings.Lines(b.process.Stderr.String()) {
		for _, c := range complaints {
			if strings.Contains(line, c.text) {
				e.Msg, e.Hint = "the browser "+o.Path+" did not start: "+strings.TrimSpace(line), c.hint
				return e
			}
		}
	}
	return e
}

// Exited is closed when the browser has ended.
func (b *Browser) Exited() <-chan struct{} { return b.process.Exited }

// Wait waits until the browser is gone, and says how it ended; nil is an
// orderly end.
func (b *Browser) Wait() error {
	<-b.process.Exited
	return b.process.Ended()
}

// Close ends the browser and removes what it leaves behind. It may be called
// more than once. A browser that does not end by itself within two seconds, or
// before ctx ends, is killed.
func (b *Browser) Close(ctx context.Context) error {
	b.closing.Do(func() { b.closed = b.close(ctx) })
	return b.closed
}

func (b *Browser) close(ctx context.Context) error {
	grace, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	if b.BiDi.Call(grace, "browser.close", nil, nil) == nil {
		select {
		case <-b.process.Exited:
		case <-grace.Done():
		}
	}
	b.process.Kill()
	<-b.process.Exited
	b.BiDi.Close()
	return b.dir.Remove()
}
