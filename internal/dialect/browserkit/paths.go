package browserkit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
)

// documents number the documents of tabs, from 1 in each tab, as the session
// saw them. A frame that shows another document gets another number.
type documents map[browser.TabID]*numbered

type numbered struct {
	ids   map[document]int
	known []document // by number, less one
}

// document is one document of a tab: native numbers of frames are never used
// again, but for the main frame, of which the tab's own number tells.
type document struct {
	frame browser.FrameID
	doc   int // of the main frame, else 0
}

// reread is what to do about a path that leads nowhere.
const reread = " — re-read readable-elements"

// frame is the id of a document of the tab, given now if it has none.
func (d *Dialect) frame(tab browser.TabID, frame browser.FrameID, doc int) string {
	which := document{frame: frame}
	if frame == "" {
		which.doc = doc
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.documents == nil {
		d.documents = documents{}
	}
	n := d.documents[tab]
	if n == nil {
		n = &numbered{ids: map[document]int{}}
		d.documents[tab] = n
	}
	id, ok := n.ids[which]
	if !ok {
		n.known = append(n.known, which)
		id = len(n.known)
		n.ids[which] = id
	}
	return "f" + strconv.FormatInt(int64(id), 36)
}

// forget drops what is known of tabs that are gone; d.mu is held.
func (d *Dialect) forget(open func(browser.TabID) bool) {
	for tab := range d.documents {
		if !open(tab) {
			delete(d.documents, tab)
		}
	}
}

func pathOf(frame string, n int) string { return frame + ":e" + strconv.FormatInt(int64(n), 36) }

var (
	numeric    = regexp.MustCompile(`^[0-9]+$`)
	positional = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)
	frameID    = regexp.MustCompile(`^f([0-9a-z]+)$`)
	elementID  = regexp.MustCompile(`^e([0-9a-z]+)$`)
)

// ref is the element that a readable path names in a tab, or why there is none.
func (d *Dialect) ref(t browser.Tab, path string) (browser.Ref, string) {
	shown := strconv.Quote(path)
	if len(path) > longestName {
		return browser.Ref{}, "Malformed frame-qualified path: it is too long"
	}
	frame, element, ok := strings.Cut(path, ":")
	f, e := frameID.FindStringSubmatch(frame), elementID.FindStringSubmatch(element)
	switch {
	case !ok:
		return browser.Ref{}, "Malformed frame-qualified path: " + strings.Trim(shown, `"`)
	case numeric.MatchString(frame):
		return browser.Ref{}, shown + " uses a numeric frame id; frame ids are now stable ids (e.g. f1:e1a)" + reread
	case f == nil:
		return browser.Ref{}, "Malformed frame-qualified path: " + strings.Trim(shown, `"`)
	}
	id, _ := strconv.ParseInt(f[1], 36, 64) // beyond its range it is none that was given
	which, known := d.document(t.ID, id)
	switch {
	case !known:
		return browser.Ref{}, "Frame " + frame + " no longer exists" + reread
	case which.frame == "" && which.doc != t.Doc:
		return browser.Ref{}, "Frame was reloaded or navigated since it was read" + reread
	case which.frame != "" && !shows(t, which.frame):
		return browser.Ref{}, "Frame " + frame + " no longer exists" + reread
	case positional.MatchString(element):
		return browser.Ref{}, strconv.Quote(element) + " is a positional path; readable paths are now element ids (e.g. e1a)" + reread
	case e == nil:
		return browser.Ref{}, "Malformed frame-qualified path: " + strings.Trim(shown, `"`)
	}
	n, err := strconv.ParseInt(e[1], 36, 32)
	if err != nil || n < 1 {
		return browser.Ref{}, goneElement(path)
	}
	return browser.Ref{Frame: which.frame, N: int(n)}, ""
}

func goneElement(path string) string {
	_, element, _ := strings.Cut(path, ":")
	return fmt.Sprintf("Element %s no longer exists%s", element, reread)
}

// document is the one that a number of a frame stands for.
func (d *Dialect) document(tab browser.TabID, id int64) (document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.documents[tab]
	if n == nil || id < 1 || id > int64(len(n.known)) {
		return document{}, false
	}
	return n.known[id-1], true
}

// shows tells whether a tab has the frame, as far as its frames are known.
func shows(t browser.Tab, frame browser.FrameID) bool {
	for _, f := range t.Frames {
		if f.ID == frame {
			return true
		}
	}
	return len(t.Frames) == 0
}
