import { isConnected } from "../shared/safe-dom";
import { Fault } from "./faults";

// Numbers of elements. A number is given once and dies with its element.

const numbers = new WeakMap<Element, number>();
const elements = new Map<number, WeakRef<Element>>();
let next = 1;
let sweepAt = 4096;

/** raise makes n the least number to be given out. */
export function raise(n: number): void {
  if (n > next) next = n;
}

/** upcoming is the first number not given out. */
export function upcoming(): number {
  return next;
}

/** number is the number of an element, given now if it has none. */
export function number(e: Element): number {
  const had = numbers.get(e);
  if (had !== undefined) return had;
  const n = next++;
  numbers.set(e, n);
  elements.set(n, new WeakRef(e));
  if (elements.size > sweepAt) sweep();
  return n;
}

/** numbered is the number that an element has, 0 for none. */
export function numbered(e: Element): number {
  return numbers.get(e) ?? 0;
}

/** element is the element with this number; a Fault when it is gone. */
export function element(n: number): Element {
  const e = elements.get(n)?.deref();
  if (e === undefined || !isConnected(e)) throw stale(n);
  return e;
}

/** anywhere is the element with this number, also when it is in no document. */
export function anywhere(n: number): Element {
  const e = elements.get(n)?.deref();
  if (e === undefined) throw stale(n);
  return e;
}

/** stale is the Fault for an element that is not in the document. */
function stale(n: number): Fault {
  return new Fault("stale_ref", `e${String(n)} is not on the page any more`, "take a snapshot and use a ref from it");
}

function sweep(): void {
  for (const [n, ref] of elements) {
    if (ref.deref() === undefined) elements.delete(n);
  }
  sweepAt = 2 * Math.max(elements.size, 2048);
}
