import {
  checkVisibility, dataOf, firstChild, getAttribute, hasAttributes, isHTML, isText, nextSibling, scrollsBack, localName, nextElementSibling, offsetHeight, offsetWidth, previousElementSibling, rectOf, rectOfText, scrollLeft, scrollTop, styleOf, textContent, top,
} from "../shared/safe-dom";
import { flatParent } from "../shared/tree";
import { clippedAway } from "./clips";
import { isClear } from "./colours";

// What a person could perceive. Off screen because one must scroll is seen.

/** hidden: nothing in it is seen; through: it is not, what is in it may be. */
export type Seen = "hidden" | "through" | "shown";

/** Look is what the walk over a page needs to know of an element's looks. */
export interface Look {
  readonly seen: Seen;
  readonly inline: boolean;
  readonly pointer: boolean; // the pointer becomes a hand over it
  readonly rect: DOMRect | null;
}

const both = { opacityProperty: true, visibilityProperty: true };
const opacity = { opacityProperty: true };
const hidden: Look = { seen: "hidden", inline: false, pointer: false, rect: null };

/** look tells how an element is seen; outer is the box that it stands in. */
export function look(e: Element, outer: DOMRect | null): Look {
  const style = styleOf(e);
  const display = style.display;
  const boxless = display === "contents";
  let seen: Seen = "shown";
  if (!checkVisibility(e, both)) {
    if (display === "none" || (!boxless && !checkVisibility(e, opacity))) return hidden;
    if (style.visibility !== "visible") seen = "through";
  }
  if (seen === "shown" && hasAttributes(e) && veiled(e, style)) return hidden;
  // Plain inline elements lie where their parents do.
  const plain = boxless || (display === "inline" && !hasAttributes(e));
  const rect = plain ? outer : rectOf(e);
  if (!plain && rect !== null && tucked(e, style, rect, outer)) {
    return seen === "shown" && standsIn(e) ? { seen, inline: true, pointer: false, rect: outer } : hidden;
  }
  if (seen === "shown" && rect !== null && rect.left < -far && rect.right > 0 && adrift(e)) seen = "through";
  return { seen, inline: boxless || display.startsWith("inline") || display.startsWith("ruby"), pointer: style.cursor === "pointer", rect };
}

// So far from the edge of the page a box begins whose text may lie outside.
const far = 500;

// So far up an element is looked for in a box that hides it.
const climb = 60;

/** isShown tells whether an element itself is seen. */
export function isShown(e: Element): boolean {
  if (!checkVisibility(e, both) && styleOf(e).display !== "contents") return false;
  let p: Element | null = e;
  for (let i = 0; i < climb && p !== null; i++, p = flatParent(p)) {
    const style = styleOf(p);
    if (style.display === "contents") continue;
    const up = flatParent(p);
    if (hasAttributes(p) && veiled(p, style)) return false;
    if (tucked(p, style, rectOf(p), up === null ? null : rectOf(up))) return false;
  }
  return true;
}

