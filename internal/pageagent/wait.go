package pageagent

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"drawbridge/internal/browser"
)

const (
	waitMost  = 30 * time.Second       // when the op names no timeout
	recheck   = 250 * time.Millisecond // at least so often a condition is tested
	breath    = 25 * time.Millisecond  // from a change to the test
	watchMost = 8                      // frames that report changes; others are only tested again
)

var waitStates = []string{"visible", "hidden", "enabled", "disabled", "checked", "unchecked", "gone"}

func (w *work) waitFor(ctx context.Context, op browser.WaitFor) (*browser.Waited, error) {
	what, err := condition(op)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if op.For > 0 {
		if err := sleep(ctx, nil, began.Add(op.For)); err != nil {
			return nil, err
		}
		return &browser.Waited{Met: true, Millis: op.For.Milliseconds()}, nil
	}
	limit := op.Timeout
	if limit <= 0 {
		limit = waitMost
	}
	var (
		end  = began.Add(limit)
		seqs = make(map[browser.FrameID]int)
		seen CheckReply
	)
	for {
		act, more := w.watch.Activity()
		switch {
		case act.Gone != "":
			return nil, w.goneError(ctx, act.Gone)
		case act.Dialog != nil:
			return nil, dialogError(act.Dialog)
		}
		if op.URL != "" {
			seen = CheckReply{Met: matchURL(op.URL, act.URL), Detail: act.URL}
		} else if now, err := w.check(ctx, op); err != nil {
			return nil, err
		} else if now.Met || now.Detail != "" {
			seen = now
		}
		now := time.Now()
		if seen.Met {
			return &browser.Waited{Met: true, Detail: seen.Detail, Millis: now.Sub(began).Milliseconds()}, nil
		}
		if !now.Before(end) {
			e := &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("%s did not come within %s", what, limit), Hint: "take a snapshot to see the page as it is"}
			if seen.Detail != "" {
				e.Msg += "; seen last: " + seen.Detail
			}
			return nil, e
		}
		next := earlier(now.Add(recheck), end)
		if op.URL != "" {
			err = sleep(ctx, more, end)
		} else {
			err = w.awaitChange(ctx, seqs, more, next)
		}
		if err != nil {
			return nil, err
		}
	}
}

// condition checks the op and names what it waits for.
func condition(op browser.WaitFor) (string, error) {
	var given []string
	if op.Text != "" {
		given = append(given, fmt.Sprintf("text %q", op.Text))
	}
	if op.Gone != "" {
		given = append(given, fmt.Sprintf("the end of text %q", op.Gone))
	}
	if op.URL != "" {
		given = append(given, fmt.Sprintf("an address like %q", op.URL))
	}
	if !op.Ref.IsZero() {
		given = append(given, fmt.Sprintf("state %s of %s", op.State, op.Ref))
	}
	if op.For > 0 {
		given = append(given, op.For.String())
	}
	if len(given) != 1 {
		return "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%d conditions are given to wait for", len(given)), Hint: "give exactly one of text, gone, url, ref with state, ms"}
	}
	if op.Ref.IsZero() {
		return given[0], nil
	}
	for _, s := range waitStates {
		if s == op.State {
			return given[0], nil
		}
	}
	return "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is not a state to wait for", op.State), Hint: "states are " + strings.Join(waitStates, ", ")}
}

