package cdp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

// Bounds of one message.
const (
	messageMost = 4000 // characters
	stackMost   = 10   // lines
	heldMost    = 100  // values that the page keeps for us
)

// realm is a world of a page in which code runs.
type realm struct {
	frame  string
	origin browser.Origin
}

type contextEvent struct {
	Context struct {
		ID     int64  `json:"id"`
		Origin string `json:"origin"`
		Aux    struct {
			Frame string `json:"frameId"`
		} `json:"auxData"`
	} `json:"context"`
}

func (d *Driver) contextCreated(s *session, p contextEvent) {
	if s.realms == nil {
		s.realms = make(map[int64]realm)
	}
	s.realms[p.Context.ID] = realm{p.Context.Aux.Frame, browser.OriginOf(p.Context.Origin)}
}

type contextGone struct {
	ID int64 `json:"executionContextId"`
}

func (d *Driver) contextDestroyed(s *session, p contextGone) { delete(s.realms, p.ID) }

func (d *Driver) contextsCleared(s *session, _ struct{}) { clear(s.realms) }

type callFrame struct {
	Function string `json:"functionName"`
	URL      string `json:"url"`
	Line     int    `json:"lineNumber"`
	Column   int    `json:"columnNumber"`
}

type stackTrace struct {
	Frames []callFrame `json:"callFrames"`
	Parent *stackTrace `json:"parent"`
}

func (f callFrame) place() string { return place3(f.URL, f.Line, f.Column) }

// place3 is a place in a source as people count, from 1.
func place3(url string, line, column int) string {
	if url == "" {
		return ""
	}
	return cut(url, addressMost) + ":" + strconv.Itoa(line+1) + ":" + strconv.Itoa(column+1)
}

func (s *stackTrace) source() string {
	if s == nil || len(s.Frames) == 0 {
		return ""
	}
	return s.Frames[0].place()
}

func (s *stackTrace) lines() []string {
	var out []string
	for ; s != nil; s = s.Parent {
		for _, f := range s.Frames {
			if len(out) == stackMost {
				return out
			}
			if f.Function == "" {
				out = append(out, "at "+f.place())
			} else {
				out = append(out, "at "+cut(f.Function, 200)+" ("+f.place()+")")
			}
		}
	}
	return out
}

// made tells where a message of a session comes from. d.mu is held.
func (d *Driver) made(s *session, context int64, ms float64) browser.Made {
	t := s.tab
	m := browser.Made{N: t.record.messages.next(), Doc: t.doc, At: time.UnixMilli(int64(ms)), Origin: browser.OriginOf(t.url)}
	if s.worker != "" {
		m.Worker, m.Origin = true, browser.OriginOf(s.worker)
		return m
	}
	f := t.frames[s.frame]
	if f == nil && s.part != nil {
		m.Origin = browser.OpaqueOrigin
	}
	in, ok := s.realms[context]
	if ok {
		m.Origin = in.origin
		if at := t.frames[cdp.FrameID(in.frame)]; at != nil {
			f = at
		}
	}
	if f == nil && s.part != nil {
		s.part.waits(m.N)
	}
	if f != nil {
		m.Frame = t.numberOf(f)
		if !ok && f.loader != "" {
			m.Origin = f.origin
		}
	}
	return m
}

// note records a message, or counts it with the one before, if that is the same.
func (d *Driver) note(t *tab, m browser.Message) {
	r := &t.record.messages
	m.Text, m.Cut = bounded(m.Text, messageMost)
	if len(m.Stack) == 1 && strings.Contains(m.Stack[0], m.Source) {
		m.Stack = nil // it says no more
	}
	if n := len(r.list); n > 0 {
		last := &r.list[n-1]
		if last.Text == m.Text && last.Level == m.Level && last.Kind == m.Kind && last.Source == m.Source && last.Frame == m.Frame &&
			last.Doc == m.Doc && last.Worker == m.Worker && last.Origin == m.Origin && last.Request == m.Request {
			last.Times++
			last.At = m.At
			return
		}
	}
	m.Times = 1
	size := len(m.Text) + len(m.Source) + 200
	for _, l := range m.Stack {
		size += len(l)
	}
	r.add(m, size)
}

type consoleEvent struct {
	Type    string         `json:"type"`
	Args    []remoteObject `json:"args"`
	Context int64          `json:"executionContextId"`
	Time    float64        `json:"timestamp"`
	Stack   *stackTrace    `json:"stackTrace"`
}

func (d *Driver) consoleCalled(s *session, p consoleEvent) {
	d.release(s, p.Args)
	if s.again(p.Time) {
		return
	}
	m := browser.Message{Made: d.made(s, p.Context, p.Time), Level: browser.LevelInfo, Kind: p.Type, Source: p.Stack.source(), Text: printed(p.Args)}
	switch p.Type {
	case "error":
		m.Level, m.Stack = browser.LevelError, p.Stack.lines()
	case "assert":
		m.Level, m.Stack, m.Text = browser.LevelError, p.Stack.lines(), strings.TrimSpace("assertion failed: "+m.Text)
	case "warning":
		m.Level = browser.LevelWarning
	case "debug":
		m.Level = browser.LevelDebug
	case "trace":
		m.Stack = p.Stack.lines()
	case "endGroup", "profile", "profileEnd":
		return
	case "startGroup", "startGroupCollapsed":
		m.Kind = "group"
	case "clear":
		m.Text = "the console was cleared; what was in it is kept here"
	}
	m.Text, m.Stack = split(m.Text, m.Stack)
	d.note(s.tab, m)
}

