import type { ElementsReply } from "../shared/protocol.gen";
import { byId, checkVisibility, dataOf, getAttribute, hasAttribute, isElement, isHTML, isInput, isSelect, isText, isTextArea, localName, top } from "../shared/safe-dom";
import { cut } from "../shared/quote";
import { isOurs, kidsOf, nextKid, type Kids } from "../shared/tree";
import { labelsOf } from "./labels";
import { number } from "./refs";
import { isSecret, withoutSecret } from "./secrets";
import { fieldValue, isChecked, selectedValue } from "./values";

// The list of elements that dialects give: what has a label of its own, what is
// of a kind that is read or acted on, and every leaf that shows a text. Hidden
// ones of the first two are in it too.

const kinds = new Set([
  "a", "button", "input", "textarea", "select", "p", "h1", "h2", "h3", "h4", "h5", "h6", "label", "span", "li", "td", "th", "summary", "option",
]);

// What is in these is no text of the page.
const mute = new Set(["style", "script", "noscript", "template", "iframe", "noframes", "noembed"]);

// Bounds, so that no page keeps its reader waiting.
const mostElements = 50_000;
const mostNodes = 1_000_000;
const mostText = 4 << 20; // UTF-16 units, of all texts
const longestText = 1 << 16;
const longestLabel = 1000;

const masked = "••••";

interface Level extends Kids {
  readonly entry: Entry | null; // of the element, when it is listed
}

interface Entry {
  readonly e: Element;
  readonly from: number; // where its text begins in that of the document
  to: number;
  readonly firstAlt: number; // of the pictures in it
  nextAlt: number;
}

/** elements lists the elements of the document. */
export function elements(): ElementsReply {
  const root = top();
  if (root === null) return write([], "", [], "");
  const entries: Entry[] = [];
  const pieces: string[] = [];
  const alts: string[] = [];
  const stack: Level[] = [kidsLevel(root, null)];
  let length = 0, nodes = 0, more = "";
  const say = (s: string): void => {
    pieces.push(s);
    length += s.length;
  };
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const n = nextKid(level);
    if (n === null) {
      close(level, length, alts.length);
      stack.pop();
      continue;
    }
    if (++nodes > mostNodes) {
      more = "the page is too large; what is in its later parts is not listed";
      break;
    }
    if (isText(n)) {
      say(dataOf(n));
      continue;
    }
    if (!isElement(n) || isOurs(n)) continue;
    const tag = localName(n);
    const isMute = mute.has(tag);
    let entry: Entry | null = null;
    if (hasAttribute(n, "aria-label") || (kinds.has(tag) && isHTML(n)) || (!isMute && speaks(n))) {
      if (entries.length === mostElements) {
        more = `only the first ${String(mostElements)} elements are listed`;
        break;
      }
      entry = { e: n, from: length, to: length, firstAlt: alts.length, nextAlt: alts.length };
      entries.push(entry);
    }
    if (isMute) continue;
    if (tag === "img") {
      const alt = getAttribute(n, "alt");
      if (alt !== null && alt.trim() !== "") alts.push(alt);
    }
    if ((tag === "textarea" || hasAttribute(n, "contenteditable")) && isSecret(n)) {
      if (tag !== "textarea") say(masked);
      if (entry !== null) entry.to = length;
      continue;
    }
    stack.push(kidsLevel(n, entry));
  }
  for (const level of stack) close(level, length, alts.length);
  return write(entries, pieces.join(""), alts, more);
}

function kidsLevel(e: Element, entry: Entry | null): Level {
  return { ...kidsOf(e), entry };
}

function close(level: Level, length: number, alts: number): void {
  if (level.entry === null) return;
  level.entry.to = length;
  level.entry.nextAlt = alts;
}

// speaks tells whether an element holds a text and nothing else, and is rendered.
function speaks(e: Element): boolean {
  const kids = kidsOf(e);
  let said = false;
  for (let n = nextKid(kids); n !== null; n = nextKid(kids)) {
    if (isElement(n)) return false;
    said ||= isText(n) && dataOf(n).trim() !== "";
  }
  return said && checkVisibility(e);
}

