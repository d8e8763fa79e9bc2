// Package tool says what a tool is: its declaration, its arguments bound from
// JSON, what its handler may do, and what it answers. The tools themselves are
// in internal/toolset.
package tool

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/policy"
)

// Hint is an annotation that its author must think about; the zero value is
// invalid.
type Hint int

// Hints.
const (
	No Hint = iota + 1
	Yes
)

// Spec declares a tool.
type Spec struct {
	Name, Title, Group, Description string

	Effect browser.Effect // the most that any of its ops does
	Action policy.Action  // what the rules are asked
	// OpenWorld: it reaches pages of the world. Idempotent: a second call
	// with the same arguments changes nothing more.
	OpenWorld, Idempotent Hint
	NoBrowser             bool // it works without one, and starts none
}

// Func is a handler.
type Func[In any, Out Output] func(context.Context, *Call, In) (Out, error)

// Output is what a handler answers. Its JSON form is the structured content.
type Output interface {
	Content() Content
}

// Content is an answer as a model reads it.
type Content struct {
	Text   string // without the tab's line, which is put before it
	Images []Image
	// Resources that a page tool answered with.
	Resources []Resource
	Failed    bool          // a page tool says that it failed: Text tells how
	Since     browser.Since // told in the tab's line
	// NewTabs and Downloads that the call caused, told below the tab's line.
	NewTabs   []browser.TabID
	Downloads []browser.Download
}

// Image is a picture in an answer.
type Image struct {
	MIME string
	Data []byte
}

// Resource is what a page tool's answer embeds (MCP, EmbeddedResource).
type Resource struct {
	URI, MIME string
	Text      string
	Data      []byte // in place of Text
}

// TabArgs are the arguments of every tool that concerns a tab: embed it.
type TabArgs struct {
	Tab string `json:"tab,omitempty" doc:"id, such as t3; default: the current tab" list:"bare"`
	Doc int    `json:"doc,omitempty" doc:"guard: fail unless the tab still shows this document number" min:"1" list:"bare"`
}

func (a TabArgs) tabArgs() TabArgs { return a }

// The interfaces that an In may have, for the policy's question. Without them
// the origin is the tab's and there is no subject.
type (
	// Destined tells the URL that a call leads to.
	Destined interface{ Destination() string }
	// Opening tells in which browser a call opens a tab, by id or name; "" is the
	// usual one. The rules are asked about that browser.
	Opening interface{ OpensIn() string }
	// Subjected tells what the action is done with: a page tool's name, code, a path.
	Subjected interface{ Subject() string }
	// Aimed tells the refs that a call acts on; their frames' origins are asked for.
	Aimed interface{ Refs() []string }
	// Filed tells the files and folders that a call reads or writes, as the
	// client named them, relative ones in its working folder; "" is that folder.
	// The rules for files are asked about each beside the tool's own action.
	Filed interface{ Paths() []string }
	// PageTooled tells which page tool a call is for: its name, as the page calls
	// it or as it is listed, and the frame that offers it; "" when the client
	// named none, and "main" for the main frame. The rules are asked about it and
	// the origin of its document.
	PageTooled interface{ PageTool() (name, frame string) }
	// Checked validates what a schema cannot say ("ref or x and y").
	Checked interface{ Check() error }
)

// Call is what a handler has: the tab of the call and what may be done to it.
type Call struct {
	Env
	spec Spec
	tab  browser.TabID
}

// NewCall is for the broker.
func NewCall(env Env, spec Spec, tab browser.TabID) *Call {
	return &Call{Env: env, spec: spec, tab: tab}
}

