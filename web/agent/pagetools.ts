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
    if (context !== null) listen(context.target, "toolchange", bump);
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
interface Call {
  readonly states: CallToolReply[];
  waiter: (() => void) | undefined;
}

const calls = new Map<number, Call>();

/** callTool calls a tool, or goes on with a call that waited. */
export async function callTool(args: CallToolArgs): Promise<CallToolReply> {
  connect(args.key, bump);
  let call = calls.get(args.id);
  if (call === undefined) {
    if (args.follow === true) return { state: "unknown" };
    const made: Call = { states: [], waiter: undefined };
    call = made;
    calls.set(args.id, made);
    const there = send({ op: "call", id: args.id, name: args.name, input: args.input }, (o) => {
      made.states.push(stateIn(o, args.most));
      made.waiter?.();
    });
    if (!there) {
      calls.delete(args.id);
      return { state: "unknown" };
    }
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

function stateIn(o: object, most: number): CallToolReply {
  const state = text(o, "status");
  const result = text(o, "result");
  if (result.length > most) return { state, length: new TextEncoder().encode(asJSON(result)).length, result: result.slice(0, most) };
  return { state, result, message: text(o, "message").slice(0, longestText), thrown: text(o, "thrown") };
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
  send({ op: "cancel", id: args.id });
  return {};
}
