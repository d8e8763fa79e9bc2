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