// write lists column by column, which is half as long.
function write(entries: readonly Entry[], all: string, alts: readonly string[], more: string): ElementsReply {
  const numbers: number[] = [], role: number[] = [], texts: string[] = [], valued: number[] = [], values: string[] = [];
  const roles = new Map<string, number>();
  const names = new Map<Element, string>();
  let left = mostText;
  for (const { e, from, to, firstAlt, nextAlt } of entries) {
    const text = cut(labelOf(e, names) ?? (all.slice(from, to).trim() || (getAttribute(e, "alt") ?? alts.slice(firstAlt, nextAlt).join(" "))), longestText);
    const value = valueOf(e);
    left -= text.length + value.length;
    if (left < 0) {
      more = "the page says too much; what is in its later parts is not listed";
      break;
    }
    const called = roleName(e);
    let r = roles.get(called);
    if (r === undefined) roles.set(called, (r = roles.size));
    if (value !== "") {
      valued.push(numbers.length);
      values.push(value);
    }
    numbers.push(number(e));
    role.push(r);
    texts.push(text);
  }
  return { numbers, role, roles: [...roles.keys()], texts, valued, values, ...(more === "" ? {} : { more }) };
}

function roleName(e: Element): string {
  return cut(getAttribute(e, "role") ?? localName(e).toLowerCase(), longestLabel);
}

/** calledAs is the text that an element is listed with, shortened, else its role. */
export function calledAs(e: Element): string {
  const names = new Map<Element, string>();
  return (labelOf(e, names) ?? (textIn(e, names) || (getAttribute(e, "alt") ?? ""))) || roleName(e);
}

// labelOf is what the page calls an element, null where it calls it nothing: an
// attribute that is there wins, also when it is empty.
function labelOf(e: Element, names: Map<Element, string>): string | null {
  const label = getAttribute(e, "aria-label") ?? referred(e, names) ?? getAttribute(e, "placeholder") ?? getAttribute(e, "title");
  const field = isInput(e) || isTextArea(e) || isSelect(e);
  if (label !== null) return field ? withoutSecret(e, label) : label;
  if (!field) return null;
  const said = labelsOf(e).map((l) => textIn(l, names)).filter((s) => s !== "");
  return said.length === 0 ? null : said.join(" ");
}

// referred is what the elements say that an element names as its label; null
// where there are none of these.
function referred(e: Element, names: Map<Element, string>): string | null {
  const ids = getAttribute(e, "aria-labelledby")?.trim();
  if (ids === undefined || ids === "") return ids ?? null;
  const said: string[] = [];
  let found = false;
  for (const id of ids.split(/\s+/)) {
    const by = byId(e, id);
    if (by === null) continue;
    found = true;
    const s = getAttribute(by, "aria-label") ?? textIn(by, names);
    if (s !== "") said.push(s);
  }
  return found ? said.join(" ") : null;
}

// textIn is the text of a label, without that of the fields in it.
function textIn(label: Element, names: Map<Element, string>): string {
  const had = names.get(label);
  if (had !== undefined) return had;
  let s = "", nodes = 0;
  const stack = [kidsOf(label)];
  for (let level = stack.at(-1); level !== undefined && s.length < longestLabel && nodes < longestLabel; level = stack.at(-1)) {
    const n = nextKid(level);
    nodes++;
    if (n === null) stack.pop();
    else if (isText(n)) s += dataOf(n);
    else if (isElement(n) && !mute.has(localName(n)) && !isSelect(n) && !isTextArea(n) && !(hasAttribute(n, "contenteditable") && isSecret(n))) stack.push(kidsOf(n));
  }
  const text = cut(s.trim(), longestLabel);
  names.set(label, text);
  return text;
}

function valueOf(e: Element): string {
  if (isInput(e)) {
    if (e.type === "checkbox" || e.type === "radio") return isChecked(e) ? "checked" : "";
    return hide(e, fieldValue(e));
  }
  if (isTextArea(e)) return hide(e, fieldValue(e));
  return isSelect(e) ? hide(e, selectedValue(e)) : "";
}

function hide(e: Element, value: string): string {
  return value !== "" && isSecret(e) ? masked : cut(value, longestText);
}
