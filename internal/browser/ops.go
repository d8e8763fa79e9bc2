package browser

import "time"

// Ops to a browser. OpenTab answers *Tab.
type (
	// OpenTab opens a blank tab; a Navigate follows.
	OpenTab struct {
		Foreground bool
		Window     WindowID // in which, as extensions let one choose; others take the one used last, as for ""
	}
)

// Ops to a tab that do not concern the page's content.
type (
	// CloseTab closes the tab. Answers *Closed.
	CloseTab struct {
		Ask bool // the page, which may hold it up with a dialog of kind beforeunload
	}
	// ActivateTab selects the tab in its window. Answers nothing.
	ActivateTab struct{}
	// Navigate loads a URL or moves in the history. Answers *Navigation.
	Navigate struct {
		URL     string
		To      History // used when URL is empty
		Wait    Wait
		Timeout time.Duration
	}
	// HandleDialog answers the open dialog. Answers *Observation.
	HandleDialog struct {
		Accept bool
		Text   *string // for a prompt; nil: what it offers
		// For an auth dialog.
		User, Password string
		Settle         Settle
	}
	// Evaluate runs Code as the body of an async function in the page's own
	// world. Answers *Value.
	Evaluate struct {
		Code           string
		Frame          FrameID
		UntilNavigated bool // wait for a navigation that the code starts
		Timeout        time.Duration
		MaxBytes       int
	}
	// Screenshot takes a picture. Answers *Picture.
	Screenshot struct {
		Ref      Ref // of an element; zero: the viewport
		FullPage bool
		Clip     *Rect  // CSS pixels of the viewport, or of the page with FullPage
		Format   string // "jpeg", "png" or "webp"
		Quality  int    // 0: the default
		Labels   bool   // draw refs onto the picture
		MaxSide  int    // longest side in pixels; 0: no limit
		// CSSPixels: a pixel of the picture is one of CSS, whatever the screen has.
		CSSPixels bool
	}
)

// Ops to a tab that read its page.
type (
	// Snapshot outlines the page. Answers *Outline.
	Snapshot struct {
		Scope       Ref
		Interactive bool // only what can be acted on
		MaxTokens   int
		Cursor      string
	}
	// ReadPage reads the page's content. Answers *Text.
	ReadPage struct {
		As        string // "text", "prose" (without button elements), "html", "selection" (article and markdown are made of html by the tool)
		Ref       Ref
		MaxTokens int // 0: no limit
		Cursor    string
	}
	// Find looks for elements and gives them refs. Answers *Found.
	Find struct {
		Text, Role, Name string
		Limit            int
	}
	// WaitFor waits for one condition. Answers *Waited.
	WaitFor struct {
		Text  string
		Gone  string
		URL   string // a glob, or a part of the address
		Ref   Ref
		State string // "visible", "hidden", "enabled", "disabled", "checked", "unchecked", "gone"
		// PageTool is the page's name of a tool that any of its documents offers.
		PageTool string
		For      time.Duration
		Timeout  time.Duration
	}
)

// Ops to a tab that act on its page. Each answers *Observation.
type (
	// Click presses and releases a button of the mouse on an element or point.
	Click struct {
		At        Spot
		Button    string // "left", "right" or "middle"
		Count     int
		Modifiers []string // "Alt", "Control", "Meta", "Shift"
		Acting
	}
	// Hover moves the mouse onto an element or point, and leaves it there.
	Hover struct {
		At Spot
		Acting
	}
	// Drag drags with the left button of the mouse from one spot to another,
	// with what the page lets go of on the way.
	Drag struct {
		From, To  Spot
		Modifiers []string
		Acting
	}
	// Upload gives files to a file field, to what opens a chooser, or to what
	// takes dropped files. Answers *Observation.
	Upload struct {
		Ref   Ref
		Files []File
		Acting
	}
	// Fill sets the values of fields, replacing what was there.
	Fill struct {
		Fields []Field
		Submit bool // press Enter in the last field
		Acting
	}
	// PressKey presses a chord, or types text at the focus.
	PressKey struct {
		Keys  string // "Control+A"
		Text  string
		Times int
		At    Spot // clicked first, when set
		Focus bool // At is given the focus in place of a click
		Acting
	}
	// Scroll moves a scrollable container.
	Scroll struct {
		Ref       Ref     // the container or something inside it; zero: the page
		Direction string  // "up", "down", "left" or "right"
		To        string  // "top", "bottom", or a ref
		Amount    float64 // CSS pixels; 0: 90 % of the container
		Acting
	}
)

// File is a file or folder of this machine that can be read.
type File struct {
	Path string // absolute
	Dir  bool
}

// Spot is an element, or a point of the viewport in CSS pixels.
type Spot struct {
	Ref   Ref
	Point *Point
	Seen  *View // what Point was chosen on: a tab that shows anything else now refuses the act
}

// View is what a tab shows: a document, scrolled to a position.
type View struct {
	Doc    int
	Scroll Point
}

// IsZero tells whether s names nothing.
func (s Spot) IsZero() bool { return s.Ref.IsZero() && s.Point == nil }

// Field is one field to fill and what with.
type Field struct {
	At     Spot
	Value  string
	Values []string // several options of a list; nil: Value
	Group  string   // of the option, when several share a label
}

// Acting are the parameters that all acts share.
type Acting struct {
	Settle  Settle
	Timeout time.Duration // how long to wait until actionable; 0: 5 s
}

