package pageagent

// ElementsArgs asks for the elements of a document.
type ElementsArgs struct {
	Prefix string `json:"prefix"`
}

// ElementsReply lists them in document order, column by column: the element of
// each of Numbers has a role (a place in Roles) and a text, and those at the
// places of Valued have a value.
type ElementsReply struct {
	Numbers []int    `json:"numbers"`
	Role    []int    `json:"role"`
	Roles   []string `json:"roles"`
	Texts   []string `json:"texts"`
	Valued  []int    `json:"valued"`
	Values  []string `json:"values"`
	More    string   `json:"more,omitempty"` // why not all of them
}

// StampArgs asks for a stamp of what a document holds.
type StampArgs struct {
	Prefix string `json:"prefix"`
}

// StampReply is another one for another document, and once its content changed.
type StampReply struct {
	Stamp string `json:"stamp"`
}
