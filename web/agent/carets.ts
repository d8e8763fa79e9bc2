import { dataOf, isElement, isInput, isText, isTextArea, styleOf } from "../shared/safe-dom";
import { flatParent, metRoots } from "../shared/tree";
import { isEditingHost } from "./values";

// Where in a text a press puts the caret.

interface Caret {
  readonly node: Node;
  readonly offset: number;
}

function isCaret(x: unknown): x is { offsetNode: Node; offset: number } {
  return typeof x === "object" && x !== null && "offsetNode" in x && "offset" in x;
}

// Either of these may be missing.
const position: unknown = Reflect.get(Document.prototype, "caretPositionFromPoint");
const range: unknown = Reflect.get(Document.prototype, "caretRangeFromPoint");
const doc = document;

function caretAt(x: number, y: number): Caret | null {
  if (typeof position === "function") {
    const c: unknown = Reflect.apply(position, doc, [x, y, { shadowRoots: metRoots() }]);
    if (isCaret(c)) return { node: c.offsetNode, offset: c.offset };
  }
  if (typeof range === "function") {
    const r: unknown = Reflect.apply(range, doc, [x, y]);
    if (r instanceof Range) return { node: r.startContainer, offset: r.startOffset };
  }
  return null;
}

/** isTextControl tells a control whose text can be edited. */
export function isTextControl(e: Element): e is HTMLInputElement | HTMLTextAreaElement {
  return isTextArea(e) || (isInput(e) && typed.has(e.type));
}

const typed = new Set(["text", "search", "tel", "url", "email", "password", "number"]);

/** editorAround is the editing host that an element is in, null outside of one. */
export function editorAround(e: Element): Element | null {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) if (isEditingHost(p)) return p;
  return null;
}

/** select sets the selection of a control; those that tell of none are left as they are. */
export function select(e: HTMLInputElement | HTMLTextAreaElement, from: number, to: number, back = false): void {
  try {
    e.setSelectionRange(from, to, back ? "backward" : "forward");
  } catch {
    // of this kind of field no part can be selected
  }
}

function ofWord(text: string, at: number): readonly [number, number] {
  const word = /[\p{L}\p{N}_]/u;
  let from = at, to = at;
  while (from > 0 && word.test(text.charAt(from - 1))) from--;
  while (to < text.length && word.test(text.charAt(to))) to++;
  return [from, to];
}

function ofLine(text: string, at: number): readonly [number, number] {
  const end = text.indexOf("\n", at);
  return [text.lastIndexOf("\n", at - 1) + 1, end < 0 ? text.length : end];
}

function pressControl(e: HTMLInputElement | HTMLTextAreaElement, x: number, y: number, count: number, extend: boolean): void {
  const c = caretAt(x, y);
  const value = e.value;
  const at = c !== null && c.node === e ? Math.min(c.offset, value.length) : value.length;
  if (count === 1) {
    const start = e.selectionStart ?? at, end = e.selectionEnd ?? at;
    const anchor = e.selectionDirection === "backward" ? end : start;
    if (extend) select(e, Math.min(anchor, at), Math.max(anchor, at), at < anchor);
    else select(e, at, at);
    return;
  }
  const [from, to] = count === 2 ? ofWord(value, at) : ofLine(value, at);
  if (count > 2 && isInput(e)) e.select();
  else select(e, from, to);
}

/** pressText puts the caret where a press hits an element, or selects the word or paragraph there. */
export function pressText(target: Element, x: number, y: number, count: number, extend: boolean): void {
  if (isTextControl(target)) {
    pressControl(target, x, y, count, extend);
    return;
  }
  const s = window.getSelection();
  if (s === null || styleOf(target).userSelect === "none") return;
  const c = caretAt(x, y);
  if (c === null || (isElement(c.node) && isTextControl(c.node))) return;
  if (extend && s.anchorNode !== null) s.extend(c.node, c.offset);
  else s.collapse(c.node, c.offset);
  if (extend) return;
  if (count === 2 && isText(c.node)) {
    const [from, to] = ofWord(dataOf(c.node), c.offset);
    s.setBaseAndExtent(c.node, from, c.node, to);
  } else if (count > 2) {
    const block = blockAround(target);
    if (block !== null) s.selectAllChildren(block);
  }
}

function blockAround(e: Element): Element | null {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) if (!styleOf(p).display.startsWith("inline")) return p;
  return null;
}

/** dragText extends the selection to a point, as a mouse that is held does. */
export function dragText(target: Element, x: number, y: number): void {
  if (isTextControl(target)) {
    pressControl(target, x, y, 1, true);
    return;
  }
  const s = window.getSelection(), c = caretAt(x, y);
  if (s !== null && s.anchorNode !== null && c !== null && !(isElement(c.node) && isTextControl(c.node))) s.extend(c.node, c.offset);
}
