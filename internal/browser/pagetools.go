package browser

import (
	"encoding/json"
	"time"
)

// A PageTool is a tool that a document offers to agents (WebMCP,
// https://webmachinelearning.github.io/webmcp). All its words are the page's.
type PageTool struct {
	Name        string // as the page calls it, unique in its document
	Title       string // "" when there is none, or it is not known
	Description string
	Schema      json.RawMessage // of the arguments, as the page gave it; nil: none
	Kind        PageToolKind
	Hints       PageToolHints
	Frame       FrameID // the document that offers it
	Origin      Origin  // of that document
}

// Key names the tool within its tab.
func (t *PageTool) Key() PageToolKey { return PageToolKey{t.Frame, t.Name} }

// PageToolKey names a page tool of a tab: a document and its word.
type PageToolKey struct {
	Frame FrameID
	Name  string
}

// PageToolKind tells what a page tool is made of.
type PageToolKind string

// Kinds of page tools.
const (
	ToolOfScript    PageToolKind = "script"    // registered by a script of the page
	ToolOfForm      PageToolKind = "form"      // a form that is filled, for a person to submit
	ToolOfSelfForm  PageToolKind = "self-form" // a form that is filled and submitted
	ToolOfOlderForm PageToolKind = "old-form"  // the same, declared only in the older dialect (toolname-target)
)

// Form tells whether the tool is a form of the page.
func (k PageToolKind) Form() bool { return k != ToolOfScript }

// PageToolHints are what a page says about a tool; nil where it says nothing.
// They may tighten a rule and never widen one.
type PageToolHints struct {
	ReadOnly         *bool `json:"readOnlyHint,omitempty"`
	Destructive      *bool `json:"destructiveHint,omitempty"`
	Idempotent       *bool `json:"idempotentHint,omitempty"`
	OpenWorld        *bool `json:"openWorldHint,omitempty"`
	UntrustedContent *bool `json:"untrustedContentHint,omitempty"`
	Consequential    *bool `json:"consequentialHint,omitempty"`
	Debugging        *bool `json:"debugging,omitempty"`
}

// Grave tells that the page itself calls the tool one whose effects matter.
func (h PageToolHints) Grave() bool {
	return h.Destructive != nil && *h.Destructive || h.Consequential != nil && *h.Consequential
}

// PageToolsChanged tells what changed in the tools that the documents of a tab
// offer, since the last event about them; the first one tells all of them.
type PageToolsChanged struct {
	Tab TabID
	// Known is false when they are not followed (any more): nothing is known
	// of them then, and the lists are empty.
	Known   bool
	Removed []PageToolKey // first
	Added   []PageTool    // also in place of those with the same key
}

func (PageToolsChanged) event() {}

// Ops about page tools.
type (
	// PageTools makes the page tools of a tab known and followed from then on.
	// Answers *PageToolList.
	PageTools struct{}
	// CallPageTool calls one. Answers *PageToolAnswer.
	CallPageTool struct {
		Frame    FrameID
		Name     string          // as the page calls it
		Origin   Origin          // of the document, which is refused with another; "" for any
		Args     json.RawMessage // an object; nil: an empty one
		Timeout  time.Duration   // 0: 20 s
		MaxBytes int             // of the answer's JSON, a longer one is cut; 0: 256 KiB
	}
)

func (PageTools) OpName() string       { return "page_tools" }
func (PageTools) Effect() Effect       { return Reads }
func (PageTools) Needs() Capability    { return CanPageTools }
func (PageTools) Turn() bool           { return false }
func (CallPageTool) OpName() string    { return "call_page_tool" }
func (CallPageTool) Effect() Effect    { return Destroys }
func (CallPageTool) Needs() Capability { return CanPageTools }
func (CallPageTool) Turn() bool        { return false }

// PageToolList answers PageTools.
type PageToolList struct {
	Tools []PageTool // by frame in tree order, then by name
	// Without are the documents that offer none, and why.
	Without []PageToolless
	Notes   []string // what was left out, for being too much
	Since   Since
}

// PageToolless is a document without page tools.
type PageToolless struct {
	Frame  FrameID
	Origin Origin
	Why    PageToolWhy
	Detail string // of NoPageToolsUnreadable: why
}

// PageToolWhy is why a document offers no page tools.
type PageToolWhy string

// Reasons.
const (
	NoPageToolsYet        PageToolWhy = "none registered"
	NoPageToolsAPI        PageToolWhy = "no API"           // neither the browser's nor a stand-in
	NoPageToolsInsecure   PageToolWhy = "insecure context" // not https, nor a local address
	NoPageToolsPolicy     PageToolWhy = "permissions policy"
	NoPageToolsDomain     PageToolWhy = "document.domain" // the page is not origin-keyed
	NoPageToolsUnreadable PageToolWhy = "unreadable"
)

// PageToolAnswer answers CallPageTool.
type PageToolAnswer struct {
	// JSON is what the tool returned; nil: nothing. Where that has more bytes
	// than wanted, which Cut tells, it is a text of its beginning.
	JSON json.RawMessage
	Cut  int
	// Waiting: the form is filled, and waits for a person to submit it.
	Waiting bool
	// Navigated is where the call led; Landed is what the document there says
	// of itself, its JSON-LD objects.
	Navigated *Navigation
	Landed    json.RawMessage
	Dialog    *Dialog // that holds the tool up
	Opened    []TabID // tabs that were opened meanwhile
	// Notes tell how it was called, when that was not the usual way.
	Notes []string
}
