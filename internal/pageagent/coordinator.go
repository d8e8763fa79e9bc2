package pageagent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"drawbridge/internal/browser"
)

// A Coordinator does the ops that concern a page's content, over any Host. Its
// methods may be called concurrently, also for one tab.
type Coordinator struct {
	host Host
	log  *slog.Logger

	mu    sync.Mutex                          // guards following
	next  map[browser.TabID]int               // the first element number never given out in a tab's main frame
	asked map[browser.TabID][]browser.FrameID // documents that show a question to a person
}

// New returns a coordinator over h. A nil log drops what is logged.
func New(h Host, log *slog.Logger) *Coordinator {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Coordinator{host: h, log: log, next: make(map[browser.TabID]int), asked: make(map[browser.TabID][]browser.FrameID)}
}

// Do runs an op on a page's content and stores what it answers in result: a
// pointer to the type named in the op's comment, or nil. That the tab still
// shows to.Doc when Do begins is for the driver to check; a read that the next
// document overtakes is refused when to.Doc is set, and else made again.
func (c *Coordinator) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	switch op := op.(type) {
	case browser.Snapshot:
		return run(ctx, c, to, result, func(w *work) (*browser.Outline, error) { return w.snapshot(ctx, op) })
	case browser.ReadPage:
		return run(ctx, c, to, result, func(w *work) (*browser.Text, error) { return w.readPage(ctx, op) })
	case browser.Find:
		return run(ctx, c, to, result, func(w *work) (*browser.Found, error) { return w.find(ctx, op) })
	case browser.ListElements:
		return run(ctx, c, to, result, func(w *work) (*browser.Elements, error) { return w.listElements(ctx) })
	case browser.ContentStamp:
		return run(ctx, c, to, result, func(w *work) (*browser.Stamp, error) { return w.contentStamp(ctx) })
	case browser.ShowHint:
		return run(ctx, c, to, result, func(w *work) (*browser.Hinted, error) { return w.showHint(ctx, op) })
	case browser.WaitFor:
		return run(ctx, c, to, result, func(w *work) (*browser.Waited, error) { return w.waitFor(ctx, op) })
	case browser.Click:
		return run(ctx, c, to, result, func(w *work) (*browser.Observation, error) { return w.click(ctx, op) })
	case browser.Hover:
		return run(ctx, c, to, result, func(w *work) (*browser.Observation, error) { return w.hover(ctx, op) })
	case browser.Drag:
		return run(ctx, c, to, result, func(w *work) (*browser.Observation, error) { return w.drag(ctx, op) })
	case browser.Upload:
		return run(ctx, c, to, result, func(w *work) (*browser.Observation, error) { return w.upload(ctx, op) })
	case browser.Fill:
		return run(ctx, c, to, result, func(w *work) (*browser.Observation, error) { return w.fill(ctx, op) })
	case browser.PressKey:
		return run(ctx, c, to, result, func(w *work) (*browser.Observation, error) { return w.pressKey(ctx, op) })
	case browser.CallPageTool:
		return run(ctx, c, to, result, func(w *work) (*browser.PageToolAnswer, error) { return w.callToolForm(ctx, op) })
	case browser.Scroll:
		return run(ctx, c, to, result, func(w *work) (*browser.Observation, error) { return w.scroll(ctx, op) })
	}
	return &browser.Error{Code: browser.CodeInternal, Msg: fmt.Sprintf("%s is not an op on a page's content", op.OpName())}
}

// Forget drops what is kept about a tab that is gone.
func (c *Coordinator) Forget(tab browser.TabID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.next, tab)
	delete(c.asked, tab)
}

// first is the number that the main frame of tab gives out next.
func (c *Coordinator) first(tab browser.TabID) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(c.next[tab], 1)
}

// given notes that all numbers below next may be in use.
func (c *Coordinator) given(tab browser.TabID, next int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next[tab] = max(c.next[tab], next)
}

