package firefox

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/process"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		about, goos string
		path        []string // programs on the PATH, found in /bin
		files       []string
		name, want  string
		hint        string // of the error, when none is found
	}{
		{about: "the first", goos: "linux", path: []string{"firefox-esr", "firefox"}, want: "/bin/firefox"},
		{about: "esr", goos: "linux", path: []string{"firefox-esr"}, name: "firefox", want: "/bin/firefox-esr"},
		{about: "a snap off the PATH", goos: "linux", files: []string{"/snap/bin/firefox"}, want: "/snap/bin/firefox"},
		{about: "a path", goos: "linux", files: []string{"/x/firefox"}, name: "/x/firefox", want: "/x/firefox"},
		{about: "none", goos: "linux", path: []string{"dnf", "chromium"}, hint: "sudo dnf install firefox"},
		{about: "mac", goos: "darwin", files: []string{"/Applications/Firefox.app/Contents/MacOS/firefox"}, want: "/Applications/Firefox.app/Contents/MacOS/firefox"},
		{about: "windows, none", goos: "windows", hint: "https://www.mozilla.org/firefox"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			at := process.System{
				GOOS: tt.goos,
				LookPath: func(p string) (string, error) {
					if slices.Contains(tt.path, p) {
						return "/bin/" + p, nil
					}
					return "", errors.New("not there")
				},
				Runs: func(p string) bool { return slices.Contains(tt.files, p) },
				Env:  func(string) string { return "" },
			}
			got, err := programs.Find(at, tt.name)
			if tt.want != "" {
				if err != nil || got != tt.want {
					t.Errorf("got %q, %v, want %q", got, err, tt.want)
				}
				return
			}
			var e *browser.Error
			if !errors.As(err, &e) || e.Code != browser.CodeNoBrowser || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("got %q, %v, want a hint with %q", got, err, tt.hint)
			}
		})
	}
}
