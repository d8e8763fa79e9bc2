package pageagent

import (
	"context"
	"fmt"

	"drawbridge/internal/browser"
)

// ArchiveArgs asks for a document as it is now.
type ArchiveArgs struct {
	Budget int `json:"budget"` // characters at most
}

// ArchiveReply is a document without scripts and secrets: its nodes in order,
// addresses of resources apart from the attributes that they belong to.
type ArchiveReply struct {
	URL     string        `json:"url"`
	Base    string        `json:"base"`    // what addresses in its styles are relative to
	Doctype string        `json:"doctype"` // as HTML; "" for none
	Quirks  bool          `json:"quirks"`
	Nodes   []ArchiveNode `json:"nodes"`
	Left    []ArchiveLeft `json:"left,omitempty"`
}

// ArchiveNode is the start of an element (Tag), text (Text), or else the end of
// the innermost open element.
type ArchiveNode struct {
	Tag     string   `json:"t,omitempty"`
	Attrs   []string `json:"a,omitempty"` // names and values in turn
	Text    string   `json:"x,omitempty"`
	Foreign bool     `json:"n,omitempty"` // SVG or MathML
	// As says what URL is for: "src", "srcset", "poster", "href" and
	// "background" are attributes that get the resource; "icon" is the href of
	// a link, "use" one of SVG; "sheet" is a style sheet in place of a link;
	// "canvas" a picture in place of what a script drew. "frame" is the
	// document of Frame, "style" a style element, whose text is Text.
	As      string  `json:"s,omitempty"`
	URL     string  `json:"u,omitempty"`
	Frame   string  `json:"f,omitempty"`
	Density float64 `json:"d,omitempty"` // of "srcset"
}

// ArchiveLeft is what a document has and cannot be had of it.
type ArchiveLeft struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Archive is the documents of a tab, each by its frame, as far as they may be
// read.
type Archive struct {
	Frames map[browser.FrameID]ArchiveReply
	Left   []browser.Skipped
}

// Archive reads the documents of a tab; budget is characters of each.
func (c *Coordinator) Archive(ctx context.Context, to browser.Target, budget int) (*Archive, error) {
	w := c.begin(to)
	defer w.end(ctx)
	return steady(ctx, w, func() (*Archive, error) {
		if err := w.permitMain(); err != nil {
			return nil, err
		}
		out := &Archive{Frames: make(map[browser.FrameID]ArchiveReply)}
		left := func(f browser.Frame, why string) {
			out.Left = append(out.Left, browser.Skipped{URL: f.URL, Why: "frame " + string(f.ID) + ": " + why})
		}
		for _, f := range w.frames.list {
			if why := w.frames.why(f); why != "" {
				left(f, why)
				continue
			}
			// One after another: each is large.
			got, err := ask[ArchiveReply](ctx, w, f.ID, opArchive, ArchiveArgs{Budget: budget})
			if err != nil && (f.ID == "" || ctx.Err() != nil) {
				return nil, err
			}
			if err != nil {
				left(f, err.Error())
				continue
			}
			out.Frames[f.ID] = got
		}
		return out, nil
	})
}

// Veil masks the secrets of a tab's documents, or shows them as they were. It
// fails when a readable document was not reached.
func (c *Coordinator) Veil(ctx context.Context, to browser.Target, on bool) error {
	w := c.begin(to)
	defer w.end(ctx)
	if err := w.lookUp(ctx); err != nil {
		return err
	}
	if err := w.permitMain(); err != nil {
		return err
	}
	var calls []FrameCall
	for _, f := range w.frames.list {
		if f.Missing == "" {
			calls = append(calls, FrameCall{Frame: f.ID, Op: opVeil, Args: VeilArgs{On: on}})
		}
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return err
	}
	for i, r := range replies {
		if _, err := decode[None](r); err != nil && on {
			return fmt.Errorf("frame %q: %w", calls[i].Frame, err)
		}
	}
	return nil
}

// VeilArgs says whether secrets are masked.
type VeilArgs struct {
	On bool `json:"on"`
}
