import { brand, parseJSON } from "../shared/safe";
import { dispatch, listen } from "../shared/safe-dom";
import { apply, codeAt, construct, defineProperty, DOMExceptionOf, EventOf, EventTargetOf, get, getOwnPropertyDescriptor, inOrder, isAborted, isNothing, lend, own as awaited, PromiseOf, push, reasonOf, stringify, Table, TypeErrorOf, unlisten, wellFormed } from "../shared/clean";
import { current } from "./current";
import { soon } from "./tasks";
import { asInterface } from "./events";
import { calling, Dictionary, type Call, isCallable, isObject, isTrustworthy, originIn } from "./idl";
import { noteQuietly } from "./hints";
import { ofScript, run } from "./run";
import { add, all, Failed, find, onChange, remove, type Annotations, type Tool } from "./tools";

// ModelContext as Chrome 156 has it.

const win = window;
const origin = win.origin;
const isWindow = ((): ((v: unknown) => boolean) => {
  const itself = getOwnPropertyDescriptor(win, "window")?.get;
  return (v) => {
    if (itself === undefined || !isObject(v)) return v === win;
    try {
      apply(itself, v, []);
      return true;
    } catch {
      return false;
    }
  };
})();

function ModelContext(this: unknown): void {
  throw new TypeErrorOf(isNothing(new.target) ? "Illegal constructor" : "Failed to construct 'ModelContext': Illegal constructor");
}

// What the constructor of event targets made is one, whatever its class.
function target(v: unknown): v is EventTarget {
  return isObject(v);
}

const made: unknown = construct(EventTargetOf, [], ModelContext);
if (!target(made)) throw new TypeErrorOf("no event target");

/** context is the document's own. */
export const context: EventTarget = made;

const longestName = 128;

/** isName tells whether a tool may be called so. */
export function isName(s: string): boolean {
  if (s === "" || s.length > longestName) return false;
  for (let i = 0; i < s.length; i++) {
    const c = codeAt(s, i);
    const fits = (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95 || c === 46 || c === 45;
    if (!fits) return false;
  }
  return true;
}

function own(self: unknown, call: Call): void {
  if (self !== context) throw call.bad("Illegal invocation");
}

// promised is the promise of what f answers, which may throw.
function promised<T>(f: () => T | Promise<T>): Promise<T> {
  return new PromiseOf((resolve, reject) => {
    try {
      resolve(f());
    } catch (e) {
      reject(e);
    }
  });
}

function stringified(call: Call, what: string, v: object): string {
  let text: string | undefined;
  try {
    text = stringify(v);
  } catch (e) {
    throw call.again(e);
  }
  if (text === undefined) throw call.bad(`invalid ${what}: toJSON() returns undefined`);
  return text;
}

function refused(message: string, name: string): DOMException {
  return new DOMExceptionOf(message, name);
}

function onlySecure(origins: readonly string[] | undefined, list: string): void {
  for (let i = 0; i < (origins?.length ?? 0); i++) {
    if (!isTrustworthy(origins?.[i] ?? "")) throw refused(`Only secure origins are allowed in the ${list} list.`, "SecurityError");
  }
}

function register(call: Call, given: unknown, options: unknown): Promise<void> {
  const dict = new Dictionary(call, "ModelContextTool", given, true);
  const notes = dict.dictionary("annotations", "ToolAnnotations");
  const annotations: Annotations | undefined = notes && {
    consequentialHint: notes.flag("consequentialHint"),
    debugging: notes.flag("debugging"),
    readOnlyHint: notes.flag("readOnlyHint"),
    untrustedContentHint: notes.flag("untrustedContentHint"),
  };
  const description = wellFormed(dict.text("description", true) ?? "");
  const execute = dict.callable("execute");
  const inputSchema = dict.object("inputSchema");
  const name = dict.text("name", true) ?? "";
  const title = wellFormed(dict.text("title", false) ?? "");
  const chosen = new Dictionary(call, "ModelContextRegisterToolOptions", options, false);
  const exposedTo = chosen.texts("exposedTo");
  const signal = chosen.signal("signal");

  if (!isName(name)) throw refused("Invalid tool name", "InvalidStateError");
  if (find(name) !== undefined) throw refused("Duplicate tool name", "InvalidStateError");
  if (description === "") throw refused("Description is required", "InvalidStateError");
  const schema = inputSchema === undefined ? undefined : stringified(call, "input schema", inputSchema);
  if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);
  onlySecure(exposedTo, "exposedTo");

  const tool: Tool = { name, title, description, schema, annotations, kind: "script", invoke: ofScript(execute) };
  return new PromiseOf((resolve, reject) => {
    if (signal !== undefined) {
      const end = (): void => {
        unlisten(signal, "abort", end);
        remove(tool);
        reject(reasonOf(signal));
      };
      listen(signal, "abort", end);
    }
    add(tool, () => {
      resolve();
    });
  });
}

// listed is a tool as getTools tells of it; one whose schema is no object in
// the end is left out.
function listed(tool: Tool): object | undefined {
  const out: Record<string, unknown> = {};
  const put = (key: string, value: unknown): void => {
    defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true });
  };
  if (tool.annotations !== undefined) put("annotations", { ...tool.annotations });
  put("description", tool.description);
  if (tool.schema !== undefined) {
    const schema: unknown = parseJSON(tool.schema);
    if (!isObject(schema)) return undefined;
    put("inputSchema", schema);
  }
  put("name", tool.name);
  put("origin", origin);
  put("title", tool.title);
  put("window", win);
  return out;
}

