package cdp

import (
	"strings"

	"github.com/chromedp/cdproto/cdp"
)

// first stands for the loader of the empty document that a frame begins with:
// the browser tells of none.
const first = "first"

// empty says why there is nothing to read in the empty document that a frame
// began with.
func (f *frame) empty() string {
	switch {
	case f.idle:
		return "its address brought no document: an empty answer, a download, or what the browser does not open here"
	case f.loader == "":
		return "it has not begun to load; it may wait to be scrolled into view"
	}
	return ""
}

// missing says why a frame cannot be read.
func (f *frame) missing() string {
	switch {
	case f.crashed:
		return "it crashed; a reload brings it back"
	case f.fault != "" && f.parent != nil:
		return "the browser shows an error instead: " + netReason(f.fault)
	case f.session == "" || f.loader == "" && f.begun:
		return "it is still loading"
	}
	return ""
}

// frameBegins notes that a frame within a page loads something.
func (d *Driver) frameBegins(s *session, p frameEvent) {
	if f := s.tab.frames[cdp.FrameID(p.ID)]; f != nil && f.session == s.id {
		f.begun, f.loading = true, true
	}
}

// frameEnds notes that a frame within a page loads nothing any more. When no
// document came, the one that it began with can be read: pages write into it.
func (d *Driver) frameEnds(s *session, p frameEvent) {
	f := s.tab.frames[cdp.FrameID(p.ID)]
	if f == nil || f.session != s.id {
		return
	}
	f.loading, f.pending = false, ""
	s.tab.stir()
	if f.loader != "" {
		return
	}
	f.loader, f.idle = first, true
	if f.parent != nil {
		f.origin = f.parent.origin
	}
	d.changed(s.tab)
}

// mostFailures is how many failed requests for documents of frames are kept
// until the browser tells which document it shows instead.
const mostFailures = 100

// frameFailed notes why a document of a frame did not come; its request has its
// loader's id. d.mu is held.
func (t *tab) frameFailed(loader, why string) {
	if t.failures == nil || len(t.failures) >= mostFailures {
		t.failures = make(map[string]string)
	}
	t.failures[loader] = why
	for _, f := range t.frames {
		if f.loader == loader && f.fault != "" {
			f.fault = why
		}
	}
}

// netReason explains a network error in a few words.
func netReason(code string) string {
	name := strings.TrimPrefix(code, "net::")
	for _, e := range netErrors {
		if strings.HasPrefix(name, e.name) {
			return e.msg + " (" + name + ")"
		}
	}
	return name
}
