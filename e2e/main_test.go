package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// binary is the program under test, chromium a browser for it ("" when there
// is none). Both are set before any test runs.
var binary, chromium string

func TestMain(m *testing.M) {
	code, err := prepareAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
	}
	os.Exit(code)
}

func prepareAndRun(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "drawbridge-e2e-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary = filepath.Join(dir, "drawbridge")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-ldflags", "-X main.version=v0.0.0-e2e", "-o", binary, "../cmd/drawbridge")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("go build: %w\n%s", err, out)
	}
	chromium = findChromium()
	return m.Run(), nil
}

// findChromium looks where a machine that tests has it: the program itself is
// told by --browser, so that its own search is not what all tests hang on.
func findChromium() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"microsoft-edge", "brave-browser", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// needBrowser skips the test where no browser is, unless that is required.
func needBrowser(tb testing.TB) {
	tb.Helper()
	switch {
	case chromium != "":
	case os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "":
		tb.Fatal("no browser found")
	default:
		tb.Skip("no browser found")
	}
}
