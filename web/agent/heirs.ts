import { rectOf } from "../shared/safe-dom";
import { focused } from "../shared/tree";
import { nameOf } from "./names";
import { roleOf } from "./roles";

// Fields that a page puts in the place of others when they get the focus.

interface Place {
  readonly role: string;
  readonly name: string;
  readonly rect: DOMRect;
}

const mostKept = 50;
const places = new Map<number, Place>();

/** remember notes where a field is that is about to get the focus. */
export function remember(n: number, e: Element): void {
  if (places.size >= mostKept) places.clear();
  const role = roleOf(e);
  places.set(n, { role, name: nameOf(e, role), rect: rectOf(e) });
}

/**
 * heirOf is the field that took the place of one that is gone: it has the
 * focus, is called the same and is where that was. null: there is none.
 */
export function heirOf(n: number): Element | null {
  const was = places.get(n), now = focused();
  if (was === undefined || now === null) return null;
  const role = roleOf(now), r = rectOf(now);
  if (role !== was.role || nameOf(now, role) !== was.name) return null;
  return r.left < was.rect.right && r.right > was.rect.left && r.top < was.rect.bottom && r.bottom > was.rect.top ? now : null;
}
