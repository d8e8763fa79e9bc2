package pageagent

import (
	"context"
	"time"

	"drawbridge/internal/browser"
)

const hintLife = time.Minute // when the op names no time

// showHint shows a hint in the document of its target, in place of any other
// that the tab shows.
func (w *work) showHint(ctx context.Context, op browser.ShowHint) (*browser.Hinted, error) {
	if op.At.IsZero() {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "nothing to mark is named", Hint: "give a ref, or x and y"}
	}
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	life := op.For
	if life <= 0 {
		life = hintLife
	}
	args := HintArgs{N: op.At.Ref.N, Text: op.Text, Millis: int(life.Milliseconds())}
	frame := op.At.Ref.Frame
	if op.At.Point != nil {
		if err := w.sameView(ctx, op.At.Seen); err != nil {
			return nil, err
		}
		args.Point, args.X, args.Y = true, op.At.Point.X, op.At.Point.Y
		if err := w.permitMain(); err != nil {
			return nil, err
		}
	} else if _, err := w.aim(ctx, op.At, purpose{what: "picture"}, deadline(browser.Acting{})); err != nil {
		return nil, err
	}
	args.Prefix = prefix(frame)
	calls := []FrameCall{{Frame: frame, Op: opHint, Args: args}}
	for _, f := range w.frames.readable() {
		if f != frame {
			calls = append(calls, FrameCall{Frame: f, Op: opUnhint, Args: None{}})
		}
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return nil, err
	}
	got, err := decode[HintReply](replies[0])
	if browser.CodeOf(err) == browser.CodeStaleRef {
		return nil, staleError(op.At.Ref)
	}
	return &browser.Hinted{Label: got.Label}, err
}
