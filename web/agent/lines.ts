import { baseURI, contentType, getAttribute, hasAttribute, isHTML, isInput, isMedia, isSelect, isTextArea, localName, matches, parentElement, query, rectOf } from "../shared/safe-dom";
import { byteLength, clean, clip, quote } from "../shared/quote";
import { focused } from "../shared/tree";
import { frameOf, isFrame, showsPDF } from "./frames";
import { contentName, nameOf, takesContent } from "./names";
import { choices } from "./options";
import { levelOf, pressable, roleOf } from "./roles";
import { isSecret, secretLength } from "./secrets";
import { current, editableText, fieldValue, isDisabled, isEditingHost, isReadOnly, measure } from "./values";

// The line of an element: [ref ]role[ level][ "name"][ = "value"][ states…][ rest].

const longestName = 300;
const longestText = 80; // of what has no name
const longestValue = 200;
const longestAddress = 120;

/** pdfNote is said of what the browser shows with its PDF viewer. */
export const pdfNote = "(a PDF document, application/pdf; its text cannot be read here)";

/** isPDF tells whether the document is one that the PDF viewer shows. */
export function isPDF(): boolean {
  return contentType() === "application/pdf";
}

/** Line is what an outline says of one element, without its ref. */
export interface Line {
  readonly role: string;
  readonly level: number;
  readonly name: string;
  readonly value: string | undefined; // as it is printed
  readonly states: readonly string[];
  readonly rest: string;
}

/** plainLine is a line of a role and a text. */
export function plainLine(role: string, name: string): Line {
  return { role, level: 0, name, value: undefined, states: [], rest: "" };
}

/** bodyOf writes a line. */
export function bodyOf(l: Line): string {
  let s = l.role;
  if (l.level > 0) s += ` ${String(l.level)}`;
  if (l.name !== "") s += ` ${quote(clip(l.name, longestName))}`;
  if (l.value !== undefined) s += ` = ${l.value}`;
  for (const state of l.states) s += ` ${state}`;
  return l.rest === "" ? s : `${s} ${l.rest}`;
}

/** sizeOf is the length of a written line in bytes, with its end. */
export function sizeOf(body: string): number {
  return byteLength(body) + 1;
}

/** lineOf is the line of any element. */
export function lineOf(e: Element): Line {
  const role = roleOf(e);
  return lineAs(e, role === "generic" && pressable(e) ? "clickable" : role, named(e, role));
}

/** lineAs is the line of an element under a role and a name. */
export function lineAs(e: Element, role: string, name: string): Line {
  return { role: shown(role), level: levelOf(e, role), name, value: valueOf(e, role), states: statesOf(e, role), rest: restOf(e, role) };
}

// named is the name, or for what may have none the text that it holds.
function named(e: Element, role: string): string {
  const name = nameOf(e, role);
  return name !== "" || takesContent(role) || valued.has(role) || isSelect(e) || isFrame(e) ? name : clip(contentName(e), longestText);
}

// shown is the word for a role in outlines.
function shown(role: string): string {
  return role === "img" || role === "graphics-document" ? "image" : role;
}

const valued = new Set(["textbox", "searchbox", "combobox", "spinbutton", "slider", "date", "time", "datetime", "month", "week", "color", "file", "progressbar", "meter", "scrollbar"]);

function valueOf(e: Element, role: string): string | undefined {
  if (isInput(e) || isTextArea(e)) {
    if (!valued.has(role)) return undefined;
    const v = fieldValue(e);
    if (v === "") return undefined;
    if (isSecret(e)) return secretLength(v);
    return isInput(e) && e.type === "file" ? quote(clip(Array.from(e.files ?? [], (f) => f.name).join(", "), longestValue)) : quote(clip(v, longestValue));
  }
  if (isSelect(e)) {
    const v = current(e);
    if (v !== "" && isSecret(e)) return secretLength(v);
    return v === "" ? undefined : v.split("\n").map((o) => quote(clip(o, longestValue))).join(", ");
  }
  if (isEditingHost(e)) {
    const v = editableText(e);
    if (v !== "" && isSecret(e)) return secretLength(v);
    return v === "" ? undefined : quote(clip(v, longestValue));
  }
  if (role === "combobox" || role === "button") {
    const v = chosenText(e, role);
    return v === "" ? undefined : quote(clip(v, longestValue));
  }
  if (!valued.has(role)) return undefined;
  const v = role === "textbox" || role === "searchbox" ? clean(getAttribute(e, "aria-valuetext") ?? "") : measure(e);
  return v === "" ? undefined : quote(clip(v, longestValue));
}

