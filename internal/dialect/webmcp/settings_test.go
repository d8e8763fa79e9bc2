package webmcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read reads settings in a folder with the files; env are lines NAME=VALUE.
func read(t *testing.T, config string, files map[string]string, env ...string) (Settings, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ReadSettings(Sources{
		Dir: dir, Config: config,
		LookupEnv: func(name string) (string, bool) {
			for _, line := range env {
				if n, v, _ := strings.Cut(line, "="); n == name {
					return v, true
				}
			}
			return "", false
		},
		Installed: func(path string) bool { return path == "/usr/bin/chromium" },
	})
}

// said is what settings say, one "name=text (source)" each, without the default page.
func said(s Settings) []string {
	var out []string
	for _, v := range s.Values {
		if !v.Default {
			out = append(out, v.Name+"="+v.Text+" ("+v.Source+")")
		}
	}
	return out
}

func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		files        map[string]string
		env          []string
		want         []string
		history      int
		notes        string
	}{
		{name: "nothing"},
		{name: "the README's file", files: map[string]string{"webmcp.yaml": "chromePath: /usr/bin/chromium\ntargetUrl: https://a.example\nheadless: false\nhistoryMax: 500\nlogHistory: false\n"},
			want:    []string{"browser=/usr/bin/chromium (webmcp.yaml:1)", "url=https://a.example (webmcp.yaml:2)", "headless=false (webmcp.yaml:3)", "log-history=false (webmcp.yaml:5)"},
			history: 500, notes: "Loaded config from webmcp.yaml"},
		{name: "as JSON", files: map[string]string{"webmcp.json": `{"targetUrl": "about:blank", "headless": true, "declarativeScan": false, "other": [1]}`},
			want: []string{"url=about:blank (webmcp.json:1)", "headless=true (webmcp.json:1)", "no-declarative=true (webmcp.json:1)"}, notes: "Loaded config from webmcp.json"},
		{name: "the first of several", files: map[string]string{"webmcp.json": `{"headless": true}`, "webmcp.yml": "headless: false"},
			want: []string{"headless=false (webmcp.yml:1)"}, notes: "Loaded config from webmcp.yml"},
		{name: "a file that is named", config: "my.yaml", files: map[string]string{"my.yaml": "chromePath: /opt/mine", "webmcp.yaml": "headless: false"},
			want: []string{"browser=/opt/mine (my.yaml:1)"}, notes: "Loaded config from my.yaml"},
		{name: "the file before the environment", files: map[string]string{"webmcp.yaml": "headless: false\ntargetUrl:\n"}, env: []string{"WEBMCP_HEADLESS=true", "WEBMCP_TARGET_URL=about:blank"},
			want: []string{"url=about:blank (WEBMCP_TARGET_URL)", "headless=false (webmcp.yaml:1)"}, notes: "Loaded config from webmcp.yaml"},
		{name: "the environment", env: []string{"CHROME_PATH=/opt/mine", "WEBMCP_TARGET_URL=", "WEBMCP_HEADLESS=", "WEBMCP_HISTORY_MAX=12abc", "WEBMCP_LOG_HISTORY=true", "WEBMCP_DECLARATIVE_SCAN=false"},
			want: []string{"browser=/opt/mine (CHROME_PATH)", "headless=true (WEBMCP_HEADLESS)", "log-history=true (WEBMCP_LOG_HISTORY)", "no-declarative=true (WEBMCP_DECLARATIVE_SCAN)"}, history: 12},
		{name: "what it made of other words", env: []string{"WEBMCP_HEADLESS=0", "WEBMCP_LOG_HISTORY=1", "WEBMCP_DECLARATIVE_SCAN=0", "WEBMCP_HISTORY_MAX=all"},
			want:  []string{"headless=true (WEBMCP_HEADLESS)", "log-history=false (WEBMCP_LOG_HISTORY)", "no-declarative=false (WEBMCP_DECLARATIVE_SCAN)"},
			notes: `WEBMCP_HISTORY_MAX: historyMax: "all" is no number above zero; 1000 is used`},
		{name: "what a cloned folder may not loosen", files: map[string]string{"webmcp.yaml": "declarativeScan: true"}, notes: "Loaded config from webmcp.yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := read(t, tt.config, tt.files, tt.env...)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, said(s)); d != "" {
				t.Error(d)
			}
			if s.HistoryMax != tt.history || strings.Join(s.Notes, "\n") != tt.notes {
				t.Errorf("history %d, notes %q", s.HistoryMax, s.Notes)
			}
		})
	}
	if s, _ := read(t, "", nil); len(s.Values) != 1 || s.Values[0] != (Value{"url", "https://www.google.com", "default of webmcp", true}) {
		t.Errorf("got %+v", s.Values)
	}
}

func TestSettingsFaults(t *testing.T) {
	for _, tt := range []struct {
		config string
		files  map[string]string
		want   string
	}{
		{"none.yaml", nil, "Config file not found: none.yaml"},
		{"a.toml", map[string]string{"a.toml": "x = 1"}, "Unsupported config file extension '.toml'. Use .yaml, .yml, or .json."},
		{"a.yaml", map[string]string{"a.yaml": ""}, "Config file must contain an object, got null"},
		{"a.json", map[string]string{"a.json": "[1]"}, "Config file must contain an object, got array"},
		{"a.json", map[string]string{"a.json": "7"}, "Config file must contain an object, got number"},
		{"a.json", map[string]string{"a.json": "true"}, "Config file must contain an object, got boolean"},
		{"a.yaml", map[string]string{"a.yaml": "words"}, "Config file must contain an object, got string"},
		{"a.json", map[string]string{"a.json": "{"}, "Failed to parse a.json: "},
		{"", map[string]string{"webmcp.yaml": "a: b: c"}, "Failed to parse webmcp.yaml: "},
		{"", map[string]string{"webmcp.yaml": "targetUrl: [a]"}, "Failed to parse webmcp.yaml: targetUrl must be a single value, not array (line 1)"},
		{"", map[string]string{"webmcp.yaml": "\nchromePath: ./evil"}, `webmcp.yaml:2: chromePath: a file in the working folder may name only a browser that is installed in a usual place, and "./evil" is none; ` +
			"set CHROME_PATH, use --browser, or name the file with --config"},
	} {
		_, err := read(t, tt.config, tt.files)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %v: got %v", tt.config, tt.files, err)
		}
		if _, ok := err.(*SettingsError); !ok {
			t.Errorf("%s: %T", tt.config, err)
		}
	}
}
