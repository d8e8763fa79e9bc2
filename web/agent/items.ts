import { getAttribute, localName } from "../shared/safe-dom";
import { bodyOf, type Line } from "./lines";

// What the walk over a page makes: a tree of lines, and of groups without one.

/** Item is a line of an outline, or a group that only holds some. */
export interface Item {
  readonly el: Element; // what the line tells of; the block that a text stands in
  readonly text: boolean; // a text, whose element has no line of its own
  sig: string; // what like siblings have in common
  line: Line | undefined;
  ref: boolean; // printed with the element's number
  kids: Item[];
  skipped: number; // stands for so many like siblings, the first of them el
  more: number; // characters of a text that were left out
  body?: string; // the line as it is written
  of?: Line; // the line that body is of
}

/** written is the line of an item, as it is written without its ref. */
export function written(item: Item): string {
  const line = item.line;
  if (line === undefined) return "";
  if (item.of !== line || item.body === undefined) {
    item.of = line;
    item.body = bodyOf(line);
  }
  return item.body;
}

/** itemOf makes an item. */
export function itemOf(el: Element, line: Line | undefined, ref = false): Item {
  return { el, text: false, sig: signature(el), line, ref, kids: [], skipped: 0, more: 0 };
}

/** divides tells whether siblings with a signature begin something new: a heading. */
export function divides(sig: string): boolean {
  return /^h[1-6]$|(^| )heading$/.test(sig);
}

/** signature tells like siblings from others. */
export function signature(e: Element): string {
  const role = getAttribute(e, "role");
  return role === null ? localName(e) : `${localName(e)} ${role}`;
}
