import { closest, firstElementChild, isConnected, isHTML, isLabel, localName, matches, nextElementSibling, rectOf, rectsOf, scrollIntoView, styleOf } from "../shared/safe-dom";
import { brand, method } from "../shared/safe";
import { flatParent, hit, within } from "../shared/tree";
import { areaBox, edgePoints, imageOf } from "./areas";
import { isWidget, roleOf } from "./roles";
import { scrollPoint } from "./scrolls";
import { describeCover } from "./covers";

// Finding a point of an element that the pointer reaches.

/** Point is a place in the viewport. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Found is a point where the element is hit, or what is hit instead. */
export interface Found {
  readonly point: Point | null;
  readonly cover: Element | null; // null: the element is outside of the viewport
}

const mostRects = 8;

function visiblePart(r: DOMRect): { left: number; top: number; right: number; bottom: number } | null {
  const left = Math.max(r.left, 0), top = Math.max(r.top, 0), right = Math.min(r.right, window.innerWidth), bottom = Math.min(r.bottom, window.innerHeight);
  return right - left >= 1 && bottom - top >= 1 ? { left, top, right, bottom } : null;
}

/** boxesOf are the boxes of an element that have a size, of what it holds if its own have none. */
export function boxesOf(e: Element): DOMRect[] {
  const area = areaBox(e);
  if (area !== null) return [area];
  const own = [...rectsOf(e)].filter((r) => r.width > 0 && r.height > 0);
  if (own.length > 0) return own.slice(0, mostRects);
  const out: DOMRect[] = [];
  for (let c = firstElementChild(e); c !== null; c = nextElementSibling(c)) {
    const r = rectOf(c);
    if (r.width > 0 && r.height > 0) out.push(r);
    if (out.length === mostRects) break;
  }
  return out;
}

// points are where to try, the middle of each box first.
function points(boxes: readonly DOMRect[]): Point[] {
  const out: Point[] = [];
  const parts = boxes.map(visiblePart).filter((p) => p !== null);
  for (const p of parts) out.push({ x: (p.left + p.right) / 2, y: (p.top + p.bottom) / 2 });
  for (const p of parts.slice(0, 3)) {
    for (const fy of [0.5, 0.25, 0.75, 0.08, 0.92]) {
      for (const fx of [0.5, 0.25, 0.75, 0.08, 0.92]) {
        if (fx !== 0.5 || fy !== 0.5) out.push({ x: p.left + (p.right - p.left) * fx, y: p.top + (p.bottom - p.top) * fy });
      }
    }
  }
  return out;
}

/** accepts tells whether a press on what was hit acts on the element. */
function accepts(e: Element, proxies: readonly Element[], at: Element): boolean {
  if (within(at, e) && !stolen(at, e)) return true;
  for (const p of proxies) if (within(at, p) && !stolen(at, p)) return true;
  // Where the pointer passes through the element, what it is part of gets the
  // press, if that is something to press.
  if (styleOf(e).pointerEvents === "none" && within(e, at) && isWidget(roleOf(at)) && !isWidget(roleOf(e))) return true;
  const label = closest(at, "label");
  return label !== null && isLabel(label) && label.control === e && !stolen(at, label);
}

// stolen tells whether something to press of its own lies between what was hit
// and the element that should get the press.
function stolen(at: Element, e: Element): boolean {
  for (let p: Element | null = at; p !== null && p !== e; p = flatParent(p)) {
    if (matches(p, "a[href],button,input,select,textarea,iframe") && localName(e) !== "iframe") return true;
  }
  return false;
}

// outlined are points on the line of a drawn shape: one without a filling is
// hit nowhere else.
function outlined(e: Element): Point[] {
  if (isHTML(e) || !isDrawn(e)) return [];
  const map = screenMatrix(e);
  if (map === null) return [];
  const out: Point[] = [];
  const length = totalLength(e);
  for (const part of [0.5, 0.25, 0.75, 0.1, 0.9]) {
    const p = pointAt(e, length * part);
    const at = { x: p.x * map.a + p.y * map.c + map.e, y: p.x * map.b + p.y * map.d + map.f };
    if (at.x >= 0 && at.y >= 0 && at.x < window.innerWidth && at.y < window.innerHeight) out.push(at);
  }
  return out;
}

const isDrawn = brand(SVGGeometryElement.prototype, "pathLength");
const screenMatrix = method(SVGGraphicsElement.prototype, (e) => e.getScreenCTM);
const totalLength = method(SVGGeometryElement.prototype, (e) => e.getTotalLength);
const pointAt = method(SVGGeometryElement.prototype, (e): ((at: number) => DOMPoint) => e.getPointAtLength);

/** reach looks for a point of e that is hit, where it lies now. */
function reach(e: Element, proxies: readonly Element[]): Found {
  let cover: Element | null = null;
  for (const source of [e, ...proxies]) {
    for (const p of [...points(boxesOf(source)), ...outlined(source), ...edgePoints(source)]) {
      const at = hit(p.x, p.y);
      if (at === null) continue;
      if (accepts(e, proxies, at)) return { point: p, cover: null };
      cover ??= at;
    }
  }
  return { point: null, cover };
}

const places: readonly ScrollIntoViewOptions[] = [
  { block: "center", inline: "center", behavior: "instant" },
  { block: "end", inline: "end", behavior: "instant" },
  { block: "start", inline: "start", behavior: "instant" },
];

/** bring scrolls e to where it can be hit, if it is not. */
export function bring(e: Element, proxies: readonly Element[]): Found {
  let found = reach(e, proxies);
  let first = found;
  const source = boxesOf(e).length > 0 ? e : (proxies[0] ?? e);
  for (const how of places) {
    if (found.point !== null || !isConnected(e)) return found;
    const image = imageOf(source);
    if (image === null) scrollIntoView(source, how);
    else scrollPoint(image, () => middle(source));
    found = reach(e, proxies);
    if (first.cover === null) first = found;
  }
  return found.point !== null ? found : first;
}

function middle(e: Element): Point {
  const r = boxesOf(e)[0] ?? rectOf(e);
  return { x: (r.left + r.right) / 2, y: (r.top + r.bottom) / 2 };
}

/** visibleMiddle is the middle of what is in the viewport of e. */
export function visibleMiddle(e: Element): Point {
  const r = boxesOf(e)[0] ?? rectOf(e);
  const p = visiblePart(r) ?? r;
  return { x: (p.left + p.right) / 2, y: (p.top + p.bottom) / 2 };
}

/** inView tells whether the middle of e is in the viewport. */
export function inView(e: Element): boolean {
  const r = rectOf(e);
  const x = r.left + r.width / 2, y = r.top + r.height / 2;
  return x >= 0 && y >= 0 && x <= window.innerWidth && y <= window.innerHeight;
}

/** meetsView tells whether any of e is in the viewport. */
export function meetsView(e: Element): boolean {
  return visiblePart(rectOf(e)) !== null;
}

/** coveredBy says what is in the way. */
export function coveredBy(e: Element, found: Found): string {
  if (found.cover === null) return "outside of the viewport";
  if (within(e, found.cover)) return styleOf(e).pointerEvents === "none" ? "transparent to the pointer" : `not hit itself, only ${describeCover(found.cover)} around it`;
  return `covered by ${describeCover(found.cover)}`;
}
