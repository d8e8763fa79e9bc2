package cdp

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
)

// FindBrowser returns the path of a browser's program. name is a path, the
// name of a program, one of "chromium", "chrome", "edge" and "brave", or "" for
// the first of these that is there.
func FindBrowser(name string) (string, error) {
	return finder{goos: runtime.GOOS, lookPath: exec.LookPath, runs: runs, env: os.Getenv}.find(name)
}

// Installed tells whether path is that of a browser's program that FindBrowser
// finds without being told where.
func Installed(path string) bool {
	return finder{goos: runtime.GOOS, lookPath: exec.LookPath, runs: runs, env: os.Getenv}.knows(path)
}

// finder looks for browsers in a system.
type finder struct {
	goos     string
	lookPath func(string) (string, error)
	runs     func(path string) bool // it is a program
	env      func(string) string
}

// candidate is one way a browser may be installed. Programs are names on the
// PATH; places are paths in which $NAME is replaced from the environment.
type candidate struct {
	kind     string
	programs []string
	places   []string
}

var candidates = map[string][]candidate{
	"linux": {
		{"chromium", []string{"chromium"}, []string{"/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser", "/snap/bin/chromium"}},
		{"chrome", []string{"google-chrome-stable", "google-chrome", "chrome"}, []string{"/opt/google/chrome/chrome"}},
		{"edge", []string{"microsoft-edge-stable", "microsoft-edge"}, []string{"/opt/microsoft/msedge/msedge"}},
		{"brave", []string{"brave-browser-stable", "brave-browser", "brave"}, []string{"/opt/brave.com/brave/brave"}},
		// Last: on some systems it only tells how to install one.
		{"chromium", []string{"chromium-browser"}, nil},
	},
	"darwin": {
		{"chromium", nil, bundle("Chromium")},
		{"chrome", nil, bundle("Google Chrome")},
		{"edge", nil, bundle("Microsoft Edge")},
		{"brave", nil, bundle("Brave Browser")},
		{"chromium", []string{"chromium"}, nil},
	},
	"windows": {
		{"chromium", nil, inPrograms(`Chromium\Application\chrome.exe`)},
		{"chrome", nil, inPrograms(`Google\Chrome\Application\chrome.exe`)},
		{"edge", nil, inPrograms(`Microsoft\Edge\Application\msedge.exe`)},
		{"brave", nil, inPrograms(`BraveSoftware\Brave-Browser\Application\brave.exe`)},
		{"chrome", []string{"chrome.exe"}, nil},
		{"edge", []string{"msedge.exe"}, nil},
	},
}

func bundle(app string) []string {
	inside := "/Applications/" + app + ".app/Contents/MacOS/" + app
	return []string{inside, "$HOME" + inside}
}

func inPrograms(path string) []string {
	return []string{`$LOCALAPPDATA\` + path, `$PROGRAMFILES\` + path, `$PROGRAMFILES(X86)\` + path}
}

func (f finder) find(name string) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		return f.atPath(name)
	}
	known := name == ""
	for _, c := range candidates[f.goos] {
		if name != "" && name != c.kind {
			continue
		}
		known = true
		if path := f.installed(c); path != "" {
			return path, nil
		}
	}
	if !known {
		if path, err := f.lookPath(name); err == nil {
			return path, nil
		}
		return "", f.none("no browser " + strconv.Quote(name) + " was found on the PATH")
	}
	if name != "" {
		return "", f.none(name + " was not found on this machine")
	}
	return "", f.none("no Chromium, Chrome, Edge or Brave was found on this machine")
}

// atPath returns the program at a path; that of an application bundle is the
// one in it.
func (f finder) atPath(path string) (string, error) {
	inside := path
	if app, ok := strings.CutSuffix(filepath.Base(path), ".app"); ok && f.goos == "darwin" {
		inside = filepath.Join(path, "Contents", "MacOS", app)
	}
	if !f.runs(inside) {
		return "", &browser.Error{Code: browser.CodeNoBrowser, Msg: "there is no program at " + path,
			Hint: "give the path of a browser's program, or leave it out and one is looked for"}
	}
	return inside, nil
}

// knows tells whether a candidate is at path.
func (f finder) knows(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	for _, c := range candidates[f.goos] {
		for _, p := range c.programs {
			if found, err := f.lookPath(p); err == nil && found == path {
				return f.runs(path)
			}
		}
		for _, p := range c.places {
			if f.expand(p) == path {
				return f.runs(path)
			}
		}
	}
	return false
}

func (f finder) installed(c candidate) string {
	for _, p := range c.programs {
		if path, err := f.lookPath(p); err == nil {
			return path
		}
	}
	for _, p := range c.places {
		if path := f.expand(p); path != "" && f.runs(path) {
			return path
		}
	}
	return ""
}

// expand replaces a leading variable; a path whose variable is not set is "".
func (f finder) expand(place string) string {
	rest, ok := strings.CutPrefix(place, "$")
	if !ok {
		return place
	}
	i := strings.IndexAny(rest, `/\`)
	value := f.env(rest[:i])
	if value == "" {
		return ""
	}
	return value + rest[i:]
}

// installers are the commands that install a browser, by the program that must
// be there for them.
var installers = map[string][][2]string{
	"linux": {
		{"apt-get", "sudo apt-get install chromium"},
		{"dnf", "sudo dnf install chromium"},
		{"pacman", "sudo pacman -S chromium"},
		{"zypper", "sudo zypper install chromium"},
		{"apk", "sudo apk add chromium"},
		{"snap", "sudo snap install chromium"},
	},
	"darwin":  {{"brew", "brew install --cask google-chrome"}},
	"windows": {{"winget", "winget install Google.Chrome"}},
}

func (f finder) none(msg string) error {
	hint := "install Chromium or Chrome (https://www.google.com/chrome)"
	for _, in := range installers[f.goos] {
		if _, err := f.lookPath(in[0]); err == nil {
			hint = "install one: " + in[1]
			break
		}
	}
	return &browser.Error{Code: browser.CodeNoBrowser, Msg: msg, Hint: hint + "; or name one with --browser"}
}

// runs tells whether path is a program.
func runs(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0)
}
