package pageagent

// Ops of the page agent about page tools. Key is that of the script in the
// page's world (ModelContextOptions); "" when there is none.

// ToolsArgs asks for the tools of a document.
type ToolsArgs struct {
	Key     string `json:"key"`
	Browser bool   `json:"browser"` // the browser's own too
}

// ToolsReply lists them. Channel tells that the script in the page's world is
// there, and Seq numbers what is listed.
type ToolsReply struct {
	Tools   []OfferedTool `json:"tools"`
	More    int           `json:"more,omitempty"` // that were too many
	Why     string        `json:"why,omitempty"`  // the browser's API is not there ("none", "insecure") or refuses (the name of its exception)
	Channel bool          `json:"channel"`
	Said    []SaidOfTool  `json:"said,omitempty"` // what the page said when it registered tools of the browser's own
	Seq     int           `json:"seq"`
}

// Sources of tools.
const (
	ToolOfBrowser   = "browser"
	ToolOfStandIn   = "stand-in"
	ToolOfOlderForm = "older form"
)

// OfferedTool is a tool. Schema and Annotations are JSON, "" for none.
type OfferedTool struct {
	Source      string `json:"source"`
	Kind        string `json:"kind"` // one of browser.PageToolKind
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description"`
	Schema      string `json:"schema,omitempty"`
	Annotations string `json:"annotations,omitempty"`
}

// SaidOfTool is what a page said of a tool; Annotations are JSON, "" for none.
type SaidOfTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Title       string `json:"title,omitempty"`
	Annotations string `json:"annotations,omitempty"`
}

// ToolsChangedArgs waits until the tools are others than those with the number.
type ToolsChangedArgs struct {
	Key string `json:"key"`
	Seq int    `json:"seq"`
}

// ToolsChangedReply numbers the tools that there are now.
type ToolsChangedReply struct {
	Seq int `json:"seq"`
}

// CallToolArgs calls a tool. Source is where it comes from, "" when that is not
// known; Input is the JSON of an object. ID, which the caller makes up, is for later: with it the
// call can be cancelled, and its answer fetched (Follow) once it waits.
type CallToolArgs struct {
	Key    string `json:"key"`
	ID     int    `json:"id"`
	Source string `json:"source"`
	Name   string `json:"name"`
	Input  string `json:"input"`
	Follow bool   `json:"follow,omitempty"` // it was called before; what comes next is wanted
	Most   int    `json:"most"`             // characters of the result; a longer one is cut
}

// CallToolReply is what became of it.
type CallToolReply struct {
	// State: "completed" (with Result), "failed" (with Message; Thrown says by
	// what), "cancelled", "unknown" (there is no such tool),
	// "waiting" (the form is filled, a person has to submit it), "left" (the
	// form was submitted, and another document has the answer if any has).
	State   string `json:"state"`
	Result  string `json:"result,omitempty"`
	Length  int    `json:"length,omitempty"` // bytes of a result that was cut
	Message string `json:"message,omitempty"`
	Thrown  string `json:"thrown,omitempty"` // by a script of the page: "error", "text", or "value" for anything else
}

// CancelToolArgs cancels a call.
type CancelToolArgs struct {
	Key string `json:"key"`
	ID  int    `json:"id"`
}

// ToolFormArgs asks how a tool that is a form in the older dialect is filled
// with an input, the JSON of an object.
type ToolFormArgs struct {
	Name  string `json:"name"`
	Input string `json:"input"`
}

// ToolFormReply names the form and what goes into its fields.
type ToolFormReply struct {
	Known  bool        `json:"known"`
	N      int         `json:"n"`
	Fields []FormField `json:"fields"`
}

// FormField is the value of a field.
type FormField struct {
	N      int      `json:"n"`
	Value  string   `json:"value"`
	Values []string `json:"values,omitempty"` // of a list that takes several
}

// SubmitFormReply tells why a form was not submitted, "" when it was.
type SubmitFormReply struct {
	Invalid string `json:"invalid,omitempty"`
}

// LinkedDataArgs asks for what a document says of itself in JSON-LD; Most is
// how many characters of it are wanted.
type LinkedDataArgs struct {
	Most int `json:"most"`
}

// LinkedDataReply is a JSON array of its objects.
type LinkedDataReply struct {
	Objects string `json:"objects"`
	Length  int    `json:"length,omitempty"` // characters, when they were left out
}
