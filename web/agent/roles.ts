import { rootIn } from "../shared/tree";
import { isEditingHost } from "./values";
import { getAttribute, hasAttribute, isHTML, isInput, isSelect, localName, matches, parentElement, query, queryFragment, attributeNames, firstElementChild } from "../shared/safe-dom";

// Roles: the role attribute by ARIA 1.2, else what HTML-AAM says. Where the
// mapping knows no role the element's own word is used ("date", "video").

const aria = new Set(
  ("alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion " +
    "dialog directory document emphasis feed figure form generic graphics-document graphics-object graphics-symbol grid gridcell group heading image img insertion link list listbox listitem log main mark " +
    "marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio " +
    "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript suggestion superscript switch tab " +
    "table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem").split(" "),
);

const plain: Readonly<Record<string, string>> = {
  address: "group", article: "article", aside: "complementary", audio: "audio", blockquote: "blockquote", body: "generic", button: "button",
  canvas: "canvas", caption: "caption", code: "code", datalist: "listbox", dd: "definition", del: "deletion", details: "group", dfn: "term",
  dialog: "dialog", dt: "term", em: "emphasis", embed: "embed", fieldset: "group", figcaption: "caption", figure: "figure", frame: "iframe", h1: "heading", h2: "heading",
  h3: "heading", h4: "heading", h5: "heading", h6: "heading", hgroup: "group", hr: "separator", html: "document", iframe: "iframe",
  ins: "insertion", main: "main", mark: "mark", math: "math", menu: "list", meter: "meter", nav: "navigation", object: "object", ol: "list", optgroup: "group",
  option: "option", output: "status", p: "paragraph", progress: "progressbar", s: "deletion", search: "search", strong: "strong", sub: "subscript",
  summary: "button", sup: "superscript", svg: "graphics-document", table: "table", tbody: "rowgroup", textarea: "textbox", tfoot: "rowgroup",
  thead: "rowgroup", time: "time", ul: "list", video: "video",
};

const inputs: Readonly<Record<string, string>> = {
  button: "button", checkbox: "checkbox", color: "color", date: "date", "datetime-local": "datetime", email: "textbox", file: "file",
  image: "button", month: "month", number: "spinbutton", password: "textbox", radio: "radio", range: "slider", reset: "button",
  search: "searchbox", submit: "button", tel: "textbox", text: "textbox", time: "time", url: "textbox", week: "week",
};

const listed = new Set(["email", "search", "tel", "text", "url"]);

// Global attributes that keep an element from being presentational.
const global = [
  "aria-atomic", "aria-busy", "aria-controls", "aria-current", "aria-describedby", "aria-description", "aria-details", "aria-dropeffect",
  "aria-flowto", "aria-grabbed", "aria-keyshortcuts", "aria-label", "aria-labelledby", "aria-live", "aria-owns", "aria-relevant", "aria-roledescription",
];

/** roleOf is the role of an element; "generic" where it has none. */
export function roleOf(e: Element): string {
  const given = getAttribute(e, "role");
  if (given !== null) {
    for (const token of given.trim().toLowerCase().split(/\s+/)) {
      if (!aria.has(token)) continue;
      if (token === "none" || token === "presentation") {
        if (isFocusable(e) || global.some((a) => hasAttribute(e, a))) break;
        return "none";
      }
      if ((token === "form" || token === "region") && !labelled(e)) continue;
      return token === "image" ? "img" : token === "directory" ? "list" : token;
    }
  }
  return implicit(e);
}

function labelled(e: Element): boolean {
  return hasAttribute(e, "aria-label") || hasAttribute(e, "aria-labelledby") || hasAttribute(e, "title");
}

function implicit(e: Element): string {
  const tag = localName(e);
  if (!isHTML(e)) return tag === "a" ? (hasAttribute(e, "href") || hasAttribute(e, "xlink:href") ? "link" : "generic") : tag === "svg" || tag === "math" ? svgRole(e, tag) : "generic";
  switch (tag) {
    case "a":
    case "area":
      return hasAttribute(e, "href") ? "link" : "generic";
    case "input":
      return isInput(e) ? inputRole(e) : "textbox";
    case "select":
      return isSelect(e) && (e.multiple || e.size > 1) ? "listbox" : "combobox";
    case "img":
      return getAttribute(e, "alt") === "" && !presentationConflict(e) ? "none" : "img";
    case "li":
      return inList(e) ? "listitem" : "generic";
    case "tr":
      return "row";
    case "td":
      return cell(e);
    case "th":
      return header(e);
    case "section":
      return labelled(e) ? "region" : "generic";
    case "form":
      return labelled(e) ? "form" : "generic";
    case "header":
      return sectioned(e) ? "generic" : "banner";
    case "footer":
      return sectioned(e) ? "generic" : "contentinfo";
    case "aside":
      return nested(e) && !labelled(e) ? "generic" : "complementary";
    case "summary":
      return isSummary(e) ? "button" : "generic";
  }
  const role = plain[tag];
  return (role === undefined || role === "paragraph" || tag === "body") && isEditingHost(e) ? "textbox" : (role ?? "generic");
}

