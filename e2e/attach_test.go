package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startBrowser starts a browser that listens on a port, as a person would,
// with a page open, and returns its address and that of its WebSocket.
func startBrowser(t *testing.T, url string) (httpURL, wsURL string) {
	t.Helper()
	return startBrowserIn(t, t.TempDir(), url)
}

func startBrowserIn(t *testing.T, profile, url string) (httpURL, wsURL string) {
	t.Helper()
	needBrowser(t)
	cmd := exec.Command(chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0",
		"--user-data-dir="+profile, url)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("the browser of the person is gone: %v", err)
		}
		_ = cmd.Wait()
	})
	var port, path string
	eventually(t, "the browser listens", func() bool {
		b, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		var ok bool
		port, path, ok = strings.Cut(strings.TrimSpace(string(b)), "\n")
		return err == nil && ok
	})
	if t.Failed() {
		t.FailNow()
	}
	return "http://127.0.0.1:" + port, "ws://127.0.0.1:" + port + path
}

func TestAttachToARunningBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	httpURL, wsURL := startBrowser(t, s.URL+"/about")
	for _, url := range []string{httpURL, wsURL} {
		scheme, _, _ := strings.Cut(url, ":")
		t.Run(scheme, func(t *testing.T) {
			c := serve(t, "--cdp", url, "--allow", "navigate")
			eventually(t, "the person's page is there", func() bool { return strings.Contains(c.call("list_tabs", nil), "/about") })
			theirs := c.find(`(t\d+) · [^\n]*/about`, c.call("list_tabs", nil))
			eventually(t, "the person's page has loaded", func() bool { return strings.Contains(c.call("snapshot", args{"tab": theirs}), "About us") })
			ours := c.open(s.URL + "/shop")
			c.want(c.call("snapshot", args{"tab": ours}), `button "Order"`)
			c.stdin.Close()
			c.wantExit(0)

			// The person's tab stays; what the session opened goes with it.
			eventually(t, "the session's tab is closed", func() bool {
				open := strings.Join(pagesOf(t, httpURL), " ")
				return strings.Contains(open, "/about") && !strings.Contains(open, "/shop")
			})
		})
	}
}

func pagesOf(t *testing.T, httpURL string) []string {
	t.Helper()
	res, err := http.Get(httpURL + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var targets []struct{ Type, URL string }
	if err := json.NewDecoder(res.Body).Decode(&targets); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, target := range targets {
		if target.Type == "page" {
			out = append(out, target.URL)
		}
	}
	return out
}

// TestAttachToTheUsersBrowser has no address: the browser's profile is where
// a Chromium keeps it, and names the port.
func TestAttachToTheUsersBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := launch(t, "--cdp", "auto", "--allow", "navigate")
	c := connect(t, p, "", nil)
	c.want(c.refused("list_tabs", nil), "no running browser lets itself be debugged", "chrome://inspect/#remote-debugging", "leave --cdp out")
	startBrowserIn(t, filepath.Join(p.cmd.Dir, "config", "chromium"), s.URL+"/about")
	eventually(t, "the person's page is there", func() bool { return strings.Contains(c.call("list_tabs", nil), "/about") })
	c.want(c.call("list_tabs", nil), "attached")
}

func TestAttachToNothing(t *testing.T) {
	t.Parallel()
	c := connect(t, launch(t, "--cdp", "http://127.0.0.1:1"), "", nil)
	c.want(c.refused("open_tab", args{"url": "about:blank"}), "127.0.0.1:1")
}