// Env is what the broker gives a call.
type Env interface {
	// Run runs op on the tab (or, with an empty tab, on the call's browser),
	// guarded and permitted as the call was.
	Run(ctx context.Context, tab browser.TabID, op browser.Op, result any) error
	// Lookup returns what is known of a visible tab now.
	Lookup(id browser.TabID) (browser.Tab, bool)
	// Tabs lists the visible tabs in order, with what is known beside them.
	Tabs() []TabView
	// Browsers lists the attached browsers.
	Browsers() []BrowserView
	// OpenTab opens a blank tab that belongs to the session. An empty name
	// means the session's usual browser.
	OpenTab(ctx context.Context, browser string, op browser.OpenTab, keep bool) (browser.Tab, error)
	// SetCurrent makes the tab the session's current one.
	SetCurrent(id browser.TabID)
	// PageTool is the page tool that the call is for, as it was when the rules
	// were asked.
	PageTool() browser.PageTool
	// PageTools lists the page tools of a visible tab that the client is offered,
	// by frame in tree order and then by name; known is false where they are not
	// followed yet.
	PageTools(id browser.TabID) (tools []browser.PageTool, known bool)
	// StrictSchemas tells whether the client wants arguments of page tools that
	// their schemas do not take refused in every respect.
	StrictSchemas() bool
	// CheckURL returns the URL in its usual form, or why it may not be opened
	// (malformed, a scheme that no setting allows).
	CheckURL(raw string) (string, error)
	// Progress tells the client how far a long call is; total 0: unknown.
	Progress(ctx context.Context, done, total float64, message string)
	// Status tells how things are for the session.
	Status() Status
	// Calls returns what the call's client asked for before and has not cleared,
	// the newest first. A tab is one of the session.
	Calls(ctx context.Context, q history.Query) (history.Page, error)
	// ClearCalls hides all of that, and returns how many calls it is.
	ClearCalls(ctx context.Context) (int, error)
	// Asker is who asks a person, as they know it, and what tells its session
	// from all others.
	Asker() (client, session string)
	// KeepShot mints a handle ("s5") for a screenshot; Shot looks one up.
	KeepShot(Shot) string
	Shot(handle string) (Shot, bool)
	// FileToRead returns where one of the call's files is, absolute and with its
	// links resolved, and what it is: a file or folder that can be read.
	FileToRead(path string) (string, fs.FileInfo, error)
	// NewFile writes a file to one of the call's paths and returns where it is
	// and its size. In a folder ("" is the working folder) it gets the suggested
	// name, with a number when that is taken; nothing is ever overwritten, and
	// a file that could not be written wholly is not left behind.
	NewFile(path, suggested string, write func(io.Writer) error) (string, int64, error)
}

// TabView is a tab and what the broker knows of it.
type TabView struct {
	browser.Tab
	Current bool
	Owner   string // the client of another session that opened it, or ""
	Claim   string // another session's: "claude until 12:03:04", or ""
	// PageTools that the client is offered there; where they are not followed
	// yet, or the client may not read the tab, PageToolsKnown is false.
	PageTools      int
	PageToolsKnown bool
}

// BrowserView is an attached browser.
type BrowserView struct {
	ID browser.BrowserID
	browser.Info
}

// Shot is what a screenshot's handle stands for.
type Shot struct {
	Tab            browser.TabID
	Doc            int
	Width, Height  int // pixels
	Scale          float64
	Origin, Scroll browser.Point
	Emulated       string // how its tab was shown
}

// Tab returns what is known of the call's tab now; the zero Tab for a tool
// that concerns none.
func (c *Call) Tab() browser.Tab {
	t, _ := c.Lookup(c.tab)
	return t
}

// Do runs op on the call's tab. It refuses an op whose effect exceeds the
// tool's, so that a tool's hints cannot lie.
func (c *Call) Do(ctx context.Context, op browser.Op, result any) error {
	if op.Effect() > c.spec.Effect || op.Effect() < browser.Reads {
		return &browser.Error{Code: browser.CodeInternal, Msg: c.spec.Name + " may not run " + op.OpName()}
	}
	return c.Run(ctx, c.tab, op, result)
}

// Tool is a declared tool; New makes one.
type Tool struct {
	Spec   Spec
	Schema json.RawMessage // of the arguments
	Files  bool            // arguments may name files; the arguments are Filed
	listed json.RawMessage // the schema as clients list it
	bind   func(json.RawMessage) (Bound, error)
	plan   *object
	remake func(*object) Tool // with another plan
	older  *Older             // nil: a native tool
}

// Bind coerces, checks and decodes the arguments. The call has not run yet.
// Faults are CodeInvalidArguments and name the accepted arguments; Bound.Args
// is set also then, for the history.
func (t Tool) Bind(args json.RawMessage) (Bound, error) { return t.bind(args) }

// Bound is a call that is ready to run.
type Bound struct {
	Tab         string // as the client gave it
	Doc         int
	HasTab      bool // the tool concerns a tab
	Destination string
	Opens       bool // a tab, in Browser
	Browser     string
	Subject     string
	Refs        []browser.Ref
	Paths       []string
	PageTool    string // see PageTooled
	PageFrame   string
	Args        json.RawMessage // as history keeps them: fields tagged redact:"…" masked
	Masked      []string        // the texts that Args does not tell
	Run         func(context.Context, *Call) (Output, error)
}
