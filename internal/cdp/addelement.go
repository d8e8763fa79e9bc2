package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

const addLimit = 10 * time.Second

// addSource makes an element in the page's own world, where its properties
// mean what they mean to the page, and answers an addedReply. Code in a script
// element is returned rather than run: the page's rules may forbid that, and
// whoever runs it is not bound by them.
const addSource = `function(a){` +
	`const d=this,w=d.defaultView,svg="http://www.w3.org/2000/svg",notes=[];` +
	`let p=d.documentElement??d,e,run;` +
	`if(a.parent){try{p=d.querySelector(a.parent)}catch(x){return{bad:String(x.message)}}if(!p)return{missing:true}}` +
	`const js=v=>/^(\s*|module|(text|application)\/(x-)?(java|ecma)script)$/i.test(v??"");` +
	`let policy;const trusted=(kind,v)=>{if(!kind||typeof v!=="string")return v;` +
	`try{policy??=w.trustedTypes.createPolicy("drawbridge-"+Math.random().toString(36).slice(2),{createHTML:x=>x,createScript:x=>x,createScriptURL:x=>x})}catch{return v}` +
	`return policy["create"+kind.slice(7)](v)};` +
	`const types=w.trustedTypes,at=a.attributes??{},pr=a.properties??{};let step="the tag";` +
	`try{` +
	`e=p.namespaceURI===svg&&p.localName!=="foreignObject"?d.createElementNS(svg,a.tag):d.createElement(a.tag);` +
	`const tag=e.localName,get=n=>at[n]??pr[n],inline=tag==="script"&&!("src"in at)&&!("src"in pr)&&js(get("type")),texts=["textContent","text","innerText","innerHTML"];` +
	`for(const k of Object.keys(pr)){step="the property "+k;` +
	`if(inline&&texts.includes(k)){e.replaceChildren(d.createTextNode(String(pr[k])));continue}` +
	`e[k]=trusted(types?.getPropertyType(tag,k),pr[k])}` +
	`for(const k of Object.keys(at)){step="the attribute "+k;e.setAttribute(k,trusted(types?.getAttributeType(tag,k,e.namespaceURI??""),at[k]))}` +
	`if(/^(script|style|link)$/.test(tag)&&!e.nonce){const n=d.querySelector("script[nonce],style[nonce],link[nonce]");if(n?.nonce)e.nonce=n.nonce}` +
	`const classic=inline&&!/^module$/i.test(get("type")??"");` +
	`if(classic)e.type="drawbridge/inert";` +
	`const loads=tag==="script"&&e.src||tag==="link"&&e.relList?.contains("stylesheet")&&e.href;` +
	`const ended=loads?new Promise(r=>{e.addEventListener("load",()=>r("loaded"),{once:true});e.addEventListener("error",()=>r("failed"),{once:true});w.setTimeout(()=>r("late"),3000)}):null;` +
	`step="its place";p.appendChild(e);` +
	`if(classic){const t=get("type");if(t===undefined)e.removeAttribute("type");else e.setAttribute("type",t);run=e.textContent}` +
	`if(tag==="style"&&e.isConnected&&!e.sheet&&e.textContent.trim()){step="its rules";const s=new w.CSSStyleSheet({media:e.media});s.replaceSync(e.textContent);` +
	`const root=e.getRootNode();root.adoptedStyleSheets=[...root.adoptedStyleSheets,s];notes.push("the page's policy refuses style elements, so its rules were adopted by the document; they stay when it goes")}` +
	`const r={tag,id:typeof e.id==="string"?e.id:"",run,notes};` +
	`for(const k of Object.keys(at))if(/^on/i.test(k)&&k.toLowerCase()in e&&typeof e[k.toLowerCase()]!=="function")notes.push("the page's policy keeps "+k+" from running");` +
	`return ended?ended.then(how=>{if(how!=="loaded")notes.push(how==="late"?"its address has not loaded yet":"its address did not load, or the page's policy forbids it");return r}):r` +
	`}catch(x){return{step,fault:String(x?.message??x)}}}`

