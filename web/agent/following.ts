import type { Opening } from "../shared/protocol.gen";
import { getter, method } from "../shared/safe";
import { getAttribute, hasAttribute, isButton, isInput, isLeading, listen, query, top } from "../shared/safe-dom";
import { flatParent } from "../shared/tree";
import { give } from "./given";

// Links whose page a browser shows in a new tab. It may do that for a person
// only, and is told of the address in place of being asked by a script.

const preventDefault = method(Event.prototype, (e) => e.preventDefault);
const isPrevented = getter(Event.prototype, "defaultPrevented");
const unlisten = method(EventTarget.prototype, (t) => t.removeEventListener);

let openings: Opening[] = [];

/** takeOpenings are the tabs that pressed links want, since the last time. */
export function takeOpenings(): Opening[] {
  const out = openings;
  openings = [];
  return out;
}

/** giveClick is give for a click. */
export function giveClick(target: Element, e: PointerEvent): void {
  // It is asked last, and not at all where the page keeps the click to itself.
  const last = (heard: Event): void => {
    const link = heard === e && !isPrevented(e) ? linkAround(target) : null;
    if (link === null || !opensTab(link, e)) return;
    preventDefault(e);
    openings.push({ url: link.href, behind: !e.shiftKey && (e.button === 1 || e.ctrlKey || e.metaKey) });
  };
  listen(window, e.type, last, { passive: false });
  give(target, e);
  unlisten(window, e.type, last);
}

function linkAround(e: Element): HTMLAnchorElement | HTMLAreaElement | null {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    if (isButton(p) || isInput(p)) return null;
    if (isLeading(p) && hasAttribute(p, "href")) return p;
  }
  return null;
}

function opensTab(link: HTMLAnchorElement | HTMLAreaElement, e: PointerEvent): boolean {
  // A download opens none, and a page that wants to reach into the tab has to open it itself.
  if (!/^https?:/.test(link.href) || hasAttribute(link, "download") || /(^|\s)opener(\s|$)/i.test(getAttribute(link, "rel") ?? "")) return false;
  if (e.button === 1 || e.ctrlKey || e.metaKey || e.shiftKey) return true;
  const root = top(), base = root === null ? null : query(root, "base[target]");
  const to = getAttribute(link, "target") ?? (base === null ? null : getAttribute(base, "target"));
  return to !== null && to.toLowerCase() === "_blank";
}
