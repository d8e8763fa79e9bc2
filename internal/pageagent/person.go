package pageagent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"drawbridge/internal/browser"
)

const (
	askBeat   = time.Second            // at least so often a question is asked after
	loginCalm = 700 * time.Millisecond // that no field for a password is seen before a login counts as done
	poseMost  = 5                      // times that a question is shown again in one document
	takeAway  = time.Second            // that its end waits for the page
)

// asking is a question to a person, and what became of it.
type asking struct {
	*work
	op    browser.AskPerson
	id    string
	began time.Time
	what  string // is marked, in words

	doc    int               // that shows it
	poses  int               // times that it was shown there
	shown  []browser.FrameID // documents that tell of it, that with the card first
	seqs   map[browser.FrameID]int
	lost   bool // what was marked is gone
	logins login
}

// login is what was seen of the fields of a login.
type login struct {
	origin browser.Origin
	path   string
	met    bool      // a field for a password or code was seen
	clear  time.Time // since when none is; zero: one is
}

// AskPerson shows a question by the name of id until it is answered, the tab
// closes or leaves for where it may not be asked, or ctx ends, and tells how it
// ended. It is shown anew in the documents that follow.
func (c *Coordinator) AskPerson(ctx context.Context, to browser.Target, id string, op browser.AskPerson) (*browser.Asked, error) {
	w := &work{c: c, to: to, watch: c.host.Attend(to.Tab)}
	defer w.end(ctx)
	a := &asking{work: w, op: op, id: id, began: time.Now(), what: "it", seqs: make(map[browser.FrameID]int)}
	act, _ := w.watch.Activity()
	a.logins.origin, a.logins.path = originAndPath(act.URL)
	if act.Gone != "" {
		return nil, w.goneError(ctx, act.Gone)
	}
	defer a.withdraw(ctx)
	if err := a.pose(ctx); err != nil {
		return nil, err
	}
	out, err := a.wait(ctx)
	if err != nil {
		return nil, err
	}
	a.withdraw(ctx)
	out.ID, out.Millis = id, time.Since(a.began).Milliseconds()
	if a.lost {
		out.Notes = append(out.Notes, "what was marked is not on the page any more")
	}
	if out.End == browser.AskDone || out.End == browser.AskInPage || out.End == browser.AskCannot {
		err = a.observe(ctx, out)
	}
	return out, err
}

// pose shows the question in the document that is there now. Only in the first
// one there is what is to be marked.
func (a *asking) pose(ctx context.Context) error {
	if err := a.lookUp(ctx); err != nil {
		return err
	}
	if err := a.permitMain(); err != nil {
		return err
	}
	act, _ := a.watch.Activity()
	at, chain := a.op.At, []browser.FrameID{""}
	first := a.doc == 0
	if act.Doc != a.doc {
		a.doc, a.poses = act.Doc, 0
	}
	a.poses++
	if !first && act.Committed {
		at = browser.Spot{}
	}
	if !at.Ref.IsZero() {
		if _, err := a.frames.of(at.Ref); err != nil {
			return err
		}
		chain = a.frames.chain(at.Ref.Frame)
	}
	if first {
		if err := a.sameView(ctx, at.Seen); err != nil {
			return err
		}
		if err := a.record(ctx, at, chain); err != nil {
			return err
		}
	}
	main := PoseArgs{ID: a.id, Kind: string(a.op.Kind), Card: cardOf(a.op, !at.IsZero())}
	calls := make([]FrameCall, 0, 2)
	switch {
	case at.Point != nil:
		main.Point, main.X, main.Y = true, at.Point.X, at.Point.Y
	case at.Ref.IsZero():
	case at.Ref.Frame == "":
		main.N = at.Ref.N
	default:
		main.Frame = string(chain[len(chain)-2])
		calls = append(calls, FrameCall{Frame: at.Ref.Frame, Op: opPose, Args: PoseArgs{ID: a.id, Kind: string(a.op.Kind), N: at.Ref.N}})
	}
	calls = append([]FrameCall{{Op: opPose, Args: main}}, calls...)
	replies, err := a.call(ctx, calls...)
	if err != nil {
		return err
	}
	a.shown = nil
	for i, r := range replies {
		if _, err := decode[None](r); err != nil {
			if browser.CodeOf(err) == browser.CodeStaleRef && !at.Ref.IsZero() {
				return staleError(at.Ref)
			}
			return err
		}
		a.shown = append(a.shown, calls[i].Frame)
	}
	clear(a.seqs)
	a.c.ask(a.to.Tab, a.shown)
	return nil
}

