package link

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"drawbridge/internal/cdp"
)

// recordParts has the parts of a page told as they come, so that they are
// recorded. The debugger is attached.
func (t *transport) recordParts(ctx context.Context, b *tab) {
	t.mu.Lock()
	a := b.debugging
	if a == nil || a.within[""] {
		t.mu.Unlock()
		return
	}
	a.tells("")
	t.mu.Unlock()
	if _, err := t.command(ctx, b, followParts, t.following()); err != nil {
		t.log.Debug("frames of other processes not recorded", "err", err)
	}
}

// tells notes that a session tells of the parts within it.
func (p *parts) tells(session string) {
	if p.within == nil {
		p.within = make(map[string]bool)
	}
	p.within[session] = true
}

// recordPart makes a session of a part for the driver, which sets it up. One
// that waits goes on when the driver says so; of another it is found out first
// which frame it is. t.mu is held.
func (t *transport) recordPart(b *tab, part, within, target string, waits bool) {
	a := b.debugging
	s := &session{id: b.session.id + "/" + part, tab: b, part: part, within: within, target: target, posts: make(chan post, 256)}
	if a.recorded == nil {
		a.recorded = make(map[string]*session)
	}
	a.recorded[part] = s
	a.tells(part)
	t.beginSession(s)
	t.Post(s.id, followParts, t.following())
	if _, known := a.names[target]; known || waits {
		t.tellPart(b, s)
		return
	}
	t.seek(b, s)
}

