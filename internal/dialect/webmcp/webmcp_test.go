package webmcp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
	"drawbridge/internal/dialect/webmcp"
	"drawbridge/internal/history"
	"drawbridge/internal/toolset"
)

var update = flag.Bool("update", false, "write what is said into testdata")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text); d != "" {
		t.Errorf("%s (-update accepts it)\n%s", path, d)
	}
}

// TestToolsList: what clients of opencode-webmcp are told of its twelve tools.
func TestToolsList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, "")
		defer st.stop()
		var b bytes.Buffer
		for _, raw := range st.listed() {
			if err := json.Indent(&b, raw, "", "  "); err != nil {
				t.Fatal(err)
			}
			b.WriteByte('\n')
		}
		golden(t, "tools.json", b.String())
	})
}

// TestTranscripts plays testdata/*.txt: lines "> tool {arguments}" are calls,
// "> list" shows the page tools as they are listed, "> wait 1s" lets time pass,
// "> offer ID names" has a page offer tools, "> log" shows the last line of
// the log of the history, "> crash ID" has a page crash. Below each is what the client is told. Lines that
// begin with # are comments.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				st := newStage(t, "")
				defer st.stop()
				var b strings.Builder
				for line := range strings.Lines(string(script)) {
					if strings.HasPrefix(line, "#") {
						b.WriteString(line)
					}
					if step, ok := strings.CutPrefix(line, "> "); ok {
						b.WriteString(line + st.play(strings.TrimSpace(step)))
					}
				}
				golden(t, filepath.Base(file), b.String())
			})
		})
	}
}

// play plays a step and returns what the client is told.
func (st *stage) play(step string) string {
	verb, arg, _ := strings.Cut(step, " ")
	switch verb {
	case "list":
		var b strings.Builder
		for _, raw := range st.listed() {
			if !bytes.Contains(raw, []byte(`"name":"webmcp_`)) {
				b.Write(raw)
				b.WriteByte('\n')
			}
		}
		return b.String()
	case "wait":
		d, err := time.ParseDuration(arg)
		if err != nil {
			st.t.Fatal(err)
		}
		time.Sleep(d) // of the bubble
		synctest.Wait()
		_, told := st.request("ping", "{}")
		for i := range told {
			told[i] = "< " + told[i] + "\n"
		}
		return strings.Join(told, "")
	case "offer":
		words := strings.Fields(arg)
		st.driver.offer(browser.TabID(words[0]), words[1:]...)
		synctest.Wait()
		return ""
	case "crash":
		st.driver.sink(browser.Crashed{Tab: browser.TabID(arg)})
		synctest.Wait()
		return ""
	case "log":
		lines := strings.Split(strings.TrimSpace(st.logged.String()), "\n")
		return st.named(lines[len(lines)-1]) + "\n"
	}
	return st.call(verb, arg)
}

// TestRulesAndHistory: both see our own calls, and a client that may not make
// them is not shown the older ones.
func TestRulesAndHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, `
- {verdict: deny, action: script}
- {verdict: deny, action: page_tool, subject: sum}
- {verdict: deny, action: read, origin: https://elsewhere.example}
`)
		defer st.stop()
		for _, raw := range st.listed() {
			if bytes.Contains(raw, []byte(`"name":"webmcp_evaluate"`)) || bytes.Contains(raw, []byte(`"name":"webmcp_register_test_tools"`)) {
				t.Errorf("listed %s", raw)
			}
		}
		st.call("webmcp_navigate", `{"url":"http://ann:secret@shop.example/start"}`)
		st.driver.offer("t1", "sum", "mcp")
		st.call("webmcp_list_tabs", `{}`)
		for call, want := range map[string]string{
			`webmcp_evaluate {"code":"1"}`: "script is denied (rules.yaml:2: deny script)",
			`sum {}`:                       "page_tool on http://shop.example is denied",
			`webmcp_invoke_tool {"name":"mcp","args":{},"tabId":"TAB-1"}`: "shaped",
		} {
			if got := st.play(call); !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want %q", call, got, want)
			}
		}
		page, err := st.broker.History().Find(t.Context(), history.Query{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range page.Entries {
			got = append(got, e.Tool+" "+string(e.Tab)+" "+string(e.Code))
			if strings.Contains(e.Args, "secret") {
				t.Errorf("%s: %s", e.Tool, e.Args)
			}
		}
		slices.Sort(got)
		want := []string{"call_page_tool t1 ", "call_page_tool t1 denied", "evaluate  denied", "list_tabs  ", "open_tab t1 "}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if past := st.call("webmcp_history", "{}"); strings.Contains(past, "secret") || !strings.Contains(past, "webmcp_navigate") {
			t.Errorf("got %s", past)
		}
	})
}

// TestNatives: the dialect is over tools that there are.
func TestNatives(t *testing.T) {
	if _, err := webmcp.New(webmcp.Options{Natives: toolset.All()[1:]}); err == nil || !strings.Contains(err.Error(), "there is no tool list_tabs") {
		t.Errorf("got %v", err)
	}
}
