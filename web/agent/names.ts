import {
  byId, checkVisibility, dataOf, firstChild, firstElementChild, getAttribute, hasAttribute, isElement, isHTML, isInput, isSelect, isText, isTextArea, localName, nextElementSibling, nextSibling, query, rectOf, styleOf, textContent,
} from "../shared/safe-dom";
import { clean, cut } from "../shared/quote";
import { flatParent, rootIn, slotted } from "../shared/tree";
import { forgetGenerated, generated } from "./generated";
import { roleOf } from "./roles";
import { forgetLabels, labelsOf } from "./labels";
import { forgetBacks, legible } from "./legible";
import { forgetVerdicts, isSecret, withoutSecret } from "./secrets";
import { isShown, look } from "./visible";

// Accessible names by accname 1.2 and the host language rules of HTML-AAM.

// The longest text that goes into a name; the rest of it is never read.
const longest = 1000;
const deepest = 200;

const fromContent = new Set([
  "button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab", "tooltip", "treeitem",
]);

// Roles that ARIA allows no name.
const nameless = new Set([
  "caption", "code", "definition", "deletion", "emphasis", "generic", "insertion", "mark", "none", "paragraph", "strong", "subscript", "suggestion", "superscript", "term", "time",
]);

/** takesContent tells whether a role's name is the content of its element. */
export function takesContent(role: string): boolean {
  return fromContent.has(role);
}

// Roles that are read rather than acted on: of what they hold, only what can be
// read counts, while controls are often named for screen readers alone.
const toRead = new Set(["cell", "columnheader", "gridcell", "heading", "row", "rowheader", "tooltip"]);

interface Walk {
  readonly seen: Set<Element>; // no element counts twice in a name
  readonly legible: boolean; // only what can be read counts
  readonly hidden: boolean; // what is not shown counts: it was pointed at
  readonly label: boolean; // inside a label or a reference
  readonly own?: boolean; // without the groups of what is below it in a tree or a menu
  left: number; // characters
  mute?: Element; // what is not seen itself, though what is in it may be
}

/**
 * nameOf is the accessible name of an element with this role; a rough one may
 * hold more than can be read.
 */
export function nameOf(e: Element, role: string, rough = false): string {
  if (nameless.has(role) && !isInput(e)) return "";
  const w: Walk = { seen: new Set([e]), legible: !rough && toRead.has(role), hidden: false, label: false, left: longest };
  const name = clean(
    byReference(e) ||
      clean(getAttribute(e, "aria-label") ?? "") ||
      native(e, role) ||
      (fromContent.has(role) ? clean(content(e, w, 0)) : "") ||
      fallback(e),
  );
  return name !== "" && isInput(e) ? withoutSecret(e, name) : name;
}

/** isRead tells whether only what can be read counts in the names of a role. */
export function isRead(role: string): boolean {
  return toRead.has(role);
}

/** contentName is the text inside an element that can be read, as a name would take it. */
export function contentName(e: Element): string {
  return clean(content(e, { seen: new Set([e]), legible: true, hidden: false, label: false, left: longest }, 0));
}

const branches = new Set(["group", "menu", "tree"]);

/** branchName is what an element says that others are below, without those. */
export function branchName(e: Element): string {
  return byReference(e) || clean(getAttribute(e, "aria-label") ?? "") || clean(content(e, { seen: new Set([e]), legible: true, hidden: false, label: false, own: true, left: longest }, 0));
}

/** spokenName is the text inside an element, as a name would take it. */
export function spokenName(e: Element): string {
  return clean(content(e, { seen: new Set([e]), legible: false, hidden: false, label: false, left: longest }, 0));
}

function byReference(e: Element): string {
  const ids = getAttribute(e, "aria-labelledby");
  if (ids === null) return "";
  const parts: string[] = [];
  for (const id of ids.trim().split(/\s+/)) {
    const target = id === "" ? null : byId(e, id);
    if (target === null) continue;
    const shown = checkVisibility(target, { visibilityProperty: true });
    const w: Walk = { seen: new Set(), legible: false, hidden: !shown, label: true, left: longest };
    parts.push(clean(alternative(target, w, 0, e)));
  }
  return parts.filter((p) => p !== "").join(" ");
}

