import { clientLeft, clientTop, isHTML, offsetHeight, offsetWidth, rectOf, styleOf } from "../shared/safe-dom";
import { flatParent } from "../shared/tree";
import type { Point } from "./hits";

// Where the viewport of a frame lies in this one. What transforms the frame's
// element and all around it turns and slants it, but keeps straight lines
// parallel: how is told by the styles, whereto by the box that it fills.
// Perspective does not, and is taken for the nearest plain scaling.

/** Place maps points of a frame's viewport to this one and back. */
export interface Place {
  readonly outward: (p: Point) => Point;
  readonly inward: (p: Point) => Point;
}

/** placeOf is where the viewport of a frame's element lies. */
export function placeOf(e: Element): Place {
  const r = rectOf(e);
  const style = styleOf(e);
  const width = isHTML(e) ? offsetWidth(e) : r.width, height = isHTML(e) ? offsetHeight(e) : r.height;
  const x0 = clientLeft(e) + parseFloat(style.paddingLeft), y0 = clientTop(e) + parseFloat(style.paddingTop);
  const { a, b, c, d } = scaled(turnOf(e), r, width, height);
  const left = r.left - Math.min(0, a * width, c * height, a * width + c * height);
  const top = r.top - Math.min(0, b * width, d * height, b * width + d * height);
  const det = a * d - b * c;
  return {
    outward: (p) => ({ x: left + a * (p.x + x0) + c * (p.y + y0), y: top + b * (p.x + x0) + d * (p.y + y0) }),
    inward: (p) => ({ x: (d * (p.x - left) - c * (p.y - top)) / det - x0, y: (a * (p.y - top) - b * (p.x - left)) / det - y0 }),
  };
}

interface Turn {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

// scaled fits a turn to the box that it makes of one of that size: zooming is
// in no transform. Where nothing turns, or a turn is not known, the box tells all.
function scaled(t: Turn | null, r: DOMRect, width: number, height: number): Turn {
  const plain = { a: width > 0 ? r.width / width : 1, b: 0, c: 0, d: height > 0 ? r.height / height : 1 };
  if (t === null || (t.b === 0 && t.c === 0 && t.a >= 0 && t.d >= 0) || Math.abs(t.a * t.d - t.b * t.c) < 1e-6) return plain;
  const k = (r.width + r.height) / (Math.abs(t.a * width) + Math.abs(t.c * height) + Math.abs(t.b * width) + Math.abs(t.d * height));
  return { a: t.a * k, b: t.b * k, c: t.c * k, d: t.d * k };
}

// turnOf is what all transforms from an element up do to directions, null when
// that depends on the place.
function turnOf(e: Element): Turn | null {
  let all = new DOMMatrix();
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    const style = styleOf(p);
    const own = matrixOf(style);
    if (p !== e && style.transformStyle !== "preserve-3d") all = flat(all);
    if (own !== null) all = own.multiply(all);
    if (all.m14 !== 0 || all.m24 !== 0 || all.m34 !== 0 || (p !== e && style.perspective !== "none" && !all.is2D)) return null;
  }
  return { a: all.m11, b: all.m12, c: all.m21, d: all.m22 };
}

function flat(m: DOMMatrix): DOMMatrix {
  return new DOMMatrix([m.m11, m.m12, m.m21, m.m22, 0, 0]);
}

// matrixOf is the transform of one element without what it moves.
function matrixOf(style: CSSStyleDeclaration): DOMMatrix | null {
  const { rotate, scale, transform } = style;
  if (rotate === "none" && scale === "none" && transform === "none") return null;
  const words: string[] = [];
  if (rotate !== "none") words.push(turning(rotate));
  if (scale !== "none") words.push(scaling(scale));
  if (transform !== "none") words.push(transform);
  const m = new DOMMatrix(words.join(" "));
  m.m41 = m.m42 = m.m43 = 0;
  return m;
}

const axes: Readonly<Record<string, string>> = { x: "1,0,0", y: "0,1,0", z: "0,0,1" };

// turning is the function for a value of the property rotate.
function turning(value: string): string {
  const parts = value.split(" ");
  const angle = parts.pop() ?? "0deg";
  const axis = parts.length === 3 ? parts.join(",") : (axes[parts[0] ?? "z"] ?? "0,0,1");
  return axis === "0,0,1" ? `rotate(${angle})` : `rotate3d(${axis},${angle})`;
}

// scaling is the function for a value of the property scale.
function scaling(value: string): string {
  const [x = "1", y = x, z] = value.split(" ");
  return z === undefined ? `scale(${x},${y})` : `scale3d(${x},${y},${z})`;
}
