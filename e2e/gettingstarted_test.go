package e2e

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGettingStarted walks through docs/getting-started.md: the command serves
// the shop, the block for clients starts the server, and each call is made as
// it is written there and answers what is written below it.
func TestGettingStarted(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	const path, shop = "docs/getting-started.md", "http://127.0.0.1:8080"
	var site, answer string
	var c *client
	calls := 0
	for _, b := range blocks(t, path) {
		switch b.lang {
		case "":
			site = serveShop(t, strings.Fields(b.text), shop)
		case "json":
			var m mcpBlock
			if err := json.Unmarshal([]byte(b.text), &m); err != nil {
				t.Fatalf("%v in\n%s", err, b.text)
			}
			given := m.MCPServers["drawbridge"].Args
			if len(given) == 0 || given[0] != "serve" {
				t.Fatalf("clients are told to start %q", given)
			}
			c = serve(t, slices.Clone(given[1:])...)
		case "call":
			name, raw, _ := strings.Cut(strings.ReplaceAll(b.text, shop, site), " ")
			var a args
			if err := json.Unmarshal([]byte(raw), &a); err != nil {
				t.Fatalf("%v in\n%s", err, b.text)
			}
			answer = strings.ReplaceAll(c.reply(name, a), site, shop)
			calls++
		case "answer":
			holds(t, answer, b.text)
		default:
			t.Errorf("%s: a block of the language %q", path, b.lang)
		}
	}
	if n := len(regexp.MustCompile(`(?m)^## \d\. `).FindAllString(readDoc(t, path), -1)); n != 8 || calls < 7 {
		t.Errorf("%s has %d steps and %d calls", path, n, calls)
	}
}

// serveShop runs the command that serves the shop, on a port of its own, and
// returns its address without the last slash.
func serveShop(t *testing.T, words []string, shop string) string {
	t.Helper()
	at := slices.Index(words, strings.TrimPrefix(shop, "http://"))
	if words[0] != "drawbridge" || at < 0 {
		t.Fatalf("the shop is not served by %q", words)
	}
	words[at] = "127.0.0.1:0"
	home := shortTempDir(t)
	cmd := exec.CommandContext(t.Context(), binary, words[1:]...)
	cmd.Dir, cmd.Env = home, surroundings(home, home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context of the test has ended it
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(http://\S+)/`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no address in %q", line)
	}
	return m[1]
}
