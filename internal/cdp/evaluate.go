package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

const (
	evaluateLimit = 30 * time.Second // unless the op names another
	evaluateMost  = 1 << 20          // bytes of the value, unless the op names another
	probeLimit    = 300 * time.Millisecond
	stackLines    = 5 // of an error that the code threw
)

// sourceName is what the code is called in stacks; its first line is their
// first line.
const sourceName = "evaluate"

// evaluateHead comes before the code, in its first line. It runs the code and
// makes text of its value in the page, for only there can be told what the
// value was: {j} is the JSON, {} stands for undefined, {n} is the size of JSON
// that is too large, {e} says what cannot be JSON and {k} under which name it
// was found. {t} is the title of the page.
const evaluateHead = `(async(f,m)=>{` +
	`const v=await f(),r={__proto__:null,t:""};` +
	`try{if(self===top)r.t=String(document.title)}catch{}` +
	`const tag=x=>Object.prototype.toString.call(x).slice(8,-1),` +
	`w=x=>{switch(typeof x){` +
	`case"function":return("a function "+x.name).trim();` +
	`case"symbol":return"a symbol, "+String(x);` +
	`case"bigint":return"a BigInt, "+x+"n";` +
	`case"object":try{` +
	`if(x===null)return;` +
	`if(x===x.window)return"a window";` +
	`if(typeof x.nodeType==="number"&&typeof x.nodeName==="string"){const n=x.nodeName.toLowerCase();return"a DOM node, "+n+(x.id&&typeof x.id==="string"?"#"+x.id:"")}` +
	`if(x instanceof Error)return"an error, "+x;` +
	`const g=tag(x);` +
	`if(/^(Map|Set|WeakMap|WeakSet|WeakRef|Promise|RegExp|Error|DOMException|ArrayBuffer|SharedArrayBuffer|DataView|Blob|File|FormData|URLSearchParams|Headers|Request|Response|Selection|Range|Generator|AsyncGenerator|Map Iterator|Set Iterator|Array Iterator)$/.test(g))return"a "+g` +
	`}catch(e){if(e&&e.name==="SecurityError")return"an object of another origin"}}};` +
	`if(v===undefined)return r;` +
	`let bad=w(v),key;` +
	`if(!bad)try{r.j=JSON.stringify(v,(k,x)=>{const b=w(x);if(b){bad=b;key=k;throw 0}return x})}` +
	`catch(e){if(bad);else if(e&&e.name==="TypeError"&&/circular|cyclic/i.test(e.message))bad="an object that refers to itself";` +
	`else{let own=false;try{own=JSON.stringify({a:[1]})==='{"a":[1]}'}catch{}if(!own){r.v=v;return r}bad="an object that fails as JSON, "+e}}` +
	`if(bad){delete r.j;r.e=bad;if(key)r.k=key;return r}` +
	`if(typeof v==="string"&&(typeof r.j!=="string"||r.j[0]!=='"')){delete r.j;r.v=v;return r}` +
	`if(typeof r.j!=="string"){delete r.j;r.e="an object whose toJSON gives nothing"}` +
	`else if(r.j.length>m){r.n=new TextEncoder().encode(r.j).length;delete r.j}` +
	`return r})(async()=>{`

// evaluated is what evaluateHead answers.
type evaluated struct {
	Title string          `json:"t"`
	JSON  *string         `json:"j"`
	Size  int             `json:"n"`
	What  string          `json:"e"`
	Key   string          `json:"k"`
	Value json.RawMessage `json:"v"`
}

func expression(code string, most int) string {
	return evaluateHead + code + "\n}," + strconv.Itoa(most) + ")\n//# sourceURL=" + sourceName
}

// evaluation is the reply to Runtime.evaluate and Runtime.callFunctionOn.
type evaluation struct {
	Result struct {
		ObjectID    string          `json:"objectId"`
		Description string          `json:"description"`
		Value       json.RawMessage `json:"value"`
	} `json:"result"`
	Exception *exception `json:"exceptionDetails"`
}

