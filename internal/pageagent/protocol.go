package pageagent

import "encoding/json"

// The ops of the page agent, its arguments and replies. Coordinates are CSS
// pixels of the frame's own viewport. Elements are named by their number.
// web/shared/protocol.gen.ts is made from these types.

// Reply is the envelope of every answer of the agent.
type Reply struct {
	OK    json.RawMessage `json:"ok,omitempty"`
	Err   *Fault          `json:"err,omitempty"`
	Next  int             `json:"next"`            // the first element number not given out
	Since Since           `json:"since"`           // changes after the last answer that carried them and before this call
	Title string          `json:"title,omitempty"` // of the document, from the main frame only
}

// Since counts listed elements that came and went.
type Since struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// Fault is an error of the agent; code is one of browser.Codes.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// AgentOps is the closed list of what the agent does, with the types of
// arguments and replies. On the wire a name begins in lower case
// ("throughMe"). An op marked Promise may answer late.
type AgentOps struct {
	Snapshot  func(SnapshotArgs) SnapshotReply
	Text      func(TextArgs) TextReply
	Find      func(FindArgs) FindReply
	Elements  func(ElementsArgs) ElementsReply
	Stamp     func(StampArgs) StampReply
	Aim       func(AimArgs) AimReply
	ThroughMe func(ThroughArgs) AimReply
	Disarm    func(None) None // takes the guard away; what it saw is told further on
	Observe   func(None) ObserveReply
	Diff      func(DiffArgs) DiffReply
	Prepare   func(PrepareArgs) PrepareReply
	SetValue  func(SetValueArgs) ValueReply
	ReadValue func(ElementArgs) ValueReply
	Files     func(FilesArgs) FilesReply
	Scroll    func(ScrollArgs) ScrollReply
	Check     func(CheckArgs) CheckReply
	Changed   func(ChangedArgs) ChangedReply // promise
	Boxes     func(BoxesArgs) BoxesReply
	Describe  func(DescribeArgs) DescribeReply
	Relay     func(RelayArgs) RelayReply
	Climb     func(ClimbArgs) ClimbReply
	Archive   func(ArchiveArgs) ArchiveReply
	Veil      func(VeilArgs) None
	Input     func(InputArgs) InputReply
	Stash     func(StashArgs) None
	GiveFiles func(ElementArgs) None // the stashed files, to a file field, with the events of a person's choice
	Show      func(ShowArgs) None    // an element, to another world of ours in the document
	Expect    func(WordArgs) None    // what another world shows
	Met       func(WordArgs) MetReply

	Pose     func(PoseArgs) None      // shows a question to a person, in place of the one that is there
	Hear     func(HearArgs) HearReply // promise: of what became of it
	Withdraw func(QuestionArgs) None  // takes it away
	Yield    func(YieldArgs) None     // makes way for what is not a person's
	Guarded  func(None) GuardedReply  // how many fields for passwords and codes are seen

	Hint   func(HintArgs) HintReply // in place of the one that is there
	Unhint func(None) None

	Tools        func(ToolsArgs) ToolsReply               // promise
	ToolsChanged func(ToolsChangedArgs) ToolsChangedReply // promise
	CallTool     func(CallToolArgs) CallToolReply         // promise
	CancelTool   func(CancelToolArgs) None
	ToolForm     func(ToolFormArgs) ToolFormReply
	SubmitForm   func(ElementArgs) SubmitFormReply
	LinkedData   func(LinkedDataArgs) LinkedDataReply
}

// None is no arguments, or no reply.
type None struct{}

// ElementArgs names an element.
type ElementArgs struct {
	N int `json:"n"`
}

// SnapshotArgs asks for an outline. Prefix goes before each ref ("f2:").
type SnapshotArgs struct {
	Prefix      string `json:"prefix"`
	Scope       int    `json:"scope,omitempty"` // the element to outline; 0: the document
	Interactive bool   `json:"interactive,omitempty"`
	Budget      int    `json:"budget"`           // bytes of text at most
	Cursor      int    `json:"cursor,omitempty"` // begin with this element, within the scope
}

// SnapshotReply is an outline: lines joined by "\n", two spaces of indent a
// level. Frames tells after which line which child frame's outline goes.
type SnapshotReply struct {
	Text   string        `json:"text"`
	Frames []FrameAnchor `json:"frames,omitempty"`
	Cursor int           `json:"cursor,omitempty"` // the element to go on with; 0: all was listed
}

