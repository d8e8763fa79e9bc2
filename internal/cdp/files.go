package cdp

import (
	"context"
	"errors"
	"strconv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// SetFiles implements pageagent.Host.
func (d *Driver) SetFiles(ctx context.Context, id browser.TabID, frame browser.FrameID, n int, paths []string) error {
	t, err := d.lookUp(id)
	if err != nil {
		return err
	}
	f, a := d.agentIn(t, frame)
	if a == nil {
		return staleFrame(t, frame, errNavigated)
	}
	waiting, stop := d.begin(ctx, t, f)
	defer stop()
	if a.by != nil {
		give := func() error { return pageagent.GiveFiles(waiting, d.asking(t), frame, n, paths) }
		if d.trusted(id) {
			give = func() error { return a.by.GiveFiles(waiting, a.session, string(a.object), n, paths) }
		}
		return d.filesGiven(t, frame, give())
	}
	var field evaluation
	err = d.send(waiting, a.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(n){return this.element(n)}",
		ObjectID: a.object, Arguments: []*runtime.CallArgument{{Value: strconv.AppendInt(nil, int64(n), 10)}}}, &field)
	if err == nil && (field.Exception != nil || field.Result.ObjectID == "") {
		return &browser.Error{Code: browser.CodeStaleRef, Msg: "the file field is not on the page any more", Hint: "take a snapshot and use a ref from it"}
	}
	if err == nil {
		err = d.send(waiting, a.session, dom.CommandSetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: runtime.RemoteObjectID(field.Result.ObjectID)}, nil)
	}
	return d.filesGiven(t, frame, err)
}

// filesGiven is what became of files that were given to a page.
func (d *Driver) filesGiven(t *tab, frame browser.FrameID, err error) error {
	var refused *ProtocolError
	switch {
	case errors.Is(err, errDialog):
		return nil // the page got them
	case errors.As(err, &refused) && !left(err):
		return &browser.Error{Code: browser.CodePageError, Msg: "the browser does not give the files to the page: " + refused.Message, Hint: "check that it may read them", Err: err}
	case err != nil && left(err):
		return staleFrame(t, frame, err)
	case err != nil:
		return d.pageError(t, err)
	}
	return nil
}

// ChooserField implements pageagent.Host.
func (d *Driver) ChooserField(ctx context.Context, id browser.TabID, c pageagent.Chooser, first int) (int, error) {
	t, err := d.lookUp(id)
	if err != nil {
		return 0, err
	}
	f, a := d.agentIn(t, c.Frame)
	if a == nil {
		return 0, staleFrame(t, c.Frame, errNavigated)
	}
	waiting, stop := d.begin(ctx, t, f)
	defer stop()
	if a.by != nil {
		n, err := a.by.ChosenField(waiting, a.session, string(a.object), c.Node, first)
		return n, d.pageError(t, err)
	}
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	if conn == nil {
		return 0, ErrDetached
	}
	var number evaluation
	element, err := resolve(waiting, conn, a.session, cdp.BackendNodeID(c.Node), a.context)
	if err == nil {
		err = d.send(waiting, a.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(e,n){return this.number(e,n)}",
			ObjectID: a.object, ReturnByValue: new(true), Arguments: []*runtime.CallArgument{{ObjectID: element}, {Value: strconv.AppendInt(nil, int64(first), 10)}}}, &number)
	}
	if err == nil && number.Exception != nil {
		err = number.Exception.error()
	}
	if err != nil {
		return 0, d.pageError(t, err)
	}
	return strconv.Atoi(string(number.Result.Value))
}

// agentIn is the agent of a frame that has been listed; nil when its document
// is gone.
func (d *Driver) agentIn(t *tab, id browser.FrameID) (*frame, *agent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := t.find(id)
	if f == nil || f.agent == nil || !f.agent.listed || unfinished(f.agent.done) || f.agent.err != nil {
		return nil, nil
	}
	return f, f.agent
}

var catching = cdppage.SetInterceptFileChooserDialogParams{Enabled: true}

// catchChoosers keeps choosers of files from opening while somebody acts on the
// tab: nobody would answer them. Where nobody sees the browser they never open.
func (d *Driver) catchChoosers(ctx context.Context, t *tab, sessions ...string) {
	if !d.watched {
		return
	}
	d.mu.Lock()
	var add []string
	for _, s := range sessions {
		if s != "" && !t.choosers[s] && t.acting() {
			t.choosers[s] = true
			add = append(add, s)
		}
	}
	d.mu.Unlock()
	for _, s := range add {
		// When it fails the page is going, and so is what would open one.
		_ = d.send(ctx, s, cdppage.CommandSetInterceptFileChooserDialog, catching, nil)
	}
}

// letChoosers lets them open again, for a person. d.mu is held.
func (d *Driver) letChoosers(t *tab) {
	for s := range t.choosers {
		if d.conn != nil && d.sessions[s] != nil {
			d.conn.Post(s, cdppage.CommandSetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: false})
		}
	}
	clear(t.choosers)
}

type chooserEvent struct {
	Frame cdp.FrameID `json:"frameId"`
	Node  int64       `json:"backendNodeId"`
}

// fileChooserOpened notes a chooser that was kept from opening.
func (d *Driver) fileChooserOpened(s *session, p chooserEvent) {
	t := s.tab
	f := t.frames[p.Frame]
	if f == nil {
		return
	}
	c := pageagent.Chooser{Frame: t.numberOf(f), Node: p.Node}
	for w := range t.watches {
		if !w.aside {
			w.chooser = &c
		}
	}
	t.stir()
}