type exception struct {
	Text   string `json:"text"`
	Line   int    `json:"lineNumber"`
	Column int    `json:"columnNumber"`
	Thrown *struct {
		Type        string          `json:"type"`
		Subtype     string          `json:"subtype"`
		ClassName   string          `json:"className"`
		Description string          `json:"description"`
		Value       json.RawMessage `json:"value"`
	} `json:"exception"`
}

func (d *Driver) evaluate(ctx context.Context, t *tab, to browser.Target, op browser.Evaluate) (*browser.Value, error) {
	limit, most := op.Timeout, op.MaxBytes
	if limit <= 0 {
		limit = evaluateLimit
	}
	if most <= 0 {
		most = evaluateMost
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if _, err := d.attach(within, t); err != nil {
		return nil, timeoutOf(ctx, within, limit, err)
	}
	d.mu.Lock()
	f := t.find(op.Frame)
	err := t.permitFrame(to.Origins, f, op.Frame)
	if err == nil && t.dialog != nil {
		err = t.dialogError(t)
	}
	w := d.watch(t)
	d.mu.Unlock()
	defer w.Close()
	if err != nil {
		return nil, err
	}
	out := &browser.Value{}
	reply, err := d.runCode(within, t, f, expression(op.Code, most))
	switch {
	case errors.Is(err, errDialog):
		if a, _ := w.Activity(); a.Dialog != nil {
			out.Dialog = a.Dialog
			return out, nil
		}
		return nil, d.pageError(t, err)
	case left(err):
		if !op.UntilNavigated {
			d.awaitNext(within, w)
			return nil, &browser.Error{Code: browser.CodePageError, Msg: "the page navigated while the code ran, so its value is lost",
				Hint: "give until_navigated if the code is meant to navigate", Err: err}
		}
	case err != nil:
		if within.Err() != nil {
			d.halt(t, f)
		}
		return nil, timeoutOf(ctx, within, limit, d.pageError(t, err))
	default:
		if out.JSON, err = d.valueOf(t, f, reply, most); err != nil {
			return nil, err
		}
	}
	if op.UntilNavigated {
		if err := d.untilNavigated(within, t, w, out); err != nil {
			return nil, timeoutOf(ctx, within, limit, err)
		}
	}
	return out, nil
}

// awaitNext waits a moment for the document that comes after one that has gone,
// so that what is told of the tab is not of the past.
func (d *Driver) awaitNext(ctx context.Context, w *watch) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = until(ctx, w, func(a pageagent.Activity) bool { return a.Committed || a.Gone != "" }) // the navigation is told anyway
}

// permitFrame refuses a frame that is gone or not permitted. d.mu is held.
func (t *tab) permitFrame(set browser.OriginSet, f *frame, id browser.FrameID) error {
	if f == nil {
		return &browser.Error{Code: browser.CodeStaleRef, Msg: fmt.Sprintf("the frame %s is gone from %s", id, t.id), Hint: "take a snapshot: it names the frames there are"}
	}
	if err := t.permits(set, t.root); err != nil {
		return err
	}
	if why := f.missing(); why != "" && f != t.root {
		return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the frame %s cannot be used: %s", id, why), Hint: "try again in a moment"}
	}
	return t.permits(set, f)
}

// timeoutOf makes a timeout of err if the op's own time was up.
func timeoutOf(ctx, within context.Context, limit time.Duration, err error) error {
	if ctx.Err() == nil && errors.Is(within.Err(), context.DeadlineExceeded) {
		return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("the code had not ended after %s", limit),
			Hint: "code that waits for ever, or a page that is busy, needs another way; a longer timeout may help", Err: err}
	}
	return err
}

// left tells that the document went while something ran in it.
func left(err error) bool {
	var refused *ProtocolError
	if errors.As(err, &refused) {
		return strings.Contains(refused.Message, "navigated or closed") || strings.Contains(refused.Message, "context was destroyed") || noContext(err)
	}
	return errors.Is(err, errNavigated) || errors.Is(err, ErrDetached)
}

