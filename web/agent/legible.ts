import { getAttribute, hasAttributes, isHTML, isShadow, localName, queryAll, queryFragmentAll, rectOf, rootOf, styleOf, top, zoomOf } from "../shared/safe-dom";
import { flatParent, within } from "../shared/tree";
import { alike, colourOf, faint, over, plainOf, type Colour } from "./colours";

// Whether text can be read where it stands: its size, its place, and its colour
// on what lies behind it.

/**
 * legible tells whether text directly in an element that is shown can be read:
 * it has a size, a colour of its own, and a place.
 */
export function legible(e: Element): boolean {
  const style = styleOf(e);
  if (style.visibility !== "visible") return false;
  const size = parseFloat(style.fontSize);
  if (size * zoomOf(e) < 2) return false;
  const spacing = style.letterSpacing;
  if (spacing.startsWith("-") && -parseFloat(spacing) > piled * size) return false;
  const indent = style.textIndent;
  if (indent !== "0px" && away(indent, style)) return false;
  if (style.contentVisibility === "hidden") return false;
  const security = style.getPropertyValue("-webkit-text-security");
  if (security !== "" && security !== "none") return false;
  const html = isHTML(e);
  if (!html && style.fill === "none") return style.stroke !== "none";
  const colour = colourOf(html ? style.webkitTextFillColor || style.color : style.fill);
  if (!html && parseFloat(style.fillOpacity) < faint) return false;
  if (colour === null) return true;
  if (colour.a < faint) return style.backgroundClip === "text" || decorated(style);
  if (!html) return true;
  const back = backOf(e);
  return back === null || !alike(colour, back) || decorated(style) || blended(e) || layered(e, colour);
}

// Letters set back by more than this part of their size lie on each other.
const piled = 0.4;

// blended tells whether an element is mixed with what lies behind it, so that
// it has another colour than its own.
function blended(e: Element): boolean {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) if (styleOf(p).mixBlendMode !== "normal") return true;
  return false;
}

function away(indent: string, style: CSSStyleDeclaration): boolean {
  const n = parseFloat(indent);
  return n <= -500 || (n >= 90 && indent.endsWith("%") && style.overflowX !== "visible");
}

function decorated(style: CSSStyleDeclaration): boolean {
  return style.textShadow !== "none" || style.webkitTextStrokeWidth !== "0px";
}

// What lies behind elements, for as long as the page is not looked at again;
// null where it cannot be told.
let backs = new WeakMap<Element, Colour | null>();
let layers = new WeakMap<Node, readonly Element[] | null>();

/** forgetBacks makes the next look at colours a new one. */
export function forgetBacks(): void {
  backs = new WeakMap();
  bare.clear();
  layers = new WeakMap();
}

const white: Colour = { r: 255, g: 255, b: 255, a: 1 };

function backOf(e: Element): Colour | null {
  const chain: Element[] = [];
  let found: Colour | null | undefined;
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    found = backs.get(p);
    if (found !== undefined) break;
    chain.push(p);
  }
  if (found === undefined) found = canvas();
  for (let p = chain.pop(); p !== undefined; p = chain.pop()) {
    found = behind(p, found);
    backs.set(p, found);
  }
  return found;
}

// Elements of one kind that were seen to have no background of their own have
// none, as long as the page is not looked at again.
const bare = new Set<string>();

function behind(e: Element, under: Colour | null): Colour | null {
  const kind = hasAttributes(e) ? `${localName(e)} ${getAttribute(e, "class") ?? ""} ${getAttribute(e, "id") ?? ""} ${getAttribute(e, "style") ?? ""}` : localName(e);
  if (bare.has(kind)) return under;
  const style = styleOf(e);
  if (style.backgroundImage !== "none") return style.backgroundClip === "text" ? null : plainOf(style.backgroundImage);
  const own = style.backgroundColor;
  if (own === "rgba(0, 0, 0, 0)") {
    bare.add(kind);
    return under;
  }
  const c = colourOf(own);
  if (c === null || style.backgroundClip === "text") return null;
  return c.a === 1 ? c : under === null ? null : over(c, under);
}

// The canvas is white, but in dark pages and in frames, which may show what is
// behind them.
function canvas(): Colour | null {
  const root = top();
  return root !== null && window === window.top && !styleOf(root).colorScheme.includes("dark") ? white : null;
}

const pictures = new Set(["img", "video", "canvas", "svg", "picture", "iframe", "object", "embed"]);
const mostLayers = 4000;

// layered tells whether something that an element does not stand in may lie
// behind its text: then colours do not tell.
function layered(e: Element, colour: Colour): boolean {
  const r = rectOf(e);
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    if (painted(p, "::before") || painted(p, "::after")) return true;
    const own = styleOf(p);
    if (own.backgroundColor !== "rgba(0, 0, 0, 0)" && colourOf(own.backgroundColor)?.a === 1) break;
  }
  for (const root of new Set([rootOf(e), document])) {
    const all = layersIn(root);
    if (all === null) return true;
    for (const l of all) {
      const box = rectOf(l);
      if (box.right <= r.left || box.left >= r.right || box.bottom <= r.top || box.top >= r.bottom || within(e, l) || within(l, e)) continue;
      const style = styleOf(l);
      const back = colourOf(style.backgroundColor);
      if (pictures.has(localName(l)) || style.backgroundImage !== "none" || back === null || !alike(colour, over(back, white))) return true;
    }
  }
  return false;
}

function painted(e: Element, which: string): boolean {
  const style = styleOf(e, which);
  return style.content !== "none" && style.content !== "normal" && (style.backgroundImage !== "none" || style.backgroundColor !== "rgba(0, 0, 0, 0)");
}

// layersIn are the elements of a tree that paint, null when they are too many
// to look at.
function layersIn(root: Node): readonly Element[] | null {
  const had = layers.get(root);
  if (had !== undefined) return had;
  const page = top();
  const all = isShadow(root) ? queryFragmentAll(root, "*") : page === null ? [] : queryAll(page, "body *");
  let out: Element[] | null = all.length > mostLayers ? null : [];
  if (out !== null) {
    for (const l of all) {
      const style = styleOf(l);
      if (pictures.has(localName(l)) || style.backgroundImage !== "none" || style.backgroundColor !== "rgba(0, 0, 0, 0)") out.push(l);
      if (out.length > 300) {
        out = null;
        break;
      }
    }
  }
  layers.set(root, out);
  return out;
}
