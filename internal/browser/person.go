package browser

import "time"

// AskPerson shows a person what to do in the tab, which is brought to the
// front, and waits for it. The question stays for a while after a call that
// ended with AskPending, and another call goes on with it by its id. One that
// ended otherwise, or was cancelled, has taken it away. Answers *Asked.
type AskPerson struct {
	At      Spot    // what is marked; zero: nothing is
	Kind    AskKind // of what there is to do
	Message string  // the client's words for the person
	Value   string  // what to enter, of AskFill
	Client  string  // that asks, as the person knows it
	Session string  // that asks: a question of another one is not replaced
	ID      string  // of the question to go on with; the fields above are not used then, but for Session
	Wait    time.Duration
}

// AskKind is what a person is asked for.
type AskKind string

// What a person may be asked for.
const (
	AskClick   AskKind = "click"
	AskFill    AskKind = "fill"
	AskEnter   AskKind = "enter" // the Enter key
	AskLogin   AskKind = "login"
	AskCaptcha AskKind = "captcha"
	AskConfirm AskKind = "confirm"
	AskOther   AskKind = "other"
)

// AskEnd is how a question ended.
type AskEnd string

// How a question may end.
const (
	AskDone     AskEnd = "done"      // the person says so
	AskInPage   AskEnd = "in_page"   // it was seen in the page
	AskCannot   AskEnd = "cannot"    // the person says so
	AskPending  AskEnd = "pending"   // not yet
	AskNobody   AskEnd = "nobody"    // sees the browser
	AskClosed   AskEnd = "closed"    // the tab was, or its page crashed
	AskLeft     AskEnd = "left"      // the tab shows an origin that was not permitted
	AskReplaced AskEnd = "replaced"  // by another question of the session
	AskRemoved  AskEnd = "removed"   // by the page
	AskExpired  AskEnd = "withdrawn" // nobody has waited for it any more
)

// Asked answers AskPerson.
type Asked struct {
	ID    string
	End   AskEnd
	Why   string // what was seen, or why nobody is there
	Note  string // the person's words
	Notes []string
	// Seen is what changed since the question was shown; nil while it is, and
	// when it was not.
	Seen *Observation
	// Millis is how long the question has been there.
	Millis int64
}

func (AskPerson) OpName() string    { return "ask_human" }
func (AskPerson) Effect() Effect    { return Reads }
func (AskPerson) Needs() Capability { return CanRead }
func (AskPerson) Turn() bool        { return false }
