package pageagent

import (
	"context"
	"encoding/json"
	"time"

	"drawbridge/internal/browser"
)

// A Host is what a driver lends the coordinator: its reach into pages.
type Host interface {
	// Frames returns the frames of a tab in tree order, the main frame first.
	// Each one without Missing has its agent ready and its iframe element
	// bound (see the agent's bind) in the parent's agent.
	Frames(ctx context.Context, tab browser.TabID) ([]browser.Frame, error)
	// Call runs the calls, all at once, and returns a reply for each. The
	// error is for the whole: the tab is gone, a dialog is open
	// (CodeDialogOpen), ctx ended. A reply's own error is its frame's.
	Call(ctx context.Context, tab browser.TabID, calls []FrameCall) ([]FrameReply, error)
	// Input gives input events to the tab, in order, trusted where the
	// browser can, else by Synthesize. It returns early, with nil, once a dialog
	// opens.
	Input(ctx context.Context, tab browser.TabID, events []InputEvent) error
	// Untrusted is "" where pages take that input for a person's, else what
	// would have them do so.
	Untrusted(tab browser.TabID) string
	// SetFiles gives files to a file field, by its number, with the events that
	// a person's choice makes.
	SetFiles(ctx context.Context, tab browser.TabID, frame browser.FrameID, n int, paths []string) error
	// ChooserField is the number of the field that a chooser was opened for,
	// given as a call gives numbers.
	ChooserField(ctx context.Context, tab browser.TabID, c Chooser, first int) (int, error)
	// Intercept makes the browser hand over the data that the page lets go of
	// when it is dragged, in place of dragging it by itself, until closed.
	Intercept(ctx context.Context, tab browser.TabID) (Interception, error)
	// Watch reports what happens to a tab from now on, until closed.
	Watch(tab browser.TabID) Watch
	// Attend is Watch for what a person does: choosers of files open for them.
	Attend(tab browser.TabID) Watch
}

// FrameCall asks the agent of one frame.
type FrameCall struct {
	Frame browser.FrameID
	Op    string // a name of AgentOps
	First int    // the agent gives out no element number below this
	Args  any    // the op's Args struct
}

// FrameReply is what the agent answered: the op's Reply struct as JSON.
type FrameReply struct {
	Reply Reply
	Err   error // *browser.Error: CodeStaleRef when the document is gone, ...
}

// An Interception waits for a drag of data to begin.
type Interception interface {
	// Payload waits until the page has let go of data.
	Payload(ctx context.Context) (*Payload, error)
	Close()
}

// Payload is what is dragged: data as the browser told it, or files by their
// paths.
type Payload struct {
	Data  json.RawMessage
	Types []string // of the data
	Files []string
	From  browser.FrameID // where it was lifted
}

// A Watch collects what happens to a tab.
type Watch interface {
	// Activity is what happened so far, and a channel that is closed when
	// more happens.
	Activity() (Activity, <-chan struct{})
	Close()
}

// Activity is what happened to a tab since a Watch began.
type Activity struct {
	Doc        int    // of the tab now
	URL, Title string // of the tab now
	// Navigating: the main frame began a navigation that has not committed.
	Navigating bool
	// Committed: another document was committed since the Watch began; Ready
	// and Loaded are that document's DOMContentLoaded and load, and Idle that
	// it requested nothing for half a second.
	Committed, Ready, Loaded, Idle bool
	SameDoc                        bool // the address changed within the document
	Status                         int  // HTTP status of the committed document
	Failed                         string
	OpenRequests                   int       // requests begun since, still open (streams that stay open by design are not counted)
	LastRequest                    time.Time // when the last one began; zero: none
	Dialog                         *browser.Dialog
	Opened                         []browser.TabID
	Downloads                      []browser.Download
	Chooser                        *Chooser // of files: the page opened it, and no person sees it
	Gone                           string   // why the tab or its renderer is gone; "" while it is there
}

// Chooser is a dialog to choose files that a page opened.
type Chooser struct {
	Frame browser.FrameID
	Node  int64 // the host's own name of the file field; 0: it is for none
}

// InputEvent is one event of input: exactly one field is set.
type InputEvent struct {
	Mouse *MouseEvent
	Key   *KeyEvent
	Text  string // inserted at the focus, as an input method would
	Carry *CarryEvent
}

// CarryEvent is a step of a drag of data, in CSS pixels of the main viewport.
type CarryEvent struct {
	Type      string // "enter", "over", "drop" or "cancel"
	X, Y      float64
	Modifiers int
	Payload   *Payload
}

// MouseEvent is a movement or a press, in CSS pixels of the main viewport.
type MouseEvent struct {
	Type      string // "move", "down", "up" or "wheel"
	X, Y      float64
	Button    string // "left", "right", "middle"; when moving, the one that is held, if any
	Count     int
	Modifiers int // 1 Alt, 2 Control, 4 Meta, 8 Shift
	DX, DY    float64
	// Hold: the press begins a drag. Up to the next release, moves with the
	// button held go to the document that was pressed, wherever they are.
	Hold bool
}

// KeyEvent is a key going down or up (UI Events section 4.2; the values of
// key and code are those of UI Events KeyboardEvent key and code).
type KeyEvent struct {
	Type      string // "down" or "up"
	Key       string
	Code      string
	Text      string // what it types; "" for none
	KeyCode   int    // the legacy keyCode
	Location  int
	Modifiers int
	Commands  []string // editing commands, such as "selectAll"
}
