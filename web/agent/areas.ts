import { clientLeft, clientTop, getAttribute, hasAttribute, isArea, isImage, localName, offsetHeight, offsetWidth, parentElement, queryAll, rectOf, rootOf, isShadow, styleOf, top, queryFragmentAll } from "../shared/safe-dom";
import type { Point } from "./hits";

// The areas of image maps have no boxes of their own: they are where their
// image is, by coordinates in it.

const mostAreas = 200;

/** areasOf are the areas of an image that lead somewhere. */
export function areasOf(e: Element): HTMLAreaElement[] {
  if (!isImage(e)) return [];
  const name = mapName(e);
  if (name === "") return [];
  const map = inTree(e, "map").find((m) => getAttribute(m, "name") === name || getAttribute(m, "id") === name);
  if (map === undefined) return [];
  return [...queryAll(map, "area")].slice(0, mostAreas).filter(isArea).filter((a) => hasAttribute(a, "href") || hasAttribute(a, "onclick") || hasAttribute(a, "tabindex"));
}

function mapName(e: Element): string {
  const given = getAttribute(e, "usemap");
  return given === null ? "" : given.slice(given.indexOf("#") + 1);
}

function inTree(e: Element, selector: string): readonly Element[] {
  const root = rootOf(e);
  if (isShadow(root)) return [...queryFragmentAll(root, selector)];
  const page = top();
  return page === null ? [] : [...queryAll(page, selector)];
}

/** imageOf is the image that an area is a part of; null when there is none. */
export function imageOf(area: Element): Element | null {
  if (!isArea(area)) return null;
  let map = parentElement(area);
  while (map !== null && localName(map) !== "map") map = parentElement(map);
  if (map === null) return null;
  const names = [getAttribute(map, "name"), getAttribute(map, "id")];
  return inTree(area, "img[usemap]").find((i) => names.includes(mapName(i))) ?? null;
}

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly x: number; // scale
  readonly y: number;
}

function frameOfImage(area: Element): Frame | null {
  const img = imageOf(area);
  if (img === null || !isImage(img)) return null;
  const r = rectOf(img), style = styleOf(img);
  const width = offsetWidth(img), height = offsetHeight(img);
  if (width === 0 || height === 0) return null;
  const x = r.width / width, y = r.height / height;
  const pad = (s: string): number => parseFloat(s) || 0;
  return {
    left: r.left + (clientLeft(img) + pad(style.paddingLeft)) * x, top: r.top + (clientTop(img) + pad(style.paddingTop)) * y, x, y,
    width: r.width, height: r.height,
  };
}

function cornersOf(area: HTMLAreaElement, f: Frame): Point[] {
  const n = area.coords.split(/[^\d.+-]+/).filter((s) => s !== "").map(Number);
  const at = (x: number, y: number): Point => ({ x: f.left + x * f.x, y: f.top + y * f.y });
  const shape = area.shape.toLowerCase();
  const [a = 0, b = 0, c = 0, d = 0] = n;
  if (shape === "default") return [{ x: f.left, y: f.top }, { x: f.left + f.width, y: f.top + f.height }];
  if (shape.startsWith("circ")) return [at(a - c, b - c), at(a + c, b + c)];
  if (!shape.startsWith("poly")) return [at(a, b), at(c, d)];
  const out: Point[] = [];
  for (let i = 0; i + 1 < n.length; i += 2) out.push(at(n[i] ?? 0, n[i + 1] ?? 0));
  return out;
}

/** areaBox is the box around an area in the viewport; null when it is nowhere. */
export function areaBox(e: Element): DOMRect | null {
  const f = isArea(e) ? frameOfImage(e) : null;
  if (f === null || !isArea(e)) return null;
  const corners = cornersOf(e, f);
  if (corners.length < 2) return null;
  const xs = corners.map((p) => p.x), ys = corners.map((p) => p.y);
  const left = Math.min(...xs), upper = Math.min(...ys);
  return new DOMRect(left, upper, Math.max(...xs) - left, Math.max(...ys) - upper);
}

const inside = 3; // CSS pixels

/** edgePoints are points just beside the edges of an area with corners, some of which lie in it. */
export function edgePoints(e: Element): Point[] {
  const f = isArea(e) ? frameOfImage(e) : null;
  if (f === null || !isArea(e) || !e.shape.toLowerCase().startsWith("poly")) return [];
  const corners = cornersOf(e, f).slice(0, 40);
  return corners.flatMap((p, i) => {
    const q = corners[(i + 1) % corners.length] ?? p;
    const far = Math.hypot(q.x - p.x, q.y - p.y);
    if (far < 2 * inside) return [];
    const x = (p.x + q.x) / 2, y = (p.y + q.y) / 2, dx = ((q.y - p.y) / far) * inside, dy = ((p.x - q.x) / far) * inside;
    return [{ x: x + dx, y: y + dy }, { x: x - dx, y: y - dy }];
  });
}
