import type { DiffArgs, DiffReply, Since } from "../shared/protocol.gen";
import { closest, comparePosition, isConnected, isInput, isLabel, isSelect, isTextArea, styleOf, top } from "../shared/safe-dom";
import { quote } from "../shared/quote";
import { flatParent, within } from "../shared/tree";
import { build } from "./build";
import { drain, hasChanged, isBorn, isNoise, watch, type Extent } from "./changes";
import type { Item } from "./items";
import { bodyOf, lineOf, type Line } from "./lines";
import { same, shownStates, was } from "./likeness";
import { outlineOf, type Outlined } from "./snapshot";
import { number, numbered } from "./refs";
import { isOver, stint } from "./stint";
import { becameOther, tell } from "./told";
import { current, isDisabled } from "./values";
import { isShown } from "./visible";

// What changed for a reader: the lines that were listed, against those of the
// places that the record of changes names.

const patience = 20; // ms
const baselineBudget = 16000;
const most = 100; // places told apart
const longestAccount = 5000; // a larger one is given up, such as that of an act that never ended

interface Known {
  line: Line;
  ref: boolean;
  leaf: boolean;
  control: string; // the state of a control that no event tells
}

/** What a reader knows: the lines and texts last listed. */
const lines = new Map<Element, Known>();
const texts = new Map<Element, string[]>(); // by the block that they stand in
let folded = new Set<Element>();
let cut: Element | null = null;
let listed = false;

/** The account of the present act. */
let added = new Map<Element, Known>();
let removed = new Map<Element, Known>();
let updated = new Map<Element, { was: Line; is: Line; ref: boolean }>();
let textsAdded: string[] = [];
let textsRemoved: string[] = [];
let textsUpdated: { was: string; is: string }[] = [];
let left = 0;
let accounting = false; // an act began, and was not accounted for

let since: { added: number; removed: number } = { added: 0, removed: 0 };

/** takeSince is what came and went since it was last taken. */
export function takeSince(): Since {
  const s = since;
  since = { added: 0, removed: 0 };
  return s;
}

/** remember makes an outline what the reader knows; given tells that the reader has it. */
export function remember(outlined: Outlined, whole: boolean, given = true): void {
  watch();
  if (whole) {
    lines.clear();
    texts.clear();
    folded = new Set();
    cut = null;
    listed = true;
  }
  for (const e of outlined.printed.folded) folded.add(e);
  if (whole) cut = outlined.printed.cut;
  const fresh = new Map<Element, string[]>();
  for (const { item } of outlined.printed.entries) {
    if (item.skipped > 0 || item.line === undefined) continue;
    know(item, item.line, fresh);
    if (item.ref && given) tell(item.el, item.line);
  }
  for (const [e, t] of fresh) texts.set(e, t);
}

function know(item: Item, line: Line, into: Map<Element, string[]>): void {
  if (item.text) {
    const list = into.get(item.el);
    if (list === undefined) into.set(item.el, [line.name]);
    else list.push(line.name);
  } else {
    lines.set(item.el, knownOf(item, line));
  }
}

function knownOf(item: Item, line: Line): Known {
  return { line, ref: item.ref, leaf: item.kids.length === 0, control: stateOf(item.el) };
}

function stateOf(e: Element): string {
  return isInput(e) || isSelect(e) || isTextArea(e) ? `${current(e)}\n${String(isDisabled(e))}` : "";
}

/** baseline lists the document for comparing, when it never was. */
export function baseline(): void {
  watch();
  const root = top();
  if (listed || root === null) return;
  remember(outlineOf(root, false, null, false, baselineBudget, "", stint(patience)), true, false);
  drain();
}

/** beginAccount begins the account of an act. */
export function beginAccount(): void {
  accounting = true;
  forget();
}

function accounted(): number {
  return added.size + removed.size + updated.size + textsAdded.length + textsRemoved.length + textsUpdated.length;
}

// forget empties the account: what is gone from the page is kept by nothing else.
function forget(): void {
  added = new Map();
  removed = new Map();
  updated = new Map();
  textsAdded = [];
  textsRemoved = [];
  textsUpdated = [];
  left = 0;
}

/** lookEverywhere has the diff of the act look at all that is listed: what it changes may be style alone, of which no record tells. */
export function lookEverywhere(on: boolean): void {
  everywhere = on;
}

let everywhere = false;

/** refresh brings what the reader knows up to date, and accounts for it while an act goes on; whole looks beyond the places that changed, as far as there is time. */
export function refresh(whole = false): void {
  if (!listed) return;
  update(whole);
  const n = accounted();
  if (accounting ? n <= longestAccount : n === 0) return;
  forget();
  if (accounting) left = n;
}

