import { isInput, parentElement, queryAll, rectOf } from "../shared/safe-dom";
import { isShown } from "./visible";

// Codes that are entered into boxes, a character in each.

const climb = 5;
const widest = 80; // CSS pixels
const fewest = 4;
const most = 30; // fields in a group of boxes, others among them

/**
 * boxesFor are the boxes from e on that together take the characters of a
 * text; none when e is no such box, or they are too few.
 */
export function boxesFor(e: HTMLInputElement, characters: number): HTMLInputElement[] {
  if (characters < 2 || e.maxLength > 1 || (e.maxLength !== 1 && !small(e))) return [];
  for (let p = parentElement(e), i = 0; p !== null && i < climb; p = parentElement(p), i++) {
    const inputs = [...queryAll(p, "input")];
    if (inputs.length > most) break;
    const all = inputs.filter(isInput).filter((b) => b.type === e.type && b.maxLength === e.maxLength && isShown(b));
    if (all.length < 2) continue;
    // Boxes that do not say how much they take are told by their number.
    if (e.maxLength !== 1 && !(all[0] === e && all.length === characters && characters >= fewest && all.every(small))) continue;
    const from = all.indexOf(e);
    if (all.length - from >= characters) return all.slice(from, from + characters);
  }
  return [];
}

function small(b: Element): boolean {
  const r = rectOf(b);
  return r.width <= widest && r.height >= r.width / 3;
}
