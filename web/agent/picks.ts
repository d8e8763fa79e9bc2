import { byId, getAttribute, hasAttribute, isInput, isSelect, isShadow, query, queryAll, queryFragmentAll, rootOf, top } from "../shared/safe-dom";
import { clean, quote } from "../shared/quote";
import { Fault } from "./faults";
import { contentName, nameOf } from "./names";
import { number } from "./refs";
import { roleOf } from "./roles";
import { isShown } from "./visible";

// Lists of choices that a page draws itself: what opens one, and its options.

const mostOptions = 1000;
const toldOptions = 20;

const fields = "input:not([type=hidden]),textarea,[contenteditable]:not([contenteditable=false])";

/** isPicker tells whether e shows a choice of a list that it opens, or is such a list. */
export function isPicker(e: Element): boolean {
  if (isSelect(e) || isInput(e)) return false;
  const role = roleOf(e);
  if (role === "listbox") return true;
  return role === "combobox" ? query(e, fields) === null : role === "button" && getAttribute(e, "aria-haspopup") === "listbox";
}

// before is what a picker showed when an option was last pressed for it.
const before = new WeakMap<Element, string>();

/** picked tells whether a picker has what was chosen. */
export function picked(e: Element, value: string): boolean {
  const want = clean(value).toLowerCase();
  if (roleOf(e) === "listbox") return optionsOf(e).some((o) => named(o).toLowerCase() === want && isOn(o));
  const now = shownIn(e);
  const was = before.get(e);
  return now.toLowerCase() === want || (was !== undefined && was !== now);
}

function isOn(o: Element): boolean {
  return getAttribute(o, "aria-selected") === "true" || getAttribute(o, "aria-checked") === "true";
}

/** shownIn is the choice that a picker shows. */
export function shownIn(e: Element): string {
  return clean(getAttribute(e, "aria-valuetext") ?? "") || contentName(e);
}

function named(o: Element): string {
  return nameOf(o, "option");
}

// optionsOf are the options that can be pressed for a picker now.
function optionsOf(e: Element): Element[] {
  if (roleOf(e) === "listbox") return [...queryAll(e, "[role=option]")].slice(0, mostOptions);
  for (const id of `${getAttribute(e, "aria-controls") ?? ""} ${getAttribute(e, "aria-owns") ?? ""}`.trim().split(/\s+/)) {
    const list = id === "" ? null : byId(e, id);
    const inside = list === null ? [] : [...queryAll(list, "[role=option]")].slice(0, mostOptions).filter(isShown);
    if (inside.length > 0) return inside;
  }
  const root = rootOf(e), page = top();
  const all = [...(isShadow(root) ? queryFragmentAll(root, "[role=option]") : []), ...(page === null ? [] : queryAll(page, "[role=option]"))];
  return all.slice(0, mostOptions).filter(isShown);
}

/** Pick is the next press on the way to a choice. */
export interface Pick {
  readonly how: "click" | "open";
  readonly clickN: number;
}

/** pick finds the option to press, or says that its list must be opened first. */
export function pick(e: Element, value: string): Pick {
  const want = clean(value), low = want.toLowerCase();
  const open = roleOf(e) === "listbox" || getAttribute(e, "aria-expanded") === "true" || !hasAttribute(e, "aria-expanded");
  const options = open ? optionsOf(e) : [];
  const found = options.find((o) => named(o) === want) ?? options.find((o) => named(o).toLowerCase() === low) ?? options.find((o) => getAttribute(o, "data-value") === value);
  if (found !== undefined) {
    if (getAttribute(found, "aria-disabled") === "true") throw new Fault("not_actionable", `the option ${quote(want)} is disabled`, "choose another option");
    before.set(e, shownIn(e));
    return { how: "click", clickN: number(found) };
  }
  if (options.length === 0) return { how: "open", clickN: number(e) };
  const names = options.slice(0, toldOptions).map((o) => quote(named(o)));
  const rest = options.length - names.length;
  throw new Fault("invalid_arguments", `no option ${quote(want)} is listed`, `the options are ${names.join(", ")}${rest > 0 ? `, … ${String(rest)} more` : ""}`);
}