// FrameAnchor is the line of an iframe element. Frame is what bind named it,
// or "" when no frame is bound to the element.
type FrameAnchor struct {
	Frame  string `json:"frame"`
	Line   int    `json:"line"`   // index of the iframe's own line
	Indent int    `json:"indent"` // levels, of its content
}

// TextArgs asks for content. As is "text", "prose", "html" or "selection".
type TextArgs struct {
	As     string `json:"as"`
	Scope  int    `json:"scope,omitempty"`
	Budget int    `json:"budget"`           // bytes; 0: no limit
	Offset int    `json:"offset,omitempty"` // characters to skip
}

// TextReply is content. Frames tells at which offset of Text (in UTF-16
// units) a child frame's text goes.
type TextReply struct {
	Text   string       `json:"text"`
	Frames []TextAnchor `json:"frames,omitempty"`
	More   int          `json:"more,omitempty"` // characters after what was returned
	Into   string       `json:"into,omitempty"` // the child frame that has the focus, for a selection
}

// TextAnchor is the place of a child frame in a text.
type TextAnchor struct {
	Frame string `json:"frame"`
	At    int    `json:"at"`
}

// FindArgs says what to look for; all that are given must match. Text and
// Name match a part, without regard to case; Role is exact.
type FindArgs struct {
	Prefix string `json:"prefix"`
	Text   string `json:"text,omitempty"`
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	Limit  int    `json:"limit"`
}

// FindReply lists matches in document order, the smallest element that
// matches for a text, each as an outline line with a ref.
type FindReply struct {
	Lines []string `json:"lines"`
	More  int      `json:"more,omitempty"`
}

// AimArgs prepares an act on an element, or on a point: it scrolls into view,
// checks, begins the record of changes, and arms the guard.
type AimArgs struct {
	Prefix string  `json:"prefix"`
	N      int     `json:"n,omitempty"`
	X      float64 `json:"x,omitempty"` // used when n is 0
	Y      float64 `json:"y,omitempty"`
	// For is what follows: "click", "hover", "drag" (the press that begins it),
	// "drop" (where it will end), "dropping" (the same while it goes on, when
	// what is dragged may lie over it), "fill", "focus", "scroll" or "picture"
	// (only scrolls), or "files" (of the file field that belongs to the element
	// only whether it is enabled, if there is one). Fill wants an editable element, click and drag an
	// enabled one; focus moves the focus there, and "keys" does so for what is
	// enabled, whatever lies over it. "record" only begins the
	// record of changes: n and the point are not used, nothing is armed.
	For    string `json:"for"`
	Button string `json:"button,omitempty"`
	// Force leaves the record of changes that an earlier aim began (a later
	// field of the same fill).
	Continue bool `json:"continue,omitempty"`
}

// AimReply is a point to act on, or why not.
type AimReply struct {
	OK     bool    `json:"ok"`
	Reason string  `json:"reason,omitempty"` // "not visible", "disabled", "read-only", "moving", "covered by dialog \"Cookies\"", "detached"
	Wait   bool    `json:"wait,omitempty"`   // waiting may help
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Line   string  `json:"line,omitempty"`   // the element's outline line, without its children
	Frame  string  `json:"frame,omitempty"`  // the point lies in this child frame (aiming at a point)
	FrameX float64 `json:"frameX,omitempty"` // and there it is this point of the child's viewport
	FrameY float64 `json:"frameY,omitempty"`
	Box    Box     `json:"box"`
	Drags  string  `json:"drags,omitempty"` // "data": the browser drags it, "sorts": the page says that it does; else nothing is known
}

