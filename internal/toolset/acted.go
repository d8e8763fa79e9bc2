package toolset

import (
	"context"
	"fmt"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// acted answers a tool that acts: what was done and what was seen to change.
type acted struct {
	OK        bool            `json:"ok"`
	Did       string          `json:"did"`
	Effect    browser.Changed `json:"effect"`
	Changed   bool            `json:"changed"`
	Navigated bool            `json:"navigated"`
	URL       string          `json:"url,omitempty"`
	Added     int             `json:"added"`
	Removed   int             `json:"removed"`
	Updated   int             `json:"updated"`
	TooLarge  int             `json:"too_large,omitempty"` // lines left out of diff
	Diff      string          `json:"diff,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
	Opened    []browser.TabID `json:"opened_tabs,omitempty"`
	Dialog    *dialog         `json:"dialog,omitempty"`
	Downloads []download      `json:"downloads,omitempty"`

	seen browser.Observation
}

// act runs an op that answers with an observation.
func act(ctx context.Context, c *tool.Call, op browser.Op) (acted, error) {
	var o browser.Observation
	if err := c.Do(ctx, op, &o); err != nil {
		return acted{}, err
	}
	return newActed(o), nil
}

func newActed(o browser.Observation) acted {
	if o.Effect == "" {
		o.Effect = browser.EffectUnknown
	}
	a := acted{
		OK: true, Did: o.Did, Effect: o.Effect, Navigated: o.Navigated != nil,
		Changed: o.Navigated != nil || len(o.Added)+len(o.Removed)+len(o.Updated)+o.TooLarge > 0,
		Added:   len(o.Added), Removed: len(o.Removed), Updated: len(o.Updated),
		TooLarge: o.TooLarge, Diff: strings.Join(diff(o), "\n"), Notes: o.Notes,
		Opened: o.Opened, Dialog: newDialog(o.Dialog), Downloads: newDownloads(o.Downloads),
		seen: o,
	}
	if o.Navigated != nil {
		a.URL = tool.Address(o.Navigated.URL)
	}
	return a
}

// Content tells it in as few lines as it can: what did not happen is not told.
func (a acted) Content() tool.Content {
	o := a.seen
	out := []string{tool.OneLine(o.Did, longLine) + " · effect " + string(a.Effect)}
	if o.Untrusted {
		out = append(out, "the input was synthetic: the page can tell it from a person's")
	}
	if o.Navigated != nil {
		out = append(out, navigated(o.Navigated)...)
	}
	out = append(out, diff(o)...)
	if o.TooLarge > 0 {
		out = append(out, fmt.Sprintf("… %s (snapshot)", plural(o.TooLarge, "more change", "more changes")))
	}
	for _, n := range o.Notes {
		out = append(out, tool.OneLine(n, longLine))
	}
	return tool.Content{Text: lines(out...), Since: o.Since, NewTabs: o.Opened, Downloads: o.Downloads}
}

// diff has a line for each change, marked as in a diff of files.
func diff(o browser.Observation) []string {
	var out []string
	for _, kind := range []struct {
		mark  string
		lines []string
	}{{"- ", o.Removed}, {"+ ", o.Added}, {"~ ", o.Updated}} {
		for _, l := range kind.lines {
			out = append(out, kind.mark+tool.OneLine(l, longLine))
		}
	}
	return out
}

// navigated tells of a navigation what the tab's own line does not.
func navigated(n *browser.Navigation) []string {
	line := fmt.Sprintf("navigated to doc %d", n.Doc)
	if n.SameDoc {
		line = "navigated within the document"
	}
	if n.Status >= 400 {
		line += fmt.Sprintf(" · status %d", n.Status)
	}
	out := []string{line}
	if n.TimedOut {
		out = append(out, "still loading")
	}
	return out
}

// dialog is a browser.Dialog as structured content.
type dialog struct {
	Kind    browser.DialogKind `json:"kind"`
	Message string             `json:"message"`
	Default string             `json:"default,omitempty"`
	URL     string             `json:"url,omitempty"`
}

func newDialog(d *browser.Dialog) *dialog {
	if d == nil {
		return nil
	}
	return &dialog{d.Kind, d.Message, d.Default, d.URL}
}

// download is a browser.Download as structured content.
type download struct {
	Name  string `json:"name"`
	Path  string `json:"path,omitempty"`
	URL   string `json:"url,omitempty"`
	Bytes int64  `json:"bytes"`
	State string `json:"state"`
}

func newDownloads(ds []browser.Download) []download {
	var out []download
	for _, d := range ds {
		out = append(out, download{d.Name, d.Path, d.URL, d.Bytes, d.State})
	}
	return out
}
