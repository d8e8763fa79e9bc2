import type { StampReply } from "../shared/protocol.gen";
import { elementsIn, isElement, isInput, isSelect, isTextArea, queryFragmentAll, top } from "../shared/safe-dom";
import { now } from "../shared/safe";
import { kidsOf, metRoots, nextKid } from "../shared/tree";
import { contents, contentChanged, watch } from "./changes";
import { fieldValue, isChecked, selectedValue } from "./values";

// Whether the content of the document is another one than before: from the
// record of changes, and from the values of fields, of which no record tells
// when a script sets them.

// No other document has this name.
const name = Math.random().toString(36).slice(2);

const tags = ["input", "textarea", "select"];

const values = new WeakMap<Element, string | boolean>();

// Looking for shadow trees goes through all elements: it is not to take more
// than this part of the time.
const part = 1 / 50;
let searched = -1; // the content that was looked through
let due = 0;

/** stamp names what the document holds. */
export function stamp(): StampReply {
  watch();
  meetRoots();
  for (const tag of tags) look(elementsIn(document, tag));
  for (const root of metRoots()) look(queryFragmentAll(root, tags.join()));
  return { stamp: `${name}:${String(contents())}` };
}

function look(all: Iterable<Element>): void {
  let changed = false;
  for (const e of all) changed = differs(e) || changed;
  if (changed) contentChanged();
}

function meetRoots(): void {
  const began = now();
  const root = top();
  if (root === null || searched === contents() || began < due) return;
  searched = contents();
  const stack = [kidsOf(root)];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const n = nextKid(level);
    if (n === null) stack.pop();
    else if (isElement(n)) stack.push(kidsOf(n));
  }
  const t = now();
  due = t + (t - began) / part;
}

// differs tells whether a field has another value than it was seen with.
function differs(e: Element): boolean {
  const had = values.get(e);
  const has = isInput(e) ? (e.type === "checkbox" || e.type === "radio" ? isChecked(e) : fieldValue(e)) : isTextArea(e) ? fieldValue(e) : isSelect(e) ? selectedValue(e) : "";
  if (had === has) return false;
  values.set(e, has);
  return had !== undefined;
}
