package pageagent

// HintArgs is a hint to a person: at the element N, or with Point at the place
// X, Y of the viewport, for so many milliseconds.
type HintArgs struct {
	Prefix string  `json:"prefix"`
	N      int     `json:"n,omitempty"`
	Point  bool    `json:"point,omitempty"`
	X      float64 `json:"x,omitempty"`
	Y      float64 `json:"y,omitempty"`
	Text   string  `json:"text"`
	Millis int     `json:"millis"`
}

// HintReply tells what was marked.
type HintReply struct {
	Label string `json:"label"`
}