// check tests a condition on the page's content. A document that is going, or
// has just come, meets no condition but the end of what was in it.
func (w *work) check(ctx context.Context, op browser.WaitFor) (CheckReply, error) {
	if err := w.lookUp(ctx); err != nil {
		return w.between(ctx, err)
	}
	frames := w.frames.readable()
	if !op.Ref.IsZero() {
		over := op.State == "gone" || op.State == "hidden"
		if _, ok := w.frames.get(op.Ref.Frame); !ok && over {
			return CheckReply{Met: true, Detail: op.Ref.String() + " is not on the page any more"}, nil
		}
		if _, err := w.frames.of(op.Ref); err != nil {
			return CheckReply{}, err
		}
		frames = []browser.FrameID{op.Ref.Frame}
	} else if err := w.permitMain(); err != nil {
		return CheckReply{}, err
	}
	calls := make([]FrameCall, len(frames))
	for i, f := range frames {
		calls[i] = FrameCall{Frame: f, Op: opCheck, Args: CheckArgs{Prefix: prefix(f), Text: op.Text, Gone: op.Gone, N: op.Ref.N, State: op.State}}
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return w.between(ctx, err)
	}
	return merge(op, frames, replies)
}

// merge is what the frames' answers come to: a text may be in any of them, and
// is gone when it is in none.
func merge(op browser.WaitFor, frames []browser.FrameID, replies []FrameReply) (CheckReply, error) {
	out := CheckReply{Met: op.Gone != ""}
	for i, r := range replies {
		got, err := decode[CheckReply](r)
		stale := browser.CodeOf(err) == browser.CodeStaleRef
		switch {
		case stale && !op.Ref.IsZero() && (op.State == "gone" || op.State == "hidden"):
			return CheckReply{Met: true, Detail: op.Ref.String() + " is not on the page any more"}, nil
		case err != nil && !op.Ref.IsZero():
			return CheckReply{}, err
		case err != nil && frames[i] == "":
			if !stale {
				return CheckReply{}, err
			}
			return CheckReply{}, nil // the main document is going
		case err != nil:
		case op.Gone != "":
			if !got.Met {
				out = got
			}
		case got.Met:
			return got, nil
		case out.Detail == "":
			out.Detail = got.Detail
		}
	}
	return out, nil
}

// between allows for errors that only mean that one document follows another.
func (w *work) between(ctx context.Context, err error) (CheckReply, error) {
	switch {
	case ctx.Err() != nil:
		return CheckReply{}, ctx.Err()
	case browser.CodeOf(err) == browser.CodeStaleRef:
		return CheckReply{}, nil
	}
	return CheckReply{}, err
}

// awaitChange returns when a frame changed, more is closed or the time is
// there. Numbers of the frames' states are kept in seqs, so that no change
// between a test and the wait is lost.
func (w *work) awaitChange(ctx context.Context, seqs map[browser.FrameID]int, more <-chan struct{}, end time.Time) error {
	waiting, cancel := context.WithCancel(ctx)
	changed := make(chan struct{}, watchMost)
	var (
		all sync.WaitGroup
		mu  sync.Mutex // guards seqs
	)
	frames := w.frames.readable()
	for _, f := range frames[:min(len(frames), watchMost)] {
		mu.Lock()
		seq := seqs[f]
		mu.Unlock()
		all.Go(func() {
			got, err := ask[ChangedReply](waiting, w, f, opChanged, ChangedArgs{Seq: seq})
			if err != nil {
				return // the next test will tell
			}
			mu.Lock()
			seqs[f] = got.Seq
			mu.Unlock()
			changed <- struct{}{}
		})
	}
	t := time.NewTimer(time.Until(end))
	defer t.Stop()
	var err error
	select {
	case <-changed:
		// A page that never rests is not tested all the time.
		err = sleep(ctx, nil, earlier(time.Now().Add(breath), end))
	case <-more:
	case <-t.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	cancel()
	all.Wait()
	return err
}

// matchURL tells whether an address has a part, or fits a pattern where * is
// any text.
func matchURL(pattern, url string) bool {
	if !strings.Contains(pattern, "*") {
		return strings.Contains(url, pattern)
	}
	pieces := strings.Split(pattern, "*")
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(url) < len(first)+len(last) || !strings.HasPrefix(url, first) || !strings.HasSuffix(url, last) {
		return false
	}
	url = url[len(first) : len(url)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] {
		_, after, ok := strings.Cut(url, piece)
		if !ok {
			return false
		}
		url = after
	}
	return true
}
