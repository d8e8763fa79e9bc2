import { toJSON } from "../shared/safe";
import { apply, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf, joined, ProxyOf, push, stringify, Table } from "../shared/clean";
import { isObject } from "./idl";

// What pages say of their tools when they register them, and browsers drop.

/** Said is what was said of a tool; hints is an object as JSON. */
interface Said {
  readonly description: string;
  readonly hints: string;
}

const most = 64 * 1024; // characters of what is kept of one tool
const mostMembers = 32;
const mostSaid = 4; // of one name

const said = new Table<string, Said[]>();

// valueIn reads a member without running anything of the page, and so without
// its notice.
function valueIn(o: object, key: PropertyKey): unknown {
  let at: object | null = o;
  for (let depth = 0; at !== null && depth < 8; depth++) {
    const d = getOwnPropertyDescriptor(at, key);
    if (d !== undefined) return "value" in d ? d.value : undefined;
    at = getPrototypeOf(at);
  }
  return undefined;
}

function plain(v: unknown): string | undefined {
  return typeof v === "string" || typeof v === "boolean" || typeof v === "number" ? toJSON(v) : undefined;
}

/** outline is what an object holds, for people; nothing of the page runs for it. */
export function outline(o: object): string {
  const out: string[] = [];
  const keys = Reflect.ownKeys(o);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const value = typeof key === "string" ? plain(valueIn(o, key)) : undefined;
    if (typeof key !== "string" || value === undefined) continue;
    if (out.length === 8) {
      push(out, "…");
      break;
    }
    push(out, `${key}: ${value}`);
  }
  return `{${joined(out, ", ")}}`;
}

function members(o: object): string {
  const out: string[] = [];
  const keys = Reflect.ownKeys(o);
  for (let i = 0; i < keys.length && out.length < mostMembers; i++) {
    const key = keys[i];
    const value = typeof key === "string" ? plain(valueIn(o, key)) : undefined;
    if (typeof key === "string" && value !== undefined) push(out, `${toJSON(key)}:${value}`);
  }
  return `{${joined(out, ",")}}`;
}

// note keeps what is said of a tool that is about to be registered.
function note(tool: unknown): void {
  if (!isObject(tool)) return;
  const name = valueIn(tool, "name");
  const description = valueIn(tool, "description");
  if (typeof name !== "string" || typeof description !== "string") return;
  const parts: string[] = [];
  const title = plain(valueIn(tool, "title"));
  if (title !== undefined) push(parts, `"title":${title}`);
  const annotations = valueIn(tool, "annotations");
  if (isObject(annotations)) push(parts, `"annotations":${members(annotations)}`);
  const schema = valueIn(tool, "outputSchema");
  if (isObject(schema)) {
    const text = stringify(schema);
    if (text !== undefined) push(parts, `"outputSchema":${text}`);
  }
  const hints = `{${joined(parts, ",")}}`;
  if (hints.length > most) return;
  const before = said.get(name);
  const now: Said[] = [{ description, hints }];
  for (let i = 0; before !== undefined && i < before.length && now.length < mostSaid; i++) {
    const one = before[i];
    if (one !== undefined && one.description !== description) push(now, one);
  }
  said.set(name, now);
}

/** noteQuietly is note, and nothing where what the page gave is odd: the browser says so. */
export function noteQuietly(tool: unknown): void {
  try {
    note(tool);
  } catch {
    // it goes unsaid
  }
}

/** saidOf is what was said of the tool with a name and a description, as JSON; "{}" if nothing was. */
export function saidOf(name: string, description: string): string {
  const list = said.get(name);
  for (let i = 0; list !== undefined && i < list.length; i++) {
    const one = list[i];
    if (one?.description === description) return one.hints;
  }
  return "{}";
}

/** allSaid is all that was said, as JSON: lists of name, description and hints. */
export function allSaid(): string {
  const out: string[] = [];
  said.each((list, name) => {
    for (let i = 0; i < list.length; i++) {
      const one = list[i];
      if (one !== undefined && one.hints !== "{}") push(out, `{"name":${toJSON(name)},"description":${toJSON(one.description)},"said":${one.hints}}`);
    }
  });
  return `[${joined(out, ",")}]`;
}

/**
 * wrap has note hear of each registration before it is made. A proxy of a
 * function of the browser is a function of the browser to whoever asks, in all
 * but its name when Function.prototype.toString is called on it directly.
 */
export function wrap(proto: object): void {
  const d = getOwnPropertyDescriptor(proto, "registerTool");
  const native: unknown = d?.value;
  if (d === undefined || typeof native !== "function") return;
  const text: unknown = get(native, "toString");
  if (typeof text !== "function") return;
  const toString: unknown = new ProxyOf(text, {
    apply: (f, self, args) => apply(f, self === wrapped ? native : self, args),
  });
  const wrapped: unknown = new ProxyOf(native, {
    apply: (f, self, args) => {
      noteQuietly(get(args, 0));
      return apply(f, self, args);
    },
    get: (f, key, receiver) => (key === "toString" && get(f, key) === text ? toString : get(f, key, receiver)),
  });
  defineProperty(proto, "registerTool", { ...d, value: wrapped });
}