// alternative is the text alternative of a node that a name is made of; of is
// the element named, which stands for itself when it refers to itself.
function alternative(e: Element, w: Walk, depth: number, of: Element | null): string {
  if (w.seen.has(e) || depth > deepest) return "";
  w.seen.add(e);
  const label = clean(getAttribute(e, "aria-label") ?? "");
  const role = roleOf(e);
  if (of !== e) {
    const value = embedded(e, role);
    if (value !== null && (label === "" || depth > 0)) return value;
  }
  if (label !== "") return label;
  // A control within a name has told its value; its label is told by itself.
  if (depth > 0 && (isInput(e) || isSelect(e) || isTextArea(e)) && !isPress(e)) return "";
  const own = role === "none" ? "" : native(e, role);
  if (own !== "") return own;
  const inner = content(e, w, depth);
  return clean(inner) !== "" ? inner : clean(getAttribute(e, "title") ?? "");
}

// embedded is the value of a control within a label, null for other elements.
function embedded(e: Element, role: string): string | null {
  switch (role) {
    case "textbox":
    case "searchbox":
      if (isInput(e) || isTextArea(e)) return isSecret(e) ? "" : e.value;
      return isSecret(e) ? "" : clean(textContent(e) ?? "");
    case "combobox":
    case "listbox":
      if (isSecret(e)) return "";
      if (isSelect(e)) return Array.from(e.selectedOptions, (o) => clean(o.label)).join(" ");
      if (isInput(e)) return e.value;
      return clean(textContent(query(e, "[aria-selected=true]") ?? e) ?? "");
    case "slider":
    case "spinbutton":
    case "scrollbar":
    case "progressbar":
    case "meter":
      return getAttribute(e, "aria-valuetext") ?? getAttribute(e, "aria-valuenow") ?? (isInput(e) ? (isSecret(e) ? "" : e.value) : (getAttribute(e, "value") ?? ""));
  }
  return null;
}

function native(e: Element, role: string): string {
  if (!isHTML(e)) return svgName(e);
  const tag = localName(e);
  switch (tag) {
    case "input":
      return isInput(e) ? inputName(e) : "";
    case "select":
    case "textarea":
    case "output":
    case "meter":
    case "progress":
    case "button":
      return labels(e);
    case "img":
    case "area":
      return clean(getAttribute(e, "alt") ?? "");
    case "fieldset":
      return child(e, "legend");
    case "table":
      return child(e, "caption");
    case "figure":
      return role === "figure" ? child(e, "figcaption") : "";
    case "optgroup":
      return clean(getAttribute(e, "label") ?? "");
    case "option":
      return clean(getAttribute(e, "label") ?? "");
  }
  return "";
}

/** drawnTitle is the title that something drawn holds. */
export function drawnTitle(e: Element): string {
  if (isHTML(e)) return "";
  for (let c = firstElementChild(e); c !== null; c = nextElementSibling(c)) {
    if (localName(c) === "title") return clean(textContent(c) ?? "");
  }
  return "";
}

const drawnGroups = new Set(["svg", "g", "a", "use", "symbol"]);

function svgName(e: Element): string {
  const tag = localName(e);
  const title = drawnGroups.has(tag) ? drawnTitle(e) : "";
  if (title !== "") return title;
  if (tag === "math") return clean(getAttribute(e, "alttext") ?? "");
  return "";
}

function inputName(e: HTMLInputElement): string {
  const label = labels(e);
  if (label !== "") return label;
  switch (e.type) {
    case "submit":
    case "reset":
    case "button":
      return clean(e.value) || (e.type === "submit" ? "Submit" : e.type === "reset" ? "Reset" : "");
    case "image":
      return clean(getAttribute(e, "alt") ?? "") || clean(e.value) || clean(getAttribute(e, "title") ?? "") || "Submit Query";
  }
  return "";
}

function isPress(e: Element): boolean {
  return isInput(e) && (e.type === "submit" || e.type === "reset" || e.type === "button" || e.type === "image");
}

function child(e: Element, tag: string): string {
  for (let c = firstElementChild(e); c !== null; c = nextElementSibling(c)) {
    if (localName(c) === tag) return clean(alternative(c, { seen: new Set([e]), legible: false, hidden: false, label: true, left: longest }, 0, null));
  }
  return "";
}

