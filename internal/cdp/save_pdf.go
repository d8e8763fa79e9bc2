package cdp

import (
	"context"
	"errors"
	"strings"
	"time"

	cdpio "github.com/chromedp/cdproto/io"
	cdppage "github.com/chromedp/cdproto/page"

	"drawbridge/internal/browser"
	"drawbridge/internal/savepage"
)

const (
	unveilLimit = time.Second
	paperWidth  = 8.27 // inches: A4, unless the page names another
	paperHeight = 11.69
	paperMargin = 0.4
)

// savePDF has the browser print the page, with dots in place of secrets.
func (d *Driver) savePDF(ctx context.Context, t *tab, to browser.Target, op browser.SavePage) (*browser.Saved, error) {
	within, cancel := context.WithTimeout(ctx, op.Timeout)
	defer cancel()
	var session string
	veiled := false
	defer func() {
		if !veiled {
			return
		}
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), unveilLimit)
		defer cancel()
		if err := d.pages.Veil(late, to, false); err != nil {
			d.log.Debug("fields not unveiled", "tab", t.id, "err", err)
		}
	}()
	err := d.inTime(within, to, op, readMost, func(ctx context.Context) (err error) {
		if session, err = d.attach(ctx, t); err == nil {
			err = d.showsError(t)
		}
		if err == nil {
			err = d.everything(ctx, t, to)
		}
		if err == nil {
			veiled = true // or some of it
			err = d.pages.Veil(ctx, to, true)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	waiting, stop := d.begin(within, t, nil)
	defer stop()
	var reply struct {
		Stream cdpio.StreamHandle `json:"stream"`
	}
	err = d.send(waiting, session, cdppage.CommandPrintToPDF, cdppage.PrintToPDFParams{PrintBackground: new(true), PreferCSSPageSize: new(true),
		PaperWidth: paperWidth, PaperHeight: paperHeight, MarginTop: new(paperMargin), MarginBottom: new(paperMargin), MarginLeft: new(paperMargin), MarginRight: new(paperMargin),
		TransferMode: cdppage.PrintToPDFTransferModeReturnAsStream}, &reply)
	var refused *ProtocolError
	switch {
	case errors.As(err, &refused) && strings.Contains(refused.Message, "not implemented"):
		return nil, &browser.Error{Code: browser.CodeNotSupported, Msg: "this browser cannot print into a file", Hint: "save as zip, html or mhtml", Err: err}
	case errors.As(err, &refused) && !left(err):
		return nil, &browser.Error{Code: browser.CodePageError, Msg: "the browser could not print the page: " + refused.Message, Hint: "save as zip, html or mhtml", Err: err}
	case err != nil:
		return nil, d.stopped(ctx, within, t, op.Timeout, err)
	}
	out, err := savepage.NewSpool()
	if err != nil {
		return nil, err
	}
	err = d.stream(waiting, session, reply.Stream, func(b []byte) error {
		if n := out.Size() + int64(len(b)); n > op.Most {
			return tooLargeToSave(n, op.Most)
		}
		_, err := out.Write(b)
		return err
	})
	if err != nil {
		out.Drop()
		return nil, d.stopped(ctx, within, t, op.Timeout, err)
	}
	return &browser.Saved{Blob: out.Blob("application/pdf")}, nil
}

// everything makes sure that all of the page may be shown.
func (d *Driver) everything(ctx context.Context, t *tab, to browser.Target) error {
	if _, err := d.Frames(ctx, t.id); err != nil {
		return err
	}
	d.mu.Lock()
	err := t.permits(to.Origins, t.root)
	d.mu.Unlock()
	if err != nil {
		return err
	}
	return d.allPermitted(t, to.Origins, "save in another format, which leaves it out")
}

func tooLargeToSave(n, most int64) error {
	return &browser.Error{Code: browser.CodeTooLarge, Msg: "the saved page has at least " + savepage.Size(n) + "; at most " + savepage.Size(most) + " are saved",
		Hint: "save as zip, which leaves out what is too large"}
}
