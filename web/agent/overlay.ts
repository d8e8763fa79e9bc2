import type { Box, PoseCard } from "../shared/protocol.gen";
import { activeIn, append, attributeNames, composedPath, fromPoint, isConnected, listen, matches, parentNode, queryAll, queryFragmentAll, rectOf, remove, removeAttribute, setAttribute, top } from "../shared/safe-dom";
import { method, now } from "../shared/safe";
import { isOurs, metRoots, own } from "../shared/tree";
import { makeParts, type Parts } from "./card";
import { place, type Corner } from "./placing";

// What is shown of a question: a frame around what is meant, and a card that
// says what to do. It lies over everything, follows what it marks, and is put
// back when the page takes it away. Only a person's own presses count: not those
// that a script of the page makes up, and none of ours.

/** Answers are what a person does with the card. */
export interface Answers {
  done(): void;
  cannot(note: string): void;
  /** fought is called when the page does not let the overlay be. */
  fought(): void;
  /** alive tells whether the question is still somebody's; else it goes. */
  alive(): boolean;
}

/** Marked is what the overlay follows. */
export interface Marked {
  /** box is where it is in the viewport; null when it is not there. */
  box(): Box | null;
  readonly ring: boolean; // it is framed, and not only kept clear
  readonly lost: () => boolean;
}

let parts: Parts | undefined;
let answers: Answers | undefined;
let marked: Marked | undefined;
let at: Corner | null = null;
let dragged = false; // a person has put the card where it is
let drag: { readonly x: number; readonly y: number } | undefined;
let corner = 0; // that a press of Move goes to next
let fights = 0;
let raised = 0; // when the overlay was last put on top
let ticking = false;
let spot = ""; // what the card was last placed by
let homes = 0; // tried in vain

// How often it is put back before the page is let have its way.
const mostFights = 50;

const yields = { act: 0, picture: 0 }; // until when

// What is not heard of for so long is over.
const longestAct = 15000, longestPicture = 4000;

/** makeWay has the overlay yield to acts or pictures of ours, or be there again. */
export function makeWay(to: "act" | "picture", on: boolean): void {
  yields[to] = on ? now() + (to === "act" ? longestAct : longestPicture) : 0;
  showYields();
}

/** isYielding tells whether what happens now may be of our own doing. */
export function isYielding(): boolean {
  return now() < yields.act;
}

function showYields(): void {
  if (parts === undefined) return;
  const t = now();
  parts.stage.classList.toggle("yields", t < yields.act);
  parts.stage.classList.toggle("hides", t < yields.picture);
}

/** show shows a question in place of what is shown. */
export function show(card: PoseCard | null, mark: Marked, to: Answers): void {
  parts ??= makeParts();
  own(parts.root);
  answers = to;
  marked = mark;
  at = null;
  dragged = false;
  drag = undefined;
  fights = 0;
  spot = "";
  hearken();
  settle();
  parts.tell(card);
  follow();
  if (!ticking) tick();
}

/** hide takes it away. */
export function hide(): void {
  answers = undefined;
  marked = undefined;
  if (parts === undefined) return;
  parts.tell(null);
  if (isConnected(parts.host)) remove(parts.host);
}

// A page that opens its document anew for writing ends all listening in it.
function hearken(): void {
  for (const type of heard) listen(window, type, onEvent, { capture: true, passive: false });
}

// tick keeps the overlay in its place, before each picture that a person sees.
function tick(): void {
  ticking = false;
  if (answers === undefined) return;
  if (!answers.alive()) {
    hide();
    return;
  }
  settle();
  follow();
  ticking = true;
  window.requestAnimationFrame(tick);
}

// settle puts the overlay into the document, on top.
function settle(): void {
  if (parts === undefined || answers === undefined) return;
  const { host } = parts;
  showYields();
  if (!isConnected(host)) {
    if (fights++ > mostFights) {
      answers.fought();
      hide();
      return;
    }
    raise(home());
  }
  for (const name of attributeNames(host)) if (name !== "popover") removeAttribute(host, name);
  if (!open(host)) raise(home());
  else if (isCovered(parts)) {
    homes++;
    raise(home());
  }
}

function open(host: Element): boolean {
  try {
    return matches(host, ":popover-open");
  } catch {
    return true; // a browser without popovers
  }
}

// raise puts the host into an element, and on top of all others.
function raise(into: Element | null): void {
  if (parts === undefined || into === null) return;
  const { host } = parts;
  raised = now();
  if (parentNode(host) !== into) append(into, host);
  try {
    setAttribute(host, "popover", "manual");
    if (open(host)) host.hidePopover();
    host.showPopover();
  } catch {
    // It stays where it is, as high as its style says.
  }
}

// home is where the overlay can be pressed: all outside of a modal dialog cannot.
function home(): Element | null {
  const root = top();
  const modal: Element[] = root === null ? [] : [...queryAll(root, ":modal")];
  for (const r of metRoots()) modal.push(...queryFragmentAll(r, ":modal"));
  const all = [...modal.reverse(), ...(root === null ? [] : [root])];
  return all[homes % Math.max(all.length, 1)] ?? root;
}

// So long it is let be where it is before another place is tried.
const patience = 500;

