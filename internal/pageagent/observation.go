package pageagent

import (
	"context"
	"fmt"
	"slices"

	"drawbridge/internal/browser"
)

const diffLines = 25 // of each kind, in an observation

// Observe runs what, an act that needs no aim, such as an answer to a dialog,
// and observes its consequences: the changes are those since the last act on
// the tab. Only what can be seen is filled in; the caller says what it did.
func (c *Coordinator) Observe(ctx context.Context, to browser.Target, what func(context.Context) error, how browser.Settle) (*browser.Observation, error) {
	w := c.begin(to)
	defer w.end(ctx)
	if err := what(ctx); err != nil {
		return nil, err
	}
	// Frames that cannot be told now leave the look incomplete.
	if err := w.lookUp(ctx); err == nil {
		w.recorded = w.concerned(nil)
	}
	seen, err := w.settle(ctx, how)
	if err != nil {
		return nil, err
	}
	w.arrived(&seen)
	return w.observation("", seen), nil
}

// observation tells what came of an act.
func (w *work) observation(did string, seen looked) *browser.Observation {
	act, _ := w.watch.Activity()
	out := &browser.Observation{Did: did, Opened: slices.Clone(act.Opened), Dialog: act.Dialog, Downloads: slices.Clone(act.Downloads), Since: w.counts()}
	changed := false
	for _, d := range seen.diffs {
		changed = changed || d.Changed
		out.TooLarge += d.TooLarge
		out.TooLarge += appendLines(&out.Added, d.Added) + appendLines(&out.Removed, d.Removed) + appendLines(&out.Updated, d.Updated)
	}
	listed := len(out.Added)+len(out.Removed)+len(out.Updated)+out.TooLarge > 0
	switch {
	case act.Committed:
		out.Navigated = &browser.Navigation{URL: act.URL, Title: act.Title, Doc: act.Doc, Status: act.Status, TimedOut: !act.Ready}
		out.Added, out.Removed, out.Updated, out.TooLarge = nil, nil, nil, 0 // of a document that is gone
	case act.SameDoc:
		out.Navigated = &browser.Navigation{URL: act.URL, Title: act.Title, Doc: act.Doc, SameDoc: true}
	case act.Navigating:
		out.Notes = append(out.Notes, "a navigation has begun and brought no document yet")
	}
	if act.Failed != "" {
		out.Notes = append(out.Notes, "the navigation failed: "+act.Failed)
	}
	if w.silent {
		why := "it is very busy, or a script of it runs without end"
		if w.c.host.Untrusted(w.to.Tab) != "" { // nor are dialogs seen
			why = "a dialog may be open in it, which only a person can see and answer there, or it is very busy"
		}
		out.Notes = append(out.Notes, "the page has not answered since: "+why+" (navigate, also to: reload, ends it)")
	}
	if act.Gone != "" {
		out.Notes = append(out.Notes, "the tab's page is gone: "+act.Gone)
	}
	chose := (act.Chooser != nil || !seen.field.IsZero()) && !w.choosing
	if chose {
		what := "what opened it"
		if !w.landed.IsZero() {
			what = w.landed.String()
		}
		out.Notes = append(out.Notes, "a file chooser was opened and kept closed: give the files with upload_files and the ref of "+what)
	}
	for _, f := range seen.replaced {
		out.Notes = append(out.Notes, fmt.Sprintf("frame %s is gone, or shows another document now", f))
	}
	elsewhere := chose || out.Navigated != nil || len(seen.replaced) > 0 || act.Navigating || act.Failed != "" || act.Gone != "" ||
		out.Dialog != nil || len(out.Opened) > 0 || len(out.Downloads) > 0
	switch {
	case seen.unheard:
		out.Effect = browser.EffectUnknown
		out.Notes = append(out.Notes, "its document heard nothing of that: it may have gone to something else; look before repeating")
	case elsewhere || listed:
		out.Effect = browser.EffectConfirmed
	case changed:
		out.Effect = browser.EffectConfirmed
		out.Notes = append(out.Notes, "nothing listed changed, only focus, scroll position or parts without text")
		w.tellUntrusted(out)
	case seen.complete && seen.hit:
		out.Effect = browser.EffectNone
		w.tellUntrusted(out)
	default:
		out.Effect = browser.EffectUnknown
	}
	if seen.hit && seen.blocked != "" {
		out.Notes = append(out.Notes, fmt.Sprintf("only a part of the input reached it; the rest would have gone to %s and was held back", seen.blocked))
	}
	return out
}

// tellUntrusted adds, to an act that came to little or nothing, why that may be
// where pages can tell input from a person's.
func (w *work) tellUntrusted(out *browser.Observation) {
	if remedy := w.c.host.Untrusted(w.to.Tab); w.given && remedy != "" {
		out.Untrusted = true
		out.Notes = append(out.Notes, "the page may want a person's input: "+remedy)
	}
}

// appendLines adds lines up to the limit and returns how many did not fit.
func appendLines(to *[]string, lines []string) int {
	room := min(len(lines), diffLines-len(*to))
	*to = append(*to, lines[:room]...)
	return len(lines) - room
}
