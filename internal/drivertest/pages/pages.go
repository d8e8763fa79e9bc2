// Package pages holds pages and what a reading of them must say: an outline
// for each, and for one of them the role and the name of many elements by the
// specifications. Every driver reads them alike.
package pages

import (
	"embed"
	"html"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

//go:embed *.html *.outline
var files embed.FS

// Update, set in the environment to the folder of this package, makes Check
// write the outlines that it reads instead of comparing them.
const Update = "UPDATE_OUTLINES"

// A Reader is a page that a driver has open.
type Reader interface {
	// Outline is the snapshot of the page, as by default.
	Outline() (string, error)
	// Read is the page as text or html.
	Read(as string) (string, error)
	// Find returns the lines found for a part of a name, or of a text.
	Find(name, text string) ([]string, error)
}

// Handler serves the pages by their names.
func Handler() http.Handler {
	fixed := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		fixed.ServeHTTP(w, r)
	})
}

// Check reads every page that open opens, by its name below where Handler is
// served, and compares.
func Check(t *testing.T, open func(t *testing.T, page string) Reader) {
	all, err := fs.Glob(files, "*.outline")
	if err != nil || len(all) == 0 {
		t.Fatal("there are no outlines", err)
	}
	for _, file := range all {
		name := strings.TrimSuffix(file, ".outline")
		t.Run(name, func(t *testing.T) {
			got, err := open(t, name+".html").Outline()
			if err != nil {
				t.Fatal(err)
			}
			got = renumber(got) + "\n"
			if dir := os.Getenv(Update); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := files.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the outline is\n%s\nwant\n%s", got, want)
			}
		})
	}
	for _, name := range []string{"hidden", "unseen", "secrets"} {
		t.Run(name+"/read", func(t *testing.T) { checkRead(t, name, open(t, name+".html")) })
	}
	t.Run("names", func(t *testing.T) { checkNames(t, open(t, "names.html")) })
}

var (
	never = map[string]*regexp.Regexp{"hidden": regexp.MustCompile(`\bno\b`), "unseen": regexp.MustCompile("unread"), "secrets": regexp.MustCompile("CANARY")}
	seen  = regexp.MustCompile(`Seen \d+`)
)

// checkRead holds every way of reading to what a page says may be read.
func checkRead(t *testing.T, name string, page Reader) {
	source, err := files.ReadFile(name + ".html")
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"outline", "text", "html", "find"} {
		var got string
		var err error
		switch way {
		case "outline":
			got, err = page.Outline()
		case "find":
			for _, text := range []string{"no", "unread", "CANARY", "Seen"} {
				var lines []string
				lines, err = page.Find("", text)
				got += strings.Join(lines, "\n") + "\n"
			}
		default:
			got, err = page.Read(way)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(got, "\n") {
			if never[name].MatchString(line) && !strings.HasPrefix(line, "<!doctype") {
				t.Errorf("%s says what nobody can read: %.300q", way, line)
			}
		}
		for _, want := range seen.FindAllString(string(source), -1) {
			// What only a name says is in no text.
			if !strings.Contains(got, want) && (way == "outline" || (way == "text" && name != "hidden")) {
				t.Errorf("%s is without %q", way, want)
			}
		}
	}
}

var frameName = regexp.MustCompile(`\bf\d+\b`)

// renumber numbers frames as they appear: which numbers a driver gives out
// depends on what it saw before.
func renumber(outline string) string {
	names := map[string]string{}
	return frameName.ReplaceAllStringFunc(outline, func(f string) string {
		if names[f] == "" {
			names[f] = "f" + strconv.Itoa(len(names)+1)
		}
		return names[f]
	})
}

// Expected is what an element of names.html must be told as.
type Expected struct {
	Role   string // with the level of a heading
	Name   string // or, for what may have none, the text in it
	ByText bool   // it is found by its text
}

var marked = regexp.MustCompile(`data-expect-role="([^"]*)" data-expect-name="([^"]*)"( data-by=text)?`)

// Names lists what names.html expects.
func Names() ([]Expected, error) {
	text, err := files.ReadFile("names.html")
	if err != nil {
		return nil, err
	}
	var out []Expected
	for _, m := range marked.FindAllStringSubmatch(string(text), -1) {
		out = append(out, Expected{Role: m[1], Name: html.UnescapeString(m[2]), ByText: m[3] != ""})
	}
	return out, nil
}

var ref = regexp.MustCompile(`^(f\d+:)?e\d+ `)

func checkNames(t *testing.T, page Reader) {
	all, err := Names()
	if err != nil || len(all) < 80 {
		t.Fatal("too few names", len(all), err)
	}
	for _, e := range all {
		name, text := e.Name, "" // all of it, however it is put together
		if e.ByText {
			name, text = "", e.Name
		}
		lines, err := page.Find(name, text)
		if err != nil {
			t.Fatal(err)
		}
		want, found := e.Role+" "+strconv.Quote(e.Name), 0
		for _, l := range lines {
			if strings.HasPrefix(ref.ReplaceAllString(l, "")+" ", want+" ") {
				found++
			}
		}
		if found != 1 {
			t.Errorf("want one %s, found %q", want, lines)
		}
	}
}
