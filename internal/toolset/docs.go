package toolset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// Cost estimates the tokens that a client spends on knowing t.
func Cost(t tool.Tool) int {
	b, err := json.Marshal(tool.List(t))
	if err != nil {
		return 0
	}
	return (len(b) + charsPerToken - 1) / charsPerToken
}

// Table is the tools in a Markdown table, one a line.
func Table(tools []tool.Tool) []byte {
	var b strings.Builder
	b.WriteString("| group | tool | what it does |\n| --- | --- | --- |\n")
	for _, t := range grouped(tools) {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", t.Spec.Group, t.Spec.Name, cell(t.Spec.Description))
	}
	return []byte(b.String())
}

const preface = `# Tools

Made from the tools' declarations by ` + "`make generate`" + `; change those, not this page.

- **tab**: every tool that concerns a tab takes its id. Without it, the session's current tab counts; with none, the only visible tab.
- **doc**: a guard. Replies name a tab's document by a number; a call that gives it fails when the tab has moved on, and nothing reaches the page.
- **ref**: names one element of one document, such as ` + "`e12`, or `f2:e5`" + ` in a frame. Snapshots and other answers give them; they stay valid as long as their element lives.
- **Points** are CSS pixels of the viewport; with ` + "`in`" + `, pixels of a screenshot.
- **timeout** is in seconds, ` + "`ms`" + ` and a number for ` + "`settle`" + ` in milliseconds.
- **settle** is how an act waits for what follows it: ` + "`auto`, `none`" + `, or so many milliseconds of quiet.
- **Page tools** are what a page offers by itself. They are listed with their arguments, such as ` + "`search {query: string, limit?: integer 1..50}`, where `?`" + ` marks what may be left out.
- Lines of an answer that begin with ` + "`>`" + ` are a page's own words.
`

// Markdown is the reference of the tools.
func Markdown(tools []tool.Tool) []byte {
	var b strings.Builder
	b.WriteString(preface)
	group := ""
	for _, t := range grouped(tools) {
		if s := t.Spec; s.Group != group {
			group = s.Group
			fmt.Fprintf(&b, "\n## Group %s\n", group)
		}
		describe(&b, t)
	}
	return []byte(b.String())
}

func grouped(tools []tool.Tool) []tool.Tool {
	tools, groups := slices.Clone(tools), Groups()
	slices.SortStableFunc(tools, func(x, y tool.Tool) int {
		return cmp.Compare(slices.Index(groups, x.Spec.Group), slices.Index(groups, y.Spec.Group))
	})
	return tools
}

func describe(b *strings.Builder, t tool.Tool) {
	fmt.Fprintf(b, "\n### `%s`\n\n%s\n\n%s; rules ask for %s; about %d tokens in the list.\n", t.Spec.Name, t.Spec.Description, hints(t), asked(t), Cost(t))
	var s described
	if json.Unmarshal(t.Schema, &s) != nil || len(s.Properties) == 0 {
		return
	}
	b.WriteString("\n| argument | type | default | meaning |\n| --- | --- | --- | --- |\n")
	s.rows(b, "")
}

// asked is what the rules are asked about.
func asked(t tool.Tool) string {
	switch {
	case t.Files && t.Spec.Action == policy.Files:
		return fmt.Sprintf("the action `%s`, and `%s` for the file", policy.Read, policy.Files)
	case t.Files:
		return fmt.Sprintf("the action `%s`, and `%s` for each file that is named", t.Spec.Action, policy.Files)
	}
	return fmt.Sprintf("the action `%s`", t.Spec.Action)
}

func hints(t tool.Tool) string {
	out := map[browser.Effect]string{browser.Reads: "Only reads", browser.Changes: "Changes pages or tabs", browser.Destroys: "May lose data"}[t.Spec.Effect]
	if t.Spec.Effect != browser.Reads && t.Spec.Idempotent == tool.Yes {
		out += ", and a second call changes nothing more"
	}
	return out
}

// described is what a page tells of a schema.
type described struct {
	Type        string
	Description string
	Default     json.RawMessage
	Enum        []string
	Minimum     *float64
	Maximum     *float64
	MaxItems    *int
	Items       *described
	Properties  inOrder
	Required    []string
}

func (d described) rows(b *strings.Builder, prefix string) {
	for _, p := range d.Properties {
		def := string(p.schema.Default)
		if slices.Contains(d.Required, p.name) {
			def = "required"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", prefix+p.name, p.schema.kind(), strings.Trim(def, `"`), cell(p.schema.Description))
		p.schema.rows(b, prefix+p.name+".")
		if p.schema.Items != nil {
			p.schema.Items.rows(b, prefix+p.name+"[].")
		}
	}
}

func (d described) kind() string {
	switch {
	case d.Items != nil:
		return "list of " + d.Items.kind()
	case len(d.Enum) > 0:
		return strings.Join(d.Enum, ", ")
	case d.Minimum != nil && d.Maximum != nil:
		return fmt.Sprintf("%s, %s to %s", d.Type, decimal(*d.Minimum), decimal(*d.Maximum))
	case d.Minimum != nil:
		return fmt.Sprintf("%s from %s", d.Type, decimal(*d.Minimum))
	}
	return d.Type
}

func decimal(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") }

// inOrder keeps the order of an object's members.
type inOrder []namedSchema

type namedSchema struct {
	name   string
	schema described
}

// UnmarshalJSON reads an object.
func (o *inOrder) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var s described
		if err := d.Decode(&s); err != nil {
			return err
		}
		*o = append(*o, namedSchema{fmt.Sprint(name), s})
	}
	return nil
}

// cell makes a text fit into a cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
