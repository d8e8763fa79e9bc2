package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/internal/cdp"
	"drawbridge/internal/wire"
)

// reword changes the configuration of the extension in a folder, and returns what
// changes it back.
func reword(t *testing.T, dir, key string, value any) (back func()) {
	t.Helper()
	file := filepath.Join(dir, "config.json")
	was, err := os.ReadFile(file)
	config := map[string]any{}
	if err == nil {
		err = json.Unmarshal(was, &config)
	}
	config[key] = value
	changed, _ := json.Marshal(config) // of what was read
	write := func(b []byte) {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	write(changed)
	return func() { write(was) }
}

// TestStrangersAndNamesakes has come to a drawbridge what is not, or not quite, the
// browser that it knows.
func TestStrangersAndNamesakes(t *testing.T) {
	t.Parallel()
	c, address := serveOwn(t)
	s := newSite(t)
	u := own(t, c.process, address, "work", cdp.LaunchOptions{}, nil)
	c.awaitBrowser(t, "work · extension")
	mine := c.openIn("work", s.URL+"/about")

	t.Run("a web page", func(t *testing.T) {
		page := u.page(s.URL + "/tall")
		for _, path := range []string{"/link/work", "/link"} {
			if got := u.eval(page, fmt.Sprintf(`new Promise((done) => {
				const w = new WebSocket("ws://%s%s")
				w.onopen = () => done("open")
				w.onclose = (e) => done("closed with " + e.code)
			})`, address, path)); got != `"closed with 1006"` {
				t.Errorf("%s: %s", path, got)
			}
		}
		for _, path := range []string{"/healthz", "/control/browsers", "/link/work"} {
			if got := u.eval(page, fmt.Sprintf(`fetch("http://%s%s").then((r) => r.text(), () => "nothing")`, address, path)); got != `"nothing"` {
				t.Errorf("%s: %s", path, got)
			}
		}
		c.wantStderr("a connection was refused: it comes from a web page")
		c.says("no browser waits", "pair", "123456", "--listen", address)
	})

	t.Run("another version", func(t *testing.T) {
		dir := c.writeExtension(address, "newer", "chromium", nil)
		var config struct{ Token string }
		if data, err := os.ReadFile(filepath.Join(dir, "config.json")); err != nil || json.Unmarshal(data, &config) != nil {
			t.Fatal(err)
		}
		e := play(t, address, "/link/newer")
		e.enterAs(wire.Major+1, "1.0.0", config.Token, "newer")
		e.serve()
		c.awaitBrowser(t, "newer · extension · Chromium 156 · refused: ")
		c.want(c.call("list_tabs", nil), "ask the user to update drawbridge")
		c.want(c.refused("open_tab", args{"url": s.URL, "browser": "newer"}), "speaks version 2 of the link", "ask the user to update drawbridge")
		c.want(c.call("snapshot", args{"tab": mine}), "About us")
		e.ws.CloseNow()
	})

	t.Run("another browser of the same name", func(t *testing.T) {
		other := own(t, c.process, address, "work", cdp.LaunchOptions{}, nil)
		c.awaitBrowser(t, "work 2 · extension")
		c.want(c.refused("open_tab", args{"url": s.URL + "/about", "browser": "work"}), `several browsers are called "work"`, "give the id, one of ")
		theirs := c.openIn("work 2", s.URL+"/shop")
		c.want(c.call("snapshot", args{"tab": theirs}), `button "Order"`)
		c.want(c.call("snapshot", args{"tab": mine}), "About us")
		if other.at(s.URL+"/shop", "t !== undefined") != "true" || u.at(s.URL+"/shop", "t === undefined") != "true" {
			t.Error("the tab was opened in the first one")
		}

		// It is not known any more when it has another token.
		back := reword(t, other.dir, "token", strings.Repeat("A", 43))
		other.kill()
		refused := func(want string) {
			t.Helper()
			until(t, "the popup's word of it", func() bool {
				return other.eval(other.office, `chrome.runtime.sendMessage({ kind: "look", tab: 0 }).then((v) => v?.connection.is)`) == want
			})
		}
		refused(`"refused"`)
		c.want(c.call("snapshot", args{"tab": mine}), "About us")
		back()
		other.kill()
		refused(`"connected"`)
		c.want(c.call("snapshot", args{"tab": theirs}), `button "Order"`) // under the same id
	})
}
