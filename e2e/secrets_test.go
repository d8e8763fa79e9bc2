package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is secret by where it was given is in no file that the server leaves, in
// no line of its most talkative log, and in no reply, whichever tool it was
// given to, and whether the call succeeded.
func TestSecretsStayNowhere(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if _, pass, ok := r.BasicAuth(); r.URL.Path != "/" && (!ok || !strings.HasPrefix(pass, "canary")) {
			w.Header().Set("WWW-Authenticate", `Basic realm="Vault"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, `<!doctype html><title>Vault</title><label>Password <input type=password></label><label>Code <input autocomplete=one-time-code></label><label>Name <input></label>`,
			`<button onclick="prompt('Which?')">Ask</button>`)
	})
	vault, locked := httptest.NewServer(page), httptest.NewServer(page)
	t.Cleanup(vault.Close)
	t.Cleanup(locked.Close)
	other := strings.Replace(vault.URL, "127.0.0.1", "localhost", 1)
	n := 0
	secret := func() string {
		n++
		return fmt.Sprintf("canary%02d-9f3c1d", n)
	}
	file := filepath.Join(shortTempDir(t), "calls.db")
	c := serve(t, "--history", file, "--toolsets", "all", "--log-level", "debug", "--http-credentials", other+" ann:"+secret())
	var replies []string
	try := func(tool string, a args) string {
		t.Helper()
		res, err := c.result(t.Context(), tool, a)
		if err != nil {
			replies = append(replies, err.Error())
			return ""
		}
		replies = append(replies, textOf(res))
		return textOf(res)
	}
	address := func(path string) string { return strings.Replace(vault.URL, "//", "//ann:"+secret()+"@", 1) + path }

	tab := c.open(vault.URL + "/")
	outline := c.call("snapshot", args{"tab": tab})
	for _, field := range []string{"Password", "Code"} {
		ref := c.find(`(e\d+) textbox "`+field, outline)
		try("fill", args{"tab": tab, "ref": ref, "value": secret()})
		try("fill", args{"tab": tab, "fields": []args{{"ref": ref, "value": secret()}, {"ref": "e999", "value": secret()}}})
		try("fill", args{"tab": tab, "ref": ref, "values": []string{secret()}})
		try("press_key", args{"tab": tab, "ref": ref, "text": secret(), "settle": "none"})
		try("press_key", args{"tab": tab, "ref": ref, "texts": secret()})
		try("press_key", args{"tab": tab, "ref": "nowhere", "text": secret()})
	}
	try("click", args{"tab": tab, "ref": c.find(`(e\d+) button "Ask"`, outline)})
	try("handle_dialog", args{"tab": tab, "accept": true, "text": secret(), "nonsense": true})
	try("handle_dialog", args{"tab": tab, "accept": true, "text": secret()})
	try("handle_dialog", args{"tab": tab, "accept": true, "user": secret(), "password": secret()})

	for _, tool := range []string{"open_tab", "navigate"} {
		try(tool, args{"url": address("/in"), "wait": "dom"})
		try(tool, args{"url": address("/in"), "to": "back"})
		try(tool, args{"url": "http://ann:" + secret() + "@127.0.0.1:1/"})
		try(tool, args{"url": "ftp://ann:" + secret() + "@127.0.0.1/"})
		try(tool, args{"url": "http://ann:" + secret() + "@[::1/"})
		try(tool, args{"uri": "http://ann:" + secret() + "@127.0.0.1/"})
	}
	asked := c.find(`(t\d+) · `, try("open_tab", args{"url": locked.URL + "/locked"}))
	try("handle_dialog", args{"tab": asked, "accept": true, "user": "ann", "password": secret(), "passwort": secret()})
	if got := try("handle_dialog", args{"tab": asked, "accept": true, "user": "ann", "password": secret()}); !strings.Contains(got, "navigated") {
		t.Errorf("the login was not taken: %s", got)
	}
	given := c.open(other + "/given")
	for _, id := range []string{asked, given} {
		list := try("list_requests", args{"tab": id})
		try("get_request", args{"tab": id, "id": c.find(`(?m)^(r\d+) .*/(?:locked|given)`, list)})
	}
	for _, tool := range []string{"list_tabs", "status", "list_console"} {
		try(tool, nil)
	}
	c.call("navigate", args{"tab": tab, "url": vault.URL + "/in"}) // away from the browser's own page about an address
	for _, a := range []args{{}, {"as": "html"}, {"as": "markdown"}} {
		a["tab"] = tab
		try("read_page", a)
	}
	try("find", args{"tab": tab, "role": "textbox"})
	past := try("history", args{"limit": 1000})
	c.want(past, "(15 characters)", "handle_dialog", "get_request")

	places := map[string][]byte{"stderr": []byte(c.stderr.String()), "replies": []byte(strings.Join(replies, "\n")), "drawbridge history": []byte(strings.Join(c.pastCalls("--history", file, "--limit", "0", "--json"), "\n"))}
	for _, name := range []string{file, file + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil || len(b) == 0 {
			t.Fatal(name, err)
		}
		places[name] = b
	}
	for place, b := range places {
		for rest := b; ; {
			i := bytes.Index(rest, []byte("canary"))
			if i < 0 {
				break
			}
			t.Errorf("%s has it: %q", place, rest[max(0, i-200):min(len(rest), i+40)])
			rest = rest[i+6:]
		}
	}
}
