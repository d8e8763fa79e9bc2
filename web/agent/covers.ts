import { getAttribute, hasAttribute, localName, styleOf } from "../shared/safe-dom";
import { clip, quote } from "../shared/quote";
import { flatParent } from "../shared/tree";
import { contentName, nameOf } from "./names";
import { isWidget, roleOf } from "./roles";

// Naming what lies over an element, so that a reader knows what to move away.

const longest = 60;

function word(role: string): string {
  return role === "img" || role === "graphics-document" ? "image" : role;
}

/** describeCover names the thing that an element is part of. */
export function describeCover(e: Element): string {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    const role = roleOf(p);
    if (role === "dialog" || role === "alertdialog") {
      const name = nameOf(p, role) || clip(contentName(p), longest);
      return name === "" ? role : `${role} ${quote(clip(name, longest))}`;
    }
  }
  for (let p: Element | null = e; p !== null && localName(p) !== "body" && localName(p) !== "html"; p = flatParent(p)) {
    const role = roleOf(p);
    const name = nameOf(p, role);
    if (name !== "" && role !== "document") return `${word(role)} ${quote(clip(name, longest))}`;
    const position = styleOf(p).position;
    if (position === "fixed" || position === "sticky" || position === "absolute") {
      const text = clip(contentName(p), longest);
      return text === "" ? plain(p, role) : `${tagOf(p)} ${quote(text)}`;
    }
  }
  const text = clip(contentName(e), longest);
  const role = roleOf(e);
  return text === "" ? plain(e, role) : `${isWidget(role) ? role : tagOf(e)} ${quote(text)}`;
}

function plain(e: Element, role: string): string {
  return role === "generic" || role === "none" ? tagOf(e) : word(role);
}

function tagOf(e: Element): string {
  const id = getAttribute(e, "id");
  const tag = quote(localName(e)).slice(1, -1);
  return hasAttribute(e, "id") && id !== null && /^[\w-]{1,40}$/.test(id) ? `${tag}#${id}` : tag;
}
