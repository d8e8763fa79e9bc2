package pageagent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// An agentFunc answers one op of a frame's agent; args is the op's Args.
type agentFunc func(ctx context.Context, args any) (any, error)

// fakeHost is a tab whose frames do what a test tells them to. It has one
// round-trip time, and writes down what was asked of it.
type fakeHost struct {
	t       *testing.T
	frames  []browser.Frame
	agents  map[browser.FrameID]map[string]agentFunc
	onKey   func(InputEvent) // called for each event of input
	onFiles func()
	// scripted: pages can tell its input from a person's.
	scripted bool
	rtt      time.Duration

	mu      sync.Mutex // guards what follows
	act     Activity
	more    chan struct{}
	log     []string // calls of Call, Input and Frames, in order
	batches [][]FrameCall
	next    map[browser.FrameID]int
	since   Since
	err     error // what every call answers
	watches int
}

// Untrusted implements Host.
func (h *fakeHost) Untrusted(browser.TabID) string {
	if h.scripted {
		return "full power would do"
	}
	return ""
}

func newFake(t *testing.T, frames ...browser.Frame) *fakeHost {
	h := &fakeHost{t: t, frames: append([]browser.Frame{{ID: "", Origin: "https://shop.example", URL: "https://shop.example/"}}, frames...),
		agents: make(map[browser.FrameID]map[string]agentFunc), more: make(chan struct{}), next: make(map[browser.FrameID]int),
		act: Activity{Doc: 4, URL: "https://shop.example/", Title: "Shop"}}
	for _, f := range h.frames {
		h.agents[f.ID] = map[string]agentFunc{
			opDisarm: func(context.Context, any) (any, error) { return None{}, nil },
			opObserve: func(context.Context, any) (any, error) {
				return ObserveReply{Quiet: 1e6, Hit: true}, nil
			},
			opDiff: func(context.Context, any) (any, error) { return DiffReply{}, nil },
			opAim: func(_ context.Context, args any) (any, error) {
				a := args.(AimArgs)
				if a.For == "record" {
					return AimReply{OK: true}, nil
				}
				if a.N == 0 {
					return AimReply{OK: true, X: a.X, Y: a.Y}, nil
				}
				return AimReply{OK: true, X: 10, Y: 20, Line: fmt.Sprintf("%se%d button \"Pay\"", a.Prefix, a.N), Box: Box{X: 5, Y: 15, Width: 10, Height: 10}}, nil
			},
		}
	}
	return h
}

// on makes a frame's agent answer an op with what f returns.
func on[A any](h *fakeHost, frame browser.FrameID, op string, f func(A) (any, error)) {
	h.agents[frame][op] = func(_ context.Context, args any) (any, error) { return f(args.(A)) }
}

// answers makes a frame's agent answer an op with the replies, one after the
// other, the last one for good.
func answers(h *fakeHost, frame browser.FrameID, op string, replies ...any) {
	n := 0
	h.agents[frame][op] = func(context.Context, any) (any, error) {
		r := replies[min(n, len(replies)-1)]
		n++
		if err, ok := r.(error); ok {
			return nil, err
		}
		return r, nil
	}
}

// do is what the tab does by itself: f changes what happened to it.
func (h *fakeHost) do(f func(*Activity)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f(&h.act)
	close(h.more)
	h.more = make(chan struct{})
}

func (h *fakeHost) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func (h *fakeHost) Frames(ctx context.Context, _ browser.TabID) ([]browser.Frame, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.act.Dialog != nil {
		return nil, &browser.Error{Code: browser.CodeDialogOpen, Msg: "a dialog is open"}
	}
	return slices.Clone(h.frames), ctx.Err()
}

func (h *fakeHost) Call(ctx context.Context, _ browser.TabID, calls []FrameCall) ([]FrameReply, error) {
	h.mu.Lock()
	h.batches = append(h.batches, slices.Clone(calls))
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = prefix(c.Frame) + c.Op
	}
	h.log = append(h.log, strings.Join(names, " "))
	since := h.since
	h.since = Since{}
	h.mu.Unlock()
	if err := sleep(ctx, nil, time.Now().Add(h.rtt)); err != nil {
		return nil, err
	}
	h.mu.Lock()
	err := h.err
	if h.act.Dialog != nil {
		err = &browser.Error{Code: browser.CodeDialogOpen, Msg: "a dialog is open"}
	}
	h.mu.Unlock()
	if err != nil {
		return nil, err
	}
	replies := make([]FrameReply, len(calls))
	for i, c := range calls {
		do := h.agents[c.Frame][c.Op]
		if do == nil {
			replies[i].Err = &browser.Error{Code: browser.CodeStaleRef, Msg: "the document is gone"}
			continue
		}
		out, err := do(ctx, c.Args)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			var e *browser.Error
			if asError(err, &e) {
				replies[i].Reply.Err = &Fault{Code: string(e.Code), Message: e.Msg, Hint: e.Hint}
			} else {
				replies[i].Err = err
			}
			continue
		}
		raw, err := json.Marshal(out)
		if err != nil {
			h.t.Error(err)
		}
		replies[i].Reply = Reply{OK: raw, Next: h.next[c.Frame], Since: since}
		since = Since{}
	}
	return replies, nil
}

