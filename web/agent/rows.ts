import { checkVisibility, dataOf, firstChild, firstElementChild, getAttribute, hasAttribute, hasAttributes, isElement, isText, localName, nextElementSibling, nextSibling } from "../shared/safe-dom";
import { clean, cut } from "../shared/quote";
import { rootIn, slotted } from "../shared/tree";
import { nameOf } from "./names";
import { unseen } from "./kinds";
import { roleOf } from "./roles";
import { legible } from "./legible";
import { look } from "./visible";

// Rows of tables: cells of plain text are told in one line.

const longestCell = 200;

const cellRoles = new Set(["cell", "gridcell", "columnheader", "rowheader"]);

/** cellsOf are the cells of a row, null when it holds anything else. */
export function cellsOf(e: Element): Element[] | null {
  const cells: Element[] = [];
  for (let c = firstElementChild(e); c !== null; c = nextElementSibling(c)) {
    const tag = localName(c);
    if (unseen.has(tag)) continue;
    if (tag !== "td" && tag !== "th" && !cellRoles.has(roleOf(c))) return null;
    cells.push(c);
  }
  return cells.length > 0 ? cells : null;
}

/**
 * Columns keeps how the plain cells of a table look, by column and class: what
 * one of them is, the others are.
 */
export type Columns = Map<string, boolean>;

const both = { opacityProperty: true, visibilityProperty: true };

/** cellText is the text in a cell that a person could read, on one line. */
export function cellText(e: Element, columns: Columns, column: number): string {
  const n = firstChild(e);
  if (n === null && rootIn(e) === null) return "";
  if (n === null || !isText(n) || nextSibling(n) !== null || rootIn(e) !== null) {
    const l = look(e, null);
    return l.seen === "hidden" ? "" : clean(gather(e, l.seen === "shown" && legible(e), l.rect, 0));
  }
  if (!checkVisibility(e, both)) return "";
  const key = `${String(column)} ${hasAttributes(e) ? `${getAttribute(e, "class") ?? ""} ${getAttribute(e, "style") ?? ""} ${getAttribute(e, "id") ?? ""}` : ""}`;
  let readable = columns.get(key);
  if (readable === undefined) {
    readable = look(e, null).seen === "shown" && legible(e);
    columns.set(key, readable);
  }
  return readable ? clean(cut(dataOf(n), longestCell)) : "";
}

function gather(e: Element, readable: boolean, outer: DOMRect | null, depth: number): string {
  let text = "";
  const slots = slotted(e);
  let i = 0;
  for (let n: Node | null | undefined = slots === null ? firstChild(rootIn(e) ?? e) : slots[i]; n !== null && n !== undefined && text.length < longestCell; n = slots === null ? nextSibling(n) : slots[++i]) {
    if (isText(n)) {
      if (readable) text += dataOf(n);
    } else if (isElement(n) && depth < 100) {
      const tag = localName(n);
      if (unseen.has(tag) || getAttribute(n, "aria-hidden") === "true" || hasAttribute(n, "inert")) continue;
      if (tag === "br") {
        text += " ";
        continue;
      }
      const l = look(n, outer);
      if (l.seen === "hidden") continue;
      const inner = tag === "img" || tag === "svg" ? nameOf(n, "img") : gather(n, l.seen === "shown" && legible(n), l.inline ? outer : l.rect, depth + 1);
      text += l.inline ? inner : ` ${inner} `;
    }
  }
  return cut(text, longestCell);
}
