package pageagent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"drawbridge/internal/browser"
)

const (
	bytesPerToken = 4
	outlineTokens = 4000 // when the op names no limit
	leastBudget   = 160  // bytes: below that an outline of a frame says nothing
)

func (w *work) snapshot(ctx context.Context, op browser.Snapshot) (*browser.Outline, error) {
	ask, err := outlineOf(op)
	if err != nil {
		return nil, err
	}
	return steady(ctx, w, func() (*browser.Outline, error) {
		if _, err := w.frames.of(browser.Ref{Frame: ask.root, N: max(ask.args.Scope, ask.args.Cursor)}); err != nil {
			return nil, err
		}
		parts, err := w.outlines(ctx, ask)
		if err != nil {
			return nil, err
		}
		out := &browser.Outline{Text: splice(ask.root, parts), Since: w.counts()}
		if n := parts[ask.root].cursor; n != 0 {
			out.Cursor = browser.Ref{Frame: ask.root, N: n}.String()
		}
		return out, nil
	})
}

// outlineAsk is which frame to outline, with its descendants, and how.
type outlineAsk struct {
	root   browser.FrameID
	args   SnapshotArgs // for the root
	budget int          // bytes, over all frames
}

// outlineOf reads the op. A cursor is the element to go on with, which also
// names the frame: each frame's outline goes on by itself.
func outlineOf(op browser.Snapshot) (outlineAsk, error) {
	ask := outlineAsk{root: op.Scope.Frame, budget: op.MaxTokens * bytesPerToken,
		args: SnapshotArgs{Scope: op.Scope.N, Interactive: op.Interactive}}
	if op.MaxTokens <= 0 {
		ask.budget = outlineTokens * bytesPerToken
	}
	if op.Cursor == "" {
		return ask, nil
	}
	frame, isFrame := browser.FrameID(op.Cursor), false
	at, err := browser.ParseRef(op.Cursor)
	if err != nil { // a whole frame, such as "f2"
		at, err = browser.ParseRef(op.Cursor + ":e1")
		isFrame = true
	}
	if err != nil {
		return ask, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is not a cursor of a snapshot", op.Cursor),
			Hint: "give the cursor as the snapshot before named it, or none"}
	}
	if isFrame {
		return outlineAsk{root: frame, budget: ask.budget, args: SnapshotArgs{Interactive: op.Interactive}}, nil
	}
	if at.Frame != ask.root {
		ask.args.Scope = 0
	}
	ask.root, ask.args.Cursor = at.Frame, at.N
	return ask, nil
}

// part is what is known of one frame's outline.
type part struct {
	lines   []string
	anchors []FrameAnchor
	cursor  int    // the element to go on with; 0: all is there
	left    string // why there is no outline
}

// outlines asks for the outlines of the root and the frames below it. All are
// asked at once for as much as they have; only when that is too much together
// are some asked again for less.
func (w *work) outlines(ctx context.Context, ask outlineAsk) (map[browser.FrameID]part, error) {
	parts := make(map[browser.FrameID]part)
	for _, f := range w.frames.list {
		parts[f.ID] = part{left: cmp.Or(w.frames.why(f), "its document is going")}
	}
	budgets := make(map[browser.FrameID]int)
	for _, f := range w.frames.below(ask.root) {
		budgets[f] = ask.budget
	}
	if err := w.outlineCalls(ctx, ask, budgets, parts); err != nil {
		return nil, err
	}
	w.nameUnbound(ask.root, parts)
	const rounds = 3
	for range rounds {
		over := share(ask.root, parts, ask.budget)
		if len(over) == 0 {
			break
		}
		if err := w.outlineCalls(ctx, ask, over, parts); err != nil {
			return nil, err
		}
		w.nameUnbound(ask.root, parts)
	}
	return parts, nil
}

// outlineCalls asks frames for outlines within budgets and stores what they
// answer in parts. Only the root's failure is an error.
func (w *work) outlineCalls(ctx context.Context, ask outlineAsk, budgets map[browser.FrameID]int, parts map[browser.FrameID]part) error {
	var calls []FrameCall
	for _, f := range w.frames.list {
		budget, ok := budgets[f.ID]
		if !ok {
			continue
		}
		args := SnapshotArgs{Interactive: ask.args.Interactive}
		if f.ID == ask.root {
			args = ask.args
		}
		args.Prefix, args.Budget = prefix(f.ID), budget
		calls = append(calls, FrameCall{Frame: f.ID, Op: opSnapshot, Args: args})
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return err
	}
	for i, r := range replies {
		got, err := decode[SnapshotReply](r)
		if err != nil {
			if calls[i].Frame == ask.root {
				return rooted(err, browser.Ref{Frame: ask.root, N: ask.args.Scope})
			}
			if browser.CodeOf(err) == browser.CodeTimeout {
				parts[calls[i].Frame] = part{left: noAnswer}
			}
			continue
		}
		p := part{anchors: got.Frames, cursor: got.Cursor}
		if got.Text != "" {
			p.lines = strings.Split(got.Text, "\n")
		}
		parts[calls[i].Frame] = p
	}
	return nil
}

// rooted is the error of the frame that a read begins in: a ref that is gone is
// named with its frame.
func rooted(err error, at browser.Ref) error {
	if !at.IsZero() && browser.CodeOf(err) == browser.CodeStaleRef {
		return staleError(at)
	}
	return err
}

