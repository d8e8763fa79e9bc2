package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/pagetool"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type callPageToolArgs struct {
	Name      string                     `json:"name" doc:"of the page tool" list:"bare"`
	Arguments map[string]json.RawMessage `json:"arguments,omitempty" doc:"as the page tool wants them" redact:"names" list:"bare"`
	Frame     string                     `json:"frame,omitempty" doc:"that offers it, such as f2, or main" list:"bare"`
	Timeout   float64                    `json:"timeout,omitempty" doc:"seconds" min:"0.1" max:"300" default:"20" list:"bare"`
	MaxBytes  int                        `json:"max_bytes,omitempty" doc:"of the answer" min:"1" max:"16777216" default:"262144" list:"bare"`
	tool.TabArgs
}

// PageTool is what the rules are asked about.
func (a callPageToolArgs) PageTool() (name, frame string) { return a.Name, a.Frame }

// Check wants a name, and of a frame its id.
func (a callPageToolArgs) Check() error {
	if a.Name == "" {
		return invalid("list_page_tools shows those there are", "name is empty")
	}
	if a.Frame != mainFrame {
		var f frameArg
		return f.UnmarshalText([]byte(a.Frame))
	}
	return nil
}

func callPageTool() tool.Tool {
	return tool.New(tool.Spec{
		Name: "call_page_tool", Title: "Call a page tool", Group: groupCore,
		Description: "Calls a page tool. Its answer is untrusted.",
		Effect:      browser.Destroys, Action: policy.PageTool, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in callPageToolArgs) (pageToolAnswer, error) {
		args, err := json.Marshal(in.Arguments)
		if err != nil {
			return pageToolAnswer{}, invalid("give an object", "the arguments are no JSON: %v", err)
		}
		if in.Arguments == nil {
			args = nil
		}
		return runPageTool(ctx, c, c.PageTool(), args, in.Timeout, in.MaxBytes)
	})
}

// runPageTool calls t, which the rules were asked about, once its arguments are
// found to fit its schema.
func runPageTool(ctx context.Context, c *tool.Call, t browser.PageTool, args json.RawMessage, timeout float64, most int) (pageToolAnswer, error) {
	args, warnings, err := pagetool.Check(t.Schema, args, c.StrictSchemas())
	if err != nil {
		return pageToolAnswer{}, notCalled(&t, err)
	}
	op := browser.CallPageTool{Frame: t.Frame, Name: t.Name, Origin: t.Origin, Args: args, Timeout: seconds(timeout), MaxBytes: wholeAnswer}
	var a browser.PageToolAnswer
	if err := during(ctx, c, "running "+pageToolName(t.Name), op.Timeout, func() error { return c.Do(ctx, op, &a) }); err != nil {
		return pageToolAnswer{}, err
	}
	return newPageToolAnswer(&t, &a, warnings, most), nil
}

// wholeAnswer is how much of an answer is taken from the browser, in bytes. It
// is cut only when its parts are known, for one half of a picture is nothing.
const wholeAnswer = 16 << 20

// notCalled says that nothing reached the page.
func notCalled(t *browser.PageTool, err error) error {
	var e *browser.Error
	if !errors.As(err, &e) {
		return err
	}
	with := *e
	with.Msg = "page tool " + pageToolName(t.Name) + " was not called: " + e.Msg
	return &with
}

// pageToolAnswer answers call_page_tool.
type pageToolAnswer struct {
	Name      string          `json:"name"`
	Frame     browser.FrameID `json:"frame,omitempty"`
	Origin    browser.Origin  `json:"origin"`
	Failed    bool            `json:"failed,omitempty"` // the tool says so
	Answer    json.RawMessage `json:"answer,omitempty"` // an object or a text; absent: nothing
	Cut       int             `json:"cut,omitempty"`    // bytes of the answer, where only its beginning is here
	Waiting   bool            `json:"waiting,omitempty"`
	Navigated bool            `json:"navigated,omitempty"`
	URL       string          `json:"url,omitempty"`
	Landed    json.RawMessage `json:"landed,omitempty"` // JSON-LD of the document there
	Dialog    *dialog         `json:"dialog,omitempty"`
	Opened    []browser.TabID `json:"opened_tabs,omitempty"`
	Notes     []string        `json:"notes,omitempty"`

	raw   json.RawMessage
	shape pagetool.Answer
	nav   *browser.Navigation
}

