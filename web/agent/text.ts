import type { TextAnchor, TextArgs, TextReply } from "../shared/protocol.gen";
import {
  dataOf, getAttribute, hasAttribute, isElement, isFrame, isInput, isSelect, isText, isTextArea, localName, query, styleOf, top,
} from "../shared/safe-dom";
import { clean, cut, byteLength } from "../shared/quote";
import { focused, kidsOf, nextKid, slotted, type Kids } from "../shared/tree";
import { frameOf } from "./frames";
import { htmlOf } from "./html";
import { unseen } from "./kinds";
import { isPDF, pdfNote } from "./lines";
import { nameOf } from "./names";
import { element } from "./refs";
import { current, isSecret } from "./values";
import { legible, look } from "./visible";

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
  if (args.as === "selection") all = { text: selection(), frames: [] };
  else if (root === top() && isPDF()) all = { text: args.as === "html" ? `<!-- ${pdfNote} -->` : pdfNote, frames: [] };
  else if (root !== null) all = args.as === "html" ? htmlOf(root) : textOf(root);
  const rest = all.text.slice(offset);
  const part = args.budget > 0 ? within(rest, args.budget, enough) : rest;
  const end = offset + part.length;
  return {
    text: part,
    frames: all.frames.filter((f) => f.at >= offset && f.at <= end).map((f) => ({ frame: f.frame, at: f.at - offset })),
    more: all.text.length - end,
  };
}

function within(s: string, bytes: number, enough: number): string {
  let t = cut(s, Math.min(bytes, enough, s.length));
  while (byteLength(t) > bytes) t = cut(t, t.length - Math.max(1, Math.ceil((byteLength(t) - bytes) / 3)));
  return t;
}

function selection(): string {
  const e = focused();
  if (e !== null && (isInput(e) || isTextArea(e)) && !isSecret(e)) {
    const from = e.selectionStart, to = e.selectionEnd;
    if (from !== null && to !== null && to > from) return e.value.slice(from, to);
  }
  return window.getSelection()?.toString() ?? "";
}

interface Level extends Kids {
  readonly el: Element;
  legible: boolean | undefined; // not yet known
  readonly pre: boolean;
  readonly after: string; // what follows the element
  readonly rect: DOMRect | null;
  count: number; // of list items
}

const paragraphs = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "pre", "figure", "dl", "section", "article", "fieldset"]);

/** textOf is the readable text of an element. */
export function textOf(root: Element, limit = Infinity): Reading {
  let out = "";
  const frames: TextAnchor[] = [];
  const stack: Level[] = [];
  // gap ends the line, and leaves one free where n is 2.
  const gap = (n: number): void => {
    out = out.replace(/[ \t]+$/, "");
    if (out === "") return;
    let have = 0;
    while (have < 2 && out[out.length - 1 - have] === "\n") have++;
    while (have++ < n) out += "\n";
  };
  const put = (s: string, pre: boolean): void => {
    const t = pre ? s : s.replace(/[\s\u200b\ufeff]+/g, " ");
    if (t === "" || (t === " " && (out === "" || /\s$/.test(out)))) return;
    out += !pre && /(^|\s)$/.test(out) ? t.replace(/^ /, "") : t;
  };
  const enter = (el: Element, up: Level | null): void => {
    const l = look(el, up?.rect ?? null);
    if (l.seen === "hidden") return;
    const tag = localName(el);
    if (isFrame(el)) {
      gap(1);
      if (frameOf(el) === "") out += `[frame ${clean(nameOf(el, "iframe"))} is not readable]\n`;
      else frames.push({ frame: frameOf(el), at: out.length });
      return;
    }
    if (tag === "img" || (tag === "svg" && nameOf(el, "img") !== "")) {
      const alt = nameOf(el, "img");
      if (alt !== "" && l.seen === "shown") put(`[${alt}]`, false);
      return;
    }
    if (isInput(el) || isTextArea(el) || isSelect(el)) {
      put(field(el), false);
      return;
    }
    let after = "";
    if (tag === "br") {
      out = out.replace(/[ \t]+$/, "") + "\n";
      return;
    }
    if (tag === "td" || tag === "th") {
      const first = out === "" || out.endsWith("\n");
      if (!first) out = `${out.replace(/[ \t]+$/, "")} | `;
    } else if (!l.inline) {
      const n = paragraphs.has(tag) && !(up !== null && localName(up.el) === "li") ? 2 : 1;
      gap(n);
      after = "\n".repeat(n);
    }
    if (tag === "li") {
      const depth = stack.filter((s) => localName(s.el) === "ul" || localName(s.el) === "ol").length;
      const list = up !== null && localName(up.el) === "ol" ? `${String(++up.count)}. ` : "- ";
      out += "  ".repeat(Math.max(0, Math.min(depth, 10) - 1)) + list;
    }
    const closed = tag === "details" && !hasAttribute(el, "open");
    const summary = closed ? query(el, ":scope > summary") : null;
    const list = closed ? (summary === null ? [] : [summary]) : slotted(el);
    stack.push({
      ...kidsOf(el, list), el, legible: l.seen === "shown" ? undefined : false,
      pre: styleOf(el).whiteSpace.startsWith("pre"), after, rect: l.inline ? (up?.rect ?? l.rect) : l.rect, count: Number(getAttribute(el, "start") ?? 1) - 1,
    });
  };
  enter(root, null);
  for (let level = stack.at(-1); level !== undefined && out.length < limit; level = stack.at(-1)) {
    const n = nextKid(level);
    if (n === null) {
      stack.pop();
      if (level.after !== "") gap(level.after.length);
    } else if (isText(n)) {
      if (level.legible ??= legible(level.el)) put(dataOf(n), level.pre);
    } else if (isElement(n) && !unseen.has(localName(n)) && !hasAttribute(n, "inert") && getAttribute(n, "aria-hidden") !== "true") {
      enter(n, level);
    }
  }
  return { text: out.trimEnd(), frames };
}

function field(e: Element): string {
  if (isInput(e) && (e.type === "hidden" || e.type === "checkbox" || e.type === "radio")) return "";
  if (isInput(e) && (e.type === "submit" || e.type === "reset" || e.type === "button" || e.type === "image")) return ` ${nameOf(e, "button")} `;
  if (isSecret(e)) return "";
  const v = current(e);
  return v === "" ? "" : ` ${v.replaceAll("\n", ", ")} `;
}
