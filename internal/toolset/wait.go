package toolset

import (
	"context"
	"fmt"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type waitForArgs struct {
	Text     string  `json:"text,omitempty" doc:"until it is seen"`
	Gone     string  `json:"gone,omitempty" doc:"text: until it is not"`
	URL      string  `json:"url,omitempty" doc:"part, or * pattern"`
	Ref      refArg  `json:"ref,omitempty" doc:"until it has the state"`
	State    string  `json:"state,omitempty" doc:"of ref" enum:"visible,hidden,enabled,disabled,checked,unchecked,gone" list:"bare"`
	PageTool string  `json:"page_tool,omitempty" doc:"until a page tool of this name is offered" list:"bare"`
	MS       int     `json:"ms,omitempty" doc:"just a time" min:"1" max:"300000" list:"bare"`
	Timeout  float64 `json:"timeout,omitempty" doc:"seconds" min:"0.1" max:"300" default:"30" list:"bare"`
	tool.TabArgs
}

// Refs is the element that is watched.
func (a waitForArgs) Refs() []string { return []string{a.Ref.String()} }

// Check wants one condition.
func (a waitForArgs) Check() error {
	n := 0
	for _, given := range []bool{a.Text != "", a.Gone != "", a.URL != "", !a.Ref.IsZero(), a.PageTool != "", a.MS != 0} {
		if given {
			n++
		}
	}
	switch {
	case n != 1:
		return invalid("give exactly one of text, gone, url, ref with state, page_tool, ms", "wait_for takes one condition, not %d", n)
	case a.Ref.IsZero() && a.State != "":
		return invalid("give ref, or leave state out", "state is of a ref")
	case !a.Ref.IsZero() && a.State == "":
		return invalid("give state: visible, hidden, enabled, disabled, checked, unchecked or gone", "what to wait for in %s is missing", a.Ref)
	}
	return nil
}

// what is the condition in words that go after "waiting until".
func (a waitForArgs) what() string {
	switch {
	case a.Text != "":
		return tool.Quoted(a.Text, 60) + " is visible"
	case a.Gone != "":
		return tool.Quoted(a.Gone, 60) + " is gone"
	case a.URL != "":
		return "the address matches " + tool.Quoted(a.URL, 100)
	case a.PageTool != "":
		return "there is a page tool " + tool.Quoted(a.PageTool, 100)
	case a.MS != 0:
		return lasted(time.Duration(a.MS)*time.Millisecond) + " have passed"
	}
	return a.Ref.String() + " is " + a.State
}

// waited answers wait_for.
type waited struct {
	Met    bool   `json:"met"`
	What   string `json:"what"`
	Seen   string `json:"seen,omitempty"`
	Millis int64  `json:"ms"`
}

// Content tells what was seen and how long it took.
func (w waited) Content() tool.Content {
	text := fmt.Sprintf("%s · after %s", w.What, lasted(time.Duration(w.Millis)*time.Millisecond))
	if w.Seen != "" {
		text += "\n" + tool.OneLine(w.Seen, longLine)
	}
	return tool.Content{Text: text}
}

func waitFor() tool.Tool {
	return tool.New(tool.Spec{
		Name: "wait_for", Title: "Wait", Group: groupCore,
		Description: "Waits for one condition.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in waitForArgs) (waited, error) {
		op := browser.WaitFor{
			Text: in.Text, Gone: in.Gone, URL: in.URL, Ref: in.Ref.Ref, State: in.State, PageTool: in.PageTool,
			For: time.Duration(in.MS) * time.Millisecond, Timeout: seconds(in.Timeout),
		}
		limit := op.Timeout
		if op.For > 0 {
			op.Timeout, limit = op.For, op.For
		}
		var w browser.Waited
		if err := during(ctx, c, "waiting until "+in.what(), limit, func() error { return c.Do(ctx, op, &w) }); err != nil {
			return waited{}, err
		}
		if !w.Met {
			msg := fmt.Sprintf("waited %s, and not yet: %s", lasted(time.Duration(w.Millis)*time.Millisecond), in.what())
			if w.Detail != "" {
				msg += "; seen: " + tool.OneLine(w.Detail, 300)
			}
			return waited{}, &browser.Error{Code: browser.CodeTimeout, Msg: msg, Hint: "take a snapshot to see what is there, or give a longer timeout"}
		}
		return waited{Met: true, What: in.what(), Seen: w.Detail, Millis: w.Millis}, nil
	})
}
