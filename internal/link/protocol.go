package link

import "encoding/json"

// The ops and events of an extension. Tabs, windows and frames are named by the
// browser's own numbers, which exceed 32 bits in Firefox; documents by texts
// that are never used again. The extension tells nothing of, and does nothing
// to, a tab that its user has not allowed: it answers such an op as it would
// for a tab that does not exist.

// ExtensionOps is the closed list of what an extension does when it is asked.
// On the wire a name begins in lower case ("listTabs"). Which of them a browser
// has is in its Hello.
type ExtensionOps struct {
	ListTabs func(None) TabList // all that are allowed; from then on events tell
	// OpenTab opens a tab, which is allowed from then on.
	OpenTab     func(OpenTabArgs) TabInfo
	CloseTab    func(TabArgs) None
	ActivateTab func(TabArgs) None
	GetTab      func(TabArgs) TabInfo
	// Unload ends the page of a tab, also one that hangs. The tab stays, asleep,
	// with another number in some browsers.
	Unload func(TabArgs) None
	// Go begins a navigation, and answers once the browser has taken it. Events
	// tell how it went.
	Go func(GoArgs) None

	// Watch asks for the events of a tab that tell of its frames and requests,
	// and answers with its frames. It stays in force until the tab goes or is
	// unwatched, also when the extension starts anew. A tab that is asleep is woken.
	Watch      func(TabArgs) FrameList
	Unwatch    func(TabArgs) None
	ListFrames func(TabArgs) FrameList

	// Enter makes the page agent in the document that a frame shows, or finds
	// it there.
	Enter func(FrameArgs) EnterReply
	// Ask calls the agent of a document.
	Ask func(AskArgs) AskReply
	// Name gives the iframe element in the parent document that shows the
	// document of a frame its number.
	Name func(NameArgs) None

	// Evaluate runs code in the page's own world, past its CSP.
	Evaluate func(EvaluateArgs) EvaluateReply
	// Script puts the script for page tools into the page's own world of all
	// documents of allowed tabs, from their start, and into those that are there.
	Script func(ScriptArgs) None
	// Capture takes a picture of the viewport of a tab. Without Shown it may
	// have to be shown for a moment in its window.
	Capture func(CaptureArgs) CaptureReply

	// Debug sends a command of the DevTools protocol to a tab (chrome.debugger),
	// which is attached first when it is not. Only with full power.
	Debug func(DebugArgs) DebugReply
	// LetGo detaches from a tab.
	LetGo func(TabArgs) None

	// Load loads a resource for a tab's page, past what the page may do itself.
	Load func(LoadArgs) LoadReply
	// Save has the browser keep a file in its downloads folder.
	Save func(SaveArgs) SaveReply
}

// ExtensionEvents is the closed list of what an extension tells by itself: the
// name on the wire is the key, the body is the value.
// Those of frames and requests come for watched tabs only.
type ExtensionEvents struct {
	TabOpened    TabInfo          `json:"tabOpened"` // it is there, or was allowed
	TabChanged   TabInfo          `json:"tabChanged"`
	TabClosed    TabGone          `json:"tabClosed"` // it was closed, or made private again
	Began        Navigating       `json:"began"`
	Committed    Committed        `json:"committed"`
	DOMReady     DocumentAt       `json:"domReady"`
	Loaded       DocumentAt       `json:"loaded"`
	Moved        DocumentAt       `json:"moved"` // the address changed within the document
	Failed       NavigationFailed `json:"failed"`
	FrameGone    FrameArgs        `json:"frameGone"`
	Requested    Requested        `json:"requested"`
	Responded    Responded        `json:"responded"`
	RequestEnded RequestEnded     `json:"requestEnded"`
	Download     DownloadTold     `json:"download"`
	Debugged     DebugEvent       `json:"debugged"`
	LetGoOf      DebugGone        `json:"letGoOf"`
	PowersChange Powers           `json:"powersChange"`
	Stopped      Switch           `json:"stopped"` // the drawbridge is up (or down again)
}

// None is no arguments, or no reply.
type None struct{}

// TabArgs names a tab.
type TabArgs struct {
	Tab int64 `json:"tab"`
}

// TabInfo is what is known of a tab.
type TabInfo struct {
	Tab    int64  `json:"tab"` // another one after the browser has unloaded its page
	Key    string `json:"key"` // a UUID, the same for the tab as long as it is open
	Window int64  `json:"window"`
	Active bool   `json:"active"`
	Opener int64  `json:"opener,omitempty"` // the tab whose page opened it
	// OpenedBy tells that we did.
	OpenedBy bool   `json:"openedBy,omitempty"`
	URL      string `json:"url"`
	Title    string `json:"title"`
	Loading  bool   `json:"loading,omitempty"`
	Asleep   bool   `json:"asleep,omitempty"`  // the browser has unloaded its page
	Frozen   bool   `json:"frozen,omitempty"`  // the browser has stopped its page until somebody looks at it
	Private  bool   `json:"private,omitempty"` // of a window of private browsing
	// Closed tells why its page cannot be touched, in words for a person; "" when
	// it can.
	Closed string `json:"closed,omitempty"`
}

