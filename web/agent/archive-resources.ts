import type { ArchiveNode } from "../shared/protocol.gen";
import { baseURI, documentAddress, firstElementChild, getAttribute, hasAttribute, isCanvas, isFrameElement, isHTML, isImage, isInput, isLeading, isLink, isMedia, isVideo, localName, newCanvas, nextElementSibling, parentElement } from "../shared/safe-dom";
import { mediaOf, sheetOf } from "./archive-styles";
import { frameOf } from "./frames";
import type { Recorder } from "./archive";

// Which resource an element shows now, and where its address goes.

/** Found is what an element becomes in a saved page. */
export interface Found {
  readonly t?: string; // another name
  readonly a?: readonly string[]; // more attributes
  readonly place?: Pick<ArchiveNode, "s" | "u" | "f" | "d">;
  readonly empty?: boolean; // nothing in it is kept
}

const plain: Found = {};

/** resourceOf is what e becomes, null when it is left out. */
export function resourceOf(e: Element, r: Recorder): Found | null {
  return isHTML(e) ? ofHTML(e, localName(e), r) : ofForeign(e, localName(e));
}

function ofHTML(e: HTMLElement, tag: string, r: Recorder): Found | null {
  if (isFrameElement(e)) return { place: { s: "frame", f: frameOf(e) }, empty: true };
  switch (tag) {
    case "img":
      return isImage(e) ? ofImage(e) : plain;
    case "input":
      return isInput(e) && e.type === "image" ? at("src", resolved(e, "src")) : plain;
    case "link":
      return ofLink(e);
    case "a":
    case "area":
      return { a: link("href", address(e, "href")) };
    case "form":
      return { a: link("action", address(e, "action")) };
    case "button":
      return { a: link("formaction", address(e, "formaction")) };
    case "video":
      return isVideo(e) ? ofVideo(e, r) : plain;
    case "audio":
      if (isMedia(e) && e.currentSrc !== "") r.leave(e.currentSrc, "media are not saved");
      return plain;
    case "canvas":
      return isCanvas(e) ? ofCanvas(e, r) : plain;
    case "object":
    case "embed":
      return ofObject(e, tag, r);
    case "body":
    case "table":
    case "tr":
    case "td":
    case "th":
      return at("background", resolved(e, "background"));
    case "applet":
    case "frameset":
      return plain;
  }
  return plain;
}

function at(s: string, u: string): Found {
  return u === "" ? plain : { place: { s, u } };
}

function link(name: string, value: string): string[] {
  return value === "" ? [] : [name, value];
}

function absolute(value: string): string {
  try {
    return new URL(value, baseURI()).href;
  } catch {
    return "";
  }
}

// resolved is the address in an attribute, "" for none.
function resolved(e: Element, name: string): string {
  const value = getAttribute(e, name);
  return value === null || value.trim() === "" ? "" : absolute(value);
}

const leading = new Set(["http:", "https:", "mailto:", "tel:", "sms:", "ftp:", "file:", "geo:", "news:", "irc:", "magnet:", "xmpp:"]);

