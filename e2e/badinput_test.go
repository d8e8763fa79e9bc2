package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInput(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	tab := c.open(s.URL + "/gone")
	vanish := c.ref(tab, `button "Vanish"`)
	c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Remove"`)})

	for _, tt := range []struct {
		name, tool string
		args       args
		want       []string
	}{
		{"unknown argument", "click", args{"tab": tab, "ref": "e1", "selector": "#b"}, []string{"selector", "ref", "button"}},
		{"wrong type", "click", args{"tab": tab, "ref": args{"id": 1}}, []string{"ref"}},
		{"not of the enum", "navigate", args{"tab": tab, "to": "sideways"}, []string{"sideways", "back", "forward", "reload"}},
		{"missing argument", "open_tab", args{}, []string{"url"}},
		{"neither of two", "click", args{"tab": tab}, []string{"ref"}},
		{"unknown tab", "snapshot", args{"tab": "t99"}, []string{"t99", tab}},
		{"not a tab", "snapshot", args{"tab": "first"}, []string{"first"}},
		{"not a ref", "click", args{"tab": tab, "ref": "#b"}, []string{"#b", "e12"}},
		{"stale ref", "click", args{"tab": tab, "ref": vanish}, []string{vanish, "snapshot"}},
		{"ref that never was", "click", args{"tab": tab, "ref": "e9999"}, []string{"e9999", "snapshot"}},
		{"stale document", "click", args{"tab": tab, "ref": vanish, "doc": 99}, []string{"99"}},
		{"malformed URL", "open_tab", args{"url": "http://[::1"}, []string{"http://[::1"}},
		{"not a URL", "open_tab", args{"url": "no such thing"}, []string{"no such thing"}},
		{"refused connection", "open_tab", args{"url": "http://127.0.0.1:1/"}, []string{"127.0.0.1:1"}},
		{"file", "open_tab", args{"url": "file:///etc/passwd"}, []string{"file", "--schemes"}},
		{"chrome", "navigate", args{"tab": tab, "url": "chrome://settings"}, []string{"chrome", "--schemes"}},
		{"javascript", "navigate", args{"tab": tab, "url": "javascript:alert(1)"}, []string{"javascript"}},
		{"view-source", "open_tab", args{"url": "view-source:" + s.URL}, []string{"view-source"}},
		{"exception of the page", "evaluate", args{"tab": tab, "code": "throw new Error('of the page')"}, []string{"of the page"}},
		{"syntax", "evaluate", args{"tab": tab, "code": "return ("}, []string{"SyntaxError"}},
		{"too large", "evaluate", args{"tab": tab, "code": "return 'x'.repeat(5000)", "max_bytes": 1000}, []string{"1000", "5002"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := c.refused(tt.tool, tt.args)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in: %s", want, got)
				}
			}
			if strings.Contains(got, "internal error") {
				t.Errorf("the person at fault is told nothing: %s", got)
			}
		})
	}
	// Nothing of all that hurt the tab, and no other one is left open.
	c.want(c.call("evaluate", args{"tab": tab, "code": "return document.title"}), `"Gone"`)
	if list := c.call("list_tabs", nil); strings.Count(list, s.URL) != 1 || strings.Contains(list, "127.0.0.1:1/") {
		t.Errorf("tabs after all:\n%s", list)
	}
}

func TestSchemesThatASettingAllows(t *testing.T) {
	t.Parallel()
	c := serve(t, "--schemes", "file,chrome")
	page := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(page, []byte("<!doctype html><title>Local</title><p>a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.want(c.call("open_tab", args{"url": "file://" + page}), "Local")
	c.want(c.call("open_tab", args{"url": "chrome://version"}), "chrome://version")
}

func TestADialogInAClickWhileOtherCallsRun(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	tab := c.open(s.URL + "/dialog")
	ask := c.ref(tab, `button "Ask"`)

	waited := make(chan string, 1)
	go func() {
		res, err := c.result(t.Context(), "wait_for", args{"tab": tab, "text": "never there", "timeout": 3})
		if err != nil {
			waited <- err.Error()
			return
		}
		waited <- textOf(res)
	}()
	c.want(c.call("click", args{"tab": tab, "ref": ask}), "Really?")

	// What needs the page says why it cannot answer; what does not, answers.
	c.want(c.refused("evaluate", args{"tab": tab, "code": "return 1"}), "dialog", "handle_dialog")
	c.want(c.refused("click", args{"tab": tab, "ref": ask}), "dialog", "handle_dialog")
	c.want(c.call("list_tabs", nil), "Really?")
	other := c.open(s.URL + "/about")
	c.want(c.call("snapshot", args{"tab": other}), "About us")

	c.call("handle_dialog", args{"tab": tab, "accept": true})
	c.want(c.call("evaluate", args{"tab": tab, "code": "return document.title"}), `"yes"`)
	if got := <-waited; got == "" {
		t.Error("the call that waited was told nothing")
	}
}
