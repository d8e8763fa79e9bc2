package link

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

// rig is a driver over a fakePeer, and what it told.
type rig struct {
	browser.Driver
	peer *fakePeer

	mu   sync.Mutex
	tabs map[browser.TabID]browser.Tab
}

// drive runs a test with a driver of p, on a clock of its own.
func drive(t *testing.T, p *fakePeer, test func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		p.events = make(chan fakeEvent)
		r := &rig{Driver: New(p, Options{Record: p.record}), peer: p, tabs: make(map[browser.TabID]browser.Tab)}
		ctx, cancel := context.WithCancel(t.Context())
		ready, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- r.Run(ctx, func(e browser.Event) {
				r.mu.Lock()
				defer r.mu.Unlock()
				switch e := e.(type) {
				case browser.Ready:
					close(ready)
				case browser.TabOpened:
					r.tabs[e.Tab.ID] = e.Tab
				case browser.TabChanged:
					r.tabs[e.Tab.ID] = e.Tab
				case browser.TabClosed:
					delete(r.tabs, e.Tab)
				}
			})
		}()
		<-ready
		test(t, r)
		cancel()
		<-ended
	})
}

func (r *rig) tab(id browser.TabID) browser.Tab {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tabs[id]
}

func (r *rig) text(t *testing.T, id browser.TabID) string {
	t.Helper()
	var out browser.Text
	if err := r.Do(t.Context(), browser.Target{Tab: id, Origins: browser.AnyOrigin()}, browser.ReadPage{As: "text"}, &out); err != nil {
		t.Fatal(err)
	}
	return out.Text
}

func page(n int64, url string) TabInfo {
	return TabInfo{Tab: n, Key: "key-" + url, Window: 7, Active: n == 1, URL: url, Title: "Title"}
}

func TestTabsAreThoseOfTheBrowser(t *testing.T) {
	p := newFakePeer(page(1, "http://a.example/"))
	drive(t, p, func(t *testing.T, r *rig) {
		tab := r.tab("t1")
		if tab.URL != "http://a.example/" || tab.Title != "Title" || !tab.Active || tab.Window != "w7" || tab.Caps&browser.CanRead == 0 || tab.Caps&browser.CanTrustedInput != 0 {
			t.Errorf("tab is %+v", tab)
		}
		p.tell("tabOpened", TabInfo{Tab: 2, Key: "second", URL: "http://b.example/", Closed: "a page of the browser's own"})
		if tab := r.tab("t2"); tab.Untouchable != "a page of the browser's own" || tab.Caps&browser.CanRead != 0 {
			t.Errorf("tab is %+v", tab)
		}
		err := r.Do(t.Context(), browser.Target{Tab: "t2", Origins: browser.AnyOrigin()}, browser.Snapshot{}, nil)
		if browser.CodeOf(err) != browser.CodeNotSupported || !strings.Contains(err.Error(), "a page of the browser's own") {
			t.Errorf("snapshot says %v", err)
		}
		p.tell("powersChange", Powers{Full: true, Scripts: true})
		if tab := r.tab("t1"); tab.Caps&browser.CanTrustedInput == 0 {
			t.Error("full power does not show")
		}
		p.tell("tabClosed", TabGone{Tab: 2, Why: "private"})
		if tab := r.tab("t2"); tab.ID != "" {
			t.Error("a tab that was made private is still there")
		}
	})
}

func TestReading(t *testing.T) {
	p := newFakePeer(page(1, "http://a.example/"))
	p.frames[1] = append(p.frames[1], FrameInfo{Frame: 15032385537, Parent: 0, Document: "inner", URL: "http://b.example/"})
	drive(t, p, func(t *testing.T, r *rig) {
		if got := r.text(t, "t1"); !strings.Contains(got, "text of doc-1") {
			t.Errorf("text is %q", got)
		}
		if n := p.called("name"); n != 1 {
			t.Errorf("the frame was named %d times", n)
		}
		if frames := r.tab("t1").Frames; len(frames) != 2 || frames[1].Origin != "http://b.example" {
			t.Errorf("frames are %+v", frames)
		}
	})
}

