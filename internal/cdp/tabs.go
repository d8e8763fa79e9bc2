package cdp

import (
	"context"
	"errors"
	"fmt"

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
	if t := d.takeSpare(); t != nil {
		if op.Foreground {
			if err := d.activateTab(ctx, t); err != nil {
				return nil, err
			}
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.beginJoin(t)
		return new(d.view(t)), nil
	}
	var made target.CreateTargetResult
	// A tab behind the others costs least, and pictures of it are as fast.
	if err := d.send(ctx, "", target.CommandCreateTarget, target.CreateTargetParams{URL: blank, Background: new(!op.Foreground)}, &made); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.targets[made.TargetID] // its event came before the reply
	if t == nil {
		return nil, &browser.Error{Code: browser.CodeInternal, Msg: "the new tab was closed at once"}
	}
	if op.Foreground {
		d.selectTab(t)
		d.changed(t)
	}
	d.beginJoin(t)
	return new(d.view(t)), nil
}

// blank is the address of an empty page.
const blank = "about:blank"

// takeSpare returns the empty tab that a launched browser began with, or that
// keepOne left, once, if nothing has become of it.
func (d *Driver) takeSpare() *tab {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.spare
	d.spare, d.fresh = nil, false
	if t == nil || t.gone != "" || t.crashed || t.url != blank {
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

func (d *Driver) closeTab(ctx context.Context, t *tab) error {
	if err := d.keepOne(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	w := d.watch(t)
	d.mu.Unlock()
	defer w.Close()
	if err := d.send(ctx, "", target.CommandCloseTarget, target.CloseTargetParams{TargetID: t.target}, nil); err != nil {
		var refused *ProtocolError
		if !errors.As(err, &refused) {
			return err
		}
		if a, _ := w.Activity(); a.Gone == "" {
			return fmt.Errorf("close %s: %w", t.id, err)
		}
		return nil
	}
	return until(ctx, w, func(a pageagent.Activity) bool { return a.Gone == "it was closed" || a.Gone == browserGone })
}

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
