package toolset

import (
	"context"
	"fmt"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type snapshotArgs struct {
	Scope     refArg `json:"scope,omitempty" doc:"ref: only this element"`
	Only      string `json:"only,omitempty" doc:"interactive: what can be acted on" enum:"all,interactive" default:"all" list:"bare"`
	MaxTokens int    `json:"max_tokens,omitempty" doc:"budget" min:"100" max:"100000" default:"4000" list:"bare"`
	Cursor    string `json:"cursor,omitempty" doc:"of an answer that was cut: go on there" list:"bare"`
	tool.TabArgs
}

// Refs is the scope.
func (a snapshotArgs) Refs() []string { return []string{a.Scope.String()} }

// outline answers snapshot.
type outline struct {
	Outline string `json:"outline"`
	Cursor  string `json:"cursor,omitempty"`

	since browser.Since
}

// Content is the outline, whose lines quote what the page says.
func (o outline) Content() tool.Content {
	text := o.Outline
	if o.Cursor != "" {
		text += "\n" + moreLine("", o.Cursor)
	}
	return tool.Content{Text: strings.TrimPrefix(text, "\n"), Since: o.since}
}

// moreLine tells how to go on reading.
func moreLine(what, cursor string) string {
	return "… more" + what + fmt.Sprintf(": cursor=%q", cursor)
}

func snapshot() tool.Tool {
	return tool.New(tool.Spec{
		Name: "snapshot", Title: "Outline a page", Group: groupCore,
		Description: "Outlines a page, a line per element, with refs to act on.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in snapshotArgs) (outline, error) {
		op := browser.Snapshot{Scope: in.Scope.Ref, Interactive: in.Only == "interactive", MaxTokens: in.MaxTokens, Cursor: in.Cursor}
		var o browser.Outline
		if err := c.Do(ctx, op, &o); err != nil {
			return outline{}, err
		}
		return outline{Outline: o.Text, Cursor: o.Cursor, since: o.Since}, nil
	})
}

type findArgs struct {
	Text  string `json:"text,omitempty" doc:"part of the text of an element, in any case" list:"bare"`
	Role  string `json:"role,omitempty" doc:"ARIA role, such as button" list:"bare"`
	Name  string `json:"name,omitempty" doc:"part of the accessible name, in any case" list:"bare"`
	Limit int    `json:"limit,omitempty" doc:"matches" min:"1" max:"200" default:"20" list:"bare"`
	tool.TabArgs
}

// Check wants something to look for.
func (a findArgs) Check() error {
	if a.Text == "" && a.Role == "" && a.Name == "" {
		return invalid("give text, role or name", "find needs something to look for")
	}
	return nil
}

// found answers find.
type found struct {
	Lines []string `json:"lines"`
	More  int      `json:"more,omitempty"`

	since browser.Since
}

// Content is a line for each match.
func (f found) Content() tool.Content {
	out := make([]string, 0, len(f.Lines)+1)
	for _, l := range f.Lines {
		out = append(out, tool.OneLine(l, longLine))
	}
	switch {
	case f.More > 0:
		out = append(out, fmt.Sprintf("… %s (raise limit, or ask for less)", plural(f.More, "more match", "more matches")))
	case len(out) == 0:
		out = append(out, "no match")
	}
	return tool.Content{Text: lines(out...), Since: f.since}
}

func find() tool.Tool {
	return tool.New(tool.Spec{
		Name: "find", Title: "Find elements", Group: groupCore,
		Description: "Finds elements that match all that is given.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in findArgs) (found, error) {
		var f browser.Found
		if err := c.Do(ctx, browser.Find{Text: in.Text, Role: in.Role, Name: in.Name, Limit: in.Limit}, &f); err != nil {
			return found{}, err
		}
		return found{Lines: append([]string{}, f.Lines...), More: f.More, since: f.Since}, nil
	})
}
