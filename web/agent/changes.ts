import { composedPath, host, isConnected, isElement, isInput, isSelect, isShadow, isText, isTextArea, listen, parentElement, parentNode, queryAll, scroller, scrollLeft, scrollTop, top } from "../shared/safe-dom";
import { now } from "../shared/safe";
import { isOurs, liesInOurs, metRoots, onRoot } from "../shared/tree";
import { isEditingHost } from "./values";

// The record of what changes in the document. Observers report; nothing here
// waits or ticks by itself.

// What changed about an element: its own line, or all that is in it.
export type Extent = "line" | "all";

// More places than this are not told apart.
const most = 2000;

// A node is busy by itself when it changed this often in the second before an
// act, or so often since that no act can be the reason.
const busyBefore = 2;
const busySince = 6;
const spell = 1000;
// For so long a change may be what an act led to.
const consequences = 3000;

interface Pulse {
  times: number[]; // of its last changes outside of acts
  since: number; // changes since the act began
  act: number;
  last: number;
}

const dirty = new Map<Element, Extent>();
const noise = new WeakSet<Element>(); // changed by itself, in the present record
const born = new WeakSet<Node>();
const styled = new WeakMap<Element, number>();
const pulses = new WeakMap<Node, Pulse>();
const waiters: (() => void)[] = [];

let observer: MutationObserver | undefined;
let flooded = false;
let seq = 1;
let content = 0; // changes of what the document holds
let act = 0;
let actAt = -Infinity;
let lastChange = 0;
let changed = false;
let driven = false;

const options: MutationObserverInit = { childList: true, characterData: true, attributes: true, subtree: true };

// Attributes that only tell of the element itself.
const own = /^(aria-(?!hidden$)|value$|checked$|title$|alt$|href$|src$|placeholder$|disabled$|readonly$|required$|selected$|for$|id$|name$)/;

/** watch begins the record, once. */
export function watch(): void {
  if (observer !== undefined) return;
  observer = new MutationObserver(take);
  observer.observe(document, options);
  for (const root of metRoots()) observer.observe(root, options);
  onRoot((root) => observer?.observe(root, options));
  const capture = { capture: true, passive: true };
  for (const type of ["input", "change"]) listen(window, type, (e) => { property(e, "line"); }, capture);
  for (const type of ["toggle", "reset", "transitionend", "animationend", "slotchange"]) listen(window, type, (e) => { property(e, "all"); }, capture);
  listen(window, "focusin", onFocus, capture);
  listen(window, "scroll", onScroll, capture);
}

// A press moves the focus to what it lands on, which is no effect of its own
// unless something can be typed there.
function onFocus(e: Event): void {
  const target = composedPath(e)[0];
  if (isElement(target) && (isTextArea(target) || isSelect(target) || isEditingHost(target) || (isInput(target) && !presses.has(target.type)))) note();
}

const presses = new Set(["button", "submit", "reset", "image", "checkbox", "radio", "file"]);

// Where the boxes around the element of an act were left by bringing it into
// view: that scrolling is told late, and is none of the page's.
const left = new Map<Element, string>();

function placeOfView(e: Element): string {
  return `${String(scrollLeft(e))},${String(scrollTop(e))}`;
}

function onScroll(e: Event): void {
  const target = composedPath(e)[0];
  const box = isElement(target) ? target : scroller();
  if (box !== null && left.get(box) === placeOfView(box)) return;
  note();
}

/** leaveViews notes where boxes that scroll were left by an aim. */
export function leaveViews(boxes: readonly Element[]): void {
  for (const b of boxes) left.set(b, placeOfView(b));
}

function property(e: Event, extent: Extent): void {
  const target = composedPath(e)[0];
  if (!isElement(target) || liesInOurs(target)) return;
  mark(target, extent);
  content++;
  // Style alone may show more where a box is checked.
  const around = isInput(target) && (target.type === "checkbox" || target.type === "radio") ? parentElement(target) : null;
  if (around !== null) mark(around, "all");
  // A radio button that is chosen releases another one, which no event tells.
  if (isInput(target) && target.type === "radio") {
    const page = top();
    for (const r of page === null ? [] : queryAll(page, "input[type=radio]")) if (isInput(r) && r.name === target.name) mark(r, "line");
  }
  note();
}

/** cameToLight notes a shadow root that is known from now on, with all that is in it. */
export function cameToLight(root: ShadowRoot): void {
  if (observer === undefined) return;
  mark(host(root), "all");
  content++;
  changed = true;
  bump();
}

function note(): void {
  changed = true;
  lastChange = now();
  bump();
}

function bump(): void {
  seq++;
  for (const w of waiters.splice(0)) w();
}