// TabList lists tabs.
type TabList struct {
	Tabs []TabInfo `json:"tabs"`
}

// TabGone tells why a tab is not there any more: "closed", or "private" when its
// user has withdrawn it.
type TabGone struct {
	Tab int64  `json:"tab"`
	Why string `json:"why"`
}

// OpenTabArgs is what to open, in a window (0: that used last). With Opener it is what
// the page of that tab opens, beside it: allowed as that is.
type OpenTabArgs struct {
	Opener int64  `json:"opener,omitempty"`
	Window int64  `json:"window,omitempty"`
	URL    string `json:"url,omitempty"`
	Active bool   `json:"active"`
}

// GoArgs is a URL, or To: "back", "forward" or "reload".
type GoArgs struct {
	Tab int64  `json:"tab"`
	URL string `json:"url,omitempty"`
	To  string `json:"to,omitempty"`
}

// FrameArgs names a frame, and the document that it must show, "" for any.
type FrameArgs struct {
	Tab      int64  `json:"tab"`
	Frame    int64  `json:"frame"` // 0: the main frame
	Document string `json:"document,omitempty"`
}

// FrameInfo is a frame and what it shows.
type FrameInfo struct {
	Frame    int64  `json:"frame"`
	Parent   int64  `json:"parent"` // -1: of the main frame
	Document string `json:"document"`
	URL      string `json:"url"`
	Failed   bool   `json:"failed,omitempty"` // the browser shows an error in its place
}

// FrameList lists the frames of a tab, each after its parent.
type FrameList struct {
	Frames []FrameInfo `json:"frames"`
}

// EnterReply tells of a document in which the agent is.
type EnterReply struct {
	Document string `json:"document"`
	Origin   string `json:"origin"` // self.origin
	Blank    bool   `json:"blank"`  // nothing is in it
}

// AskArgs is a call of the agent: its op, the least number for elements, and the
// arguments as JSON text.
type AskArgs struct {
	Tab      int64  `json:"tab"`
	Frame    int64  `json:"frame"`
	Document string `json:"document"`
	Op       string `json:"op"`
	First    int    `json:"first"`
	Args     string `json:"args"`
}

// AskReply is the agent's answer, a pageagent.Reply as JSON text.
type AskReply struct {
	Answer string `json:"answer"`
}

// NameArgs names the document of a frame, which is within that of the parent.
type NameArgs struct {
	Tab            int64  `json:"tab"`
	Parent         int64  `json:"parent"`
	ParentDocument string `json:"parentDocument"`
	Frame          int64  `json:"frame"`
	Number         string `json:"number"` // a browser.FrameID
}

// EvaluateArgs is an expression, whose value may be a promise.
type EvaluateArgs struct {
	Tab      int64  `json:"tab"`
	Frame    int64  `json:"frame"`
	Document string `json:"document"`
	Code     string `json:"code"`
}

// EvaluateReply is the value as JSON text, or what was thrown.
type EvaluateReply struct {
	Value  string  `json:"value,omitempty"`
	Thrown *Thrown `json:"thrown,omitempty"`
}

// Thrown is what code threw: an error by its class and description with the
// stack, anything else by its JSON. Line is that of a syntax error, from 1.
type Thrown struct {
	Class       string `json:"class,omitempty"`
	Description string `json:"description,omitempty"`
	Value       string `json:"value,omitempty"`
	Syntax      bool   `json:"syntax,omitempty"`
	Line        int    `json:"line,omitempty"`
}

// ScriptArgs is what pageagent.ModelContextOptions are to the script.
type ScriptArgs struct {
	Key      string `json:"key"`
	Polyfill bool   `json:"polyfill"`
	Hints    bool   `json:"hints"`
	Faults   bool   `json:"faults"`
}

// CaptureArgs asks for a picture. Clip is in CSS pixels of the viewport, or of
// the page with Whole, which only some browsers can; Scale is of the result.
type CaptureArgs struct {
	Tab     int64   `json:"tab"`
	Format  string  `json:"format"` // "jpeg", "png" or "webp"
	Quality int     `json:"quality,omitempty"`
	Clip    *Area   `json:"clip,omitempty"`
	Whole   bool    `json:"whole,omitempty"`
	Scale   float64 `json:"scale"`
	Shown   bool    `json:"shown,omitempty"` // refuse rather than show the tab
}

// Area is in CSS pixels.
type Area struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// CaptureReply is a picture in base64.
type CaptureReply struct {
	Data string `json:"data"`
}

