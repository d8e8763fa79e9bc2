package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"drawbridge/internal/broker"
	"drawbridge/internal/tool"
	"drawbridge/internal/toolset"
)

type toolsCommand struct {
	Markdown bool `name:"md" xor:"form" help:"As Markdown, with all arguments."`
	JSON     bool `name:"json" xor:"form" help:"As clients get them, with the size in bytes and about how many tokens that is."`
}

// Run lists the tools that the settings offer to a client.
func (c toolsCommand) Run(ctx context.Context, env *environment) error {
	sys, err := env.wireServed()
	if err != nil {
		return err
	}
	return sys.runSession(ctx, func(_ context.Context, session *broker.Session) error {
		tools := session.Tools()
		switch {
		case c.Markdown:
			_, err := env.Stdout.Write(toolset.Markdown(tools))
			return err
		case c.JSON:
			return env.printCost(tools)
		}
		width := 16
		for _, t := range tools {
			width = max(width, len(t.Spec.Name))
		}
		for _, group := range toolset.Groups() {
			heading := group + "\n"
			for _, t := range tools {
				if t.Spec.Group != group {
					continue
				}
				first, _, _ := strings.Cut(t.Spec.Description, ". ")
				fmt.Fprintf(env.Stdout, "%s  %-*s %s\n", heading, width, t.Spec.Name, strings.TrimSuffix(first, "."))
				heading = ""
			}
		}
		return nil
	})
}

// cost is what a list of tools takes of a model's context.
type cost struct {
	Name   string `json:"name,omitempty"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"` // at four bytes a token
}

func costOf(name string, b []byte) cost { return cost{name, len(b), (len(b) + 3) / 4} }

func (env *environment) printCost(tools []tool.Tool) error {
	out := struct {
		Total cost           `json:"total"`
		Costs []cost         `json:"costs"`
		Tools []tool.Listing `json:"tools"`
	}{}
	for _, t := range tools {
		l := tool.List(t)
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		out.Costs = append(out.Costs, costOf(l.Name, b))
		out.Tools = append(out.Tools, l)
	}
	b, err := json.Marshal(out.Tools)
	if err != nil {
		return err
	}
	out.Total = costOf("", b)
	enc := json.NewEncoder(env.Stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
