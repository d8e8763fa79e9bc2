package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

const (
	commandInvokeTool = "WebMCP.invokeTool"
	commandCancelTool = "WebMCP.cancelInvocation"

	eventToolInvoked   = "WebMCP.toolInvoked"
	eventToolResponded = "WebMCP.toolResponded"
)

type invokeToolParams struct {
	FrameID cdp.FrameID     `json:"frameId"`
	Name    string          `json:"toolName"`
	Input   json.RawMessage `json:"input"`
}

type cancelToolParams struct {
	ID string `json:"invocationId"`
}

// toolAnswer is what the browser tells of an invocation. It does so once for
// the tool, and once for each document that the tool led to.
type toolAnswer struct {
	status    string
	output    json.RawMessage // as it came; nil: none
	length    int             // of an output of which only the beginning came, as a text; 0: all did
	errorText string
	exception json.RawMessage // nil: none
	threw     string          // what the tool threw that was no error, in words; "": nothing, or exception has it
	after     bool            // it came when the document of the tool had gone
	at        time.Time
}

// crossedOrigins is what the browser answers for a document of another origin.
const crossedOrigins = "Cannot return tool results after a cross-origin navigation"

func (a *toolAnswer) completed() bool { return a.status == "Completed" || a.status == "Success" }
func (a *toolAnswer) crossed() bool   { return a.errorText == crossedOrigins }

// answersMost is how many answers to one invocation are kept: the tool's own
// may come after those of the frames that it loads.
const answersMost = 8

// invocation is a call of a page tool under way. Driver.mu guards it.
type invocation struct {
	d       *Driver
	f       *frame
	name    string
	session string
	loader  string         // of the document that runs the tool
	origin  browser.Origin // that it must be of

	id      string // "" until the browser has told it
	served  bool   // a document has begun to run the tool
	misled  bool   // that was a document of another origin than the one that was asked
	answers []*toolAnswer
	refusal error // of the browser

	controller runtime.RemoteObjectID // aborts a call by way of the page; "": none
	input      any                    // of a call by way of the page, by which it is known; nil: none
	kind       browser.PageToolKind   // of a tool of the stand-in, once it is known by what it does
	activated  bool                   // the form is filled, and waits for a person
	unwanted   bool                   // cancel it once the id is known
	stop       func()                 // cancels a call of the stand-in; nil: it is none
	end        func()                 // ends the hearing of such a call; nil: none began
	hearing    bool                   // that goes on
	late       func(*toolAnswer)      // takes the answer, when nobody waits any more; nil: nobody does
	more       chan struct{}          // holds a token when something came
}

// invoke has the browser call a tool. d.mu is not held.
func (inv *invocation) invoke(input json.RawMessage, limit time.Duration) {
	d := inv.d
	d.mu.Lock()
	defer d.mu.Unlock()
	conn, calls := d.conn, &inv.f.tab.calls
	if calls.sent == nil {
		calls.sent = make(map[*invocation]struct{})
	}
	calls.sent[inv] = struct{}{}
	d.spawn(func(ctx context.Context) {
		// One that races with a navigation may never be answered.
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err := conn.Send(ctx, inv.session, commandInvokeTool, invokeToolParams{FrameID: inv.f.id, Name: inv.name, Input: input}, inv)
		inv.refused(err)
	})
}

// refused notes that the browser does not do what it was asked; other errors
// come with the end of the page that is waited for.
func (inv *invocation) refused(err error) {
	if refusal := new(ProtocolError); errors.As(err, &refusal) {
		inv.d.mu.Lock()
		defer inv.d.mu.Unlock()
		inv.refusal = refusal
		inv.arrived()
		inv.tell()
	}
}

// Receive implements Receiver: the answers come under the invocation's id.
func (inv *invocation) Receive(result json.RawMessage) {
	var id string
	if members(result, func(name string, value json.RawMessage) {
		if name == "invocationId" {
			id, _ = text(value) // what is no text is nobody's id
		}
	}) != nil || id == "" {
		return
	}
	inv.d.mu.Lock()
	defer inv.d.mu.Unlock()
	inv.enter(id)
}

// enter begins to listen to what comes under an id. d.mu is held.
func (inv *invocation) enter(id string) {
	inv.id = id
	s := inv.d.sessions[inv.session]
	switch {
	case s == nil:
	case inv.unwanted:
		post(inv.d.conn, inv.session, commandCancelTool, cancelToolParams{id})
	default:
		if s.calls == nil {
			s.calls = make(map[string]*invocation)
		}
		s.calls[id] = inv
	}
}

