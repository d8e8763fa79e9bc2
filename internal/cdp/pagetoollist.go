package cdp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drawbridge/internal/browser"
)

// pageTools makes the page tools of a tab known. Documents are asked for what
// events do not tell: titles, and why there are none.
func (d *Driver) pageTools(ctx context.Context, t *tab, to browser.Target) (*browser.PageToolList, error) {
	if _, err := d.attach(ctx, t); err != nil {
		return nil, err
	}
	if err := d.awaitTools(ctx, t); err != nil {
		return nil, err
	}
	d.mu.Lock()
	var ask, others []*frame
	if d.obstacle(t) == nil {
		d.rehear(t)
		t.walk(func(f *frame) {
			if (f.tools.stale || f.tools.why == "") && f.missing() == "" && t.silent[f.session] == nil && to.Origins.Has(f.origin) {
				if f.session == t.session {
					ask = append(ask, f)
				} else {
					others = append(others, f)
				}
			}
		})
		d.askFrames(ask, askMainMost)
		d.askFrames(others, askMost)
		t.walk(func(f *frame) {
			if t.silent[f.session] == nil && to.Origins.Has(f.origin) {
				d.seekOwn(f)
				d.follow(f) // which finds forms in the older dialect
			}
		})
	}
	d.mu.Unlock()
	if err := d.awaitTools(ctx, t); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.gone != "" {
		return nil, t.goneError()
	}
	return t.toolList(to.Origins), nil
}

// awaitTools waits until what documents are being asked is answered.
func (d *Driver) awaitTools(ctx context.Context, t *tab) error {
	d.mu.Lock()
	a := t.asking
	d.mu.Unlock()
	if a == nil {
		return nil
	}
	waiting, stop := d.beginAny(ctx, t, nil)
	defer stop()
	select {
	case <-a.done:
		return nil
	case <-waiting.Done():
		return d.pageError(t, context.Cause(waiting))
	}
}

// toolList is what the documents of these origins offer, or why they do not.
// d.mu is held.
func (t *tab) toolList(origins browser.OriginSet) *browser.PageToolList {
	out := new(browser.PageToolList)
	t.walk(func(f *frame) {
		lacks := browser.PageToolless{Frame: t.numberOf(f), Origin: f.origin, Why: f.tools.why}
		names := f.tools.names()
		switch {
		case !origins.Has(f.origin):
			lacks.Why, lacks.Detail = browser.NoPageToolsUnreadable, "its origin was not permitted"
		case len(names) > 0:
			out.Notes = append(out.Notes, f.toolNotes()...)
			for _, name := range names {
				out.Tools = append(out.Tools, f.told(f.tools.best(name)))
			}
			return
		case f.missing() != "":
			lacks.Why, lacks.Detail = browser.NoPageToolsUnreadable, f.missing()
		case lacks.Why == "" && t.dialog != nil:
			lacks.Why, lacks.Detail = browser.NoPageToolsUnreadable, "a dialog holds its page up"
		case lacks.Why == "":
			lacks.Why, lacks.Detail = browser.NoPageToolsUnreadable, f.silence()
		}
		out.Without = append(out.Without, lacks)
	})
	return out
}

// silence is why a document does not answer. d.mu is held.
func (f *frame) silence() string {
	refused := new(browser.Error)
	if a := f.agent; a != nil && !unfinished(a.done) && errors.As(a.err, &refused) {
		return refused.Msg
	}
	return silentFrame
}

// toolNotes tells what was left out of the tools of a document. d.mu is held.
func (f *frame) toolNotes() []string {
	var out []string
	where := "the document"
	if f.parent != nil {
		where = "frame " + string(f.tab.numberOf(f))
	}
	if n := f.tools.left; n > 0 {
		out = append(out, fmt.Sprintf("%s registers too many page tools; %d more are left out", where, n))
	}
	for _, name := range f.tools.names() {
		if p := f.tools.best(name); p.note != "" {
			out = append(out, fmt.Sprintf("page tool %q: %s", name, p.note))
		}
	}
	return out
}

// waitToolMost is how long a page tool is waited for when the op names no time.
const waitToolMost = 30 * time.Second

// waitForTool waits until any document of a tab offers a tool of the name.
func (d *Driver) waitForTool(ctx context.Context, t *tab, to browser.Target, op browser.WaitFor) (*browser.Waited, error) {
	began := time.Now()
	limit := op.Timeout
	if limit <= 0 {
		limit = waitToolMost
	}
	late := &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("page tool %q did not come within %s", op.PageTool, limit),
		Hint: "list_page_tools shows those there are, and why there are none"}
	within, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	if _, err := d.attach(within, t); err != nil {
		return nil, err
	}
	d.mu.Lock()
	w := d.watch(t)
	d.mu.Unlock()
	defer w.Close()
	for {
		d.mu.Lock()
		t.walk(d.follow)
		detail := t.offered(op.PageTool, to.Origins)
		wait := &toolWait{name: op.PageTool, met: make(chan struct{})}
		t.toolWaits[wait] = struct{}{}
		d.mu.Unlock()
		act, more := w.Activity()
		err := error(nil)
		switch {
		case detail != "":
		case act.Gone != "":
			err = d.goneWait(t, act.Gone)
		case act.Dialog != nil:
			d.mu.Lock()
			err = t.dialogError(t)
			d.mu.Unlock()
		default:
			select {
			case <-wait.met:
			case <-more:
			case <-within.Done():
				err = cancelled(within)
			}
		}
		d.mu.Lock()
		delete(t.toolWaits, wait)
		d.mu.Unlock()
		switch {
		case detail != "":
			return &browser.Waited{Met: true, Detail: detail, Millis: time.Since(began).Milliseconds()}, nil
		case err != nil:
			return nil, err
		}
	}
}

// goneWait tells that the page is gone that was to offer a tool.
func (d *Driver) goneWait(t *tab, why string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.gone != "" {
		return t.goneError()
	}
	return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the page in %s is gone: %s", t.id, why), Hint: "navigate (also to: reload) revives the tab"}
}

// offered tells where a tool of the name is offered; "" if it is not. d.mu is held.
func (t *tab) offered(name string, origins browser.OriginSet) string {
	where := ""
	t.walk(func(f *frame) {
		switch {
		case where != "" || f.tools.best(name) == nil || !origins.Has(f.origin):
		case f.parent == nil:
			where = "the document offers it"
		default:
			where = "frame " + string(t.numberOf(f)) + " offers it"
		}
	})
	return where
}
