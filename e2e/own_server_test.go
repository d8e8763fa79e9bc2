package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/cdp"
)

// private opens pages in private, whose titles and addresses are the canary: in
// front, behind, in another window, and in the place of one that agents see.
func (u *owned) private(allowed, far string) {
	u.t.Helper()
	u.page(far + "/?" + canary + "-in-front")
	titled := u.page(far + "/?" + canary + "-titled")
	u.eval(titled, "void (document.title = '"+canary+"')")
	led := u.page(allowed + "?led")
	u.popup(allowed+"?led", `{ kind: "allow", what: "tab", subdomains: false, duration: "hour" }`)
	u.send(led, "Page.navigate", map[string]any{"url": far + "/?" + canary + "-led", "transitionType": "typed"}, nil)
	u.awaits(led, "location.search === '?"+canary+"-led'")
	u.eval(u.office, "chrome.windows.create({ url: '"+far+"/?"+canary+"-window' }).then(() => undefined)")
	u.eval(titled, "void open('/?"+canary+"-popup')")
}

// said is all that a client can be told without having been told of it before.
func (c *client) said(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	add := func(result any, err error) {
		text, _ := json.Marshal(result) // of what came as JSON
		b.Write(text)
		if err != nil {
			b.WriteString(err.Error())
		}
	}
	tools, err := c.session.ListTools(t.Context(), nil)
	add(tools, err)
	has := func(name string) bool {
		for _, tool := range tools.Tools {
			if tool.Name == name {
				return true
			}
		}
		return false
	}
	for _, call := range []struct {
		tool string
		args args
	}{
		{"list_tabs", nil}, {"list_tabs", args{"text": "canary"}}, {"status", nil}, {"history", args{"limit": 1000}}, {"list_console", nil}, {"list_requests", nil},
		{"snapshot", args{"tab": "t99"}}, {"open_tab", args{"url": "nonsense:", "browser": "nobody"}}, {"list_downloads", nil}, {"list_page_tools", nil}, {"getContext", nil},
	} {
		if has(call.tool) {
			add(c.result(t.Context(), call.tool, call.args))
		}
	}
	if c.session.InitializeResult().Capabilities.Resources == nil {
		return b.String()
	}
	listed, err := c.session.ListResources(t.Context(), nil)
	add(listed, err)
	for _, r := range listed.Resources {
		add(c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI}))
	}
	for _, value := range []string{"", "canary", "bk:///browsers/", "t"} {
		add(c.session.Complete(t.Context(), &mcp.CompleteParams{
			Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "bk:///{+resourceId}"}, Argument: mcp.CompleteParamsArgument{Name: "resourceId", Value: value},
		}))
	}
	return b.String()
}

// filesWith tells which files in a folder have the words in them.
func filesWith(t *testing.T, dir, words string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), words) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return found
}

// TestTheServerIsKilled kills a server, which a user's browser is connected to, in
// the middle of a call, and starts it again: with another vocabulary, that has
// resources. All that either says or writes is searched for what is private.
func TestTheServerIsKilled(t *testing.T) {
	t.Parallel()
	first, address := serveOwn(t, "--toolsets", "all", "--log-level", "debug")
	h := newHeld(t)
	u := own(t, first.process, address, "work", cdp.LaunchOptions{}, map[string]any{"fullPower": true})
	first.awaitBrowser(t, "work")
	mine := h.URL + "/?mine"
	u.page(mine)
	u.popup(mine, `{ kind: "allow", what: "tab", subdomains: false, duration: "hour" }`)
	u.private(h.URL+"/", h.far())
	tab := first.tabAt(mine)
	if led := h.URL + "/?led"; strings.Contains(first.call("list_tabs", nil), led) {
		t.Errorf("%s is told of where it was", led)
	}
	press := first.ref(tab, `button "Press"`)
	h.goOn <- struct{}{}
	first.call("click", args{"tab": tab, "ref": press})
	first.want(first.call("wait_for", args{"tab": tab, "text": "pressed 1 times"}), tab)
	<-h.pressed
	told := first.said(t)

	said := first.ask(t, "click", args{"tab": tab, "ref": press})
	<-h.pressed
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	said() // that the server is gone
	first.wantExit(-1)
	home := first.cmd.Dir
	if found := filesWith(t, home, canary); found != nil {
		t.Errorf("what is private is in %v", found)
	}
	if past := strings.Join(first.pastCalls("--json", "--limit", "0"), "\n"); !strings.Contains(past, `"click"`) || strings.Contains(past, canary) {
		t.Errorf("the history:\n%s", past)
	}

	second := connect(t, launchAt(t, home, "--listen", address, "--allow", "*", "--browser", "/nowhere/chromium", "--dialect", "browser-kit", "--log-level", "debug"), "", nil)
	until(t, "the browser at the second server", func() bool { return strings.Contains(second.reply("getContext", nil), mine) })
	h.goOn <- struct{}{}
	page := u.attachAt(mine)
	u.awaits(page, "out.textContent.startsWith('pressed 2 times')") // it was done once, and stays
	if n := len(h.pressed); n != 0 {
		t.Errorf("it was pressed again, %d times", n)
	}
	told += second.said(t)
	u.kill() // what its background comes back with is told anew
	u.popup("", `{ kind: "look" }`)
	until(t, "the browser again", func() bool { return strings.Contains(second.reply("getContext", nil), mine) })
	told += second.said(t)
	for what, text := range map[string]string{"clients": told, "the first log": first.stderr.String(), "the second log": second.stderr.String()} {
		if i := strings.Index(text, canary); i >= 0 {
			t.Errorf("%s were told of what is private: … %q", what, text[max(0, i-300):min(len(text), i+100)])
		}
	}
	if !strings.Contains(told, mine) {
		t.Error("what is not private was not told of either")
	}
	if found := filesWith(t, home, canary); found != nil {
		t.Errorf("what is private is in %v", found)
	}
}

// attachAt attaches to the page at an address.
func (u *owned) attachAt(url string) (session string) {
	u.t.Helper()
	var all struct {
		Infos []cdpTarget `json:"targetInfos"`
	}
	u.send("", "Target.getTargets", nil, &all)
	for _, i := range all.Infos {
		if i.Type == "page" && i.URL == url {
			return u.attach(i.ID)
		}
	}
	u.t.Fatalf("nothing shows %s", url)
	return ""
}
