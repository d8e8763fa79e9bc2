package pageagent

import (
	"context"
	"slices"
	"time"

	"drawbridge/internal/browser"
)

// How long the consequences of an act are waited for.
const (
	quietTime   = 100 * time.Millisecond // without a change or a new request
	changesMost = time.Second            // that a page's own changes hold an act up
	unseenMost  = 400 * time.Millisecond // that anything at all is waited for
	openMost    = 3 * time.Second        // that what the act started holds it up
	briefMost   = time.Second            // that a look takes when nothing is to be waited for
	followMost  = 10 * time.Second       // that a navigation is followed
	titleMost   = 30 * time.Millisecond  // that the title of a ready document is waited for
	slack       = time.Millisecond       // clocks of page and program are not read at once
)

// looked is what the page showed of an act. Hit and blocked add up over looks.
type looked struct {
	hit      bool
	dropped  bool   // data was dropped on the page
	blocked  string // what the input went to instead; it was swallowed
	quiet    time.Duration
	diffs    []DiffReply       // of the frames that answered
	complete bool              // every frame that was recorded answered
	replaced []browser.FrameID // frames that show another document now
	answered []browser.FrameID // frames that told how they fare
	field    browser.Ref       // of the file field for which input by script asked a chooser
	unheard  bool              // the element's document answers and heard of no press or movement
	since    time.Time         // of the input
}

// missed tells that nothing of the input reached the page.
func (l *looked) missed() bool { return l.blocked != "" && !l.hit }

// listed tells that lines changed.
func (l *looked) listed() bool {
	for _, d := range l.diffs {
		if len(d.Added)+len(d.Removed)+len(d.Updated)+d.TooLarge > 0 {
			return true
		}
	}
	return false
}

// settle waits for the consequences of input that has just been given, and
// looks at the page. When a dialog, a navigation or the end of the page comes
// between, there is nothing to look at: the watch has it.
func (w *work) settle(ctx context.Context, how browser.Settle) (looked, error) {
	now := time.Now()
	s := settling{work: w, how: how, quiet: quietTime, last: now, seen: looked{since: now}}
	if how.Quiet > 0 {
		s.quiet = how.Quiet
	}
	extra := max(0, s.quiet-quietTime)
	s.limit, s.openLimit, s.followLimit = now.Add(changesMost+extra), now.Add(openMost+extra), now.Add(followMost)
	if end, ok := ctx.Deadline(); ok {
		end = end.Add(-waitReserve)
		s.limit, s.openLimit, s.followLimit = earlier(s.limit, end), earlier(s.openLimit, end), earlier(s.followLimit, end)
	}
	err := s.run(ctx)
	return s.seen, err
}

// settling is a settle under way.
type settling struct {
	*work
	how         browser.Settle
	quiet       time.Duration // that ends it
	last        time.Time     // when something last happened
	limit       time.Time     // for the page's own changes
	openLimit   time.Time     // for what the act started
	followLimit time.Time     // for a navigation
	wasOpen     bool          // a request was open
	looks       int
	patient     bool // it waited for anything at all
	seen        looked
}

func (s *settling) run(ctx context.Context) error {
	for {
		act, more := s.watch.Activity()
		switch {
		case act.Gone != "" || act.Dialog != nil || s.silent:
			return nil
		case (act.Committed || act.Navigating) && s.how.None:
			return nil
		case act.Committed || act.Navigating:
			if ended, err := s.follow(ctx, s.followLimit); err != nil || ended {
				return err
			}
			s.last = time.Now()
			continue
		}
		if due := s.due(act); time.Now().Before(due) {
			if err := sleep(ctx, more, due); err != nil {
				return err
			}
			continue
		}
		if err := s.look(ctx, &s.seen, s.how.None); err != nil || s.how.None || s.seen.missed() {
			return err
		}
		if s.looks++; s.interrupted() {
			continue
		}
		now := time.Now()
		s.last = later(s.last, now.Add(-s.seen.quiet))
		if s.last.Add(s.quiet).After(now.Add(slack)) && now.Before(s.limit) {
			continue
		}
		patience := earlier(s.seen.since.Add(unseenMost), s.limit)
		if s.patient || !now.Before(patience) || !s.nothing() {
			return nil
		}
		// It may show only after a while, as what comes of a timer: who is told
		// of no effect is likely to act again.
		s.patient = true
		_, more = s.watch.Activity()
		if err := sleep(ctx, more, patience); err != nil {
			return err
		}
	}
}

// nothing tells that the page got the input and nothing came of it so far.
func (s *settling) nothing() bool {
	act, _ := s.watch.Activity()
	if !s.seen.hit || !s.seen.complete || s.how.Quiet > 0 || act.SameDoc || act.Chooser != nil || len(act.Opened)+len(act.Downloads)+len(s.seen.replaced) > 0 {
		return false
	}
	return !slices.ContainsFunc(s.seen.diffs, func(d DiffReply) bool { return d.Changed })
}