// veiled tells whether an element is too faint to be seen. Its place is kept, so
// that what comes in by a transition is read once it has begun to show.
function veiled(e: Element, style: CSSStyleDeclaration): boolean {
  if (parseFloat(style.opacity) < 0.1) return true;
  if (style.backfaceVisibility === "hidden" && turned(e, style)) return true;
  const mask = style.maskImage;
  if (mask !== "none" && isClear(mask)) return true;
  const filter = style.filter;
  return filter !== "none" && /opacity\((0|0\.0\d*)\)|blur\((\d{2,})/.test(filter);
}

// turned tells whether the back of an element is what is to be seen.
function turned(e: Element, style: CSSStyleDeclaration): boolean {
  let m = new DOMMatrix(style.transform).multiply(rotation(style));
  for (let p = flatParent(e); p !== null; p = flatParent(p)) {
    const s = styleOf(p);
    if (s.transformStyle !== "preserve-3d") break;
    m = new DOMMatrix(s.transform).multiply(rotation(s)).multiply(m);
  }
  return m.m33 < 0;
}

// rotation is what the property rotate turns an element by.
function rotation(style: CSSStyleDeclaration): DOMMatrix {
  const r = /^(?:([xyz]) |(-?[\d.]+) (-?[\d.]+) (-?[\d.]+) )?(-?[\d.]+)deg$/.exec(style.rotate);
  const m = new DOMMatrix();
  if (r === null) return m;
  const along = (axis: string, i: number): number => (r[1] === axis ? 1 : Number(r[i] ?? 0));
  return m.rotateAxisAngle(along("x", 2), along("y", 3), along("z", 4) || (r[1] === undefined && r[2] === undefined ? 1 : 0), Number(r[5]));
}

const longestStandIn = 80;

// standsIn tells whether a text kept out of sight says what is shown beside it
// and hidden from screen readers, such as a price set in pieces or an icon.
function standsIn(e: Element): boolean {
  if (localName(e) !== "span" || (textContent(e) ?? "").length > longestStandIn) return false;
  return [previousElementSibling(e), nextElementSibling(e)].some((s) => s !== null && getAttribute(s, "aria-hidden") === "true" && checkVisibility(s, both) && rectOf(s).width > 1);
}

// tucked tells whether an element is clipped to nothing or lies where no
// scrolling reaches.
function tucked(e: Element, style: CSSStyleDeclaration, rect: DOMRect, outer: DOMRect | null): boolean {
  const w = rect.width, h = rect.height;
  if (w <= 1 || h <= 1) {
    if ((style.transform !== "none" || style.scale !== "none") && isHTML(e) && offsetWidth(e) > 1 && offsetHeight(e) > 1) return true;
    if (w === 0 && h === 0 && style.overflowX === "visible" && style.clipPath === "none") return false;
    const tag = localName(e);
    if (tag === "body" || tag === "html") return false;
    return style.overflowX !== "visible" || style.overflowY !== "visible" || style.clipPath !== "none" || rectangle(style) !== "auto";
  }
  if (hasAttributes(e) && style.clipPath !== "none" && clippedAway(style.clipPath, w, h)) return true;
  const position = style.position;
  if (position === "absolute" && /^rect\((?:0px|1px)(?:,? (?:0px|1px)){3}\)$/.test(rectangle(style))) return true;
  if (position === "fixed" && (rect.right <= 0 || rect.bottom <= 0 || rect.left >= window.innerWidth || rect.top >= window.innerHeight)) return !carried(e);
  if (rect.right <= 0 || rect.bottom <= 0) return beyond(e, rect);
  if (rect.left >= window.innerWidth && scrollsBack().left && rect.left + window.scrollX >= window.innerWidth && !scrolledIn(e)) return true;
  if (outer !== null && outer.width > 0 && outer.height > 0 && apart(rect, outer)) return clipped(e, rect, style);
  return false;
}

// adrift tells whether the text directly in a box that begins left of the page
// lies there too.
function adrift(e: Element): boolean {
  if (scrollsBack().left) return false;
  for (let n = firstChild(e); n !== null; n = nextSibling(n)) {
    if (!isText(n) || dataOf(n).trim() === "") continue;
    const glyphs = rectOfText(n);
    return glyphs.width > 0 && glyphs.right + window.scrollX <= 0;
  }
  return false;
}

// carried tells whether a fixed element lies in a box that moves with the page
// all the same.
function carried(e: Element): boolean {
  for (let p = flatParent(e); p !== null; p = flatParent(p)) {
    const style = styleOf(p);
    if (style.transform !== "none" || style.filter !== "none" || style.perspective !== "none" || /paint|layout|strict|content/.test(style.contain) || /transform|filter|perspective/.test(style.willChange)) return true;
  }
  return false;
}

// rectangle is the older way to clip, which hides labels for screen readers.
function rectangle(style: CSSStyleDeclaration): string {
  return style.getPropertyValue("clip") || "auto";
}

function apart(a: DOMRect, b: DOMRect): boolean {
  return a.right <= b.left || a.left >= b.right || a.bottom <= b.top || a.top >= b.bottom;
}

// beyond tells whether a box left of or above the page stays there when the
// boxes that it is in are scrolled back.
function beyond(e: Element, rect: DOMRect): boolean {
  let x = rect.right + window.scrollX, y = rect.bottom + window.scrollY;
  const back = scrollsBack();
  if ((x > 0 || back.left) && (y > 0 || back.up)) return false;
  for (let p = flatParent(e); p !== null && p !== top(); p = flatParent(p)) {
    x += Math.abs(scrollLeft(p));
    y += scrollTop(p);
    if (x > 0 && y > 0) return false;
  }
  return (x <= 0 && !back.left) || (y <= 0 && !back.up);
}

// scrolledIn tells whether an element is in a box that cuts what it holds.
function scrolledIn(e: Element): boolean {
  for (let p = flatParent(e); p !== null && p !== top() && localName(p) !== "body"; p = flatParent(p)) if (styleOf(p).overflowX !== "visible") return true;
  return false;
}

// clipped tells whether a box outside of its parent's is cut away by one that
// does not scroll.
function clipped(e: Element, rect: DOMRect, style: CSSStyleDeclaration): boolean {
  let free = style.position === "fixed" || style.position === "absolute";
  if (style.position === "fixed") return false;
  for (let p = flatParent(e); p !== null; p = flatParent(p)) {
    const tag = localName(p);
    if (tag === "body" || tag === "html") return false;
    const s = styleOf(p);
    if (free && s.position === "static" && s.transform === "none") continue;
    free = s.position === "absolute";
    if (s.position === "fixed" && s.overflowX === "visible") return false;
    const box = rectOf(p);
    const sideways = rect.right <= box.left || rect.left >= box.right;
    const upright = rect.bottom <= box.top || rect.top >= box.bottom;
    if (sideways && s.overflowX !== "visible") return s.overflowX === "hidden" || s.overflowX === "clip";
    if (upright && s.overflowY !== "visible") return s.overflowY === "hidden" || s.overflowY === "clip";
    if (!sideways && !upright) return false;
  }
  return false;
}
