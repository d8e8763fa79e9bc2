import type { MouseGiven } from "../shared/protocol.gen";
import { isArea, isConnected, isInput, isOption, isSelect, matches, styleOf, top } from "../shared/safe-dom";
import { flatParent, hit, within } from "../shared/tree";
import { imageOf } from "./areas";
import { dragText, editorAround, isTextControl, pressText } from "./carets";
import { cancelDrag, dropHere, dragTo, isDragging, liftable, liftFrom } from "./dragged";
import { focusNear, focusOn } from "./focusing";
import { giveClick } from "./following";
import { give, heldOf, mouseId } from "./given";
import { chooseOption, slideTo, slidEnd } from "./stepping";
import { wheel } from "./wheel";

// The mouse, as far as a script can move and press it.

const bits: Readonly<Record<string, number>> = { left: 1, right: 2, middle: 4 };
const numbers: Readonly<Record<string, number>> = { left: 0, middle: 1, right: 2 };
// A press that moves so far drags.
const dragFrom = 3;

interface Press {
  readonly target: Element;
  readonly button: string;
  readonly x: number;
  readonly y: number;
  readonly compatible: boolean; // mouse events come with those of the pointer
  readonly selects: boolean; // moving selects text
  liftable: Element | null; // what may be dragged
}

let over: Element | null = null;
let press: Press | null = null;
let buttons = 0;
let lastX = 0, lastY = 0;
let pressed: WeakRef<Element> | undefined;

/** lastPressed is what was pressed last. */
export function lastPressed(): Element | null {
  return pressed?.deref() ?? null;
}

function initOf(m: MouseGiven, related: Element | null, button: number, detail: number): PointerEventInit {
  return {
    bubbles: true, cancelable: true, composed: true, view: window, detail, ...heldOf(m.modifiers ?? 0), button, buttons, relatedTarget: related,
    clientX: m.x, clientY: m.y, screenX: window.screenX + m.x, screenY: window.screenY + Math.max(0, window.outerHeight - window.innerHeight) + m.y,
    movementX: m.x - lastX, movementY: m.y - lastY,
  };
}

function pointer(type: string, target: Element, m: MouseGiven, o: { related?: Element | null; button?: number; detail?: number } = {}): boolean {
  const init = initOf(m, o.related ?? null, o.button ?? -1, o.detail ?? 0);
  const enters = type === "pointerenter" || type === "pointerleave";
  return give(target, new PointerEvent(type, {
    ...init, ...(enters ? { bubbles: false, cancelable: false } : {}), pointerId: mouseId, width: 1, height: 1, pressure: buttons === 0 ? 0 : 0.5, pointerType: "mouse", isPrimary: true,
  }));
}

function mouse(type: string, target: Element, m: MouseGiven, o: { related?: Element | null; button?: number; detail?: number } = {}): boolean {
  const enters = type === "mouseenter" || type === "mouseleave";
  return give(target, new MouseEvent(type, { ...initOf(m, o.related ?? null, o.button ?? 0, o.detail ?? 0), ...(enters ? { bubbles: false, cancelable: false } : {}) }));
}

/** disabledAt tells whether an element is, or is in, a control that takes no press. */
function disabledAt(e: Element): boolean {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) if (matches(p, "button:disabled,input:disabled,select:disabled,textarea:disabled,option:disabled")) return true;
  return false;
}

function chain(e: Element | null): Element[] {
  const out: Element[] = [];
  for (let p = e; p !== null; p = flatParent(p)) out.push(p);
  return out;
}

// cross tells what the mouse leaves and what it enters.
function cross(to: Element | null, m: MouseGiven): void {
  const was = over !== null && isConnected(over) ? over : null;
  over = to;
  if (was === to) return;
  const from = chain(was), into = chain(to);
  const left = from.filter((e) => !into.includes(e)), entered = into.filter((e) => !from.includes(e)).reverse();
  for (const kind of [{ give: pointer, name: "pointer" }, { give: mouse, name: "mouse" }] as const) {
    if (was !== null) kind.give(`${kind.name}out`, was, m, { related: to });
    for (const e of left) kind.give(`${kind.name}leave`, e, m, { related: to });
    if (to !== null) kind.give(`${kind.name}over`, to, m, { related: was });
    for (const e of entered) kind.give(`${kind.name}enter`, e, m, { related: was });
  }
}

/** leave takes the mouse out of the document. */
export function leave(m: MouseGiven): void {
  cross(null, m);
}

/** whatIsOver is the element that the mouse was over last. */
export function whatIsOver(): Element | null {
  return over;
}

/** enterFrame has the mouse go into a child frame, of which this document hears no more. */
export function enterFrame(owner: Element, m: MouseGiven): void {
  cross(owner, m);
  lastX = m.x;
  lastY = m.y;
}

/** pressFrame has a press go into a child frame, which gets the focus. */
export function pressFrame(owner: Element): void {
  pressed = new WeakRef(owner);
  focusOn(owner);
}

/** targetAt is what the mouse hits: an image for the areas of its map. */
export function targetAt(x: number, y: number): Element | null {
  return hit(x, y);
}

/** givenMouse does one event of the mouse in this document. */
export function givenMouse(m: MouseGiven): void {
  const at = targetAt(m.x, m.y);
  switch (m.type) {
    case "move":
      move(at, m);
      break;
    case "down":
      down(at, m);
      break;
    case "up":
      up(at, m);
      break;
    case "wheel":
      if (at !== null) {
        cross(at, m);
        wheel(at, m, initOf(m, null, 0, 0));
      }
      break;
  }
  lastX = m.x;
  lastY = m.y;
}

