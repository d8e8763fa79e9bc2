import { composedPath, isConnected, isElement, isShadow, listen, localName } from "../shared/safe-dom";
import { getter, method, now } from "../shared/safe";
import { flatParent, rootIn } from "../shared/tree";
import { bodyOf, lineOf } from "./lines";
import { describeCover } from "./covers";
import { roleOf } from "./roles";

// The guard stands before the page's own listeners while a press is on its
// way, and swallows it unless it reaches the element that was aimed at.

const preventDefault = method(Event.prototype, (e) => e.preventDefault);
const isPrevented = getter(Event.prototype, "defaultPrevented");
const stopAll = method(Event.prototype, (e) => e.stopImmediatePropagation);

const presses = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "touchstart", "touchend"];
const moves = ["pointermove", "mousemove", "mouseover", "pointerover"];

// A press that has not come by then is not on its way.
const patience = 15000;
// A double press follows within this time.
const again = 700;

interface Aim {
  readonly accepted: readonly Element[]; // any of them may be hit
  readonly line: string; // how the element looked, for its like
  readonly moving: boolean; // only the pointer moves
  readonly at: number;
  down: "waiting" | "through" | "blocked";
  clicked: number; // when the sequence ended; 0: not yet
  hit: boolean;
  blocked: string;
}

let aim: Aim | undefined;
let listening = false;
let lift: Event | undefined; // of the data that the page let go of
let dropped = false;

/** arm lets the next press through to one of these elements only. */
export function arm(accepted: readonly Element[], moving: boolean): void {
  hearken();
  const first = accepted[0];
  aim = { accepted, line: first === undefined ? "" : look(first), moving, at: now(), down: "waiting", clicked: 0, hit: false, blocked: "" };
}

/** hearken begins to listen for what the guard tells of. */
export function hearken(): void {
  if (listening) return;
  listening = true;
  for (const type of presses) listen(window, type, onPress, { capture: true, passive: false });
  for (const type of moves) listen(window, type, onMove, { capture: true, passive: true });
  for (const type of ["dragstart", "drop"]) listen(window, type, onDrag, { capture: true, passive: true });
}

/** newAct forgets what was dragged in the act before. */
export function newAct(): void {
  lift = undefined;
  dropped = false;
}

/** disarm lets everything through; what was seen stays. */
export function disarm(): void {
  if (aim !== undefined) aim = { ...aim, clicked: -Infinity };
}

/** outcome tells what the guard saw since it was armed. */
export function outcome(): { hit: boolean; blocked: string; lifted: boolean; dropped: boolean } {
  return { hit: aim?.hit ?? false, blocked: aim?.blocked ?? "", lifted: lift !== undefined && !isPrevented(lift), dropped };
}

function look(e: Element): string {
  return `${localName(e)} ${bodyOf({ ...lineOf(e), states: [], value: undefined })}`;
}

function spent(a: Aim, t: number): boolean {
  return t - a.at > patience || (a.clicked !== 0 && t - a.clicked > again);
}

function onMove(e: Event): void {
  const a = aim;
  if (a?.moving !== true || a.hit || !e.isTrusted || spent(a, now())) return;
  const path = composedPath(e);
  if (reaches(a, path)) {
    a.hit = true;
    return;
  }
  const target = path[0];
  a.blocked = isElement(target) ? describeCover(target) : "the document";
}

function onDrag(e: Event): void {
  if (!e.isTrusted) return;
  if (e.type === "drop") dropped = true;
  else lift = e;
}

function onPress(e: Event): void {
  const a = aim;
  if (a === undefined || a.moving || !e.isTrusted || spent(a, now())) return;
  const path = composedPath(e);
  if (e.type === "pointerdown" || e.type === "touchstart" || a.down === "waiting") {
    if (reaches(a, path)) {
      a.down = "through";
      a.hit = true;
    } else {
      a.down = "blocked";
      const target = path[0];
      a.blocked = isElement(target) ? describeCover(target) : "the document";
    }
  }
  // What a press that arrived leads to is the page's own affair, also when the
  // element goes away under it.
  if (a.down === "blocked") {
    preventDefault(e);
    stopAll(e);
  }
  if (e.type === "click" || e.type === "auxclick" || e.type === "contextmenu") a.clicked = now();
}

function reaches(a: Aim, path: readonly EventTarget[]): boolean {
  for (const e of a.accepted) {
    if (path.includes(e)) return true;
    // From outside, a closed root shows only its host.
    for (let p: Element | null = e; p !== null; p = flatParent(p)) {
      const root = rootIn(p);
      if (root !== null && isShadow(root) && root.mode === "closed" && path[0] === p) return true;
    }
  }
  // A page may put a like element in the place of one as the pointer enters.
  const first = a.accepted[0];
  if (first === undefined || isConnected(first)) return false;
  return path.some((n) => isElement(n) && roleOf(n) !== "generic" && look(n) === a.line);
}
