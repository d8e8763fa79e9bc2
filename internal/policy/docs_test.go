package policy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocs holds docs/permissions.md to the truth: each of its files of rules
// is read and asked the questions that follow it, each flag is tried.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../docs/permissions.md")
	if err != nil {
		t.Fatal(err)
	}
	var rules, asked, flags int
	var p *Policy
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```").FindAllStringSubmatch(string(data), -1) {
		switch kind, text := m[1], m[2]; kind {
		case "yaml":
			if p != nil {
				t.Errorf("no questions before:\n%s", text)
			}
			p = policyOf(t, text)
			rules++
		case "text":
			for line := range strings.Lines(text) {
				question, want, ok := strings.Cut(strings.TrimSpace(line), " → ")
				if !ok || p == nil {
					t.Fatalf("no question to a file of rules: %s", line)
				}
				if d := p.Decide(ask(t, question)); d.Verdict.String() != want {
					t.Errorf("%s: %s by %s, want %s", question, d.Verdict, d.Rule, want)
				}
				asked++
			}
			p = nil
		case "sh":
			for _, f := range regexp.MustCompile(`--allow (\S+)`).FindAllStringSubmatch(text, -1) {
				if _, err := ParseAllow(f[1]); err != nil {
					t.Error(err)
				}
				flags++
			}
		}
	}
	if p != nil || rules == 0 || asked == 0 || flags == 0 {
		t.Errorf("%d files of rules, %d questions, %d flags; the last file is asked: %v", rules, asked, flags, p == nil)
	}
	for _, a := range Actions {
		if !strings.Contains(string(data), "| `"+string(a)+"` |") {
			t.Errorf("the action %s is not told", a)
		}
	}
	for _, k := range keys {
		if !strings.Contains(string(data), "| `"+k+"` |") {
			t.Errorf("the key %s is not told", k)
		}
	}
}