function mark(e: Element, extent: Extent): void {
  if (flooded) return;
  if (dirty.size >= most) {
    // All is looked at then: what is gone by now is not kept for it.
    flooded = true;
    dirty.clear();
    return;
  }
  if (extent === "all" || !dirty.has(e)) dirty.set(e, extent);
}

function take(records: MutationRecord[]): void {
  if (records.length === 0) return;
  const t = now();
  let calm = true;
  let any = false;
  for (const r of records) {
    const e = placeOf(r.target);
    if (e === null || isOwnRecord(r)) continue;
    any = true;
    const busy = isBusy(r.target, t);
    if (busy) noise.add(e);
    else {
      calm = false;
      noise.delete(e);
    }
    if (r.type === "attributes") {
      const name = r.attributeName ?? "";
      if (name === "style" || name === "class") styled.set(e, t);
      mark(e, own.test(name) ? "line" : "all");
      continue;
    }
    mark(e, "all");
    for (const n of r.addedNodes) born.add(n);
  }
  if (!any) return;
  content++;
  if (!calm) {
    lastChange = t;
    changed = true;
  }
  bump();
}

// isOwnRecord tells whether only what is ours came, went or changed.
function isOwnRecord(r: MutationRecord): boolean {
  if (liesInOurs(r.target)) return true;
  return r.type === "childList" && r.addedNodes.length + r.removedNodes.length === 1 && isOurs(r.addedNodes[0] ?? r.removedNodes[0]);
}

function placeOf(n: Node): Element | null {
  if (isElement(n)) return n;
  if (isShadow(n)) return host(n);
  return isText(n) ? parentElement(n) : top();
}

// isBusy keeps the pulse of a node and tells whether it, or what it lies in,
// changes without a reason from outside.
function isBusy(n: Node, t: number): boolean {
  const p = pulses.get(n) ?? { times: [], since: 0, act, last: 0 };
  pulses.set(n, p);
  if (p.act !== act) {
    p.act = act;
    p.since = 0;
  }
  if (t - p.last > 15 && !driven) {
    const acting = t - actAt < consequences;
    if (acting) p.since++;
    if (!acting || p.since >= busySince) {
      p.times.push(t);
      if (p.times.length > busyBefore) p.times.shift();
    }
    p.last = t;
  }
  let up: Node | null = n;
  for (let i = 0; i < 4 && up !== null; i++) {
    const q = pulses.get(up);
    if (q !== undefined) {
      const before = q.times.length >= busyBefore && (q.times[0] ?? 0) > actAt - spell;
      if (before || (q.act === act && q.since >= busySince)) return true;
    }
    up = parentNode(up);
  }
  return false;
}

/** settleRecords takes in what the observer has not delivered yet. */
function settleRecords(): void {
  if (observer !== undefined) take(observer.takeRecords());
}

/** beginAct starts the record of an act. */
export function beginAct(): void {
  settleRecords();
  act++;
  left.clear();
  actAt = now();
  lastChange = actAt;
  changed = false;
  driven = false;
}

/** drive tells that the act itself goes on for a while, and with it what it changes. */
export function drive(): void {
  driven = true;
}

/** quiet is how long nothing has changed for a reason, in ms. */
export function quiet(): number {
  settleRecords();
  return now() - lastChange;
}

/** hasChanged tells whether anything changed for a reason since the act began. */
export function hasChanged(): boolean {
  return changed;
}

/** restyled tells whether the style of an element was set in the last ms. */
export function restyled(e: Element, ms: number): boolean {
  const t = styled.get(e);
  return t !== undefined && now() - t < ms;
}

/** isBorn tells whether a node was put into the document while it was watched. */
export function isBorn(n: Node): boolean {
  return born.has(n);
}

/** Dirt is where the document changed. */
export interface Dirt {
  readonly places: ReadonlyMap<Element, Extent>;
  readonly flooded: boolean;
}

/** drain hands over the places that changed since the last drain. */
export function drain(): Dirt {
  settleRecords();
  const places = new Map([...dirty].filter(([e]) => isConnected(e)));
  const d = { places, flooded };
  dirty.clear();
  flooded = false;
  return d;
}

/** isNoise tells whether the last changes of an element were its own. */
export function isNoise(e: Element): boolean {
  return noise.has(e);
}

/** sequence numbers the state of the document. */
export function sequence(): number {
  settleRecords();
  return seq;
}

/** contents numbers what the document holds, without where it is scrolled to and what has the focus. */
export function contents(): number {
  settleRecords();
  return content;
}

/** contentChanged notes a change that no record tells of. */
export function contentChanged(): void {
  content++;
  bump();
}

/** afterChange calls f at the next change, once. */
export function afterChange(f: () => void): void {
  waiters.push(f);
}
