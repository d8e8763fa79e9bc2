import { localName } from "../shared/safe-dom";
import { thousands } from "../shared/quote";
import { memory, type Skipped } from "./build";
import { isChoice } from "./settle";
import { divides, written, type Item } from "./items";
import { sizeOf } from "./lines";
import { number } from "./refs";

// Printing: folding what repeats until it fits, else cutting.

/** Fold is how much of a run of like siblings is shown. */
export interface Fold {
  readonly first: number;
  readonly loose: boolean; // siblings are alike if any before was
}

/** none folds nothing. */
export const none: Fold = { first: Infinity, loose: false };

/** cutting is the fold of an outline that is cut all the same. */
export const cutting: Fold = { first: 30, loose: true };

/** folds are tried in this order. */
export const folds: readonly Fold[] = [
  { first: 30, loose: false }, { first: 12, loose: false }, { first: 100, loose: true }, cutting, { first: 5, loose: false }, { first: 12, loose: true }, { first: 5, loose: true }, { first: 2, loose: true },
];

// What a reader opens who follows a cursor: as much of a run as fits.
const opened: readonly Fold[] = [4000, 2800, 2000, 1400, 1000, 700, 500, 350, 250, 180, 130, 90, 60, 45].map((first) => ({ first, loose: true }));

/** tightest is the fold that leaves least. */
export const tightest: Fold = { first: 2, loose: true };

const deepestIndent = 20;

/** A Gap stands for siblings that are not shown. */
interface Gap {
  readonly count: number;
  readonly at: Item; // the first of them
}

/** plan splits the kids of an item into those shown and gaps. */
function plan(kids: readonly Item[], fold: Fold): readonly (Item | Gap)[] {
  if (kids.length <= fold.first && !kids.some((k) => k.skipped > 0)) return kids;
  const out: (Item | Gap)[] = [];
  let run = 0;
  let seen: string[] = [];
  let gap: { count: number; at: Item } | null = null;
  const close = (): void => {
    if (gap !== null) out.push(gap);
    gap = null;
  };
  kids.forEach((kid, i) => {
    const like = seen.includes(kid.sig) && (fold.loose || !divides(kid.sig));
    if (kid.skipped > 0 || (run >= fold.first && like && !(kid.text && gap === null))) {
      const count = kid.skipped > 0 ? kid.skipped : kid.text ? 0 : 1;
      // A gap of one says less than what it hides.
      if (gap === null && kid.skipped === 0 && !followed(kids, i, seen)) {
        out.push(kid);
        return;
      }
      gap ??= { count: 0, at: kid };
      gap.count += count;
      return;
    }
    close();
    if (run >= fold.first && !like && !fold.loose) {
      run = 0;
      seen = [];
    }
    if (!kid.text) run++;
    seen.push(kid.sig);
    if (!fold.loose && seen.length > memory) seen.shift();
    out.push(kid);
  });
  close();
  return out;
}

function followed(kids: readonly Item[], i: number, seen: readonly string[]): boolean {
  const next = kids[i + 1];
  return next !== undefined && (next.skipped > 0 || seen.includes(next.sig));
}

function isGap(x: Item | Gap): x is Gap {
  return "at" in x;
}

/** width is the size of an item's own line, indented. */
function width(item: Item, depth: number): number {
  if (item.line === undefined) return 0;
  return sizeOf(written(item)) + 2 * Math.min(depth, deepestIndent) + (item.ref ? 6 : 0) + (item.more > 0 ? 50 : 0);
}

const gapWidth = 60;

/** measure is the size of an outline under a fold; it stops beyond limit. */
export function measure(item: Item, fold: Fold, limit: number, depth = 0): number {
  let n = width(item, depth);
  const deeper = item.line === undefined ? depth : depth + 1;
  for (const k of plan(item.kids, fold)) {
    n += isGap(k) ? gapWidth + 2 * Math.min(deeper, deepestIndent) : measure(k, fold, limit - n, deeper);
    if (n > limit) return n;
  }
  return n;
}

/**
 * fitting is the first fold under which an outline fits of which so much was
 * skipped; going on with what was folded, a run is shown as far as it fits.
 */
export function fitting(root: Item, skipped: Skipped, budget: number, goesOn: boolean): Fold | null {
  if (skipped === "none" && measure(root, none, budget) <= budget) return none;
  return (goesOn ? [...opened, ...folds] : folds).find((f) => (f.loose || skipped !== "headings") && measure(root, f, budget) <= budget) ?? null;
}

/** Entry is a printed line. */
export interface Entry {
  readonly item: Item;
  readonly depth: number;
  readonly text: string; // without indent
}

/** Printed is an outline: its lines, what was folded, and where it was cut. */
export interface Printed {
  readonly entries: readonly Entry[];
  readonly folded: readonly Element[]; // containers that show only some of their members
  readonly cut: Element | null;
}

/** print writes an outline; beyond the budget it cuts at an element. */
export function print(root: Item, fold: Fold, budget: number, prefix: string): Printed {
  const entries: Entry[] = [];
  const folded: Element[] = [];
  let left = budget;
  let cut: Element | null = null;
  const put = (item: Item, depth: number, text: string): boolean => {
    const size = sizeOf(text) + 2 * Math.min(depth, deepestIndent);
    if (size > left && entries.length > 0 && !item.text) {
      cut = item.el;
      return false;
    }
    left -= size;
    entries.push({ item, depth, text });
    return true;
  };
  const walk = (item: Item, depth: number): boolean => {
    const kids = plan(item.kids, fold);
    const gaps = kids.some(isGap);
    if (gaps) folded.push(item.el);
    if (item.line !== undefined && !put(item, depth, whole(item, prefix, gaps))) return false;
    const deeper = item.line === undefined ? depth : depth + 1;
    for (const k of kids) {
      if (!isGap(k)) {
        if (!walk(k, deeper)) return false;
        continue;
      }
      if (!put(k.at, deeper, told(k, item, root, prefix))) return false;
    }
    return true;
  };
  walk(root, 0);
  return { entries, folded, cut };
}

// whole is the line of an item with its ref.
function whole(item: Item, prefix: string, folded: boolean): string {
  if (item.line === undefined) return "";
  const body = written(item);
  if (item.more > 0) return `${body} … ${thousands(item.more)} more characters (read_page ref=${prefix}e${String(number(item.el))})`;
  return item.ref || folded ? `${prefix}e${String(number(item.el))} ${body}` : body;
}

function told(gap: Gap, parent: Item, root: Item, prefix: string): string {
  const first = gap.at;
  const scope = parent === root && root.line === undefined && localName(root.el) === "html" ? "" : `scope=${prefix}e${String(number(parent.el))} `;
  const noun = isChoice(first) ? " options" : first.sig === "tr" || first.line?.role === "row" || first.sig.endsWith(" row") ? " rows" : first.sig === "li" ? " items" : "";
  return `… ${thousands(gap.count)} more${noun} (snapshot ${scope}cursor=${prefix}e${String(number(first.el))})`;
}

/** indented is the text of lines. */
export function indented(entries: readonly Entry[]): string {
  return entries.map((e) => "  ".repeat(Math.min(e.depth, deepestIndent)) + e.text).join("\n");
}
