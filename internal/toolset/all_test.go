package toolset

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// golden is what a file of testdata/tools holds: what clients see, and the
// arguments with all that Bind checks.
type golden struct {
	Group   string         `json:"group"`
	Action  policy.Action  `json:"action"`
	Effect  string         `json:"effect"`
	Listing tool.Listing   `json:"listing"`
	Schema  map[string]any `json:"schema"`
}

// Every tool's face is a file, so that a change of it is seen in a review.
// UPDATE=1 rewrites the files.
func TestGolden(t *testing.T) {
	update := os.Getenv("UPDATE") != ""
	var want []string
	for _, x := range All() {
		g := golden{Group: x.Spec.Group, Action: x.Spec.Action, Effect: x.Spec.Effect.String(), Listing: tool.List(x)}
		if err := json.Unmarshal(x.Schema, &g.Schema); err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(g, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		file := filepath.Join("testdata", "tools", x.Spec.Name+".json")
		want = append(want, file)
		if update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if have, err := os.ReadFile(file); err != nil {
			t.Errorf("%v; UPDATE=1 go test writes it", err)
		} else if !bytes.Equal(have, got) {
			t.Errorf("%s differs; UPDATE=1 go test rewrites it. Now:\n%s", file, got)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "tools", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(want, f) {
			t.Errorf("%s is of no tool", f)
		}
	}
}

var snake = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

func TestEveryTool(t *testing.T) {
	seen := map[string]bool{}
	for _, x := range All() {
		s := x.Spec
		if !snake.MatchString(s.Name) || seen[s.Name] {
			t.Errorf("%s: the name is taken, or not snake_case", s.Name)
		}
		seen[s.Name] = true
		if !slices.Contains(Groups(), s.Group) {
			t.Errorf("%s: no setting names the group %s", s.Name, s.Group)
		}
		if !strings.HasSuffix(s.Description, ".") || strings.Contains(s.Description, "\n") {
			t.Errorf("%s: the description is not sentences in one line: %q", s.Name, s.Description)
		}
		if s.Effect == browser.Reads != (s.Action == policy.Read) {
			t.Errorf("%s: effect %s does not fit action %s", s.Name, s.Effect, s.Action)
		}
		for _, raw := range []json.RawMessage{x.Schema, tool.List(x).Schema} {
			for _, word := range []string{`"anyOf"`, `"oneOf"`, `"allOf"`, `"$ref"`, `"null"`} {
				if bytes.Contains(raw, []byte(word)) {
					t.Errorf("%s: strict clients refuse %s", s.Name, word)
				}
			}
		}
		var d described
		if err := json.Unmarshal(x.Schema, &d); err != nil || d.Type != "object" {
			t.Errorf("%s: the schema is no object's: %v", s.Name, err)
		}
		checkProperties(t, s.Name, d)
	}
}

func checkProperties(t *testing.T, where string, d described) {
	for _, p := range d.Properties {
		at := where + "." + p.name
		if !snake.MatchString(p.name) || p.schema.Description == "" || p.schema.Type == "" {
			t.Errorf("%s: no type, no description, or not snake_case", at)
		}
		if def := strings.Trim(string(p.schema.Default), `"`); def != "" && len(p.schema.Enum) > 0 && p.schema.Enum[0] != def {
			t.Errorf("%s: the default %s is not the first of %v, and the list does not tell it", at, def, p.schema.Enum)
		}
		checkProperties(t, at, p.schema)
		if p.schema.Items != nil {
			checkProperties(t, at+"[]", *p.schema.Items)
		}
	}
}

// Clients read the list with every session. The limit is 12 KB for the default
// groups.
func TestListIsSmall(t *testing.T) {
	var all []tool.Listing
	tools, err := Select([]string{groupCore, groupInput, groupPage})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tools {
		all = append(all, tool.List(x))
		t.Logf("%-14s about %3d tokens", x.Spec.Name, Cost(x))
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools, %d bytes", len(all), len(b))
	if most := 12 << 10; len(b) > most {
		t.Errorf("%d bytes, want %d at most", len(b), most)
	}
}

func TestSelect(t *testing.T) {
	count := func(groups ...string) int {
		t.Helper()
		tools, err := Select(groups)
		if err != nil {
			t.Fatal(err)
		}
		return len(tools)
	}
	sum := 0
	for _, g := range Groups() {
		sum += count(g)
	}
	if core, input := count("core"), count("input"); core == 0 || input == 0 || count("input", "core", "core") != core+input || sum != len(All()) || count("all") != sum || count() != 0 {
		t.Errorf("core %d, input %d, all groups %d of %d", core, input, sum, len(All()))
	}
	if _, err := Select([]string{"core", "corn"}); browser.CodeOf(err) != browser.CodeInvalidArguments || !strings.Contains(err.Error(), "core, input, page, history, debug, and all") {
		t.Errorf("unknown group: %v", err)
	}
}

func TestDocsNameEverything(t *testing.T) {
	page, table := string(Markdown(All())), string(Table(All()))
	for _, x := range All() {
		if !strings.Contains(page, "### `"+x.Spec.Name+"`") || !strings.Contains(table, "`"+x.Spec.Name+"`") {
			t.Errorf("%s is missing", x.Spec.Name)
		}
		var d described
		if err := json.Unmarshal(x.Schema, &d); err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Properties {
			if !strings.Contains(page, "| `"+p.name+"` |") {
				t.Errorf("%s.%s is missing", x.Spec.Name, p.name)
			}
		}
	}
	if !strings.Contains(page, "| `fields[].ref` | string | required |") || !strings.Contains(page, "| `timeout` | number, 0.1 to 300 | 30 |") {
		t.Error("lists of objects, bounds or defaults are missing")
	}
}
