package pageagent

import (
	"context"
	"time"

	"drawbridge/internal/browser"
)

func (w *work) hover(ctx context.Context, op browser.Hover) (*browser.Observation, error) {
	if op.At.IsZero() {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "nothing to hover over is named", Hint: "give a ref, or x and y"}
	}
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	move := gesture{purpose: purpose{what: "hover"}, nothing: "the mouse was not moved", events: func(got aimed) []InputEvent { return approach(got, 0) }}
	got, seen, err := w.land(ctx, op.At, move, deadline(op.Acting), func(aimed) (looked, error) { return w.settleHover(ctx, op.Settle) })
	if err != nil {
		return nil, err
	}
	return w.observation("hovered over "+told(got, op.At), seen), nil
}

const (
	tipPause = 200 * time.Millisecond // without a change, while a tip may still come
	tipTries = 3
)

// settleHover settles, and looks on for a while when nothing has appeared: tips
// and menus let people rest on them first.
func (w *work) settleHover(ctx context.Context, how browser.Settle) (looked, error) {
	seen, err := w.settle(ctx, how)
	for range tipTries {
		if err != nil || how != (browser.Settle{}) || seen.missed() || seen.listed() || w.interrupted() {
			break
		}
		seen, err = w.settle(ctx, browser.Settle{Quiet: tipPause})
	}
	return seen, err
}

// approach moves the mouse onto a point from beside it: what follows the
// mouse sees it move there, not only be there.
func approach(got aimed, modifiers int) []InputEvent {
	near := browser.Point{X: got.at.X - min(4, got.box.Width/4), Y: got.at.Y - min(2, got.box.Height/4)}
	events := make([]InputEvent, 0, 2)
	if near.X >= 0 && near.Y >= 0 {
		events = append(events, InputEvent{Mouse: &MouseEvent{Type: "move", X: near.X, Y: near.Y, Modifiers: modifiers}})
	}
	return append(events, InputEvent{Mouse: &MouseEvent{Type: "move", X: got.at.X, Y: got.at.Y, Modifiers: modifiers}})
}