function execute(call: Call, given: unknown, input: unknown, options: unknown): Promise<string> {
  const dict = new Dictionary(call, "RegisteredTool", given, true);
  dict.dictionary("annotations", "ToolAnnotations");
  dict.text("description", true);
  dict.object("inputSchema");
  const name = dict.text("name", true) ?? "";
  const of = dict.text("origin", true) ?? "";
  dict.text("title", false);
  const where = dict.any("window");
  if (where === undefined) throw dict.bad("window", "Required member is undefined.");
  if (!isWindow(where)) throw dict.bad("window", "Failed to convert value to 'Window'.");
  const signal = new Dictionary(call, "ExecuteToolOptions", options, false).signal("signal");

  if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);
  const json = inputText(call, input);
  if (of !== origin && originIn(of) === "") throw refused("The provided origin is invalid.", "NotSupportedError");
  const tool = find(name);
  if (tool === undefined || (of !== origin && originIn(of) !== origin) || where !== win) {
    throw refused("The operation failed for an unknown transient reason (e.g. out of memory).", "UnknownError");
  }
  return answered(tool, json, signal);
}

async function answered(tool: Tool, json: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await awaited(run(context, tool, json, signal));
  } catch (e) {
    throw e instanceof Failed ? refused(e.message, "UnknownError") : e;
  }
}

// inputText is the input as JSON. Before Chrome 155 pages gave it as that.
function inputText(call: Call, input: unknown): string {
  if (input === undefined) return "{}";
  const json = typeof input === "string" ? input : isObject(input) ? stringified(call, "input object", input) : "";
  if (isObject(parsed(json))) return json;
  if (isObject(input)) throw refused("Failed to parse input arguments", "UnknownError");
  throw call.bad("invalid input object: value is not an object");
}

function parsed(json: string): unknown {
  try {
    const v: unknown = parseJSON(json);
    return v;
  } catch {
    return undefined;
  }
}

const methods = {
  executeTool(this: unknown, tool: unknown, ...more: unknown[]): Promise<string> {
    const call = calling("executeTool");
    const input = more[0];
    const options = more[1];
    const given = arguments.length;
    return promised(() => {
      own(this, call);
      call.needs(1, given);
      return execute(call, tool, input, options);
    });
  },
  getTools(this: unknown, ...more: unknown[]): Promise<object[]> {
    const call = calling("getTools");
    const options = more[0];
    return promised(() => {
      own(this, call);
      onlySecure(new Dictionary(call, "ModelContextGetToolOptions", options, false).texts("fromOrigins"), "fromOrigins");
      const tools = inOrder(all(), (a, b) => a.name < b.name);
      const out: object[] = [];
      for (let i = 0; i < tools.length; i++) {
        const tool = tools[i];
        const one = tool && listed(tool);
        if (one !== undefined) push(out, one);
      }
      return out;
    });
  },
  registerTool(this: unknown, tool: unknown, ...more: unknown[]): Promise<void> {
    const call = calling("registerTool");
    const options = more[0];
    const given = arguments.length;
    return promised(() => {
      own(this, call);
      call.needs(1, given);
      noteQuietly(tool);
      return register(call, tool, options);
    });
  },
};

// What the page set as the handlers of events.
const handlers = new Table<string, { value: object; active: boolean }>();

function handler(type: string): object {
  const key = `on${type}`;
  return {
    get [key](): object | null {
      if (this !== context) throw new TypeErrorOf("Illegal invocation");
      return handlers.get(type)?.value ?? null;
    },
    set [key](value: unknown) {
      if (this !== context) throw new TypeErrorOf("Illegal invocation");
      const was = handlers.get(type);
      if (!isObject(value)) {
        if (was !== undefined) was.active = false;
        handlers.delete(type);
        return;
      }
      if (was !== undefined) {
        was.value = value;
        return;
      }
      const now = { value, active: true };
      handlers.set(type, now);
      listen(context, type, (e) => {
        if (now.active && isCallable(now.value)) apply(now.value, context, [e]);
      });
    },
  };
}

/** installContext gives the document its context, and the navigator the older name of it. */
export function installContext(): void {
  const proto: unknown = get(ModelContext, "prototype");
  if (!isObject(proto)) return;
  for (const type of ["toolchange", "toolactivated", "toolcancel"]) lend(proto, handler(type));
  lend(proto, methods);
  asInterface(ModelContext, "ModelContext", EventTargetOf, 0);
  onChange((after) => {
    soon(() => {
      dispatch(context, new EventOf("toolchange"));
      after();
    });
  });
  lend(Document.prototype, ofDocument);
  if (!("modelContext" in nav)) lend(Navigator.prototype, ofNavigator);
}

const nav = navigator;
const isDocument = brand(Document.prototype, "compatMode");

// Documents without a window have no context.
function contextOf(self: unknown): EventTarget | null {
  if (self === current() || self === nav) return context;
  if (isDocument(self)) return null;
  throw new TypeErrorOf("Illegal invocation");
}

const ofDocument = {
  get modelContext(): EventTarget | null {
    return contextOf(this);
  },
};
const ofNavigator = {
  get modelContext(): EventTarget {
    return contextOf(this) ?? context;
  },
};
const getters = [getOwnPropertyDescriptor(ofDocument, "modelContext")?.get, getOwnPropertyDescriptor(ofNavigator, "modelContext")?.get];

/** isOurs tells whether what is at a name of the API is what was installed there. */
export function isOurs(getter: unknown): boolean {
  return getter !== undefined && (getter === getters[0] || getter === getters[1]);
}
