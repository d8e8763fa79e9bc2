package cdp

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

// part is what is recorded of a frame of another process behind an extension,
// where sessions within that of the page serve nothing else, and which frame it
// is may be known later.
type part struct {
	messages  []int // numbers of those whose frame was not known
	exchanges []*exchange
}

// waits notes a message whose frame is not known.
func (p *part) waits(message int) {
	if len(p.messages) < messagesMost {
		p.messages = append(p.messages, message)
	}
}

// partAttached begins to record a part. It may wait for that.
func (d *Driver) partAttached(s *session, p attachedEvent) {
	if d.scripting == nil {
		return
	}
	frame := cdp.FrameID(p.Info.ID)
	d.sessions[p.Session] = &session{id: p.Session, tab: s.tab, parent: s.id, frame: frame, part: new(part), heard: s.tab.record.heard[frame]}
	d.listenToNetwork(d.conn, p.Session)
	for _, c := range d.dressing(browser.Emulation{}, s.tab.emulated, false) {
		post(d.conn, p.Session, c.method, c.params)
	}
	post(d.conn, p.Session, runtime.CommandRunIfWaitingForDebugger, nil)
}

// partFound takes over which frame a part is.
func (d *Driver) partFound(s *session, p targetEvent) {
	if s.part != nil && p.Info.ID != "" {
		s.frame = cdp.FrameID(p.Info.ID)
	}
}

func (d *Driver) partDetached(_ *session, p detachedEvent) {
	s := d.sessions[p.Session]
	if s == nil || s.part == nil {
		return
	}
	s.place()
	delete(d.sessions, p.Session)
	if heard := s.tab.record.heard; s.frame != "" && len(heard) < messagesMost {
		heard[s.frame] = max(heard[s.frame], s.said)
	}
}

// recordingEnds notes that the debugger of a page was let go of, which may come
// back.
func (d *Driver) recordingEnds(s *session, _ struct{}) {
	s.heard = s.said
	clear(s.realms)
}

// placeParts gives frames to what was recorded before they were known.
func (d *Driver) placeParts(t *tab) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.sessions {
		if s.tab == t && s.part != nil {
			s.place()
		}
	}
}

// place is placeParts of one. Driver.mu is held.
func (s *session) place() {
	f, r := s.tab.frames[s.frame], s.tab.record
	if f == nil {
		return
	}
	for _, n := range s.part.messages {
		if i := n - r.messages.dropped - 1; i >= 0 && i < len(r.messages.list) {
			r.messages.list[i].Frame = s.tab.numberOf(f)
		}
	}
	for _, x := range s.part.exchanges {
		x.frame, x.Frame = f, s.tab.numberOf(f)
	}
	*s.part = part{}
}
