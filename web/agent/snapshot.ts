import type { FrameAnchor, SnapshotArgs, SnapshotReply } from "../shared/protocol.gen";
import { newElement, top } from "../shared/safe-dom";
import { within } from "../shared/tree";
import { build, type Built } from "./build";
import { frameOf, isFrame } from "./frames";
import { Fault } from "./faults";
import { itemOf } from "./items";
import { isPDF, pdfNote, plainLine, type Line } from "./lines";
import { cutting, fitting, indented, measure, none, print, tightest, type Printed } from "./outline";
import { element, number } from "./refs";
import type { Stint } from "./stint";

/** Outlined is an outline with what it was printed from. */
export interface Outlined {
  readonly built: Built;
  readonly printed: Printed;
}

/** outlineOf walks and prints within a budget. */
export function outlineOf(root: Element, self: boolean, from: Element | null, interactive: boolean, budget: number, prefix: string, time: Stint | null = null): Outlined {
  const built = build({ root, self, from, interactive, budget, stint: time, full: (item) => measure(item, tightest, budget) > budget });
  const fold = built.partial ? null : built.skipped === "none" && built.size <= budget ? none : fitting(built.root, built.skipped, budget, from !== null);
  // What cannot be folded into the budget is cut, with the runs shown that a
  // reader can make use of.
  const printed = print(built.root, fold ?? cutting, fold === null ? budget : Infinity, prefix);
  return { built, printed };
}

// bare is the outline of a document that has nothing to walk over.
function bare(el: Element, line: Line | null): Outlined {
  const root = itemOf(el, line === null ? undefined : { ...line, rest: pdfNote });
  return { built: { root, partial: false, skipped: "none", size: 0 }, printed: print(root, none, Infinity, "") };
}

/** take makes the outline that a snapshot asks for. */
export function take(args: SnapshotArgs): { outlined: Outlined; whole: boolean } {
  const scope = args.scope === undefined || args.scope === 0 ? null : element(args.scope);
  const from = args.cursor === undefined || args.cursor === 0 ? null : element(args.cursor);
  const root = scope ?? top();
  const budget = Math.max(args.budget, 200);
  if (root === null) return { outlined: bare(newElement("html"), null), whole: true };
  if (scope === null && isPDF()) return { outlined: bare(root, plainLine("document", "")), whole: true };
  if (from !== null && !within(from, root)) throw new Fault("invalid_arguments", `e${String(args.cursor)} is not inside e${String(args.scope)}`, "use a cursor with the scope that it was given with");
  const outlined = outlineOf(root, scope !== null, from, args.interactive === true, budget, args.prefix);
  return { outlined, whole: scope === null && from === null && args.interactive !== true };
}

/** reply is an outline as it is sent. */
export function reply(printed: Printed): SnapshotReply {
  const frames: FrameAnchor[] = [];
  printed.entries.forEach((e, line) => {
    if (isFrame(e.item.el) && e.item.line?.role === "iframe") frames.push({ frame: frameOf(e.item.el), line, indent: e.depth + 1 });
  });
  return { text: indented(printed.entries), frames, cursor: printed.cut === null ? 0 : number(printed.cut) };
}
