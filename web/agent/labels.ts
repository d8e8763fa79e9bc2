import { closest, comparePosition, getAttribute, isLabel, isShadow, queryAll, queryFragmentAll, rootOf, top } from "../shared/safe-dom";

// The labels of controls. A control's own list of them is made by a walk over
// the whole document, for each control again; this looks once.

let index = new WeakMap<Node, Map<string, HTMLLabelElement[]>>();

/** forgetLabels makes the next look find labels anew. */
export function forgetLabels(): void {
  index = new WeakMap();
}

function labelsIn(root: Node): Map<string, HTMLLabelElement[]> {
  const had = index.get(root);
  if (had !== undefined) return had;
  const made = new Map<string, HTMLLabelElement[]>();
  const page = top();
  const all = isShadow(root) ? queryFragmentAll(root, "label[for]") : page === null ? [] : queryAll(page, "label[for]");
  for (const l of all) {
    if (!isLabel(l)) continue;
    const id = getAttribute(l, "for") ?? "";
    const list = made.get(id);
    if (list === undefined) made.set(id, [l]);
    else list.push(l);
  }
  index.set(root, made);
  return made;
}

/** labelsOf are the label elements of a control, in the order of the document. */
export function labelsOf(e: Element): readonly HTMLLabelElement[] {
  const id = getAttribute(e, "id");
  const pointing = id === null || id === "" ? [] : (labelsIn(rootOf(e)).get(id) ?? []).filter((l) => l.control === e);
  const around = closest(e, "label");
  if (around === null || !isLabel(around) || around.control !== e || pointing.includes(around)) return pointing;
  const before = pointing.findIndex((l) => (comparePosition(around, l) & 4) !== 0);
  return before < 0 ? [...pointing, around] : [...pointing.slice(0, before), around, ...pointing.slice(before)];
}
