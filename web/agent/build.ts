import { checkVisibility, clientHeight, clientWidth, contentType, dataOf, firstChild, firstElementChild, getAttribute, hasAttribute, isElement, isInput, isSelect, isText, localName, query, rectOf, styleOf } from "../shared/safe-dom";
import { clean, cut } from "../shared/quote";
import { flatParent, isOurs, rootIn, slotted } from "../shared/tree";
import { areasOf } from "./areas";
import { isFrame } from "./frames";
import { divides, itemOf, signature, written, type Item } from "./items";
import { step, wind, type Level, type Mute } from "./levels";
import { lineAs, plainLine, sizeOf } from "./lines";
import { always, concealed, holdsData, ifNamed, inLayout, isLeaf, labelledCell, namesControl, rescued, spoken, tableLine, textLabel, transparent, unseen } from "./kinds";
import { generated } from "./generated";
import { branchName, nameOf, takesContent } from "./names";
import { optionLabel } from "./options";
import { holdsActions, isFocusable, isWidget, pressable, roleOf } from "./roles";
import { Grid, rowOf } from "./rows";
import { settle } from "./settle";
import { isOver, type Stint } from "./stint";
import { legible } from "./legible";
import { isEditingHost } from "./values";
import { look, type Look } from "./visible";
import { modalPath, pathTo } from "./ways";

// The walk over the flat tree. It goes once through it and keeps no stack of
// calls, so that the depth of a page does not matter. Once more was found than
// fits the budget, long runs of like siblings are counted instead of visited.

/** The longest text in one line. */
export const longestText = 400;

// The longest run of like siblings that is built once the budget is spent, and
// once it is spent twice.
const longestRun = 30;
const shortestRun = 5;

/** How many siblings back a like one may lie. */
export const memory = 12;
const deepestItem = 200;

// Bytes before a line, such as its ref and the word for a text, and of a note.
const lead = 14;
const noted = 60;

const blank = /^\s*$/;

// Roles of what may have others of the kind below it, and a name of its own.
const branching = new Set(["treeitem", "menuitem"]);

// So many of the siblings that are only counted are looked at.
const mostLooked = 1000;

/** Plan is what to walk over and how far. */
export interface Plan {
  readonly root: Element;
  readonly self: boolean; // the root's own line too
  readonly from: Element | null; // begin with this element
  readonly interactive: boolean;
  readonly budget: number; // bytes
  readonly stint: Stint | null; // null for no limit of time
  /** full tells whether what was built cannot be folded into the budget. */
  readonly full: (root: Item) => boolean;
}

/** Skipped is what was only counted: runs of like siblings, or headings among them too. */
export type Skipped = "none" | "runs" | "headings";

/** Built is the outcome of a walk. */
export interface Built {
  readonly root: Item;
  readonly partial: boolean; // it stopped before the end
  readonly skipped: Skipped;
  readonly size: number; // bytes at most, unfolded
}