func asError(err error, e **browser.Error) bool {
	known, ok := err.(*browser.Error)
	*e = known
	return ok
}

func (h *fakeHost) Input(ctx context.Context, _ browser.TabID, events []InputEvent) error {
	for _, e := range events {
		switch {
		case e.Mouse != nil:
			h.note("%s %g,%g", e.Mouse.Type, e.Mouse.X, e.Mouse.Y)
		case e.Carry != nil:
			h.note("%s %.0f,%.0f", e.Carry.Type, e.Carry.X, e.Carry.Y)
		case e.Key != nil:
			h.note("key %s %s", e.Key.Type, e.Key.Key)
		default:
			h.note("text %q", e.Text)
		}
		if h.onKey != nil {
			h.onKey(e)
		}
		h.mu.Lock()
		stop := h.act.Dialog != nil
		h.mu.Unlock()
		if stop {
			return nil
		}
	}
	return sleep(ctx, nil, time.Now().Add(h.rtt))
}

func (h *fakeHost) Attend(tab browser.TabID) Watch { return h.Watch(tab) }

func (h *fakeHost) Watch(browser.TabID) Watch {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watches++
	return (*fakeWatch)(h)
}

type fakeWatch fakeHost

func (w *fakeWatch) Activity() (Activity, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.act, w.more
}

func (w *fakeWatch) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watches--
}

// asked returns what was asked of the host so far, one line a call.
func (h *fakeHost) asked() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.log, "\n")
}

// count is how many calls of the log are the line.
func (h *fakeHost) count(line string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, l := range h.log {
		if l == line {
			n++
		}
	}
	return n
}

var everywhere = browser.Target{Tab: "t3", Origins: browser.AnyOrigin()}

// run does an op on the fake and checks that nothing was left open.
func runOp[T any](h *fakeHost, ctx context.Context, op browser.Op) (T, error) {
	h.t.Helper()
	var out T
	err := New(h, slog.New(slog.DiscardHandler)).Do(ctx, everywhere, op, &out)
	if h.watches != 0 {
		h.t.Errorf("%d watches are left open", h.watches)
	}
	return out, err
}

func observe(h *fakeHost, op browser.Op) (browser.Observation, error) {
	h.t.Helper()
	return runOp[browser.Observation](h, h.t.Context(), op)
}

func ref(t *testing.T, s string) browser.Ref {
	t.Helper()
	r, err := browser.ParseRef(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func at(t *testing.T, s string) browser.Spot { return browser.Spot{Ref: ref(t, s)} }

func wantCode(t *testing.T, err error, code browser.Code, words ...string) {
	t.Helper()
	if browser.CodeOf(err) != code {
		t.Fatalf("error is %v (%q), want code %q", err, browser.CodeOf(err), code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

func itoa(n int) string { return fmt.Sprint(n) }

func quoted(s string) string { return fmt.Sprintf("%q", s) }

func (h *fakeHost) Intercept(context.Context, browser.TabID) (Interception, error) {
	h.note("intercept")
	return (*fakeInterception)(h), nil
}

// fakeInterception hands over what the test has the page let go of.
type fakeInterception fakeHost

func (i *fakeInterception) Payload(context.Context) (*Payload, error) {
	return &Payload{Data: json.RawMessage("{}"), Types: []string{"text/plain"}}, nil
}

func (i *fakeInterception) Close() { (*fakeHost)(i).note("release") }

func (h *fakeHost) SetFiles(_ context.Context, _ browser.TabID, frame browser.FrameID, n int, paths []string) error {
	h.note("files %se%d %s", prefix(frame), n, strings.Join(paths, " "))
	if h.onFiles != nil {
		h.onFiles()
	}
	return nil
}

func (h *fakeHost) ChooserField(_ context.Context, _ browser.TabID, c Chooser, _ int) (int, error) {
	return int(c.Node), nil
}
