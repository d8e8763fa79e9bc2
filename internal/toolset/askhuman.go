package toolset

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

const (
	longestPlea  = 1000 // characters of what a person is told
	longestValue = 1000
)

type askHumanArgs struct {
	Message string `json:"message,omitempty" doc:"what the person reads" list:"bare"`
	Kind    string `json:"kind,omitempty" doc:"what to do: captcha, confirm and other end by the person's press of Done, the rest also when it is seen in the page" enum:"other,click,fill,enter,login,captcha,confirm" default:"other" list:"bare"`
	spotArgs
	In    string  `json:"in,omitempty" doc:"screenshot that x, y are in" list:"bare"`
	Value string  `json:"value,omitempty" doc:"to be entered, for fill" redact:"yes" list:"bare"`
	Wait  float64 `json:"wait,omitempty" doc:"seconds that this call waits" min:"0.1" max:"45" default:"45" list:"bare"`
	ID    string  `json:"id,omitempty" doc:"of a pending question: wait on" list:"bare"`
	Hint  bool    `json:"hint,omitempty" doc:"only show message beside the place for a minute, and wait for nothing" list:"none"`
	tool.TabArgs
}

// Check wants something to ask, or the id of a question.
func (a askHumanArgs) Check() error {
	switch {
	case a.ID != "" && (a.Message != "" || a.given() || a.Value != ""):
		return invalid("leave id out to ask something new, or the rest to wait on", "id is of a question that is shown already")
	case a.ID != "":
		return nil
	case strings.TrimSpace(a.Message) == "":
		return invalid("say what the person shall do, and why", "message is missing")
	case utf8.RuneCountInString(a.Message) > longestPlea:
		return invalid(fmt.Sprintf("say it in %d characters", longestPlea), "message is too long for a person to read")
	case utf8.RuneCountInString(a.Value) > longestValue:
		return invalid(fmt.Sprintf("%d characters are the most", longestValue), "value is too long for a person to enter")
	case a.Hint && !a.given():
		return invalid("give ref, or x and y", "a hint needs a place, which is marked")
	case a.Value != "" && a.Kind != "fill":
		return invalid("give kind fill, or leave value out", "value is for fill")
	case !a.given() && (a.Kind == "click" || a.Kind == "fill" || a.Kind == "enter"):
		return invalid("give ref, or x and y", "%s needs a place, which is marked", a.Kind)
	case a.In != "" && !a.X.IsSet():
		return invalid("give x and y, or leave in out", "in is for x and y")
	}
	return a.check()
}

// hinted is how a call ended that only showed a hint.
const hinted = "hinted"

// answered answers ask_human.
type answered struct {
	Ended string   `json:"ended"`
	Why   string   `json:"why,omitempty"`
	Note  string   `json:"note,omitempty"`
	ID    string   `json:"id,omitempty"` // while it is pending
	MS    int64    `json:"ms"`
	Notes []string `json:"notes,omitempty"`
	Page  *acted   `json:"page,omitempty"`  // what changed meanwhile
	Label string   `json:"label,omitempty"` // what a hint marks

	tab browser.TabID
}

// Content tells how it ended first, then what changed.
func (a answered) Content() tool.Content {
	took := " · after " + lasted(time.Duration(a.MS)*time.Millisecond)
	var out []string
	switch browser.AskEnd(a.Ended) {
	case hinted:
		return tool.Content{Text: strings.TrimSuffix("hint shown · "+tool.OneLine(a.Label, longLine), " · ")}
	case browser.AskDone:
		out = append(out, "done · the person pressed Done"+took)
	case browser.AskInPage:
		out = append(out, "done in page · "+tool.OneLine(a.Why, longLine)+took)
	case browser.AskCannot:
		line := "cannot · the person pressed Cannot"
		if a.Note != "" {
			line += " and wrote " + tool.Quoted(a.Note, longLine)
		}
		out = append(out, line+took)
	case browser.AskPending:
		out = append(out, fmt.Sprintf("pending · no answer yet, and whether anybody is there is not known; to wait on: ask_human id=%q tab=%q", a.ID, a.tab))
	case browser.AskNobody:
		out = append(out, "nobody is there · "+tool.OneLine(a.Why, longLine), "nothing was asked: tell your person directly; a browser with a window (--no-headless, or their own) can be asked in")
	case browser.AskClosed:
		out = append(out, "closed · the tab's page is gone: "+tool.OneLine(a.Why, longLine)+took)
	case browser.AskLeft:
		out = append(out, "left · "+tool.OneLine(a.Why, longLine)+took)
	default:
		out = append(out, a.Ended+" · "+tool.OneLine(a.Why, longLine)+took)
	}
	for _, n := range a.Notes {
		out = append(out, tool.OneLine(n, longLine))
	}
	c := tool.Content{}
	if a.Page != nil {
		page := a.Page.Content()
		_, rest, _ := strings.Cut(page.Text, "\n") // without what was done, and its effect
		if rest != "" {
			out = append(out, rest)
		}
		c = tool.Content{NewTabs: page.NewTabs, Downloads: page.Downloads}
	}
	c.Text = lines(out...)
	return c
}

func askHuman() tool.Tool {
	return tool.New(tool.Spec{
		Name: "ask_human", Title: "Ask a person", Group: groupCore,
		Description: "Asks the person at the browser.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in askHumanArgs) (answered, error) {
		op := browser.AskPerson{At: in.spot(), Kind: browser.AskKind(in.Kind), Message: in.Message, Value: in.Value, ID: in.ID, Wait: seconds(in.Wait)}
		op.Client, op.Session = c.Asker()
		if in.In != "" {
			var err error
			if op.At, err = pictured(c, in.In, *op.At.Point); err != nil {
				return answered{}, err
			}
		}
		if in.Hint {
			var h browser.Hinted
			if err := c.Do(ctx, browser.ShowHint{At: op.At, Text: in.Message}, &h); err != nil {
				return answered{}, err
			}
			return answered{Ended: hinted, Label: h.Label, tab: c.Tab().ID}, nil
		}
		var a browser.Asked
		if err := during(ctx, c, "waiting for the person at the browser", op.Wait, func() error { return c.Do(ctx, op, &a) }); err != nil {
			return answered{}, err
		}
		out := answered{Ended: string(a.End), Why: a.Why, Note: a.Note, MS: a.Millis, Notes: a.Notes, tab: c.Tab().ID}
		if a.End == browser.AskPending {
			out.ID = a.ID
		}
		if a.Seen != nil {
			page := newActed(*a.Seen)
			out.Page = &page
		}
		return out, nil
	})
}
