package pageagent

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

func (w *work) readPage(ctx context.Context, op browser.ReadPage) (*browser.Text, error) {
	as := op.As
	switch as {
	case "":
		as = "text"
	case "text", "prose", "html", "selection":
	default:
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is not a way to read", op.As), Hint: "pages are read as text, html or selection"}
	}
	from, err := parsePosition(op.Cursor)
	if err != nil {
		return nil, err
	}
	return steady(ctx, w, func() (*browser.Text, error) {
		root, err := w.frames.of(browser.Ref{Frame: op.Ref.Frame, N: op.Ref.N})
		if err != nil {
			return nil, err
		}
		texts, err := w.texts(ctx, as, root.ID, op, from)
		if err != nil {
			return nil, err
		}
		if as == "selection" {
			root = onlySelected(texts, w.frames.below(root.ID), root, &w.frames)
		}
		m := merger{texts: texts, html: as == "html", limit: op.MaxTokens * bytesPerToken}
		out := &browser.Text{URL: root.URL, Since: w.counts()}
		end := m.put(root.ID, from)
		out.Text = m.out.String()
		if end != nil {
			out.Cursor = end.String()
		}
		return out, nil
	})
}

// texts asks the root and all frames below it, at once.
func (w *work) texts(ctx context.Context, as string, root browser.FrameID, op browser.ReadPage, from position) (map[browser.FrameID]frameText, error) {
	out := make(map[browser.FrameID]frameText)
	for _, f := range w.frames.list {
		out[f.ID] = frameText{left: w.frames.why(f)}
	}
	frames := w.frames.below(root)
	calls := make([]FrameCall, len(frames))
	for i, f := range frames {
		args := TextArgs{As: as, Budget: max(op.MaxTokens, 0) * bytesPerToken, Offset: from.offset(f, root)}
		if f == root {
			args.Scope = op.Ref.N
		}
		if as == "selection" {
			args.Offset = from[0].offset // of whichever frame has it
		}
		calls[i] = FrameCall{Frame: f, Op: opText, Args: args}
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return nil, err
	}
	for i, r := range replies {
		got, err := decode[TextReply](r)
		if err != nil && frames[i] == root {
			return nil, rooted(err, op.Ref)
		}
		if err != nil {
			out[frames[i]] = frameText{left: whyMissing(err)}
			continue
		}
		out[frames[i]] = frameText{TextReply: got}
	}
	return out, nil
}

// onlySelected returns the frame whose selection is meant, or the root: the one
// that has the focus or lies nearest around it, else the first. Frames within
// are no part of it.
func onlySelected(texts map[browser.FrameID]frameText, order []browser.FrameID, root browser.Frame, frames *frameSet) browser.Frame {
	found, ok := root, false
	at := root
	for range order {
		if texts[at.ID].Text != "" {
			found, ok = at, true
		}
		next, inside := frames.get(browser.FrameID(texts[at.ID].Into))
		if !inside || next.ID == "" {
			break
		}
		at = next
	}
	for _, id := range order {
		if f, known := frames.get(id); !ok && known && texts[id].Text != "" {
			found, ok = f, true
		}
	}
	t := texts[found.ID]
	t.Frames = nil
	texts[found.ID] = t
	return found
}

// frameText is what one frame has to read, or why nothing.
type frameText struct {
	TextReply
	left string
}

// position is a place in the text of a page: how many UTF-16 units of the root
// frame are behind it, and, when it lies within a frame or just after one,
// which one and how much of that; and so on inside.
type position []step

type step struct {
	frame  browser.FrameID // not used in the first
	offset int
}

const wholly = -1 // the offset of a frame that is all behind

// String is the position as a cursor: "1200", "1200/f2:300", "1200/f2:end".
func (p position) String() string {
	var b strings.Builder
	for i, s := range p {
		if i > 0 {
			fmt.Fprintf(&b, "/%s:", s.frame)
		}
		if s.offset == wholly {
			b.WriteString("end")
		} else {
			b.WriteString(strconv.Itoa(s.offset))
		}
	}
	return b.String()
}

