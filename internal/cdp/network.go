package cdp

import (
	"strings"
	"time"
)

// requestKey names a request of one session.
type requestKey struct{ session, id string }

// request is one that is under way.
type request struct {
	seq    int
	loader string
}

type requestEvent struct {
	ID       string `json:"requestId"`
	Loader   string `json:"loaderId"`
	Frame    string `json:"frameId"`
	Type     string `json:"type"`
	Error    string `json:"errorText"`
	Response struct {
		Status   int    `json:"status"`
		MimeType string `json:"mimeType"`
	} `json:"response"`
}

// lasting tells that requests of this type stay open by design, or that
// nothing in the page waits for them.
func lasting(kind string) bool {
	switch kind {
	case "WebSocket", "EventSource", "Ping", "Preflight", "CSPViolationReport", "Prefetch", "Media":
		return true
	}
	return false
}

func (d *Driver) requestWillBeSent(s *session, p requestEvent) {
	if lasting(p.Type) {
		return
	}
	t := s.tab
	key := requestKey{s.id, p.ID}
	if t.requests[key] != nil {
		return // redirected
	}
	t.seq++
	t.requests[key] = &request{seq: t.seq, loader: p.Loader}
	t.nav.last, t.nav.lastSeen = time.Now(), t.seq
	t.stir()
}

func (d *Driver) responseReceived(s *session, ev Event) {
	var p requestEvent
	if !d.decode(ev, &p) {
		return
	}
	t := s.tab
	if p.Type == "Document" && p.ID == p.Loader && s.id == t.session && p.Frame == string(s.frame) {
		t.nav.answer = docAnswer{loader: p.Loader, status: p.Response.Status}
		if p.Response.Status == statusAuth || p.Response.Status == statusProxyAuth {
			d.noteChallenge(s, ev)
		}
		if t.root.loader == p.Loader {
			t.nav.status, t.nav.asks = p.Response.Status, t.nav.answer.asks
		}
	}
	if strings.HasPrefix(p.Response.MimeType, "text/event-stream") {
		d.loadingEnded(s, p)
	}
}

func (d *Driver) loadingEnded(s *session, p requestEvent) {
	t := s.tab
	if p.Error != "" && p.Type == "Document" && s.id == t.session {
		if t.nav.answer.loader != p.ID {
			t.nav.answer = docAnswer{loader: p.ID}
		}
		t.nav.answer.failed = p.Error // a document's request has its loader's id
		if t.root.loader == p.ID && t.nav.failed != "" {
			if t.nav.failed = p.Error; p.Error == authFailure {
				d.askLogin(t)
				d.changed(t)
			}
		}
	}
	if p.Error != "" && p.Type == "Document" {
		t.frameFailed(p.ID, p.Error)
	}
	key := requestKey{s.id, p.ID}
	if t.requests[key] != nil {
		delete(t.requests, key)
		t.stir()
	}
}

// arrived ends the request for a document that has come into another process
// than asked for it: that one's session tells no end of it.
func (t *tab) arrived(session, loader string) {
	for k := range t.requests {
		if k.id == loader && k.session != session {
			delete(t.requests, k)
		}
	}
}

// dropRequests forgets those of a session that is gone.
func (t *tab) dropRequests(session string) {
	for k := range t.requests {
		if k.session == session {
			delete(t.requests, k)
		}
	}
}
