package link

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// parts are the frames of a tab that run in processes of their own, each with a
// session of the debugger. transport.mu guards it.
type parts struct {
	frames   map[string]string   // by session: the debugger's name of the frame
	within   map[string]bool     // sessions that tell of the parts within them; "" is the page's
	recorded map[string]*session // by the debugger's sessions: the driver's
	names    map[string]int64    // by the debugger's names of frames: the extension's
	setOut   []setOut            // documents that are to come, in order
	catching any                 // parameters by which choosers of files are kept from opening; nil: they open
}

// How long what is asked of all frames may take, for each of them: one that hangs
// holds up no other.
const (
	partMost  = 3 * time.Second
	catchMost = time.Second // for what every act needs
)

// partChanged notes that a part came or went. t.mu is held.
func (t *transport) partChanged(b *tab, d DebugEvent) {
	var p struct {
		Session string `json:"sessionId"`
		Target  string `json:"targetId"`
		Waits   bool   `json:"waitingForDebugger"`
	}
	if json.Unmarshal(d.Params, &p) != nil || p.Session == "" {
		return
	}
	a := b.debugging
	if p.Target == "" {
		delete(a.frames, p.Session)
		t.endRecord(b, p.Session)
		return
	}
	if a.frames == nil {
		a.frames = make(map[string]string)
	}
	a.frames[p.Session] = p.Target
	if t.record {
		t.recordPart(b, p.Session, d.Session, p.Target, p.Waits)
	}
	if catch := a.catching; catch != nil {
		t.spawn(func(ctx context.Context) { t.catchIn(ctx, b, p.Session, catch) })
	}
}

// followParts is the command that has a session tell of the parts within it.
const followParts = "Target.setAutoAttach"

// following is its parameters. What is recorded waits until it is.
func (t *transport) following() map[string]any {
	return map[string]any{"autoAttach": true, "waitForDebuggerOnStart": t.record, "flatten": true, "filter": []map[string]string{{"type": "iframe"}}}
}

// partsOf is the parts that a tab has now: the debugger's names of their frames,
// by session. The debugger is attached.
func (t *transport) partsOf(ctx context.Context, b *tab) map[string]string {
	for {
		t.mu.Lock()
		a := b.debugging
		if a == nil {
			t.mu.Unlock()
			return nil
		}
		if a.within == nil {
			a.within = make(map[string]bool)
		}
		out := make(map[string]string, len(a.frames))
		var unasked []string
		if !a.within[""] {
			unasked = []string{""}
		}
		for session, frame := range a.frames {
			out[session] = frame
			if !a.within[session] {
				unasked = append(unasked, session)
			}
		}
		for _, session := range unasked {
			a.within[session] = true
		}
		t.mu.Unlock()
		if len(unasked) == 0 {
			return out
		}
		each(ctx, catchMost, unasked, func(ctx context.Context, session string) {
			if _, err := t.commandIn(ctx, b, session, followParts, t.following()); err != nil {
				t.log.Debug("frames of other processes not told", "err", err)
			}
		})
	}
}

// each does something with all members at once, until a time is up.
func each[T any](ctx context.Context, most time.Duration, all []T, do func(context.Context, T)) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var group sync.WaitGroup
	for _, one := range all {
		group.Go(func() { do(ctx, one) })
	}
	group.Wait()
}

// pageFrame is a frame as the debugger has it.
type pageFrame struct{ session, id, url string }

// pageFrames lists the frames of a tab, the main frame first.
func (t *transport) pageFrames(ctx context.Context, b *tab) []pageFrame {
	sessions := []string{""}
	for session := range t.partsOf(ctx, b) {
		sessions = append(sessions, session)
	}
	var mu sync.Mutex
	trees := make(map[string][]pageFrame)
	each(ctx, partMost, sessions, func(ctx context.Context, session string) {
		raw, err := t.commandIn(ctx, b, session, "Page.getFrameTree", nil)
		var reply struct {
			Tree frameTree `json:"frameTree"`
		}
		if err == nil {
			err = json.Unmarshal(raw, &reply)
		}
		if err != nil {
			t.log.Debug("frames not told", "err", err)
			return
		}
		var list []pageFrame
		var walk func(frameTree)
		walk = func(n frameTree) {
			list = append(list, pageFrame{session, n.Frame.ID, n.Frame.URL + n.Frame.Fragment})
			for _, c := range n.Children {
				walk(c)
			}
		}
		walk(reply.Tree)
		mu.Lock()
		defer mu.Unlock()
		trees[session] = list
	})
	var out []pageFrame
	for _, session := range sessions {
		out = append(out, trees[session]...)
	}
	return out
}
