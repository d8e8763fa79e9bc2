package config

import (
	"errors"
	"strings"
	"testing"
)

// TestOlder: what an older server's settings say counts after flags and before
// all of ours, and what is only its default after them.
func TestOlder(t *testing.T) {
	says := []Outside{
		{Name: "headless", Text: "false", Source: "old.yaml:2"},
		{Name: "url", Text: "https://old.example/", Source: "default of old", Default: true},
	}
	var asked []string
	older := func(dialect, config string) ([]Outside, error) {
		asked = append(asked, dialect+" "+config)
		return says, nil
	}
	const file = "user/drawbridge.yaml"
	for _, tt := range []struct {
		name string
		run
		asked, headless, url string // sources of the values
	}{
		{"no dialect", run{files: map[string]string{file: "headless: false\n"}}, "", "drawbridge.yaml:1", SourceDefault},
		{"by a flag", run{args: []string{"--dialect", "old"}}, "old ", "old.yaml:2", "default of old"},
		{"by the environment", run{env: map[string]string{"DRAWBRIDGE_DIALECT": "old"}}, "old ", "old.yaml:2", "default of old"},
		{"by a file", run{files: map[string]string{"work/drawbridge.yaml": "dialect: old\n"}}, "old ", "old.yaml:2", "default of old"},
		{"flags count", run{args: []string{"--dialect=old", "--headless", "--url=https://a.example/"}}, "old ", "--headless", "--url"},
		{"over our file, under it by default", run{args: []string{"--dialect=old"}, files: map[string]string{file: "headless: true\nurl: https://b.example/\n"}},
			"old ", "old.yaml:2", "drawbridge.yaml:2"},
		{"over our environment", run{args: []string{"--dialect=old"}, env: map[string]string{"DRAWBRIDGE_HEADLESS": "true", "DRAWBRIDGE_URL": "about:blank"}},
			"old ", "old.yaml:2", "DRAWBRIDGE_URL"},
		{"its file", run{args: []string{"--dialect=old", "--config", "x.toml"}}, "old x.toml", "old.yaml:2", "default of old"},
		{"an empty variable", run{args: []string{"--config", "../user/drawbridge.yaml"}, env: map[string]string{"DRAWBRIDGE_DIALECT": ""}, files: map[string]string{file: "headless: false\n"}},
			"", "../user/drawbridge.yaml:1", SourceDefault},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked = nil
			tt.older = older
			_, values, _, err := tt.load(t)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(asked, ", "); got != tt.asked {
				t.Errorf("asked for %q, want %q", got, tt.asked)
			}
			for name, want := range map[string]string{"headless": tt.headless, "url": tt.url} {
				if got := values[name].Source; !strings.HasSuffix(got, want) {
					t.Errorf("%s is from %q, want %q", name, got, want)
				}
			}
		})
	}
	refused := errors.New("refused")
	if _, _, _, err := (run{args: []string{"--dialect=old"}, older: func(string, string) ([]Outside, error) { return nil, refused }}).load(t); err != refused {
		t.Errorf("got %v", err)
	}
	says[0].Text = "perhaps"
	if _, _, _, err := (run{args: []string{"--dialect=old"}, older: older}).load(t); err == nil || !strings.Contains(err.Error(), `old.yaml:2: headless: "perhaps"`) {
		t.Errorf("got %v", err)
	}
	if _, _, _, err := (run{args: []string{"--dialect=new"}, older: older}).load(t); err == nil || !strings.Contains(err.Error(), `there is no dialect "new"; there is old`) {
		t.Errorf("got %v", err)
	}
}
