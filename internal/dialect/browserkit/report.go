package browserkit

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// report is what an act answers: what was seen to change.
type report struct {
	Changed   bool   `json:"changed"`
	Navigated bool   `json:"navigated"`
	URL       string `json:"url"`
	Added     int    `json:"added"`
	Removed   int    `json:"removed"`
	TooLarge  bool   `json:"tooLarge"`
	Diff      string `json:"diff,omitempty"`

	opened []browser.TabID
}

// Content is not shown: the dialect writes the answer.
func (report) Content() tool.Content { return tool.Content{} }

// text is the report in words.
func (r report) text(uri func(browser.TabID) string) string {
	var out string
	switch {
	case r.Navigated:
		out = "Done. Navigated to " + r.URL + " — read readable-elements for what is there"
	case !r.Changed:
		out = "Done. No readable elements changed."
	case r.TooLarge || r.Diff == "":
		out = fmt.Sprintf("Done. Page changed (%d added, %d removed); diff too large to show — read readable-elements", r.Added, r.Removed)
	default:
		out = fmt.Sprintf("Done. Page changed (%d added, %d removed).\n```diff\n%s\n```", r.Added, r.Removed, fenced(r.Diff))
	}
	for _, t := range r.opened {
		out += "\nOpened " + uri(t)
	}
	return out
}

// fenced keeps what pages say from ending the block of code that it is in.
func fenced(s string) string { return strings.ReplaceAll(s, "```", "`\u200b``") }

// reported runs an act with a look at the page before and after it. path is the
// element that it acts on, "" for none.
func (d *Dialect) reported(path string) func(context.Context, *tool.Call, func(context.Context) (tool.Output, error)) (tool.Output, error) {
	return func(ctx context.Context, c *tool.Call, run func(context.Context) (tool.Output, error)) (tool.Output, error) {
		leave, err := d.turns.take(ctx, c.Tab().ID)
		if err != nil {
			return nil, err
		}
		defer leave()
		then := c.Tab()
		before, _, err := d.elements(ctx, c)
		if err != nil {
			return nil, err
		}
		out, err := run(ctx)
		now := c.Tab()
		r := report{URL: tool.Address(now.URL)}
		if out != nil {
			r.opened = out.Content().NewTabs
		}
		if now.Doc != then.Doc || page(now.URL) != page(then.URL) {
			if err != nil && !gone(err) {
				return nil, err
			}
			r.Changed, r.Navigated, r.TooLarge = true, true, true
			return r, nil
		}
		if err != nil {
			return nil, reasoned(err, path, before)
		}
		after, _, err := d.elements(ctx, c)
		if err != nil { // such as a dialog, or a page that went just then
			r.Changed, r.TooLarge = true, true
			return r, nil
		}
		diff := compare(lines(before), lines(after))
		r.Changed, r.Added, r.Removed, r.TooLarge, r.Diff = diff.changed(), diff.added, diff.removed, diff.tooLarge, diff.diff
		return r, nil
	}
}

// gone tells whether an act failed because its page went away, which it caused.
func gone(err error) bool {
	switch browser.CodeOf(err) {
	case browser.CodeStaleRef, browser.CodeStaleDocument, browser.CodeNotActionable, browser.CodePageError, browser.CodeTimeout:
		return true
	}
	return false
}

func page(url string) string { p, _, _ := strings.Cut(url, "#"); return p }

func lines(all []tuple) []string {
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = compact(t)
	}
	return out
}

var (
	// hindrance is the end of what the driver says of an element that cannot be
	// acted on.
	hindrance = regexp.MustCompile(`(?s)^.*\bis ((?:covered|disabled|read-only|not editable|not visible|moving|detached|outside).*)$`)
	waited    = regexp.MustCompile(` \(waited [^)]*\)$`)
	nativeRef = regexp.MustCompile(`\b(f[0-9]+:)?e[0-9]+ `)
)

// reasoned is err in the words of the older server.
func reasoned(err error, path string, known []tuple) error {
	var e *browser.Error
	if !errors.As(err, &e) {
		return err
	}
	as := *e
	switch e.Code {
	case browser.CodeStaleRef:
		if path != "" {
			as.Msg, as.Hint = goneElement(path), ""
		}
	case browser.CodeNotActionable:
		why := waited.ReplaceAllString(e.Msg, "")
		if m := hindrance.FindStringSubmatch(why); m != nil {
			why = m[1]
		}
		why = nativeRef.ReplaceAllString(why, "")
		if why == "moving" {
			why = "not stable (still moving)"
		}
		if strings.HasPrefix(why, "detached") {
			as.Msg = "Element is detached from the document; re-read readable-elements for a fresh id"
		} else {
			as.Msg = fmt.Sprintf("Element %s not actionable after 5000ms: %s", described(path, known), why)
		}
		as.Hint = ""
	}
	return &as
}

// described is an element as a reason names it.
func described(path string, known []tuple) string {
	for _, t := range known {
		if t.path() == path {
			return "<" + t[1] + " " + tool.Quoted(t[2], 40) + ">"
		}
	}
	return "<" + path + ">"
}

// reason is what failed, in one text. Hints name our own tools, which this client
// does not have, but where they tell what the user can do.
func reason(err *browser.Error) string {
	switch err.Code {
	case browser.CodeDenied, browser.CodePending, browser.CodeNoBrowser, browser.CodeNotSupported, browser.CodeDisconnected, browser.CodeInternal, browser.CodeClaimed:
		return err.Error()
	}
	return err.Msg
}
