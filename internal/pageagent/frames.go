package pageagent

import (
	"fmt"
	"strings"

	"drawbridge/internal/browser"
)

// frameSet is the frames of a tab as an op found them, and what of them the op
// may read.
type frameSet struct {
	list    []browser.Frame // in tree order, the main frame first
	index   map[browser.FrameID]int
	origins browser.OriginSet
}

func newFrameSet(list []browser.Frame, origins browser.OriginSet) frameSet {
	s := frameSet{list: list, index: make(map[browser.FrameID]int, len(list)), origins: origins}
	for i, f := range list {
		s.index[f.ID] = i
	}
	return s
}

// prefix goes before the refs of a frame.
func prefix(id browser.FrameID) string {
	if id == "" {
		return ""
	}
	return string(id) + ":"
}

// inFrame is a line about an element, which the frame's agent told as if it
// were the only one, with the whole ref. One that has it, or none, stays.
func inFrame(id browser.FrameID, line string) string {
	first, _, _ := strings.Cut(line, " ")
	if ref, err := browser.ParseRef(first); err != nil || ref.Frame != "" {
		return line
	}
	return prefix(id) + line
}

func (s *frameSet) get(id browser.FrameID) (browser.Frame, bool) {
	i, ok := s.index[id]
	if !ok {
		return browser.Frame{}, false
	}
	return s.list[i], true
}

// why says why a frame is left out; it is empty when the frame may be read.
func (s *frameSet) why(f browser.Frame) string {
	switch {
	case f.Missing != "":
		return f.Missing
	case !s.origins.Has(f.Origin):
		return fmt.Sprintf("reading %s is not permitted", f.Origin)
	}
	return ""
}

// readable returns the frames that may be read, in tree order.
func (s *frameSet) readable() []browser.FrameID {
	var out []browser.FrameID
	for _, f := range s.list {
		if s.why(f) == "" {
			out = append(out, f.ID)
		}
	}
	return out
}

// below returns the readable frames among root and its descendants.
func (s *frameSet) below(root browser.FrameID) []browser.FrameID {
	in := map[browser.FrameID]bool{root: true}
	var out []browser.FrameID
	for _, f := range s.list {
		if f.ID != root && f.ID != "" && in[f.Parent] {
			in[f.ID] = true
		}
		if in[f.ID] && s.why(f) == "" {
			out = append(out, f.ID)
		}
	}
	return out
}

// chain is the frame and its ancestors, up to the main frame.
func (s *frameSet) chain(id browser.FrameID) []browser.FrameID {
	out := []browser.FrameID{id}
	for id != "" && len(out) <= len(s.list) {
		f, ok := s.get(id)
		if !ok {
			break
		}
		id = f.Parent
		out = append(out, id)
	}
	return out
}

// of returns the frame of a ref, or why an op may not reach it.
func (s *frameSet) of(ref browser.Ref) (browser.Frame, error) {
	f, ok := s.get(ref.Frame)
	if !ok {
		return f, staleError(ref)
	}
	return f, s.permit(f)
}

// permitMain refuses a main frame that is out of reach.
func (w *work) permitMain() error {
	_, err := w.frames.of(browser.Ref{})
	return err
}

// permit refuses a frame that is out of reach.
func (s *frameSet) permit(f browser.Frame) error {
	name := "frame " + string(f.ID)
	if f.ID == "" {
		name = "the page"
	}
	if f.Missing != "" {
		return &browser.Error{Code: browser.CodeNotSupported, Msg: fmt.Sprintf("%s cannot be reached: %s", name, f.Missing)}
	}
	if !s.origins.Has(f.Origin) {
		return &browser.Error{Code: browser.CodeOriginChanged, Msg: fmt.Sprintf("%s is on %s now, where this was not permitted", name, f.Origin),
			Hint: "repeat the call, so that it is decided for that origin"}
	}
	return nil
}

func staleError(ref browser.Ref) error {
	return &browser.Error{Code: browser.CodeStaleRef, Msg: ref.String() + " is not on the page any more", Hint: "take a snapshot and use a ref from it"}
}
