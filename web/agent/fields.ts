import { getAttribute, hasAttribute, isContentEditable, isHTML, isInput, isLabel, isSelect, isTextArea, parentElement, query, textContent } from "../shared/safe-dom";
import { quote } from "../shared/quote";
import { choose } from "./options";
import { isEditingHost, current } from "./values";
import { amountOf, isAmount } from "./amounts";
import { editorOf } from "./keyed";
import { isPicker, picked } from "./picks";
import { Fault } from "./faults";

// Fields: what takes a value, in which form, and whether it has it.

/** Wanted is the value that a field was asked to have. */
export interface Wanted {
  readonly value: string;
  readonly values: readonly string[] | undefined;
  readonly group: string;
}

const wanted = new WeakMap<Element, Wanted>();

/** want notes what a field is asked to have. */
export function want(e: Element, w: Wanted): void {
  wanted.set(e, w);
}

const checkRoles = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

/** isCheck tells whether e is on or off, by a press. */
export function isCheck(e: Element): boolean {
  if (isInput(e)) return e.type === "checkbox" || e.type === "radio";
  return checkRoles.has((getAttribute(e, "role") ?? "").toLowerCase()) && hasAttribute(e, "aria-checked");
}

const unfillable = new Set(["hidden", "submit", "reset", "button", "image"]);

/** editableOf is the field that e is, labels, or wraps; null when there is none. */
export function editableOf(e: Element): Element | null {
  if (isLabel(e)) return e.control === null ? null : editableOf(e.control);
  if (isInput(e)) return unfillable.has(e.type) ? null : e;
  if (isTextArea(e) || isSelect(e) || isEditingHost(e) || isCheck(e)) return e;
  if (isHTML(e) && isContentEditable(e)) return hostOf(e);
  if (isPicker(e) || (isAmount(e) && query(e, "input:not([type=hidden])") === null)) return e;
  const role = (getAttribute(e, "role") ?? "").toLowerCase();
  if (role === "textbox" || role === "combobox" || role === "searchbox" || role === "spinbutton") {
    const inner = query(e, "input:not([type=hidden]),textarea,[contenteditable]:not([contenteditable=false])");
    return inner === null ? null : editableOf(inner);
  }
  return null;
}

function hostOf(e: Element): Element | null {
  for (let p: Element | null = e; p !== null; p = parentElement(p)) if (isEditingHost(p)) return p;
  return null;
}

interface Form {
  readonly pattern: RegExp;
  readonly says: string;
}

