package pageagent

// QuestionArgs names a question.
type QuestionArgs struct {
	ID string `json:"id"`
}

// PoseArgs is a question to a person. N, or with Point the place X, Y of the
// viewport, is marked, or the element around the document of Frame is kept
// clear of the card. Only the document with the element tells what is done
// there, only that with the card what the person answers.
type PoseArgs struct {
	ID    string    `json:"id"`
	Kind  string    `json:"kind"`
	N     int       `json:"n,omitempty"`
	Point bool      `json:"point,omitempty"`
	X     float64   `json:"x,omitempty"`
	Y     float64   `json:"y,omitempty"`
	Frame string    `json:"frame,omitempty"`
	Card  *PoseCard `json:"card,omitempty"`
}

// PoseCard is what a person reads.
type PoseCard struct {
	Head    string `json:"head"` // who asks
	Task    string `json:"task"`
	Value   string `json:"value,omitempty"` // to be entered
	Message string `json:"message,omitempty"`
	Small   string `json:"small,omitempty"`
}

// HearArgs waits for news after Seq.
type HearArgs struct {
	ID  string `json:"id"`
	Seq int    `json:"seq"`
}

// HearReply is what became of a question in a document.
type HearReply struct {
	Seq    int    `json:"seq"`
	Gone   bool   `json:"gone,omitempty"`   // there is no such question here
	Answer string `json:"answer,omitempty"` // "done" or "cannot"
	Note   string `json:"note,omitempty"`   // with "cannot"
	Did    string `json:"did,omitempty"`    // what was asked for: "clicked", "entered" (a value) or "pressed" (Enter)
	Lost   bool   `json:"lost,omitempty"`   // what is marked is not on the page any more
	// Fought: the page has taken the question away again and again, and it was
	// not put back the last time.
	Fought bool `json:"fought,omitempty"`
}

// YieldArgs has what is shown of a question make way, or (without On) be there
// again: To is "act" for input of our own, which goes to what is beneath it, or
// "picture" for one that shall not show it. It comes back by itself after a
// while.
type YieldArgs struct {
	To string `json:"to"`
	On bool   `json:"on"`
}

// GuardedReply counts fields.
type GuardedReply struct {
	Fields int `json:"fields"`
}