func document(n int64, doc, url string) []fakeEvent {
	return []fakeEvent{
		{"began", Navigating{Tab: n, URL: url}},
		{"requested", Requested{Tab: n, ID: doc, URL: url, Method: "GET", Type: "main_frame"}},
		{"responded", Responded{Tab: n, ID: doc, URL: url, Type: "main_frame", Status: 201}},
		{"committed", Committed{Tab: n, Parent: -1, Document: doc, URL: url}},
		{"requestEnded", RequestEnded{Tab: n, ID: doc}},
		{"domReady", DocumentAt{Tab: n, Document: doc, URL: url}},
		{"loaded", DocumentAt{Tab: n, Document: doc, URL: url}},
	}
}

func TestNavigating(t *testing.T) {
	tests := []struct {
		name string
		went []fakeEvent
		want browser.Navigation
		code browser.Code
	}{
		{"document", document(1, "next", "http://b.example/"), browser.Navigation{URL: "http://b.example/", Doc: 2, Status: 201, Title: "Title"}, ""},
		{"within", []fakeEvent{{"moved", DocumentAt{Tab: 1, Document: "doc-1", URL: "http://a.example/#x"}}}, browser.Navigation{URL: "http://a.example/#x", Doc: 1, SameDoc: true, Title: "Title"}, ""},
		{"refused", []fakeEvent{{"began", Navigating{Tab: 1, URL: "http://b.example/"}}, {"failed", NavigationFailed{Tab: 1, URL: "http://b.example/", Error: "net::ERR_CONNECTION_REFUSED", Shown: true}}}, browser.Navigation{}, browser.CodePageError},
		{"nothing", []fakeEvent{{"began", Navigating{Tab: 1, URL: "http://b.example/"}}, {"failed", NavigationFailed{Tab: 1, URL: "http://b.example/", Error: "net::ERR_ABORTED"}}}, browser.Navigation{}, browser.CodePageError},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			p := newFakePeer(page(1, "http://a.example/"))
			p.went = func(GoArgs) []fakeEvent {
				for _, e := range c.went {
					if d, ok := e.body.(Committed); ok {
						p.frames[1] = []FrameInfo{{Parent: -1, Document: d.Document, URL: d.URL}}
					}
				}
				return c.went
			}
			drive(t, p, func(t *testing.T, r *rig) {
				var got browser.Navigation
				err := r.Do(t.Context(), browser.Target{Tab: "t1", Origins: browser.AnyOrigin()}, browser.Navigate{URL: "http://b.example/"}, &got)
				if browser.CodeOf(err) != c.code {
					t.Fatalf("error is %v", err)
				}
				if c.code == "" && (got.URL != c.want.URL || got.Doc != c.want.Doc || got.Status != c.want.Status || got.SameDoc != c.want.SameDoc) {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestTravelling(t *testing.T) {
	p := newFakePeer(page(1, "http://a.example/"))
	p.frames[1] = append(p.frames[1], FrameInfo{Frame: 5, Parent: 0, Document: "inner", URL: "http://a.example/inner"})
	p.went = func(a GoArgs) []fakeEvent {
		if a.To == "forward" {
			p.frames[1][1].Document, p.frames[1][1].URL = "inner 2", "http://a.example/inner2"
			return []fakeEvent{{"committed", Committed{Tab: 1, Frame: 5, Parent: 0, Document: "inner 2", URL: "http://a.example/inner2"}}}
		}
		p.frames[1] = []FrameInfo{{Parent: -1, Document: "before", URL: "http://a.example/before"}}
		return []fakeEvent{{"committed", Committed{Tab: 1, Parent: -1, Document: "before", URL: "http://a.example/before", Restored: true}}}
	}
	drive(t, p, func(t *testing.T, r *rig) {
		to := browser.Target{Tab: "t1", Origins: browser.AnyOrigin()}
		var got browser.Navigation
		if err := r.Do(t.Context(), to, browser.Navigate{To: browser.Forward}, &got); err != nil || !got.InFrame || got.Doc != 1 {
			t.Errorf("forward: %+v, %v", got, err)
		}
		if err := r.Do(t.Context(), to, browser.Navigate{To: browser.Back}, &got); err != nil || got.URL != "http://a.example/before" || got.Doc != 2 {
			t.Errorf("back: %+v, %v", got, err)
		}
		p.mu.Lock()
		p.failed["go"] = &browser.Error{Code: browser.CodePageError, Msg: "there is no page to go back to"}
		p.mu.Unlock()
		if err := r.Do(t.Context(), to, browser.Navigate{To: browser.Back}, &got); browser.CodeOf(err) != browser.CodePageError {
			t.Errorf("back from the first: %v", err)
		}
	})
}

func TestAfterAGap(t *testing.T) {
	p := newFakePeer(page(1, "http://a.example/"), page(2, "http://b.example/"))
	drive(t, p, func(t *testing.T, r *rig) {
		r.text(t, "t1")
		id := browser.TabID("t1")
		if r.tab(id).URL != "http://a.example/" {
			id = "t2"
			r.text(t, id)
		}
		p.mu.Lock()
		delete(p.tabs, 2)
		i := p.tabs[1]
		i.URL = "http://a.example/2"
		p.tabs[1], p.tabs[3] = i, page(3, "http://c.example/")
		p.frames[1] = []FrameInfo{{Parent: -1, Document: "other", URL: i.URL}}
		p.mu.Unlock()
		p.tell(Resumed, nil)
		if got := r.tab(id); got.Doc != 2 || got.URL != "http://a.example/2" {
			t.Errorf("the tab is %+v", got)
		}
		if got := r.text(t, id); !strings.Contains(got, "text of other") {
			t.Errorf("text is %q", got)
		}
		if got := r.tab("t3"); got.URL != "http://c.example/" {
			t.Errorf("the new tab is %+v", got)
		}
		r.mu.Lock()
		n := len(r.tabs)
		r.mu.Unlock()
		if n != 2 {
			t.Errorf("%d tabs", n)
		}
	})
}

func TestQuiet(t *testing.T) {
	p := newFakePeer(page(1, "http://a.example/"))
	p.went = func(GoArgs) []fakeEvent {
		p.frames[1] = []FrameInfo{{Parent: -1, Document: "next", URL: "http://b.example/"}}
		return append(document(1, "next", "http://b.example/"), fakeEvent{"requested", Requested{Tab: 1, ID: "9", URL: "http://b.example/x", Type: "xmlhttprequest"}})
	}
	drive(t, p, func(t *testing.T, r *rig) {
		time.AfterFunc(2*time.Second, func() { p.tell("requestEnded", RequestEnded{Tab: 1, ID: "9"}) })
		began := time.Now()
		err := r.Do(t.Context(), browser.Target{Tab: "t1", Origins: browser.AnyOrigin()}, browser.Navigate{URL: "http://b.example/", Wait: browser.WaitIdle}, nil)
		if took := time.Since(began); err != nil || took != 2*time.Second+quiet {
			t.Errorf("idle after %v, %v", took, err)
		}
	})
}

func TestDialogThatNobodyCanSee(t *testing.T) {
	for _, full := range []bool{false, true} {
		p := newFakePeer(page(1, "http://a.example/"))
		p.hello.Full, p.hangs = full, map[string]bool{"ask": true, "debug": true}
		drive(t, p, func(t *testing.T, r *rig) {
			err := r.Do(t.Context(), browser.Target{Tab: "t1", Origins: browser.AnyOrigin()}, browser.Snapshot{}, nil)
			if told := err != nil && strings.Contains(err.Error(), "a dialog may be open"); browser.CodeOf(err) != browser.CodeTimeout || told == full {
				t.Errorf("full power %v: a page that does not answer is told as %v", full, err)
			}
		})
	}
}
