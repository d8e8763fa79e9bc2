package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

// pageAPI is where documents have the API for tools, in our own world too.
const pageAPI = "(document.modelContext??navigator.modelContext)"

// formFilled makes a promise that is kept when a form is filled and waits for a
// person. The tools of scripts tell of themselves in the same way.
const formFilled = `function(name){return{__proto__:null,filled:new Promise(done=>{const c=` + pageAPI + `;
c.addEventListener("toolactivated",function told(e){if(e.toolName===name){c.removeEventListener("toolactivated",told);done()}})})}}`

// executeTool calls a tool by way of the API; "this" can abort it. Browsers
// before Chrome 155 take the input as text only, and say so before they call.
const executeTool = `async function(name,text){const c=` + pageAPI + `;
if(!c||typeof c.getTools!=="function"||typeof c.executeTool!=="function")return{lacks:"api"};
const own=w=>w==null||w===window||w===document||w.defaultView===window;
const tool=(await c.getTools()).find(t=>t.name===name&&own(t.window??t.source));
if(!tool)return{lacks:"tool"};
const o={signal:this.signal};let r;
try{r=await c.executeTool(tool,JSON.parse(text),o)}
catch(e){if(!/parse input/i.test(String(e&&e.message)))throw e;r=await c.executeTool(tool,text,o)}
return{said:r??null}}`

// world is the context of our own world in the frame.
func (c *pageCall) world(ctx context.Context) (runtime.ExecutionContextID, error) {
	c.d.mu.Lock()
	a := c.f.agent
	c.d.mu.Unlock()
	if a != nil && !unfinished(a.done) && a.err == nil {
		return a.context, nil
	}
	var made cdppage.CreateIsolatedWorldResult
	err := c.d.send(ctx, c.inv.session, cdppage.CommandCreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: c.f.id, WorldName: worldName}, &made)
	return made.ExecutionContextID, err
}

// listen has the document tell when the form is filled and waits for a person.
func (c *pageCall) listen(ctx context.Context) error {
	waiting, stop := c.d.begin(ctx, c.t, c.f)
	defer stop()
	world, err := c.world(waiting)
	if err != nil {
		return err
	}
	name, err := json.Marshal(c.op.Name)
	if err != nil {
		return err
	}
	var reply evaluation
	code := "(" + formFilled + ")(" + string(name) + ").filled"
	if err := c.d.send(waiting, c.inv.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: code, ContextID: world}, &reply); err != nil {
		return err
	}
	if reply.Exception != nil {
		return nil // without the event, the form is waited for until the time is up
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	conn, inv := c.d.conn, c.inv
	c.d.spawn(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, c.limit)
		defer cancel()
		promise := runtime.RemoteObjectID(reply.Result.ObjectID)
		if conn.Send(ctx, inv.session, runtime.CommandAwaitPromise, runtime.AwaitPromiseParams{PromiseObjectID: promise}, nil) != nil {
			return
		}
		conn.Post(inv.session, runtime.CommandReleaseObject, runtime.ReleaseObjectParams{ObjectID: promise})
		inv.d.mu.Lock()
		defer inv.d.mu.Unlock()
		inv.activated = true
		inv.tell()
	})
	return nil
}

// viaPage calls the tool by way of the document's API, from our own world. The
// browser tells of that call as of others, where it tells of any.
func (c *pageCall) viaPage(within context.Context, why string) {
	c.notes = append(c.notes, "called by way of the page's own API: "+why)
	inv, d := c.inv, c.d
	d.mu.Lock()
	defer d.mu.Unlock()
	inv.refusal = nil
	if s := d.sessions[inv.session]; s != nil && json.Unmarshal(c.input, &inv.input) == nil {
		s.adopting = append(s.adopting, inv)
	}
	limit, _ := within.Deadline()
	d.spawn(func(ctx context.Context) {
		ctx, cancel := context.WithDeadline(ctx, limit.Add(cancelGrace)) // until then it may yet be aborted
		defer cancel()
		a, err := c.execute(ctx)
		d.mu.Lock()
		defer d.mu.Unlock()
		switch {
		case inv.id != "": // the browser tells more of it
		case err == nil:
			inv.answered(a)
		case left(err) || ctx.Err() != nil:
		default:
			inv.refusal = err
			inv.tell()
		}
	})
}

// apiReply is what executeTool answers.
type apiReply struct {
	Lacks string  `json:"lacks"`
	Said  *string `json:"said"`
}

func (c *pageCall) execute(ctx context.Context) (*toolAnswer, error) {
	world, err := c.world(ctx)
	if err != nil {
		return nil, err
	}
	var made evaluation
	if err := c.d.send(ctx, c.inv.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "new AbortController", ContextID: world}, &made); err != nil {
		return nil, err
	}
	controller := runtime.RemoteObjectID(made.Result.ObjectID)
	c.d.mu.Lock()
	c.inv.controller = controller
	conn, unwanted := c.d.conn, c.inv.unwanted
	c.d.mu.Unlock()
	defer post(conn, c.inv.session, runtime.CommandReleaseObject, runtime.ReleaseObjectParams{ObjectID: controller})
	if unwanted {
		return &toolAnswer{status: "Canceled"}, nil
	}
	name, err := json.Marshal(c.op.Name)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(string(c.input))
	if err != nil {
		return nil, err
	}
	var reply evaluation
	err = c.d.send(ctx, c.inv.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: executeTool, ObjectID: controller,
		Arguments: []*runtime.CallArgument{{Value: name}, {Value: text}}, AwaitPromise: new(true), ReturnByValue: new(true)}, &reply)
	if err != nil {
		return nil, err
	}
	if reply.Exception != nil {
		a := &toolAnswer{status: "Error"}
		if x := reply.Exception.Thrown; x != nil {
			a.errorText, _, _ = strings.Cut(x.Description, "\n")
		}
		return a, nil
	}
	var answer apiReply
	if err := json.Unmarshal(reply.Result.Value, &answer); err != nil {
		return nil, err
	}
	switch answer.Lacks {
	case "":
	case "tool":
		return nil, c.notOffered(nil)
	default:
		return nil, &browser.Error{Code: browser.CodeNotSupported, Msg: "this version of the browser has no way to call " + c.called(), Hint: "a newer Chromium has"}
	}
	a := &toolAnswer{status: "Completed", output: json.RawMessage("null")}
	if answer.Said != nil {
		if a.output = json.RawMessage(*answer.Said); !json.Valid(a.output) {
			a.output, err = json.Marshal(*answer.Said)
		}
	}
	return a, err
}

// viaPageInstead tells whether the page's own API may do what the browser
// refused, and why that is.
func viaPageInstead(err error) string {
	var refusal *ProtocolError
	switch {
	case !errors.As(err, &refusal):
		return ""
	case refusal.Code == methodNotFound:
		return "this browser has no other way"
	case strings.Contains(refusal.Message, "CBOR"):
		return "the browser does not carry its arguments"
	}
	return ""
}
