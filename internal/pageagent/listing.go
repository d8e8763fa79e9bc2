package pageagent

import (
	"context"
	"fmt"
	"hash/fnv"

	"drawbridge/internal/browser"
)

// listElements lists the elements of all frames, as they are at one time.
func (w *work) listElements(ctx context.Context) (*browser.Elements, error) {
	return steady(ctx, w, func() (*browser.Elements, error) {
		if err := w.permitMain(); err != nil {
			return nil, err
		}
		now, _ := w.watch.Activity()
		out := &browser.Elements{Doc: now.Doc, Frames: make([]browser.FrameElements, len(w.frames.list))}
		var calls []FrameCall
		var asked []*browser.FrameElements
		for i, f := range w.frames.list {
			out.Frames[i] = browser.FrameElements{Frame: f.ID, Missing: w.frames.why(f)}
			if out.Frames[i].Missing == "" {
				calls = append(calls, FrameCall{Frame: f.ID, Op: opElements, Args: ElementsArgs{Prefix: prefix(f.ID)}})
				asked = append(asked, &out.Frames[i])
			}
		}
		replies, err := w.call(ctx, calls...)
		if err != nil {
			return nil, err
		}
		for i, r := range replies {
			got, err := decode[ElementsReply](r)
			if err != nil {
				if asked[i].Frame == "" {
					return nil, err
				}
				asked[i].Missing = whyMissing(err)
				continue
			}
			asked[i].Missing = got.More
			if asked[i].Elements, err = got.rows(); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// contentStamp stamps what the frames hold, and which there are.
func (w *work) contentStamp(ctx context.Context) (*browser.Stamp, error) {
	return steady(ctx, w, func() (*browser.Stamp, error) {
		if err := w.permitMain(); err != nil {
			return nil, err
		}
		frames := w.frames.readable()
		calls := make([]FrameCall, len(frames))
		for i, f := range frames {
			calls[i] = FrameCall{Frame: f, Op: opStamp, Args: StampArgs{Prefix: prefix(f)}}
		}
		replies, err := w.call(ctx, calls...)
		if err != nil {
			return nil, err
		}
		sum := fnv.New64a()
		for _, f := range w.frames.list {
			fmt.Fprintf(sum, "%s %q\n", f.ID, w.frames.why(f))
		}
		for i, r := range replies {
			got, err := decode[StampReply](r)
			if err != nil && frames[i] == "" {
				return nil, err
			}
			fmt.Fprintf(sum, "%q\n", got.Stamp) // "" of a frame that is going
		}
		return &browser.Stamp{Text: fmt.Sprintf("%016x", sum.Sum64())}, nil
	})
}

// whyMissing says why a frame was not read, of the error that its agent gave.
func whyMissing(err error) string {
	if browser.CodeOf(err) == browser.CodeTimeout {
		return noAnswer
	}
	return "its document is going"
}

// rows puts the columns together. An agent that was tampered with does no more
// harm than to fail.
func (r *ElementsReply) rows() ([]browser.Element, error) {
	bad := &browser.Error{Code: browser.CodeInternal, Msg: "the page agent lists elements that are not whole"}
	if len(r.Role) != len(r.Numbers) || len(r.Texts) != len(r.Numbers) || len(r.Valued) != len(r.Values) {
		return nil, bad
	}
	out := make([]browser.Element, len(r.Numbers))
	for i, n := range r.Numbers {
		if r.Role[i] < 0 || r.Role[i] >= len(r.Roles) {
			return nil, bad
		}
		out[i] = browser.Element{N: n, Role: r.Roles[r.Role[i]], Text: r.Texts[i]}
	}
	for i, at := range r.Valued {
		if at < 0 || at >= len(out) {
			return nil, bad
		}
		out[at].Value = r.Values[i]
	}
	return out, nil
}
