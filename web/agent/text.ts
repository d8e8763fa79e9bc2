import type { TextAnchor, TextArgs, TextReply } from "../shared/protocol.gen";
import {
  clientHeight, clientWidth, closest, dataOf, getAttribute, hasAttribute, isElement, isHTML, isInput, isSelect, isText, isTextArea, localName, query, queryAll, styleOf, textContent, top,
} from "../shared/safe-dom";
import { clean, cut, byteLength } from "../shared/quote";
import { focused, isOurs, kidsOf, nextKid, slotted, type Kids } from "../shared/tree";
import { frameOf, isFrame } from "./frames";
import { htmlOf } from "./html";
import { drawing, holdsData, unseen } from "./kinds";
import { isPDF, pdfNote } from "./lines";
import { generated } from "./generated";
import { nameOf } from "./names";
import { element } from "./refs";
import { isSecret, masking } from "./secrets";
import { current, measure } from "./values";
import { legible } from "./legible";
import { look } from "./visible";
import { Writer } from "./writer";

// Reading: the text that a person sees, with its lines, lists and rows.

/** Reading is a text and the places of frames in it. */
export interface Reading {
  readonly text: string;
  readonly frames: readonly TextAnchor[];
}

/** text answers with content, from an offset on and within a budget. */
export function text(args: TextArgs): TextReply {
  const root = args.scope === undefined || args.scope === 0 ? top() : element(args.scope);
  const offset = args.offset ?? 0;
  const enough = args.budget > 0 ? offset + args.budget + 1 : Infinity;
  let all: Reading = { text: "", frames: [] };
  let into = "";
  if (args.as === "selection") {
    all = { text: selection(), frames: [] };
    const e = focused();
    into = e !== null && isFrame(e) ? frameOf(e) : "";
  }
  else if (root === top() && isPDF()) all = { text: args.as === "html" ? `<!-- ${pdfNote} -->` : pdfNote, frames: [] };
  else if (root !== null) all = args.as === "html" ? htmlOf(root) : textOf(root, enough, args.as === "prose");
  const mask = masking();
  const rest = (mask === null ? all.text : mask(all.text)).slice(offset);
  const part = args.budget > 0 ? within(rest, args.budget, enough) : rest;
  const end = offset + part.length;
  return {
    text: part,
    frames: all.frames.filter((f) => f.at >= offset && f.at <= end).map((f) => ({ frame: f.frame, at: f.at - offset })),
    more: all.text.length - end,
    ...(into === "" ? {} : { into }),
  };
}

function within(s: string, bytes: number, enough: number): string {
  let t = cut(s, Math.min(bytes, enough, s.length));
  while (byteLength(t) > bytes) t = cut(t, t.length - Math.max(1, Math.ceil((byteLength(t) - bytes) / 3)));
  return t;
}

function selection(): string {
  const e = focused();
  if (e !== null && isSecret(e)) return "";
  if (e !== null && (isInput(e) || isTextArea(e))) {
    const from = e.selectionStart, to = e.selectionEnd;
    if (from !== null && to !== null && to > from) return e.value.slice(from, to);
  }
  return window.getSelection()?.toString() ?? "";
}

interface Level extends Kids {
  readonly el: Element;
  legible: boolean | undefined; // not yet known
  behind: string; // what style shows behind what it holds
  readonly pre: boolean;
  readonly shape: string; // text-transform
  readonly after: number; // line ends that follow the element
  readonly close: string; // what ends it within a line
  readonly rect: DOMRect | null;
  readonly cell: boolean; // in a cell of a table of data, which is told in one line
  count: number; // of list items, or of the cells of a row
}

const paragraphs = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "pre", "figure", "dl", "section", "article", "fieldset"]);
const cells = new Set(["cell", "gridcell", "columnheader", "rowheader"]);

// Controls that stand side by side without a space in the page.
const pressed = new Set(["button", "tab", "menuitem", "option"]);

