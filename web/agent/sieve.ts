import {
  attributeNames, checkVisibility, dataOf, firstChild, getAttribute, hasAttributes, isElement, isInput, isLabel, isText, isTextArea, localName, nextSibling, textContent,
} from "../shared/safe-dom";
import { flatParent, rootIn, slotted } from "../shared/tree";
import { generated } from "./generated";
import { labelsOf } from "./labels";
import { current, fieldValue } from "./values";

// A coarse search before the exact one: it asks nothing of what elements look
// like, and lets pass all that may say a text. What an element says is put
// together of texts in it and of attributes, in the order of the tree, of which
// some may be left out and between which there may be spaces. So the letters of
// what is looked for stand there in their order, with others between them.

// So many letters are looked for.
const most = 64;

// Characters that stand for others, or look otherwise at the end of a word.
const inexact = /[•σς]/;

const deaf = new Set(["script", "style", "template", "noscript", "head"]);
const saying = new Set(["aria-label", "title", "alt", "placeholder", "aria-placeholder", "value", "label", "aria-valuetext", "aria-valuenow", "alttext"]);

interface Level {
  readonly el: Element;
  readonly list: readonly Node[] | null;
  at: number;
  next: Node | null;
  readonly from: number;
  readonly after: string;
}

/** sieve are the elements below root that may say a text in lower case; null: any may. */
export function sieve(root: Element, text: string): ReadonlySet<Element> | null {
  const letters = text.replace(/\s+/g, "").slice(0, most);
  if (letters === "" || inexact.test(letters)) return null;
  const through = new Set<Element>();
  const labels: HTMLLabelElement[] = [];
  const letter = new Letters(letters);

  // certain lets an element pass, and what it is in.
  const certain = (e: Element): void => {
    for (let p: Element | null = e; p !== null && !through.has(p); p = flatParent(p)) through.add(p);
  };
  const attributes = (e: Element, tag: string): void => {
    for (const name of attributeNames(e)) {
      if (saying.has(name)) letter.feed(getAttribute(e, name) ?? "");
      else if (name === "aria-labelledby") certain(e);
      // Its text is also told as it is in the document, whatever its root shows.
      else if (name === "role" && rootIn(e) !== null) letter.feed(textContent(e) ?? "");
    }
    if (tag === "input" && isInput(e)) {
      letter.feed(current(e));
      if (e.type === "submit" || e.type === "reset" || e.type === "image") certain(e);
    }
  };

  const stack: Level[] = [];
  const enter = (e: Element): void => {
    const tag = localName(e);
    if (deaf.has(tag)) return;
    const from = letter.place;
    if (hasAttributes(e)) attributes(e, tag);
    if (tag === "label" && isLabel(e)) labels.push(e);
    else if (tag === "textarea" && isTextArea(e)) letter.feed(fieldValue(e));
    const around = generated(e, () => checkVisibility(e));
    if (around !== null) letter.feed(around.before);
    const list = slotted(e);
    stack.push({ el: e, list, at: 0, next: list === null ? firstChild(rootIn(e) ?? e) : null, from, after: around?.after ?? "" });
  };
  enter(root);
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const n = level.list === null ? level.next : (level.list[level.at++] ?? null);
    if (n === null) {
      stack.pop();
      if (level.after !== "") letter.feed(level.after);
      if (letter.since(level.from)) through.add(level.el);
      continue;
    }
    if (level.list === null) level.next = nextSibling(n);
    if (isText(n)) letter.feed(dataOf(n));
    else if (isElement(n)) enter(n);
  }
  // A label speaks for its control, and is told of in its place.
  for (const l of labels) {
    const c = l.control;
    if (c === null || !(through.has(l) || through.has(c) || labelsOf(c).length > 1)) continue;
    certain(l);
    certain(c);
  }
  return through;
}

// Letters looks for letters in the order of a text that may hold more. Of each
// number of them it keeps how late the text may begin to hold them.
class Letters {
  place = 0;
  private readonly begin: Int32Array;
  private readonly ascii: (readonly number[] | undefined)[] = new Array<undefined>(128).fill(undefined);
  private readonly others = new Map<number, readonly number[]>();

  constructor(letters: string) {
    this.begin = new Int32Array(letters.length + 1).fill(-1);
    for (let i = 0; i < letters.length; i++) {
      const c = letters.charCodeAt(i);
      // The last ones first: each takes over from the one before.
      const where = [i, ...((c < 128 ? this.ascii[c] : this.others.get(c)) ?? [])];
      if (c < 128) this.ascii[c] = where;
      else this.others.set(c, where);
    }
  }

  feed(text: string): void {
    const low = text.toLowerCase();
    for (let i = 0; i < low.length; i++) {
      const c = low.charCodeAt(i);
      const where = c < 128 ? this.ascii[c] : this.others.get(c);
      if (where !== undefined) for (const j of where) this.begin[j + 1] = j === 0 ? this.place + i : (this.begin[j] ?? -1);
    }
    this.place += low.length;
  }

  /** since tells whether all letters stood there from a place on. */
  since(place: number): boolean {
    return (this.begin.at(-1) ?? -1) >= place;
  }
}