function update(whole: boolean): void {
  const time = stint(patience);
  const dirt = drain();
  const places = new Map<Element, Extent>(dirt.places);
  for (const [e, k] of lines) {
    if (k.control !== "" && isConnected(e) && k.control !== stateOf(e) && !places.has(e)) places.set(e, "line");
  }
  const root = top();
  if (root === null) return;
  let roots = places.size === 0 ? [] : rootsOf(places);
  const guess = whole && !dirt.flooded;
  if (dirt.flooded || whole || roots.length > most) roots = [root];
  const gone = new Set<Element>();
  const under = new Set(roots);
  if (roots.length > 0) {
    for (const e of [...lines.keys(), ...texts.keys()]) if (!isConnected(e) || beneath(e, under)) gone.add(e);
  } else {
    for (const e of [...lines.keys(), ...texts.keys()]) if (!isConnected(e)) gone.add(e);
  }
  const fresh = new Map<Element, { item: Item; line: Line }>();
  const words = new Map<Element, string[]>();
  for (const r of roots) {
    if (isOver(time)) {
      left++;
      keep(r, gone, () => false);
      continue;
    }
    if (!isConnected(r) || !reachableIn(r)) continue;
    const built = build({ root: r, self: r !== root, from: null, interactive: false, budget: baselineBudget, stint: time, full: () => true });
    collect(built.root, fresh, words);
    if (built.partial) {
      if (!guess) left++;
      keep(r, gone, (e) => fresh.has(e) || words.has(e));
    }
  }
  for (const e of gone) {
    compareLine(e, fresh.get(e));
    compareTexts(e, words.get(e) ?? []);
  }
  for (const [e, f] of fresh) if (!gone.has(e) && !lines.has(e) && isNew(e)) appear(e, f);
  for (const [e, w] of words) if (!gone.has(e) && !texts.has(e) && isNew(e)) {
    texts.set(e, w);
    if (!isNoise(e)) {
      textsAdded.push(...w);
      since.added += w.length;
    }
  }
}

function beneath(e: Element, roots: ReadonlySet<Element>): boolean {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) if (roots.has(p)) return true;
  return false;
}

// keep leaves what is known under a place that there was no time for.
function keep(root: Element, gone: Set<Element>, seen: (e: Element) => boolean): void {
  for (const e of gone) if (!seen(e) && isConnected(e) && within(e, root)) gone.delete(e);
}

const absorbing =
  "a[href],button,summary,select,textarea,label,legend,caption,h1,h2,h3,h4,h5,h6,tr,[role=button],[role=link],[role=option],[role=tab],[role=menuitem],[role=row],[role=heading],[role=treeitem],[role=checkbox],[role=radio],[role=switch],[role=status],[role=alert],[role=log],output,[contenteditable],[onclick]";

// rootsOf are the elements to list anew: the smallest blocks that hold the
// places that changed, none within another.
function rootsOf(places: ReadonlyMap<Element, Extent>): Element[] {
  const roots = new Set<Element>();
  for (const e of places.keys()) {
    roots.add(blockOf(e));
    const label = closest(e, "label");
    if (label !== null && isLabel(label) && label.control !== null) roots.add(label.control);
    if (roots.size > 2 * most) break;
  }
  return [...roots].filter((r) => {
    const p = flatParent(r);
    return p === null || !beneath(p, roots);
  });
}

function blockOf(e: Element): Element {
  const absorbed = outermost(e);
  let r = absorbed ?? e;
  for (;;) {
    // What has a line of its own is listed anew by itself.
    if (lines.get(r)?.leaf === true) return r;
    const p = flatParent(r);
    if (p === null || p === top()) return r;
    const display = styleOf(r).display;
    if (lines.get(p)?.leaf !== true && !display.startsWith("inline") && display !== "contents" && display !== "none") return outermost(r) ?? r;
    r = p;
  }
}

// outermost is the furthest element around e whose line tells of what is in it.
function outermost(e: Element): Element | null {
  let found: Element | null = null;
  for (let leaf = closest(e, absorbing); leaf !== null; ) {
    found = leaf;
    const p = flatParent(leaf);
    leaf = p === null ? null : closest(p, absorbing);
  }
  return found;
}

function reachableIn(r: Element): boolean {
  const p = flatParent(r);
  if (p === null) return true;
  if (closest(p, "[inert],[aria-hidden=true]") !== null) return false;
  return isShown(p);
}

function collect(item: Item, fresh: Map<Element, { item: Item; line: Line }>, words: Map<Element, string[]>): void {
  if (item.skipped > 0) return;
  if (item.line !== undefined) {
    if (item.text) {
      const list = words.get(item.el);
      if (list === undefined) words.set(item.el, [item.line.name]);
      else list.push(item.line.name);
    } else {
      fresh.set(item.el, { item, line: item.line });
    }
  }
  for (const k of item.kids) collect(k, fresh, words);
}

function compareLine(e: Element, f: { item: Item; line: Line } | undefined): void {
  const k = lines.get(e);
  if (k === undefined) {
    if (f !== undefined) appear(e, f);
    return;
  }
  const silent = isNoise(e);
  if (f === undefined) {
    lines.delete(e);
    if (silent) return;
    since.removed++;
    updated.delete(e);
    if (!added.delete(e)) removed.set(e, k);
    return;
  }
  if (same(k.line, f.line)) {
    lines.set(e, knownOf(f.item, f.line));
    return;
  }
  lines.set(e, knownOf(f.item, f.line));
  if (silent) return;
  const was = updated.get(e)?.was ?? k.line;
  if (added.has(e)) added.set(e, knownOf(f.item, f.line));
  else if (same(was, f.line)) updated.delete(e);
  else updated.set(e, { was, is: f.line, ref: f.item.ref });
}

