import { isConnected } from "../shared/safe-dom";
import { quote } from "../shared/quote";
import type { Line } from "./lines";
import { number } from "./refs";

// What elements were called when a reader was given their refs. A page may use
// a node again for something else; a ref must not follow it there unseen.

interface Told {
  readonly role: string;
  readonly name: string;
}

const told = new WeakMap<Element, Told>();

/** tell notes what an element is listed as. */
export function tell(e: Element, line: Line): void {
  told.set(e, { role: line.role, name: line.name });
}

/**
 * becameOther tells where what was listed under an element's ref is now, when
 * the page uses the element for another of its kind; "" when it does not.
 */
export function becameOther(e: Element, now: Line, others: Iterable<readonly [Element, Line]>, prefix: string): string {
  const was = told.get(e);
  if (was === undefined || was.name === "" || was.name === now.name) return "";
  for (const [other, line] of others) {
    if (other === e || line.role !== was.role || line.name !== was.name || !isConnected(other)) continue;
    // Two that were called the same from the start do not tell.
    if (told.get(other)?.name === was.name) continue;
    return `not what was listed under this ref: ${was.role} ${quote(was.name)} is ${prefix}e${String(number(other))} now`;
  }
  return "";
}
