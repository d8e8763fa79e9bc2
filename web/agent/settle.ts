import { isOption } from "../shared/safe-dom";
import type { Item } from "./items";
import { always, ifNamed, spoken } from "./kinds";
import { nameOf, takesContent } from "./names";
import { roleOf } from "./roles";

// What becomes of blocks when all in them was seen: those that hold one thing
// are that thing.

/** settle decides what becomes of a block once all in it was seen; null: nothing. */
export function settle(item: Item, interactive: boolean): Item | null {
  const kids = item.kids;
  const only = kids.length === 1 ? kids[0] : undefined;
  const line = item.line;
  if (line === undefined) {
    if (only === undefined) return kids.length === 0 ? null : item;
    if (only.skipped > 0) return item;
    if (only.text && only.line !== undefined && roleOf(item.el) === "listitem") only.line = { ...only.line, role: "listitem" };
    only.sig = item.sig;
    return only;
  }
  if (line.role === "heading") return heading(item, interactive);
  if (only?.text === true && line.name === "" && only.line !== undefined && only.more === 0 && (spoken.has(line.role) || takesContent(line.role))) {
    item.line = { ...line, name: only.line.name };
    item.kids = [];
    return item;
  }
  if (kids.length === 0 && !item.ref && !always.has(line.role) && (ifNamed.has(line.role) || (spoken.has(line.role) && line.name === "") || interactive)) return null;
  if (interactive && kids.length === 0 && !item.ref) return null;
  return item;
}

// A heading that only holds a link is the link's line.
function heading(item: Item, interactive: boolean): Item | null {
  const only = item.kids.length === 1 ? item.kids[0] : undefined;
  const line = item.line;
  if (line === undefined) return item;
  if (only?.line !== undefined && !only.text && only.kids.length === 0) {
    only.line = { ...only.line, states: [...only.line.states, `heading ${String(line.level)}`] };
    only.sig = item.sig;
    return only;
  }
  item.line = { ...line, name: nameOf(item.el, "heading") };
  item.kids = item.kids.filter((k) => !k.text);
  return item.kids.length === 0 && interactive ? null : item;
}

/** isChoice tells whether an item is an option of a list. */
export function isChoice(item: Item): boolean {
  return isOption(item.el) || item.line?.role === "option";
}