// again tells whether a message of a time was recorded before: a debugger that
// comes back is told all that the page has written.
func (s *session) again(ms float64) bool {
	s.said = max(s.said, ms)
	return ms <= s.heard
}

// release lets the page forget the values of messages, which it would keep for
// us for ever.
func (d *Driver) release(s *session, args []remoteObject) {
	for i := range args {
		if args[i].ObjectID != "" {
			s.held++
		}
	}
	if s.held >= heldMost {
		s.held = 0
		post(d.conn, s.id, runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: "console"})
	}
}

// split takes the stack off an error's description.
func split(text string, stack []string) (string, []string) {
	at := strings.Index(text, "\n    at ")
	if at < 0 {
		return text, stack
	}
	stack = nil
	for line := range strings.SplitSeq(text[at+1:], "\n") {
		if len(stack) == stackMost {
			break
		}
		if line = strings.TrimSpace(line); line != "" {
			stack = append(stack, cut(line, 500))
		}
	}
	return text[:at], stack
}

type thrownEvent struct {
	Time    float64 `json:"timestamp"`
	Details struct {
		ID      int           `json:"exceptionId"`
		Text    string        `json:"text"`
		Line    int           `json:"lineNumber"`
		Column  int           `json:"columnNumber"`
		URL     string        `json:"url"`
		Stack   *stackTrace   `json:"stackTrace"`
		Thrown  *remoteObject `json:"exception"`
		Context int64         `json:"executionContextId"`
	} `json:"exceptionDetails"`
}

func (d *Driver) exceptionThrown(s *session, p thrownEvent) {
	x := p.Details
	if s.again(p.Time) {
		return
	}
	m := browser.Message{Made: d.made(s, x.Context, p.Time), Level: browser.LevelError, Kind: "exception", Text: x.Text, Source: x.Stack.source(), Stack: x.Stack.lines()}
	if m.Source == "" {
		m.Source = place3(x.URL, x.Line, x.Column)
	}
	if strings.Contains(x.Text, "in promise") {
		m.Kind = "rejection"
	}
	if x.Thrown != nil {
		d.release(s, []remoteObject{*x.Thrown})
		m.Text = strings.TrimSpace(m.Text + " " + x.Thrown.inside())
	}
	m.Text, m.Stack = split(m.Text, m.Stack)
	s.tab.record.thrown = append(s.tab.record.thrown, thrown{s.id, x.ID, m.N})
	if over := len(s.tab.record.thrown) - heldMost; over > 0 {
		s.tab.record.thrown = s.tab.record.thrown[over:]
	}
	d.note(s.tab, m)
}

// thrown tells which message an exception became.
type thrown struct {
	session   string
	exception int
	message   int
}

type revokedEvent struct {
	ID int `json:"exceptionId"`
}

// exceptionRevoked notes that a rejection was handled in the end.
func (d *Driver) exceptionRevoked(s *session, p revokedEvent) {
	r := s.tab.record
	for _, th := range r.thrown {
		if th.session != s.id || th.exception != p.ID {
			continue
		}
		for i := range r.messages.list {
			if m := &r.messages.list[i]; m.N == th.message && m.Times == 1 {
				m.Level, m.Text = browser.LevelInfo, m.Text+" (handled later)"
			}
		}
	}
}

type logEvent struct {
	Entry struct {
		Source  string  `json:"source"`
		Level   string  `json:"level"`
		Text    string  `json:"text"`
		Time    float64 `json:"timestamp"`
		URL     string  `json:"url"`
		Line    *int    `json:"lineNumber"`
		Request string  `json:"networkRequestId"`
		Worker  string  `json:"workerId"`
	} `json:"entry"`
}

// logAdded notes what the browser itself has to say about a page.
func (d *Driver) logAdded(s *session, p logEvent) {
	e := p.Entry
	if e.Worker != "" && s.tab.record.workers[e.Worker] {
		return // it tells so itself
	}
	if s.again(e.Time) {
		return
	}
	m := browser.Message{Made: d.made(s, 0, e.Time), Level: browser.LevelInfo, Kind: e.Source, Text: e.Text, Source: cut(e.URL, addressMost)}
	switch e.Level {
	case "verbose":
		m.Level = browser.LevelDebug
	case "warning":
		m.Level = browser.LevelWarning
	case "error":
		m.Level = browser.LevelError
	}
	if e.Line != nil && e.URL != "" {
		m.Source = fmt.Sprintf("%s:%d", m.Source, *e.Line+1)
	}
	if x := s.tab.record.byID[e.Request]; x != nil && e.Request != "" {
		m.Request, m.Origin, m.Frame = x.N, x.Origin, x.Frame
	}
	d.note(s.tab, m)
}