/** textOf is the readable text of an element; prose is without its button elements. */
export function textOf(root: Element, limit = Infinity, prose = false): Reading {
  const out = new Writer();
  const frames: TextAnchor[] = [];
  const stack: Level[] = [];
  const data = new Map<Element, boolean>();
  const inData = (el: Element): boolean => {
    const table = closest(el, "table");
    if (table === null) return true;
    const had = data.get(table) ?? holdsData(table);
    data.set(table, had);
    return had;
  };
  const gap = (n: number, cell: boolean): void => {
    if (cell) out.put(" ");
    else out.gap(n);
  };
  const enter = (el: Element, up: Level | null): void => {
    if (isOurs(el)) return;
    const l = look(el, up?.rect ?? null);
    if (l.seen === "hidden") return;
    const tag = localName(el);
    let cell = up?.cell ?? false;
    if (isFrame(el)) {
      if (l.seen !== "shown" || clientWidth(el) <= 2 || clientHeight(el) <= 2) return;
      out.gap(1);
      if (frameOf(el) === "") out.keep(`[frame ${clean(nameOf(el, "iframe"))} is not readable]\n`);
      else frames.push({ frame: frameOf(el), at: out.length });
      return;
    }
    if (tag === "img" || (tag === "svg" && nameOf(el, "img") !== "")) {
      const alt = nameOf(el, "img");
      if (alt !== "" && l.seen === "shown") out.put(`[${alt}]`);
      return;
    }
    if (isInput(el) || isTextArea(el) || isSelect(el) || tag === "progress" || tag === "meter") {
      if (l.seen === "shown") out.put(field(el, tag));
      return;
    }
    if (drawing.has(tag) || (prose && tag === "button")) return;
    if (tag === "br") {
      if (cell) out.put(" ");
      else out.end();
      return;
    }
    const role = getAttribute(el, "role") ?? "";
    const isCell = tag === "td" || tag === "th" || cells.has(role);
    const inline = l.inline || (!isHTML(el) && tag !== "svg");
    let after = 0;
    if (isCell && up !== null && inData(el)) {
      if (up.count++ > 0) out.mark(" | ");
      cell = true;
    } else if (!inline) {
      const item = up !== null && localName(up.el) === "li";
      after = paragraphs.has(tag) && !item && role !== "row" ? 2 : 1;
      gap(after, cell);
    }
    if (tag === "li" && cell) out.put("• ");
    else if (tag === "li") out.keep(bullet(el, up, stack));
    let close = "";
    if (tag === "rt" && l.seen === "shown") {
      out.put("(");
      close = ")";
    } else if (inline && !cell && (tag === "button" || tag === "text" || pressed.has(role))) {
      out.put(" ");
      close = " ";
    } else if (tag === "sup" && /^[+\-\u2212]?\d+$/.test((textContent(el) ?? "").trim()) && /[\p{L}\p{N})]/u.test(out.last)) out.put("^");
    const closed = tag === "details" && !hasAttribute(el, "open");
    const summary = closed ? query(el, ":scope > summary") : null;
    const list = closed ? (summary === null ? [] : [summary]) : slotted(el);
    const style = styleOf(el);
    const ws = style.whiteSpace;
    const around = l.seen === "shown" ? generated(el, () => true) : null;
    const shown = around !== null && legible(el);
    if (shown) out.put(around.before);
    stack.push({
      ...kidsOf(el, list), el, behind: shown ? around.after : "", legible: l.seen === "shown" ? undefined : false, pre: ws.startsWith("pre") && ws !== "pre-line" && !cell, shape: style.textTransform,
      after, close, rect: l.inline ? (up?.rect ?? l.rect) : l.rect, cell, count: tag === "ol" ? first(el) : 0,
    });
  };
  enter(root, null);
  for (let level = stack.at(-1); level !== undefined && out.length < limit; level = stack.at(-1)) {
    const n = nextKid(level);
    if (n === null) {
      stack.pop();
      if (level.behind !== "") out.put(level.behind);
      if (level.close !== "") out.put(level.close);
      if (level.after > 0) gap(level.after, level.cell);
    } else if (isText(n)) {
      if (level.legible ??= legible(level.el)) say(out, level, dataOf(n));
    } else if (isElement(n) && !unseen.has(localName(n)) && !hasAttribute(n, "inert") && getAttribute(n, "aria-hidden") !== "true") {
      enter(n, level);
    }
  }
  const all = out.text();
  // A frame after the last text stands at its end, not in the blank behind it.
  return { text: all, frames: frames.map((f) => ({ frame: f.frame, at: Math.min(f.at, all.length) })) };
}

function say(out: Writer, level: Level, data: string): void {
  let s = data;
  if (level.shape === "uppercase") s = s.toUpperCase();
  else if (level.shape === "lowercase") s = s.toLowerCase();
  else if (level.shape === "capitalize") s = s.replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, (c) => c.toUpperCase());
  if (level.cell) s = s.replaceAll("|", "\\|");
  if (level.pre) out.keep(s);
  else if (styleOf(level.el).whiteSpace === "pre-line" && !level.cell) {
    s.split("\n").forEach((line, i) => {
      if (i > 0) out.end();
      out.put(line);
    });
  } else out.put(s);
}

// first is one before the number of a list's first item; reversed lists count down.
function first(ol: Element): number {
  const start = getAttribute(ol, "start");
  if (hasAttribute(ol, "reversed")) return (start === null ? queryAll(ol, ":scope > li").length : Number(start)) + 1;
  return start === null || Number.isNaN(Number(start)) ? 0 : Number(start) - 1;
}

function bullet(li: Element, up: Level | null, stack: readonly Level[]): string {
  const depth = stack.filter((s) => localName(s.el) === "ul" || localName(s.el) === "ol").length;
  const margin = "  ".repeat(Math.max(0, Math.min(depth, 10) - 1));
  if (up === null || localName(up.el) !== "ol") return `${margin}- `;
  const own = Number(getAttribute(li, "value") ?? NaN);
  up.count = Number.isInteger(own) ? own : up.count + (hasAttribute(up.el, "reversed") ? -1 : 1);
  return `${margin}${String(up.count)}. `;
}

function field(e: Element, tag: string): string {
  if (tag === "progress" || tag === "meter") return ` ${measure(e)} `;
  if (isInput(e) && e.type === "hidden") return "";
  if (isInput(e) && e.type === "checkbox") return e.checked ? "[x] " : "[ ] ";
  if (isInput(e) && e.type === "radio") return e.checked ? "(x) " : "( ) ";
  if (isInput(e) && (e.type === "submit" || e.type === "reset" || e.type === "button" || e.type === "image")) return ` ${nameOf(e, "button")} `;
  if (isSecret(e)) return "";
  const v = current(e);
  return v === "" ? "" : ` ${v.replaceAll("\n", ", ")} `;
}