function svgRole(e: Element, tag: string): string {
  if (tag === "math") return "math";
  const title = firstElementChild(e);
  return labelled(e) || (title !== null && localName(title) === "title") ? "img" : "graphics-document";
}

function inputRole(e: HTMLInputElement): string {
  if (listed.has(e.type) && hasAttribute(e, "list") && e.list !== null) return "combobox";
  return inputs[e.type] ?? "textbox";
}

function presentationConflict(e: Element): boolean {
  return isFocusable(e) || global.some((a) => hasAttribute(e, a));
}

function inList(e: Element): boolean {
  const p = parentElement(e);
  if (p === null) return false;
  const tag = localName(p);
  if (tag !== "ul" && tag !== "ol" && tag !== "menu") return roleOf(p) === "list";
  const role = getAttribute(p, "role");
  return role === null || roleOf(p) === "list";
}

const sectioning = "article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]";

function above(e: Element, selector: string): boolean {
  const p = parentElement(e);
  return p !== null && matches(p, `:is(${selector}), :is(${selector}) *`);
}

function sectioned(e: Element): boolean {
  return above(e, sectioning);
}

function nested(e: Element): boolean {
  return above(e, "article,aside,nav,section");
}

/** isSummary tells whether a summary element opens its details. */
function isSummary(e: Element): boolean {
  const p = parentElement(e);
  return p !== null && localName(p) === "details" && query(p, ":scope > summary") === e;
}

function cell(e: Element): string {
  const t = rowRole(e);
  if (t === "none") return "generic";
  return t === "grid" || t === "treegrid" ? "gridcell" : "cell";
}

function rowRole(e: Element): string {
  const t = closestTable(e);
  return t === null ? "table" : roleOf(t);
}

function closestTable(e: Element): Element | null {
  let p = parentElement(e);
  while (p !== null && localName(p) !== "table") p = parentElement(p);
  return p;
}

function header(e: Element): string {
  const t = rowRole(e);
  if (t === "none") return "generic";
  const scope = getAttribute(e, "scope");
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const row = parentElement(e);
  const group = row === null ? null : parentElement(row);
  if (group !== null && localName(group) === "thead") return "columnheader";
  // A heading cell among data cells heads its row, one among its like a column.
  return row !== null && query(row, ":scope > td") !== null ? "rowheader" : "columnheader";
}

const focusableTags = "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,iframe,audio[controls],video[controls],[contenteditable]:not([contenteditable=false]),[tabindex]";

/** isFocusable tells whether an element can have the focus, if it is shown. */
export function isFocusable(e: Element): boolean {
  return attributeNames(e).length === 0 ? matches(e, "button,input,select,textarea,summary") : matches(e, focusableTags) && !matches(e, ":disabled");
}

/** levelOf is a heading's level, else 0. */
export function levelOf(e: Element, role: string): number {
  if (role !== "heading") return 0;
  const given = Number(getAttribute(e, "aria-level"));
  if (Number.isInteger(given) && given > 0) return given;
  const tag = localName(e);
  return /^h[1-6]$/.test(tag) ? Number(tag.slice(1)) : 2;
}

const widgets = new Set([
  "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio", "scrollbar",
  "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem", "color", "date", "datetime", "file", "month", "week", "canvas",
]);

/** isWidget tells whether a role is one that people act on. */
export function isWidget(role: string): boolean {
  return widgets.has(role);
}

/** interactive selects what may be acted on by its markup alone. */
export const interactive =
  focusableTags + ",[onclick],[draggable=true],canvas,object,embed,label," + [...widgets].map((r) => `[role=${r}]`).join(",");

/** holdsActions tells whether something inside e may be acted on by itself. */
export function holdsActions(e: Element): boolean {
  const root = rootIn(e);
  if (root !== null && queryFragment(root, interactive) !== null) return true;
  return firstElementChild(e) !== null && query(e, interactive) !== null;
}

/** reachable tells whether the keyboard reaches e by its own attribute. */
function reachable(e: Element): boolean {
  const index = getAttribute(e, "tabindex");
  return index !== null && Number(index) >= 0;
}

/** pressable tells whether the markup of e says that a press does something. */
export function pressable(e: Element): boolean {
  return hasAttribute(e, "onclick") || getAttribute(e, "draggable") === "true" || reachable(e) || isEditingHost(e);
}
