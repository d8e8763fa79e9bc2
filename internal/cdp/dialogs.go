package cdp

import (
	"context"
	"errors"
	"fmt"

	cdppage "github.com/chromedp/cdproto/page"

	"drawbridge/internal/browser"
)

type dialogEvent struct {
	URL     string `json:"url"`
	Message string `json:"message"`
	Type    string `json:"type"`
	Default string `json:"defaultPrompt"`
}

// dialogOpening notes a dialog; the browser tells of those of all frames in the
// main frame's session.
func (d *Driver) dialogOpening(s *session, p dialogEvent) {
	t := s.tab
	if d.o.NoDialogs {
		post(d.conn, s.id, cdppage.CommandHandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: p.Type == string(browser.DialogBeforeUnload)})
		return
	}
	t.dialog = &browser.Dialog{Kind: browser.DialogKind(p.Type), Message: p.Message, Default: p.Default, URL: browser.WithoutLogin(p.URL)}
	t.interrupt(nil, errDialog)
	d.changed(t)
	for _, o := range d.tabs {
		if o != t && o.session != "" && d.related(o, t) {
			session := o.session
			d.spawn(func(ctx context.Context) { d.holdUp(ctx, o, session) })
		}
	}
}

// holdUp ends the waits for a tab that does not answer because a dialog of
// another one is open, as the tabs that opened each other may share a process.
func (d *Driver) holdUp(ctx context.Context, t *tab, session string) {
	if d.answers(ctx, session, probeLimit) {
		return
	}
	d.fallSilent(t, session)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holder(t) != nil && t.silent[session] != nil {
		t.interrupt(nil, errDialog)
	}
}

// heldUp is the error of a tab that does not answer because of the dialog of
// another one; nil when that is not why.
func (d *Driver) heldUp(t *tab, session string) error {
	d.fallSilent(t, session)
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.holder(t); o != nil {
		return o.dialogError(t)
	}
	return nil
}

// holder is the other tab whose open dialog holds up t, which does not answer;
// nil when none does. d.mu is held.
func (d *Driver) holder(t *tab) *tab {
	if t.dialog != nil || t.silent[t.session] == nil {
		return nil
	}
	for _, o := range d.tabs {
		if o != t && o.dialog != nil && o.dialog.Kind != browser.DialogAuth && d.related(o, t) {
			return o
		}
	}
	return nil
}

// related tells whether one of two tabs led to the other, or a third to both.
// d.mu is held.
func (d *Driver) related(a, b *tab) bool { return d.first(a) == d.first(b) }

// first is the tab that t comes from by way of openers. d.mu is held.
func (d *Driver) first(t *tab) browser.TabID {
	for range d.tabs {
		o := d.tabs[t.opener]
		if o == nil {
			break
		}
		t = o
	}
	if t.opener != "" {
		return t.opener
	}
	return t.id
}

func (d *Driver) dialogClosed(s *session, _ struct{}) {
	s.tab.dialog = nil
	d.changed(s.tab)
}

func (d *Driver) handleDialog(ctx context.Context, t *tab, to browser.Target, op browser.HandleDialog) (*browser.Observation, error) {
	d.mu.Lock()
	dialog, session := t.dialog, t.session
	d.mu.Unlock()
	if dialog == nil {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("no dialog is open in %s", t.id)}
	}
	if dialog.Kind == browser.DialogAuth {
		return d.handleLogin(ctx, t, to, session, dialog, op)
	}
	obs, err := d.pages.Observe(ctx, to, func(ctx context.Context) error {
		return d.answerDialog(ctx, t, session, dialog, op)
	}, op.Settle)
	if err != nil {
		return nil, err
	}
	verb := "dismissed"
	if op.Accept {
		verb = "accepted"
	}
	obs.Did = fmt.Sprintf("%s %s %q", verb, dialog.Kind, brief(dialog.Message))
	obs.Effect = browser.EffectConfirmed // the dialog is gone
	return obs, nil
}

func (d *Driver) answerDialog(ctx context.Context, t *tab, session string, dialog *browser.Dialog, op browser.HandleDialog) error {
	p := cdppage.HandleJavaScriptDialogParams{Accept: op.Accept}
	if op.Accept && dialog.Kind == browser.DialogPrompt {
		p.PromptText = dialog.Default
		if op.Text != nil {
			p.PromptText = *op.Text
		}
	}
	err := d.send(ctx, session, cdppage.CommandHandleJavaScriptDialog, p, nil)
	var refused *ProtocolError
	if errors.As(err, &refused) {
		return goneDialog(t, err)
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.dialog == dialog { // the browser told its end to another session, or tells it late
		t.dialog = nil
		d.changed(t)
	}
	return nil
}

func goneDialog(t *tab, err error) error {
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("the dialog in %s is gone", t.id), Err: err}
}

func (d *Driver) handleLogin(ctx context.Context, t *tab, to browser.Target, session string, dialog *browser.Dialog, op browser.HandleDialog) (*browser.Observation, error) {
	var l *login
	obs, err := d.pages.Observe(ctx, to, func(ctx context.Context) (err error) {
		l, err = d.answerLogin(ctx, t, session, dialog, op)
		return err
	}, op.Settle)
	if err != nil {
		return nil, err
	}
	obs.Did = fmt.Sprintf("went on without a login at %s", browser.OriginOf(dialog.URL))
	if op.Accept {
		obs.Did = fmt.Sprintf("gave a login to %s", browser.OriginOf(dialog.URL))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if l.refused {
		obs.Notes = append(obs.Notes, "the name or the password was not accepted")
	}
	return obs, nil
}