// record begins the record of changes, and learns what is marked.
func (a *asking) record(ctx context.Context, at browser.Spot, chain []browser.FrameID) error {
	a.recorded = a.concerned(chain)
	var calls []FrameCall
	for _, f := range a.recorded {
		calls = append(calls, FrameCall{Frame: f, Op: opAim, Args: AimArgs{Prefix: prefix(f), For: "record"}})
	}
	if !at.Ref.IsZero() {
		f := at.Ref.Frame
		calls = append(calls, FrameCall{Frame: f, Op: opDescribe, Args: DescribeArgs{Prefix: prefix(f), N: at.Ref.N}})
	}
	replies, err := a.call(ctx, calls...)
	if err != nil || at.Ref.IsZero() {
		return err
	}
	got, err := decode[DescribeReply](replies[len(replies)-1])
	if browser.CodeOf(err) == browser.CodeStaleRef {
		return staleError(at.Ref)
	}
	a.what = headline(got.Line)
	return err
}

// wait is over when the question is.
func (a *asking) wait(ctx context.Context) (*browser.Asked, error) {
	for {
		act, more := a.watch.Activity()
		beat := time.Now().Add(askBeat)
		switch {
		case act.Gone != "":
			return &browser.Asked{End: browser.AskClosed, Why: act.Gone}, nil
		case act.Dialog != nil, act.Doc != a.doc && !act.Ready: // nothing can be shown now
			if err := sleep(ctx, more, beat); err != nil {
				return nil, err
			}
			continue
		case act.Doc != a.doc || len(a.shown) == 0:
			if end, err := a.poseAgain(ctx, more); end != nil || err != nil {
				return end, err
			}
			continue
		}
		if a.op.Kind == browser.AskLogin {
			if why := a.loggedIn(ctx, act); why != "" {
				return &browser.Asked{End: browser.AskInPage, Why: why}, nil
			}
			if !a.logins.clear.IsZero() {
				beat = time.Now().Add(loginCalm)
			}
		}
		news, err := a.hear(ctx, more, beat)
		if err != nil {
			return nil, err
		}
		for _, n := range news {
			if end := a.take(n); end != nil {
				return end, nil
			}
		}
	}
}

// poseAgain shows the question in the next document, or says how it ended with
// the one before. A document that is going is none to show it in.
func (a *asking) poseAgain(ctx context.Context, more <-chan struct{}) (*browser.Asked, error) {
	a.shown = nil
	if act, _ := a.watch.Activity(); act.Doc == a.doc && a.poses >= poseMost {
		return &browser.Asked{End: browser.AskRemoved, Why: "the page takes the question away each time that it is shown"}, nil
	}
	err := a.pose(ctx)
	switch {
	case err == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case browser.CodeOf(err) == browser.CodeOriginChanged:
		return &browser.Asked{End: browser.AskLeft, Why: err.Error()}, nil
	case browser.CodeOf(err) == browser.CodeStaleRef && !a.op.At.IsZero():
		a.op.At, a.lost = browser.Spot{}, true
		return nil, nil
	}
	return nil, sleep(ctx, more, time.Now().Add(askBeat))
}

// heard is news of the question from one document.
type heard struct {
	frame browser.FrameID
	HearReply
	err error
}

// gone tells that the document is.
func (h heard) gone() bool { return browser.CodeOf(h.err) == browser.CodeStaleRef }

// hear waits for news of the question until something else happens to the tab
// or the time is there. No news are lost between two waits, since they are
// numbered.
func (a *asking) hear(ctx context.Context, more <-chan struct{}, end time.Time) ([]heard, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	news := make(chan heard, len(a.shown))
	for _, f := range a.shown {
		go func() {
			got, err := ask[HearReply](waiting, a.work, f, opHear, HearArgs{ID: a.id, Seq: max(a.seqs[f], 1)})
			news <- heard{f, got, err}
		}()
	}
	var out []heard
	t := time.NewTimer(time.Until(end))
	defer t.Stop()
	select {
	case n := <-news:
		out = append(out, n)
	case <-more:
	case <-t.C:
	case <-ctx.Done():
	}
	failed := len(out) > 0 && out[0].err != nil
	cancel()
	for got := len(out); got < len(a.shown); got++ {
		if n := <-news; n.err == nil { // the others were only cancelled
			out = append(out, n)
		}
	}
	if failed { // the next document, or a dialog, may be on its way
		return out, sleep(ctx, more, time.Now().Add(askBeat/4))
	}
	return out, ctx.Err()
}

