import type { BoxesArgs, BoxesReply, DescribeArgs, DescribeReply, RefBox } from "../shared/protocol.gen";
import { isHiddenTab, scroller, scrollHeight, scrollWidth, top } from "../shared/safe-dom";
import { boxOf } from "./aim";
import { build } from "./build";
import { lineIn } from "./diff";
import type { Item } from "./items";
import { bodyOf } from "./lines";
import { element, number } from "./refs";
import { partLeft } from "./scrolls";

// Where elements are.

const budget = 200000;

/** boxes lists what can be acted on inside the viewport. */
export function boxes(args: BoxesArgs): BoxesReply {
  const root = top();
  const out: RefBox[] = [];
  if (root === null) return { boxes: out };
  const { root: item } = build({ root, self: false, from: null, interactive: true, budget, stint: null, full: () => true });
  const visit = (i: Item): void => {
    if (i.ref && i.line !== undefined && out.length < args.limit) {
      const r = partLeft(i.el);
      if (r.right > r.left && r.bottom > r.top && r.right > 0 && r.bottom > 0 && r.left < window.innerWidth && r.top < window.innerHeight) {
        const ref = `${args.prefix}e${String(number(i.el))}`;
        out.push({ ref, line: `${ref} ${bodyOf(i.line)}`, box: { x: r.left, y: r.top, width: r.right - r.left, height: r.bottom - r.top } });
      }
    }
    i.kids.forEach(visit);
  };
  visit(item);
  return { boxes: out };
}

/** describe tells an element's line and place, and the measures of the document. */
export function describe(args: DescribeArgs): DescribeReply {
  const e = args.n === undefined || args.n === 0 ? null : element(args.n);
  const page = scroller() ?? top();
  return {
    ...(e === null ? {} : { line: lineIn(e, args.prefix) }),
    box: e === null ? { x: 0, y: 0, width: window.innerWidth, height: window.innerHeight } : boxOf(e),
    scrollX: window.scrollX, scrollY: window.scrollY, viewWidth: window.innerWidth, viewHeight: window.innerHeight,
    docWidth: page === null ? window.innerWidth : scrollWidth(page), docHeight: page === null ? window.innerHeight : scrollHeight(page),
    hidden: isHiddenTab(), ratio: window.devicePixelRatio,
  };
}