const forms: Readonly<Record<string, Form>> = {
  date: { pattern: /^\d{4,6}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, says: "a date such as 2026-01-31" },
  month: { pattern: /^\d{4,6}-(0[1-9]|1[0-2])$/, says: "a month such as 2026-01" },
  week: { pattern: /^\d{4,6}-W(0[1-9]|[1-4]\d|5[0-3])$/, says: "a week such as 2026-W05" },
  time: { pattern: /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/, says: "a time such as 14:30" },
  "datetime-local": { pattern: /^\d{4,6}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/, says: "a date and time such as 2026-01-31T14:30" },
  color: { pattern: /^#[0-9a-fA-F]{6}$/, says: "a colour such as #ff8800" },
  range: { pattern: /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i, says: "a number" },
  number: { pattern: /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i, says: "a number such as 12.5" },
};

/** isSet tells whether a field's value is set rather than typed. */
export function isSet(e: HTMLInputElement): boolean {
  return e.type !== "number" && e.type in forms;
}

/** checkForm refuses a value that a field cannot hold, naming the form that it wants. */
export function checkForm(e: HTMLInputElement, value: string): void {
  const form = forms[e.type];
  if (form === undefined || (value === "" && e.type !== "range" && e.type !== "color") || form.pattern.test(value)) return;
  throw new Fault("invalid_arguments", `${quote(value)} is not a value of a field of type ${e.type}`, `give ${form.says}`);
}

/** chosen are the options that a list is asked for. */
export function chosen(s: HTMLSelectElement, w: Wanted): HTMLOptionElement[] {
  const names = w.values ?? [w.value];
  if (names.length > 1 && !s.multiple) throw new Fault("invalid_arguments", "the list takes one option only", "give value instead of values");
  if (w.values === undefined && w.value === "" && s.multiple) return [];
  return names.map((n) => choose(s, n, w.group));
}

function sameText(a: string, b: string): boolean {
  const plain = (s: string): string => s.replace(/\r\n?/g, "\n").replaceAll("\u00a0", " ");
  return plain(a) === plain(b);
}

function sameLines(a: string, b: string): boolean {
  const lines = (s: string): string => s.replace(/\r\n?/g, "\n").replaceAll("\u00a0", " ").split("\n").map((l) => l.replace(/\s+/g, " ").trim()).filter((l) => l !== "").join("\n");
  return lines(a) === lines(b);
}

/** has tells whether a field has the value, as the control normalises it. */
export function has(e: Element, w: Wanted): boolean {
  if (isSelect(e)) {
    let options: HTMLOptionElement[];
    try {
      options = chosen(e, w);
    } catch {
      return false; // the page took the option away
    }
    const now = Array.from(e.selectedOptions);
    return now.length === options.length && options.every((o) => now.includes(o));
  }
  if (isPicker(e)) return picked(e, w.value);
  const now = current(e);
  if (isAmount(e)) return amountOf(e) === Number(w.value);
  if (isCheck(e)) return now === truth(w.value);
  if (isInput(e)) {
    if (e.type === "number" || e.type === "range") return now === w.value || (now !== "" && w.value !== "" && Number(now) === Number(w.value));
    if (e.type === "color") return now.toLowerCase() === w.value.toLowerCase();
    if (e.type === "datetime-local") return now === w.value.replace(" ", "T") || now.replace(/:00$/, "") === w.value.replace(" ", "T").replace(/:00$/, "");
    if (e.type === "time") return now === w.value || now === w.value.replace(/:00$/, "");
    const line = w.value.replace(/[\r\n]+/g, "");
    return sameText(now, line) || ((e.type === "email" || e.type === "url") && now.trim() === line.trim());
  }
  const editor = editorOf(e);
  if (editor !== null) return shows(editor, w.value);
  if (isTextArea(e)) return sameText(now, w.value);
  return sameLines(now, w.value);
}

const shown = new WeakMap<Element, string>();

const squeeze = (s: string): string => s.replace(/[\s\u200b\ufeff]+/g, "");

/** noteEditor notes what an editor shows before it is given another text. */
export function noteEditor(editor: Element): void {
  shown.set(editor, squeeze(textContent(editor) ?? ""));
}

// shows tells whether an editor shows a text, and not what it showed before
// with it.
function shows(editor: Element, value: string): boolean {
  const now = squeeze(textContent(editor) ?? ""), want = squeeze(value), was = shown.get(editor) ?? "";
  return now.includes(want) && (was === "" || want.includes(was) || !(now.includes(was + want) || now.includes(want + was)));
}

/** matchesWanted tells whether a field has what it was last asked for. */
export function matchesWanted(e: Element): boolean {
  const w = wanted.get(e);
  return w !== undefined && (has(e, w) || (isInput(e) && formatted.has(e.type) && w.values === undefined && reformed(current(e), w.value)));
}

const formatted = new Set(["text", "tel", "search"]);

// reformed tells whether a page only put a value into its form: it added
// spaces and signs between, or changed the case. What it left out or added of
// letters and digits is another value.
function reformed(now: string, wanted: string): boolean {
  const rest = Array.from(wanted.replace(/\s+/g, "").toLowerCase());
  if (!rest.some((c) => /[\p{L}\p{N}]/u.test(c))) return false;
  let at = 0;
  for (const c of now.toLowerCase()) {
    if (at < rest.length && c === rest[at]) at++;
    else if (/[\p{L}\p{N}]/u.test(c)) return false;
  }
  return at === rest.length;
}

/** truth reads on and off. */
export function truth(value: string): string {
  const v = value.trim().toLowerCase();
  if (v === "true" || v === "on" || v === "yes" || v === "checked") return "true";
  if (v === "false" || v === "off" || v === "no" || v === "unchecked") return "false";
  throw new Fault("invalid_arguments", `${quote(value)} is neither true nor false`, "a box is filled with true or false");
}
