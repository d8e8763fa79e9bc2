package drivertest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// Start makes a driver that is not running yet. The suite's pages are at site.
type Start func(t *testing.T, ids *browser.IDs, site string) browser.Driver

// Rig is a running driver under test, with what it has told so far.
type Rig struct {
	browser.Driver
	ctx         context.Context
	differences []Difference // that are meant

	mu     sync.Mutex // guards below
	tabs   map[browser.TabID]browser.Tab
	tools  map[browser.TabID]*pageTools
	events []browser.Event
	news   chan struct{} // closed and replaced with each of them
}

// NewRig runs the driver until the test ends, and waits until it is ready.
func NewRig(t *testing.T, d browser.Driver) *Rig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &Rig{Driver: d, ctx: ctx, tabs: map[browser.TabID]browser.Tab{}, tools: map[browser.TabID]*pageTools{}, news: make(chan struct{})}
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- d.Run(ctx, func(e browser.Event) {
			r.note(e)
			if _, ok := e.(browser.Ready); ok {
				close(ready)
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatalf("Run ended at once: %v", err)
	case <-time.After(30 * time.Second):
		t.Fatal("not ready after 30 s")
	}
	return r
}

func (r *Rig) note(e browser.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	defer func() {
		close(r.news)
		r.news = make(chan struct{})
	}()
	switch e := e.(type) {
	case browser.TabOpened:
		r.tabs[e.Tab.ID] = e.Tab
	case browser.TabChanged:
		r.tabs[e.Tab.ID] = e.Tab
	case browser.TabClosed:
		delete(r.tabs, e.Tab)
		delete(r.tools, e.Tab)
	case browser.PageToolsChanged:
		if r.tools[e.Tab] == nil {
			r.tools[e.Tab] = new(pageTools)
		}
		r.tools[e.Tab].change(e)
	}
}

// Tab returns what the driver has told of a tab.
func (r *Rig) Tab(id browser.TabID) (browser.Tab, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tabs[id]
	return t, ok
}

// until waits until what is told of a tab is as it should be.
func (r *Rig) until(t *testing.T, id browser.TabID, should func(browser.Tab) bool) {
	t.Helper()
	late := time.After(5 * time.Second)
	for {
		r.mu.Lock()
		now, news := r.tabs[id], r.news
		r.mu.Unlock()
		if should(now) {
			return
		}
		select {
		case <-news:
		case <-late:
			t.Fatalf("the tab is told as %+v", now)
		}
	}
}

// Run runs op on a tab, on any origin.
func (r *Rig) do(tab browser.TabID, op browser.Op, result any) error {
	ctx, cancel := context.WithTimeout(r.ctx, 20*time.Second)
	defer cancel()
	return r.Do(ctx, browser.Target{Tab: tab, Origins: browser.AnyOrigin()}, op, result)
}

// Must runs op and fails the test on an error.
func (r *Rig) must(t *testing.T, tab browser.TabID, op browser.Op, result any) {
	t.Helper()
	if err := r.do(tab, op, result); err != nil {
		t.Fatalf("%s: %v", op.OpName(), err)
	}
}

// open opens url in a new tab.
func (r *Rig) open(t *testing.T, url string) browser.TabID {
	t.Helper()
	var tab browser.Tab
	r.must(t, "", browser.OpenTab{}, &tab)
	r.must(t, tab.ID, browser.Navigate{URL: url}, &browser.Navigation{})
	t.Cleanup(func() {
		if _, ok := r.Tab(tab.ID); ok {
			r.must(t, tab.ID, browser.CloseTab{}, nil)
		}
	})
	return tab.ID
}

func (r *Rig) outline(t *testing.T, tab browser.TabID) string {
	t.Helper()
	text, err := r.look(tab)
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	return text
}

// look reads a page, again where the machine was too busy for all frames.
func (r *Rig) look(tab browser.TabID) (string, error) {
	var o browser.Outline
	for range 10 {
		if err := r.do(tab, browser.Snapshot{MaxTokens: 4000}, &o); err != nil {
			return "", err
		}
		if !strings.Contains(o.Text, "(not readable: ") {
			break
		}
	}
	return o.Text, nil
}

// ref finds the ref of the line that holds all of the words.
func ref(t *testing.T, outline string, words ...string) browser.Ref {
	t.Helper()
lines:
	for line := range strings.Lines(outline) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue lines
			}
		}
		r, err := browser.ParseRef(strings.Fields(line)[0])
		if err != nil {
			t.Fatalf("no ref in %q", line)
		}
		return r
	}
	t.Fatalf("no line with %q in\n%s", words, outline)
	return browser.Ref{}
}

