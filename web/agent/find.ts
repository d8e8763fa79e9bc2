import type { FindArgs, FindReply } from "../shared/protocol.gen";
import { dataOf, firstChild, getAttribute, hasAttribute, isElement, isInput, isSelect, isText, isTextArea, localName, nextSibling, queryAll, textContent, top } from "../shared/safe-dom";
import { clean } from "../shared/quote";
import { kidsOf, nextKid, rootIn, type Kids } from "../shared/tree";
import { areasOf } from "./areas";
import { isFrame } from "./frames";
import { concealed, drawing, namesControl, rescued, unseen } from "./kinds";
import { bodyOf, lineOf } from "./lines";
import { contentName, isRead, nameOf, spokenName, takesContent } from "./names";
import { optionLabel } from "./options";
import { number } from "./refs";
import { holdsActions, isFocusable, isWidget, roleOf } from "./roles";
import { tell } from "./told";
import { isSecret } from "./secrets";
import { sieve } from "./sieve";
import { current } from "./values";
import { legible } from "./legible";
import { look } from "./visible";

// Finding elements by what they say, their role or their name.

// What is larger holds too much for one text to be looked for in all of it.
const longest = 2000;
const mostInside = 100;

interface Level extends Kids {
  readonly el: Element;
  readonly rect: DOMRect | null;
  readonly named: boolean; // it, or what it is in, was found by its name
  found: boolean; // something in it was found
  readonly aside: boolean; // kept from some readers, but for what can be acted on
  readonly candidate: boolean; // its own text matches
}

/** find lists the elements that match. */
export function find(args: FindArgs): FindReply {
  const lines: string[] = [];
  let more = 0;
  const role = normalRole(args.role ?? "");
  const text = clean(args.text ?? "").toLowerCase();
  const name = clean(args.name ?? "").toLowerCase();
  const root = top();
  if (root === null) return { lines };
  const emit = (e: Element): void => {
    if (lines.length < args.limit) lines.push(give(e, args.prefix));
    else more++;
  };
  const stack: Level[] = [];
  const may = text === "" && name === "" ? null : sieve(root, text === "" ? name : text);
  const enter = (el: Element, up: Level | null): void => {
    if (may !== null && !may.has(el)) return;
    if (unseen.has(localName(el)) || hasAttribute(el, "inert")) return;
    const aside = (up?.aside ?? false) || getAttribute(el, "aria-hidden") === "true";
    if (aside && !isFocusable(el) && !holdsActions(el)) return;
    const hiddenControl = concealed(el);
    const l = look(el, up?.rect ?? null);
    if (l.seen === "hidden" && !rescued(el)) return;
    const e = hiddenControl ?? el;
    const r = roleOf(e);
    const fits = role === "" || r === role;
    let named = up?.named ?? false;
    let candidate = false;
    const readable = (): boolean => l.seen === "shown" && legible(el);
    if (l.seen === "shown" || hiddenControl !== null || l.seen === "hidden") {
      if (text !== "") candidate = fits && (!aside || isWidget(r)) && saysText(e, readable, text) && (name === "" || isNamed(e, r, name));
      else if (name !== "") {
        if (fits && isNamed(e, r, name)) {
          emit(e);
          named = true;
        } else if (role === "" && !named && !aside && !namesControl(el, localName(el)) && ownText(el).includes(name) && readable()) {
          emit(e);
          named = true;
        }
      } else if (fits && role !== "") emit(e);
    }
    for (const a of areasOf(el)) {
      const r = roleOf(a);
      if ((role === "" || r === role) && nameOf(a, "link").toLowerCase().includes(name === "" ? text : name)) emit(a);
    }
    if (isSelect(el) || isFrame(el) || isInput(el) || isTextArea(el) || drawing.has(localName(el))) {
      if (candidate) emit(e);
      if (candidate && up !== null) up.found = true;
      return;
    }
    stack.push({ ...kidsOf(el), el: e, rect: l.inline ? (up?.rect ?? l.rect) : l.rect, named, found: false, aside, candidate });
  };
  enter(root, null);
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const n = nextKid(level);
    if (n === null) {
      stack.pop();
      const up = stack.at(-1);
      // The smallest element that says it, or what can be acted on around it.
      if (level.candidate && !level.found) {
        emit(actionFor(level, stack));
        level.found = true;
      }
      if (level.found && up !== undefined) up.found = true;
    } else if (isElement(n)) {
      enter(n, level);
    }
  }
  return { lines, more };
}

// give is the line of an element that a reader is given.
function give(e: Element, prefix: string): string {
  const line = lineOf(e);
  tell(e, line);
  return `${prefix}e${String(number(e))} ${bodyOf(line)}`;
}

function normalRole(role: string): string {
  const r = role.trim().toLowerCase();
  return r === "image" ? "img" : r;
}

function actionFor(level: Level, above: readonly Level[]): Element {
  if (isWidget(roleOf(level.el))) return level.el;
  for (let i = above.length - 1; i >= 0 && i >= above.length - 4; i--) {
    const p = above[i];
    if (p?.candidate === true && isWidget(roleOf(p.el))) return p.el;
  }
  return level.el;
}

function isNamed(e: Element, role: string, name: string): boolean {
  if (role === "row" && getAttribute(e, "aria-label") === null) return false;
  const within = (rough: boolean): boolean => nameOf(e, role, rough).toLowerCase().includes(name);
  return within(true) && (!isRead(role) || within(false));
}

// ownText is the text directly in an element, in lower case.
function ownText(e: Element): string {
  let s = "";
  for (let n = firstChild(e); n !== null && s.length < longest; n = nextSibling(n)) if (isText(n)) s += dataOf(n);
  return clean(s).toLowerCase();
}

function saysText(e: Element, readable: () => boolean, text: string): boolean {
  if (isInput(e) || isTextArea(e)) return (!isSecret(e) && clean(current(e)).toLowerCase().includes(text)) || nameOf(e, "textbox").toLowerCase().includes(text);
  if (isSelect(e)) return Array.from(e.options).some((o) => optionLabel(o).toLowerCase().includes(text));
  if (ownText(e).includes(text)) return readable();
  if (localName(e) === "html" || localName(e) === "body") return false;
  const role = roleOf(e);
  if (role === "img" || takesContent(role)) return nameOf(e, role, true).toLowerCase().includes(text) && (!isRead(role) || nameOf(e, role).toLowerCase().includes(text));
  const all = textContent(e) ?? "";
  if (all.length >= longest || (all.length < text.length / 2 && rootIn(e) === null)) return false;
  if (queryAll(e, "*").length >= mostInside) return false;
  return spokenName(e).toLowerCase().includes(text) && contentName(e).toLowerCase().includes(text);
}
