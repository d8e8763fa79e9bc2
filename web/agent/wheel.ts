import type { MouseGiven } from "../shared/protocol.gen";
import { isConnected, scrollBoxBy, scroller, scrollLeft, scrollTop, styleOf } from "../shared/safe-dom";
import { flatParent } from "../shared/tree";
import { give } from "./given";
import { scrolled } from "./unheard";

// Scrolling as a wheel and keys do.

/** wheel turns the wheel over an element. */
export function wheel(at: Element, m: MouseGiven, init: MouseEventInit): void {
  const dx = m.dx ?? 0, dy = m.dy ?? 0;
  if (give(at, new WheelEvent("wheel", { ...init, deltaX: dx, deltaY: dy, deltaMode: 0 })) && isConnected(at)) scrollFrom(at, dx, dy);
}

/** scrollFrom scrolls the nearest box around an element that can go that way, and tells whether one did. */
export function scrollFrom(e: Element, dx: number, dy: number): boolean {
  const page = scroller();
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    if (p !== page && !scrolls(p, dx, dy)) continue;
    if (moved(p, dx, dy)) return true;
  }
  return page !== null && moved(page, dx, dy);
}

function scrolls(e: Element, dx: number, dy: number): boolean {
  const s = styleOf(e);
  const goes = (v: string): boolean => v === "auto" || v === "scroll";
  return (dx !== 0 && goes(s.overflowX)) || (dy !== 0 && goes(s.overflowY));
}

function moved(e: Element, dx: number, dy: number): boolean {
  const left = scrollLeft(e), top = scrollTop(e);
  scrollBoxBy(e, { left: dx, top: dy, behavior: "instant" });
  if (scrollLeft(e) === left && scrollTop(e) === top) return false;
  scrolled(e);
  return true;
}
