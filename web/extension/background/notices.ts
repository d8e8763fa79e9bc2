import { api } from "../shared/api";
import type { Outcome } from "../user/actions";
import { field, list } from "../user/decode";
import type { Desk } from "../user/desk";
import type { Marks } from "../user/marks";

// What the owner's side hears of ops: which are acts, what a person is told of
// them, and where they are shown. Nothing that is typed or read goes there.

/** Ended takes how an op ended, and its result when it did well. */
export type Ended = (how: Outcome, result?: unknown) => void;

const nothing: Ended = () => undefined;

// What the agent aims for, when it is about to act, to a person.
const aims: Readonly<Record<string, string>> = { click: "click", hover: "hover", drag: "drag", fill: "fill", files: "upload" };

// Commands of the debugger that are more than a means.
const commands: Readonly<Record<string, string>> = { "Page.captureScreenshot": "capture", "Page.printToPDF": "archive" };

// An agent's code runs as if a person had just acted.
function runsCode(method: string, params: unknown): boolean {
  return (method === "Runtime.evaluate" || method === "Runtime.callFunctionOn") && field(params, "userGesture") === true;
}

/** noticed takes in an op that is about to be done. */
export function noticed(desk: Desk, marks: Marks, op: string, args: unknown): Ended {
  const tab = field(args, "tab"), frame = field(args, "frame");
  if (typeof tab !== "number" || !desk.consent.allows(tab)) return nothing;
  switch (op) {
    case "go":
      lead(desk, tab, field(args, "url"), field(args, "to"));
      return desk.note(tab, op, hostOf(field(args, "url")));
    case "evaluate":
      desk.acts(tab);
      return desk.note(tab, op, "");
    case "debug": {
      const method = String(field(args, "method")), code = runsCode(method, field(args, "params"));
      if (code || method.startsWith("Input.") || method === "DOM.setFileInputFiles") desk.acts(tab);
      if (method.startsWith("Input.")) marks.show(tab, 0, null);
      return desk.note(tab, code ? "evaluate" : (commands[method] ?? ""), "");
    }
    case "ask":
      return asked(desk, marks, tab, typeof frame === "number" ? frame : 0, String(field(args, "op")), field(args, "args"));
    default:
      return desk.note(tab, op, "");
  }
}

function lead(desk: Desk, tab: number, url: unknown, to: unknown): void {
  if (to === "back" || to === "forward") desk.travels(tab);
  else if (to === "reload") desk.leads(tab, desk.consent.tab(tab)?.url ?? "");
  else desk.leads(tab, String(url));
}

function asked(desk: Desk, marks: Marks, tab: number, frame: number, op: string, args: unknown): Ended {
  switch (op) {
    case "relay": {
      // In frames within this one: where in it is not known.
      const of = list(field(parsed(args), "calls")).map((c) => asked(desk, marks, tab, -1, String(field(c, "op")), field(c, "args")));
      return (how) => { for (const f of of) f(how); };
    }
    case "input":
    case "callTool":
    case "submitForm":
      desk.acts(tab);
      marks.show(tab, 0, null);
      return desk.note(tab, op, "");
    case "aim":
      return aimed(desk, marks, tab, frame, aims[String(field(parsed(args), "for"))]);
    default:
      return desk.note(tab, op, "");
  }
}

function aimed(desk: Desk, marks: Marks, tab: number, frame: number, what: string | undefined): Ended {
  if (what === undefined) return nothing;
  desk.acts(tab);
  return (how, result) => {
    const reply = field(parsed(field(result, "answer")), "ok"), x = field(reply, "x"), y = field(reply, "y");
    // Without an answer of its own it was in a frame; one that is not ok is asked again.
    if (how === "done" && (frame < 0 || field(reply, "ok") === true)) {
      marks.show(tab, Math.max(0, frame), frame >= 0 && typeof x === "number" && typeof y === "number" ? { x, y } : null);
      desk.note(tab, what, named(field(reply, "line")))("done");
    }
  };
}

// named is the role and name of an element in its line, without its value.
function named(line: unknown): string {
  const m = typeof line === "string" ? /^\s*(?:\w*\d\s+)?([a-z]+(?: "(?:[^"\\]|\\.)*")?)/i.exec(line) : null;
  return m?.[1] ?? "";
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" && text.length < 50_000 ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function hostOf(url: unknown): string {
  try {
    return typeof url === "string" ? new URL(url).host : "";
  } catch {
    return "";
  }
}

/** sendMark has the host in a frame show or clear a mark. */
export function sendMark(tab: number, frame: number, message: object): Promise<unknown> {
  return api.tabs.sendMessage(tab, message, { frameId: frame });
}
