package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
)

// owned is a browser of a user's own with the extension, and its user, who does
// what a person does by hand.
type owned struct {
	t      *testing.T
	dir    string // of its extension
	conn   cdp.Connection
	closed func() error // closes it, once
	office string       // the session of a page of the extension
	origin string       // of the extension's pages
}

// writeExtension has drawbridge write the extension for a browser of the user
// of a process, changed as the user would by hand.
func (p *process) writeExtension(address, name, program string, change map[string]any) (dir string) {
	p.tb.Helper()
	dir = filepath.Join(p.cmd.Dir, "extension-"+name)
	if out, code := p.command("extension", "--listen", address, "--browser", program, "--dir", dir, "--name", name); code != 0 {
		p.tb.Fatalf("code %d\n%s", code, out)
	}
	file := filepath.Join(dir, "config.json")
	config := map[string]any{}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	for k, v := range change {
		config[k] = v
	}
	if err == nil {
		data, err = json.Marshal(config)
	}
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		p.tb.Fatal(err)
	}
	return dir
}

// own starts a browser of the user's own, which connects to address.
func own(t *testing.T, p *process, address, name string, o cdp.LaunchOptions, change map[string]any) *owned {
	t.Helper()
	return ownWith(t, p.writeExtension(address, name, "chromium", change), o)
}

// ownWith starts one with the extension in a folder.
func ownWith(t *testing.T, dir string, o cdp.LaunchOptions) *owned {
	t.Helper()
	u := &owned{t: t, dir: dir}
	o.Path = chromium
	o.Args = append(o.Args, "--load-extension="+u.dir)
	b, err := cdp.Launch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = b.Conn.Run(ctx, func(cdp.Event) {}) // Close tells
	}()
	u.conn = b.Conn
	u.closed = func() error {
		defer func() { cancel(); <-done }()
		return b.Close(context.Background())
	}
	t.Cleanup(func() {
		if err := u.closed(); err != nil {
			t.Error(err)
		}
	})
	u.origin = strings.TrimSuffix(u.worker().URL, "/background.gen.js")
	u.office = u.page(u.origin + "/popup.html")
	return u
}

type cdpTarget struct {
	ID   string `json:"targetId"`
	Type string `json:"type"`
	URL  string `json:"url"`
}

func (u *owned) send(session, method string, params, result any) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), patience)
	defer cancel()
	if err := u.conn.Send(ctx, session, method, params, result); err != nil {
		u.t.Fatalf("%s: %v", method, err)
	}
}

// until waits until something is so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(patience); !so(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// worker is the extension's background.
func (u *owned) worker() (found cdpTarget) {
	u.t.Helper()
	until(u.t, "the extension's worker", func() bool {
		var all struct {
			Infos []cdpTarget `json:"targetInfos"`
		}
		u.send("", "Target.getTargets", map[string]any{"filter": []any{map[string]any{}}}, &all)
		for _, i := range all.Infos {
			if i.Type == "service_worker" && strings.HasPrefix(i.URL, "chrome-extension://") {
				found = i
			}
		}
		return found.ID != ""
	})
	return found
}

// page opens one that a person looks at, and returns its session.
func (u *owned) page(url string) string {
	u.t.Helper()
	var made cdpTarget
	u.send("", "Target.createTarget", map[string]any{"url": url}, &made)
	session := u.attach(made.ID)
	u.awaits(session, fmt.Sprintf("document.readyState === 'complete' && location.href === %q", url))
	return session
}

func (u *owned) attach(target string) string {
	u.t.Helper()
	var s struct {
		ID string `json:"sessionId"`
	}
	u.send("", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &s)
	return s.ID
}

// awaits waits until an expression holds in a page.
func (u *owned) awaits(session, code string) {
	u.t.Helper()
	until(u.t, code, func() bool { return u.eval(session, code) == "true" })
}

// eval is what an expression comes to in a page, as JSON.
func (u *owned) eval(session, code string) string {
	u.t.Helper()
	var r struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	u.send(session, "Runtime.evaluate", map[string]any{"expression": code, "awaitPromise": true, "returnByValue": true}, &r)
	if r.Exception != nil {
		u.t.Fatalf("%s: %s", code, r.Exception)
	}
	return string(r.Result.Value)
}

// popup does what the popup of the extension does, for the tab at an address
// ("" for none). A background that was ended is started by that.
func (u *owned) popup(url, ask string) {
	u.t.Helper()
	u.eval(u.office, fmt.Sprintf(`(async () => {
		const tab = (await chrome.tabs.query({})).find((t) => t.url === %q)
		if (await chrome.runtime.sendMessage({ tab: tab?.id ?? 0, ...%s }) === null) throw new Error("refused")
	})()`, url, ask))
}

// inWorker runs an expression in the extension's background.
func (u *owned) inWorker(code string) {
	u.t.Helper()
	session := u.attach(u.worker().ID)
	u.eval(session, code)
	u.send("", "Target.detachFromTarget", map[string]any{"sessionId": session}, nil)
}

// kill ends the extension's background, as the browser may at any time.
func (u *owned) kill() {
	u.t.Helper()
	u.send("", "Target.closeTarget", map[string]any{"targetId": u.worker().ID}, nil)
}

// serveOwn serves to browsers of the user's own, and launches none.
func serveOwn(t *testing.T, args ...string) (c *client, address string) {
	t.Helper()
	needBrowser(t)
	address = freeAddress(t)
	return connect(t, launch(t, append([]string{"--listen", address, "--allow", "*", "--browser", "/nowhere/chromium"}, args...)...), "", nil), address
}

// awaitBrowser waits until a browser is listed.
func (c *client) awaitBrowser(t *testing.T, line string) {
	t.Helper()
	until(t, "the browser "+line, func() bool { return strings.Contains(c.reply("list_tabs", nil), line) })
}

// openIn opens a page in a browser.
func (c *client) openIn(browser, url string) (tab string) {
	c.tb.Helper()
	return c.find(`^(t\d+) · `, c.call("open_tab", args{"url": url, "browser": browser}))
}

// TestWhatOnlyFullPowerHas asks a browser of a user who has allowed neither that
// nor user scripts for what only those can do: what is to be switched on is told.
func TestWhatOnlyFullPowerHas(t *testing.T) {
	t.Parallel()
	c, address := serveOwn(t, "--toolsets", "all")
	s := newSite(t)
	own(t, c.process, address, "work", cdp.LaunchOptions{}, nil)
	c.awaitBrowser(t, "work")
	tab := c.openIn("work", s.URL+"/tall")
	const full = "its user can switch on full power in the popup of its extension"
	for _, tt := range []struct {
		tool string
		args args
		want []string
	}{
		{"evaluate", args{"code": "return 1"}, []string{tab + " cannot do it: no script", "Allow user scripts", "full power"}},
		{"screenshot", args{"full_page": true}, []string{"without full power only what is in the viewport can be pictured", "popup"}},
		{"handle_dialog", args{"accept": true}, []string{"no dialogs", full}},
		{"list_console", nil, []string{"no record", full}},
		{"list_requests", nil, []string{"no record", full}},
		{"get_request", args{"id": "r1"}, []string{"no record", full}},
		{"emulate", args{"media": "print"}, []string{"no emulate", full}},
		{"save_page", args{"format": "pdf"}, []string{"no print", full}},
	} {
		c.want(c.refused(tt.tool, tt.args), tt.want...)
	}
}
