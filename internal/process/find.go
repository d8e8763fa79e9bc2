package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
)

// Programs are the browsers of one family, and how each may be installed, by
// the system (GOOS).
type Programs struct {
	Names      string // of the family, for people: "Chromium or Chrome"
	Candidates map[string][]Candidate
	// Installers are the commands that install one, by the program that must be
	// there for them; Install is what to do without.
	Installers map[string][][2]string
	Install    string
}

// Candidate is one way a browser may be installed. Programs are names on the
// PATH; places are paths in which a leading $NAME is replaced from the
// environment.
type Candidate struct {
	Kind     string
	Programs []string
	Places   []string
}

// Bundle is where an application of macOS may be.
func Bundle(app string) []string {
	inside := "/Applications/" + app + ".app/Contents/MacOS/" + app
	return []string{inside, "$HOME" + inside}
}

// InPrograms is where a program of Windows may be.
func InPrograms(path string) []string {
	return []string{`$LOCALAPPDATA\` + path, `$PROGRAMFILES\` + path, `$PROGRAMFILES(X86)\` + path}
}

// A System is where programs are looked for.
type System struct {
	GOOS     string
	LookPath func(string) (string, error)
	Runs     func(path string) bool // it is a program
	Env      func(string) string
}

// Here is the system that this process runs on.
func Here() System { return System{runtime.GOOS, exec.LookPath, runs, os.Getenv} }

// Find returns the path of a browser's program. name is a path, the name of a
// program, a kind of a candidate, or "" for the first that is there.
func (p Programs) Find(f System, name string) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		return f.atPath(name)
	}
	known := name == ""
	for _, c := range p.Candidates[f.GOOS] {
		if name != "" && name != c.Kind {
			continue
		}
		known = true
		if path := f.installed(c); path != "" {
			return path, nil
		}
	}
	if !known {
		if path, err := f.LookPath(name); err == nil {
			return path, nil
		}
		return "", p.none(f, "no browser "+strconv.Quote(name)+" was found on the PATH")
	}
	if name != "" {
		return "", p.none(f, name+" was not found on this machine")
	}
	return "", p.none(f, "no "+p.Names+" was found on this machine")
}

// atPath returns the program at a path; that of an application bundle is the
// one in it.
func (f System) atPath(path string) (string, error) {
	inside := path
	if app, ok := strings.CutSuffix(filepath.Base(path), ".app"); ok && f.GOOS == "darwin" {
		inside = filepath.Join(path, "Contents", "MacOS", app)
	}
	if !f.Runs(inside) {
		return "", &browser.Error{Code: browser.CodeNoBrowser, Msg: "there is no program at " + path,
			Hint: "give the path of a browser's program, or leave it out and one is looked for"}
	}
	return inside, nil
}

// Knows tells whether a candidate is at path.
func (p Programs) Knows(f System, path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	for _, c := range p.Candidates[f.GOOS] {
		for _, name := range c.Programs {
			if found, err := f.LookPath(name); err == nil && found == path {
				return f.Runs(path)
			}
		}
		for _, place := range c.Places {
			if f.expand(place) == path {
				return f.Runs(path)
			}
		}
	}
	return false
}

func (f System) installed(c Candidate) string {
	for _, p := range c.Programs {
		if path, err := f.LookPath(p); err == nil {
			return path
		}
	}
	for _, p := range c.Places {
		if path := f.expand(p); path != "" && f.Runs(path) {
			return path
		}
	}
	return ""
}

// expand replaces a leading variable; a path whose variable is not set is "".
func (f System) expand(place string) string {
	rest, ok := strings.CutPrefix(place, "$")
	if !ok {
		return place
	}
	i := strings.IndexAny(rest, `/\`)
	value := f.Env(rest[:i])
	if value == "" {
		return ""
	}
	return value + rest[i:]
}

func (p Programs) none(f System, msg string) error {
	hint := p.Install
	for _, in := range p.Installers[f.GOOS] {
		if _, err := f.LookPath(in[0]); err == nil {
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
