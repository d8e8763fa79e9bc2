package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"drawbridge/internal/browser"
)

// FakeCaps is what the fake browser can do: it has no renderer, so it takes no
// pictures and runs no code.
const FakeCaps = browser.AllCaps &^ (browser.CanScript | browser.CanCapture | browser.CanPrint)

// Fake is a browser in memory that knows the suite's pages. Everything in it
// happens at once.
type Fake struct {
	ids  *browser.IDs
	base string

	mu    sync.Mutex // guards all below
	sink  func(browser.Event)
	tabs  map[browser.TabID]*fakeTab
	count int
	crash chan error
}

// NewFake returns a fake browser for which base ("http://127.0.0.1:8080") is
// where the suite's pages are; every other address refuses the connection.
func NewFake(ids *browser.IDs, base string) *Fake {
	return &Fake{ids: ids, base: base, tabs: map[browser.TabID]*fakeTab{}, crash: make(chan error, 1)}
}

// Info tells that the fake is a launched browser.
func (f *Fake) Info() browser.Info {
	return browser.Info{Name: "launched", Way: "launched", Launched: true, Product: "Fake 1.0", Caps: FakeCaps}
}

// Run serves until ctx ends or Crash.
func (f *Fake) Run(ctx context.Context, sink func(browser.Event)) error {
	f.mu.Lock()
	f.sink = sink
	f.mu.Unlock()
	sink(browser.Ready{Product: "Fake 1.0"})
	select {
	case <-ctx.Done():
		return nil
	case err := <-f.crash:
		return err
	}
}

// Crash ends the browser as if its process had died.
func (f *Fake) Crash() { f.crash <- errors.New("the browser crashed") }

// fakeTab is a tab; the Fake's mutex guards it.
type fakeTab struct {
	f       *Fake
	tab     browser.Tab
	past    []string
	pos     int
	els     []element
	nextRef int
	answer  func(bool)
	obs     *browser.Observation // of the act at hand

	messages  []browser.Message
	exchanges []*browser.Exchanged
	emulation browser.Emulation
	tools     []browser.PageTool
	calls     map[string]fakeCall
	pleas     int                // questions to its person, so far
	plea      *browser.AskPerson // the one that is pending
}

func (f *Fake) open(opener browser.TabID) *fakeTab {
	f.count++
	key := fmt.Sprintf("%p-%d", f, f.count)
	id := f.ids.Tab(key)
	t := &fakeTab{f: f, nextRef: 1, past: []string{"about:blank"}, tab: browser.Tab{ID: id, Key: key, Window: "w1", Opener: opener,
		Doc: 1, URL: "about:blank", Caps: FakeCaps, Frames: []browser.Frame{{Origin: browser.OpaqueOrigin, URL: "about:blank"}}}}
	f.tabs[id] = t
	f.sink(browser.TabOpened{Tab: t.tab})
	f.sink(browser.PageToolsChanged{Tab: id, Known: true})
	return t
}

// load shows the document at url, which may be absolute.
func (t *fakeTab) load(url string) error {
	path, ok := strings.CutPrefix(url, t.f.base)
	p, known := sitePages()[path]
	switch {
	case url == "about:blank":
		p = page{model: func() []element { return nil }}
	case !ok || !known:
		return &browser.Error{Code: browser.CodePageError, Msg: url + " could not be loaded: connection refused", Hint: "check the address and that the server runs"}
	}
	t.els, t.calls = p.model(), p.calls
	t.tab.Doc++
	t.tab.URL, t.tab.Title = url, p.title
	t.tab.Frames = []browser.Frame{{Origin: browser.OriginOf(url), URL: url}}
	if url != "about:blank" {
		t.record(p)
	}
	t.f.sink(browser.TabChanged{Tab: t.tab})
	t.reoffer(p.tools)
	return nil
}

func (t *fakeTab) navigation(status int) *browser.Navigation {
	return &browser.Navigation{URL: t.tab.URL, Title: t.tab.Title, Doc: t.tab.Doc, Status: status}
}

func (t *fakeTab) push(url string) error {
	if err := t.load(url); err != nil {
		return err
	}
	t.past = append(t.past[:t.pos+1], url)
	t.pos++
	return nil
}

// follow is what a link of a page does.
func (t *fakeTab) follow(path string) {
	if t.push(t.f.base+path) == nil {
		t.obs.Navigated = t.navigation(200)
	}
}

func (t *fakeTab) popup(path string) {
	n := t.f.open(t.tab.ID)
	if n.push(t.f.base+path) == nil {
		t.obs.Opened = append(t.obs.Opened, n.tab.ID)
	}
}

func (t *fakeTab) ask(message string, answer func(bool)) {
	t.tab.Dialog = &browser.Dialog{Kind: browser.DialogConfirm, Message: message, URL: t.tab.URL}
	t.answer = answer
	t.obs.Dialog = t.tab.Dialog
	t.f.sink(browser.TabChanged{Tab: t.tab})
}

// add puts an element at the end of the page.
func (t *fakeTab) add(e element) {
	t.els = append(t.els, e)
	t.give()
	t.obs.Added = append(t.obs.Added, t.els[len(t.els)-1].line())
}

// remove takes the element with the name off the page.
func (t *fakeTab) remove(role, name string) {
	t.els = slices.DeleteFunc(t.els, func(e element) bool {
		gone := e.role == role && e.name == name
		if gone {
			t.obs.Removed = append(t.obs.Removed, e.line())
		}
		return gone
	})
}

// setText changes the name of the first element with the role.
func (t *fakeTab) setText(role, name string) {
	for i := range t.els {
		if e := &t.els[i]; e.role == role {
			was := e.name
			e.name = name
			t.obs.Updated = append(t.obs.Updated, fmt.Sprintf("%s (was %q)", e.line(), was))
			return
		}
	}
}

func (e *element) line() string {
	var b strings.Builder
	if e.ref > 0 {
		fmt.Fprintf(&b, "e%d ", e.ref)
	}
	fmt.Fprintf(&b, "%s %q", e.role, e.name)
	switch {
	case e.value == "":
	case e.tail == "password":
		fmt.Fprintf(&b, " = (%d characters)", len(e.value))
	default:
		fmt.Fprintf(&b, " = %q", e.value)
	}
	if e.readonly {
		b.WriteString(" readonly")
	}
	if e.disabled {
		b.WriteString(" disabled")
	}
	if e.tail != "" && e.tail != "password" {
		b.WriteString(" " + e.tail)
	}
	return b.String()
}

// give gives refs to what can be acted on and has none.
func (t *fakeTab) give() {
	for i := range t.els {
		if e := &t.els[i]; e.act && e.ref == 0 {
			e.ref = t.nextRef
			t.nextRef++
		}
	}
}

func (t *fakeTab) find(r browser.Ref) (*element, error) {
	for i := range t.els {
		if e := &t.els[i]; r.Frame == "" && e.ref == r.N && r.N > 0 {
			return e, nil
		}
	}
	return nil, &browser.Error{Code: browser.CodeStaleRef, Msg: r.String() + " is not on the page any more", Hint: "take a snapshot and use a ref from it"}
}
