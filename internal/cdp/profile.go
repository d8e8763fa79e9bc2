package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"drawbridge/internal/browser"
)

// prepareProfile makes the profile folder that stays, and returns its full
// path. One that another browser uses is an error: that browser would open a
// window and leave us without one.
func prepareProfile(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", &browser.Error{Code: browser.CodeNoBrowser, Msg: "the profile " + dir + " cannot be used", Err: err,
			Hint: "name a folder that can be written to"}
	}
	if profileInUse(dir) {
		return "", inUse(dir, nil)
	}
	return dir, nil
}

// presetProfile gives a new profile what no switch can: that pages do not print
// in a browser with windows, and where downloads go. The window with the preview
// would hold up the page that asked for it until a person closes it.
func presetProfile(dir string, windows bool, downloads string) error {
	prefs := map[string]any{}
	if windows {
		prefs["printing"] = map[string]any{"enabled": false}
	}
	if downloads != "" {
		prefs["download"] = map[string]any{"default_directory": downloads, "prompt_for_download": false}
	}
	text, err := json.Marshal(prefs)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, "Default")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "Preferences"), text, 0o600)
}

func inUse(dir string, err error) error {
	return &browser.Error{Code: browser.CodeNoBrowser, Msg: "the profile " + dir + " is in use by a browser that runs already", Err: err,
		Hint: "end that browser, use another profile, or connect to it with --cdp"}
}

// profileInUse tells whether a browser holds the profile: it answers on the
// socket that the profile names, or keeps the lock file from being opened.
func profileInUse(dir string) bool {
	if runtime.GOOS == "windows" {
		f, err := os.Open(filepath.Join(dir, "lockfile"))
		if err == nil {
			f.Close() // only opened
		}
		return err != nil && !errors.Is(err, os.ErrNotExist)
	}
	// Read, since the path in the profile may be too long for a socket.
	socket, err := os.Readlink(filepath.Join(dir, "SingletonSocket"))
	if err != nil {
		return false
	}
	if !filepath.IsAbs(socket) {
		socket = filepath.Join(dir, socket)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return false
	}
	conn.Close() // only opened
	return true
}
