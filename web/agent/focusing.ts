import {
  activeIn, blurElement, composedPath, focusDrawn, focusElement, hasFocus, isConnected, isDrawing, isHTML, isInput, isTextArea, listen, matches,
} from "../shared/safe-dom";
import { flatParent, focused, rootIn, within } from "../shared/tree";
import { give, giveChange, isGecko } from "./given";

// Moving the focus as a person does, with all that a page hears of it. A
// document that has not the keys itself is told of none of that by the browser.

// The field in which something was entered since the page last heard "change".
let edited: Element | null = null;
let heard = 0; // events of the focus
let listening = false;

function hear(): void {
  if (listening) return;
  listening = true;
  for (const type of ["focus", "blur"]) listen(window, type, (e) => { if (e.isTrusted && e.target !== window) heard++; }, { capture: true, passive: true });
  listen(window, "change", (e) => { if (edited !== null && composedPath(e).includes(edited)) edited = null; }, { capture: true, passive: true });
}

/** entered notes that a field has a value that the page has not heard "change" of. */
export function entered(e: Element): void {
  hear();
  if (isInput(e) || isTextArea(e)) edited = e;
}

/** confirmEntry has the page hear "change", if it is due. */
export function confirmEntry(): void {
  const e = edited;
  edited = null;
  if (e !== null && isConnected(e)) giveChange(e);
}

function confirmOf(e: Element | null): void {
  if (edited !== null && edited === e) confirmEntry();
}

/** holder is the element that keys go to within the document: the focused one, or what stands for none. */
export function holder(): Element | null {
  return focused() ?? activeIn(null);
}

function telling(type: string, to: Element, from: Element | null): void {
  if (isConnected(to)) give(to, new FocusEvent(type, { bubbles: type.startsWith("focus") && type !== "focus", composed: true, view: window, relatedTarget: from }));
}

// named is an element that has the focus on purpose, not because none else has it.
function named(e: Element | null): Element | null {
  return e !== null && !matches(e, "body,html") ? e : null;
}

function attempt(e: Element): void {
  if (isHTML(e)) focusElement(e, { preventScroll: true });
  else if (isDrawing(e)) focusDrawn(e, { preventScroll: true });
}

function moved(was: Element | null, before: number): void {
  const silent = heard === before && !hasFocus();
  // Not every browser has told of it, and one does so when it is told of the blur.
  if (!(silent && isGecko)) confirmOf(was);
  if (!silent) return;
  const now = named(focused());
  if (was !== null && was !== now) {
    telling("blur", was, now);
    confirmOf(was);
    telling("focusout", was, now);
  }
  if (now !== null && now === named(focused())) {
    telling("focus", now, was);
    telling("focusin", now, was);
  }
}

/** focusOn gives an element the focus, and tells whether it, or what is in it, has it then. */
export function focusOn(e: Element): boolean {
  hear();
  const was = named(focused());
  const there = was !== null && within(was, e) && (was === e || rootIn(e) !== null);
  if (there && hasFocus()) return true;
  const before = heard;
  attempt(e);
  const now = focused();
  if (now === null || !within(now, e)) return false;
  if (!there) moved(was, before);
  return true;
}

/**
 * focusNear gives the focus to the nearest that takes it of an element and those
 * around it, else to none, and tells whether there is one.
 */
export function focusNear(e: Element): boolean {
  for (let p: Element | null = e; p !== null && !matches(p, "body,html"); p = flatParent(p)) {
    if (isFocusable(p) && focusOn(p)) return true;
  }
  drop();
  return false;
}

function isFocusable(e: Element): boolean {
  return matches(e, "a[href],area[href],button,input,select,textarea,iframe,object,embed,summary,audio,video,[tabindex],[contenteditable]") || rootIn(e)?.delegatesFocus === true;
}

/** drop takes the focus from where it is. */
export function drop(): void {
  hear();
  const was = named(focused());
  if (was === null) return;
  const before = heard;
  if (isHTML(was)) blurElement(was);
  moved(was, before);
}
