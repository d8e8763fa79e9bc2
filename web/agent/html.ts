import type { TextAnchor } from "../shared/protocol.gen";
import { attributeNames, dataOf, getAttribute, hasAttribute, isElement, isFrame, isHTML, isText, localName } from "../shared/safe-dom";
import { kidsOf, nextKid, type Kids } from "../shared/tree";
import { frameOf } from "./frames";
import { legible, look } from "./visible";
import type { Reading } from "./text";

// Cleaned HTML: what is shown, without scripts, styles and their attributes,
// shadow trees in their place.

const dropped = new Set(["script", "style", "template", "noscript", "link", "meta", "base", "object", "embed", "param", "dialog:not([open])"]);
const empty = new Set(["area", "br", "col", "hr", "img", "input", "source", "track", "wbr"]);
const kept = /^(href|src|alt|title|lang|dir|colspan|rowspan|scope|headers|datetime|cite|start|type|name|id|role|aria-label|for|open|checked|selected|disabled|value|placeholder|label)$/;

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
    if (dropped.has(tag)) return;
    const head = tag === "head" || tag === "title";
    const l = head ? null : look(el, up?.rect ?? null);
    if (l?.seen === "hidden" || hasAttribute(el, "inert")) return;
    if (isFrame(el)) {
      const frame = frameOf(el);
      put(`<!-- frame ${escape(frame === "" ? (getAttribute(el, "title") ?? "") : frame).replaceAll("--", "")} -->`);
      if (frame !== "") frames.push({ frame, at: length });
      return;
    }
    const name = /^[\w.-]+$/.test(tag) ? tag : "span";
    put(`<${name}${attributes(el, tag)}>`);
    if (isHTML(el) && empty.has(tag)) return;
    stack.push({ ...kidsOf(el), close: `</${name}>`, text: l === null || (l.seen === "shown" && legible(el)), rect: l === null || l.inline ? (up?.rect ?? null) : l.rect });
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

function attributes(e: Element, tag: string): string {
  let s = "";
  const secret = tag === "input" && /^(password|hidden)$/i.test(getAttribute(e, "type") ?? "");
  for (const name of attributeNames(e)) {
    if (!kept.test(name) || (name === "value" && (secret || getAttribute(e, "autocomplete") !== null))) continue;
    const value = getAttribute(e, name) ?? "";
    if (/^\s*javascript:/i.test(value)) continue;
    s += ` ${name}="${escape(value)}"`;
  }
  return s;
}
