package browser

import "context"

// Effect tells what an op can do to a page; the zero value is invalid.
type Effect int

// Effects, each including those before it.
const (
	Reads    Effect = iota + 1 // observes only
	Changes                    // acts, as a person would, in ways that can be undone
	Destroys                   // may lose data
)

func (e Effect) String() string {
	switch e {
	case Reads:
		return "reads"
	case Changes:
		return "changes"
	case Destroys:
		return "destroys"
	}
	return "invalid"
}

// Capability is a set of things that can be done to a tab.
type Capability uint32

// Capabilities. A driver states for each tab those that it has.
const (
	CanRead         Capability = 1 << iota // snapshot, text, find
	CanAct                                 // click, fill, keys, scroll
	CanTrustedInput                        // input that pages see as a person's
	CanScript                              // code in the page, past its CSP
	CanCapture                             // screenshots
	CanNavigate
	CanDialogs // see and answer dialogs
	CanActivate
	CanOpenTabs
	CanRecord  // console and requests
	CanEmulate // other devices
	CanPageTools
	CanPrint // pages to PDF
)

// AllCaps is what a browser under full control can do.
const AllCaps = CanPrint<<1 - 1

var capNames = []string{"read", "act", "trusted input", "script", "screenshots", "navigate", "dialogs", "activate", "open tabs", "record", "emulate", "page tools", "print"}

// Names lists the members of the set, for people.
func (c Capability) Names() []string {
	var out []string
	for i, n := range capNames {
		if c&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// An Op is one request to a tab or a browser. Its fields are its parameters.
type Op interface {
	OpName() string
	Effect() Effect
	Needs() Capability // may depend on the op's fields
	Turn() bool        // true for input and navigation: one such op at a time in a tab
}

// A Target is where an op must happen, and on which origins it was permitted.
// A driver refuses a frame outside them with CodeOriginChanged, and a read
// names the frames that it left out. Doc is set only when the caller gave it.
// A zero Tab addresses the browser.
type Target struct {
	Browser BrowserID
	Tab     TabID
	Doc     int // 0: any
	Origins OriginSet
}

// Info tells what a driver drives; but for Renamed it is constant once it is Ready.
type Info struct {
	Name string // of the browser, for people and rules: "launched", "work"
	Way  string // "launched", "attached", "extension", "userscript"
	// Launched tells that drawbridge started it, with a profile of its own or one
	// named for it, by whatever way it is driven.
	Launched bool
	Product  string // "Chromium 156.0.8078.114"; may be empty before Run
	Caps     Capability
	// Downloads is the folder in which files are kept that pages load down; ""
	// when the browser decides.
	Downloads string
	// Keeps: the browser itself keeps files for which a client names no place, in
	// its downloads folder.
	Keeps bool
	Notes []string // what a person should know: "no sandbox: running as root"
	// Profile is the same for the same profile of a browser, for ever; "" when
	// nothing tells it from others.
	Profile   string
	Extension *Extension // that it is driven through, or nil
	// Refused is why every call is refused, and what to update; "" when none is
	// for what the browser is.
	Refused string
}

// Extension is the extension that a browser is driven through.
type Extension struct {
	Version  string
	Manifest int  // of its manifest: 2 or 3
	Older    bool // than this drawbridge, when it is refused
}

// A Driver drives the tabs of one attached browser.
type Driver interface {
	Info() Info
	// Run serves until ctx ends or the browser goes, and says why it ended. It
	// is called once. It reports every open tab and then Ready to sink. Every
	// event that the browser sent before the reply to an op has gone to sink
	// before Do returns, and so has Ending before an op that it failed does. The
	// sink never blocks.
	Run(ctx context.Context, sink func(Event)) error
	// Do runs op and stores what it answers in result, a pointer to the type
	// named in the op's comment, or nil. It may be called concurrently, also
	// for one tab, once Run has reported Ready. A dialog does not hold it up:
	// Do returns, with the dialog in what the op answers, or with
	// CodeDialogOpen where the op cannot answer without the page.
	Do(ctx context.Context, to Target, op Op, result any) error
}

// An Event is what a browser reports by itself. The set is closed.
type Event interface{ event() }

type (
	// Starting tells why the browser is not Ready yet, for those who wait.
	Starting struct{ Waiting string }
	// Ready tells that all tabs open at the start have been reported.
	Ready struct{ Product string }
	// Ending tells that the browser went away by itself, and its tabs with it:
	// what is asked of it from now on fails, and Run returns once what it
	// leaves behind is cleared away. Nothing follows it.
	Ending struct{}
	// TabOpened tells of a new tab.
	TabOpened struct{ Tab Tab }
	// TabChanged carries all that is known of a tab after any change of it:
	// address, title, document, dialog, capabilities, activation.
	TabChanged struct{ Tab Tab }
	// TabClosed tells that a tab is gone.
	TabClosed struct{ Tab TabID }
	// DownloadChanged tells how a download of a tab goes.
	DownloadChanged struct {
		Tab      TabID
		Download Download
	}
	// Crashed tells that a tab's renderer died; a navigation revives it.
	Crashed struct{ Tab TabID }
	// Stopped tells that the browser's user has raised the drawbridge: nothing is
	// done in any browser until the event comes with Up false.
	Stopped struct{ Up bool }
	// Renamed tells that the browser's user has given it another name.
	Renamed struct{ Name string }
)

func (Starting) event()        {}
func (Ready) event()           {}
func (Ending) event()          {}
func (TabOpened) event()       {}
func (TabChanged) event()      {}
func (TabClosed) event()       {}
func (DownloadChanged) event() {}
func (Crashed) event()         {}
func (Stopped) event()         {}
func (Renamed) event()         {}
