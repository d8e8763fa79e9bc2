package pageagent

import (
	"context"

	"drawbridge/internal/browser"
)

const findLimit = 20 // matches, when the op names no limit

func (w *work) find(ctx context.Context, op browser.Find) (*browser.Found, error) {
	limit := op.Limit
	if limit <= 0 {
		limit = findLimit
	}
	return steady(ctx, w, func() (*browser.Found, error) {
		if err := w.permitMain(); err != nil {
			return nil, err
		}
		frames := w.frames.readable()
		calls := make([]FrameCall, len(frames))
		for i, f := range frames {
			calls[i] = FrameCall{Frame: f, Op: opFind, Args: FindArgs{Prefix: prefix(f), Text: op.Text, Role: op.Role, Name: op.Name, Limit: limit}}
		}
		replies, err := w.call(ctx, calls...)
		if err != nil {
			return nil, err
		}
		out := &browser.Found{}
		for i, r := range replies {
			found, err := decode[FindReply](r)
			if err != nil {
				if frames[i] == "" {
					return nil, err
				}
				continue // a frame that went away has nothing to be found
			}
			room := min(limit-len(out.Lines), len(found.Lines))
			out.Lines = append(out.Lines, found.Lines[:room]...)
			out.More += found.More + len(found.Lines) - room
		}
		out.Since = w.counts()
		return out, nil
	})
}