// addedReply is what addSource answers. The page may say anything.
type addedReply struct {
	Tag     string   `json:"tag"`
	ID      string   `json:"id"`
	Run     string   `json:"run"`
	Notes   []string `json:"notes"`
	Bad     string   `json:"bad"`
	Missing bool     `json:"missing"`
	Step    string   `json:"step"`
	Fault   string   `json:"fault"`
}

func (d *Driver) addElement(ctx context.Context, t *tab, to browser.Target, op browser.AddElement) (*browser.Added, error) {
	within, cancel := context.WithTimeoutCause(ctx, addLimit, &browser.Error{Code: browser.CodeTimeout,
		Msg: "the page did not answer in time; the element may be there", Hint: "the page may be busy; look again before repeating"})
	defer cancel()
	if _, err := d.attach(within, t); err != nil {
		return nil, err
	}
	d.mu.Lock()
	f := t.root
	err := t.permitFrame(to.Origins, f, "")
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	waiting, stop := d.begin(within, t, f)
	defer stop()
	args, err := json.Marshal(map[string]any{"tag": op.Tag, "parent": op.Parent, "attributes": op.Attributes, "properties": op.Properties})
	if err != nil {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the properties are no JSON: " + err.Error()}
	}
	reply, err := d.callMain(waiting, t, f, addSource, args)
	if err != nil {
		return nil, d.pageError(t, err)
	}
	if reply.Exception != nil {
		return nil, reply.Exception.error()
	}
	var got addedReply
	if err := json.Unmarshal(reply.Result.Value, &got); err != nil {
		return nil, &browser.Error{Code: browser.CodePageError, Msg: "the page keeps elements from being added", Err: err}
	}
	if err := got.error(op); err != nil {
		return nil, err
	}
	out := &browser.Added{Tag: got.Tag, ID: got.ID, Notes: got.Notes}
	if strings.TrimSpace(got.Run) == "" {
		return out, nil
	}
	ran, err := d.runScript(waiting, t, f, got.Run)
	switch {
	case left(err):
		out.Notes = append(out.Notes, "the script led to another document")
	case err != nil:
		return nil, d.pageError(t, err)
	case ran.Exception != nil:
		out.Notes = append(out.Notes, "the element was added; "+ran.Exception.error().Error())
	}
	return out, nil
}

// callMain calls a function of the page's own world on a frame's document.
func (d *Driver) callMain(ctx context.Context, t *tab, f *frame, function string, args []byte) (reply evaluation, err error) {
	if d.scripting != nil {
		return d.runCode(ctx, t, f, "("+function+").call(document,"+string(args)+")")
	}
	document, err := d.mainWorld(ctx, f)
	if err != nil {
		return reply, err
	}
	err = d.send(ctx, f.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: document,
		Arguments: []*runtime.CallArgument{{Value: args}}, AwaitPromise: new(true), ReturnByValue: new(true)}, &reply)
	return reply, err
}

// runScript runs code as a script of a page's main frame. Where only
// expressions can be run, what it declares is its own.
func (d *Driver) runScript(ctx context.Context, t *tab, f *frame, code string) (reply evaluation, err error) {
	if d.scripting != nil {
		return d.runCode(ctx, t, f, "(()=>{"+code+"\n})()")
	}
	err = d.send(ctx, f.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: code + "\n//# sourceURL=" + sourceName}, &reply)
	return reply, err
}

// error is why nothing was added, nil when it was.
func (r *addedReply) error(op browser.AddElement) error {
	const nothing = "; nothing was added"
	switch {
	case r.Bad != "":
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is no CSS selector", op.Parent) + nothing, Hint: "such as: body, #main, ul.items"}
	case r.Missing:
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("no element matches %q", op.Parent) + nothing, Hint: "elements in frames and shadow trees are out of reach; snapshot shows what is there"}
	case r.Fault != "":
		return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the page refused %s: %s", r.Step, r.Fault) + nothing}
	}
	return nil
}
