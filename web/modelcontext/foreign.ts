import { parseJSON, toJSON } from "../shared/safe";
import { apply, contains, get, getOwnPropertyDescriptor, isArray, joined, own, push, stringify } from "../shared/clean";
import { context, isOurs } from "./context";
import { isCallable, isObject } from "./idl";

// What the page itself put in the place of the API: its own stand-in for
// WebMCP, or something around ours.

/** Foreign is a tool that the page's own stand-in tells of. */
export interface Foreign {
  readonly name: string;
  readonly json: string; // as a list of tools has it
  readonly call: (input: string, signal: AbortSignal) => Promise<unknown>;
}

const places: readonly (() => { holder: object; proto: object })[] = [() => ({ holder: document, proto: Document.prototype }), () => ({ holder: navigator, proto: Navigator.prototype })];
const holders: { readonly holder: object; readonly proto: object }[] = [];
for (const p of places) push(holders, p());

const found: object[] = [];

const sourceOf: unknown = get(isCallable, "toString");

/** ofBrowser tells of a getter of the browser, as whoever has one made of it tells too. */
export function ofBrowser(getter: unknown): boolean {
  if (!isCallable(getter) || !isCallable(sourceOf)) return false;
  const source = apply(sourceOf, getter, []);
  return typeof source === "string" && contains(source, "[native code]");
}

// Nothing is asked for where what stands there is ours, or the browser's where
// we are not alone: a getter of the page would notice.
function standsAt(alone: boolean, key: string): object[] {
  const out: object[] = [];
  for (let i = 0; i < holders.length; i++) {
    const h = holders[i];
    if (h === undefined) continue;
    const d = getOwnPropertyDescriptor(h.holder, key) ?? getOwnPropertyDescriptor(h.proto, key);
    if (d === undefined || isOurs(d.get) || (!alone && ofBrowser(d.get))) continue;
    let v: unknown;
    try {
      v = "value" in d ? d.value : d.get === undefined ? undefined : apply(d.get, h.holder, []);
    } catch {
      continue;
    }
    if (isObject(v) && v !== context && !includes(out, v)) push(out, v);
  }
  return out;
}

function includes(list: readonly object[], o: object): boolean {
  for (let i = 0; i < list.length; i++) if (list[i] === o) return true;
  return false;
}

/** recognise notices what the page has put there since, and has changed called when its tools change. */
export function recognise(alone: boolean, changed: () => void): void {
  const now = standsAt(alone, "modelContext");
  for (let i = 0; i < now.length; i++) {
    const o = now[i];
    if (o === undefined || includes(found, o)) continue;
    push(found, o);
    try {
      const hear: unknown = get(o, "addEventListener");
      if (isCallable(hear)) apply(hear, o, ["toolchange", changed]);
    } catch {
      // it tells of no changes
    }
    changed();
  }
}

function member(o: object, key: string): unknown {
  try {
    const v: unknown = get(o, key);
    return v;
  } catch {
    return undefined;
  }
}

function text(o: object, key: string): string {
  const v = member(o, key);
  return typeof v === "string" ? v : "";
}

/** foreign are the tools that the page's own stand-ins offer. */
export async function foreign(alone: boolean): Promise<Foreign[]> {
  const out: Foreign[] = [];
  const sources = standsAt(alone, "modelContext");
  for (let i = 0; i < sources.length; i++) {
    const o = sources[i];
    if (o !== undefined) await own(gather(o, "getTools", out));
  }
  if (out.length > 0 || sources.length === 0) return out;
  // What older ones had for tests.
  const testing = standsAt(alone, "modelContextTesting");
  for (let i = 0; i < testing.length; i++) {
    const o = testing[i];
    if (o !== undefined) await own(gather(o, "listTools", out));
  }
  return out;
}

async function gather(o: object, method: "getTools" | "listTools", out: Foreign[]): Promise<void> {
  let list: unknown;
  try {
    const f: unknown = get(o, method);
    list = isCallable(f) ? await apply(f, o, []) : undefined;
  } catch {
    return;
  }
  if (!isArray(list)) return;
  for (let i = 0; i < list.length; i++) {
    const tool: unknown = list[i];
    if (!isObject(tool)) continue;
    const name = text(tool, "name");
    if (name === "") continue;
    const parts = [`"name":${toJSON(name)}`, `"title":${toJSON(text(tool, "title"))}`, `"description":${toJSON(text(tool, "description"))}`, `"kind":"script"`];
    const schema = stringified(member(tool, "inputSchema"));
    if (schema !== undefined) push(parts, `"schema":${toJSON(schema)}`);
    const annotations = stringified(member(tool, "annotations"));
    if (annotations !== undefined) push(parts, `"annotations":${annotations}`);
    push(out, {
      name,
      json: `{${joined(parts, ",")}}`,
      call: (input, signal) => execute(o, method === "getTools" ? tool : name, typeof member(tool, "inputSchema") === "string" || method === "listTools", input, signal),
    });
  }
}

function stringified(v: unknown): string | undefined {
  if (typeof v === "string") return v;
  if (!isObject(v)) return undefined;
  try {
    return stringify(v);
  } catch {
    return undefined;
  }
}

// execute calls a tool with an object, as pages since Chrome 155 do, or with
// JSON as before. Who wants JSON fails to read anything else, before the tool
// runs.
async function execute(o: object, tool: unknown, json: boolean, input: string, signal: AbortSignal): Promise<unknown> {
  const f: unknown = get(o, "executeTool");
  if (!isCallable(f)) throw new TypeError("the page's own WebMCP has no executeTool");
  if (json) return apply(f, o, [tool, input, { signal }]);
  try {
    return await apply(f, o, [tool, parseJSON(input), { signal }]);
  } catch (e) {
    if (!wantsJSON(e)) throw e;
  }
  return apply(f, o, [tool, input, { signal }]);
}

const complaints = ["is not valid JSON", "Failed to parse input", "JSON string", "JSON.parse"];

function wantsJSON(e: unknown): boolean {
  const message = isObject(e) ? text(e, "message") : "";
  for (let i = 0; i < complaints.length; i++) if (contains(message, complaints[i] ?? "")) return true;
  return false;
}