function isCovered(p: Parts): boolean {
  if (now() - raised < patience || p.card.hidden || isYielding() || now() < yields.picture) return false;
  const r = rectOf(p.card);
  return r.width > 0 && !isOurs(fromPoint(null, r.left + r.width / 2, r.top + r.height / 2));
}

const around = 5; // CSS pixels between what is marked and its frame

// follow puts frame and card where they belong.
function follow(): void {
  if (parts === undefined || marked === undefined) return;
  const { ring, card, lost } = parts;
  const box = marked.box();
  const ringed = box !== null && marked.ring && box.width > 0 && box.height > 0;
  if (ring.hidden === ringed) ring.hidden = !ringed;
  if (lost.hidden === marked.lost()) lost.hidden = !marked.lost();
  const view = { width: parts.host.offsetWidth, height: parts.host.offsetHeight }; // without scrollbars
  const size = card.hidden ? { width: 0, height: 0 } : { width: card.offsetWidth, height: card.offsetHeight };
  const here = [box?.x, box?.y, box?.width, box?.height, view.width, view.height, size.width, size.height, at?.x, at?.y].join();
  if (here === spot) return;
  spot = here;
  if (box !== null) {
    ring.style.cssText = `left:${String(box.x - around)}px;top:${String(box.y - around)}px;width:${String(box.width + 2 * around)}px;height:${String(box.height + 2 * around)}px`;
  }
  if (card.hidden) return;
  at = place(size, view, dragged ? null : box, at);
  card.style.transform = `translate(${String(Math.round(at.x))}px,${String(Math.round(at.y))}px)`;
}

const pointing = ["pointerdown", "pointermove", "pointerup", "pointercancel", "mousedown", "mousemove", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "touchstart", "touchmove", "touchend", "touchcancel", "wheel"];
const rest = ["keydown", "keypress", "keyup", "beforeinput", "input", "change", "focusin", "focusout", "focus", "blur", "copy", "cut", "paste", "dragstart", "dragover", "drop", "compositionstart", "compositionupdate", "compositionend", "selectstart"];
const heard = [...pointing, ...rest];

// An event may be of the realm of a frame around this one.
const isPointer = (e: Event): e is PointerEvent => e.type.startsWith("pointer");
const isKey = (e: Event): e is KeyboardEvent => e.type.startsWith("key");
const isMouse = (e: Event): e is MouseEvent => pointing.includes(e.type) && !e.type.startsWith("touch");

const stopAll = method(Event.prototype, (e) => e.stopImmediatePropagation);
const prevent = method(Event.prototype, (e) => e.preventDefault);

// onEvent stands before all listeners of the page, which are none of those for
// what happens in the overlay.
function onEvent(e: Event): void {
  if (parts === undefined || !isOurs(composedPath(e)[0])) return;
  stopAll(e);
  if (!e.isTrusted || isYielding()) {
    prevent(e);
    return;
  }
  const on = partOf(parts, e);
  switch (e.type) {
    case "mousedown":
      // The page keeps its focus.
      if (on !== parts.note && on !== parts.value) prevent(e);
      return;
    case "pointerdown":
      if (isPointer(e) && on !== null && parts.head.contains(on) && !parts.move.contains(on)) lift(parts, e);
      return;
    case "pointermove":
      if (isPointer(e) && drag !== undefined) carry(e);
      return;
    case "pointerup":
    case "pointercancel":
      drag = undefined;
      return;
    case "keydown":
      if (!isKey(e) || parts.why.hidden) return;
      if (e.key === "Enter" && on === parts.note && !e.isComposing) answers?.cannot(parts.note.value);
      else if (e.key === "Escape") ask(parts, false);
      return;
    case "click":
      press(parts, on);
      return;
  }
}

// partOf is the part that an event is for: where the pointer is, or else where
// the focus is.
function partOf(p: Parts, e: Event): Element | null {
  const keyed = e.type === "click" && isMouse(e) && e.detail === 0;
  return isMouse(e) && !keyed ? fromPoint(p.root, e.clientX, e.clientY) : activeIn(p.root);
}

function press(p: Parts, on: Element | null): void {
  if (on === null || answers === undefined) return;
  if (p.done.contains(on)) answers.done();
  else if (p.cannot.contains(on)) ask(p, true);
  else if (p.send.contains(on)) answers.cannot(p.note.value);
  else if (p.back.contains(on)) ask(p, false);
  else if (p.move.contains(on)) elsewhere(p);
}

// ask shows the field for a reason, or the choice again.
function ask(p: Parts, why: boolean): void {
  p.choice.hidden = why;
  p.why.hidden = !why;
  (why ? p.note : p.cannot).focus();
}

// elsewhere moves the card to the next corner.
function elsewhere(p: Parts): void {
  const x = p.host.offsetWidth - p.card.offsetWidth, y = p.host.offsetHeight - p.card.offsetHeight;
  const corners = [{ x, y: 0 }, { x, y }, { x: 0, y }, { x: 0, y: 0 }];
  at = corners[corner++ % corners.length] ?? null;
  dragged = true;
  follow();
}

function lift(p: Parts, e: PointerEvent): void {
  const r = rectOf(p.card);
  drag = { x: e.clientX - r.left, y: e.clientY - r.top };
  p.host.setPointerCapture(e.pointerId);
}

function carry(e: PointerEvent): void {
  if (drag === undefined) return;
  dragged = true;
  at = { x: e.clientX - drag.x, y: e.clientY - drag.y };
  follow();
}
