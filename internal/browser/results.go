package browser

// Since counts what changed in a page after the last answer about it and
// before the op at hand began.
type Since struct {
	Added   int
	Removed int
}

// Navigation answers Navigate.
type Navigation struct {
	URL      string
	Title    string
	Doc      int
	Status   int     // of the HTTP response; 0 where there was none
	SameDoc  bool    // the address changed within the document
	InFrame  bool    // only a frame of the document went there
	TimedOut bool    // the document is there, what was waited for is not
	Silent   bool    // the document is there, and does not answer
	Dialog   *Dialog // that holds the navigation up
	Download *Download
}

// Closed answers CloseTab.
type Closed struct {
	Dialog *Dialog // that holds it up: the tab is still there
}

// Outline answers Snapshot: one element a line, refs complete.
type Outline struct {
	Text   string
	Cursor string // of the rest; "" when all is there
	Since  Since
}

// Text answers ReadPage.
type Text struct {
	Text   string
	URL    string // of the document read
	Cursor string
	Since  Since
}

// Found answers Find: an outline line for each match.
type Found struct {
	Lines []string
	More  int // matches beyond the limit
	Since Since
}

// Waited answers WaitFor.
type Waited struct {
	Met    bool
	Detail string // what was seen: the line of the element, the address
	Millis int64
}

// Value answers Evaluate.
type Value struct {
	JSON      string // of what the code returned; "" for undefined
	Navigated *Navigation
	Dialog    *Dialog // that holds the code up
}

// Picture answers Screenshot.
type Picture struct {
	MIME   string
	Data   []byte
	Width  int     // pixels
	Height int     // pixels
	Scale  float64 // pixels per CSS pixel
	// Origin is the picture's left top corner in CSS pixels of the page, and
	// Scroll the position of the viewport when it was taken.
	Origin, Scroll Point
	// Below is how much more of the page there is below a picture of all of it
	// that would have been too high, in CSS pixels.
	Below  float64
	Legend []string // the lines of the labelled elements
}

// Changed tells how sure an act is of its effect.
type Changed string

// How sure an act is.
const (
	EffectConfirmed Changed = "confirmed" // a change was seen, or the value read back
	EffectNone      Changed = "none"      // the input arrived and nothing was seen to change
	EffectUnknown   Changed = "unknown"   // it could not be seen
)

// Observation answers every act: what was done and what was seen to change.
type Observation struct {
	Did       string // such as: clicked e6 button "Pay €12"
	Effect    Changed
	Untrusted bool // the page could tell that no person did it
	Navigated *Navigation
	Added     []string // outline lines
	Removed   []string
	Updated   []string
	TooLarge  int      // lines of the diff that were left out
	Notes     []string // what else a reader should know
	Opened    []TabID
	Dialog    *Dialog
	Downloads []Download
	Since     Since
}