function appear(e: Element, f: { item: Item; line: Line }): void {
  const k = knownOf(f.item, f.line);
  lines.set(e, k);
  if (isNoise(e)) return;
  since.added++;
  const back = removed.get(e);
  if (back === undefined) {
    added.set(e, k);
    return;
  }
  removed.delete(e);
  if (!same(back.line, f.line)) updated.set(e, { was: back.line, is: f.line, ref: f.item.ref });
}

function compareTexts(e: Element, now: string[]): void {
  const was = texts.get(e) ?? [];
  if (was.length === now.length && was.every((t, i) => t === now[i])) return;
  if (now.length === 0) texts.delete(e);
  else texts.set(e, now);
  if (isNoise(e)) return;
  if (was.length === now.length) {
    was.forEach((t, i) => {
      const is = now[i] ?? "";
      if (t !== is) rewrite(t, is);
    });
    return;
  }
  for (const t of was) if (!now.includes(t)) {
    since.removed++;
    if (!drop(textsAdded, t)) textsRemoved.push(t);
  }
  for (const t of now) if (!was.includes(t)) {
    since.added++;
    if (!drop(textsRemoved, t)) textsAdded.push(t);
  }
}

function rewrite(was: string, is: string): void {
  const at = textsAdded.indexOf(was);
  if (at >= 0) {
    textsAdded[at] = is;
    return;
  }
  const earlier = textsUpdated.find((u) => u.is === was);
  if (earlier !== undefined) earlier.is = is;
  else textsUpdated.push({ was, is });
}

function drop(list: string[], t: string): boolean {
  const at = list.indexOf(t);
  if (at < 0) return false;
  list.splice(at, 1);
  return true;
}

// isNew tells whether an element that was not listed was not there: one that
// was folded or cut away, or lay outside of what was listed, is not new.
function isNew(e: Element): boolean {
  for (let p: Element | null = e; p !== null; p = flatParent(p)) {
    if (isBorn(p)) return true;
    if (folded.has(p)) return false;
  }
  return cut === null || cut === e || (comparePosition(cut, e) & 4) === 0;
}

/** diff tells what changed since the act began. */
export function diff(args: DiffArgs): DiffReply {
  accounting = true; // also in a frame that the act was not aimed at
  refresh(everywhere);
  if (!everywhere && accounted() === 0 && left === 0) refresh(true);
  accounting = false;
  takeSince(); // it is told here
  const told = (l: Line): string => bodyOf({ ...l, states: shownStates(l) });
  const ref = (e: Element, k: boolean): string => (k ? `${args.prefix}e${String(number(e))} ` : "");
  const plus = byWeight(added).map(([e, k]) => ref(e, k.ref) + told(k.line)).concat(textsAdded.map((t) => `text ${quote(t)}`));
  const minus = [...removed].map(([e, k]) => ref(e, k.ref && numbered(e) > 0) + told(k.line)).concat(textsRemoved.map((t) => `text ${quote(t)}`));
  const tilde = [...updated].map(([e, u]) => `${ref(e, u.ref)}${told(u.was.value !== undefined && u.is.value === undefined ? { ...u.is, value: '""' } : u.is)} (was ${was(u.was, u.is)})`);
  const words = textsUpdated.filter((u) => u.was !== u.is).map((u) => `text ${quote(u.is)} (was ${quote(u.was)})`);
  const over = (list: readonly string[]): number => Math.max(0, list.length - args.budget);
  const changes = tilde.concat(words);
  return {
    added: plus.slice(0, args.budget),
    removed: minus.slice(0, args.budget),
    updated: changes.slice(0, args.budget),
    tooLarge: over(plus) + over(minus) + over(changes) + left,
    changed: hasChanged() || plus.length + minus.length + changes.length > 0,
  };
}

// byWeight puts messages to the reader first.
function byWeight(m: ReadonlyMap<Element, Known>): [Element, Known][] {
  const urgent = (k: Known): boolean => k.line.role === "alert" || k.line.role === "status" || k.line.role === "alertdialog" || k.line.role === "dialog";
  const all = [...m];
  return all.filter(([, k]) => urgent(k)).concat(all.filter(([, k]) => !urgent(k)));
}

/** movedFrom tells where what was listed as e is now; "" when e is it still. */
export function movedFrom(e: Element, prefix: string): string {
  const known = lines.get(e);
  return known === undefined ? "" : becameOther(e, known.line, [...lines].map(([o, k]) => [o, k.line] as const), prefix);
}

/** lineIn is the line of an element with its ref. */
export function lineIn(e: Element, prefix: string): string {
  return `${prefix}e${String(number(e))} ${bodyOf(lineOf(e))}`;
}
