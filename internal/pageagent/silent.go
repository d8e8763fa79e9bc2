package pageagent

import (
	"context"
	"errors"
	"time"

	"drawbridge/internal/browser"
)

// How long before the end of an op's time its parts end, so that there is time
// to tell what was done.
const (
	inputReserve = 300 * time.Millisecond // input that the page does not answer
	waitReserve  = 200 * time.Millisecond // waits for consequences
	lookReserve  = 100 * time.Millisecond // looks at the page
)

var errSilent = &browser.Error{Code: browser.CodeTimeout, Msg: "the page does not answer", Hint: "navigate (also to: reload) ends what it does; other tabs go on"}

// before returns a context that ends a while before ctx has to.
func before(ctx context.Context, reserve time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, end.Add(-reserve))
	}
	return ctx, func() {}
}

// fellSilent notes, when err is the end of a time within that of ctx, that the
// page was given something and has not answered since: what was done is told
// all the same.
func (w *work) fellSilent(ctx, part context.Context, err error) bool {
	if part.Err() == nil && !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return false
	}
	w.silent = true
	return true
}

// cutOff tells that nothing more can be learned of what was done to the page.
func (w *work) cutOff() bool { return w.silent || w.interrupted() }
