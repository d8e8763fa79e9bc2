package pageagent

import (
	"context"
	"fmt"
	"math"

	"drawbridge/internal/browser"
)

func (w *work) scroll(ctx context.Context, op browser.Scroll) (*browser.Observation, error) {
	args, frame, into, err := scrollArgs(op)
	if err != nil {
		return nil, err
	}
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	end := deadline(op.Acting)
	var got aimed
	switch {
	case !into.IsZero():
		// Aiming brings it into view in all its frames.
		if got, err = w.aim(ctx, browser.Spot{Ref: into}, purpose{what: "scroll"}, end); err != nil {
			return nil, err
		}
	case !op.Ref.IsZero():
		if got, err = w.aim(ctx, browser.Spot{Ref: op.Ref}, purpose{what: "scroll"}, end); err != nil {
			return nil, err
		}
		// A frame scrolls what it shows.
		if f, ok := w.frames.get(got.inner); ok && got.inner != "" {
			if err := w.frames.permit(f); err != nil {
				return nil, err
			}
			frame, args.N = got.inner, 0
		}
	default:
		if err := w.record(ctx); err != nil {
			return nil, err
		}
	}
	if act, _ := w.watch.Activity(); act.Committed {
		return nil, movedError(act, "nothing was scrolled")
	}
	moved, err := ask[ScrollReply](ctx, w, frame, opScroll, args)
	if err != nil {
		return nil, err
	}
	moved.Line = inFrame(frame, moved.Line)
	seen, err := w.settle(ctx, op.Settle)
	if err != nil {
		return nil, err
	}
	seen.hit = true
	out := w.observation(scrolled(op, moved, got.head), seen)
	still := math.Abs(moved.DX) < 1 && math.Abs(moved.DY) < 1
	switch {
	case !still && out.Effect != browser.EffectConfirmed:
		out.Effect = browser.EffectConfirmed
	case still && into.IsZero() && len(out.Added)+len(out.Removed)+len(out.Updated) == 0 && out.Navigated == nil && out.Dialog == nil:
		out.Effect = browser.EffectNone
		out.Notes = []string{stuck(op, moved)}
	}
	return out, nil
}

// scrollArgs checks the op and makes what the agent is asked of it: in which
// frame, and for which element to bring into view.
func scrollArgs(op browser.Scroll) (args ScrollArgs, frame browser.FrameID, into browser.Ref, err error) {
	bad := func(msg, hint string) (ScrollArgs, browser.FrameID, browser.Ref, error) {
		return ScrollArgs{}, "", browser.Ref{}, &browser.Error{Code: browser.CodeInvalidArguments, Msg: msg, Hint: hint}
	}
	args = ScrollArgs{N: op.Ref.N, Direction: op.Direction, Amount: op.Amount}
	frame = op.Ref.Frame
	switch {
	case op.Amount < 0 || math.IsNaN(op.Amount) || math.IsInf(op.Amount, 0):
		return bad(fmt.Sprintf("amount is %g", op.Amount), "amount is a number of CSS pixels above 0; direction tells which way")
	case (op.Direction == "") == (op.To == ""):
		return bad("give either direction or to", "direction is up, down, left or right; to is top, bottom or a ref")
	case op.Direction != "":
		switch op.Direction {
		case "up", "down", "left", "right":
			return args, frame, into, nil
		}
		return bad(fmt.Sprintf("%q is not a direction", op.Direction), "directions are up, down, left and right")
	case op.To == "top" || op.To == "bottom":
		args.To = op.To
		return args, frame, into, nil
	}
	if into, err = browser.ParseRef(op.To); err != nil {
		return bad(fmt.Sprintf("%q is nothing to scroll to", op.To), "to is top, bottom or a ref")
	}
	if !op.Ref.IsZero() && op.Ref.Frame != into.Frame {
		return bad(fmt.Sprintf("%s is not inside %s: they are in different frames", into, op.Ref), "leave out ref")
	}
	args.Into = into.N
	return args, into.Frame, into, nil
}

// scrolled says what a scroll did.
func scrolled(op browser.Scroll, moved ScrollReply, target string) string {
	what := headline(moved.Line)
	if what == "" {
		what = "the page"
	}
	where := fmt.Sprintf("now at %.0f of %.0f, %.0f in view", moved.Top, moved.Height, moved.View)
	switch {
	case op.To == "top" || op.To == "bottom":
		return fmt.Sprintf("scrolled %s to the %s (%s)", what, op.To, where)
	case op.To != "":
		return fmt.Sprintf("scrolled %s into view (%s)", target, where)
	case op.Direction == "left" || op.Direction == "right":
		return fmt.Sprintf("scrolled %s %s by %.0f px", what, op.Direction, math.Abs(moved.DX))
	}
	return fmt.Sprintf("scrolled %s %s by %.0f px (%s)", what, op.Direction, math.Abs(moved.DY), where)
}

// stuck says why nothing moved.
func stuck(op browser.Scroll, moved ScrollReply) string {
	vertical := op.Direction != "left" && op.Direction != "right"
	switch {
	case vertical && moved.Height <= moved.View+1:
		return "it cannot scroll: all of its height is in view"
	case op.Direction == "up" || op.To == "top":
		return "it is already at the top"
	case vertical:
		return "it is already at the end"
	}
	return "it cannot scroll further " + op.Direction
}
