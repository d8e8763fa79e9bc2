import type { Box } from "../shared/protocol.gen";

// Where the card of a question goes: where it covers nothing of what it marks.

/** Size is in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Corner is where the card's upper left corner is. */
export interface Corner {
  readonly x: number;
  readonly y: number;
}

const margin = 8; // to the edges of the viewport
const gap = 14; // to what is marked, and its frame

/** place is the best place for a card: where it is, while that will do. */
export function place(card: Size, view: Size, spared: Box | null, now: Corner | null): Corner {
  const fit = (c: Corner): Corner => ({
    x: Math.max(margin, Math.min(c.x, view.width - card.width - margin)),
    y: Math.max(margin, Math.min(c.y, view.height - card.height - margin)),
  });
  if (now !== null) {
    const here = fit(now);
    if (hidden(here, card, spared) === 0) return here;
  }
  let best: Corner | null = null;
  let least = Infinity;
  for (const c of candidates(card, view, spared)) {
    const at = fit(c);
    const hides = hidden(at, card, spared);
    if (hides >= least) continue;
    best = at;
    least = hides;
  }
  return best ?? fit({ x: 0, y: 0 });
}

function candidates(card: Size, view: Size, spared: Box | null): Corner[] {
  const right = view.width, below = view.height;
  const corners = [{ x: right, y: 0 }, { x: right, y: below }, { x: 0, y: below }, { x: 0, y: 0 }];
  if (spared === null || spared.x >= right || spared.y >= below || spared.x + spared.width <= 0 || spared.y + spared.height <= 0) return corners;
  const x = spared.x + (spared.width - card.width) / 2, y = spared.y + (spared.height - card.height) / 2;
  return [
    { x: spared.x + spared.width + gap, y },
    { x: spared.x - gap - card.width, y },
    { x, y: spared.y + spared.height + gap },
    { x, y: spared.y - gap - card.height },
    ...corners,
  ];
}

// hidden is how much of what is marked would be covered.
function hidden(at: Corner, card: Size, spared: Box | null): number {
  if (spared === null) return 0;
  const slack = gap / 2;
  const w = Math.min(at.x + card.width, spared.x + spared.width + slack) - Math.max(at.x, spared.x - slack);
  const h = Math.min(at.y + card.height, spared.y + spared.height + slack) - Math.max(at.y, spared.y - slack);
  return w > 0 && h > 0 ? w * h : 0;
}

const edge = 12; // CSS pixels from a hint to the edges of the viewport, and to its target

/** placeHint is where a hint goes: below its target, or above it when there is no room, within the viewport in any case. */
export function placeHint(card: Size, view: Size, target: Box): Corner {
  const within = (at: number, size: number, room: number): number => Math.max(edge, Math.min(at, room - size - edge));
  const below = target.y + target.height + edge, above = target.y - edge - card.height;
  const up = below + card.height > view.height - edge && above >= edge;
  return { x: within(target.x, card.width, view.width), y: within(up ? above : below, card.height, view.height) };
}
