import type { CallToolArgs, CallToolReply, CancelToolArgs, OfferedTool, SaidOfTool, ToolsArgs, ToolsChangedArgs, ToolsChangedReply, ToolsReply } from "../shared/protocol.gen";
import { parseJSON, toJSON } from "../shared/safe";
import { listen } from "../shared/safe-dom";
import { ask, connect, forget, isObject, send, text } from "./channel";
import { own } from "./nativetools";
import { followOlder, olderForms } from "./olderforms";

// The tools that the document offers to agents, from whichever source tells of
// them: the browser, the script in the page's world, forms in an older dialect.

// What a page may have us carry.
const most = 5000;
const longestSchema = 1 << 20;
const longestText = 64 << 10;

let seq = 1;
const waiters: (() => void)[] = [];
let following = "";

function bump(): void {
  seq++;
  for (const w of waiters.splice(0)) w();
}

// follow begins to hear of changes, also by way of the key.
function follow(key: string): void {
  if (following === "") {
    followOlder(bump);
    const context = own();
    if (context !== null) {
      listen(context.target, "toolchange", bump);
      if (document.readyState !== "complete") listen(window, "load", bump); // what was told just before may not be listed yet
    }
  }
  if (following === key && key !== "") return;
  following = key === "" ? "-" : key;
  connect(key, bump);
}

/** tools are those that the document offers now. */
export async function tools(args: ToolsArgs): Promise<ToolsReply> {
  follow(args.key);
  const now = seq;
  const out: OfferedTool[] = [];
  let more = 0;
  let why = "";
  const add = (t: OfferedTool): void => {
    if (out.length === most) more++;
    else out.push(t);
  };
  const context = own();
  if (context === null) why = window.isSecureContext ? "none" : "insecure";
  else if (args.browser) {
    const listed = await context.list();
    why = listed.why;
    for (const t of listed.tools) add(t);
  }
  const said: SaidOfTool[] = [];
  const told = await ask({ op: "list" });
  if (told !== null) for (const one of list(told, "tools")) add(offered(one));
  if (told !== null && context !== null) {
    const answer = await ask({ op: "said" });
    if (answer !== null) for (const one of list(answer, "said").slice(0, most)) said.push(saidIn(one));
  }
  for (const t of olderForms()) add(t);
  return { tools: out, more, why, channel: told !== null, said, seq: now };
}

function list(o: object, key: string): object[] {
  const v: unknown = Reflect.get(o, key);
  return Array.isArray(v) ? v.filter(isObject) : [];
}

function offered(o: object): OfferedTool {
  const schema = text(o, "schema");
  const kind = text(o, "kind");
  const said: unknown = Reflect.get(o, "said");
  return {
    source: "stand-in",
    kind: kind === "form" || kind === "self-form" ? kind : "script",
    name: text(o, "name"),
    title: text(o, "title").slice(0, longestText),
    description: text(o, "description").slice(0, longestText),
    ...(schema !== "" && schema.length <= longestSchema ? { schema } : {}),
    ...annotationsIn(isObject(said) ? said : o),
  };
}

function annotationsIn(o: object): { annotations?: string } {
  const v: unknown = Reflect.get(o, "annotations");
  return isObject(v) ? { annotations: JSON.stringify(v) } : {};
}

function saidIn(o: object): SaidOfTool {
  const said: unknown = Reflect.get(o, "said");
  const of = isObject(said) ? said : {};
  return { name: text(o, "name"), description: text(o, "description").slice(0, longestText), title: text(of, "title").slice(0, longestText), ...annotationsIn(of) };
}

/** toolsChanged waits until the tools may be others. */
export function toolsChanged(args: ToolsChangedArgs): Promise<ToolsChangedReply> {
  follow(args.key);
  return new Promise((resolve) => {
    if (seq > args.seq) resolve({ seq });
    else waiters.push(() => { resolve({ seq }); });
  });
}

// What became of a call so far, and who waits for more.
class Call {
  readonly states: CallToolReply[] = [];
  waiter: (() => void) | undefined;
  stop: AbortController | undefined; // of a tool of the browser

  come(state: CallToolReply): void {
    this.states.push(state);
    this.waiter?.();
  }
}

const calls = new Map<number, Call>();

/** callTool calls a tool, or goes on with a call that waited. */
export async function callTool(args: CallToolArgs): Promise<CallToolReply> {
  connect(args.key, bump);
  let call = calls.get(args.id);
  if (call === undefined) {
    if (args.follow === true) return { state: "unknown" };
    call = new Call();
    calls.set(args.id, call);
    if (args.source === "browser") void callNative(call, args);
    else callByChannel(call, args);
  }
  const current = call;
  if (current.states.length === 0) {
    await new Promise<void>((resolve) => {
      current.waiter = resolve;
    });
  }
  const state = current.states.shift() ?? { state: "unknown" };
  if (state.state !== "waiting" && state.state !== "left") {
    calls.delete(args.id);
    forget(args.id);
  }
  return state;
}

function callByChannel(call: Call, args: CallToolArgs): void {
  const unknown = (): void => {
    if (args.source === "") void callNative(call, args);
    else call.come({ state: "unknown" });
  };
  const there = send({ op: "call", id: args.id, name: args.name, input: args.input }, (o) => {
    const state = stateIn(o, args.most);
    if (state.state === "unknown") unknown();
    else call.come(state);
  });
  if (!there) unknown();
}

// How many calls of tools of the browser are under way, by name.
const running = new Map<string, number>();

async function callNative(call: Call, args: CallToolArgs): Promise<void> {
  const context = own();
  if (context === null) {
    call.come({ state: "unknown" });
    return;
  }
  const stop = new AbortController(), others = running.get(args.name) ?? 0;
  call.stop = stop;
  running.set(args.name, others + 1);
  if (others === 0) await ask({ op: "forget", name: args.name }); // what went wrong before is not this call's
  const r = await context.call(args.name, args.input, stop.signal, () => {
    call.come({ state: "waiting" });
  });
  running.set(args.name, (running.get(args.name) ?? 1) - 1);
  const fault = r.state === "failed" ? await ask({ op: "fault", name: args.name }) : null;
  const told = fault === null || text(fault, "thrown") === "" ? r : { ...r, message: text(fault, "message"), thrown: text(fault, "thrown") };
  call.come(cut(told, args.most));
}

function stateIn(o: object, most: number): CallToolReply {
  return cut({ state: text(o, "status"), result: text(o, "result"), message: text(o, "message"), thrown: text(o, "thrown") }, most);
}

function cut(r: CallToolReply, most: number): CallToolReply {
  const { state, result = "", message = "", thrown = "" } = r;
  if (result.length > most) return { state, length: new TextEncoder().encode(asJSON(result)).length, result: result.slice(0, most) };
  return { state, result, message: message.slice(0, longestText), thrown };
}

// asJSON is a result as a value: JSON, or else a text.
function asJSON(result: string): string {
  try {
    parseJSON(result);
    return result;
  } catch {
    return toJSON(result);
  }
}

/** cancelTool cancels a call. */
export function cancelTool(args: CancelToolArgs): Record<string, never> {
  connect(args.key, bump);
  calls.get(args.id)?.stop?.abort();
  send({ op: "cancel", id: args.id });
  return {};
}