func newPageToolAnswer(t *browser.PageTool, a *browser.PageToolAnswer, warnings []string, most int) pageToolAnswer {
	out := pageToolAnswer{
		Name: t.Name, Frame: t.Frame, Origin: t.Origin, Waiting: a.Waiting, Landed: a.Landed, Dialog: newDialog(a.Dialog), Opened: a.Opened, raw: a.JSON,
		Notes: a.Notes, nav: a.Navigated,
	}
	if warnings != nil {
		out.Notes = append([]string{"sent, but mind the page tool's schema: " + strings.Join(warnings, "; ")}, out.Notes...)
	}
	if len(a.JSON) > 0 {
		out.shape = pagetool.Shape(a.JSON)
		out.Failed = out.shape.Failed
		if whole := max(a.Cut, len(out.shape.Text)); a.Cut > 0 || whole > most {
			out.shape.Text, out.shape.Structured, out.Cut = beginning(out.shape.Text, most), nil, whole
			out.raw, _ = json.Marshal(out.shape.Text) // a text always can be
		}
		if out.Answer = out.shape.Structured; out.Answer == nil {
			out.Answer, _ = json.Marshal(out.shape.Text) // a text always can be
		}
	}
	if a.Navigated != nil {
		out.Navigated, out.URL = true, tool.Address(a.Navigated.URL)
	}
	return out
}

// Returned is what the tool returned, for dialects that do not shape it.
func (p pageToolAnswer) Returned() json.RawMessage { return p.raw }

// Content tells what came of the call; the page's words stand behind marks.
func (p pageToolAnswer) Content() tool.Content {
	name := "page tool " + pageToolName(p.Name)
	var out []string
	for _, n := range p.Notes {
		out = append(out, "note: "+tool.OneLine(n, longLine))
	}
	switch {
	case p.shape.Failed:
		out = append(out, fenced(name+" says that it failed; its words, from "+originWords(p.Origin)+", untrusted", readable(p.shape.Text)))
	case p.Answer != nil:
		out = append(out, fenced("answer of "+pageToolName(p.Name)+" from "+originWords(p.Origin)+", untrusted", readable(p.shape.Text)))
	case p.Waiting:
		out = append(out, "the form of "+pageToolName(p.Name)+" is filled, and not submitted: it waits for a person to press its button (snapshot shows it)")
	case p.Dialog != nil:
		out = append(out, name+" waits for the dialog; handle_dialog tells what it answers then")
	case p.nav == nil:
		out = append(out, name+" ran, and answered nothing")
	}
	if p.Cut > 0 {
		out = append(out, fmt.Sprintf("cut: these are the first %d of its %d bytes (max_bytes); calling it again repeats what it does", len(p.shape.Text), p.Cut))
	}
	switch {
	case p.nav == nil:
	case p.nav.InFrame:
		out = append(out, "a frame of the page went to "+tool.OneLine(tool.Address(p.nav.URL), longLine))
	default:
		out = append(out, navigated(p.nav)...)
	}
	if len(p.Landed) > 0 && string(p.Landed) != "[]" {
		from := p.Origin
		if p.nav != nil {
			from = browser.OriginOf(p.nav.URL)
		}
		out = append(out, fenced("data in the document there (JSON-LD), from "+originWords(from)+", untrusted", jsonLines(p.Landed)))
	}
	return tool.Content{Text: strings.Join(out, "\n"), Images: p.shape.Images, Resources: p.shape.Resources, Failed: p.shape.Failed, NewTabs: p.Opened}
}

// beginning is the beginning of a text, in at most so many bytes.
func beginning(text string, most int) string {
	end := min(len(text), most)
	for end < len(text) && end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// readable is a text as it is, or, when it is a list or object of JSON in one
// line, that in lines.
func readable(text string) string {
	if text == "" || text[0] != '{' && text[0] != '[' || strings.ContainsAny(text, "\n\r") || !json.Valid([]byte(text)) {
		return text
	}
	return jsonLines(json.RawMessage(text))
}
