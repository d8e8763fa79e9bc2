package cdp

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

// Running is a browser of this user that lets itself be debugged: its switch
// for that is on (chrome://inspect/#remote-debugging, since Chrome 144), or it
// was started with a debugging port. Either way it names its endpoint in the
// file DevToolsActivePort of its profile.
type Running struct {
	Name    string // "Chrome", "Edge Beta"
	Profile string // the folder
	URL     string // ws://127.0.0.1:PORT/…
}

// everyday are the folders of profiles below the base folders of a system.
var everyday = map[string][]struct{ name, base, dir string }{
	"linux": {
		{"Chrome", "config", "google-chrome"},
		{"Chromium", "config", "chromium"},
		{"Edge", "config", "microsoft-edge"},
		{"Brave", "config", "BraveSoftware/Brave-Browser"},
		{"Chrome Beta", "config", "google-chrome-beta"},
		{"Chrome Dev", "config", "google-chrome-unstable"},
		{"Edge Beta", "config", "microsoft-edge-beta"},
		{"Edge Dev", "config", "microsoft-edge-dev"},
		{"Chromium (snap)", "home", "snap/chromium/common/chromium"},
		{"Chrome (Flatpak)", "home", ".var/app/com.google.Chrome/config/google-chrome"},
		{"Chromium (Flatpak)", "home", ".var/app/org.chromium.Chromium/config/chromium"},
		{"Edge (Flatpak)", "home", ".var/app/com.microsoft.Edge/config/microsoft-edge"},
		{"Brave (Flatpak)", "home", ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser"},
	},
	"darwin": {
		{"Chrome", "config", "Google/Chrome"},
		{"Chromium", "config", "Chromium"},
		{"Edge", "config", "Microsoft Edge"},
		{"Brave", "config", "BraveSoftware/Brave-Browser"},
		{"Chrome Beta", "config", "Google/Chrome Beta"},
		{"Chrome Dev", "config", "Google/Chrome Dev"},
		{"Chrome Canary", "config", "Google/Chrome Canary"},
	},
	"windows": {
		{"Chrome", "local", "Google/Chrome/User Data"},
		{"Chromium", "local", "Chromium/User Data"},
		{"Edge", "local", "Microsoft/Edge/User Data"},
		{"Brave", "local", "BraveSoftware/Brave-Browser/User Data"},
		{"Chrome Beta", "local", "Google/Chrome Beta/User Data"},
		{"Chrome Canary", "local", "Google/Chrome SxS/User Data"},
	},
}

// bases are the folders that everyday's are in; "" where there is none.
func bases(goos string, env func(string) string) map[string]string {
	home := env("HOME")
	switch goos {
	case "windows":
		return map[string]string{"local": env("LOCALAPPDATA")}
	case "darwin":
		return map[string]string{"config": below(home, "Library/Application Support")}
	}
	config := env("XDG_CONFIG_HOME")
	if config == "" {
		config = below(home, ".config")
	}
	return map[string]string{"home": home, "config": config}
}

func below(dir, path string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// FindRunning lists the user's browsers that can be connected to, in an order
// of preference. One whose port nobody listens on has ended and is left out.
func FindRunning(ctx context.Context) []Running {
	return findRunning(ctx, runtime.GOOS, os.Getenv)
}

func findRunning(ctx context.Context, goos string, env func(string) string) []Running {
	base := bases(goos, env)
	var out []Running
	for _, e := range everyday[goos] {
		profile := below(base[e.base], e.dir)
		if profile == "" {
			continue
		}
		if url, err := RunningIn(ctx, profile); err == nil {
			out = append(out, Running{e.name, profile, url})
		}
	}
	return out
}

// activePort is the file in which a browser names its endpoint.
const activePort = "DevToolsActivePort"

// RunningIn returns the address of the browser that uses the profile.
func RunningIn(ctx context.Context, profile string) (string, error) {
	url, err := endpointIn(profile)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "ws://"), "/")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return "", &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser of the profile " + profile + " does not run, or lets nobody debug it", Err: err, Hint: switchHint}
	}
	conn.Close() // only opened
	return url, nil
}

// switchHint tells a person how to let a running browser be attached to.
const switchHint = "open chrome://inspect/#remote-debugging in it (Chrome 144 or later) and switch remote debugging on"

// endpointIn reads the file in a profile: a line with a port, one with a path.
func endpointIn(profile string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(profile, activePort))
	e := &browser.Error{Code: browser.CodeNoBrowser, Msg: "no browser lets itself be debugged in the profile " + profile, Err: err, Hint: switchHint}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			e.Msg = "the file " + activePort + " of the profile " + profile + " cannot be read"
		}
		return "", e
	}
	url, ok := parseActivePort(string(raw))
	if !ok {
		e.Msg = "the file " + activePort + " of the profile " + profile + " names no port and path"
		return "", e
	}
	return url, nil
}

func parseActivePort(text string) (string, bool) {
	port, path, _ := strings.Cut(strings.TrimSpace(text), "\n")
	port, path = strings.TrimSpace(port), strings.TrimSpace(path)
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || !strings.HasPrefix(path, "/devtools/browser") || strings.ContainsAny(path, " \t\n?#") {
		return "", false
	}
	return "ws://127.0.0.1:" + port + path, true
}

// ConnectRunning connects to the user's running browser that lets itself be
// debugged. With the switch of chrome://inspect a person must allow the
// connection in the browser's window: it waits for that until ctx ends.
func ConnectRunning(ctx context.Context) (*Browser, error) {
	return connectRunning(ctx, FindRunning(ctx))
}

func connectRunning(ctx context.Context, found []Running) (*Browser, error) {
	switch len(found) {
	case 0:
		return nil, &browser.Error{Code: browser.CodeNoBrowser, Msg: "no running browser lets itself be debugged",
			Hint: "start the browser to use, " + switchHint + ", then call again; or leave --cdp out and one is launched"}
	case 1:
		b, err := Connect(ctx, ConnectOptions{URL: found[0].URL})
		var e *browser.Error
		if errors.As(err, &e) && e.Code == browser.CodeNoBrowser {
			e.Msg = found[0].Name + " did not let drawbridge in: " + e.Msg
			e.Hint = "allow the connection in the window of " + found[0].Name + " when it asks, and call again"
		}
		return b, err
	}
	var names []string
	for _, r := range found {
		names = append(names, r.Name+" at "+r.URL)
	}
	return nil, &browser.Error{Code: browser.CodeNoBrowser, Msg: "several running browsers let themselves be debugged: " + strings.Join(names, ", "),
		Hint: "name one with --cdp"}
}
