package cdp

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestParseActivePort(t *testing.T) {
	for in, want := range map[string]string{
		"9222\n/devtools/browser/c9634538":       "ws://127.0.0.1:9222/devtools/browser/c9634538",
		"9222\r\n/devtools/browser\r\n":          "ws://127.0.0.1:9222/devtools/browser",
		"":                                       "",
		"9222":                                   "",
		"0\n/devtools/browser/x":                 "",
		"70000\n/devtools/browser/x":             "",
		"9222\n@evil.example/devtools/browser/x": "",
		"9222\n/devtools/browser/x\nmore":        "",
		"9222@evil\n/devtools/browser/x":         "",
	} {
		got, ok := parseActivePort(in)
		if got != want || ok != (want != "") {
			t.Errorf("parseActivePort(%q) = %q, %v", in, got, ok)
		}
	}
}

func FuzzParseActivePort(f *testing.F) {
	f.Add("9222\n/devtools/browser/c9634538")
	f.Fuzz(func(t *testing.T, in string) {
		if got, ok := parseActivePort(in); ok {
			if u, err := parseEndpoint(got); err != nil || u.Hostname() != "127.0.0.1" || u.User != nil {
				t.Errorf("parseActivePort(%q) = %q, which is %v, %v", in, got, u, err)
			}
		}
	})
}

func TestFindRunning(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	alive := listener.Addr().(*net.TCPAddr).Port
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := closed.Addr().(*net.TCPAddr).Port
	closed.Close()
	for _, tt := range []struct {
		goos     string
		profiles map[string]int // folder and port
		config   string         // XDG_CONFIG_HOME, below home
		want     string
	}{
		{"linux", nil, "", ""},
		{"linux", map[string]int{".config/google-chrome": dead}, "", ""},
		{"linux", map[string]int{".config/google-chrome": alive, ".config/chromium": dead}, "", "Chrome"},
		{"linux", map[string]int{".config/chromium": alive, "snap/chromium/common/chromium": alive}, "", "Chromium, Chromium (snap)"},
		{"linux", map[string]int{"cfg/chromium": alive, ".config/google-chrome": alive}, "cfg", "Chromium"},
		{"darwin", map[string]int{"Library/Application Support/Google/Chrome Canary": alive}, "", "Chrome Canary"},
		{"windows", map[string]int{"local/Microsoft/Edge/User Data": alive}, "", "Edge"},
	} {
		home := t.TempDir()
		for dir, port := range tt.profiles {
			dir = filepath.Join(home, dir)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, activePort), []byte(strconv.Itoa(port)+"\n/devtools/browser/x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		env := map[string]string{"HOME": home, "LOCALAPPDATA": filepath.Join(home, "local")}
		if tt.config != "" {
			env["XDG_CONFIG_HOME"] = filepath.Join(home, tt.config)
		}
		var got []string
		for _, r := range findRunning(t.Context(), tt.goos, func(name string) string { return env[name] }) {
			got = append(got, r.Name)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s %v: found %q, want %q", tt.goos, tt.profiles, got, tt.want)
		}
	}
}

func TestSeveralRunning(t *testing.T) {
	_, err := connectRunning(t.Context(), []Running{{"Chrome", "/a", "ws://127.0.0.1:1/x"}, {"Edge", "/b", "ws://127.0.0.1:2/y"}})
	if browser.CodeOf(err) != browser.CodeNoBrowser || !strings.Contains(err.Error(), "Chrome at ws://127.0.0.1:1/x, Edge at ws://127.0.0.1:2/y; name one with --cdp") {
		t.Errorf("error %v", err)
	}
}