// due is when there is reason to look at the page, as far as is known.
func (s *settling) due(act Activity) time.Time {
	now := time.Now()
	switch {
	case s.how.None:
		return now
	case act.OpenRequests > 0 && now.Before(s.openLimit):
		s.wasOpen = true
		return s.openLimit
	case s.wasOpen: // what it brought may still be at work
		s.wasOpen, s.last = false, now
		s.limit = earlier(later(s.limit, now.Add(2*s.quiet)), s.openLimit)
	}
	s.last = later(s.last, act.LastRequest)
	quiet := s.quiet
	if s.looks == 0 {
		quiet = min(quiet, quietTime) // a click that missed is tried again soon
	}
	return earlier(s.last.Add(quiet), s.limit)
}

// interrupted tells that a dialog, a navigation or the page's end came between.
func (w *work) interrupted() bool {
	act, _ := w.watch.Activity()
	return act.Gone != "" || act.Dialog != nil || act.Committed || act.Navigating
}

// follow waits until the navigation that is under way has brought its document
// or come to nothing; ended tells that there is no need to look any more: the
// document is ready, a dialog opened, the page is gone or the time is over.
func (w *work) follow(ctx context.Context, end time.Time) (ended bool, err error) {
	for {
		act, more := w.watch.Activity()
		switch there := act.Committed && act.Ready && !act.Navigating; {
		case act.Gone != "" || act.Dialog != nil || there && act.Title != "":
			return true, nil
		case there: // its title is told a moment later, if it has one
			end = earlier(end, time.Now().Add(titleMost))
		case !act.Committed && !act.Navigating:
			return false, nil
		}
		if !time.Now().Before(end) {
			return true, nil
		}
		if err := sleep(ctx, more, end); err != nil {
			return true, err
		}
	}
}

// look asks the frames whose changes are recorded how the page fares and what
// changed, and disarms their guards. A frame that does not answer, because its
// document went, makes the look incomplete; ctx's end is the only error. A brief
// look does not wait for a page that is busy, or about to be left.
func (w *work) look(ctx context.Context, seen *looked, brief bool) error {
	seen.diffs, seen.replaced, seen.answered, seen.complete, seen.quiet = nil, nil, nil, len(w.recorded) > 0, time.Since(seen.since)
	var calls []FrameCall
	for _, f := range w.recorded {
		calls = append(calls, FrameCall{Frame: f, Op: opObserve, Args: None{}},
			FrameCall{Frame: f, Op: opDiff, Args: DiffArgs{Prefix: prefix(f), Budget: diffLines}})
	}
	asked := len(calls)
	armed := w.armed
	for _, f := range armed {
		calls = append(calls, FrameCall{Frame: f, Op: opDisarm, Args: None{}})
	}
	if asked == 0 {
		return ctx.Err()
	}
	w.armed = nil
	looking, cancel := before(ctx, lookReserve)
	defer cancel()
	if brief {
		looking, cancel = context.WithTimeout(looking, briefMost)
		defer cancel()
	}
	replies, err := w.call(looking, calls...)
	if err != nil {
		w.armed = armed
		seen.complete = false
		if !w.interrupted() {
			w.fellSilent(ctx, looking, nil)
		}
		if ctx.Err() == nil {
			w.c.log.Debug("page not looked at", "tab", w.to.Tab, "err", err)
		}
		return ctx.Err()
	}
	for i := 0; i < asked; i += 2 {
		state, err := decode[ObserveReply](replies[i])
		if err != nil {
			seen.complete = false
			if f := w.recorded[i/2]; f != "" && browser.CodeOf(err) == browser.CodeStaleRef {
				seen.replaced = append(seen.replaced, f)
			}
			continue
		}
		seen.note(w.recorded[i/2], state)
		diff, err := decode[DiffReply](replies[i+1])
		if err != nil {
			seen.complete = false
			continue
		}
		seen.diffs = append(seen.diffs, diff)
	}
	return nil
}

// arrived counts input as having reached the page where no guard can tell, but
// only when every frame was looked at: else it may have changed one of the
// others.
func (w *work) arrived(seen *looked) {
	seen.hit = seen.complete && len(w.recorded) == len(w.frames.readable())
}

// note adds what one frame observed.
func (l *looked) note(frame browser.FrameID, state ObserveReply) {
	l.answered = append(l.answered, frame)
	l.hit = l.hit || state.Hit
	l.dropped = l.dropped || state.Dropped
	if l.blocked == "" {
		l.blocked = state.Blocked
	}
	if state.Chooser != 0 {
		l.field = browser.Ref{Frame: frame, N: state.Chooser}
	}
	l.quiet = min(l.quiet, time.Duration(state.Quiet*float64(time.Millisecond)))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
