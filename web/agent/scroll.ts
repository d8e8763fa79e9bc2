import type { ScrollArgs, ScrollReply } from "../shared/protocol.gen";
import {
  clientHeight, clientWidth, queryAll, rectOf, scrollBoxBy, scrollBoxTo, scroller, scrollHeight, scrollIntoView, scrollLeft, scrollTop,
} from "../shared/safe-dom";
import { flatParent, hit, within } from "../shared/tree";
import { Fault } from "./faults";
import { lineIn } from "./diff";
import { element } from "./refs";
import { isScrollable, scrollersAbove, scrolls } from "./scrolls";
import { scrolled } from "./unheard";
import { isShown } from "./visible";

// Scrolling moves what a person could move, and tells what really moved.

const grid = [0.07, 0.21, 0.36, 0.5, 0.64, 0.79, 0.93];
const most = 400; // elements looked at for a box that scrolls inside another

/** scroll moves a container. */
export function scroll(args: ScrollArgs): ScrollReply {
  const axis = args.direction === "left" || args.direction === "right" ? "x" : "y";
  if (args.into !== undefined && args.into !== 0) {
    const e = element(args.into);
    const box = scrollersAbove(e)[0] ?? null;
    return moved(box, () => { scrollIntoView(e, { block: "center", inline: "nearest", behavior: "instant" }); });
  }
  const box = args.n === undefined || args.n === 0 ? page(axis) : boxFor(element(args.n), axis);
  return moved(box, () => {
    if (box === null) return;
    if (args.to === "top") scrollBoxTo(box, { top: 0, behavior: "instant" });
    else if (args.to === "bottom") scrollBoxTo(box, { top: scrollHeight(box), behavior: "instant" });
    else {
      const page = axis === "y" ? clientHeight(box) : clientWidth(box);
      const by = (args.amount !== undefined && args.amount > 0 ? args.amount : 0.9 * page) * (args.direction === "up" || args.direction === "left" ? -1 : 1);
      scrollBoxBy(box, axis === "y" ? { top: by, behavior: "instant" } : { left: by, behavior: "instant" });
    }
  });
}

function moved(box: Element | null, act: () => void): ScrollReply {
  if (box === null) return { line: "", dx: 0, dy: 0, top: 0, height: window.innerHeight, view: window.innerHeight };
  const x = scrollLeft(box), y = scrollTop(box);
  act();
  if (scrollLeft(box) !== x || scrollTop(box) !== y) scrolled(box);
  return {
    line: box === scroller() ? "the page" : lineIn(box, ""), dx: scrollLeft(box) - x, dy: scrollTop(box) - y, top: scrollTop(box),
    height: scrollHeight(box), view: clientHeight(box),
  };
}

// page is what scrolls when the page is scrolled: the document, or the one box
// that stands for it.
function page(axis: "x" | "y"): Element | null {
  const whole = scroller();
  if (whole !== null && scrolls(whole, axis)) return whole;
  const boxes = new Set<Element>();
  for (const fy of grid) {
    for (const fx of grid) {
      for (let e = hit(window.innerWidth * fx, window.innerHeight * fy); e !== null; e = flatParent(e)) {
        if (e !== whole && scrolls(e, axis)) boxes.add(e);
      }
    }
  }
  const outer = [...boxes].filter((b) => ![...boxes].some((o) => o !== b && within(b, o)));
  const only = outer[0];
  if (only === undefined || outer.length > 1) {
    if (outer.length > 1) {
      throw new Fault("not_actionable", "the page itself does not scroll, and more than one box in it does", `give the ref of one: ${outer.map((b) => lineIn(b, "")).join(", ")}`);
    }
    return whole;
  }
  const r = rectOf(only);
  return r.width * r.height >= 0.4 * window.innerWidth * window.innerHeight ? only : whole;
}

// boxFor is what scrolls for an element: itself, the one box in it that does,
// else the nearest around it.
function boxFor(e: Element, axis: "x" | "y"): Element | null {
  if (scrolls(e, axis)) return e;
  const inner: Element[] = [];
  let n = 0;
  for (const c of queryAll(e, "*")) {
    if (++n > most) break;
    if (scrolls(c, axis) && isShown(c) && !inner.some((i) => within(c, i))) inner.push(c);
  }
  const only = inner[0];
  if (only !== undefined && inner.length === 1) return only;
  return scrollersAbove(e).find((b) => scrolls(b, axis)) ?? scrollersAbove(e).find(isScrollable) ?? scroller();
}
