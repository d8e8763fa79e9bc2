import { checkVisibility, firstElementChild, getAttribute, hasAttribute, isInput, isTextArea, nextElementSibling, parentElement, previousElementSibling, rectOf, styleOf } from "../shared/safe-dom";
import { isReadOnly } from "./values";
import { isShown } from "./visible";

// Fields that are not seen and take the keys for what is drawn around them:
// the text areas of code editors and terminals, the one field behind the boxes
// of a code.

const climb = 5;
const least = 16; // CSS pixels

const texts = new Set(["text", "tel", "number", "search", "password"]);

/** isKeyed tells whether e is such a field, or only wraps one. */
export function isKeyed(e: Element): boolean {
  if (isTextArea(e)) return editorOf(e) !== null;
  if (isInput(e)) return texts.has(e.type) && reachable(e) && drawnBeside(e);
  const inner = firstElementChild(e);
  return inner !== null && nextElementSibling(inner) === null && isTextArea(inner) && editorOf(inner) !== null;
}

// reachable tells whether people get to a field with the keyboard, which traps
// for robots keep them from.
function reachable(e: Element): boolean {
  const index = getAttribute(e, "tabindex");
  return (index === null || Number(index) >= 0) && getAttribute(e, "aria-hidden") !== "true" && !isReadOnly(e) && checkVisibility(e, { visibilityProperty: true });
}

/**
 * editorOf is the box that shows what is typed into a text area which does not
 * show it itself; null when it is seen, or is none for people.
 */
export function editorOf(e: Element): Element | null {
  if (!isTextArea(e) || !(hasAttribute(e, "spellcheck") || hasAttribute(e, "autocorrect") || hasAttribute(e, "autocapitalize") || hasAttribute(e, "aria-label") || hasAttribute(e, "aria-multiline"))) return null;
  if (!reachable(e) || isShown(e)) return null;
  let p = parentElement(e);
  for (let i = 0; i < climb && p !== null; i++, p = parentElement(p)) {
    const r = rectOf(p);
    if (r.width >= 6 * least && r.height >= least && firstElementChild(p) !== null && isShown(p)) {
      return styleOf(p).position === "static" && p !== parentElement(e) ? null : p;
    }
  }
  return null;
}

// drawnBeside tells whether something seen lies where a quite transparent
// field is: the boxes that show what is typed into it.
function drawnBeside(e: Element): boolean {
  const r = rectOf(e), up = parentElement(e);
  if (r.width < least || r.height < least || up === null || parseFloat(styleOf(e).opacity) >= 0.1 || !isShown(up)) return false;
  for (const s of [previousElementSibling(e), nextElementSibling(e)]) {
    if (s === null || !isShown(s)) continue;
    const b = rectOf(s);
    if (b.width >= 8 && b.height >= 8 && b.left < r.right && b.right > r.left && b.top < r.bottom && b.bottom > r.top) return true;
  }
  return false;
}