// parsePosition reads a cursor; "" is the beginning.
func parsePosition(s string) (position, error) {
	if s == "" {
		return position{{}}, nil
	}
	bad := &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is not a cursor of read_page", s), Hint: "give the cursor as the reading before named it, or none"}
	var p position
	for i, piece := range strings.Split(s, "/") {
		var st step
		if i > 0 {
			frame, rest, ok := strings.Cut(piece, ":")
			ref, err := browser.ParseRef(frame + ":e1")
			if !ok || err != nil {
				return nil, bad
			}
			st.frame, piece = ref.Frame, rest
			if rest == "end" {
				p = append(p, step{ref.Frame, wholly})
				continue
			}
		}
		n, err := strconv.ParseUint(piece, 10, 31)
		if err != nil {
			return nil, bad
		}
		st.offset = int(n)
		p = append(p, st)
	}
	return p, nil
}

// offset is how much of a frame is behind the position, as far as it says so.
func (p position) offset(frame, root browser.FrameID) int {
	if frame == root {
		return p[0].offset
	}
	for _, s := range p[1:] {
		if s.frame == frame {
			return max(s.offset, 0)
		}
	}
	return 0
}

// merger puts texts of frames into one another, up to a limit in bytes.
type merger struct {
	texts map[browser.FrameID]frameText
	html  bool
	limit int // 0: none
	out   strings.Builder
}

func (m *merger) room() int {
	if m.limit <= 0 {
		return int(^uint(0) >> 1)
	}
	return max(m.limit-m.out.Len(), 0)
}

// put writes a frame's text with its frames inside, from where from says, and
// returns where it had to stop: nil when all of it is written.
func (m *merger) put(frame browser.FrameID, from position) position {
	t := m.texts[frame]
	anchors, rest := t.Frames, t.Text
	start := from[0].offset // of rest in the frame's whole text
	at := start             // of what is not yet written
	var behind browser.FrameID
	here := func() position {
		p := position{{frame: from[0].frame, offset: at}}
		if behind != "" {
			p = append(p, step{behind, wholly})
		}
		return p
	}
	if len(from) > 1 {
		behind = from[1].frame
		if from[1].offset != wholly {
			if stop := m.putChild(behind, from[1:]); stop != nil {
				return append(position{{frame: from[0].frame, offset: at}}, stop...)
			}
		}
		for i, a := range anchors {
			if a.At == 0 && browser.FrameID(a.Frame) == behind {
				anchors = anchors[i+1:]
				break
			}
		}
	}
	for _, a := range anchors {
		piece, after := cutUnits(rest, start+a.At-at)
		done, n := m.write(piece)
		if at += n; n > 0 {
			behind = ""
		}
		if !done {
			return here()
		}
		rest = after
		child := browser.FrameID(a.Frame)
		if stop := m.putChild(child, position{{frame: child}}); stop != nil {
			return append(position{{frame: from[0].frame, offset: at}}, stop...)
		}
		behind = child
	}
	done, n := m.write(rest)
	if at += n; n > 0 {
		behind = ""
	}
	if !done || t.More > 0 {
		return here()
	}
	return nil
}

// putChild writes a child frame's text, set apart, or why it is left out.
func (m *merger) putChild(child browser.FrameID, from position) position {
	t, ok := m.texts[child]
	switch {
	case child == "" || !ok:
		return nil
	case m.room() == 0:
		return from
	case t.left != "" && m.html:
		fmt.Fprintf(&m.out, "<!-- frame %s is left out: %s -->", child, strings.ReplaceAll(t.left, "--", "- -"))
		return nil
	}
	m.newline()
	if t.left != "" {
		fmt.Fprintf(&m.out, "[frame %s is left out: %s]\n", child, t.left)
		return nil
	}
	stop := m.put(child, from)
	m.newline()
	return stop
}

// newline sets texts apart; html needs none.
func (m *merger) newline() {
	if s := m.out.String(); !m.html && s != "" && !strings.HasSuffix(s, "\n") {
		m.out.WriteByte('\n')
	}
}

// write writes text as far as there is room, whole lines if it can, and returns
// how many UTF-16 units it wrote.
func (m *merger) write(text string) (all bool, units int) {
	if len(text) <= m.room() {
		m.out.WriteString(text)
		return true, unitsOf(text)
	}
	end := m.room()
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	text = text[:end]
	if i := strings.LastIndexByte(text, '\n'); i > len(text)/2 {
		text = text[:i+1]
	}
	m.out.WriteString(text)
	return false, unitsOf(text)
}

// unitsOf counts UTF-16 units, in which pages count.
func unitsOf(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// cutUnits cuts text after n UTF-16 units.
func cutUnits(text string, n int) (before, after string) {
	for i, r := range text {
		if n <= 0 {
			return text[:i], text[i:]
		}
		n--
		if r > 0xFFFF {
			n--
		}
	}
	return text, ""
}