/** build walks by a plan. */
export function build(plan: Plan): Built {
  const root = itemOf(plan.root, undefined);
  const path = plan.from === null ? null : pathTo(plan.from, plan.root);
  const stack: Level[] = [];
  let pending = "";
  let size = 0;
  let check = 2 * plan.budget;
  let skipped: Skipped = "none";
  const modal = plan.self ? null : modalPath();

  const flush = (item: Item, depth: number): void => {
    if (pending === "") return;
    const long = pending.length > 4 * longestText;
    const all = clean(long ? pending.slice(0, 3 * longestText) : pending);
    const rest = long ? pending.length - 3 * longestText : 0;
    pending = "";
    if (all === "" || plan.interactive) return;
    const more = all.length + rest > longestText + 40 ? all.length + rest - longestText : 0;
    const shown = more > 0 ? cut(all, longestText) : all;
    const text: Item = { el: item.el, text: true, sig: "#text", line: plainLine("text", shown), ref: false, kids: [], skipped: 0, more };
    item.kids.push(text);
    size += sizeOf(shown) + lead + 2 * depth + (more > 0 ? noted : 0);
  };

  const add = (level: Level, item: Item): void => {
    flush(level.item, level.depth);
    level.item.kids.push(item);
    if (item.line !== undefined) size += sizeOf(written(item)) + lead + 2 * level.depth;
  };

  const enter = (level: Level | null, el: Element, item: Item, own: boolean, l: Look | null, mute: Mute, only?: readonly Node[]): void => {
    const list = only ?? slotted(el);
    let at = 0;
    let next: Node | null = list === null ? firstChild(rootIn(el) ?? el) : null;
    const begin = path?.get(el);
    if (begin !== undefined) {
      if (list === null) next = begin;
      else at = Math.max(0, list.indexOf(begin));
    }
    const around = l?.seen === "shown" && mute === "no" && !plan.interactive ? generated(el, () => true) : null;
    const shown = around !== null && legible(el);
    if (shown) pending += around.before;
    stack.push({
      el, item, own, next, list, at, mute, after: shown ? around.after : "",
      text: l === null || l.seen === "shown" ? undefined : false, pointer: l?.pointer ?? false, rect: l === null ? null : l.inline ? (level?.rect ?? l.rect) : l.rect,
      depth: (level?.depth ?? 0) + (own ? 1 : 0), run: 0, recent: [], skip: null,
    });
  };

  // open goes into an element as a block of its own, or as part of its parent.
  const open = (level: Level, el: Element, item: Item | null, l: Look, mute: Mute, only?: readonly Node[]): void => {
    if (item === null && (l.inline || level.depth > deepestItem)) {
      enter(level, el, level.item, false, l, mute, only);
      return;
    }
    flush(level.item, level.depth);
    if (item?.line !== undefined) size += sizeOf(written(item)) + lead + 2 * level.depth;
    enter(level, el, item ?? itemOf(el, undefined), true, l, mute, only);
  };

  const say = (level: Level, data: string): void => {
    if (level.text === undefined && blank.test(data)) pending += " ";
    else if ((level.text ??= legible(level.el))) pending += data;
  };

  const leave = (level: Level): void => {
    flush(level.item, level.depth);
    const up = stack.at(-1);
    if (up === undefined) return;
    const item = settle(level.item, plan.interactive);
    if (item !== null) up.item.kids.push(item);
  };

  const skim = (level: Level, el: Element, sig: string): void => {
    const gap = level.skip !== null && level.item.kids.at(-1) === level.skip ? level.skip : null;
    if ((gap === null || gap.skipped < mostLooked) && !checkVisibility(el)) return;
    skipped = skipped === "headings" || divides(sig) ? "headings" : "runs";
    if (gap !== null) {
      gap.skipped++;
      return;
    }
    flush(level.item, level.depth);
    level.skip = { ...itemOf(el, undefined), sig, skipped: 1 };
    level.item.kids.push(level.skip);
  };

  const visit = (level: Level, el: Element): void => {
    const tag = localName(el);
    if (unseen.has(tag) || isOurs(el)) return;
    if (tag === "br") {
      pending += " ";
      return;
    }
    const through = path !== null && path.has(el);
    const sig = signature(el);
    if (size > plan.budget && level.run >= (size > 2 * plan.budget ? shortestRun : longestRun) && !through) {
      if (level.recent.includes(sig) && (size > 2 * plan.budget || !divides(sig))) return skim(level, el, sig);
      level.run = 0;
    }
    if (modal !== null && !modal.path.has(el) && !stack.some((s) => s.el === modal.dialog)) return;
    if (hasAttribute(el, "inert")) return;
    let mute = level.mute;
    if (mute !== "hidden" && getAttribute(el, "aria-hidden") === "true") {
      if (!isFocusable(el) && !holdsActions(el)) return;
      mute = "hidden";
    }
    let l = look(el, level.rect);
    if (l.seen === "hidden") {
      if (!rescued(el)) return;
      l = { ...l, seen: "shown", inline: true, rect: rectOf(el) };
    }
    level.run++;
    level.recent.push(sig);
    if (level.recent.length > memory) level.recent.shift();
    list(level, el, tag, l, mute, through);
  };

  const list = (level: Level, el: Element, tag: string, l: Look, mute: Mute, through: boolean): void => {
    if (isInput(el) && el.type === "hidden") return;
    const control = concealed(el);
    if (control !== null) {
      const role = roleOf(control);
      add(level, itemOf(control, lineAs(control, role, nameOf(control, role)), true));
      return;
    }
    if (isFrame(el)) {
      if (clientWidth(el) <= 2 || clientHeight(el) <= 2) return;
      if (l.seen === "shown") add(level, itemOf(el, lineAs(el, "iframe", nameOf(el, "iframe")), true));
      return;
    }
    if (l.seen === "through") {
      open(level, el, null, l, mute);
      return;
    }
    if (namesControl(el, tag)) {
      open(level, el, null, l, mute === "hidden" ? mute : "told");
      return;
    }
    const role = roleOf(el);
    if (transparent.has(tag) || role === "rowgroup") {
      flush(level.item, level.depth);
      enter(level, el, level.item, false, l, mute);
      return;
    }
    if (tag === "details" && !hasAttribute(el, "open")) {
      const summary = query(el, ":scope > summary");
      if (summary === null) add(level, itemOf(el, { ...plainLine("button", "Details"), states: ["collapsed"] }, true));
      else open(level, el, null, l, mute, [summary]);
      return;
    }
    const hand = l.pointer && !level.pointer && tag !== "html" && tag !== "body" && tag !== "label" && role !== "none";
    const act = isLeaf(el, tag) ? tag !== "meter" && tag !== "progress" && tag !== "math" : (isWidget(role) && (role !== "gridcell" || pressable(el) || labelledCell(el, role))) || pressable(el) || hand;
    if (act && (tag !== "body" || isEditingHost(el)) && tag !== "html" && role !== "row" && !(mute === "hidden" && !isFocusable(el) && !holdsActions(el))) {
      actable(level, el, tag, role, l, mute, through);
      return;
    }
    structure(level, el, tag, role, l, mute, through, hand || pressable(el));
  };

  const actable = (level: Level, el: Element, tag: string, role: string, l: Look, mute: Mute, through: boolean): void => {
    const leaf = isLeaf(el, tag) || (!through && !holdsActions(el));
    const word = isWidget(role) || role === "iframe" || isLeaf(el, tag) ? role : role === "generic" || role === "paragraph" || role === "none" ? "clickable" : role;
    if (isSelect(el) && plan.self && el === plan.root) return options(level, el);
    if (!leaf) {
      if (branching.has(role) && getAttribute(el, "aria-expanded") !== null) {
        return open(level, el, itemOf(el, lineAs(el, word, branchName(el)), true), l, mute === "no" ? "told" : mute);
      }
      const name = takesContent(role) ? (getAttribute(el, "aria-label") !== null || getAttribute(el, "aria-labelledby") !== null ? nameOf(el, role) : "") : nameOf(el, role);
      open(level, el, itemOf(el, lineAs(el, word, clean(name)), true), l, mute);
      return;
    }
    const name = word === "clickable" || (!takesContent(role) && !isLeaf(el, tag) && !isWidget(role)) ? textLabel(el, role) : nameOf(el, role);
    if (word === "clickable" && name === "" && l.rect !== null && (l.rect.width < 4 || l.rect.height < 4)) return;
    add(level, itemOf(el, lineAs(el, word, clean(name)), true));
  };

  const options = (level: Level, el: HTMLSelectElement): void => {
    const item = itemOf(el, lineAs(el, roleOf(el), nameOf(el, roleOf(el))), true);
    const all = Array.from(el.options);
    const first = all.findIndex((o) => o === plan.from);
    item.kids = all.slice(Math.max(first, 0)).map((o) => itemOf(o, lineAs(o, "option", optionLabel(o))));
    for (const k of item.kids) size += sizeOf(written(k)) + lead;
    add(level, item);
  };

  const mapped = (level: Level, el: Element, role: string, name: string, areas: readonly Element[]): void => {
    const kids = areas.map((a) => itemOf(a, lineAs(a, roleOf(a) === "link" ? "link" : "clickable", nameOf(a, "link")), true));
    for (const k of kids) size += sizeOf(written(k)) + lead;
    if (plan.interactive) for (const k of kids) add(level, k);
    else add(level, { ...itemOf(el, lineAs(el, role, name)), kids });
  };

  const structure = (level: Level, el: Element, tag: string, role: string, l: Look, mute: Mute, through: boolean, ref: boolean): void => {
    switch (role) {
      case "img":
      case "graphics-document": {
        const name = nameOf(el, role);
        const areas = mute === "hidden" ? [] : areasOf(el);
        if (areas.length > 0) return mapped(level, el, role, name, areas);
        const big = l.rect !== null && ((l.rect.width >= 100 && l.rect.height >= 100) || /^image\//.test(contentType()));
        // What a picture holds is in it to be looked at, unless it can be acted on.
        if (!through && name !== "" && tag !== "img" && (holdsActions(el) || (big && firstElementChild(el) !== null))) {
          open(level, el, mute === "hidden" ? null : itemOf(el, lineAs(el, role, name)), l, mute === "hidden" ? mute : "told");
          return;
        }
        if (!through && (name !== "" || tag === "img")) {
          if (mute === "no" && !plan.interactive && (name !== "" || big)) add(level, itemOf(el, lineAs(el, role, name)));
          return;
        }
        break;
      }
      case "progressbar":
      case "meter":
      case "math":
        if (mute !== "hidden" && !plan.interactive) add(level, itemOf(el, lineAs(el, role, role === "math" ? textLabel(el, role) : nameOf(el, role))));
        return;
      case "heading":
        if (mute !== "no" || through) break;
        if (!holdsActions(el)) {
          const name = nameOf(el, role);
          if (name !== "" && !plan.interactive && legible(el)) add(level, itemOf(el, lineAs(el, role, name)));
          return;
        }
        open(level, el, itemOf(el, lineAs(el, role, "")), l, mute);
        return;
      case "table":
        if (!holdsData(el)) break;
        open(level, el, itemOf(el, tableLine(el, role, nameOf(el, role))), l, mute);
        return;
      case "grid":
      case "treegrid":
        open(level, el, itemOf(el, tableLine(el, role, nameOf(el, role))), l, mute);
        return;
      case "row":
        if (through || inLayout(el)) break;
        if (row(level, el, l, mute, ref)) return;
        break;
    }
    if (always.has(role)) {
      open(level, el, itemOf(el, lineAs(el, role, nameOf(el, role)), role === "dialog" || role === "alertdialog"), l, mute);
      return;
    }
    if (spoken.has(role) && mute === "no") {
      open(level, el, itemOf(el, lineAs(el, role, nameOf(el, role))), l, mute);
      return;
    }
    if (ifNamed.has(role)) {
      const name = nameOf(el, role);
      if (name !== "") {
        open(level, el, itemOf(el, lineAs(el, role, name)), l, mute);
        return;
      }
    }
    open(level, el, null, l, mute);
  };

  const tables = new Map<Element, Grid>();
  const gridOf = (rows: Element): Grid => {
    const grid = tables.get(rows) ?? new Grid();
    tables.set(rows, grid);
    return grid;
  };
  // row makes one line of the cells that hold only text.
  const row = (level: Level, el: Element, l: Look, mute: Mute, ref: boolean): boolean => {
    const told = rowOf(el, gridOf(level.el), (c) => mute === "no" && !holdsActions(c) && !pressable(c) && !labelledCell(c, roleOf(c)));
    if (told === null) return false;
    const { name, rich, sort } = told;
    const item = itemOf(el, { ...lineAs(el, "row", ""), name: clean(name), rest: sort }, ref);
    if (rich.length === 0) {
      if ((name !== "" && !plan.interactive) || ref) add(level, item);
      return true;
    }
    open(level, el, item, l, mute, rich);
    return true;
  };

  if (plan.self) {
    const up = flatParent(plan.root);
    stack.push({ el: plan.root, item: root, own: false, next: null, list: [plan.root], at: 0, text: undefined, after: "", mute: "no", pointer: up !== null && styleOf(up).cursor === "pointer", rect: null, depth: 0, run: 0, recent: [], skip: null });
  } else {
    enter(null, plan.root, root, true, null, "no");
  }
  let steps = 0;
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const node = step(level);
    if (node === null) {
      stack.pop();
      pending += level.after;
      if (level.own) leave(level);
      else if (stack.length === 0) flush(level.item, level.depth);
    } else if (isText(node)) {
      if (level.mute === "no" && level.text !== false) say(level, dataOf(node));
    } else if (isElement(node)) {
      visit(level, node);
    }
    if (size > check) {
      if (plan.full(root)) return { root, partial: true, skipped, size };
      check *= 2;
    }
    if (plan.stint !== null) {
      plan.stint.steps++;
      if ((++steps & 63) === 0 && isOver(plan.stint)) {
        wind(stack);
        return { root, partial: true, skipped, size };
      }
    }
  }
  return { root, partial: false, skipped, size };
}
