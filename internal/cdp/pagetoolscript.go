package cdp

import "fmt"

// The script runs in our own world of a document and answers documentTools as
// text; the brief one tells only titles, where the browser tells the rest. The
// API is there only in secure contexts; that the browser has it is seen from
// what it adds to SubmitEvent and to the policies everywhere. A tool does not
// tell that it is a form, so forms are looked for by name and words, also in
// open shadow roots when nothing else explains a schema such as the browser
// makes for forms.
var (
	toolScript  = fmt.Sprintf(toolProgram, toolsMost, false, schemaMost)
	titleScript = fmt.Sprintf(toolProgram, toolsMost, true, schemaMost)
)

const toolProgram = `(async()=>{const r={origin:self.origin,tools:[]};let list;
try{const c=document.modelContext||navigator.modelContext;
if(!c||typeof c.getTools!=="function"){let known=false;try{known="agentInvoked"in SubmitEvent.prototype||document.featurePolicy.features().includes("tools")}catch{}
r.why=known&&!isSecureContext?"insecure":"none";return JSON.stringify(r)}
list=await c.getTools()}catch(e){r.why=String(e&&e.name||"none");return JSON.stringify(r)}
const forms=new Map,add=root=>{for(const f of root.querySelectorAll("form[toolname]")){const n=f.getAttribute("toolname");if(!forms.has(n))forms.set(n,f)}};
let deep=false;add(document);
const seek=root=>{for(const e of root.querySelectorAll("*"))if(e.shadowRoot){add(e.shadowRoot);seek(e.shadowRoot)}};
const formOf=t=>{const f=forms.get(t.name);return f&&f.getAttribute("tooldescription")===t.description?f:undefined};
for(const t of list){const w=t.window??t.source;
if(w!=null&&w!==window&&w!==document&&w.defaultView!==window)continue;
if(r.tools.length===%d){r.left=(r.left||0)+1;continue}
const o={name:t.name,title:t.title??""};r.tools.push(o);if(%t)continue;
o.description=t.description;
try{const s=typeof t.inputSchema==="string"?t.inputSchema:JSON.stringify(t.inputSchema);if(s!==undefined&&s.length<=%d)o.inputSchema=s;else o.cut=s!==undefined}catch{}
const a=t.annotations;if(a!=null){const has={};for(const k of["readOnlyHint","destructiveHint","idempotentHint","openWorldHint","untrustedContentHint","consequentialHint","debugging","autosubmit"])if(a[k]===true)has[k]=true;o.annotations=has}
else{let f=formOf(t);if(!f&&!deep&&typeof o.inputSchema==="string"&&o.inputSchema.includes('"required":[')){deep=true;seek(document);f=formOf(t)}
if(f)o.submits=f.hasAttribute("toolautosubmit")}}
return JSON.stringify(r)})()`