// noContext tells that a document that was there before is not there any more.
func noContext(err error) bool {
	var refused *ProtocolError
	if !errors.As(err, &refused) {
		return false
	}
	for _, m := range []string{"Cannot find context", "Could not find object", "Cannot find default execution context", "No frame for given id", "Frame with the given id"} {
		if strings.Contains(refused.Message, m) {
			return true
		}
	}
	return false
}

// runCode evaluates an expression in the main world of a frame's document.
func (d *Driver) runCode(ctx context.Context, t *tab, f *frame, code string) (evaluation, error) {
	waiting, stop := d.begin(ctx, t, f)
	defer stop()
	var reply evaluation
	if d.scripting != nil {
		raw, err := d.scripting.Evaluate(waiting, f.session, f.id, code)
		if err != nil {
			return reply, cmp.Or(context.Cause(waiting), err)
		}
		return reply, json.Unmarshal(raw, &reply)
	}
	d.mu.Lock()
	session, rooted := f.session, d.sessions[f.session]
	atRoot := rooted != nil && rooted.frame == f.id
	d.mu.Unlock()
	if atRoot {
		err := d.send(waiting, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: code,
			AwaitPromise: new(true), ReturnByValue: new(true), UserGesture: new(true)}, &reply)
		return reply, err
	}
	document, err := d.mainWorld(waiting, f)
	if err != nil {
		return reply, err
	}
	body := "function(){return " + code + "\n}"
	err = d.send(waiting, session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: body,
		ObjectID: runtime.RemoteObjectID(document), AwaitPromise: new(true), ReturnByValue: new(true), UserGesture: new(true)}, &reply)
	return reply, err
}

// halt stops code that nobody waits for, if it keeps its page from everything
// else. Code that only waits is left alone: what would be stopped then is
// whatever the page itself happens to run.
func (d *Driver) halt(t *tab, f *frame) {
	d.mu.Lock()
	defer d.mu.Unlock()
	session, conn := f.session, d.conn
	d.spawn(func(ctx context.Context) {
		probe, cancel := context.WithTimeout(ctx, probeLimit)
		defer cancel()
		if conn.Send(probe, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "0"}, nil) != nil && ctx.Err() == nil {
			conn.Post(session, runtime.CommandTerminateExecution, nil)
		}
	})
}

// valueOf reads what the code returned.
func (d *Driver) valueOf(t *tab, f *frame, reply evaluation, most int) (string, error) {
	if reply.Exception != nil {
		return "", reply.Exception.error()
	}
	var v evaluated
	if err := json.Unmarshal(reply.Result.Value, &v); err != nil {
		return "", &browser.Error{Code: browser.CodePageError, Msg: "the page keeps values from being read", Err: err}
	}
	d.mu.Lock()
	if f == t.root && v.Title != t.title && f.loader != "" {
		t.title = v.Title
		d.changed(t)
	}
	d.mu.Unlock()
	switch {
	case v.What != "" && v.Key != "":
		return "", &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the code ran, and returned what cannot be JSON: under %q there is %s", v.Key, v.What),
			Hint: "return plain data: strings, numbers, arrays and objects of them"}
	case v.What != "":
		return "", &browser.Error{Code: browser.CodePageError, Msg: "the code ran, and returned what cannot be JSON: " + v.What,
			Hint: "return plain data: strings, numbers, arrays and objects of them"}
	case len(v.Value) > most:
		return "", tooLarge(len(v.Value), most)
	case v.Value != nil:
		return string(v.Value), nil
	case v.JSON == nil && v.Size > 0:
		return "", tooLarge(v.Size, most)
	case v.JSON == nil:
		return "", nil
	case len(*v.JSON) > most:
		return "", tooLarge(len(*v.JSON), most)
	case !json.Valid([]byte(*v.JSON)):
		return "", &browser.Error{Code: browser.CodePageError, Msg: "the page makes something else than JSON of values", Hint: "return a string"}
	}
	return *v.JSON, nil
}