// address is where an element leads; within the document, only the place.
function address(e: Element, name: string): string {
  const value = getAttribute(e, name);
  if (value === null) return "";
  const whole = isLeading(e) && name === "href" ? e.href : absolute(value);
  const hash = whole.indexOf("#");
  if (hash >= 0 && whole.slice(0, hash) === documentAddress().replace(/#.*$/s, "")) return whole.slice(hash);
  try {
    return leading.has(new URL(whole).protocol) ? whole : "";
  } catch {
    return "";
  }
}

interface Candidate {
  readonly url: string;
  readonly descriptor: string;
}

/** candidates are the pictures that a srcset names. */
export function candidates(srcset: string): Candidate[] {
  const out: Candidate[] = [];
  // An address ends at white space; a comma at its end ends the candidate.
  const next = /[\s,]*(\S+)((?:\([^)]*\)|[^,(])*)/gy;
  for (let m = next.exec(srcset); m !== null; m = next.exec(srcset)) {
    const word = m[1] ?? "";
    if (word.endsWith(",")) {
      out.push({ url: word.replace(/,+$/, ""), descriptor: "" });
      next.lastIndex -= (m[2] ?? "").length;
    } else {
      out.push({ url: word, descriptor: (m[2] ?? "").trim() });
    }
  }
  return out;
}

// ofImage is the picture that is shown, or would be if it had been scrolled to.
function ofImage(e: HTMLImageElement): Found {
  const set = getAttribute(e, "srcset") ?? "";
  const url = e.currentSrc !== "" ? e.currentSrc : resolved(e, "src") || absoluteFirst(set);
  if (url === "") return plain;
  const density = densityOf(e, set, url);
  return density === 1 ? at("src", url) : { place: { s: "srcset", u: url, d: density } };
}

function absoluteFirst(set: string): string {
  const first = candidates(set).at(-1);
  return first === undefined ? "" : absolute(first.url);
}

// densityOf is how many pixels of the picture are one of the page.
function densityOf(e: HTMLImageElement, own: string, url: string): number {
  if (e.currentSrc === "") return 1;
  const sets = [own];
  const around = parentElement(e);
  if (around !== null && localName(around) === "picture") {
    for (let s = firstElementChild(around); s !== null; s = nextElementSibling(s)) {
      if (localName(s) === "source") sets.push(getAttribute(s, "srcset") ?? "");
    }
  }
  for (const set of sets) {
    for (const c of candidates(set)) {
      if (absolute(c.url) !== url) continue;
      const x = /^([\d.]+)x$/.exec(c.descriptor), w = /(?:^|\s)(\d+)w(?:\s|$)/.exec(c.descriptor);
      const density = x !== null ? Number(x[1]) : w !== null && e.naturalWidth > 0 ? Number(w[1]) / e.naturalWidth : 1;
      return density > 0 && Number.isFinite(density) ? density : 1;
    }
  }
  return 1;
}

const told = new Set(["canonical", "alternate", "author", "license", "next", "prev", "help", "search", "me", "shortlink"]);

function ofLink(e: HTMLElement): Found | null {
  if (!isLink(e)) return null;
  const rel = (getAttribute(e, "rel") ?? "").toLowerCase().split(/\s+/);
  const url = resolved(e, "href") === "" ? "" : e.href;
  if (url === "") return null;
  if (rel.includes("stylesheet")) {
    const sheet = sheetOf(e);
    if (rel.includes("alternate") || e.disabled || sheet === null || sheet.disabled) return null;
    return { place: { s: "sheet", u: url }, a: link("media", mediaOf(e)) };
  }
  if (rel.includes("icon")) return { place: { s: "icon", u: url } };
  const leads = address(e, "href");
  return rel.every((w) => told.has(w)) && leads !== "" ? { a: ["href", leads] } : null;
}

const mostPixels = 1 << 24;

function picture(source: HTMLVideoElement | HTMLCanvasElement, width: number, height: number): string {
  if (isCanvas(source)) return source.toDataURL();
  const c = newCanvas(width, height);
  c?.getContext("2d")?.drawImage(source, 0, 0, width, height);
  return c?.toDataURL("image/jpeg", 0.85) ?? "";
}

function ofVideo(e: HTMLVideoElement, r: Recorder): Found {
  if (e.currentSrc !== "" || e.srcObject !== null) r.leave(e.currentSrc === "" ? "video" : e.currentSrc, "media are not saved, only the picture that is shown");
  const poster = resolved(e, "poster");
  const width = e.videoWidth, height = e.videoHeight;
  if (e.readyState >= 2 && width > 0 && width * height <= mostPixels && (e.currentTime > 0 || poster === "")) {
    try {
      const url = picture(e, width, height);
      if (url.startsWith("data:image/")) return { place: { s: "poster", u: url }, empty: true };
    } catch {
      // of another origin
    }
  }
  return { ...at("poster", poster), empty: true };
}

function ofCanvas(e: HTMLCanvasElement, r: Recorder): Found {
  if (e.width * e.height > mostPixels) {
    r.leave("canvas", "it has too many pixels");
    return plain;
  }
  try {
    const url = picture(e, e.width, e.height);
    return url.startsWith("data:image/") ? { place: { s: "canvas", u: url } } : plain;
  } catch {
    r.leave("canvas", "it shows pictures of another origin, which may not be read");
    return plain;
  }
}

function ofObject(e: HTMLElement, tag: string, r: Recorder): Found {
  const size = ["width", "height"].flatMap((n) => (hasAttribute(e, n) ? [n, getAttribute(e, n) ?? ""] : []));
  const frame = frameOf(e);
  if (frame !== "") return { t: "iframe", a: size, place: { s: "frame", f: frame }, empty: true };
  const url = resolved(e, tag === "object" ? "data" : "src");
  if (url === "") return plain;
  const kind = (getAttribute(e, "type") ?? "").toLowerCase();
  if (kind.startsWith("image/") || /\.(png|jpe?g|gif|webp|avif|svg)([?#]|$)/i.test(url)) return { t: "img", place: { s: "src", u: url }, empty: true };
  r.leave(url, `what an ${tag} shows is not saved`);
  return plain;
}

// ofForeign is an element of SVG or MathML.
function ofForeign(e: Element, tag: string): Found {
  const name = hasAttribute(e, "href") ? "href" : "xlink:href";
  const value = getAttribute(e, name);
  if (value === null || value === "") return plain;
  if (value.startsWith("#")) return { a: ["href", value] };
  const url = absolute(value);
  switch (tag) {
    case "a":
      return { a: link("href", address(e, name)) };
    case "image":
    case "feImage":
      return at("href", url);
    case "use": {
      const hash = url.indexOf("#");
      if (hash > 0 && url.slice(0, hash) === documentAddress().replace(/#.*$/s, "")) return { a: ["href", url.slice(hash)] };
      return at("use", url);
    }
  }
  const hash = url.indexOf("#");
  return hash >= 0 ? { a: ["href", url.slice(hash)] } : plain;
}
