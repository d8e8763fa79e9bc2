import { edit, isHTML, isInput, isTextArea, isConnected, isContentEditable } from "../shared/safe-dom";
import { setter } from "../shared/safe";
import { editorAround, isTextControl, select } from "./carets";
import { entered } from "./focusing";
import { give, isGecko } from "./given";
import { isDisabled, isReadOnly } from "./values";

// Text as keys enter and delete it. The browser's own editing commands do it
// where they can: the page hears of them as of a person's.

const setInput = setter(HTMLInputElement.prototype, "value");
const setArea = setter(HTMLTextAreaElement.prototype, "value");

/** editable tells whether an element takes text at its caret. */
export function editable(e: Element): boolean {
  if (isTextControl(e)) return !isDisabled(e) && !isReadOnly(e);
  return isHTML(e) && isContentEditable(e) && editorAround(e) !== null;
}

// command does an editing command in what has the focus, or what comes to the
// same in a field. Browsers tell of scripts' commands only once they are done.
function command(e: Element, name: string, text: string, type: string, change: (e: HTMLInputElement | HTMLTextAreaElement) => void): void {
  const data = text === "" || type !== "insertText" ? null : text;
  if (!give(e, new InputEvent("beforeinput", { bubbles: true, cancelable: true, composed: true, inputType: type, data, targetRanges: ranges(e) }))) return;
  if (!isConnected(e)) return;
  if (!isTextControl(e)) {
    edit(name, text);
    return;
  }
  const was = e.value;
  if (!edit(name, text) && e.value === was && isConnected(e)) {
    change(e);
    if (e.value !== was) give(e, new InputEvent("input", { bubbles: true, composed: true, inputType: type, data }));
  }
  if (e.value !== was) entered(e);
}

// ranges are what is selected in a rich editor.
function ranges(e: Element): StaticRange[] {
  const s = isTextControl(e) ? null : window.getSelection();
  return s === null || s.rangeCount === 0 ? [] : [new StaticRange(s.getRangeAt(0))];
}

function splice(e: HTMLInputElement | HTMLTextAreaElement, from: number, to: number, text: string): void {
  const value = e.value.slice(0, from) + text + e.value.slice(to);
  if (e.maxLength >= 0 && text !== "" && value.length > e.maxLength) return;
  if (isInput(e)) setInput(e, value);
  else setArea(e, value);
  select(e, from + text.length, from + text.length);
}

/** insert puts a text where the caret is. */
export function insert(e: Element, text: string): void {
  if (!editable(e)) return;
  const plain = isInput(e) ? text.replace(/[\r\n]+/g, "") : text;
  command(e, "insertText", plain, "insertText", (f) => {
    splice(f, f.selectionStart ?? 0, f.selectionEnd ?? f.value.length, plain);
  });
}

/** breakLine makes a new line, or a paragraph in a rich editor. */
export function breakLine(e: Element, soft: boolean): void {
  if (isTextArea(e)) {
    if (editable(e)) command(e, isGecko ? "insertText" : "insertLineBreak", "\n", "insertLineBreak", (f) => { splice(f, f.selectionStart ?? 0, f.selectionEnd ?? 0, "\n"); });
  } else if (editable(e)) command(e, soft ? "insertLineBreak" : "insertParagraph", "", soft ? "insertLineBreak" : "insertParagraph", () => undefined);
}

/** erase deletes the selection, or what is before or after the caret: a character, or a word. */
export function erase(e: Element, back: boolean, word: boolean): void {
  if (!editable(e)) return;
  if (word) extendWord(e, back);
  const type = back ? "deleteContentBackward" : "deleteContentForward";
  command(e, back ? "delete" : "forwardDelete", "", type, (f) => {
    const from = f.selectionStart ?? f.value.length, to = f.selectionEnd ?? f.value.length;
    if (from !== to) splice(f, from, to, "");
    else if (back) splice(f, previous(f.value, from), from, "");
    else splice(f, from, following(f.value, from), "");
  });
}

function extendWord(e: Element, back: boolean): void {
  if (isTextControl(e)) {
    const from = e.selectionStart ?? 0, to = e.selectionEnd ?? 0;
    if (from !== to) return;
    if (back) select(e, wordEdge(e.value, from, -1), from);
    else select(e, from, wordEdge(e.value, from, 1));
    return;
  }
  const s = window.getSelection();
  if (s?.isCollapsed === true) s.modify("extend", back ? "backward" : "forward", "word");
}

/** previous is the place of a character before one. */
export function previous(text: string, at: number): number {
  return at <= 1 ? 0 : at - (/[\udc00-\udfff]/.test(text.charAt(at - 1)) ? 2 : 1);
}

/** following is the place after the character at one. */
export function following(text: string, at: number): number {
  return Math.min(text.length, at + (/[\ud800-\udbff]/.test(text.charAt(at)) ? 2 : 1));
}

/** wordEdge is where the word ends that begins at a place, going one way. */
export function wordEdge(text: string, at: number, way: 1 | -1): number {
  const letter = (i: number): boolean => /[\p{L}\p{N}_]/u.test(text.charAt(way < 0 ? i - 1 : i));
  const inside = (i: number): boolean => (way < 0 ? i > 0 : i < text.length);
  let i = at;
  while (inside(i) && !letter(i)) i += way;
  while (inside(i) && letter(i)) i += way;
  return i;
}