// arrived notes that the call is not on its way any more. d.mu is held.
func (inv *invocation) arrived() {
	t := inv.f.tab
	if _, sent := t.calls.sent[inv]; sent {
		delete(t.calls.sent, inv)
		t.stir()
	}
}

// leave ends the listening. d.mu is held.
func (inv *invocation) leave() {
	inv.arrived()
	if inv.end != nil {
		inv.end()
	}
	s := inv.d.sessions[inv.session]
	if s == nil {
		return
	}
	if s.calls[inv.id] == inv {
		delete(s.calls, inv.id)
	}
	s.adopting = slices.DeleteFunc(s.adopting, func(o *invocation) bool { return o == inv })
}

// cancel asks the page to give up. d.mu is held.
func (inv *invocation) cancel() {
	inv.unwanted = true
	switch {
	case inv.stop != nil:
		inv.stop()
	case inv.controller != "":
		post(inv.d.conn, inv.session, runtime.CommandCallFunctionOn,
			runtime.CallFunctionOnParams{FunctionDeclaration: "function(){this.abort()}", ObjectID: inv.controller})
	case inv.id != "":
		post(inv.d.conn, inv.session, commandCancelTool, cancelToolParams{inv.id})
	}
}

// tell wakes the one who waits. d.mu is held.
func (inv *invocation) tell() {
	select {
	case inv.more <- struct{}{}:
	default:
	}
}

// left tells that the document that ran the tool is not there any more. d.mu is held.
func (inv *invocation) left() bool {
	return inv.f.loader != inv.loader || inv.f.tab.frames[inv.f.id] != inv.f
}

// toolInvoked notes that a document begins to run a tool. One that came in
// place of the document that was asked has it as well when it is of the same
// origin, as after a reload.
func (d *Driver) toolInvoked(s *session, ev Event) {
	if len(s.calls) == 0 && len(s.adopting) == 0 {
		return // the page's own
	}
	var id, name, frameID, input string
	err := members(ev.Params, func(member string, value json.RawMessage) {
		switch member {
		case "invocationId":
			id, _ = text(value)
		case "toolName":
			name, _ = text(value)
		case "frameId":
			frameID, _ = text(value)
		case "input":
			if len(s.adopting) > 0 {
				input, _ = text(value)
			}
		}
	})
	if err != nil {
		return
	}
	inv := s.calls[id]
	if inv == nil {
		inv = s.adopter(name, frameID, input)
		if inv == nil {
			return
		}
		inv.leave()
		inv.enter(id)
	}
	if inv.served {
		return
	}
	inv.served = true
	inv.arrived()
	if f := inv.f; f.loader != inv.loader && s.tab.frames[f.id] == f {
		inv.loader, inv.misled = f.loader, f.origin != inv.origin
		if inv.misled {
			inv.cancel()
		}
		inv.tell()
	}
}

// adopter finds the call by way of the page that the browser tells of. d.mu is held.
func (s *session) adopter(name, frameID, input string) *invocation {
	var given any
	for _, inv := range s.adopting {
		if inv.name != name || string(inv.f.id) != frameID {
			continue
		}
		if given == nil && json.Unmarshal([]byte(input), &given) != nil {
			return nil
		}
		if reflect.DeepEqual(given, inv.input) {
			return inv
		}
	}
	return nil
}

// toolResponded notes an answer. Nothing is decoded here that a page may make large.
func (d *Driver) toolResponded(s *session, ev Event) {
	if len(s.calls) == 0 {
		return
	}
	a := &toolAnswer{at: time.Now()}
	var inv *invocation
	err := members(ev.Params, func(member string, value json.RawMessage) {
		switch member {
		case "invocationId":
			id, _ := text(value)
			inv = s.calls[id]
		case "status":
			a.status, _ = text(value)
		case "output":
			a.output = value
		case "errorText":
			a.errorText, _ = text(value)
		case "exception":
			a.exception = value
		}
	})
	if err != nil || inv == nil {
		return
	}
	inv.answered(a)
}

// answered takes an answer. d.mu is held.
func (inv *invocation) answered(a *toolAnswer) {
	a.after = inv.left()
	if inv.late != nil {
		inv.leave()
		inv.late(a)
		return
	}
	if len(inv.answers) < answersMost {
		inv.answers = append(inv.answers, a)
		inv.tell()
	}
}
