import { dataOf, firstChild, firstElementChild, getAttribute, hasAttribute, isElement, isText, localName, nextElementSibling, nextSibling } from "../shared/safe-dom";
import { clean, cut } from "../shared/quote";
import { rootIn, slotted } from "../shared/tree";
import { nameOf } from "./names";
import { unseen } from "./kinds";
import { roleOf } from "./roles";
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

/** visibleText is the text in an element that a person could read, on one line. */
export function visibleText(e: Element, outer: DOMRect | null): string {
  const l = look(e, outer);
  if (l.seen === "hidden") return "";
  if (firstElementChild(e) === null && rootIn(e) === null) {
    const n = firstChild(e);
    if (n === null || !l.text) return "";
    if (isText(n) && nextSibling(n) === null) return clean(cut(dataOf(n), longestCell));
  }
  return clean(gather(e, l.text, l.rect, 0));
}

function gather(e: Element, legible: boolean, outer: DOMRect | null, depth: number): string {
  let text = "";
  const slots = slotted(e);
  let i = 0;
  for (let n: Node | null | undefined = slots === null ? firstChild(rootIn(e) ?? e) : slots[i]; n !== null && n !== undefined && text.length < longestCell; n = slots === null ? nextSibling(n) : slots[++i]) {
    if (isText(n)) {
      if (legible) text += dataOf(n);
    } else if (isElement(n) && depth < 100) {
      const tag = localName(n);
      if (unseen.has(tag) || getAttribute(n, "aria-hidden") === "true" || hasAttribute(n, "inert")) continue;
      if (tag === "br") {
        text += " ";
        continue;
      }
      const l = look(n, outer);
      if (l.seen === "hidden") continue;
      const inner = tag === "img" || tag === "svg" ? nameOf(n, "img") : gather(n, l.text, l.inline ? outer : l.rect, depth + 1);
      text += l.inline ? inner : ` ${inner} `;
    }
  }
  return cut(text, longestCell);
}