// nameUnbound gives anchors that no frame is bound to the frame that belongs
// there, where the order tells: frames that cannot be reached may not be bound.
func (w *work) nameUnbound(root browser.FrameID, parts map[browser.FrameID]part) {
	for _, parent := range w.frames.below(root) {
		p := parts[parent]
		bound := make(map[string]bool)
		var blank []int
		for i, a := range p.anchors {
			bound[a.Frame] = true
			if a.Frame == "" {
				blank = append(blank, i)
			}
		}
		var missing []browser.FrameID
		for _, f := range w.frames.list {
			if f.ID != "" && f.Parent == parent && !bound[string(f.ID)] && f.Missing != "" {
				missing = append(missing, f.ID)
			}
		}
		if len(blank) == 0 || len(blank) != len(missing) {
			continue
		}
		p.anchors = slices.Clone(p.anchors)
		for i, at := range blank {
			p.anchors[at].Frame = string(missing[i])
		}
		parts[parent] = p
	}
}

// share divides the budget when the merged outline is over it, and returns the
// smaller budgets of the frames that must give way. The root keeps half at
// least, since what the others hang on is there; the small frames keep all
// that they have.
func share(root browser.FrameID, parts map[browser.FrameID]part, budget int) map[browser.FrameID]int {
	type need struct {
		frame  browser.FrameID
		merged int // bytes in the merged outline
		own    int // bytes as the agent counts them
	}
	var needs []need
	total := 0
	walk(root, parts, func(f browser.FrameID, p part, indent int) {
		n := need{frame: f}
		for _, l := range p.lines {
			n.own += len(l) + 1
			n.merged += len(l) + 1 + 2*indent
		}
		needs = append(needs, n)
		total += n.merged
	})
	if total-1 <= budget { // the last line has no line end
		return nil
	}
	slices.SortStableFunc(needs, func(a, b need) int { return cmp.Compare(a.merged, b.merged) })
	var rootNeed int
	for _, n := range needs {
		if n.frame == root {
			rootNeed = n.merged
		}
	}
	rootShare := min(rootNeed, max(budget/2, budget-(total-rootNeed)))
	room, left := budget-rootShare, len(needs)-1
	out := make(map[browser.FrameID]int)
	for _, n := range needs {
		allowed := rootShare
		if n.frame != root {
			allowed = min(n.merged, max(room/left, leastBudget))
			room, left = max(room-allowed, 0), left-1
		}
		// A frame that is as small as it can be is not asked again.
		if n.merged > allowed && n.own > leastBudget {
			out[n.frame] = max(allowed*n.own/n.merged, leastBudget)
		}
	}
	return out
}

// walk visits the frames that have a place in the merged outline, in order.
func walk(root browser.FrameID, parts map[browser.FrameID]part, visit func(f browser.FrameID, p part, indent int)) {
	seen := make(map[browser.FrameID]bool)
	var down func(f browser.FrameID, indent int)
	down = func(f browser.FrameID, indent int) {
		seen[f] = true
		p := parts[f]
		visit(f, p, indent)
		for _, a := range p.anchors {
			child := browser.FrameID(a.Frame)
			if c, ok := parts[child]; child != "" && ok && c.left == "" && !seen[child] && a.Line >= 0 && a.Line < len(p.lines) {
				down(child, indent+max(a.Indent, 0))
			}
		}
	}
	down(root, 0)
}

// splice puts the outlines of frames after the lines of their iframes,
// indented, and says there why a frame has none. Every line of every frame that
// has a place appears once; a frame has one place.
func splice(root browser.FrameID, parts map[browser.FrameID]part) string {
	var out []string
	seen := make(map[browser.FrameID]bool)
	var put func(f browser.FrameID, indent int)
	put = func(f browser.FrameID, indent int) {
		seen[f] = true
		p := parts[f]
		at := make(map[int][]FrameAnchor, len(p.anchors))
		for _, a := range p.anchors {
			at[a.Line] = append(at[a.Line], a)
		}
		margin := strings.Repeat("  ", indent)
		for i, line := range p.lines {
			out = append(out, margin+line)
			for _, a := range at[i] {
				child := browser.FrameID(a.Frame)
				inner, known := parts[child]
				own := &out[len(out)-1]
				switch {
				case child == "" || seen[child]:
				case !known:
					*own = unread(*own, "", "its document is going")
				case inner.left != "":
					*own = unread(*own, child, inner.left)
				default:
					*own = withFrame(*own, child)
					put(child, indent+max(a.Indent, 0))
				}
			}
		}
		if f != root && p.cursor != 0 {
			out = append(out, fmt.Sprintf("%s… more in %s (snapshot cursor=%s)", margin, f, browser.Ref{Frame: f, N: p.cursor}))
		}
	}
	put(root, 0)
	return strings.Join(out, "\n")
}

// withFrame is the line of an iframe with the name of its frame.
func withFrame(line string, frame browser.FrameID) string {
	line = strings.TrimSuffix(line, notReadable)
	if frame == "" || strings.HasSuffix(line, " "+string(frame)) {
		return line
	}
	return line + " " + string(frame)
}

const noAnswer = "it does not answer" // why a frame that was asked in vain is left out

const notReadable = " (not readable)" // what the agent says of a frame that nothing is bound to

// unread is the line of an iframe whose frame is left out.
func unread(line string, frame browser.FrameID, why string) string {
	return withFrame(line, frame) + " (not readable: " + why + ")"
}
