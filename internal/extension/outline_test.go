package extension_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/pageagent"
)

// What is another in each run.
var varying = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`\d\d:\d\d( [AP]M)?`), "TIME"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`for \d+ more minutes`), "for N more minutes"},
	{regexp.MustCompile(`drawbridge pair \d{6}`), "drawbridge pair CODE"},
}

// TestThePopupHasNamesForAll holds the popup to what a screen reader is told of
// it: the outline that our own page agent makes.
func TestThePopupHasNamesForAll(t *testing.T) {
	t.Parallel()
	b, s := newBridge(t), newSite(t)
	p := newPerson(t, chromium(t, b, privately))
	b.next(t, longest)
	url := s.near + "/button"
	p.open(url)
	popup := p.popup(p.tab(url))
	p.reads(popup, "#connection", "Connected")
	p.eval(popup, "document.getElementById('settings').open = true", nil)
	outline := func(name string) {
		t.Helper()
		args, err := json.Marshal(pageagent.SnapshotArgs{Budget: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		var answer string
		p.eval(popup, fmt.Sprintf("globalThis.agent ??= %s\n;agent.call('snapshot', 1, %q)", strings.TrimRight(pageagent.Source, ";\n"), args), &answer)
		var r struct {
			OK  pageagent.SnapshotReply
			Err json.RawMessage
		}
		if err := json.Unmarshal([]byte(answer), &r); err != nil || r.Err != nil {
			t.Fatalf("%s %v", r.Err, err)
		}
		got := r.OK.Text + "\n"
		for _, v := range varying {
			got = v.what.ReplaceAllString(got, v.as)
		}
		for line := range strings.Lines(got) {
			if regexp.MustCompile(`^\s*e\d+ (button|checkbox|radio|textbox|combobox|link)( \[|$)`).MatchString(line) {
				t.Errorf("without a name: %s", line)
			}
		}
		file := filepath.Join("testdata", "popup", name+".txt")
		if os.Getenv("UPDATE") != "" {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (UPDATE=1 writes it anew):\n%s", file, d)
		}
	}
	outline("private")
	p.allows(popup, "site", "withdrawn")
	p.sees(popup, "#allowances button")
	var focus string
	if p.eval(popup, "document.activeElement.id", &focus); focus != "tab-hide" {
		t.Errorf("after allowing, the focus is on %q", focus)
	}
	outline("allowed")
	p.click(popup, "#gate-switch")
	p.reads(popup, "#gate-title", "up")
	outline("raised")
	p.eval(popup, "document.querySelector('#allowances button').focus()", nil)
	p.click(popup, "#allowances button")
	p.reads(popup, "#tab-word", "Private.")
	if p.eval(popup, "document.activeElement.id", &focus); focus == "" {
		t.Error("after withdrawing, the focus is lost")
	}
}
