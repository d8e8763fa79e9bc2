package tool

import (
	"context"
	"encoding/json"
	"time"

	"drawbridge/internal/browser"
)

// Older is a native tool as an older server showed it: under its name, with its
// schema and hints, its arguments and its replies. What a call does, the rules
// and the history see as the native call.
type Older struct {
	Name, Title, Description string
	Schema                   json.RawMessage // of the arguments; nothing is checked by it
	OutputSchema             json.RawMessage // of the structured content; nil: it had none
	Annotations              *Annotations    // nil: it had none
	// Native is what its calls usually become: clients that may not use it are
	// not shown the older one either.
	Native Tool
	// In translates the arguments, before the rules are asked. Its error is the
	// client's answer, and nothing is called.
	In func(s Scope, args json.RawMessage) (Use, error)
	// Reply writes the answer of what In named, or of why there is none. Exactly
	// one of out and err is nil.
	Reply func(s Scope, u Use, out Output, err *browser.Error) Reply
}

// Use is a native call, or the answer where none is needed.
type Use struct {
	Tool Tool
	Args any           // of which the JSON is the arguments
	Tab  browser.TabID // that it concerns; for the reply
	// Done, when set, is the answer: nothing is called.
	Done *Reply
	// Around, when set, runs the call: run does what Tool does. Before and after
	// it may look at the tab with c, by ops that only read; what the rules said of
	// the call holds for those too.
	Around func(ctx context.Context, c *Call, run func(context.Context) (Output, error)) (Output, error)
}

// Looking is c for what is done around a call: it only reads.
func (c *Call) Looking() *Call {
	looking := *c
	looking.spec.Effect = browser.Reads
	return &looking
}

// Returned is an Output that also has the JSON that a page returned, as it came;
// nil: nothing.
type Returned interface{ Returned() json.RawMessage }

// Reply is an answer as an older server gave it.
type Reply struct {
	Text       string // what failed, when Failed; "" with a picture: no text at all
	Images     []Image
	Structured json.RawMessage // nil: none
	Failed     bool
	// Declined: it tells what failed, as an answer that is none of the protocol's
	// errors.
	Declined bool
}

// Scope is what a dialect sees of its session, which it only reads.
type Scope interface {
	// Tabs lists the visible tabs in order.
	Tabs() []TabView
	// PageTools lists the page tools of a visible tab; known is false where they
	// are not followed yet.
	PageTools(id browser.TabID) (tools []browser.PageTool, known bool)
	// Browsers lists the attached browsers.
	Browsers() []BrowserView
}

// Dialect is the vocabulary of an older server as one session speaks it, beside
// its tools. It is called concurrently.
type Dialect interface {
	// Other returns the tool that a call means whose name is none of the tools'.
	Other(name string) Tool
	// Called is told of every call that has ended, in the older server's words.
	Called(OlderCall)
}

// OlderCall is a call as an older server saw it.
type OlderCall struct {
	Name  string
	Args  json.RawMessage // without the texts that must not be kept
	Ended time.Time
	Took  time.Duration
	Fault string // what the client was told; "" when the call succeeded
}

// As makes a tool of an older one. Session.Call translates its calls: there is
// nothing to bind in it itself.
func As(o Older) Tool {
	s := o.Native.Spec
	s.Name, s.Title, s.Description = o.Name, o.Title, o.Description
	return Tool{Spec: s, Schema: o.Schema, listed: o.Schema, older: &o, bind: func(json.RawMessage) (Bound, error) {
		return Bound{}, &browser.Error{Code: browser.CodeInternal, Msg: o.Name + " is a tool of a dialect"}
	}}
}

// Older is what t was made of by As, nil for a native tool.
func (t Tool) Older() *Older { return t.older }
