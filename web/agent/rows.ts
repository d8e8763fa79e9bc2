import { checkVisibility, dataOf, firstChild, firstElementChild, getAttribute, hasAttribute, hasAttributes, isElement, isText, localName, nextElementSibling, nextSibling } from "../shared/safe-dom";
import { clean, cut, quote } from "../shared/quote";
import { rootIn, slotted } from "../shared/tree";
import { nameOf } from "./names";
import { spanOf, unseen } from "./kinds";
import { roleOf } from "./roles";
import { legible } from "./legible";
import { look } from "./visible";

// Rows of tables: cells of plain text are told in one line.

const longestCell = 200;

const cellRoles = new Set(["cell", "gridcell", "columnheader", "rowheader"]);

// cellsOf are the cells of a row, null when it holds anything else.
function cellsOf(e: Element): Element[] | null {
  const cells: Element[] = [];
  for (let c = firstElementChild(e); c !== null; c = nextElementSibling(c)) {
    const tag = localName(c);
    if (unseen.has(tag)) continue;
    if (tag !== "td" && tag !== "th" && !cellRoles.has(roleOf(c))) return null;
    cells.push(c);
  }
  return cells.length > 0 ? cells : null;
}

// Columns keeps how the plain cells of a table look, by column and class: what
// one of them is, the others are.
type Columns = Map<string, boolean>;

/** Grid keeps which columns of a table are taken by cells of the rows above. */
export class Grid {
  readonly columns: Columns = new Map<string, boolean>();
  private taken: number[] = [];
  private last: Element | null = null;

  /** begin goes on to a row; what came before it counts only when it was the one above. */
  begin(row: Element): void {
    if (this.last === null || nextElementSibling(this.last) !== row) this.taken = [];
    this.last = row;
  }

  /** free leaves out the columns that are taken from one on, and tells how many. */
  free(from: number): number {
    let n = 0;
    while ((this.taken[from + n] ?? 0) > 0) {
      this.taken[from + n] = (this.taken[from + n] ?? 1) - 1;
      n++;
    }
    return n;
  }

  /** put tells of a cell at a column, and answers with the columns that it takes. */
  put(cell: Element, at: number): number {
    if (!hasAttributes(cell)) return 1;
    const wide = spanOf(cell, "colspan"), high = spanOf(cell, "rowspan");
    if (high > 1) for (let i = 0; i < wide; i++) this.taken[at + i] = high - 1;
    return wide;
  }
}

/** Row is what is told of a row in one line, and the cells that need lines of their own. */
export interface Row {
  readonly name: string;
  readonly rich: readonly Element[];
  readonly sort: string;
}

/** rowOf tells a row of a grid, null when it holds anything but cells. */
export function rowOf(e: Element, grid: Grid, isPlain: (cell: Element) => boolean): Row | null {
  const cells = cellsOf(e);
  if (cells === null) return null;
  grid.begin(e);
  const texts: string[] = [];
  const rich: Element[] = [];
  const blank = (n: number): void => {
    for (; n > 0; n--) texts.push("");
  };
  for (const c of cells) {
    blank(grid.free(texts.length));
    const wide = grid.put(c, texts.length);
    const plain = isPlain(c);
    texts.push(plain ? cellText(c, grid.columns, texts.length) : "");
    if (!plain) rich.push(c);
    blank(wide - 1);
  }
  blank(grid.free(texts.length));
  while (texts.length > 0 && (texts.at(-1) === "" || (rich.length > 0 && texts.length > cells.length))) texts.pop();
  return { name: (rich.length > 0 ? texts.filter((t) => t !== "") : texts).join(" | "), rich, sort: sortOf(cells) };
}

// sortOf is how a row of heads says that its table is sorted.
function sortOf(cells: readonly Element[]): string {
  for (const c of cells) {
    const sort = hasAttributes(c) ? getAttribute(c, "aria-sort") : null;
    if (sort === "ascending" || sort === "descending") return `sorted ${sort} by ${quote(nameOf(c, "columnheader"))}`;
  }
  return "";
}

const both = { opacityProperty: true, visibilityProperty: true };

// cellText is the text in a cell that a person could read, on one line.
function cellText(e: Element, columns: Columns, column: number): string {
  const n = firstChild(e);
  if (n === null && rootIn(e) === null) return "";
  if (n === null || !isText(n) || nextSibling(n) !== null || rootIn(e) !== null) {
    const l = look(e, null);
    return l.seen === "hidden" ? "" : clean(gather(e, l.seen === "shown" && legible(e), l.rect, 0));
  }
  if (!checkVisibility(e, both)) return "";
  const key = `${String(column)} ${hasAttributes(e) ? `${getAttribute(e, "class") ?? ""} ${getAttribute(e, "style") ?? ""} ${getAttribute(e, "id") ?? ""}` : ""}`;
  let readable = columns.get(key);
  if (readable === undefined) {
    readable = look(e, null).seen === "shown" && legible(e);
    columns.set(key, readable);
  }
  return readable ? clean(cut(dataOf(n), longestCell)) : "";
}

function gather(e: Element, readable: boolean, outer: DOMRect | null, depth: number): string {
  let text = "";
  const slots = slotted(e);
  let i = 0;
  for (let n: Node | null | undefined = slots === null ? firstChild(rootIn(e) ?? e) : slots[i]; n !== null && n !== undefined && text.length < longestCell; n = slots === null ? nextSibling(n) : slots[++i]) {
    if (isText(n)) {
      if (readable) text += dataOf(n);
    } else if (isElement(n) && depth < 100) {
      const tag = localName(n);
      if (unseen.has(tag) || getAttribute(n, "aria-hidden") === "true" || hasAttribute(n, "inert")) continue;
      if (tag === "br") {
        text += " ";
        continue;
      }
      const l = look(n, outer);
      if (l.seen === "hidden") continue;
      const inner = tag === "img" || tag === "svg" ? nameOf(n, "img") : gather(n, l.seen === "shown" && legible(n), l.inline ? outer : l.rect, depth + 1);
      text += l.inline ? inner : ` ${inner} `;
    }
  }
  return cut(text, longestCell);
}
