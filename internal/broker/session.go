package broker

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// Client is who a session is for, and its settings.
type Client struct {
	Name     string   // as rules name it
	ReadOnly bool     // it may only read, whatever the rules allow
	Root     *os.Root // the working folder; nil: none
	// Structured fills Outcome.Structured.
	Structured bool
	PageTools  PageTools
	// Dialect is what the session's tools are a vocabulary of; nil: they are our
	// own. When the current tab goes, the first of the others becomes current.
	Dialect tool.Dialect
}

// PageTools say how a client is offered the tools of pages; the zero value is
// the default.
type PageTools struct {
	NoPair  bool // list_page_tools and call_page_tool are not listed, but can be called
	NoList  bool // page tools are no tools of their own
	NoForms bool // form tools are hidden
	Strict  bool // see tool.Env
}

// Session is the connection of one client. It may be used concurrently.
type Session struct {
	b      *Broker
	id     string // that no other session has, of other processes neither
	client Client
	folder string
	tools  []tool.Tool
	byName map[string]*tool.Tool

	// The Broker's mutex guards these.
	closed  bool
	current browser.TabID
	lostTab browser.TabID // the current tab that went away, until it is told
	lost    *attached     // the browser that went away, until it is told
	seen    map[browser.TabID]uint64
	opened  uint64 // news before this are old
	shots   shots
	told    map[browser.TabID]*told

	names   toolNames
	changed chan struct{} // see PageToolsChanged
	moved   chan struct{} // see Resources.Moved; nil without resources
}

// Open begins a session with the tools that its client is offered.
func (b *Broker) Open(c Client, tools []tool.Tool) *Session {
	s := &Session{b: b, client: c, tools: tools, byName: make(map[string]*tool.Tool, len(tools)), seen: map[browser.TabID]uint64{},
		told: map[browser.TabID]*told{}, changed: make(chan struct{}, 1)}
	for i := range tools {
		s.byName[tools[i].Spec.Name] = &tools[i]
	}
	if c.Root != nil {
		if s.folder, _ = filepath.Abs(c.Root.Name()); s.folder != "" { // without it paths are outside of it
			s.folder, _ = unlinked(s.folder)
		}
	}
	if s.Resources() != nil {
		s.moved = make(chan struct{}, 1)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clients++
	s.id = b.run + "-" + strconv.Itoa(b.clients)
	s.opened = b.news
	b.sessions[s] = struct{}{}
	return s
}

// Known lists all tools of the session: a call of one that the rules deny is
// told why.
func (s *Session) Known() []tool.Tool { return s.tools }

// Tools lists the tools, without those that the client does not want and those
// that the rules deny whatever they are used on.
func (s *Session) Tools() []tool.Tool {
	p := s.b.o.Policy()
	return slices.DeleteFunc(slices.Clone(s.tools), func(t tool.Tool) bool {
		if s.client.PageTools.NoPair && (t.Spec.Name == listPageTools || t.Spec.Name == callPageTool) {
			return true
		}
		return p.NeverAllowed(s.client.Name, s.client.ReadOnly, t.Spec.Action)
	})
}

// Close ends the session: its claims end, and the tabs that it opened are
// closed but for those to keep. It returns when they are, or ctx ends.
func (s *Session) Close(ctx context.Context) {
	type closing struct {
		on *attached
		id browser.TabID
	}
	var all []closing
	b := s.b
	b.mu.Lock()
	s.closed = true
	delete(b.sessions, s)
	for id, t := range b.tabs {
		if t.claim.by == s {
			t.claim = claim{}
		}
		if t.owner == s {
			t.owner = nil
			if !t.keep {
				all = append(all, closing{t.on, id})
			}
		}
	}
	b.mu.Unlock()
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() { b.closeTab(ctx, c.on, c.id) })
	}
	wg.Wait()
}

// closeTab closes a tab that nobody waits for.
func (b *Broker) closeTab(ctx context.Context, on *attached, id browser.TabID) {
	to := browser.Target{Browser: on.id, Tab: id, Origins: browser.AnyOrigin()}
	if err := on.driver.Do(ctx, to, browser.CloseTab{}, nil); err != nil {
		b.o.Log.Debug("tab of an ended session not closed", "tab", id, "error", err)
	}
}

// Request is one call.
type Request struct {
	Name     string
	Native   *tool.Tool // nil: the session's tool of that name; for what the program itself calls
	Args     json.RawMessage
	Progress func(done, total float64, message string) // nil: the client wants none
	Caller   string                                    // what the client calls itself, for people; it may be anything
}

// Outcome is what a call answers.
type Outcome struct {
	Text       string
	Images     []tool.Image
	Resources  []tool.Resource
	Failed     bool            // a page tool says that it failed; Text tells how
	Declined   bool            // Text tells why there is no answer; see tool.Reply
	Structured json.RawMessage // when the client wants it
}