// chosenText is the text in what opens a list of choices, where something else
// gives it its name.
function chosenText(e: Element, role: string): string {
  if (role === "button" && (getAttribute(e, "aria-haspopup") !== "listbox" || !(hasAttribute(e, "aria-label") || hasAttribute(e, "aria-labelledby")))) return "";
  const told = clean(getAttribute(e, "aria-valuetext") ?? "");
  if (told !== "" || query(e, "input,textarea,[contenteditable]") !== null || isSecret(e)) return told;
  const text = contentName(e);
  return text === "" || nameOf(e, role).includes(text) ? "" : text;
}

function flag(e: Element, attribute: string): boolean {
  return getAttribute(e, attribute) === "true";
}

const checkable = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"]);

function statesOf(e: Element, role: string): string[] {
  const out: string[] = [];
  if (checkable.has(role)) {
    const checked = isInput(e) ? (e.indeterminate ? "mixed" : String(e.checked)) : getAttribute(e, "aria-checked");
    if (checked === "true") out.push("checked");
    else if (checked === "mixed") out.push("mixed");
  }
  if (isDisabled(e) && actable(e, role)) out.push("disabled");
  if (isTextArea(e) || (flag(e, "aria-multiline") && role === "textbox") || (role === "textbox" && isEditingHost(e))) out.push("multiline");
  if (isReadOnly(e)) out.push("readonly");
  if (hasAttribute(e, "required") ? matches(e, ":required") : flag(e, "aria-required")) out.push("required");
  const expanded = localName(e) === "summary" ? opened(e) : getAttribute(e, "aria-expanded");
  if (expanded === "true") out.push("expanded");
  else if (expanded === "false") out.push("collapsed");
  if (flag(e, "aria-selected")) out.push("selected");
  const pressed = getAttribute(e, "aria-pressed");
  if (pressed === "true") out.push("pressed");
  else if (pressed === "mixed") out.push("pressed mixed");
  const invalid = getAttribute(e, "aria-invalid");
  if (invalid === null ? valued.has(role) && isHTML(e) && matches(e, ":user-invalid") : invalid !== "false" && invalid !== "") out.push("invalid");
  const now = getAttribute(e, "aria-current");
  if (now !== null && now !== "false" && now !== "") out.push("current");
  if (flag(e, "aria-busy")) out.push("busy");
  if (isMedia(e) && e.paused) out.push("paused");
  if (e === focused() && localName(e) !== "body") out.push("focused");
  return out;
}

// actable keeps "disabled" off the lines of groups and texts, whose members say it.
function actable(e: Element, role: string): boolean {
  return role !== "group" || !isHTML(e) || localName(e) !== "fieldset";
}

function opened(e: Element): string | null {
  const details = parentElement(e);
  return details === null ? null : String(hasAttribute(details, "open"));
}

function restOf(e: Element, role: string): string {
  if (role === "link") return address(e);
  if (isSelect(e)) return choices(e);
  switch (role) {
    case "canvas":
    case "video": {
      const r = rectOf(e);
      const size = `${String(Math.round(r.width))}x${String(Math.round(r.height))}`;
      return role === "canvas" ? `${size} at ${String(Math.round(r.left))},${String(Math.round(r.top))}` : size;
    }
    case "iframe":
      return frameOf(e) === "" ? "(not readable)" : frameOf(e);
    case "embed":
    case "object":
      return embedded(e);
    case "date":
      return "";
  }
  return "";
}

function embedded(e: Element): string {
  if (showsPDF(e)) return pdfNote;
  const type = (getAttribute(e, "type") ?? "").toLowerCase();
  return type === "" ? "(not readable)" : `${quote(type)} (not readable)`;
}

/** address is where a link leads: a path within the site, nothing within the page. */
function address(e: Element): string {
  const href = getAttribute(e, "href") ?? getAttribute(e, "xlink:href");
  if (href === null || href === "" || href.startsWith("#") || /^\s*(javascript|data|blob):/i.test(href)) return "";
  let url: URL;
  try {
    url = new URL(href, baseURI());
  } catch {
    return "";
  }
  if (url.protocol === "javascript:") return "";
  const here = location;
  const path = `${url.pathname}${url.search}${url.hash}`;
  if (url.origin === here.origin && url.origin !== "null") {
    if (url.hash !== "" && url.pathname === here.pathname && url.search === here.search) return "";
    return `→ ${safe(path)}`;
  }
  return `→ ${safe(url.href)}`;
}

function safe(s: string): string {
  const t = clip(s, longestAddress);
  return /^[!#-~]+…?$/.test(t) ? t : quote(t);
}
