package browser

import (
	"cmp"
	"strconv"
	"strings"
	"sync"
)

// TabID is the short id of a tab, such as "t3". It is never used for another
// tab while the program runs.
type TabID string

// BrowserID is the short id of an attached browser, such as "b1".
type BrowserID string

// WindowID names a window of one browser; its form is the driver's.
type WindowID string

// FrameID names one document of one frame within a tab: "" for the main frame,
// else "f2". A number is never used again within a tab: a frame that loads
// another document gets another number.
type FrameID string

// A Tab is what is known of one open tab. It is a value: nobody changes one
// they were given.
type Tab struct {
	ID      TabID
	Key     string // names the same tab on the wire and across restarts
	Browser BrowserID
	Window  WindowID
	Active  bool   // the selected tab of its window
	Opener  TabID  // the tab whose page opened this one, or ""
	Doc     int    // counts the documents that this tab has shown, from 1
	URL     string // of the document, or of the one being loaded first
	Title   string
	Loading bool
	Crashed bool       // its renderer died; a navigation revives it
	EndedBy TabID      // the tab with which it shared the renderer, when that was ended because its page hung
	Dialog  *Dialog    // open now, or nil
	Frames  []Frame    // what is known of them, the main frame first; none while nothing is attached
	Caps    Capability // what can be done to the tab now
	// Untouchable tells why nothing can be done to its page; "" when something can.
	Untouchable string
	Asleep      bool // the browser has unloaded its page; whatever is done to the tab loads it again
	Frozen      bool // the browser has stopped its page, until the tab is shown or led elsewhere
	// Emulated is how the tab is shown, when it is not as tabs usually are.
	Emulated string
}

// Crash says that the tab crashed, or was ended with another; "" when neither.
func (t Tab) Crash() string {
	switch {
	case !t.Crashed:
		return ""
	case t.EndedBy != "":
		return "ended with the page of " + string(t.EndedBy) + ", which hung and ran in the same process"
	}
	return "crashed"
}

// Frame is one frame of a tab.
type Frame struct {
	ID     FrameID
	Parent FrameID // of the parent's document; "" also for the main frame itself
	Origin Origin
	URL    string
	// Missing says why the frame cannot be read; empty when it can.
	Missing string
}

// DialogKind tells which dialog a page opened.
type DialogKind string

// The dialogs of HTML (section 8.9.1, and beforeunload of 7.5.8).
const (
	DialogAlert        DialogKind = "alert"
	DialogConfirm      DialogKind = "confirm"
	DialogPrompt       DialogKind = "prompt"
	DialogBeforeUnload DialogKind = "beforeunload"
	// DialogAuth asks for a user name and a password: HTTP authentication.
	DialogAuth DialogKind = "auth"
)

// Dialog is an open dialog of a page; its text is the page's words.
type Dialog struct {
	Kind    DialogKind
	Message string
	Default string // what a prompt offers
	URL     string // of the frame that opened it
	// Of DialogAuth, whose Message is the realm: how, and whether it is the
	// proxy that asks.
	Scheme string
	Proxy  bool
}

// Download is a file that a page caused to be downloaded.
type Download struct {
	ID    string // names it in its browser, where its name may yet change; may be empty
	Name  string
	Path  string // where it is kept; empty while it runs or when it failed
	URL   string
	Bytes int64
	State string // "running", "completed" or "interrupted"
}

// IDs hands out tab ids. One IDs serves all drivers of a process, so that an
// id is unique over every way in. The zero value is ready.
type IDs struct {
	mu    sync.Mutex
	tabs  map[string]TabID
	count int
}

// Tab returns the id of the tab with this key, the same one for the same key.
func (i *IDs) Tab(key string) TabID {
	i.mu.Lock()
	defer i.mu.Unlock()
	if id, ok := i.tabs[key]; ok {
		return id
	}
	if i.tabs == nil {
		i.tabs = make(map[string]TabID)
	}
	i.count++
	id := TabID("t" + strconv.Itoa(i.count))
	i.tabs[key] = id
	return id
}

// CompareTabs orders tabs by the number in their id.
func CompareTabs(a, b Tab) int {
	return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
}

// Ref names one element of one document: "e12" in the main frame, "f2:e5" in
// another. Numbers of elements are never used again within a main frame's tab,
// nor within a frame's document.
type Ref struct {
	Frame FrameID
	N     int // from 1; 0 is no ref
}

// IsZero tells whether r names nothing.
func (r Ref) IsZero() bool { return r.N == 0 }

// String is the form that clients see.
func (r Ref) String() string {
	if r.IsZero() {
		return ""
	}
	if r.Frame == "" {
		return "e" + strconv.Itoa(r.N)
	}
	return string(r.Frame) + ":e" + strconv.Itoa(r.N)
}

// ParseRef reads "e12" or "f2:e5".
func ParseRef(s string) (Ref, error) {
	bad := &Error{Code: CodeInvalidArguments, Msg: strconv.Quote(s) + " is not a ref",
		Hint: `a ref looks like "e12" or "f2:e5"; take one from a snapshot or from find`}
	var r Ref
	el := s
	if f, rest, ok := strings.Cut(s, ":"); ok {
		if !number(f, "f") {
			return Ref{}, bad
		}
		r.Frame, el = FrameID(f), rest
	}
	if !number(el, "e") {
		return Ref{}, bad
	}
	n, err := strconv.Atoi(el[1:])
	if err != nil {
		return Ref{}, bad
	}
	r.N = n
	return r, nil
}

// number tells whether s is the prefix and a number without leading zeros.
func number(s, prefix string) bool {
	d, ok := strings.CutPrefix(s, prefix)
	if !ok || d == "" || len(d) > 9 || d[0] == '0' {
		return false
	}
	return strings.Trim(d, "0123456789") == ""
}