// What the labels of a control say; a label asks it for itself, and the control
// again.
let said = new WeakMap<Element, string>();

function labels(e: Element): string {
  const had = said.get(e);
  if (had !== undefined) return had;
  const parts: string[] = [];
  for (const l of labelsOf(e)) {
    const shown = checkVisibility(l);
    parts.push(clean(alternative(l, { seen: new Set([e]), legible: false, hidden: !shown, label: true, left: longest }, 0, null)));
  }
  const text = parts.filter((p) => p !== "").join(" ");
  said.set(e, text);
  return text;
}

function fallback(e: Element): string {
  const title = clean(getAttribute(e, "title") ?? "");
  if (title !== "") return title;
  if (isInput(e) || isTextArea(e)) return clean(getAttribute(e, "placeholder") ?? "") || clean(getAttribute(e, "aria-placeholder") ?? "");
  return clean(getAttribute(e, "aria-placeholder") ?? "");
}

const skipped = new Set(["script", "style", "template", "noscript", "head", "meta", "link", "datalist", "desc", "metadata", "title", "option", "optgroup", "defs", "symbol", "clipPath", "mask", "pattern", "marker"]);

function content(e: Element, w: Walk, depth: number): string {
  if (w.legible && drawn.has(localName(e))) return "";
  const around = generated(e, () => true);
  let text = around?.before ?? "";
  const slots = slotted(e);
  let readable: boolean | undefined = w.legible ? (w.mute === e ? false : undefined) : true;
  const closed = w.legible && localName(e) === "details" && !hasAttribute(e, "open");
  const take = (n: Node): void => {
    if (closed && !(isElement(n) && localName(n) === "summary")) return;
    if (!isText(n)) text += part(n, w, depth);
    else if ((readable ??= legible(e)) && (w.legible || w.hidden || dataOf(n).length <= longestSpoken || (legible(e) && isShown(e)))) text += part(n, w, depth);
  };
  if (slots !== null) {
    for (const n of slots) take(n);
  } else {
    for (let n = firstChild(rootIn(e) ?? e); n !== null && w.left > 0; n = nextSibling(n)) take(n);
  }
  return text + (around?.after ?? "");
}

function part(n: Node, w: Walk, depth: number): string {
  if (isText(n)) {
    const data = cut(dataOf(n), w.left);
    w.left -= data.length;
    return data;
  }
  if (!isElement(n)) return "";
  const tag = localName(n);
  if (skipped.has(tag) || depth > deepest) return "";
  if (tag === "br") return " ";
  if (w.own === true && branches.has(getAttribute(n, "role") ?? "")) return "";
  if (!w.hidden) {
    if (getAttribute(n, "aria-hidden") === "true") return "";
    if (!checkVisibility(n, { visibilityProperty: true }) && !through(n)) return "";
    if (w.legible && (drawn.has(tag) || hasAttribute(n, "inert"))) return "";
    if (w.legible) {
      const seen = look(n, outerOf(n)).seen;
      if (seen === "hidden") return "";
      if (seen === "through") w.mute = n;
    }
  }
  const text = alternative(n, w, depth + 1, null);
  if (text === "") return "";
  const display = styleOf(n).display;
  return display === "inline" || display === "contents" ? text : ` ${text} `;
}

// Elements that draw, and hold what is shown where they cannot.
const drawn = new Set(["canvas", "video", "audio", "iframe", "object"]);

// The longest text for screen readers alone that belongs in a name.
const longestSpoken = 100;

function outerOf(e: Element): DOMRect | null {
  const p = flatParent(e);
  return p === null || styleOf(p).display === "contents" ? null : rectOf(p);
}

// through tells whether an element without a visible box of its own may hold
// some that are seen.
function through(e: Element): boolean {
  const s = styleOf(e);
  return s.display === "contents" || (s.display !== "none" && s.visibility !== "visible" && firstElementChild(e) !== null);
}

/** forgetLooks makes the next names look at styles anew. */
export function forgetLooks(): void {
  forgetGenerated();
  forgetBacks();
  forgetVerdicts();
  said = new WeakMap();
  forgetLabels();
}
