import { animationsOf, rectOf } from "../shared/safe-dom";
import { brand, now } from "../shared/safe";
import { flatParent } from "../shared/tree";
import { restyled } from "./changes";

// Whether an element moves. Without clocks of its own the agent compares where
// it was at the last look, which the coordinator repeats.

const recently = 100; // ms

let last: { e: Element; rect: DOMRect; at: number } | undefined;

/** moves tells whether an element is on its way to somewhere else. */
export function moves(e: Element): boolean {
  const rect = rectOf(e);
  const before = last?.e === e && now() - last.at < 2000 ? last : undefined;
  last = { e, rect, at: now() };
  if (!restless(e)) return false;
  if (before === undefined) return true;
  return !overlaps(before.rect, rect) || now() - before.at < 5;
}

// overlaps tells whether the middle of each box lies well within the other: a
// pulse may go on for ever without anybody missing it.
function overlaps(a: DOMRect, b: DOMRect): boolean {
  return holds(a, b) && holds(b, a);
}

function holds(a: DOMRect, b: DOMRect): boolean {
  const x = b.left + b.width / 2, y = b.top + b.height / 2;
  return Math.abs(x - (a.left + a.width / 2)) <= Math.max(1, a.width / 8) && Math.abs(y - (a.top + a.height / 2)) <= Math.max(1, a.height / 8);
}

function restless(e: Element): boolean {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    if (restyled(p, recently)) return true;
    for (const a of animationsOf(p)) if (a.playState === "running" && shifts(a)) return true;
  }
  return false;
}

const isKeyframes = brand(KeyframeEffect.prototype, "target");

const still = new Set(["opacity", "color", "backgroundColor", "boxShadow", "borderColor", "outlineColor", "fill", "stroke", "filter", "visibility", "textDecorationColor", "caretColor", "accentColor", "zIndex"]);

// shifts tells whether an animation can change where its element is.
function shifts(a: Animation): boolean {
  const effect = a.effect;
  if (!isKeyframes(effect)) return true;
  const known = new Set(["offset", "computedOffset", "easing", "composite"]);
  return effect.getKeyframes().some((k) => Object.keys(k).some((p) => !known.has(p) && !still.has(p) && !/^border.*Color$/.test(p)));
}
