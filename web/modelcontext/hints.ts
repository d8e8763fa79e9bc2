import { toJSON } from "../shared/safe";
import { apply, create, defineProperty, get, getOwnPropertyDescriptor, joined, ProxyOf, push, stringify, Table } from "../shared/clean";
import { listening } from "./faults";
import { isCallable, isObject } from "./idl";
import { plain, valueIn } from "./values";

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
 * wrap has note hear of each registration before it is made (hints), and what
 * its tool throws noted (faults). A proxy of a function of the browser is a
 * function of the browser to whoever asks, in all but its name when
 * Function.prototype.toString is called on it directly.
 */
export function wrap(proto: object, hints: boolean, faults: boolean): void {
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
      const tool: unknown = get(args, 0);
      if (hints) noteQuietly(tool);
      if (faults && isObject(tool)) defineProperty(args, 0, { value: overheard(tool) });
      return apply(f, self, args);
    },
    get: (f, key, receiver) => (key === "toString" && get(f, key) === text ? toString : get(f, key, receiver)),
  });
  defineProperty(proto, "registerTool", { ...d, value: wrapped });
}

// overheard is a tool whose faults are noted. What the browser reads of it is
// read of the page's own, in the same order.
function overheard(tool: object): object {
  const name = valueIn(tool, "name");
  if (typeof name !== "string") return tool;
  return new ProxyOf(create(null), {
    get: (_, key) => {
      const v: unknown = get(tool, key);
      return key === "execute" && isCallable(v) ? listening(v, name) : v;
    },
  });
}