// ThroughArgs maps a point of a child frame's viewport to this frame's,
// scrolls it into view, checks that the iframe is hit there, and arms the
// guard for the iframe element. For "picture" it only scrolls and maps, for
// "map" it only maps.
type ThroughArgs struct {
	Frame string  `json:"frame"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	For   string  `json:"for"`
}

// Box is a rectangle.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// ObserveReply tells how the page fares since the last aim.
type ObserveReply struct {
	Quiet   float64 `json:"quiet"`             // ms since the last change that the page did not already make by itself before
	Hit     bool    `json:"hit"`               // the guard saw the event reach its element
	Blocked string  `json:"blocked,omitempty"` // what got the event instead, which was swallowed
	Lifted  bool    `json:"lifted,omitempty"`  // the page let go of data that is dragged
	Dropped bool    `json:"dropped,omitempty"` // data was dropped in this document
	// Carried is the data that input by script lifted in this document.
	Carried *Carried `json:"carried,omitempty"`
	// Chooser is the file field for which input by script asked for a chooser,
	// which was kept closed.
	Chooser int `json:"chooser,omitempty"`
}

// DiffArgs asks for what changed since the last aim that was not a continuation.
type DiffArgs struct {
	Prefix string `json:"prefix"`
	Budget int    `json:"budget"` // lines of each kind at most
}

// DiffReply is what changed, as outline lines.
type DiffReply struct {
	Added    []string `json:"added,omitempty"`
	Removed  []string `json:"removed,omitempty"`
	Updated  []string `json:"updated,omitempty"` // with what was: ... = "" (was "x")
	TooLarge int      `json:"tooLarge,omitempty"`
	Changed  bool     `json:"changed"` // anything at all changed, listed or not (focus and scroll too)
}

// PrepareArgs readies an element for a value.
type PrepareArgs struct {
	N      int      `json:"n"`
	Value  string   `json:"value"`
	Values []string `json:"values,omitempty"`
	Group  string   `json:"group,omitempty"`
}

// PrepareReply says how the value gets in.
type PrepareReply struct {
	// How: "type" (the content is selected; insert Text, or press Delete when
	// it is empty), "lines" (a rich editor: insert each line, Enter between),
	// "editor" (an editor that shows the text elsewhere: select all with keys,
	// insert Text), "boxes" (a character of Text for each of Boxes), "steps"
	// (keys move it to Want), "open" (the list of ClickN must be opened by a
	// click, then ask again),
	// "click" (a checkbox, radio or option that a click sets), "set" (call setValue), "done" (it has that
	// value already).
	How  string `json:"how"`
	Text string `json:"text,omitempty"` // what to insert
	Was  string `json:"was,omitempty"`
	// ClickN is the element to click, when How is "click".
	ClickN int   `json:"clickN,omitempty"`
	Boxes  []int `json:"boxes,omitempty"`
	// Want is the number for "steps"; Spins tells that digits may be typed. A
	// press at X, Y should move a slider there, with Per CSS pixels for one; 0:
	// there is no such place.
	Want  float64 `json:"want,omitempty"`
	Spins bool    `json:"spins,omitempty"`
	X     float64 `json:"x,omitempty"`
	Y     float64 `json:"y,omitempty"`
	Per   float64 `json:"per,omitempty"`
}

// SetValueArgs sets a value by script, with the events that a person's choice
// makes: selects, dates, colours, ranges.
type SetValueArgs struct {
	N      int      `json:"n"`
	Value  string   `json:"value"`
	Values []string `json:"values,omitempty"`
	Group  string   `json:"group,omitempty"`
}

// ValueReply is the value that an element has now.
type ValueReply struct {
	Value string `json:"value"`
	Line  string `json:"line"`
	// Secret: the value is not to be shown; only its length is in Value.
	Secret bool `json:"secret,omitempty"`
	// Matches tells whether the value is the one asked for by the last
	// prepare or setValue of the element, as the control normalises it.
	Matches bool `json:"matches"`
	// Now is the number of a slider or of what spins; nil: it has none.
	Now *float64 `json:"now,omitempty"`
}

// FilesArgs asks how an element takes files. Field tells that it is the file
// field itself, which need not be in the document.
type FilesArgs struct {
	Prefix string `json:"prefix"`
	N      int    `json:"n"`
	Field  bool   `json:"field,omitempty"`
}

// FilesReply says how.
type FilesReply struct {
	// How: "field" (N is the file field), "press" (pressing it may open a
	// chooser), "drop" (it may take dropped files).
	How       string   `json:"how"`
	N         int      `json:"n,omitempty"`
	Multiple  bool     `json:"multiple,omitempty"`
	Directory bool     `json:"directory,omitempty"`
	Accept    string   `json:"accept,omitempty"`
	Names     []string `json:"names,omitempty"` // of the files that it has
	Line      string   `json:"line"`
}

// ScrollArgs moves a container.
type ScrollArgs struct {
	N         int     `json:"n,omitempty"`
	Direction string  `json:"direction,omitempty"`
	To        string  `json:"to,omitempty"`   // "top" or "bottom"
	Into      int     `json:"into,omitempty"` // the element to bring into view
	Amount    float64 `json:"amount,omitempty"`
}

// ScrollReply tells what moved and where it stands.
type ScrollReply struct {
	Line   string  `json:"line"` // of the container
	DX     float64 `json:"dx"`
	DY     float64 `json:"dy"`
	Top    float64 `json:"top"`
	Height float64 `json:"height"` // of the content
	View   float64 `json:"view"`   // of the visible part
}

// CheckArgs is a condition to test; exactly one of Text, Gone and N.
type CheckArgs struct {
	Prefix string `json:"prefix"`
	Text   string `json:"text,omitempty"`
	Gone   string `json:"gone,omitempty"`
	N      int    `json:"n,omitempty"`
	State  string `json:"state,omitempty"`
}

// CheckReply tells whether it holds, and what was seen.
type CheckReply struct {
	Met    bool   `json:"met"`
	Detail string `json:"detail,omitempty"`
}

// ChangedArgs waits for a change after Seq.
type ChangedArgs struct {
	Seq int `json:"seq"`
}

// ChangedReply numbers the state of the document.
type ChangedReply struct {
	Seq int `json:"seq"`
}

// BoxesArgs asks for the refs inside the viewport.
type BoxesArgs struct {
	Prefix string `json:"prefix"`
	Limit  int    `json:"limit"`
}

// BoxesReply lists them.
type BoxesReply struct {
	Boxes []RefBox `json:"boxes"`
}

// RefBox is a ref and where it is.
type RefBox struct {
	Ref  string `json:"ref"`
	Line string `json:"line"`
	Box  Box    `json:"box"`
}

// DescribeArgs asks for an element's line and place, or (n 0) the viewport's.
type DescribeArgs struct {
	Prefix string `json:"prefix"`
	N      int    `json:"n,omitempty"`
}

// DescribeReply tells both, and the document's measures.
type DescribeReply struct {
	Line       string  `json:"line,omitempty"`
	Box        Box     `json:"box"`
	ScrollX    float64 `json:"scrollX"`
	ScrollY    float64 `json:"scrollY"`
	ViewWidth  float64 `json:"viewWidth"`
	ViewHeight float64 `json:"viewHeight"`
	DocWidth   float64 `json:"docWidth"`
	DocHeight  float64 `json:"docHeight"`
	Hidden     bool    `json:"hidden"` // document.visibilityState
	Ratio      float64 `json:"ratio"`  // devicePixelRatio
}

// InnerFrame is a frame and the one around it.
type InnerFrame struct {
	Frame  string `json:"frame"`
	Parent string `json:"parent"`
}

// RelayArgs hands calls on to frames within this one. Own is this frame,
// Frames lists the others that are concerned, each after its parent.
type RelayArgs struct {
	Own    string       `json:"own"`
	Frames []InnerFrame `json:"frames"`
	Calls  []RelayCall  `json:"calls"`
}

// RelayCall is a call to one frame's agent.
type RelayCall struct {
	Frame string `json:"frame"`
	Op    string `json:"op"`
	First int    `json:"first"`
	Args  string `json:"args"` // as JSON
}

// RelayReply answers each call in turn.
type RelayReply struct {
	Replies []Relayed `json:"replies"`
}

// Relayed is the reply to a call, nil where the frame was not reached: it is of
// another origin, or no op with a prefix has named its document yet.
type Relayed struct {
	Reply *Reply `json:"reply,omitempty"`
}

// ClimbArgs asks throughMe of frames within this one, each with what the one
// before it answered. Frames lists them from this frame inwards, the last one
// the frame that the point lies in, which itself is not asked.
type ClimbArgs struct {
	Own    string       `json:"own"`
	Frames []InnerFrame `json:"frames"`
	X      float64      `json:"x"`
	Y      float64      `json:"y"`
	For    string       `json:"for"`
}

// ClimbReply is the last answer, and of how many frames one was had: 0 when
// not all of them were reached.
type ClimbReply struct {
	Asked int      `json:"asked"`
	Last  AimReply `json:"last"`
}