function outside(): Element | null {
  return press !== null && isConnected(press.target) ? press.target : top();
}

function move(at: Element | null, m: MouseGiven): void {
  const p = press;
  if (isDragging()) {
    dragTo(at, m);
    return;
  }
  const target = at ?? (p === null ? null : outside());
  cross(target, m);
  if (target === null || !isConnected(target)) return;
  pointer("pointermove", holder(p, target), m);
  if (p?.compatible === false) return;
  if (isConnected(target) && !disabledAt(target)) mouse("mousemove", target, m);
  if (p === null || p.button !== "left") return;
  if (p.liftable !== null && Math.hypot(m.x - p.x, m.y - p.y) >= dragFrom) {
    const what = p.liftable;
    p.liftable = null;
    if (liftFrom(what, { ...m, x: p.x, y: p.y })) {
      pointer("pointercancel", isConnected(p.target) ? p.target : what, m);
      cross(null, m);
      press = null;
      buttons = 0;
      return;
    }
  }
  if (isInput(p.target) && p.target.type === "range") slideTo(p.target, m.x, m.y);
  else if (p.selects && p.liftable === null && Math.hypot(m.x - p.x, m.y - p.y) >= dragFrom) dragText(p.target, m.x, m.y);
}

// holder is what gets the pointer's events while it is over an element: what was
// pressed, if that keeps the pointer. What captures it cannot be told, but does
// so for fingers too, which must not scroll the page then.
function holder(p: Press | null, target: Element): Element {
  return p !== null && isConnected(p.target) && !within(target, p.target) && keeps(p.target) ? p.target : target;
}

function keeps(e: Element): boolean {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    if (p.hasPointerCapture(mouseId) || !/^(auto|manipulation)$/.test(styleOf(p).touchAction)) return true;
  }
  return false;
}

function down(at: Element | null, m: MouseGiven): void {
  const button = m.button ?? "left", count = m.count ?? 1;
  const number = numbers[button] ?? 0;
  if (at === null) return;
  cancelDrag();
  cross(at, m);
  buttons |= bits[button] ?? 1;
  if (!isConnected(at)) return;
  pressed = new WeakRef(at);
  const dead = disabledAt(at);
  const compatible = dead ? false : pointer("pointerdown", at, m, { button: number });
  press = { target: at, button, x: m.x, y: m.y, compatible, selects: false, liftable: null };
  if (dead) return;
  if (compatible) {
    const target = isConnected(at) ? at : targetAt(m.x, m.y);
    if (target === null) return;
    const dragged = button === "left" ? liftable(target) : null;
    if (mouse("mousedown", target, m, { button: number, detail: count })) {
      pressDefault(target, m, button, count);
      press = { ...press, target, selects: button === "left", liftable: dragged };
    } else if (dragged !== null && isConnected(target)) {
      press = { ...press, target };
    }
  }
  if (button === "right" && isConnected(at)) give(at, new PointerEvent("contextmenu", { ...initOf(m, null, 2, 0), pointerId: mouseId, pointerType: "mouse" }));
}

// pressDefault is what a browser does of a press that the page lets it.
function pressDefault(target: Element, m: MouseGiven, button: string, count: number): void {
  if (!isConnected(target)) return;
  focusNear(isArea(target) ? (imageOf(target) ?? target) : target);
  if (button !== "left" || !isConnected(target)) return;
  if (isInput(target) && target.type === "range") slideTo(target, m.x, m.y);
  else if (!isSelect(target) && !isOption(target) && (isTextControl(target) || editorAround(target) !== null || liftable(target) === null)) {
    pressText(target, m.x, m.y, count, heldOf(m.modifiers ?? 0).shiftKey);
  }
}

function up(at: Element | null, m: MouseGiven): void {
  const button = m.button ?? "left", count = m.count ?? 1;
  const number = numbers[button] ?? 0;
  if (isDragging()) {
    dropHere(at, m);
    return;
  }
  const p = press;
  const target = at ?? outside();
  buttons &= ~(bits[button] ?? 1);
  press = null;
  if (target === null) return;
  cross(target, m);
  if (!isConnected(target)) return;
  const dead = disabledAt(target);
  if (!dead) pointer("pointerup", holder(p, target), m, { button: number });
  if (!dead && p?.compatible !== false && isConnected(target)) mouse("mouseup", target, m, { button: number, detail: count });
  if (p === null || p.button !== button) return;
  if (isInput(p.target) && p.target.type === "range") slidEnd(p.target);
  if (dead || disabledAt(p.target) || !isConnected(p.target)) return;
  if (isOption(p.target) && p.target === target && p.compatible) chooseOption(p.target, heldOf(m.modifiers ?? 0));
  const shared = common(p.target, target);
  if (shared === null) return;
  const init = { ...initOf(m, null, number, count), pointerId: mouseId, pointerType: "mouse", width: 1, height: 1 };
  giveClick(shared, new PointerEvent(button === "left" ? "click" : "auxclick", init));
  if (button === "left" && count === 2 && isConnected(shared)) mouse("dblclick", shared, m, { detail: 2 });
}

// common is the nearest element that holds both.
function common(a: Element, b: Element): Element | null {
  if (!isConnected(a) || !isConnected(b)) return null;
  for (let p: Element | null = a; p !== null; p = flatParent(p)) if (within(b, p)) return p;
  return null;
}
