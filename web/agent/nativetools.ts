import type { CallToolReply, OfferedTool } from "../shared/protocol.gen";
import { attribute, isForm } from "../shared/controls";
import { parseJSON } from "../shared/safe";
import { hasAttribute, listen, queryAll, queryFragmentAll, top } from "../shared/safe-dom";
import { metRoots, openRoot } from "../shared/tree";
import { isObject, text } from "./channel";

// The browser's own WebMCP, which every world of a document has to itself.
// What it answers is other in other versions.

const longestSchema = 1 << 20;
const names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "untrustedContentHint", "consequentialHint", "debugging", "autosubmit"];

/** Native is the context of the document. */
export interface Native {
  readonly target: EventTarget;
  readonly list: () => Promise<{ readonly why: string; readonly tools: OfferedTool[] }>;
  /** call calls a tool with the JSON of its input. filled is called when it is a form that a person has to submit. */
  readonly call: (name: string, input: string, signal: AbortSignal, filled: () => void) => Promise<CallToolReply>;
}

/** own is the context of the document, null where the browser gives it none. */
export function own(): Native | null {
  const context: unknown = Reflect.get(document, "modelContext");
  if (!isObject(context) || !(context instanceof EventTarget)) return null;
  const getTools: unknown = Reflect.get(context, "getTools");
  if (typeof getTools !== "function") return null;
  const all = async (): Promise<object[]> => {
    const list: unknown = await Reflect.apply(getTools, context, []);
    return Array.isArray(list) ? list.filter(isObject).filter(here) : [];
  };
  return {
    target: context,
    list: async () => {
      try {
        const forms = new Forms();
        return { why: "", tools: (await all()).map((t) => offered(t, forms)) };
      } catch (e) {
        return { why: isObject(e) ? text(e, "name") : "none", tools: [] };
      }
    },
    call: async (name, input, signal, filled) => {
      let tool: object | undefined;
      try {
        tool = (await all()).find((t) => text(t, "name") === name);
      } catch {
        // it offers none
      }
      return tool === undefined ? { state: "unknown" } : execute(context, tool, input, signal, filled);
    },
  };
}

// Tools of other documents are told of too.
function here(tool: object): boolean {
  const of: unknown = Reflect.get(tool, "window") ?? Reflect.get(tool, "source");
  return of === undefined || of === null || of === window || of === document;
}

// Forms are those that a document's tools are made of. A tool does not tell that
// it is one, so they are looked for by name and words; in shadow trees that were
// not met only when none else has them.
class Forms {
  private readonly named = new Map<string, HTMLFormElement>();
  private deep = false;

  constructor() {
    const page = top();
    if (page !== null) this.add(queryAll(page, "form[toolname]"));
    for (const root of metRoots()) this.add(queryFragmentAll(root, "form[toolname]"));
  }

  of(tool: object, schema: string): HTMLFormElement | undefined {
    if (!schema.includes('"required":[')) return undefined; // as those of all forms do
    const form = this.find(tool);
    if (form !== undefined || this.deep) return form;
    this.deep = true;
    const page = top();
    if (page !== null) this.seek(queryAll(page, "*"));
    return this.find(tool);
  }

  private find(tool: object): HTMLFormElement | undefined {
    const form = this.named.get(text(tool, "name"));
    return form !== undefined && attribute(form, "tooldescription") === text(tool, "description") ? form : undefined;
  }

  private add(forms: Iterable<Element>): void {
    for (const form of forms) {
      const name = attribute(form, "toolname");
      if (isForm(form) && !this.named.has(name)) this.named.set(name, form);
    }
  }

  private seek(elements: Iterable<Element>): void {
    for (const e of elements) {
      const root = openRoot(e);
      if (root === null) continue;
      this.add(queryFragmentAll(root, "form[toolname]"));
      this.seek(queryFragmentAll(root, "*"));
    }
  }
}

function schemaOf(tool: object): string {
  const given: unknown = Reflect.get(tool, "inputSchema");
  return typeof given === "string" ? given : isObject(given) ? JSON.stringify(given) : "";
}

function kindOf(tool: object, forms: Forms): "script" | "form" | "self-form" {
  const notes: unknown = Reflect.get(tool, "annotations");
  if (isObject(notes)) return Reflect.get(notes, "autosubmit") === true ? "self-form" : "script"; // forms have none
  const form = forms.of(tool, schemaOf(tool));
  if (form === undefined) return "script";
  return hasAttribute(form, "toolautosubmit") ? "self-form" : "form";
}

function offered(tool: object, forms: Forms): OfferedTool {
  const schema = schemaOf(tool);
  const notes: unknown = Reflect.get(tool, "annotations");
  const annotations: Record<string, boolean> = {};
  if (isObject(notes)) for (const name of names) if (Reflect.get(notes, name) === true) annotations[name] = true;
  return {
    source: "browser",
    kind: kindOf(tool, forms),
    name: text(tool, "name"),
    title: text(tool, "title"),
    description: text(tool, "description"),
    ...(schema !== "" && schema.length <= longestSchema ? { schema } : {}),
    ...(isObject(notes) ? { annotations: JSON.stringify(annotations) } : {}),
  };
}

async function execute(context: EventTarget, tool: object, input: string, signal: AbortSignal, filled: () => void): Promise<CallToolReply> {
  const f: unknown = Reflect.get(context, "executeTool");
  if (typeof f !== "function") return { state: "failed", message: "this version of the browser has no way to call it" };
  const run: (given: unknown) => Promise<unknown> = async (given) => Reflect.apply(f, context, [tool, given, { signal }]);
  const kind = kindOf(tool, new Forms()), name = text(tool, "name"), heard = new AbortController();
  if (kind === "form") {
    listen(context, "toolactivated", (e) => {
      if (text(e, "toolName") === name) filled();
    }, { signal: heard.signal });
  }
  try {
    return answered(await inEither(run, input), kind !== "script");
  } catch (e) {
    if (signal.aborted) return { state: "cancelled" };
    const o = isObject(e) ? e : {};
    return { state: text(o, "name") === "AbortError" ? "cancelled" : "failed", message: text(o, "message") };
  } finally {
    heard.abort();
  }
}

// Browsers before Chrome 155 take the input as text, and say so before they call.
async function inEither(run: (given: unknown) => Promise<unknown>, input: string): Promise<unknown> {
  try {
    return await run(parseJSON(input));
  } catch (e) {
    if (!isObject(e) || !/parse input/i.test(text(e, "message"))) throw e;
    return run(input);
  }
}

// A form that led to another document has no answer of its own.
function answered(said: unknown, form: boolean): CallToolReply {
  if (typeof said === "string") return { state: "completed", result: said };
  return form ? { state: "left" } : { state: "completed", result: "null" };
}
