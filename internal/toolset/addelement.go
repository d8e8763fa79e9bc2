package toolset

import (
	"context"
	"encoding/json"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type addArgs struct {
	Tag        string                     `json:"tag" doc:"such as style, script or div"`
	Parent     string                     `json:"parent,omitempty" doc:"CSS selector; default: the root element"`
	Attributes map[string]string          `json:"attributes,omitempty" doc:"by name" list:"bare"`
	Properties map[string]json.RawMessage `json:"properties,omitempty" doc:"set before it is put in, such as textContent" list:"bare"`
	tool.TabArgs
}

// Subject is what the rules are asked about: all that could run.
func (a addArgs) Subject() string {
	b, err := json.Marshal(struct {
		Tag        string                     `json:"tag"`
		Parent     string                     `json:"parent,omitempty"`
		Attributes map[string]string          `json:"attributes,omitempty"`
		Properties map[string]json.RawMessage `json:"properties,omitempty"`
	}{a.Tag, a.Parent, a.Attributes, a.Properties})
	if err != nil {
		return a.Tag
	}
	return string(b)
}

// Check wants a tag.
func (a addArgs) Check() error {
	if strings.TrimSpace(a.Tag) == "" {
		return invalid("such as: style", "tag is empty")
	}
	return nil
}

// addedElement answers add_element.
type addedElement struct {
	Tag   string   `json:"tag"`
	ID    *string  `json:"id"` // null for none
	Notes []string `json:"notes,omitempty"`
}

// Content is what was added.
func (a addedElement) Content() tool.Content {
	head := "added " + tool.OneLine(a.Tag, 40)
	if a.ID != nil {
		head += " with the id " + tool.Quoted(*a.ID, 100)
	} else {
		head += ", which has no id"
	}
	out := []string{head}
	for _, n := range a.Notes {
		out = append(out, tool.OneLine(n, longLine))
	}
	return tool.Content{Text: lines(out...)}
}

func addElement() tool.Tool {
	return tool.New(tool.Spec{
		Name: "add_element", Title: "Add an element", Group: groupPage,
		Description: "Puts a new element last into its parent, past the page's CSP.",
		Effect:      browser.Destroys, Action: policy.Script, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in addArgs) (addedElement, error) {
		var e browser.Added
		op := browser.AddElement{Tag: in.Tag, Parent: in.Parent, Attributes: in.Attributes, Properties: in.Properties}
		if err := c.Do(ctx, op, &e); err != nil {
			return addedElement{}, err
		}
		out := addedElement{Tag: e.Tag, Notes: e.Notes}
		if e.ID != "" {
			out.ID = &e.ID
		}
		return out, nil
	})
}
