package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// pastCalls runs "drawbridge history" where p ran, and returns its lines.
func (p *process) pastCalls(args ...string) []string {
	p.tb.Helper()
	cmd := exec.Command(binary, append([]string{"history"}, args...)...)
	cmd.Dir, cmd.Env = p.cmd.Dir, p.cmd.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.tb.Fatalf("history %v: %v\n%s", args, err, out)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

// Whatever was answered before the server was killed is in the history.
func TestKilledServerKeepsEveryFinishedCall(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	tab := c.open(s.URL + "/about")
	var mu sync.Mutex
	var finished []string
	enough := make(chan struct{})
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				name := fmt.Sprintf("call %d of worker %d", n, worker)
				if _, err := c.result(t.Context(), "evaluate", args{"tab": tab, "code": "return '" + name + "'"}); err != nil {
					return
				}
				mu.Lock()
				if finished = append(finished, name); len(finished) == 100 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	<-enough
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wantExit(-1)
	wg.Wait()
	if len(marked(c.mark)) > 0 {
		eventually(t, "the browser ended", func() bool { return len(marked(c.mark)) == 0 })
	}
	defer c.sweep()

	recorded := map[string]bool{}
	for _, line := range c.pastCalls("--json", "--limit", "0") {
		var e struct{ Tool, Arguments, Client string }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Client != "stdio" {
			t.Fatalf("%v in %s", err, line)
		}
		var a struct{ Code string }
		if e.Tool == "evaluate" && json.Unmarshal([]byte(e.Arguments), &a) == nil {
			recorded[strings.Trim(strings.TrimPrefix(a.Code, "return "), "'")] = true
		}
	}
	for _, name := range finished {
		if !recorded[name] {
			t.Errorf("%s is missing", name)
		}
	}
	t.Logf("%d calls had finished, %d are recorded", len(finished), len(recorded))
}

// Two servers write one file at once; each client reads its own calls, the
// person reads all and deletes them.
func TestServersShareAHistory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(shortTempDir(t), "shared", "calls.db")
	names := []string{"ann", "bob"}
	clients := map[string]*client{}
	for _, name := range names {
		clients[name] = connect(t, launch(t, "--browser", "/nowhere/chromium", "--history", file, "--client", name, "--toolsets", "all"), "", nil)
	}
	var wg sync.WaitGroup
	for name, c := range clients {
		wg.Go(func() {
			for n := range 20 {
				if _, err := c.result(t.Context(), "wait_for", args{"text": fmt.Sprint(name, n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i, name := range names {
		other := names[1-i]
		text := clients[name].call("history", nil)
		clients[name].want(text, "text="+name+"19", "text="+name+"0", "no_browser")
		if strings.Contains(text, other) || strings.Count(text, "wait_for") != 20 {
			t.Errorf("%s reads\n%s", name, text)
		}
	}
	clients["ann"].want(clients["ann"].call("clear_history", nil), "cleared 21 calls")
	if text := clients["ann"].call("history", nil); strings.Contains(text, "wait_for") {
		t.Errorf("after clearing:\n%s", text)
	}
	p := clients["ann"].process
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"--limit", "0", "--tool", "wait_for"}, 40}, {[]string{"--client", "bob", "--failed"}, 20},
		{[]string{"--text", "bob7"}, 1}, {[]string{"--limit", "5", "--json"}, 5}, {[]string{"--since", "1h", "--tool", "clear_history"}, 1},
	} {
		if got := p.pastCalls(append(tt.args, "--history", file)...); len(got) != tt.want {
			t.Errorf("%v lists %d calls, want %d:\n%s", tt.args, len(got), tt.want, strings.Join(got, "\n"))
		}
	}
	if got := p.pastCalls("clear", "--client", "bob", "--history", file); got[0] != "21 deleted" {
		t.Errorf("clear: %s", got)
	}
	if got := p.pastCalls("--client", "bob", "--history", file); len(got) != 1 || got[0] != "no such calls" {
		t.Errorf("after clear: %s", got)
	}
	clients["bob"].want(clients["bob"].call("history", nil), "no such calls")
}

// What is typed is nowhere in the files of the history, also where an error
// repeats it.
func TestTypedTextIsNotInTheHistory(t *testing.T) {
	t.Parallel()
	const canary = "canary-5c1b9e"
	file := filepath.Join(shortTempDir(t), "calls.db")
	c, s := serve(t, "--history", file, "--toolsets", "all"), newSite(t)
	tab := c.open(s.URL + "/shop")
	c.call("press_key", args{"tab": tab, "text": canary})
	for _, a := range []args{
		{"tab": tab, "ref": "e99999", "value": canary}, {"tab": tab, "valeu": canary}, {"tab": tab, "fields": []args{{"ref": "e99999", "value": canary}}},
		{"tab": tab, "value": []string{canary}}, {"tab": tab, "values": []string{canary}},
	} {
		c.refused("fill", a)
	}
	for _, line := range strings.Split(c.call("snapshot", args{"tab": tab, "only": "interactive"}), "\n") {
		if ref, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(ref, "e") {
			if _, err := c.result(t.Context(), "fill", args{"tab": tab, "ref": ref, "value": canary, "timeout": 0.2, "settle": "none"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if text := c.call("history", args{"limit": 1000}); strings.Contains(text, canary) || !strings.Contains(text, "(13 characters)") {
		t.Errorf("the history:\n%s", text)
	}
	for _, name := range []string{file, file + "-wal"} {
		data, err := os.ReadFile(name)
		if err != nil || len(data) == 0 {
			t.Fatal(name, err)
		}
		if i := strings.Index(string(data), canary); i >= 0 {
			t.Errorf("%s has it: %q", name, data[max(0, i-200):i+30])
		}
	}
}
