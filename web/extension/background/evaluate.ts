import type { EvaluateArgs, EvaluateReply, Thrown } from "../../shared/link.gen";
import { api, isFirefox, type Injected } from "../shared/api";
import { pin } from "./documents";
import { faultOf, gone, OpFault } from "./faults";
import { userScripts, type UserScripts } from "./powers";

// Code for the page's own world, which no page keeps from running: by what
// browsers lend extensions for that, each in its own way.

/** evaluate runs an expression and waits for what it promises. */
export async function evaluate(args: EvaluateArgs): Promise<EvaluateReply> {
  if (isFirefox) return inFirefox(args);
  const scripts = userScripts();
  if (scripts !== null) return byUserScript(args, scripts);
  throw new OpFault("not_supported", "code cannot be run in this page",
    'ask the person to switch "Allow user scripts" on, on the extension\'s details page, or full power in its popup');
}

// In the page: what was thrown is told by its class and stack. The frames of the
// stack that are of what is put around the code end with the name of runner.
const runner = "drawbridgeRuns";

const head = `(async function ${runner}(){try{return{value:await(`;

// The code ends in a comment, maybe, and may name itself there.
function tailOf(code: string): string {
  const name = /\/\/# sourceURL=\S+\s*$/.exec(code)?.[0] ?? "";
  return `\n)}}catch(e){let t=false;try{t=typeof e==="object"&&e!==null&&typeof e.stack==="string"}catch{}` +
    `if(!t)return{thrown:{value:e}};let c="Error";try{c=String(e.constructor.name||e.name)}catch{}` +
    `return{thrown:{class:c,message:String(e.name)+": "+String(e.message),stack:e.stack}}}})()\n${name}`;
}

// json is nothing for what JSON does not have.
const json: (x: unknown) => string | undefined = JSON.stringify;

interface Outcome {
  readonly value?: unknown;
  readonly thrown?: { readonly class?: string; readonly message?: string; readonly stack?: string; readonly value?: unknown };
}

function isOutcome(x: unknown): x is Outcome {
  return typeof x === "object" && x !== null;
}

function replyOf(o: Outcome): EvaluateReply {
  if (o.thrown === undefined) {
    const value = json(o.value);
    return value === undefined ? {} : { value };
  }
  const t = o.thrown;
  if (t.class === undefined) {
    const value = json(t.value);
    return { thrown: value === undefined ? { description: "undefined" } : { value } };
  }
  return { thrown: { class: t.class, description: stackOf(t.message ?? "", t.stack ?? "") } };
}

// stackOf is an error in the form of Chromium, without what was put around the code.
function stackOf(message: string, stack: string): string {
  if (!isFirefox) {
    const lines = stack.split("\n"), end = lines.findIndex((l) => l.includes(runner));
    return (end < 0 ? lines : lines.slice(0, end)).join("\n");
  }
  const out = [message];
  for (const line of stack.split("\n")) {
    const at = /^(.*?)@(.*):(\d+):(\d+)$/.exec(line);
    if (at === null) continue;
    const [, name = "", place = "", row = "0", column = "0"] = at;
    if (name.includes(runner)) break;
    const where = `${place.includes("evaluate") ? "evaluate" : place}:${place.includes("evaluate") ? Math.max(1, Number(row) - bodyAt) : row}:${column}`;
    const plain = name.replace(/^.*\*/, "").replace(/[/<]+$/g, "");
    out.push(`    at ${plain === "" ? where : `${plain} (${where})`}`);
  }
  return out.join("\n");
}

async function byUserScript(args: EvaluateArgs, scripts: UserScripts): Promise<EvaluateReply> {
  const target = { tabId: args.tab, documentIds: [args.document] };
  const [r] = await scripts.execute?.({ target, world: "MAIN", injectImmediately: true, js: [{ code: head + args.code + tailOf(args.code) }] }) ?? [];
  if (r === undefined) throw gone();
  if (isOutcome(r.result)) return replyOf(r.result);
  const malformed = await syntaxOf(args, scripts);
  if (malformed === null) throw gone();
  return { thrown: malformed };
}

// What cannot be compiled gives nothing at all. In a world of ours the browser
// says why, and where; nothing is run there.
async function syntaxOf(args: EvaluateArgs, scripts: UserScripts): Promise<Thrown | null> {
  const world = "syntax";
  await scripts.configureWorld({ worldId: world, csp: "script-src 'none'" });
  const js = [
    { code: "self.drawbridgeHeard=null;self.addEventListener('error',(e)=>{e.preventDefault();self.drawbridgeHeard={message:e.message,line:e.lineno}},{once:true});0" },
    { code: `(async function(){return(${args.code}\n)});0` },
    { code: "self.drawbridgeHeard" },
  ];
  const [r] = await scripts.execute?.({ target: { tabId: args.tab, documentIds: [args.document] }, world: "USER_SCRIPT", worldId: world, injectImmediately: true, js }) ?? [];
  const heard = r?.result;
  if (typeof heard !== "object" || heard === null || !("message" in heard) || !("line" in heard)) return null;
  return { class: "SyntaxError", description: String(heard.message).replace(/^Uncaught /, ""), syntax: true, line: Number(heard.line) };
}

function member(x: unknown, key: string): unknown {
  return typeof x === "object" && x !== null ? Reflect.get(x, key) : undefined;
}

// How many lines Firefox puts before the body of a function that is made of text.
const bodyAt = 2;

async function inFirefox(args: EvaluateArgs): Promise<EvaluateReply> {
  let func: (...args: never[]) => unknown;
  try {
    func = made(`return ${head}${args.code}${tailOf(args.code)}`);
  } catch (e) {
    const line = Number(member(e, "lineNumber") ?? 0) - bodyAt;
    return { thrown: { class: "SyntaxError", description: String(e), syntax: true, line: Math.max(1, line) } };
  }
  let results: Injected[];
  try {
    results = await api.scripting.executeScript({ target: await pin(args.tab, args.frame, args.document), world: "MAIN", func, injectImmediately: true });
  } catch (e) {
    throw faultOf(e);
  }
  const [r] = results;
  if (r === undefined) throw gone();
  if (r.error !== undefined) throw faultOf(r.error);
  if (!isOutcome(r.result)) throw gone();
  return replyOf(r.result);
}

function isCode(x: unknown): x is (...args: never[]) => unknown {
  return typeof x === "function";
}

// made is a function of text. Only Firefox's manifest lets the extension do that.
function made(body: string): (...args: never[]) => unknown {
  const f: unknown = Reflect.construct(Function, [body]);
  if (!isCode(f)) throw new TypeError("no function was made");
  return f;
}
