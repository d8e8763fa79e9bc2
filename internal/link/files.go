package link

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/pageagent"
)

// fieldFor makes a file field that is nowhere, of which no page knows; its sizes
// are those of the files that the browser sees.
const (
	fieldFor = `function(){const i=document.createElementNS("http://www.w3.org/1999/xhtml","input");i.type="file";i.multiple=true;return i}`
	sizes    = `function(){return Array.from(this.files,f=>f.size)}`
)

// TakesPaths implements cdp.Scripting. The browser may run where it sees other
// files than we do.
func (t *transport) TakesPaths(ctx context.Context, session string, files []browser.File) bool {
	if p := t.powers(); !p.Full || !p.Paths {
		return false
	}
	var paths []string
	var want []int64
	for _, f := range files {
		info, err := os.Stat(f.Path)
		switch {
		case err != nil:
			return false
		case !info.IsDir():
			paths, want = append(paths, f.Path), append(want, info.Size())
		}
	}
	if len(paths) == 0 {
		return true
	}
	var got []int64
	err := t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err == nil {
			got, err = t.sizesOf(ctx, b, paths)
		}
		return err
	})
	if err != nil {
		t.log.Debug("the browser takes no paths", "err", err)
		return false
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			return false
		}
	}
	return true
}

func (t *transport) sizesOf(ctx context.Context, b *tab, paths []string) ([]int64, error) {
	if _, err := t.prepare(ctx, b); err != nil {
		return nil, err
	}
	frames, _ := t.likely(ctx, b, place{frame: mainFrame})
	w, err := t.enterWorld(ctx, b, frames[0])
	if err != nil {
		return nil, err
	}
	field, err := t.call(ctx, b, w, "", fieldFor, false)
	if err != nil {
		return nil, err
	}
	if _, err := t.commandIn(ctx, b, "", "DOM.setFileInputFiles", map[string]any{"files": paths, "objectId": field.ID}); err != nil {
		return nil, err
	}
	told, err := t.call(ctx, b, w, field.ID, sizes, true)
	if err != nil {
		return nil, err
	}
	var out []int64
	err = json.Unmarshal(told.Value, &out)
	return out, err
}

// GiveFiles implements cdp.Scripting.
func (t *transport) GiveFiles(ctx context.Context, session, document string, n int, paths []string) error {
	return t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err != nil {
			return err
		}
		at, err := parsePlace(document)
		if err != nil {
			return err
		}
		w, field, err := t.meet(ctx, b, at, n)
		if err != nil {
			return err
		}
		_, err = t.commandIn(ctx, b, w.session, "DOM.setFileInputFiles", map[string]any{"files": paths, "objectId": field})
		return err
	})
}

// intercept is the command that keeps choosers of files from opening, or not.
const intercept = "Page.setInterceptFileChooserDialog"

// catchChoosers has a page's choosers open or not, in all of its frames.
func (t *transport) catchChoosers(ctx context.Context, b *tab, params any) error {
	var p struct {
		Enabled bool `json:"enabled"`
	}
	if err := convert(params, &p); err != nil {
		return err
	}
	if _, err := t.debug(ctx, b, intercept, params); err != nil {
		return err
	}
	t.mu.Lock()
	a, several := b.debugging, len(b.frames) > 1
	if a != nil {
		a.catching = nil
		if p.Enabled {
			a.catching = params
		}
	}
	t.mu.Unlock()
	if a == nil || !several {
		return nil
	}
	var sessions []string
	for session := range t.partsOf(ctx, b) {
		sessions = append(sessions, session)
	}
	each(ctx, catchMost, sessions, func(ctx context.Context, session string) { t.catchIn(ctx, b, session, params) })
	return nil
}

// catchIn is catchChoosers in a part.
func (t *transport) catchIn(ctx context.Context, b *tab, session string, params any) {
	_, err := t.commandIn(ctx, b, session, "Page.enable", nil)
	if err == nil {
		_, err = t.commandIn(ctx, b, session, intercept, params)
	}
	if err != nil {
		t.log.Debug("choosers of a frame not caught", "err", err)
	}
}

// chooser is one of files that did not open: of which field, by the debugger's
// names.
type chooser struct {
	session string
	Frame   string `json:"frameId"`
	Node    int64  `json:"backendNodeId"`
}

// chooserOpened tells of a chooser once it is known in which frame it was. t.mu
// is held.
func (t *transport) chooserOpened(b *tab, d DebugEvent) {
	c := chooser{session: d.Session}
	if json.Unmarshal(d.Params, &c) != nil {
		return
	}
	b.chooser = c
	s := b.session
	tell := func(frame int64) {
		t.event(s.id, "Page.fileChooserOpened", map[string]any{"frameId": b.name(frame), "backendNodeId": c.Node})
	}
	if c.Frame == b.debugging.frame {
		tell(mainFrame)
		return
	}
	t.spawn(func(ctx context.Context) {
		frame, err := t.frameOf(ctx, b, pageFrame{session: c.session, id: c.Frame})
		if err != nil {
			t.log.Debug("the frame of a chooser is not known", "err", err)
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if b.session == s {
			tell(frame)
		}
	})
}

// frameOf finds the frame that the debugger names: the one whose agent hears a
// word that is said there.
func (t *transport) frameOf(ctx context.Context, b *tab, f pageFrame) (int64, error) {
	w, err := t.enterWorld(ctx, b, f)
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	var places []place
	for _, f := range b.frames {
		if f.id != mainFrame && f.document != "" {
			places = append(places, place{f.id, f.document})
		}
	}
	t.mu.Unlock()
	word := pageagent.WordArgs{Word: rand.Text()}
	each(ctx, partMost, places, func(ctx context.Context, at place) {
		if err := t.askAt(ctx, b, at, "expect", 1, word, nil); err != nil {
			t.log.Debug("a frame does not listen", "err", err)
		}
	})
	if _, err := t.call(ctx, b, w, "", showWord, true, word.Word); err != nil {
		return 0, err
	}
	found := make(chan int64, len(places))
	each(ctx, partMost, places, func(ctx context.Context, at place) {
		var met pageagent.MetReply
		if t.askAt(ctx, b, at, "met", 1, word, &met) == nil && met.Came {
			found <- at.frame
		}
	})
	select {
	case frame := <-found:
		return frame, nil
	default:
		return 0, cdp.ErrGone
	}
}

// ChosenField implements cdp.Scripting.
func (t *transport) ChosenField(ctx context.Context, session, document string, node int64, first int) (int, error) {
	var met pageagent.MetReply
	err := t.within(ctx, session, func(ctx context.Context) error {
		b, err := t.tabOf(session)
		if err != nil {
			return err
		}
		at, err := parsePlace(document)
		if err != nil {
			return err
		}
		t.mu.Lock()
		c := b.chooser
		t.mu.Unlock()
		if c.Node != node {
			return cdp.ErrGone // another one came since
		}
		w, err := t.enterWorld(ctx, b, pageFrame{session: c.session, id: c.Frame})
		if err != nil {
			return err
		}
		field, err := t.resolve(ctx, b, w.session, map[string]any{"backendNodeId": c.Node, "executionContextId": w.context})
		if err != nil {
			return err
		}
		word := pageagent.WordArgs{Word: rand.Text()}
		if err := t.askAt(ctx, b, at, "expect", first, word, nil); err != nil {
			return err
		}
		if _, err := t.call(ctx, b, w, field, showThis, true, word.Word); err != nil {
			return err
		}
		return t.askAt(ctx, b, at, "met", first, word, &met)
	})
	if err == nil && met.N == 0 {
		err = cdp.ErrGone
	}
	return met.N, err
}
