import { queryAll, top } from "../shared/safe-dom";
import { flatParent } from "../shared/tree";

// Ways down to an element.

/** pathTo maps each element above one to the child that leads to it. */
export function pathTo(from: Element, root: Element): Map<Element, Node> {
  const path = new Map<Element, Node>();
  for (let n: Element = from; n !== root; ) {
    const p = flatParent(n);
    if (p === null) return new Map();
    path.set(p, n);
    n = p;
  }
  return path;
}

/** Modal is the modal dialog, and the way to it. */
export interface Modal {
  readonly dialog: Element;
  readonly path: ReadonlySet<Element>;
}

/** modalPath is the way to the modal dialog that makes the rest of the page inert. */
export function modalPath(): Modal | null {
  const page = top();
  if (page === null) return null;
  const open = queryAll(page, "dialog:modal");
  const dialog = open[open.length - 1];
  if (dialog === undefined) return null;
  const path = new Set<Element>();
  for (let e: Element | null = dialog; e !== null; e = flatParent(e)) path.add(e);
  return { dialog, path };
}
