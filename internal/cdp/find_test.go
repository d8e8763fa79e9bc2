package cdp

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/process"
)

func TestFindBrowser(t *testing.T) {
	for _, tt := range []struct {
		about string
		goos  string
		path  []string // programs on the PATH, found in /bin
		files []string
		env   map[string]string
		name  string
		want  string
		hint  string // of the error, when none is found
	}{
		{about: "the first on the PATH", goos: "linux", path: []string{"google-chrome", "chromium"}, want: "/bin/chromium"},
		{about: "before the stub of Ubuntu", goos: "linux", path: []string{"chromium-browser", "google-chrome"}, want: "/bin/google-chrome"},
		{about: "the stub when nothing else is there", goos: "linux", path: []string{"chromium-browser"}, want: "/bin/chromium-browser"},
		{about: "a place off the PATH", goos: "linux", files: []string{"/opt/google/chrome/chrome"}, want: "/opt/google/chrome/chrome"},
		{about: "a kind", goos: "linux", path: []string{"chromium", "microsoft-edge"}, name: "edge", want: "/bin/microsoft-edge"},
		{about: "brave", goos: "linux", path: []string{"chromium", "brave-browser"}, name: "brave", want: "/bin/brave-browser"},
		{about: "a kind that is not there", goos: "linux", path: []string{"chromium", "dnf"}, name: "chrome", hint: "sudo dnf install chromium"},
		{about: "the name of a program", goos: "linux", path: []string{"chromium", "my-browser"}, name: "my-browser", want: "/bin/my-browser"},
		{about: "a program that is not there", goos: "linux", path: []string{"chromium"}, name: "my-browser", hint: "install"},
		{about: "a path", goos: "linux", files: []string{"/x/chrome"}, name: "/x/chrome", want: "/x/chrome"},
		{about: "a path to nothing", goos: "linux", name: "/x/chrome", hint: "give the path of a browser's program"},
		{about: "none, apt", goos: "linux", path: []string{"apt-get", "snap"}, hint: "sudo apt-get install chromium"},
		{about: "none, pacman", goos: "linux", path: []string{"pacman"}, hint: "sudo pacman -S chromium"},
		{about: "none, nothing to install with", goos: "linux", hint: "https://www.google.com/chrome"},
		{about: "mac", goos: "darwin", files: []string{"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"},
			want: "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"},
		{about: "mac, a person's own", goos: "darwin", env: map[string]string{"HOME": "/Users/a"},
			files: []string{"/Users/a/Applications/Brave Browser.app/Contents/MacOS/Brave Browser"},
			want:  "/Users/a/Applications/Brave Browser.app/Contents/MacOS/Brave Browser"},
		{about: "mac, a bundle", goos: "darwin", name: "/Applications/Chromium.app", files: []string{"/Applications/Chromium.app/Contents/MacOS/Chromium"},
			want: "/Applications/Chromium.app/Contents/MacOS/Chromium"},
		{about: "mac, none", goos: "darwin", path: []string{"brew"}, hint: "brew install --cask google-chrome"},
		{about: "windows", goos: "windows", env: map[string]string{"PROGRAMFILES": `C:\Program Files`},
			files: []string{`C:\Program Files\Google\Chrome\Application\chrome.exe`}, want: `C:\Program Files\Google\Chrome\Application\chrome.exe`},
		{about: "windows, 32 bit", goos: "windows", env: map[string]string{"PROGRAMFILES": `C:\Program Files`, "PROGRAMFILES(X86)": `C:\P86`},
			files: []string{`C:\P86\Microsoft\Edge\Application\msedge.exe`}, want: `C:\P86\Microsoft\Edge\Application\msedge.exe`},
		{about: "windows, a variable that is not set", goos: "windows", files: []string{`\Google\Chrome\Application\chrome.exe`}, hint: "install Chromium or Chrome"},
		{about: "windows, none", goos: "windows", path: []string{"winget"}, hint: "winget install Google.Chrome"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			f := process.System{
				GOOS: tt.goos,
				LookPath: func(p string) (string, error) {
					if slices.Contains(tt.path, p) {
						return "/bin/" + p, nil
					}
					return "", errors.New("not there")
				},
				Runs: func(p string) bool { return slices.Contains(tt.files, p) },
				Env:  func(k string) string { return tt.env[k] },
			}
			got, err := programs.Find(f, tt.name)
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