func wantCode(t *testing.T, what string, err error, code browser.Code) {
	t.Helper()
	if browser.CodeOf(err) != code {
		t.Errorf("%s: got %v (%s), want %s", what, err, browser.CodeOf(err), code)
	}
	var e *browser.Error
	if err != nil && !errors.As(err, &e) {
		t.Errorf("%s: %v is no *browser.Error: a client could not read it", what, err)
	}
}

// Run runs the suite on one running driver: the contract of browser.Driver,
// tab by tab, every act also in a tab that is hidden behind another. What a way
// into a browser cannot do must be refused as such.
func Run(t *testing.T, start Start) {
	site := Site(t)
	r := NewRig(t, start(t, new(browser.IDs), site))
	caps := r.caps(t, site)
	for _, tt := range []struct {
		name  string
		needs browser.Op // what the driver must be able to do; nil: nothing that not all are
		run   func(*testing.T, *Rig, string)
	}{
		{"tabs", nil, testTabs},
		{"navigation", nil, testNavigation},
		{"documents", nil, testDocuments},
		{"refs", nil, testRefs},
		{"origins", nil, testOrigins},
		{"capabilities", nil, testCapabilities},
		{"wait", nil, testWait},
		{"list", nil, testListElements},
		{"save", nil, testSave},
		{"cancelled", nil, testCancelled},
		{"ask a person", nil, testAskPerson},
		{"uploads", browser.Upload{}, testUploads},
		{"pixels", browser.Screenshot{}, testPixels},
		{"stamp", nil, testStamp},
		{"hint", nil, testHint},
		{"console", browser.ListConsole{}, testConsole},
		{"requests", browser.ListRequests{}, testRequests},
		{"emulation", browser.Emulate{Reset: true}, testEmulation},
		{"page tools", browser.PageTools{}, testPageTools},
		{"page tools/wait", browser.PageTools{}, testWaitForPageTool},
		{"page tools/call", browser.CallPageTool{}, testCallPageTool},
		{"page tools/outcomes", browser.CallPageTool{}, testCallOutcomes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if r.refuses(t, caps, tt.needs, site) {
				return
			}
			tt.run(t, r, site)
		})
	}
	runActs(t, r, caps, site)
}

// RunActs runs the part of the suite that acts on pages.
func RunActs(t *testing.T, start Start) {
	site := Site(t)
	r := NewRig(t, start(t, new(browser.IDs), site))
	runActs(t, r, r.caps(t, site), site)
}

func runActs(t *testing.T, r *Rig, caps browser.Capability, site string) {
	for _, place := range []string{"front", "hidden"} {
		for _, tt := range []struct {
			name  string
			needs browser.Op
			run   func(*testing.T, *Rig, string, func(*testing.T, browser.TabID))
		}{
			{"click", nil, testClick},
			{"refusals", nil, testRefusals},
			{"fill", nil, testFill},
			{"focus", nil, testFocus},
			{"hover", browser.Hover{}, testHover},
			{"drag", browser.Drag{}, testDrag},
			{"upload", browser.Upload{}, testUpload},
			{"popup", nil, testPopup},
			{"scroll", nil, testScroll},
			{"frames", nil, testFrames},
			{"dialog", browser.HandleDialog{}, testDialog},
		} {
			t.Run(place+"/"+tt.name, func(t *testing.T) {
				if r.refuses(t, caps, tt.needs, site) {
					return
				}
				tt.run(t, r, site, func(t *testing.T, tab browser.TabID) {
					if place == "hidden" {
						tab = r.open(t, "about:blank")
					}
					r.must(t, tab, browser.ActivateTab{}, nil)
				})
			})
		}
	}
}

// caps is what can be done to the pages of the suite.
func (r *Rig) caps(t *testing.T, site string) browser.Capability {
	tab, _ := r.Tab(r.open(t, site+"/start"))
	return tab.Caps
}

// refuses tells whether the driver cannot do op, and checks that it says so.
func (r *Rig) refuses(t *testing.T, caps browser.Capability, op browser.Op, site string) bool {
	if op == nil || op.Needs()&^caps == 0 {
		return false
	}
	wantCode(t, op.OpName()+" where that is not supported", r.do(r.open(t, site+"/start"), op, nil), browser.CodeNotSupported)
	return true
}