func tooLarge(size, most int) error {
	return &browser.Error{Code: browser.CodeTooLarge, Msg: fmt.Sprintf("the code ran, and its value has %d bytes; at most %d are returned", size, most),
		Hint: "return less, or give a larger max_bytes"}
}

// place is where a stack names a line of the code.
var stackPlace = regexp.MustCompile(`\b` + sourceName + `:(\d+):\d+`)

// error says what the code threw, with the lines of the code that it came by.
func (e *exception) error() error {
	out := &browser.Error{Code: browser.CodePageError, Hint: "the code may have run in part"}
	t := e.Thrown
	switch {
	case t == nil:
		out.Msg = "the code failed: " + e.Text
	case t.ClassName == "SyntaxError" && !strings.Contains(t.Description, "\n"):
		out.Msg, out.Hint = fmt.Sprintf("the code is malformed at line %d: %s", e.Line+1, t.Description), "nothing ran; correct the code"
	case t.Subtype == "error":
		out.Msg, out.Err = "the code threw "+shortStack(t.Description), thrownError(t.ClassName, t.Description)
	case len(t.Value) > 0:
		out.Msg, out.Err = "the code threw "+string(t.Value), thrownValue(t.Value)
	default:
		out.Msg = "the code threw " + t.Description
	}
	return out
}

// thrownError is an error as its message, which the browser describes after its
// class and before its stack.
func thrownError(class, description string) error {
	message, _, _ := strings.Cut(description, "\n    at ")
	for _, name := range []string{class, "Error"} {
		if rest, ok := strings.CutPrefix(message, name+": "); ok {
			message = rest
			break
		}
	}
	return &browser.Thrown{Message: message}
}

// thrownValue is what was thrown in place of an error, as JSON.
func thrownValue(value json.RawMessage) error {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	return &browser.Thrown{Message: text}
}

// shortStack keeps the message of an error and the first lines of its stack,
// which name lines of the code.
func shortStack(description string) string {
	lines := strings.Split(description, "\n")
	var kept []string
	frames := 0
	for _, l := range lines {
		at, isFrame := strings.CutPrefix(strings.TrimSpace(l), "at ")
		if !isFrame {
			if frames == 0 {
				kept = append(kept, l)
			}
			continue
		}
		if frames++; frames > stackLines {
			break
		}
		kept = append(kept, "  at "+stackPlace.ReplaceAllString(at, "line $1"))
	}
	// The last frame is the line after the code, which called it.
	if n := len(kept); frames > 1 && frames <= stackLines && strings.HasPrefix(kept[n-1], "  at line ") {
		kept = kept[:n-1]
	}
	return strings.Join(slices.Compact(kept), "\n")
}

// untilNavigated waits for the navigation that the code started.
func (d *Driver) untilNavigated(ctx context.Context, t *tab, w *watch, out *browser.Value) error {
	var a pageagent.Activity
	err := until(ctx, w, func(now pageagent.Activity) bool {
		a = now
		return a.Gone != "" || a.Dialog != nil || a.Committed && a.Loaded || a.SameDoc && !a.Committed && !a.Navigating
	})
	switch {
	case err != nil && a.Committed:
	case err != nil:
		return err
	case a.Dialog != nil:
		out.Dialog = a.Dialog
		return nil
	case a.Gone != "":
		return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s was lost on the way: %s", t.id, a.Gone)}
	}
	if ctx.Err() == nil {
		d.refreshTitle(ctx, t)
	}
	now, _ := w.Activity()
	out.Navigated = &browser.Navigation{URL: now.URL, Title: now.Title, Doc: now.Doc, Status: now.Status, SameDoc: !now.Committed, TimedOut: err != nil}
	return nil
}
