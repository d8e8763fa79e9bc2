package cdptest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Display makes a display that nobody sees the one of the test, or skips it.
func Display(t *testing.T) {
	t.Helper()
	t.Setenv("DISPLAY", NewDisplay(t))
}

// NewDisplay is such a display, for tests that run beside others.
func NewDisplay(t *testing.T) (name string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs Xvfb")
	}
	number, from, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer number.Close()
	defer from.Close()
	display := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1400x1000x24", "-nolisten", "tcp")
	display.ExtraFiles = []*os.File{from}
	if err := display.Start(); err != nil {
		if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = display.Process.Kill() // Wait tells
		_ = display.Wait()
	})
	if err := number.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(number).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return ":" + strings.TrimSpace(line)
}

// Window starts a browser with a window on a display, as a person would, that
// listens for DevTools at the address that is returned, until the test ends.
func Window(t *testing.T, program, display string) (url string) {
	t.Helper()
	profile := t.TempDir()
	cmd := exec.Command(program, "--no-sandbox", "--test-type", "--disable-gpu", "--no-first-run", "--password-store=basic", "--use-mock-keychain",
		"--window-size=1280,900", "--disable-features=WebUIOmniboxAimPopup,WebUIOmniboxPopup", "--remote-debugging-port=0", "--user-data-dir="+profile, "about:blank")
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // Wait tells
		_ = cmd.Wait()
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(patience); ; {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("the browser does not listen")
		}
		b, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if port, path, ok := strings.Cut(strings.TrimSpace(string(b)), "\n"); err == nil && ok {
			return "ws://127.0.0.1:" + port + path
		}
	}
}
