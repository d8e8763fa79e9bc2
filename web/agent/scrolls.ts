import {
  body, clientHeight, clientWidth, localName, rectOf, scrollBoxBy, scroller, scrollHeight, scrollWidth, styleOf, top,
} from "../shared/safe-dom";
import { flatParent } from "../shared/tree";
import type { Point } from "./hits";

// Boxes that scroll.

/** scrolls tells whether a person can scroll an element along an axis. */
export function scrolls(e: Element, axis: "x" | "y"): boolean {
  const whole = e === scroller();
  const room = axis === "y" ? scrollHeight(e) - clientHeight(e) : scrollWidth(e) - clientWidth(e);
  if (room <= 0) return false;
  const style = styleOf(e);
  const overflow = axis === "y" ? style.overflowY : style.overflowX;
  if (!whole) return overflow === "auto" || overflow === "scroll" || overflow === "overlay";
  // The viewport takes the overflow of the root, or of the body if that has none.
  const root = top();
  const inner = body();
  const from = root === null ? style : styleOf(root);
  const given = axis === "y" ? from.overflowY : from.overflowX;
  const used = given === "visible" && inner !== null ? (axis === "y" ? styleOf(inner).overflowY : styleOf(inner).overflowX) : given;
  return used !== "hidden" && used !== "clip";
}

/** isScrollable tells whether a person can scroll an element at all. */
export function isScrollable(e: Element): boolean {
  return scrolls(e, "y") || scrolls(e, "x");
}

/** scrollersAbove are the boxes around e that scroll, the innermost first. */
export function scrollersAbove(e: Element): Element[] {
  const out: Element[] = [];
  for (let p = flatParent(e); p !== null; p = flatParent(p)) {
    const tag = localName(p);
    if (tag === "html" || tag === "body") continue;
    if (isScrollable(p)) out.push(p);
  }
  const page = scroller();
  if (page !== null && isScrollable(page)) out.push(page);
  return out;
}

// clippersAbove are the boxes around e that can be scrolled, if not by people:
// what a browser does to bring something into view.
function clippersAbove(e: Element): Element[] {
  const out: Element[] = [];
  const page = scroller();
  for (let p = flatParent(e); p !== null; p = flatParent(p)) {
    const tag = localName(p);
    if (tag === "html" || tag === "body" || p === page) continue;
    const { overflowX, overflowY } = styleOf(p);
    const x = overflowX !== "visible" && overflowX !== "clip" && scrollWidth(p) > clientWidth(p);
    const y = overflowY !== "visible" && overflowY !== "clip" && scrollHeight(p) > clientHeight(p);
    if (x || y) out.push(p);
  }
  if (page !== null) out.push(page);
  return out;
}

/** scrollPoint scrolls what is around e until a point of it is in view. */
export function scrollPoint(e: Element, point: () => Point): void {
  for (const s of clippersAbove(e)) {
    const p = point();
    const whole = s === scroller();
    const box = whole ? { left: 0, top: 0, right: window.innerWidth, bottom: window.innerHeight } : rectOf(s);
    if (p.x > box.left && p.x < box.right && p.y > box.top && p.y < box.bottom && !whole) continue;
    scrollBoxBy(s, { left: p.x - (box.left + box.right) / 2, top: p.y - (box.top + box.bottom) / 2, behavior: "instant" });
  }
}

/** Part is a rectangle of the viewport. */
export interface Part {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** partLeft is the part of an element that the boxes around it leave to be seen. */
export function partLeft(e: Element): Part {
  let { left, top, right, bottom }: Part = rectOf(e);
  for (const s of scrollersAbove(e)) {
    if (s === scroller()) continue;
    const box = rectOf(s);
    left = Math.max(left, box.left);
    top = Math.max(top, box.top);
    right = Math.min(right, box.right);
    bottom = Math.min(bottom, box.bottom);
  }
  return { left, top, right, bottom };
}

/** isCutOff tells whether a box that scrolls hides a part of an element. */
export function isCutOff(e: Element): boolean {
  const r = rectOf(e), p = partLeft(e);
  return p.left > r.left || p.top > r.top || p.right < r.right || p.bottom < r.bottom;
}
