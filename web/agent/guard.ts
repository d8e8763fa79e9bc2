import { composedPath, isConnected, isElement, listen, localName } from "../shared/safe-dom";
import { getter, method, now } from "../shared/safe";
import { hit, rootIn, within } from "../shared/tree";
import { isGiven } from "./given";
import { bodyOf, lineOf } from "./lines";
import { describeCover } from "./covers";
import { roleOf } from "./roles";

// The guard stands before the page's own listeners while a press is on its
// way, and swallows it unless it reaches the element that was aimed at.

const preventDefault = method(Event.prototype, (e) => e.preventDefault);
const isPrevented = getter(Event.prototype, "defaultPrevented");
const stopAll = method(Event.prototype, (e) => e.stopImmediatePropagation);

const starts = ["pointerdown", "mousedown", "touchstart"];
// An event may be of the realm of a frame around this one.
const isMouse = (e: Event): e is MouseEvent => !e.type.startsWith("touch");
const clientX = getter(MouseEvent.prototype, "clientX"), clientY = getter(MouseEvent.prototype, "clientY");

const presses = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "touchstart", "touchend"];
const moves = ["pointermove", "mousemove", "mouseover", "pointerover"];

// A press that has not come by then is not on its way.
const patience = 15000;
// A double press follows within this time.
const again = 700;

interface Aim {
  readonly accepted: readonly Element[]; // any of them may be hit
  readonly owner: Element | undefined; // of the frame that is to be hit: then nothing here is
  readonly line: string; // how the element looked, for its like
  readonly moving: boolean; // only the pointer moves
  readonly at: number;
  down: "waiting" | "through" | "blocked";
  clicked: number; // when the sequence ended; 0: not yet
  hit: boolean;
  blocked: string;
}

let aim: Aim | undefined;
let lift: Event | undefined; // of the data that the page let go of
let dropped = false;

/** arm lets the next press through to one of these elements only. */
export function arm(accepted: readonly Element[], moving: boolean): void {
  stand(accepted, undefined, moving);
}

/** armAround lets the next press through to the frame that an element shows, which this document does not hear of. */
export function armAround(owner: Element, moving: boolean): void {
  stand([], owner, moving);
}

function stand(accepted: readonly Element[], owner: Element | undefined, moving: boolean): void {
  hearken();
  const first = accepted[0];
  aim = { accepted, owner, line: first === undefined ? "" : look(first), moving, at: now(), down: "waiting", clicked: 0, hit: false, blocked: "" };
}

/**
 * hearken listens for what the guard tells of. A page that opens its document
 * anew for writing ends all listening in it.
 */
export function hearken(): void {
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
  if (a?.moving !== true || a.hit || !isGiven(e) || spent(a, now())) return;
  const path = composedPath(e);
  if (a.owner !== undefined && path[0] === a.owner) return; // so it is told of what enters the frame
  if (reaches(a, path, e)) a.hit = true;
  else a.blocked = described(a, path, e);
}

function onDrag(e: Event): void {
  if (!isGiven(e)) return;
  if (e.type === "drop") dropped = true;
  else lift = e;
}

function onPress(e: Event): void {
  const a = aim;
  if (a === undefined || a.moving || !isGiven(e) || spent(a, now())) return;
  const path = composedPath(e);
  // The end of a press that began in a frame, which went away, is the page's.
  if (a.down === "waiting" ? starts.includes(e.type) : e.type === "pointerdown" || e.type === "touchstart") {
    if (reaches(a, path, e)) {
      a.down = "through";
      a.hit = true;
    } else {
      a.down = "blocked";
      a.blocked = described(a, path, e);
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

function described(a: Aim, path: readonly EventTarget[], e: Event): string {
  const target = under(path, e);
  if (target === null) return "the document";
  return target === a.owner ? "the edge of its frame" : describeCover(target);
}

function reaches(a: Aim, path: readonly EventTarget[], e: Event): boolean {
  if (a.accepted.some((x) => path.includes(x))) return true;
  // From outside, a closed root shows only its host.
  const at = inside(path[0]) ? under(path, e) : null;
  if (at !== null && a.accepted.some((x) => within(at, x))) return true;
  // A page may put a like element in the place of one as the pointer enters.
  const first = a.accepted[0];
  if (first === undefined || isConnected(first)) return false;
  return path.some((n) => isElement(n) && roleOf(n) !== "generic" && look(n) === a.line);
}

function inside(target: EventTarget | undefined): boolean {
  const root = isElement(target) ? rootIn(target) : null;
  return root !== null && root.mode === "closed";
}

// under is what the pointer is over, in closed roots too: where the page asks
// for the path of the event only its host is told.
function under(path: readonly EventTarget[], e: Event): Element | null {
  const target = path[0];
  if (!isElement(target)) return null;
  if (!inside(target)) return target;
  const at = isMouse(e) ? hit(clientX(e), clientY(e)) : null;
  return at !== null && within(at, target) ? at : target;
}