// Patience is how long to wait until actionable.
func (a Acting) Patience() time.Duration {
	if a.Timeout > 0 {
		return a.Timeout
	}
	return usualPatience
}

const usualPatience = 5 * time.Second

// Allowed is the time that the caller allows beyond what any act may take.
func (a Acting) Allowed() time.Duration { return max(a.Timeout-usualPatience, 0) + a.Settle.Quiet }

// Settle tells how an act waits for its consequences: the zero value is the
// automatic way, None does not wait, else it is the quiet time that ends it.
type Settle struct {
	None  bool
	Quiet time.Duration
}

// Point is in CSS pixels of the viewport.
type Point struct{ X, Y float64 }

// Rect is in CSS pixels.
type Rect struct{ X, Y, Width, Height float64 }

// History is a direction of travel.
type History string

// Directions.
const (
	Back    History = "back"
	Forward History = "forward"
	Reload  History = "reload"
)

// Wait tells how far a navigation is followed; the zero value is WaitLoad.
type Wait string

// What a navigation waits for.
const (
	WaitLoad Wait = "load"
	WaitDOM  Wait = "dom"
	WaitNone Wait = "none"
	// WaitIdle waits for the load and then for half a second without requests.
	WaitIdle Wait = "idle"
)

func (OpenTab) OpName() string      { return "open_tab" }
func (CloseTab) OpName() string     { return "close_tab" }
func (ActivateTab) OpName() string  { return "activate_tab" }
func (Navigate) OpName() string     { return "navigate" }
func (HandleDialog) OpName() string { return "handle_dialog" }
func (Evaluate) OpName() string     { return "evaluate" }
func (Screenshot) OpName() string   { return "screenshot" }
func (Snapshot) OpName() string     { return "snapshot" }
func (ReadPage) OpName() string     { return "read_page" }
func (Find) OpName() string         { return "find" }
func (WaitFor) OpName() string      { return "wait_for" }
func (Click) OpName() string        { return "click" }
func (Hover) OpName() string        { return "hover" }
func (Drag) OpName() string         { return "drag" }
func (Upload) OpName() string       { return "upload_files" }
func (Fill) OpName() string         { return "fill" }
func (PressKey) OpName() string     { return "press_key" }
func (Scroll) OpName() string       { return "scroll" }

func (OpenTab) Effect() Effect      { return Changes }
func (CloseTab) Effect() Effect     { return Destroys }
func (ActivateTab) Effect() Effect  { return Changes }
func (Navigate) Effect() Effect     { return Changes }
func (HandleDialog) Effect() Effect { return Changes }
func (Evaluate) Effect() Effect     { return Destroys }
func (Screenshot) Effect() Effect   { return Reads }
func (Snapshot) Effect() Effect     { return Reads }
func (ReadPage) Effect() Effect     { return Reads }
func (Find) Effect() Effect         { return Reads }
func (WaitFor) Effect() Effect      { return Reads }
func (Click) Effect() Effect        { return Changes }
func (Hover) Effect() Effect        { return Changes }
func (Drag) Effect() Effect         { return Changes }
func (Upload) Effect() Effect       { return Changes }
func (Fill) Effect() Effect         { return Changes }
func (PressKey) Effect() Effect     { return Changes }
func (Scroll) Effect() Effect       { return Changes }

func (OpenTab) Needs() Capability      { return CanOpenTabs }
func (CloseTab) Needs() Capability     { return CanNavigate }
func (ActivateTab) Needs() Capability  { return CanActivate }
func (Navigate) Needs() Capability     { return CanNavigate }
func (HandleDialog) Needs() Capability { return CanDialogs }
func (Evaluate) Needs() Capability     { return CanScript }
func (s Screenshot) Needs() Capability {
	if s.Labels || !s.Ref.IsZero() {
		return CanCapture | CanRead
	}
	return CanCapture
}
func (Snapshot) Needs() Capability { return CanRead }
func (ReadPage) Needs() Capability { return CanRead }
func (Find) Needs() Capability     { return CanRead }
func (w WaitFor) Needs() Capability {
	switch {
	case w.For > 0 || w.URL != "":
		return 0
	case w.PageTool != "":
		return CanPageTools
	}
	return CanRead
}
func (Click) Needs() Capability    { return CanAct }
func (Hover) Needs() Capability    { return CanAct }
func (Drag) Needs() Capability     { return CanAct }
func (Upload) Needs() Capability   { return CanAct }
func (Fill) Needs() Capability     { return CanAct }
func (PressKey) Needs() Capability { return CanAct }
func (Scroll) Needs() Capability   { return CanAct }

func (OpenTab) Turn() bool      { return false }
func (CloseTab) Turn() bool     { return false }
func (ActivateTab) Turn() bool  { return false }
func (Navigate) Turn() bool     { return true }
func (HandleDialog) Turn() bool { return false }
func (Evaluate) Turn() bool     { return false }
func (Screenshot) Turn() bool   { return false }
func (Snapshot) Turn() bool     { return false }
func (ReadPage) Turn() bool     { return false }
func (Find) Turn() bool         { return false }
func (WaitFor) Turn() bool      { return false }
func (Click) Turn() bool        { return true }
func (Hover) Turn() bool        { return true }
func (Drag) Turn() bool         { return true }
func (Upload) Turn() bool       { return true }
func (Fill) Turn() bool         { return true }
func (PressKey) Turn() bool     { return true }
func (Scroll) Turn() bool       { return true }
