import type { TextAnchor } from "../shared/protocol.gen";
import {
  attributeNames, dataOf, getAttribute, hasAttribute, isElement, isHTML, isInput, isSelect, isText, isTextArea, localName, query,
} from "../shared/safe-dom";
import { isOurs, kidsOf, nextKid, slotted, type Kids } from "../shared/tree";
import { frameOf, isFrame } from "./frames";
import { drawing, unseen } from "./kinds";
import { legible } from "./legible";
import { optionLabel } from "./options";
import { isSecret, withoutSecret } from "./secrets";
import { current } from "./values";
import { look } from "./visible";
import type { Reading } from "./text";

// Cleaned HTML: what is shown, as it is now, without scripts, styles and their
// attributes, shadow trees in their place.

const dropped = new Set([...unseen, "object", "embed"]);
for (const kept of ["head", "title", "col", "colgroup", "rp"]) dropped.delete(kept);
const empty = new Set(["area", "br", "col", "hr", "img", "input", "source", "track", "wbr"]);
const kept = /^(href|src|alt|title|lang|dir|colspan|rowspan|scope|headers|datetime|cite|start|reversed|type|name|id|role|aria-label|for|open|disabled|placeholder|label|min|max)$/;
const inlineTags = new Set(["a", "b", "em", "i", "label", "small", "span", "strong"]);

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escape(s: string): string {
  return s.replace(/[&<>"]/g, (c) => escapes[c] ?? c);
}

interface Level extends Kids {
  readonly close: string;
  readonly text: boolean;
  readonly rect: DOMRect | null;
}

/** htmlOf is the cleaned HTML of an element. */
export function htmlOf(root: Element): Reading {
  const parts: string[] = [];
  const frames: TextAnchor[] = [];
  let length = 0;
  const put = (s: string): void => {
    parts.push(s);
    length += s.length;
  };
  const stack: Level[] = [];
  const enter = (el: Element, up: Level | null): void => {
    const tag = localName(el);
    if (dropped.has(tag) || isOurs(el) || (tag === "title" && !isHTML(el))) return;
    const head = tag === "head" || tag === "title" || tag === "rp";
    const l = head ? null : look(el, up?.rect ?? null);
    if (l?.seen === "hidden" || hasAttribute(el, "inert") || getAttribute(el, "aria-hidden") === "true") return;
    if (isFrame(el)) {
      const frame = frameOf(el);
      put(`<!-- frame ${escape(frame === "" ? (getAttribute(el, "title") ?? "") : frame).replaceAll("--", "")} -->`);
      if (frame !== "") frames.push({ frame, at: length });
      return;
    }
    const name = /^[\w.-]+$/.test(tag) ? tag : "span";
    // Who reads the source alone takes these for parts of a line.
    const block = l !== null && !l.inline && inlineTags.has(tag) ? "\n" : "";
    put(`${block}<${name}${attributes(el, tag)}>`);
    if (isHTML(el) && empty.has(tag)) return;
    const close = `</${name}>${block}`;
    if (isSelect(el) || isTextArea(el) || drawing.has(tag)) {
      put((isSelect(el) ? options(el) : isTextArea(el) && !isSecret(el) ? escape(current(el)) : "") + close);
      return;
    }
    const closed = tag === "details" && !hasAttribute(el, "open");
    const summary = closed ? query(el, ":scope > summary") : null;
    const list = closed ? (summary === null ? [] : [summary]) : slotted(el);
    stack.push({ ...kidsOf(el, list), close, text: l === null || (l.seen === "shown" && legible(el)), rect: l === null || l.inline ? (up?.rect ?? null) : l.rect });
  };
  enter(root, null);
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const n = nextKid(level);
    if (n === null) {
      stack.pop();
      put(level.close);
    } else if (isText(n)) {
      if (level.text) put(escape(dataOf(n)));
    } else if (isElement(n)) {
      enter(n, level);
    }
  }
  return { text: parts.join(""), frames };
}

function options(s: HTMLSelectElement): string {
  const secret = isSecret(s);
  return Array.from(s.options, (o) => (o.hidden ? "" : `<option${o.selected && !secret ? ' selected=""' : ""}>${escape(optionLabel(o))}</option>`)).join("");
}

function attributes(e: Element, tag: string): string {
  let s = "";
  for (const name of attributeNames(e)) {
    const value = getAttribute(e, name) ?? "";
    if (tag === "code" && name === "class" && /^language-[\w+#-]+$/.test(value)) s += ` class="${value}"`;
    if (!kept.test(name) || /^\s*javascript:/i.test(value)) continue;
    s += ` ${name}="${escape(withoutSecret(e, value))}"`;
  }
  if (isInput(e)) {
    if (e.type === "checkbox" || e.type === "radio") s += e.checked ? ' checked=""' : "";
    else if (e.type !== "hidden" && e.type !== "file" && !isSecret(e) && current(e) !== "") s += ` value="${escape(current(e))}"`;
  } else if (tag !== "option" && hasAttribute(e, "value") && !isSecret(e)) s += ` value="${escape(getAttribute(e, "value") ?? "")}"`;
  return s;
}