// run does one op: it gives do a work of its own and stores the answer.
func run[T any](ctx context.Context, c *Coordinator, to browser.Target, result any, do func(*work) (*T, error)) error {
	dst, ok := result.(*T)
	if !ok && result != nil {
		return &browser.Error{Code: browser.CodeInternal, Msg: fmt.Sprintf("the answer is a %T, not a %T", dst, result)}
	}
	w := c.begin(to)
	defer w.end(ctx)
	out, err := do(w)
	if err != nil {
		return err
	}
	if dst != nil {
		*dst = *out
	}
	return nil
}

// work is one op at work on a tab. It is used by one goroutine at a time,
// except ask and call, which any may use once the first call was made.
type work struct {
	c        *Coordinator
	to       browser.Target
	watch    Watch
	frames   frameSet
	armed    []browser.FrameID // frames whose guard may be armed
	landed   browser.Ref       // of what a press reached last
	choosing bool              // a chooser of files is expected, and answered
	given    bool              // input was
	recorded []browser.FrameID // frames whose changes are recorded, in tree order
	silent   bool              // the page was given something and has not answered since

	mu      sync.Mutex // guards since and counted
	since   browser.Since
	counted bool // the first call was made
}

func (c *Coordinator) begin(to browser.Target) *work {
	return &work{c: c, to: to, watch: c.host.Watch(to.Tab)}
}

const (
	disarmMost = 500 * time.Millisecond // that the end of an op waits for its guards
	postMost   = 20 * time.Millisecond  // the same, for a page that does what it is told when it answers again
)

