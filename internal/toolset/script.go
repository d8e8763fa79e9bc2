package toolset

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// frameArg is a frame of a tab as an argument.
type frameArg struct{ browser.FrameID }

// UnmarshalText reads "f2"; an empty one is the main frame.
func (f *frameArg) UnmarshalText(text []byte) error {
	f.FrameID = ""
	if len(text) == 0 {
		return nil
	}
	if _, err := browser.ParseRef(string(text) + ":e1"); err != nil {
		return invalid(`a frame looks like "f2"; a snapshot shows them`, "%q is not a frame", tool.OneLine(string(text), 40))
	}
	f.FrameID = browser.FrameID(text)
	return nil
}

type evaluateArgs struct {
	Code           string   `json:"code" doc:"body of an async function; return a value"`
	Frame          frameArg `json:"frame,omitempty" doc:"such as f2; default: the page itself" list:"bare"`
	UntilNavigated bool     `json:"until_navigated,omitempty" doc:"wait for a navigation that the code starts" list:"bare"`
	Timeout        float64  `json:"timeout,omitempty" doc:"seconds" min:"0.1" max:"300" default:"30" list:"bare"`
	MaxBytes       int      `json:"max_bytes,omitempty" doc:"of the value" min:"1" max:"16777216" default:"1048576" list:"bare"`
	tool.TabArgs
}

// Subject is the code that the rules are asked about.
func (a evaluateArgs) Subject() string { return a.Code }

// Refs stand for the frame: the rules are asked about its origin.
func (a evaluateArgs) Refs() []string {
	if a.Frame.FrameID == "" {
		return nil
	}
	return []string{browser.Ref{Frame: a.Frame.FrameID, N: 1}.String()}
}

// Check wants some code.
func (a evaluateArgs) Check() error {
	if strings.TrimSpace(a.Code) == "" {
		return invalid("such as: return document.title", "code is empty")
	}
	return nil
}

// value answers evaluate.
type value struct {
	Value     json.RawMessage `json:"value,omitempty"` // absent: undefined
	Navigated bool            `json:"navigated,omitempty"`
	URL       string          `json:"url,omitempty"`
	Dialog    *dialog         `json:"dialog,omitempty"`

	nav *browser.Navigation
}

// Content is the value as JSON in one line.
func (v value) Content() tool.Content {
	var out []string
	switch {
	case len(v.Value) > 0:
		out = append(out, jsonLine(v.Value))
	case v.Dialog != nil:
		out = append(out, "the code waits for the dialog; it goes on once that is answered, and its value is lost")
	case v.nav != nil:
		// the value, if there was one, went with its document
	default:
		out = append(out, "undefined")
	}
	if v.nav != nil {
		out = append(out, navigated(v.nav)...)
	}
	return tool.Content{Text: lines(out...)}
}

func evaluate() tool.Tool {
	return tool.New(tool.Spec{
		Name: "evaluate", Title: "Run code", Group: groupCore,
		Description: "Runs JavaScript in the page and answers its value.",
		Effect:      browser.Destroys, Action: policy.Script, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in evaluateArgs) (value, error) {
		op := browser.Evaluate{Code: in.Code, Frame: in.Frame.FrameID, UntilNavigated: in.UntilNavigated, Timeout: seconds(in.Timeout), MaxBytes: in.MaxBytes}
		var v browser.Value
		if err := during(ctx, c, "running", op.Timeout, func() error { return c.Do(ctx, op, &v) }); err != nil {
			return value{}, err
		}
		out := value{Dialog: newDialog(v.Dialog), nav: v.Navigated}
		if v.JSON != "" {
			if !json.Valid([]byte(v.JSON)) {
				return value{}, &browser.Error{Code: browser.CodeInternal, Msg: "the browser answered no JSON: " + strconv.Quote(tool.OneLine(v.JSON, 100))}
			}
			out.Value = json.RawMessage(v.JSON)
		}
		if v.Navigated != nil {
			out.Navigated, out.URL = true, tool.Address(v.Navigated.URL)
		}
		return out, nil
	})
}