// seek finds out which frame a part is, and tells the driver. t.mu is held.
func (t *transport) seek(b *tab, s *session) {
	a := b.debugging
	s.sought = true
	t.spawn(func(ctx context.Context) {
		frame, err := t.findFrame(ctx, b, s.part, s.target)
		if err != nil {
			t.log.Debug("a frame that is recorded is not known", "err", err)
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		s.sought = false
		if b.debugging != a || a.recorded[s.part] != s || b.session == nil {
			return
		}
		if err == nil {
			a.name(s.target, frame)
		}
		t.tellPart(b, s)
	})
}

// seekAgain is seek of those parts whose frames are not known, as one of the
// frames shows another document. t.mu is held.
func (t *transport) seekAgain(b *tab) {
	if b.debugging == nil {
		return
	}
	for _, s := range b.debugging.recorded {
		if _, known := b.debugging.names[s.target]; !known && !s.sought {
			t.seek(b, s)
		}
	}
}

// tellPart tells the driver of the session of a part, or which frame it is. t.mu
// is held.
func (t *transport) tellPart(b *tab, s *session) {
	i := targetInfo{Type: "iframe"}
	if frame, known := b.debugging.names[s.target]; known {
		i.ID = b.name(frame)
	}
	if s.told {
		t.recordEvent(s.id, "Target.targetInfoChanged", targetEvent{i})
		return
	}
	s.told = true
	t.recordEvent(b.session.id, "Target.attachedToTarget", map[string]any{"sessionId": s.id, "targetInfo": i})
}

// recordEvent is event for what only serves to record. t.mu is held.
func (t *transport) recordEvent(session, method string, params any) {
	raw, err := json.Marshal(params)
	if err != nil || t.emit == nil {
		return
	}
	t.emit(cdp.Event{Session: session, Method: method, Params: raw, Record: true})
}

// endRecord ends the driver's session of a part, and of those within it. t.mu is
// held.
func (t *transport) endRecord(b *tab, part string) {
	a := b.debugging
	s := a.recorded[part]
	if s == nil {
		return
	}
	delete(a.recorded, part)
	for inner, o := range a.recorded {
		if o.within == part {
			t.endRecord(b, inner)
		}
	}
	t.endSession(s)
	if s.told && b.session != nil {
		t.recordEvent(b.session.id, "Target.detachedFromTarget", map[string]string{"sessionId": s.id})
	}
}

// endRecords is endRecord of all parts. t.mu is held.
func (t *transport) endRecords(b *tab) {
	for part := range b.debugging.recorded {
		t.endRecord(b, part)
	}
}

// goOn is the command that ends the wait of a part.
const goOn = "Runtime.runIfWaitingForDebugger"

// partOnly sends a command to a part without waiting for the reply.
func (t *transport) partOnly(ctx context.Context, s *session, p post) error {
	finish, err := t.begin(ctx, s.tab, s.part, p.method, p.params)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spawn(func(ctx context.Context) {
		err := finish(ctx, nil)
		if err == nil {
			return
		}
		t.log.Debug("command not done in a part", "method", p.method, "err", err)
		t.mu.Lock()
		a := s.tab.debugging
		stuck := p.method == goOn && a != nil && a.recorded[s.part] == s
		t.mu.Unlock()
		if stuck { // a browser too old to let anybody reach it: no frame is to wait for that
			if _, err := t.command(ctx, s.tab, followParts, map[string]bool{"autoAttach": false, "waitForDebuggerOnStart": false, "flatten": true}); err != nil {
				t.log.Warn("a frame of a page waits for a debugger", "err", err)
			}
		}
	})
	return nil
}

// setOut is that a frame has begun to go to an address.
type setOut struct {
	frame int64
	url   string
}

// Bounds of what is remembered of the frames of a tab.
const (
	setOutMost = 100
	namesMost  = 1000
)

// sets notes that a frame has begun to go elsewhere, of which the debugger tells
// next by its own name of it. transport.mu is held.
func (b *tab) sets(n Navigating) {
	a := b.debugging
	if a == nil || n.Frame == mainFrame || !strings.HasPrefix(n.URL, "http") {
		return
	}
	a.setOut = slices.DeleteFunc(a.setOut, func(s setOut) bool { return s.frame == n.Frame })
	if len(a.setOut) >= setOutMost {
		a.setOut = slices.Delete(a.setOut, 0, 1)
	}
	a.setOut = append(a.setOut, setOut{n.Frame, withoutFragment(n.URL)})
}

func withoutFragment(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

func (p *parts) name(debugged string, frame int64) {
	if p.names == nil || len(p.names) >= namesMost {
		p.names = make(map[string]int64)
	}
	p.names[debugged] = frame
}

// nameFrames gives a frame within the page, in an event that is recorded, the
// name by which the driver knows it. t.mu is held.
func (t *transport) nameFrames(b *tab, d DebugEvent) json.RawMessage {
	a := b.debugging
	if len(a.names) == 0 && len(a.setOut) == 0 {
		return d.Params
	}
	var debugged string
	switch d.Method {
	case "Network.requestWillBeSent":
		var p struct {
			Frame   string `json:"frameId"`
			Type    string `json:"type"`
			Request struct {
				URL string `json:"url"`
			} `json:"request"`
		}
		if json.Unmarshal(d.Params, &p) != nil {
			return d.Params
		}
		if debugged = p.Frame; p.Type == "Document" && debugged != a.frame {
			if s := a.meets(debugged, p.Request.URL); s != nil && s.told {
				t.tellPart(b, s)
			}
		}
	case "Runtime.executionContextCreated":
		var p contextCreated
		if json.Unmarshal(d.Params, &p) != nil {
			return d.Params
		}
		debugged = p.Context.Aux.Frame
	}
	frame, known := a.names[debugged]
	if !known {
		return d.Params
	}
	return bytes.ReplaceAll(d.Params, quoted(debugged), quoted(b.name(frame)))
}

type contextCreated struct {
	Context struct {
		Aux struct {
			Frame string `json:"frameId"`
		} `json:"auxData"`
	} `json:"context"`
}

// meets takes in that a frame asks for the document at an address: it is the one
// that set out for it first, of those whose names are not known. It returns the
// session of the part that is known by that, if there is one.
func (p *parts) meets(debugged, url string) *session {
	frame, known := p.names[debugged]
	at := slices.IndexFunc(p.setOut, func(s setOut) bool { return s.url == url && (!known || s.frame == frame) })
	if at < 0 {
		return nil
	}
	frame = p.setOut[at].frame
	p.setOut = slices.Delete(p.setOut, at, at+1)
	if known {
		return nil
	}
	p.name(debugged, frame)
	for _, s := range p.recorded {
		if s.target == debugged {
			return s
		}
	}
	return nil
}

// findFrame finds the frame of a part: the only one at its address, or the one
// that hears a word which is said there.
func (t *transport) findFrame(ctx context.Context, b *tab, part, target string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, partMost)
	defer cancel()
	raw, err := t.commandIn(ctx, b, part, "Page.getFrameTree", nil)
	if err != nil {
		return 0, err
	}
	var reply struct {
		Tree frameTree `json:"frameTree"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return 0, err
	}
	url := reply.Tree.Frame.URL + reply.Tree.Frame.Fragment
	var at []int64
	t.mu.Lock()
	for id, f := range b.frames {
		if id != mainFrame && f.url == url {
			at = append(at, id)
		}
	}
	t.mu.Unlock()
	if len(at) == 1 {
		return at[0], nil
	}
	return t.frameOf(ctx, b, pageFrame{session: part, id: target})
}
