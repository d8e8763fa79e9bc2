package cdp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// dyingMost is how long a page may take to do what an address does to it. It is
// less than what makes a page stand in the way of its navigation.
const dyingMost = 3 * time.Second

// answered goes by the browser's reply.
func (n *navigation) answered(ctx context.Context, reply navigateReply, err error) (done bool, _ error) {
	var refused *ProtocolError
	switch {
	case errors.As(err, &refused):
		return true, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("the browser cannot go to %q: %s", browser.WithoutLogin(n.op.URL), refused.Message), Err: err}
	case err != nil:
		return true, err
	case reply.Download:
		return true, n.awaitDownload(ctx)
	case reply.Error == "net::ERR_ABORTED":
		if a, _ := n.w.Activity(); len(a.Downloads) > 0 {
			return true, n.awaitDownload(ctx)
		}
		if reply.Loader == "" {
			n.handed = true
			return true, n.survives(ctx)
		}
		return true, abortedError(n.place())
	case reply.Error == authFailure:
		n.awaitCommit(ctx, reply.Loader)
		if a, _ := n.w.Activity(); a.Dialog == nil {
			return true, netError(n.place(), reply.Error)
		}
		return true, nil
	case reply.Error != "":
		n.awaitCommit(ctx, reply.Loader)
		return true, netError(n.place(), reply.Error)
	case reply.Loader == "":
		n.sameDoc = true
		return true, n.await(ctx, func(a pageagent.Activity) bool { return a.SameDoc || a.Committed })
	}
	return false, nil
}

// survives tells what became of a page that was given an address that leads
// nowhere but does something to it (chrome://crash): the browser answers as soon
// as it has passed that on. The page is busy until it has done it, and the end
// of one that dies of it is told later.
func (n *navigation) survives(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, dyingMost)
	defer cancel()
	waiting, stop := n.d.begin(within, n.t, nil)
	defer stop()
	err := until(waiting, n.w, func(a pageagent.Activity) bool {
		n.d.mu.Lock()
		defer n.d.mu.Unlock()
		return !n.t.loading || a.Navigating || a.Committed
	})
	if err == nil {
		err = n.d.send(waiting, n.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "0"}, nil)
	}
	switch {
	case errors.Is(err, errCrashed), errors.Is(context.Cause(waiting), errCrashed):
		return errCrashed
	case ctx.Err() != nil:
		return cancelled(ctx)
	}
	return abortedError(n.place())
}

// awaitCommit waits for the page that tells of an error, so that the count of
// documents is right when the call ends.
func (n *navigation) awaitCommit(ctx context.Context, loader string) {
	if loader == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = n.await(ctx, func(a pageagent.Activity) bool { return a.Committed }) // the navigation's own error is told
}

// awaitDownload waits for the download that the navigation became, and a
// moment for its end.
func (n *navigation) awaitDownload(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, downloadGrace)
	defer cancel()
	err := n.await(ctx, func(a pageagent.Activity) bool {
		if len(a.Downloads) > 0 {
			n.download = &a.Downloads[0]
		}
		return n.download != nil && n.download.State != arriving
	})
	if err != nil && n.download == nil {
		return abortedError(n.place())
	}
	return nil
}