// end closes the watch, and disarms guards that no look has disarmed, also
// when ctx has ended.
func (w *work) end(ctx context.Context) {
	w.watch.Close()
	if len(w.armed) == 0 {
		return
	}
	limit := disarmMost
	if w.silent {
		limit = postMost
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	calls := make([]FrameCall, 0, len(w.armed))
	for _, f := range w.armed {
		calls = append(calls, FrameCall{Frame: f, Op: opDisarm, Args: None{}})
	}
	w.armed, w.silent = nil, false
	if _, err := w.call(ctx, calls...); err != nil {
		w.c.log.Debug("page agent not disarmed", "tab", w.to.Tab, "err", err)
	}
}

// arm notes that the guards of frames may be armed.
func (w *work) arm(frames ...browser.FrameID) {
	for _, f := range frames {
		if !slices.Contains(w.armed, f) {
			w.armed = append(w.armed, f)
		}
	}
}

// lookUp finds the frames of the tab anew.
func (w *work) lookUp(ctx context.Context) error {
	list, err := w.c.host.Frames(ctx, w.to.Tab)
	if err != nil {
		return err
	}
	w.frames = newFrameSet(list, w.to.Origins)
	return nil
}

// Names of the agent's ops.
const (
	opSnapshot  = "snapshot"
	opText      = "text"
	opFind      = "find"
	opElements  = "elements"
	opStamp     = "stamp"
	opAim       = "aim"
	opThroughMe = "throughMe"
	opDisarm    = "disarm"
	opObserve   = "observe"
	opDiff      = "diff"
	opPrepare   = "prepare"
	opSetValue  = "setValue"
	opReadValue = "readValue"
	opFiles     = "files"
	opScroll    = "scroll"
	opCheck     = "check"
	opChanged   = "changed"
	opBoxes     = "boxes"
	opDescribe  = "describe"
	opRelay     = "relay"
	opClimb     = "climb"
	opArchive   = "archive"
	opVeil      = "veil"
	opPose      = "pose"
	opHear      = "hear"
	opWithdraw  = "withdraw"
	opYield     = "yield"
	opGuarded   = "guarded"
	opHint      = "hint"
	opUnhint    = "unhint"
)

// call asks agents, all at once.
func (w *work) call(ctx context.Context, calls ...FrameCall) ([]FrameReply, error) {
	if w.silent {
		return nil, errSilent
	}
	for i := range calls {
		calls[i].First = 1
		if calls[i].Frame == "" {
			calls[i].First = w.c.first(w.to.Tab)
		}
	}
	replies, err := w.exchange(ctx, calls)
	if err != nil {
		return nil, err
	}
	if len(replies) != len(calls) {
		return nil, miscounted(len(replies), len(calls))
	}
	next, since := 0, browser.Since{}
	for i, r := range replies {
		if calls[i].Frame == "" {
			next = max(next, r.Reply.Next)
		}
		since.Added += r.Reply.Since.Added
		since.Removed += r.Reply.Since.Removed
		if r.Reply.Err != nil {
			r.Reply.Err.Message = inFrame(calls[i].Frame, r.Reply.Err.Message)
		}
	}
	w.c.given(w.to.Tab, next)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.counted {
		w.since, w.counted = since, true
	}
	return replies, nil
}

func miscounted(answers, calls int) error {
	return &browser.Error{Code: browser.CodeInternal, Msg: fmt.Sprintf("%d answers to %d calls", answers, calls)}
}

// counts is what changed in the page before the op's first call.
func (w *work) counts() browser.Since {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.since
}

// ask makes one call.
func ask[T any](ctx context.Context, w *work, frame browser.FrameID, op string, args any) (T, error) {
	replies, err := w.call(ctx, FrameCall{Frame: frame, Op: op, Args: args})
	if err != nil {
		var none T
		return none, err
	}
	return decode[T](replies[0])
}

// decode reads the reply of an agent, or the error of the agent or its frame.
func decode[T any](r FrameReply) (T, error) {
	var out T
	switch {
	case r.Err != nil:
		return out, r.Err
	case r.Reply.Err != nil:
		return out, r.Reply.Err.error()
	case len(r.Reply.OK) == 0:
		return out, nil
	}
	if err := json.Unmarshal(r.Reply.OK, &out); err != nil {
		return out, fmt.Errorf("answer of the page agent: %w", err)
	}
	return out, nil
}

// Decode reads what an agent answered to an op that was not the coordinator's;
// out is the op's Reply, or nil.
func Decode(answer []byte, out any) error {
	var reply Reply
	if err := json.Unmarshal(answer, &reply); err != nil {
		return err
	}
	switch {
	case reply.Err != nil:
		return reply.Err.error()
	case out == nil || len(reply.OK) == 0:
		return nil
	}
	return json.Unmarshal(reply.OK, out)
}

// error makes an error of what the agent said; a code that is not in the
// closed list counts as a fault of the agent itself.
func (f *Fault) error() error {
	code := browser.Code(f.Code)
	if !slices.Contains(browser.Codes, code) {
		code = browser.CodeInternal
	}
	return &browser.Error{Code: code, Msg: f.Message, Hint: f.Hint}
}

// steady makes a read over the frames of one main document: when another
// document came meanwhile it is made again, or refused if the caller named the
// document.
func steady[T any](ctx context.Context, w *work, read func() (*T, error)) (*T, error) {
	const tries = 3
	for try := 1; ; try++ {
		before, _ := w.watch.Activity()
		out, err := (*T)(nil), w.lookUp(ctx)
		if err == nil {
			out, err = read()
		}
		after, _ := w.watch.Activity()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case after.Doc == before.Doc:
			return out, err
		case w.to.Doc != 0 && after.Doc != w.to.Doc:
			return nil, movedError(after, "nothing was read")
		case try == tries:
			return nil, &browser.Error{Code: browser.CodeTimeout, Msg: "the page went from one document to the next while it was read",
				Hint: "use wait_for until it rests, then read again"}
		}
	}
}

// goneError tells that the tab or its page is gone, in the host's words if it
// has any.
func (w *work) goneError(ctx context.Context, why string) error {
	if err := w.lookUp(ctx); err != nil {
		return err
	}
	return &browser.Error{Code: browser.CodeUnknownTab, Msg: "the tab's page is gone: " + why, Hint: "list_tabs shows what is open"}
}

// movedError tells that the tab shows another document now.
func movedError(now Activity, done string) error {
	return &browser.Error{Code: browser.CodeStaleDocument, Msg: fmt.Sprintf("the tab moved on to document %d, %s; %s", now.Doc, now.URL, done),
		Hint: "take a snapshot of the new document"}
}

// sleep waits until the time, until more is closed, or for ctx's error. A nil
// channel never closes.
func sleep(ctx context.Context, more <-chan struct{}, until time.Time) error {
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-more:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
