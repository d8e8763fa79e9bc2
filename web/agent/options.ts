import { getAttribute, localName, parentElement } from "../shared/safe-dom";
import { clean, clip, quote } from "../shared/quote";
import { Fault } from "./faults";

// The options of a select element: telling them, and choosing one.

const few = 8;

/** optionLabel is what a person reads of an option. */
export function optionLabel(o: HTMLOptionElement): string {
  return clean(getAttribute(o, "label") ?? "") || clean(o.text);
}

/** groupOf is the label of an option's group, "" outside of one. */
function groupOf(o: HTMLOptionElement): string {
  const p = parentElement(o);
  return p !== null && localName(p) === "optgroup" ? clean(getAttribute(p, "label") ?? "") : "";
}

/** isOptionDisabled counts the option's group too. */
function isOptionDisabled(o: HTMLOptionElement): boolean {
  const p = parentElement(o);
  return o.disabled || (p !== null && localName(p) === "optgroup" && getAttribute(p, "disabled") !== null);
}

// bare writes an option without quotes where nothing in it could be taken for
// the list's own signs.
function bare(s: string): string {
  const t = clip(s, 60);
  const q = quote(t);
  return q.length === t.length + 2 && /^[^|[\]()…:]+$/.test(t) ? t : q;
}

function told(o: HTMLOptionElement): string {
  return bare(optionLabel(o)) + (isOptionDisabled(o) ? " (disabled)" : "");
}

/** choices lists options in brackets: all of a few, else the first of each group. */
export function choices(s: HTMLSelectElement): string {
  const all = Array.from(s.options).filter((o) => !o.hidden);
  if (all.length === 0) return "[]";
  const groups: { label: string; options: HTMLOptionElement[] }[] = [];
  for (const o of all) {
    const label = groupOf(o);
    const last = groups.at(-1);
    if (last?.label === label) last.options.push(o);
    else groups.push({ label, options: [o] });
  }
  const each = all.length <= few ? few : Math.max(1, Math.floor(few / 2 / groups.length));
  const parts: string[] = [];
  let left = 0;
  for (const g of groups) {
    const shown = parts.length < 2 * few ? g.options.slice(0, each) : [];
    const rest = g.options.length - shown.length;
    shown.forEach((o, i) => parts.push((i === 0 && g.label !== "" ? `${bare(g.label)}: ` : "") + told(o)));
    if (rest > 0 && shown.length > 0 && groups.length > 1) parts.push(`… ${String(rest)} more`);
    else left += rest;
  }
  if (left > 0) parts.push(`… ${String(left)} more`);
  return `[${parts.join(" | ")}]`;
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** choose finds the option that a label or value means; a Fault says why none. */
export function choose(s: HTMLSelectElement, wanted: string, group: string): HTMLOptionElement {
  const want = clean(wanted);
  const inGroup = Array.from(s.options).filter((o) => group === "" || same(groupOf(o), clean(group)));
  const tries: ((o: HTMLOptionElement) => boolean)[] = [
    (o) => optionLabel(o) === want,
    (o) => o.value === wanted,
    (o) => same(optionLabel(o), want),
  ];
  for (const t of tries) {
    const found = inGroup.filter(t);
    const usable = found.filter((o) => !isOptionDisabled(o));
    const first = usable[0] ?? found[0];
    if (first === undefined) continue;
    if (usable.length === 0) throw new Fault("not_actionable", `the option ${quote(want)} is disabled`, "choose another option");
    if (usable.length > 1 && new Set(usable.map((o) => o.value)).size > 1) {
      const groups = usable.map((o) => quote(groupOf(o))).join(", ");
      throw new Fault("invalid_arguments", `${String(usable.length)} options are called ${quote(want)}, in the groups ${groups}`, "name the group, or give the option's value");
    }
    return first;
  }
  throw new Fault("invalid_arguments", `there is no option ${quote(want)}${group === "" ? "" : ` in the group ${quote(group)}`}`, `the options are ${listing(s)}`);
}

function listing(s: HTMLSelectElement): string {
  const all = Array.from(s.options).filter((o) => !o.hidden);
  const shown = all.slice(0, 40).map((o) => (groupOf(o) === "" ? told(o) : `${bare(groupOf(o))}: ${told(o)}`));
  return shown.join(", ") + (all.length > shown.length ? `, … ${String(all.length - shown.length)} more` : "");
}