// DebugArgs is a command to the page of a tab, or to a session in it.
type DebugArgs struct {
	Tab     int64           `json:"tab"`
	Session string          `json:"session,omitempty"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// DebugReply is its result.
type DebugReply struct {
	Result json.RawMessage `json:"result"`
}

// DebugEvent is an event of the DevTools protocol.
type DebugEvent struct {
	Tab     int64           `json:"tab"`
	Session string          `json:"session,omitempty"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// DebugGone tells that the debugger was detached: by "user", "target" (the tab
// went) or "us".
type DebugGone struct {
	Tab int64  `json:"tab"`
	Why string `json:"why"`
}

// LoadArgs is a resource at http: or https:, and how many bytes of it may come.
// Own: it is of the same origin as the document, and is loaded as its user.
type LoadArgs struct {
	Tab  int64  `json:"tab"`
	URL  string `json:"url"`
	Most int64  `json:"most"`
	Own  bool   `json:"own"`
}

// LoadReply is the resource. Status is that of the server, 0 when none answered.
// More: there are more bytes than may come, and none did.
type LoadReply struct {
	Status int    `json:"status"`
	MIME   string `json:"mime"`
	Data   string `json:"data"` // base64
	More   bool   `json:"more"`
}

// SaveArgs is a file to keep.
type SaveArgs struct {
	Name string `json:"name"`
	MIME string `json:"mime"`
	Data string `json:"data"` // base64
}

// SaveReply tells under which path it is kept.
type SaveReply struct {
	Path string `json:"path"`
}

// Navigating tells that a frame has begun to go elsewhere.
type Navigating struct {
	Tab   int64  `json:"tab"`
	Frame int64  `json:"frame"`
	URL   string `json:"url"`
}

// Committed tells that a frame shows another document.
type Committed struct {
	Tab      int64  `json:"tab"`
	Frame    int64  `json:"frame"`
	Parent   int64  `json:"parent"`
	Document string `json:"document"`
	URL      string `json:"url"`
	// Restored: it came out of the back/forward cache.
	Restored bool `json:"restored,omitempty"`
	// ByUser: neither the page nor we asked for it, but a person in the browser.
	ByUser bool `json:"byUser,omitempty"`
	// Again: it was loaded anew, or come to in the history.
	Again bool `json:"again,omitempty"`
}

// DocumentAt is a document and its address.
type DocumentAt struct {
	Tab      int64  `json:"tab"`
	Frame    int64  `json:"frame"`
	Document string `json:"document"`
	URL      string `json:"url"`
}

// NavigationFailed tells that a navigation came to nothing, or to a page of the
// browser about its error.
type NavigationFailed struct {
	Tab   int64  `json:"tab"`
	Frame int64  `json:"frame"`
	URL   string `json:"url"`
	Error string `json:"error"` // "net::ERR_CONNECTION_REFUSED", also in Firefox
	// Shown: the error page has taken the place of the document.
	Shown bool `json:"shown,omitempty"`
}

// Requested tells that a document asked for something.
type Requested struct {
	Tab    int64  `json:"tab"`
	Frame  int64  `json:"frame"`
	ID     string `json:"id"`
	URL    string `json:"url"`
	Method string `json:"method"`
	Type   string `json:"type"` // as webRequest names it: "main_frame", "xmlhttprequest", ...
	// Late: it was for the document that the frame shows already.
	Late bool `json:"late,omitempty"`
}

// Responded tells of the head of an answer.
type Responded struct {
	Tab    int64  `json:"tab"`
	Frame  int64  `json:"frame"`
	ID     string `json:"id"`
	URL    string `json:"url"`
	Type   string `json:"type"`
	Status int    `json:"status"`
}

// RequestEnded tells how a request ended; Error is "" when it was answered.
type RequestEnded struct {
	Tab   int64  `json:"tab"`
	ID    string `json:"id"`
	Error string `json:"error,omitempty"`
}

// DownloadTold tells how a download goes. Tab is 0 when that is not known.
type DownloadTold struct {
	Tab   int64  `json:"tab"`
	ID    string `json:"id"`
	URL   string `json:"url"`
	Name  string `json:"name"`           // of the file, without its folder
	Path  string `json:"path,omitempty"` // when it is complete
	Bytes int64  `json:"bytes"`
	State string `json:"state"` // "running", "completed" or "interrupted"
}

// Powers are what the user and the browser let an extension do now.
type Powers struct {
	// Full: the user has switched full power on, and the browser has it.
	Full bool `json:"full"`
	// Scripts: code can be run in pages, also without the debugger.
	Scripts bool `json:"scripts"`
	// Captures: pictures can be taken; Hidden: of tabs that are not shown, and of
	// whole pages.
	Captures bool `json:"captures"`
	Hidden   bool `json:"hidden"`
	// Paths: files can be given to pages by their paths.
	Paths bool `json:"paths"`
}

// Switch is the drawbridge's.
type Switch struct {
	Up bool `json:"up"` // nothing is let through
}
