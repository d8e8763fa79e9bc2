package pageagent

import (
	"context"
	"encoding/json"

	"drawbridge/internal/browser"
)

// relayFrom is the number of frames of one origin from which on one call for
// all of them is quicker than one for each.
const relayFrom = 3

// headOf is the outermost frame from which agents reach a frame: all between
// are of its origin.
func (s *frameSet) headOf(id browser.FrameID) browser.FrameID {
	for range s.list {
		f, ok := s.get(id)
		if !ok || id == "" || f.Origin == browser.OpaqueOrigin || f.Missing != "" {
			return id
		}
		up, ok := s.get(f.Parent)
		if !ok || up.Origin != f.Origin || up.Missing != "" {
			return id
		}
		id = up.ID
	}
	return id
}

// exchange has the calls made, those for many frames of one origin by way of
// the outermost one of them. Which ones that does not reach are called
// directly.
func (w *work) exchange(ctx context.Context, calls []FrameCall) ([]FrameReply, error) {
	relays := w.relays(calls)
	if len(relays) == 0 {
		return w.c.host.Call(ctx, w.to.Tab, calls)
	}
	replies := make([]FrameReply, len(calls))
	relayed := make([]bool, len(calls))
	var now []FrameCall
	for _, r := range relays {
		now = append(now, r.call)
		for _, i := range r.of {
			relayed[i] = true
		}
	}
	var direct []int
	for i, c := range calls {
		if !relayed[i] {
			now, direct = append(now, c), append(direct, i)
		}
	}
	got, err := w.c.host.Call(ctx, w.to.Tab, now)
	if err != nil {
		return nil, err
	}
	if len(got) != len(now) {
		return nil, miscounted(len(got), len(now))
	}
	for k, i := range direct {
		replies[i] = got[len(relays)+k]
	}
	direct, now = nil, nil
	for k, r := range relays {
		answer, err := decode[RelayReply](got[k])
		for j, i := range r.of {
			if err == nil && j < len(answer.Replies) && answer.Replies[j].Reply != nil {
				replies[i] = FrameReply{Reply: *answer.Replies[j].Reply}
			} else {
				now, direct = append(now, calls[i]), append(direct, i)
			}
		}
	}
	if len(now) == 0 {
		return replies, nil
	}
	got, err = w.c.host.Call(ctx, w.to.Tab, now)
	if err != nil {
		return nil, err
	}
	if len(got) != len(now) {
		return nil, miscounted(len(got), len(now))
	}
	for k, i := range direct {
		replies[i] = got[k]
	}
	return replies, nil
}

// relay is a call to the agent of one frame that stands for others, by their
// index.
type relay struct {
	call FrameCall
	of   []int
}

// relays returns the relays that are worth it, in the order of the frames.
func (w *work) relays(calls []FrameCall) []relay {
	if len(calls) < relayFrom {
		return nil
	}
	frames := make(map[browser.FrameID]bool, len(calls))
	of := make(map[browser.FrameID][]int)
	count := make(map[browser.FrameID]int)
	for i, c := range calls {
		if _, ok := w.frames.get(c.Frame); !ok || c.Op == opChanged || c.Op == opHear {
			continue // the first may have gone, the others are answered late
		}
		head := w.frames.headOf(c.Frame)
		of[head] = append(of[head], i)
		if !frames[c.Frame] {
			frames[c.Frame] = true
			count[head]++
		}
	}
	var out []relay
	for _, f := range w.frames.list {
		if count[f.ID] < relayFrom {
			continue
		}
		args := RelayArgs{Own: string(f.ID)}
		for _, in := range w.frames.list {
			if in.ID != f.ID && w.frames.headOf(in.ID) == f.ID {
				args.Frames = append(args.Frames, InnerFrame{Frame: string(in.ID), Parent: string(in.Parent)})
			}
		}
		r := relay{of: of[f.ID]}
		for _, i := range r.of {
			c := calls[i]
			text, err := json.Marshal(c.Args)
			if err != nil {
				return nil // the host meets it too
			}
			args.Calls = append(args.Calls, RelayCall{Frame: string(c.Frame), Op: c.Op, First: c.First, Args: string(text)})
		}
		r.call = FrameCall{Frame: f.ID, Op: opRelay, First: 1, Args: args}
		out = append(out, r)
	}
	return out
}

// climb maps a point up through the ancestors of its frame that are of its
// origin, all in one call when there are several. It returns how many of the
// chain's ancestors have answered; 0 leaves them all to the caller.
func (w *work) climb(ctx context.Context, chain []browser.FrameID, at browser.Point, what string) (ClimbReply, error) {
	head, n := w.frames.headOf(chain[0]), 0
	for n < len(chain)-1 && chain[n] != head {
		n++
	}
	if n < relayFrom-1 {
		return ClimbReply{}, nil
	}
	args := ClimbArgs{Own: string(head), X: at.X, Y: at.Y, For: what}
	for i := n - 1; i >= 0; i-- {
		args.Frames = append(args.Frames, InnerFrame{Frame: string(chain[i]), Parent: string(chain[i+1])})
	}
	replies, err := w.call(ctx, FrameCall{Frame: head, Op: opClimb, Args: args})
	if err != nil {
		return ClimbReply{}, err
	}
	got, err := decode[ClimbReply](replies[0])
	if err != nil || got.Asked > n {
		return ClimbReply{}, nil // asked one by one they tell why
	}
	return got, nil
}
