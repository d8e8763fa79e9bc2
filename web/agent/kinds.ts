import {
  checkVisibility, closest, getAttribute, hasAttribute, isHTML, isInput, isLabel, isTable, localName, parentElement, query, rectOf,
} from "../shared/safe-dom";
import { clean } from "../shared/quote";
import { holdsActions } from "./roles";
import { isEditingHost } from "./values";
import { labelsOf } from "./labels";
import { contentName, drawnTitle, nameOf, spokenName } from "./names";
import { plainLine, type Line } from "./lines";
import { isKeyed } from "./keyed";
import { isShown } from "./visible";

// Which elements get a line, and which only lend theirs to others.

/** unseen are elements that never show anything. */
export const unseen = new Set([
  "script", "style", "template", "noscript", "head", "meta", "link", "title", "base", "datalist", "param", "source", "track", "colgroup", "col", "map", "area", "rp",
  "defs", "desc", "metadata", "symbol", "clippath", "clipPath", "mask", "pattern", "linearGradient", "radialGradient", "filter", "marker",
]);

/** drawing are elements of which only what they draw is seen, not what they hold. */
export const drawing = new Set(["canvas", "video", "audio", "object", "embed"]);

/** ifNamed are structures that get a line when they have a name. */
export const ifNamed = new Set([
  "navigation", "region", "main", "banner", "contentinfo", "complementary", "form", "search", "group", "radiogroup", "toolbar", "article", "figure", "list", "tabpanel", "feed", "application",
]);

/** always are structures that get a line in any case. */
export const always = new Set(["dialog", "alertdialog", "menu", "menubar", "listbox", "tree", "grid", "treegrid", "tablist"]);

/** spoken are lines whose text is what they say. */
export const spoken = new Set(["status", "alert", "log", "timer", "marquee", "note"]);

/** rowgroups hold rows and have no line. */
export const transparent = new Set(["tbody", "thead", "tfoot", "rowgroup"]);

/** leaves are controls and objects in which nothing else is listed. */
export const leaves = new Set(["input", "select", "textarea", "canvas", "video", "audio", "embed", "meter", "progress", "math"]);

/** isLeaf tells whether nothing inside e is listed. */
export function isLeaf(e: Element, tag: string): boolean {
  if (leaves.has(tag)) return true;
  if (tag === "object") return hasAttribute(e, "data") || hasAttribute(e, "type");
  return isEditingHost(e);
}

/**
 * rescued tells whether a control that is not itself seen is shown by others:
 * a box that its label draws, a file field laid over a button, a field that
 * only takes the keys for what is drawn around it.
 */
export function rescued(e: Element): boolean {
  if (isKeyed(e)) return true;
  if (!isInput(e) || !(e.type === "checkbox" || e.type === "radio" || e.type === "file")) return false;
  if (!checkVisibility(e, { visibilityProperty: true })) return false;
  if (labelsOf(e).some(isShown)) return true;
  if (e.type !== "file") return false;
  const r = rectOf(e);
  return r.width >= 8 && r.height >= 8;
}

/** concealed is the control that a label stands for while it is not rendered. */
export function concealed(e: Element): Element | null {
  if (!isLabel(e)) return null;
  const c = e.control;
  return c !== null && isInput(c) && c.type !== "hidden" && !checkVisibility(c, { visibilityProperty: true }) ? c : null;
}

/** namesControl tells whether the text of e is told as the name of another line. */
export function namesControl(e: Element, tag: string): boolean {
  if (isLabel(e)) {
    const c = e.control;
    return c !== null && nameOf(c, "textbox") !== "" && !hasAttribute(c, "aria-label") && !hasAttribute(c, "aria-labelledby");
  }
  const p = parentElement(e);
  if (p === null) return false;
  const pt = localName(p);
  if (tag === "figcaption") return pt === "figure" && !hasAttribute(p, "aria-label") && !hasAttribute(p, "aria-labelledby") && !hasAttribute(p, "role");
  return (tag === "legend" && pt === "fieldset") || (tag === "caption" && pt === "table");
}

/** holdsData tells a table of data from one that only lays out. */
export function holdsData(e: Element): boolean {
  if (!isTable(e)) return true;
  const role = getAttribute(e, "role");
  if (role !== null) return role !== "none" && role !== "presentation";
  if (e.caption !== null || e.tHead !== null || hasAttribute(e, "aria-label") || hasAttribute(e, "aria-labelledby") || query(e, "th") !== null) return true;
  const first = e.rows[0];
  return e.rows.length >= 2 && first !== undefined && first.cells.length >= 2 && query(e, "table,form,h1,h2,h3") === null;
}

/** tableLine tells a table's size. */
export function tableLine(e: Element, role: string, name: string): Line {
  let rows = Number(getAttribute(e, "aria-rowcount") ?? 0);
  let cols = Number(getAttribute(e, "aria-colcount") ?? 0);
  if (isTable(e)) {
    rows = rows > 0 ? rows : e.rows.length;
    cols = cols > 0 ? cols : Array.from(e.rows[0]?.cells ?? []).reduce((n, c) => n + spanOf(c, "colspan"), 0);
  }
  return { ...plainLine(role, name), rest: rows > 0 && cols > 0 ? `${String(rows)} rows × ${String(cols)}` : "" };
}

/** spanOf is how many columns or rows a cell goes over. */
export function spanOf(cell: Element, attribute: "colspan" | "rowspan"): number {
  const n = Number(getAttribute(cell, attribute) ?? 1);
  return Number.isInteger(n) && n > 1 && n <= 1000 ? n : 1;
}

/** inLayout tells whether a row or cell belongs to a table that only lays out. */
export function inLayout(e: Element): boolean {
  if (!isHTML(e)) return false;
  const t = closest(e, "table");
  return t !== null && hasAttribute(e, "role") === false && !holdsData(t);
}

/** textLabel names what has no name by the rules: the text in it, if need be one for screen readers alone. */
export function textLabel(e: Element, role: string): string {
  return nameOf(e, role) || getAttribute(e, "aria-label") || drawnTitle(e) || contentName(e) || spokenName(e);
}

/**
 * labelledCell tells whether a cell of a grid is called something that it does
 * not show, such as a day of a calendar: it is a place of its own.
 */
export function labelledCell(e: Element, role: string): boolean {
  const label = role === "gridcell" ? getAttribute(e, "aria-label") : null;
  return label !== null && !holdsActions(e) && contentName(e) !== clean(label);
}
