package pageagent

import (
	"context"
	"errors"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

// listMost is how long a list may take to show its options once it was opened.
const listMost = 2 * time.Second

// noneListed begins what the agent says of an open list without the option.
const noneListed = "no option "

// openList opens a list of choices that the page draws, and waits for the
// option.
func (w *filling) openList(ctx context.Context, ref browser.Ref, args PrepareArgs, end time.Time) (PrepareReply, error) {
	w.acted = true
	click := press{button: "left", count: 1, more: true}.gesture()
	got, seen, err := w.land(ctx, browser.Spot{Ref: ref}, click, end, func(got aimed) (looked, error) { return w.reached(ctx, got) })
	if err == nil && seen.unheard {
		err = unheardError(got, "nothing was filled")
	}
	if err != nil {
		return PrepareReply{}, err
	}
	end = time.Now().Add(listMost)
	for {
		how, err := ask[PrepareReply](ctx, w.work, ref.Frame, opPrepare, args)
		var e *browser.Error
		late := time.Now().Add(afterthought).After(end)
		switch {
		case err == nil && how.How != "open":
			return how, nil
		case err == nil && late:
			return how, &browser.Error{Code: browser.CodeNotActionable, Msg: "a click on " + ref.String() + " showed no options", Hint: "take a snapshot to see what it opened, and click there"}
		case err != nil && (late || !errors.As(err, &e) || !strings.HasPrefix(e.Msg, noneListed)):
			return how, err
		}
		if err := sleep(ctx, nil, time.Now().Add(afterthought)); err != nil {
			return how, err
		}
	}
}

// fillBoxes types a code, a character into each box.
func (w *filling) fillBoxes(ctx context.Context, ref browser.Ref, how PrepareReply) error {
	for i, c := range []rune(how.Text) {
		if i >= len(how.Boxes) {
			break
		}
		one, err := ask[PrepareReply](ctx, w.work, ref.Frame, opPrepare, PrepareArgs{N: how.Boxes[i], Value: string(c)})
		if err != nil {
			return err
		}
		if one.How == "done" {
			continue
		}
		if err := w.input(ctx, "the rest of the code was not typed", typing(string(c))...); err != nil {
			return err
		}
	}
	return nil
}

// readBoxes reads a code back. Boxes may go away with the last of it.
func (w *filling) readBoxes(ctx context.Context, got aimed, field browser.Field, boxes []int) (filled, error) {
	out := filled{ref: got.ref, field: field, line: got.line}
	for i, n := range boxes {
		now, err := w.readBack(ctx, browser.Ref{Frame: got.ref.Frame, N: n}, true)
		switch {
		case browser.CodeOf(err) == browser.CodeStaleRef:
			out.gone = true
			return out, nil
		case err != nil:
			return out, err
		case !now.Matches:
			return out, changedError(headline(inFrame(got.ref.Frame, now.Line)), now, field)
		}
		if i == 0 {
			out.line = inFrame(got.ref.Frame, now.Line)
		}
	}
	w.notes = append(w.notes, "the characters were typed into "+spotsOf(got.ref.Frame, boxes))
	return out, nil
}

func spotsOf(frame browser.FrameID, boxes []int) string {
	names := make([]string, len(boxes))
	for i, n := range boxes {
		names[i] = browser.Ref{Frame: frame, N: n}.String()
	}
	return strings.Join(names, ", ")
}

// namedBy is the ref that a line begins with: another field may have taken the
// place of the one that was named.
func namedBy(line string, was browser.Ref) browser.Ref {
	name, _, _ := strings.Cut(line, " ")
	if ref, err := browser.ParseRef(name); err == nil && ref.Frame == was.Frame {
		return ref
	}
	return was
}
