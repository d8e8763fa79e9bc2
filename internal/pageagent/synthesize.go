package pageagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"drawbridge/internal/browser"
)

const (
	opInput     = "input"
	opStash     = "stash"
	opGiveFiles = "giveFiles"
)

// Asking has the agent of a frame's document do an op: args is the op's Args
// struct, reply a pointer to its Reply struct, or nil. A fault of the agent is a
// *browser.Error.
type Asking func(ctx context.Context, frame browser.FrameID, op string, args, reply any) error

// framesDeep is how deep in each other the frames are that input is followed
// into.
const framesDeep = 20

// Synthesize gives a page events of input by script, in whatever frames they
// go to. The page can tell them from a person's. It is for where no trusted
// input is to be had. Opens are the tabs that the page wants for it, which no
// script can open.
func Synthesize(ctx context.Context, ask Asking, events []InputEvent) (opens []Opening, err error) {
	s := synthesis{ask: ask}
	given := make([]Given, len(events))
	for i, e := range events {
		if given[i], err = s.given(e); err != nil {
			return nil, err
		}
	}
	for len(given) > 0 {
		way, err := s.in(ctx, "", given, 0)
		if err != nil {
			return s.opens, err
		}
		given = given[way.done:]
	}
	return s.opens, nil
}

type synthesis struct {
	ask    Asking
	files  []string        // that are carried
	source browser.FrameID // where what is carried was lifted
	lifted bool            // it was, and not files
	opens  []Opening
}

// given is an event as the agent takes it.
func (s *synthesis) given(e InputEvent) (Given, error) {
	switch {
	case e.Mouse != nil:
		m := MouseGiven(*e.Mouse)
		return Given{Mouse: &m}, nil
	case e.Key != nil:
		k := KeyGiven(*e.Key)
		return Given{Key: &k}, nil
	case e.Carry != nil:
		c := e.Carry
		out := &CarryGiven{Type: c.Type, X: c.X, Y: c.Y, Modifiers: c.Modifiers}
		switch {
		case c.Payload == nil:
		case c.Payload.Files != nil:
			s.files, out.Files = c.Payload.Files, len(c.Payload.Files)
		default:
			out.Data = new(Carried)
			if err := json.Unmarshal(c.Payload.Data, out.Data); err != nil {
				return Given{}, fmt.Errorf("what is carried: %w", err)
			}
			s.source, s.lifted = c.Payload.From, true
		}
		return Given{Carry: out}, nil
	}
	return Given{Text: e.Text}, nil
}

// way is how far events got in a frame.
type way struct {
	done int
	tab  int // the last of them moved the focus out of the frame, as in InputReply
}

// in gives events to a frame: all, or up to one that moves the focus out of it.
func (s *synthesis) in(ctx context.Context, frame browser.FrameID, events []Given, depth int) (way, error) {
	done, stashed := 0, false
	for done < len(events) {
		rest := events[done:]
		var got InputReply
		if err := s.ask(ctx, frame, opInput, InputArgs{Events: rest}, &got); err != nil {
			return way{}, err
		}
		if got.Done < 0 || got.Done > len(rest) {
			return way{}, errors.New("the page agent tells of input that was not given")
		}
		done += got.Done
		s.opens = append(s.opens, got.Opens...)
		if err := s.follow(ctx, frame, rest[:got.Done], got); err != nil {
			return way{}, err
		}
		inner := browser.FrameID(got.Frame)
		switch {
		case got.Wants && !stashed:
			stashed = true
			if err := stash(ctx, s.ask, frame, s.files); err != nil {
				return way{}, err
			}
		case got.Tab != 0 && inner == "":
			return way{done, got.Tab}, nil
		case got.Tab != 0:
			tab, err := s.enter(ctx, frame, inner, got.Tab, depth)
			if err != nil || tab != 0 {
				return way{done, tab}, err
			}
		case got.Lost:
			return way{}, &browser.Error{Code: browser.CodeNotActionable, Msg: "what is there lies in a frame that is not ready", Hint: "wait a moment, then repeat"}
		case inner != "" && depth < framesDeep && done < len(events):
			went, err := s.inner(ctx, frame, inner, events[done:], got, depth)
			if done += went.done; err != nil || went.tab != 0 {
				return way{done, went.tab}, err
			}
		case got.Done == 0:
			return way{}, errors.New("the page agent does not go on with input")
		}
	}
	return way{done: done}, nil
}

// inner gives to a child frame the events from the first on that go there with
// it, and tells how far they got.
func (s *synthesis) inner(ctx context.Context, frame, child browser.FrameID, events []Given, at InputReply, depth int) (way, error) {
	n := 1
	for n < len(events) && alike(events[0], events[n]) {
		n++
	}
	moved := make([]Given, n)
	for i, g := range events[:n] {
		switch {
		case g.Mouse != nil:
			m := *g.Mouse
			m.X, m.Y = at.X, at.Y
			g.Mouse = &m
		case g.Carry != nil:
			c := *g.Carry
			c.X, c.Y = at.X, at.Y
			g.Carry = &c
		}
		moved[i] = g
	}
	went, err := s.in(ctx, child, moved, depth+1)
	if err == nil && went.tab != 0 {
		went.tab, err = s.onward(ctx, frame, child, went.tab, depth)
	}
	return went, err
}

// alike tells whether b goes to the document that a goes to.
func alike(a, b Given) bool {
	if a.Mouse != nil && b.Mouse != nil {
		return a.Mouse.X == b.Mouse.X && a.Mouse.Y == b.Mouse.Y
	}
	return a.Mouse == nil && a.Carry == nil && b.Mouse == nil && b.Carry == nil
}

// enter has the focus go into a child frame, and on from there when nothing in
// it takes it; out tells that it left this frame too.
func (s *synthesis) enter(ctx context.Context, frame, child browser.FrameID, tab, depth int) (out int, err error) {
	if depth >= framesDeep {
		return 0, nil
	}
	went, err := s.in(ctx, child, []Given{{Tab: &TabGiven{Back: tab < 0}}}, depth+1)
	if err != nil || went.tab == 0 {
		return 0, err
	}
	return s.onward(ctx, frame, child, tab, depth+1)
}

// onward has the focus go on after a child frame; out tells that it left this
// frame too.
func (s *synthesis) onward(ctx context.Context, frame, child browser.FrameID, tab, depth int) (out int, err error) {
	went, err := s.in(ctx, frame, []Given{{Tab: &TabGiven{From: string(child), Back: tab < 0}}}, depth)
	return went.tab, err
}

// follow has other documents hear of what happened in one: that the mouse left
// them, and where a drag ended.
func (s *synthesis) follow(ctx context.Context, frame browser.FrameID, done []Given, got InputReply) error {
	if got.Left != "" {
		left := Given{Mouse: &MouseGiven{Type: "leave"}}
		if s.lifted || s.files != nil {
			left = Given{Carry: &CarryGiven{Type: "leave"}}
		}
		// Its document may have gone, which is no loss.
		_ = s.ask(ctx, browser.FrameID(got.Left), opInput, InputArgs{Events: []Given{left}}, nil)
	}
	if len(done) == 0 || !s.lifted || s.source == frame {
		return nil
	}
	if last := done[len(done)-1].Carry; last != nil && (last.Type == "drop" || last.Type == "cancel") {
		end := Given{Carry: &CarryGiven{Type: "end", X: last.X, Y: last.Y, Effect: got.Effect}}
		_ = s.ask(ctx, s.source, opInput, InputArgs{Events: []Given{end}}, nil)
	}
	return nil
}
