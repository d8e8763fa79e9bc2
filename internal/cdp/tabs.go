package cdp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// lookUp finds a tab.
func (d *Driver) lookUp(id browser.TabID) (*tab, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.tabs[id]; t != nil {
		return t, nil
	}
	return nil, unknownTab(id)
}

func (d *Driver) openTab(ctx context.Context, op browser.OpenTab) (*browser.Tab, error) {
	in, err := d.windowOf(op.Window)
	if err != nil {
		return nil, err
	}
	if t := d.takeSpare(op.Window); t != nil {
		if op.Foreground {
			if err := d.activateTab(ctx, t); err != nil {
				return nil, err
			}
		}
		return d.opened(ctx, t, false), nil
	}
	var made target.CreateTargetResult
	// A tab behind the others costs least, and pictures of it are as fast.
	if err := d.send(ctx, "", target.CommandCreateTarget, createTarget{target.CreateTargetParams{URL: blank, Background: new(!op.Foreground)}, in}, &made); err != nil {
		return nil, err
	}
	d.mu.Lock()
	t := d.targets[made.TargetID] // its event came before the reply
	d.mu.Unlock()
	if t == nil {
		return nil, &browser.Error{Code: browser.CodeInternal, Msg: "the new tab was closed at once"}
	}
	return d.opened(ctx, t, op.Foreground), nil
}

// createTarget names a window as extensions let one choose it; Chromium itself
// takes the one that was used last.
type createTarget struct {
	target.CreateTargetParams
	Window int64 `json:"windowId,omitempty"`
}

// windowOf is the browser's own name of a window that has tabs, 0 for none.
func (d *Driver) windowOf(id browser.WindowID) (int64, error) {
	if id == "" {
		return 0, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.tabs {
		if t.window != id {
			continue
		}
		if d.scripting == nil {
			return 0, nil
		}
		return strconv.ParseInt(strings.TrimPrefix(string(id), "w"), 10, 64)
	}
	return 0, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("there is no window %q", string(id)), Hint: "list_tabs shows the windows that there are"}
}

// opened is a tab that is new to who asked for it, once its window is known.
func (d *Driver) opened(ctx context.Context, t *tab, front bool) *browser.Tab {
	d.mu.Lock()
	d.beginJoin(t)
	known := t.window != ""
	d.mu.Unlock()
	if !known {
		d.askWindow(ctx, t, front)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if front {
		d.selectTab(t)
		d.changed(t)
	}
	return new(d.view(t))
}

// blank is the address of an empty page.
const blank = "about:blank"

// takeSpare returns the empty tab that a launched browser began with, or that
// keepOne left, once, if nothing has become of it and it is in the window asked
// for.
func (d *Driver) takeSpare(in browser.WindowID) *tab {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.spare
	d.spare, d.fresh = nil, false
	if t == nil || in != "" && in != t.window || t.gone != "" || t.crashed || t.url != blank {
		return nil
	}
	return t
}

// keepOne opens a tab in place of the last one, with which a browser with
// windows would end.
func (d *Driver) keepOne(ctx context.Context) error {
	d.mu.Lock()
	last := d.windows && len(d.tabs) == 1
	d.mu.Unlock()
	if !last {
		return nil
	}
	var made target.CreateTargetResult
	if err := d.send(ctx, "", target.CommandCreateTarget, target.CreateTargetParams{URL: blank}, &made); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spare = d.targets[made.TargetID]
	return nil
}

func (d *Driver) closeTab(ctx context.Context, t *tab, op browser.CloseTab) (*browser.Closed, error) {
	if err := d.keepOne(ctx); err != nil {
		return nil, err
	}
	d.mu.Lock()
	w := d.watch(t)
	d.mu.Unlock()
	defer w.Close()
	if op.Ask {
		if dialog, err := d.askToClose(ctx, t, w); dialog != nil || err != nil {
			return &browser.Closed{Dialog: dialog}, err
		}
	}
	if err := d.send(ctx, "", target.CommandCloseTarget, target.CloseTargetParams{TargetID: t.target}, nil); err != nil {
		var refused *ProtocolError
		if !errors.As(err, &refused) {
			return nil, err
		}
		if a, _ := w.Activity(); a.Gone == "" {
			return nil, fmt.Errorf("close %s: %w", t.id, err)
		}
		return new(browser.Closed), nil
	}
	return new(browser.Closed), until(ctx, w, ended)
}

func ended(a pageagent.Activity) bool { return a.Gone == wasClosed || a.Gone == browserGone }

// askToClose closes a tab as a person does, and returns the dialog with which
// its page holds that up. It returns nil for a page that does not answer, or
// shows another dialog: nobody could ask it. A tab that is not attached was
// acted on by nobody here, and pages ask only after that.
func (d *Driver) askToClose(ctx context.Context, t *tab, w *watch) (*browser.Dialog, error) {
	d.mu.Lock()
	session, conn, dialog, crashed := t.session, d.conn, t.dialog, t.crashed
	silent := t.silent[session] != nil
	d.mu.Unlock()
	switch {
	case dialog != nil && dialog.Kind == browser.DialogBeforeUnload:
		d.mu.Lock()
		defer d.mu.Unlock()
		return nil, t.dialogError(t)
	case dialog != nil || crashed || session == "" || silent || !d.answers(ctx, session, hangLimit):
		return nil, nil
	}
	post(conn, session, cdppage.CommandClose, nil)
	brief, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	err := until(brief, w, func(a pageagent.Activity) bool {
		dialog = a.Dialog
		return ended(a) || a.Gone != "" || dialog != nil
	})
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if dialog != nil && dialog.Kind != browser.DialogBeforeUnload {
		dialog = nil
	}
	return dialog, nil
}

// closeWait is how long a page may think about being closed.
const closeWait = 2 * time.Second

// until waits until ok holds.
func until(ctx context.Context, w *watch, ok func(pageagent.Activity) bool) error {
	for {
		a, more := w.Activity()
		if ok(a) {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return cancelled(ctx)
		}
	}
}

func (d *Driver) activateTab(ctx context.Context, t *tab) error {
	if err := d.send(ctx, "", target.CommandActivateTarget, target.ActivateTargetParams{TargetID: t.target}, nil); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.selectTab(t)
	d.changed(t)
	return nil
}
