package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	cdppage "github.com/chromedp/cdproto/page"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
	"drawbridge/internal/savepage"
)

const (
	saveMost  = 50_000_000 // bytes of a saved page, unless the op names another
	saveEach  = 10_000_000 // bytes of one resource
	saveLimit = 30 * time.Second

	archiveMost = 20 * time.Second // for the documents of a page that answers
)

// saveOrKeep saves a page, and has the browser keep the file if it is asked to.
func (d *Driver) saveOrKeep(ctx context.Context, t *tab, to browser.Target, op browser.SavePage) (*browser.Saved, error) {
	d.mu.Lock()
	by := d.scripting
	d.mu.Unlock()
	if op.Keep != "" && by == nil {
		return nil, &browser.Error{Code: browser.CodeNotSupported, Msg: "this way into the browser leaves no files in its downloads folder", Hint: "give a path"}
	}
	s, err := d.savePage(ctx, t, to, op)
	if err != nil || op.Keep == "" {
		return s, err
	}
	defer s.Blob.Drop()
	f, err := s.Blob.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if s.Path, err = by.Save(ctx, op.Keep, s.Blob.MIME, data); err != nil {
		return nil, err
	}
	s.Blob = browser.Blob{MIME: s.Blob.MIME, Size: s.Blob.Size, Drop: func() {}}
	return s, nil
}

func (d *Driver) savePage(ctx context.Context, t *tab, to browser.Target, op browser.SavePage) (*browser.Saved, error) {
	op.Most, op.Each, op.Timeout = cmp.Or(op.Most, saveMost), cmp.Or(op.Each, saveEach), cmp.Or(op.Timeout, saveLimit)
	switch op.Format {
	case "zip", "html", "mhtml":
	case "pdf":
		return d.savePDF(ctx, t, to, op)
	default:
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is no format of saved pages", op.Format), Hint: "use zip, html, mhtml or pdf"}
	}
	// A page that hangs is told from one that is large.
	err := d.inTime(ctx, to, op, readMost, func(ctx context.Context) error {
		session, err := d.attach(ctx, t)
		if err == nil {
			err = d.showsError(t)
		}
		if err != nil {
			return err
		}
		waiting, stop := d.begin(ctx, t, nil)
		defer stop()
		return d.pageError(t, d.send(waiting, session, cdppage.CommandGetLayoutMetrics, nil, nil))
	})
	if err != nil {
		return nil, err
	}
	var a *pageagent.Archive
	f := &fetcher{d: d, t: t, to: to}
	err = d.inTime(ctx, to, op, archiveMost, func(ctx context.Context) (err error) {
		if a, err = d.pages.Archive(ctx, to, int(op.Most)); err != nil {
			return err
		}
		return d.pageError(t, f.list(ctx))
	})
	if err != nil {
		return nil, err
	}
	return savepage.Save(ctx, a, savepage.Options{Format: op.Format, Most: op.Most, Each: op.Each, Timeout: op.Timeout, By: op.By, Now: time.Now(), Fetch: f.fetch})
}

// showsError refuses a page that the browser made because it had none.
func (d *Driver) showsError(t *tab) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.root == nil || t.root.fault == "" {
		return nil
	}
	return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s did not load, so there is no page to save", t.root.url), Hint: "navigate to it again, then save"}
}

// allPermitted refuses what shows all frames when some may not be read.
func (d *Driver) allPermitted(t *tab, set browser.OriginSet, instead string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range t.frames {
		if f.loader != "" && !set.Has(f.origin) {
			return &browser.Error{Code: browser.CodeDenied, Msg: fmt.Sprintf("the page has a frame of %s, which may not be read", f.origin), Hint: instead}
		}
	}
	return nil
}

// stopped is why a save ended early, for a client to read.
func (d *Driver) stopped(ctx, within context.Context, t *tab, limit time.Duration, err error) error {
	if ctx.Err() == nil && errors.Is(within.Err(), context.DeadlineExceeded) {
		return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("the page was not saved within %v", limit), Hint: "try format zip, which leaves out what takes too long", Err: err}
	}
	return d.pageError(t, err)
}
