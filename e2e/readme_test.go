package e2e

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/toolset"
)

// block is a block of code in a document: its language, "" for an indented
// one, and its text.
type block struct{ lang, text string }

// blocks returns the blocks of code of a document of the repository.
func blocks(t *testing.T, path string) []block {
	t.Helper()
	var out []block
	fence, indented := -1, -1 // the block that a line belongs to
	for line := range strings.Lines(readDoc(t, path)) {
		code, isCode := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```") && fence >= 0:
			fence = -1
		case strings.HasPrefix(line, "```"):
			out = append(out, block{lang: strings.TrimSpace(line[3:])})
			fence = len(out) - 1
		case fence >= 0:
			out[fence].text += line
		case !isCode:
			indented = -1
		default:
			if indented < 0 {
				out = append(out, block{})
				indented = len(out) - 1
			}
			out[indented].text += code
		}
	}
	if fence >= 0 {
		t.Errorf("%s: a block is not closed", path)
	}
	return out
}

// readDoc reads a file of the repository.
func readDoc(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// docs lists the documents, README.md first.
func docs(t *testing.T) []string {
	t.Helper()
	all, err := fs.Glob(os.DirFS(".."), "docs/*.md")
	if err != nil || len(all) == 0 {
		t.Fatal("no documents", err)
	}
	return append([]string{"README.md"}, all...)
}

// mcpBlock is the block that most clients want.
type mcpBlock struct {
	MCPServers map[string]struct {
		Command string
		Args    []string
	}
}

func TestTheBlockForClientsStartsAServer(t *testing.T) {
	var command []string
	for _, b := range blocks(t, "README.md") {
		if b.lang != "json" {
			continue
		}
		var m mcpBlock
		if err := json.Unmarshal([]byte(b.text), &m); err != nil {
			t.Fatalf("%v in\n%s", err, b.text)
		}
		s := m.MCPServers["drawbridge"]
		command = append([]string{s.Command}, s.Args...)
	}
	if !slices.Equal(command, []string{"drawbridge", "serve"}) {
		t.Fatalf("README.md tells clients to start %q", command)
	}
	// As if the folder of the program were on the client's PATH.
	home := shortTempDir(t)
	cmd := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(binary), command[0]), command[1:]...)
	cmd.Dir, cmd.Env = home, surroundings(home, home)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil || len(list.Tools) == 0 {
		t.Errorf("%v, %v", list, err)
	}
	if err := session.Close(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

func TestEveryCommandOfTheReadmeRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	makefile := readDoc(t, "Makefile")
	ran := 0
	for _, b := range blocks(t, "README.md") {
		for line := range strings.Lines(b.text) {
			line, _, _ = strings.Cut(line, " # ")
			words := strings.Fields(line)
			switch {
			case len(words) < 2:
			case words[0] == "make":
				if !strings.Contains(makefile, "\n"+words[1]+":") {
					t.Errorf("the Makefile has no target for %q", line)
				}
			case words[0] == "drawbridge":
				ran++
				t.Run(strings.Join(words[1:min(3, len(words))], " "), func(t *testing.T) { runAsWritten(t, s, words) })
			}
		}
	}
	if ran < 3 {
		t.Errorf("README.md has only %d commands", ran)
	}
}

// runAsWritten runs a command of a document, against pages and a browser of
// the test where it names others.
func runAsWritten(t *testing.T, s *site, words []string) {
	words = slices.Clone(words)
	for i, w := range words {
		switch {
		case strings.Contains(w, "https://example.com"):
			words[i] = strings.Replace(w, "https://example.com", s.URL+"/about", 1)
		case w == "http://127.0.0.1:9222":
			words[i], _ = startBrowser(t, "about:blank")
		}
	}
	home := shortTempDir(t)
	cmd := exec.CommandContext(t.Context(), binary, words[1:]...)
	cmd.Dir, cmd.Env = home, surroundings(home, home)
	if words[1] == "extension" { // which starts nothing that listens, and wants to know where that will be
		cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "DRAWBRIDGE_LISTEN=") })
	}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
		t.Errorf("%q: %v\n%s", words, err, out)
	}
}

func TestReadmeIsShortAndListsTheTools(t *testing.T) {
	readme := readDoc(t, "README.md")
	if n := strings.Count(readme, "\n"); n >= 200 {
		t.Errorf("README.md has %d lines, want less than 200", n)
	}
	_, rest, _ := strings.Cut(readme, "<!-- tools:begin -->\n")
	table, _, ok := strings.Cut(rest, "<!-- tools:end -->")
	if want := string(toolset.Table(toolset.All())); !ok || strings.TrimSpace(table) != strings.TrimSpace(want) {
		t.Errorf("the table of tools is\n%s\nwant (make generate)\n%s", table, want)
	}
}

var (
	linkPattern   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	anchorPattern = regexp.MustCompile(`[^a-z0-9 -]`)
)

func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	for _, doc := range docs(t) {
		for _, m := range linkPattern.FindAllStringSubmatch(readDoc(t, doc), -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			to := doc
			if path != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(doc), path))
			}
			if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Errorf("%s links to %s, which is not there", doc, m[1])
			} else if anchor != "" && !slices.Contains(anchors(readDoc(t, to)), anchor) {
				t.Errorf("%s links to %s, which has no such heading", doc, m[1])
			}
		}
	}
}

// anchors lists what the headings of a document can be linked by.
func anchors(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			a := anchorPattern.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			out = append(out, strings.ReplaceAll(a, " ", "-"))
		}
	}
	return out
}

func TestEveryClientIsToldToServe(t *testing.T) {
	langs := map[string]int{}
	for _, b := range blocks(t, "docs/clients.md") {
		langs[b.lang]++
		switch b.lang {
		case "json":
			dec := json.NewDecoder(strings.NewReader(b.text))
			var v any
			if err := dec.Decode(&v); err != nil {
				t.Errorf("%v in\n%s", err, b.text)
			} else if _, err := dec.Token(); err != io.EOF {
				t.Errorf("more than one value in\n%s", b.text)
			}
		case "toml":
			checkTOML(t, b.text)
		}
		switch {
		case !strings.Contains(b.text, "drawbridge"):
			t.Errorf("this does not name drawbridge:\n%s", b.text)
		case strings.Contains(b.text, "TOKEN"):
			if !strings.Contains(b.text, `"http://127.0.0.1:21082/mcp"`) || !strings.Contains(b.text, `"Bearer TOKEN"`) {
				t.Errorf("this does not connect to drawbridge serve --transport http:\n%s", b.text)
			}
		case !strings.Contains(b.text, "serve"):
			t.Errorf("this does not start drawbridge serve:\n%s", b.text)
		}
	}
	if langs["json"] < 3 || langs["toml"] < 1 {
		t.Errorf("blocks by language: %v", langs)
	}
}

// checkTOML checks the little of the language that the block needs: tables,
// and keys whose values are also JSON.
func checkTOML(t *testing.T, text string) {
	t.Helper()
	table := regexp.MustCompile(`^\[[A-Za-z0-9_.-]+\]$`)
	pair := regexp.MustCompile(`^[A-Za-z0-9_-]+ *= *(.+)$`)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || table.MatchString(line) {
			continue
		}
		if m := pair.FindStringSubmatch(line); m == nil || !json.Valid([]byte(m[1])) {
			t.Errorf("no TOML: %s", line)
		}
	}
}
