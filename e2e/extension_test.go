package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
)

// ownBrowser starts a browser as a person would have it, with the extension that
// "drawbridge extension" wrote for p's user, and every tab allowed.
func ownBrowser(t *testing.T, p *process, address, url string) {
	t.Helper()
	if out, code := p.command("extension", "--listen", address, "--dir", "ext", "--name", "work"); code != 0 {
		t.Fatalf("code %d\n%s", code, out)
	}
	dir := filepath.Join(p.cmd.Dir, "ext")
	config, ok := extension.ReadConfig(dir)
	if !ok {
		t.Fatal("no configuration was written")
	}
	config.AllowAll = true
	data, err := json.Marshal(config)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.json"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := cdp.Launch(t.Context(), cdp.LaunchOptions{Path: chromium, Args: []string{"--load-extension=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = b.Conn.Run(ctx, func(cdp.Event) {})
	}()
	t.Cleanup(func() {
		cancel()
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
		<-done
	})
	if err := b.Conn.Send(t.Context(), "", "Target.createTarget", map[string]any{"url": url}, nil); err != nil {
		t.Fatal(err)
	}
}

// eventually repeats a call until its answer has the text.
func (c *client) eventually(text, name string, a args) string {
	c.tb.Helper()
	for deadline := time.Now().Add(patience); ; {
		out := c.reply(name, a)
		if strings.Contains(out, text) {
			return out
		}
		if time.Now().After(deadline) {
			c.tb.Fatalf("%s does not say %q: %s\n%s", name, text, out, c.stderr)
		}
	}
}

// A server that is killed in the middle of a call loses nothing of the browser:
// the next one finds its tabs, without anybody doing anything.
func TestOwnBrowserOutlivesAKilledServer(t *testing.T) {
	needBrowser(t)
	s := newSite(t)
	address, home := freeAddress(t), shortTempDir(t)
	first := connect(t, launchAt(t, home, "--listen", address, "--browser", "/nowhere/chromium"), "", nil)
	ownBrowser(t, first.process, address, s.URL+"/")
	tab := first.find(`(?m)^(t\d+) .*`+s.URL, first.eventually(s.URL, "list_tabs", nil))
	first.call("snapshot", args{"tab": tab})

	waiting := make(chan error, 1)
	go func() {
		_, err := first.result(context.Background(), "navigate", args{"tab": tab, "url": s.URL + "/slow"})
		waiting <- err
	}()
	<-s.asked // the browser has been told, and its answer is still to come
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err == nil {
		t.Error("the call that waits was answered")
	}
	<-first.exited

	second := connect(t, launchAt(t, home, "--listen", address, "--browser", "/nowhere/chromium"), "", nil)
	tab = second.find(`(?m)^(t\d+) .*`+s.URL, second.eventually(s.URL, "list_tabs", nil))
	second.call("snapshot", args{"tab": tab})
}
