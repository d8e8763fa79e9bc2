import { body, checkVisibility, isDrawing, isElement, isHTML, isInput, getAttribute, matches, tabIndexOf, top } from "../shared/safe-dom";
import { focused, kidsOf, nextKid, rootIn, within } from "../shared/tree";
import { focusOn } from "./focusing";
import { isFrame } from "./frames";
import { isEditingHost } from "./values";
import { modalPath } from "./ways";

// The order in which Tab goes through a document.

interface Stop {
  readonly element: Element;
  readonly index: number; // its tabindex
}

interface Order {
  readonly stops: readonly Stop[];
  readonly before: number; // stops before the place from which it goes on; -1: it is none
}

function indexOf(e: Element): number {
  const given = getAttribute(e, "tabindex");
  if (given !== null && /^\s*[+-]?\d/.test(given)) return parseInt(given, 10);
  if (isFrame(e) || isEditingHost(e)) return 0;
  return isHTML(e) ? tabIndexOf(e) : isDrawing(e) && matches(e, "a[href]") ? 0 : -1;
}

function takes(e: Element): boolean {
  if (matches(e, ":disabled") || (isInput(e) && e.type === "hidden") || !checkVisibility(e, { visibilityProperty: true })) return false;
  // A host that hands the focus on is none itself.
  return rootIn(e)?.delegatesFocus !== true;
}

// released tells a radio button that is not the one of its group which Tab stops at.
function released(e: Element, all: readonly Element[]): boolean {
  if (!isInput(e) || e.type !== "radio" || e.checked || e.name === "") return false;
  return all.some((o) => isInput(o) && o !== e && o.type === "radio" && o.name === e.name && o.form === e.form && o.checked);
}

// orderFrom lists where Tab stops, and finds a place among them.
function orderFrom(from: Element | null): Order {
  const root = modalPath()?.dialog ?? top();
  const all: Element[] = [];
  let at = -1;
  const walk = (p: Element): void => {
    if (p === from) at = all.length;
    if (matches(p, "[inert]")) return;
    const index = indexOf(p);
    if (index >= 0 && takes(p)) all.push(p);
    if (isFrame(p) || (index < 0 && rootIn(p) !== null && getAttribute(p, "tabindex") !== null)) return;
    const kids = kidsOf(p);
    for (let n = nextKid(kids); n !== null; n = nextKid(kids)) if (isElement(n)) walk(n);
  };
  if (root !== null) walk(root);
  const earlier = at < 0 ? [] : all.slice(0, at);
  const stops = all.filter((e) => e === from || !released(e, all)).map((element) => ({ element, index: indexOf(element) }));
  const rank = (s: Stop): number => (s.index > 0 ? s.index : Infinity);
  const sorted = stops.map((s, i) => ({ s, i })).sort((a, b) => (rank(a.s) === rank(b.s) ? a.i - b.i : rank(a.s) - rank(b.s))).map((x) => x.s);
  const own = sorted.findIndex((s) => s.element === from);
  if (own >= 0) return { stops: sorted, before: own };
  return { stops: sorted, before: at < 0 ? -1 : sorted.filter((s) => earlier.includes(s.element)).length };
}

/**
 * tabOn moves the focus on from an element, from the beginning when that is
 * null. It returns what has it then, or null when there is nothing more.
 */
export function tabOn(from: Element | null, back: boolean): Element | null {
  const { stops, before } = orderFrom(from);
  const self = stops[before]?.element === from;
  const way = back
    ? stops.slice(0, before < 0 ? stops.length : before).toReversed()
    : stops.slice(before < 0 ? 0 : self ? before + 1 : before);
  for (const s of way) {
    if (!focusOn(s.element)) continue;
    if (isInput(s.element) && matches(s.element, ":read-write")) s.element.select();
    return s.element;
  }
  return null;
}

/** tabStart is where Tab goes on: the focus, else what was pressed last. */
export function tabStart(pressed: Element | null): Element | null {
  const now = focused();
  if (now !== null && now !== body() && now !== top()) return now;
  const root = top();
  return pressed !== null && root !== null && within(pressed, root) ? pressed : null;
}
