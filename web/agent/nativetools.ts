import type { OfferedTool } from "../shared/protocol.gen";
import { isObject, text } from "./channel";

// The browser's own WebMCP, which every world of a document has to itself.
// What it answers is other in other versions.

const longestSchema = 1 << 20;
const names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "untrustedContentHint", "consequentialHint", "debugging", "autosubmit"];

/** Native is the context of the document. */
export interface Native {
  readonly target: EventTarget;
  readonly list: () => Promise<{ readonly why: string; readonly tools: OfferedTool[] }>;
}

/** own is the context of the document, null where the browser gives it none. */
export function own(): Native | null {
  const context: unknown = Reflect.get(document, "modelContext");
  if (!isObject(context) || !(context instanceof EventTarget)) return null;
  const getTools: unknown = Reflect.get(context, "getTools");
  if (typeof getTools !== "function") return null;
  return {
    target: context,
    list: async () => {
      let all: unknown;
      try {
        all = await Reflect.apply(getTools, context, []);
      } catch (e) {
        return { why: isObject(e) ? text(e, "name") : "none", tools: [] };
      }
      return { why: "", tools: Array.isArray(all) ? all.filter(isObject).filter(here).map(offered) : [] };
    },
  };
}

// Tools of other documents are told of too.
function here(tool: object): boolean {
  const of: unknown = Reflect.get(tool, "window") ?? Reflect.get(tool, "source");
  return of === undefined || of === null || of === window || of === document;
}

function offered(tool: object): OfferedTool {
  const given: unknown = Reflect.get(tool, "inputSchema");
  const schema = typeof given === "string" ? given : isObject(given) ? JSON.stringify(given) : "";
  const notes: unknown = Reflect.get(tool, "annotations");
  const annotations: Record<string, boolean> = {};
  if (isObject(notes)) for (const name of names) if (Reflect.get(notes, name) === true) annotations[name] = true;
  return {
    source: "browser",
    kind: "script",
    name: text(tool, "name"),
    title: text(tool, "title"),
    description: text(tool, "description"),
    ...(schema !== "" && schema.length <= longestSchema ? { schema } : {}),
    ...(isObject(notes) ? { annotations: JSON.stringify(annotations) } : {}),
  };
}
