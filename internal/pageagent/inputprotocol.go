package pageagent

// Input that a page gets by script, where no trusted input is to be had.

// InputArgs are events to give in order, each as fully as a script can: with
// all that goes with it, and with what a browser does by default.
type InputArgs struct {
	Events []Given `json:"events"`
}

// Given is one event; exactly one field is set.
type Given struct {
	Mouse *MouseGiven `json:"mouse,omitempty"`
	Key   *KeyGiven   `json:"key,omitempty"`
	Text  string      `json:"text,omitempty"` // inserted at the focus
	Carry *CarryGiven `json:"carry,omitempty"`
	Tab   *TabGiven   `json:"tab,omitempty"`
}

// MouseGiven is a MouseEvent at a point of this frame. Type "leave" takes the
// mouse out of the document.
type MouseGiven struct {
	Type      string  `json:"type"`
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	Button    string  `json:"button,omitempty"`
	Count     int     `json:"count,omitempty"`
	Modifiers int     `json:"modifiers,omitempty"`
	DX        float64 `json:"dx,omitempty"`
	DY        float64 `json:"dy,omitempty"`
	Hold      bool    `json:"hold,omitempty"`
}

// KeyGiven is a KeyEvent.
type KeyGiven struct {
	Type      string   `json:"type"`
	Key       string   `json:"key"`
	Code      string   `json:"code,omitempty"`
	Text      string   `json:"text,omitempty"`
	KeyCode   int      `json:"keyCode,omitempty"`
	Location  int      `json:"location,omitempty"`
	Modifiers int      `json:"modifiers,omitempty"`
	Commands  []string `json:"commands,omitempty"`
}

// CarryGiven is a CarryEvent: of Data, or of so many stashed Files. Type
// "leave" takes what is carried out of the document, "end" tells the document
// where a drag began that it ended elsewhere, with Effect.
type CarryGiven struct {
	Type      string   `json:"type"`
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	Modifiers int      `json:"modifiers,omitempty"`
	Data      *Carried `json:"data,omitempty"`
	Files     int      `json:"files,omitempty"`
	Effect    string   `json:"effect,omitempty"`
}

// Carried is data that is dragged.
type Carried struct {
	Items   []CarriedItem `json:"items"`
	Effects string        `json:"effects,omitempty"` // DataTransfer.effectAllowed
}

// CarriedItem is one form of it.
type CarriedItem struct {
	Type string `json:"type"`
	Data string `json:"data"`
}

// TabGiven moves the focus on to this document's first element that takes it
// (or the last one, when going back), or to the one after a child frame.
type TabGiven struct {
	From string `json:"from,omitempty"` // the child frame
	Back bool   `json:"back,omitempty"`
}

// InputReply tells how far the events got: Done of them need nothing more. The
// rest is for the caller to go on with, which it does by one of these:
//   - Frame is set: the next event happens in that child frame, at X and Y of
//     it. Keys go there too, as long as it has the focus.
//   - Tab is set: the last of those done moved the focus into Frame, or out of
//     this document when Frame is not set; 1 forwards, -1 back. What gets it is
//     given a TabGiven next.
//   - Wants: the next event needs files, which are not stashed here.
//
// Left is the child frame that the mouse, or what is carried, has left. Opens are
// new tabs that links want which were pressed.
type InputReply struct {
	Done   int       `json:"done"`
	Frame  string    `json:"frame,omitempty"`
	X      float64   `json:"x,omitempty"`
	Y      float64   `json:"y,omitempty"`
	Tab    int       `json:"tab,omitempty"`
	Wants  bool      `json:"wants,omitempty"`
	Left   string    `json:"left,omitempty"`
	Effect string    `json:"effect,omitempty"` // of the drop, "none" when it was refused
	Lost   bool      `json:"lost,omitempty"`   // the next event is in a child frame that nobody has named
	Opens  []Opening `json:"opens,omitempty"`
}

// Opening is a tab that a page wants to be opened.
type Opening struct {
	URL    string `json:"url"`
	Behind bool   `json:"behind"` // it stays in front
}

// StashArgs hands over files, or the next part of the last one, for a later op
// to give.
type StashArgs struct {
	Files []FilePart `json:"files"`
	First bool       `json:"first,omitempty"` // forgets what was stashed before
}

// FilePart is a part of a file; Data is base64.
type FilePart struct {
	Name     string `json:"name"`
	MIME     string `json:"mime,omitempty"`
	Modified int64  `json:"modified,omitempty"` // ms since 1970
	Data     string `json:"data,omitempty"`
	Goes     bool   `json:"goes,omitempty"` // it goes on the file before
}

// ShowArgs shows an element, or with N 0 the document alone, to whoever expects
// the word: it is the type of an event on the window, which nobody else can know,
// whose submitter is the element.
type ShowArgs struct {
	N    int    `json:"n,omitempty"`
	Word string `json:"word"`
}

// WordArgs is a word to expect, or that was.
type WordArgs struct {
	Word string `json:"word"`
}

// MetReply tells whether a word came, and the number of the element with it.
type MetReply struct {
	Came bool `json:"came"`
	N    int  `json:"n,omitempty"`
}
