package browser

import "time"

// Ops to a tab for dialects.
type (
	// ListElements lists every element that can be read or acted on, hidden ones
	// too, with the tag or role that the page gave it. Answers *Elements.
	ListElements struct{}
	// ContentStamp tells whether the page's content changed: its answer is another
	// one then. Answers *Stamp.
	ContentStamp struct{}
	// ShowHint marks a place and shows a text beside it, in the tab, which is
	// brought to the front. It goes by itself, by a press on its button, when the
	// page moves on or with the next one. Answers *Hinted, once it is shown.
	ShowHint struct {
		At   Spot
		Text string
		For  time.Duration // 0: a minute
	}
)

// Elements answers ListElements.
type Elements struct {
	Doc    int             // of the main frame
	Frames []FrameElements // the main frame first, the others in tree order
}

// FrameElements is what one document lists, in document order.
type FrameElements struct {
	Frame    FrameID
	Elements []Element
	Missing  string // why it could not be read, or what follows Elements; "" when all is there
}

// Element is one listed element.
type Element struct {
	N     int    // of its Ref
	Role  string // the role attribute as it is, else the name of the tag
	Text  string // its label, else what it says
	Value string // of a field; "checked" of a box; masked when secret
}

// Stamp answers ContentStamp.
type Stamp struct{ Text string }

// Hinted answers ShowHint.
type Hinted struct {
	Label string // what was marked: its text, else its role; "" for a point
}

func (ListElements) OpName() string { return "list_elements" }
func (ContentStamp) OpName() string { return "content_stamp" }
func (ShowHint) OpName() string     { return "show_hint" }

func (ListElements) Effect() Effect { return Reads }
func (ContentStamp) Effect() Effect { return Reads }
func (ShowHint) Effect() Effect     { return Reads }

func (ListElements) Needs() Capability { return CanRead }
func (ContentStamp) Needs() Capability { return CanRead }
func (ShowHint) Needs() Capability     { return CanRead }

func (ListElements) Turn() bool { return false }
func (ContentStamp) Turn() bool { return false }
func (ShowHint) Turn() bool     { return false }