// take takes in news, and says how the question ended if it did.
func (a *asking) take(n heard) *browser.Asked {
	if n.Seq > 0 {
		a.seqs[n.frame] = n.Seq
	}
	switch {
	case n.gone() && n.frame != "": // the frame with what is marked
		a.lost = true
		a.shown = slices.DeleteFunc(a.shown, func(f browser.FrameID) bool { return f == n.frame })
	case n.gone(), n.Gone:
		a.shown = nil // shown again, if the document is still there
	case n.Answer == "done":
		return &browser.Asked{End: browser.AskDone}
	case n.Answer == "cannot":
		return &browser.Asked{End: browser.AskCannot, Note: n.Note}
	case n.Did != "":
		return &browser.Asked{End: browser.AskInPage, Why: deedOf(n.Did, a.what)}
	case n.Fought:
		return &browser.Asked{End: browser.AskRemoved, Why: "the page takes the question away each time that it is shown"}
	}
	a.lost = a.lost || n.Lost
	return nil
}

// loggedIn says what tells of a login that is done; "" when nothing does. Fields
// for passwords and codes must have been seen first: a login that has none is
// for the person to end.
func (a *asking) loggedIn(ctx context.Context, act Activity) string {
	l := &a.logins
	if act.Navigating || a.lookUp(ctx) != nil {
		l.clear = time.Time{}
		return ""
	}
	frames := a.frames.readable()
	calls := make([]FrameCall, len(frames))
	for i, f := range frames {
		calls[i] = FrameCall{Frame: f, Op: opGuarded, Args: None{}}
	}
	replies, err := a.call(ctx, calls...)
	if err != nil {
		l.clear = time.Time{}
		return ""
	}
	fields := 0
	for _, r := range replies {
		if got, err := decode[GuardedReply](r); err == nil {
			fields += got.Fields
		}
	}
	now := time.Now()
	switch {
	case fields > 0:
		l.met, l.clear = true, time.Time{}
	case l.met && l.clear.IsZero():
		l.clear = now
	case l.met && now.Sub(l.clear) >= loginCalm:
		why := "no field for a password or code is seen any more"
		if origin, path := originAndPath(act.URL); origin != l.origin || path != l.path {
			why += fmt.Sprintf(", and the tab is at %s%s now", origin, path)
		}
		return why
	}
	return ""
}

// observe tells what changed since the question was shown. What a login leaves
// of its page is only counted: it is the person's.
func (a *asking) observe(ctx context.Context, out *browser.Asked) error {
	seen, err := a.settle(ctx, browser.Settle{})
	if err != nil {
		return err
	}
	a.arrived(&seen)
	o := a.observation("", seen)
	if a.op.Kind == browser.AskLogin {
		if n := len(o.Added) + len(o.Removed) + len(o.Updated) + o.TooLarge; n > 0 {
			o.Notes = append(o.Notes, fmt.Sprintf("the page of the login changed in %d places", n))
		}
		o.Added, o.Removed, o.Updated, o.TooLarge = nil, nil, nil, 0
	}
	out.Seen = o
	return nil
}

// withdraw takes the question away, also when ctx has ended.
func (a *asking) withdraw(ctx context.Context) {
	if a.shown == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeAway)
	defer cancel()
	calls := make([]FrameCall, 0, len(a.shown))
	for _, f := range a.shown {
		calls = append(calls, FrameCall{Frame: f, Op: opWithdraw, Args: QuestionArgs{ID: a.id}})
	}
	a.shown = nil
	a.c.ask(a.to.Tab, nil)
	if _, err := a.call(ctx, calls...); err != nil {
		a.c.log.Debug("question not taken away", "tab", a.to.Tab, "err", err)
	}
}
