import { isElement, nextElementSibling, nextSibling } from "../shared/safe-dom";
import type { Item } from "./items";

// The levels of the walk over the page that are open.

/** Mute is what is not listed. no: all is listed; told: text is told as the name of a control; hidden: only what can be acted on is listed, the rest is kept from some readers. */
export type Mute = "no" | "told" | "hidden";

/** Level is an element whose inside is being walked over. */
export interface Level {
  readonly el: Element;
  readonly item: Item;
  readonly own: boolean; // the item is this level's own
  next: Node | null;
  readonly list: readonly Node[] | null;
  at: number;
  text: boolean | undefined; // text directly in it can be read; not yet known
  after: string; // what style shows behind what it holds
  readonly mute: Mute;
  readonly pointer: boolean;
  readonly rect: DOMRect | null;
  readonly depth: number; // of items
  run: number;
  readonly recent: string[];
  skip: Item | null;
}

/** wind hangs what was built below the open levels into the tree. */
export function wind(stack: Level[]): void {
  for (let i = stack.length - 1; i > 0; i--) {
    const level = stack[i], up = stack[i - 1];
    if (level?.own === true && up !== undefined) up.item.kids.push(level.item);
  }
}

/** step is the next node of a level; null after the last one. */
export function step(level: Level): Node | null {
  if (level.list !== null) return level.list[level.at++] ?? null;
  const n = level.next;
  // Between siblings that are only counted no text is read.
  if (n !== null) level.next = level.skip !== null && isElement(n) && level.item.kids.at(-1) === level.skip ? nextElementSibling(n) : nextSibling(n);
  return n;
}
