import type { ElementArgs, PrepareArgs, PrepareReply, SetValueArgs, ValueReply } from "../shared/protocol.gen";
import { dispatch, hasFocus, isConnected, isInput, isSelect, isTextArea } from "../shared/safe-dom";
import { setter } from "../shared/safe";
import { focused } from "../shared/tree";
import { clip } from "../shared/quote";
import { checkForm, chosen, editableOf, has, isCheck, isSet, matchesWanted, noteEditor, truth, want, type Wanted } from "./fields";
import { amountOf, amountWanted, isAmount, trackOf } from "./amounts";
import { boxesFor } from "./codes";
import { focusOn } from "./focusing";
import { heirOf, remember } from "./heirs";
import { editorOf } from "./keyed";
import { isPicker, pick, shownIn } from "./picks";
import { roleOf } from "./roles";
import { Fault } from "./faults";
import { lineIn } from "./diff";
import { element, number } from "./refs";
import { isSecret, keepSecret, secretLength } from "./secrets";
import { current, fieldValue, isDisabled, isReadOnly } from "./values";

// Giving a field its value: readying it for typing, or setting it.

const setInput = setter(HTMLInputElement.prototype, "value");
const setArea = setter(HTMLTextAreaElement.prototype, "value");
const setSelected = setter(HTMLOptionElement.prototype, "selected");

const longest = 2000;

function fieldOf(n: number): Element {
  const e = standing(n);
  const field = editableOf(e);
  if (field === null) throw new Fault("not_actionable", `${lineIn(e, "")} is not a field that takes a value`, "click it, or fill the field that belongs to it");
  if (isInput(field) && field.type === "file") throw new Fault("not_supported", "a file field takes files, not a text", "use upload_files");
  return field;
}

// standing is the element with a number, or the field that took its place.
function standing(n: number): Element {
  try {
    return element(n);
  } catch (err) {
    const heir = heirOf(n);
    if (heir === null) throw err;
    return heir;
  }
}

function usable(e: Element): void {
  if (isDisabled(e)) throw new Fault("not_actionable", `${lineIn(e, "")} is disabled`, "it becomes usable when the page allows it");
  if (isReadOnly(e)) throw new Fault("not_actionable", `${lineIn(e, "")} is read-only`, "its value cannot be edited");
}

/** prepare readies an element for a value, and says how the value gets in. */
export function prepare(args: PrepareArgs): PrepareReply {
  const e = fieldOf(args.n);
  usable(e);
  const w: Wanted = { value: args.value, values: args.values ?? undefined, group: args.group ?? "" };
  if (isSecret(e)) keepSecret(args.value);
  const was = isSecret(e) ? secretLength(current(e)) : clip(current(e), longest);
  if (isCheck(e)) return check(e, w, was);
  if (isPicker(e)) return choice(e, w);
  if (isAmount(e)) return amount(e, w, was);
  if (isSelect(e)) {
    chosen(e, w);
    want(e, w);
    return { how: has(e, w) ? "done" : "set", was };
  }
  if (w.values !== undefined) throw new Fault("invalid_arguments", "only a list takes several values", "give value");
  if (isInput(e)) {
    checkForm(e, w.value);
    want(e, w);
    if (has(e, w)) return { how: "done", was };
    if (isSet(e)) return { how: "set", was };
    const boxes = boxesFor(e, Array.from(w.value).length);
    if (boxes.length > 0) return { how: "boxes", text: w.value, boxes: boxes.map(number), was };
    fits(e, w.value);
    return typed(e, args.n, w, was);
  }
  want(e, w);
  const editor = editorOf(e);
  if (editor !== null) {
    noteEditor(editor);
    focus(e);
    return { how: "editor", text: w.value, was };
  }
  if (has(e, w)) return { how: "done", was };
  if (isTextArea(e)) fits(e, w.value);
  return typed(e, args.n, w, was);
}

// typed readies a field for a text; a page may put another one in its place as
// it gets the focus.
function typed(e: Element, n: number, w: Wanted, was: string): PrepareReply {
  remember(n, e);
  focus(e);
  let at = e;
  if (!isConnected(e)) {
    at = fieldOf(n);
    want(at, w);
  }
  if (isInput(at) || isTextArea(at)) {
    at.select();
    return { how: "type", text: w.value, was };
  }
  selectAll(at);
  return { how: "lines", text: w.value, was };
}

// fits refuses a text of which the field would take the beginning only.
function fits(e: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  const most = e.maxLength, given = isTextArea(e) ? value.replaceAll("\r\n", "\n").length : value.length;
  if (most < 0 || given <= most) return;
  throw new Fault("invalid_arguments", `${lineIn(e, "")} takes at most ${String(most)} ${most === 1 ? "character" : "characters"}, and the value has ${String(given)}`, "give a shorter value, for example without spaces and signs");
}

function choice(e: Element, w: Wanted): PrepareReply {
  if (w.values !== undefined) throw new Fault("invalid_arguments", "only a list takes several values", "give value, or click the options");
  want(e, w);
  const was = clip(shownIn(e), longest);
  return has(e, w) ? { how: "done", was } : { ...pick(e, w.value), was };
}

function amount(e: Element, w: Wanted, was: string): PrepareReply {
  const to = amountWanted(e, w.value);
  want(e, w);
  if (has(e, w)) return { how: "done", was };
  return { how: "steps", text: w.value, was, want: to, spins: roleOf(e) === "spinbutton", ...trackOf(e, to) };
}

function check(e: Element, w: Wanted, was: string): PrepareReply {
  const on = truth(w.value);
  want(e, { ...w, value: on });
  if (current(e) === on) return { how: "done", was };
  if (on === "false" && isInput(e) && e.type === "radio") {
    throw new Fault("invalid_arguments", "a radio button is not turned off by itself", "choose another one of its group");
  }
  return { how: "click", was, clickN: number(e) };
}

function focus(e: Element): void {
  if (focused() !== e || !hasFocus()) focusOn(e);
}

function selectAll(e: Element): void {
  const s = window.getSelection();
  if (s === null) return;
  s.removeAllRanges();
  s.selectAllChildren(e);
}

/** setValue sets a value with the events that a person's choice makes. */
export function setValue(args: SetValueArgs): ValueReply {
  const e = fieldOf(args.n);
  usable(e);
  const w: Wanted = { value: args.value, values: args.values ?? undefined, group: args.group ?? "" };
  if (isSelect(e)) {
    const options = chosen(e, w);
    want(e, w);
    focus(e);
    if (e.multiple) for (const o of e.options) setSelected(o, options.includes(o));
    else for (const o of options) setSelected(o, true);
  } else if (isInput(e) && !isCheck(e)) {
    checkForm(e, w.value);
    want(e, w);
    focus(e);
    setInput(e, e.type === "datetime-local" ? w.value.replace(" ", "T") : e.type === "color" ? w.value.toLowerCase() : w.value);
  } else if (isTextArea(e)) {
    want(e, w);
    focus(e);
    setArea(e, w.value);
  } else {
    throw new Fault("not_supported", `${lineIn(e, "")} is not set by script`, "click it or type into it");
  }
  dispatch(e, new Event("input", { bubbles: true, composed: true }));
  if (isConnected(e)) dispatch(e, new Event("change", { bubbles: true }));
  return valueOf(e);
}

/** readValue reads a field's value back. */
export function readValue(args: ElementArgs): ValueReply {
  return valueOf(fieldOf(args.n));
}

function valueOf(e: Element): ValueReply {
  const secret = isSecret(e);
  const now = isAmount(e) ? amountOf(e) : NaN;
  const value = isPicker(e) ? shownIn(e) : isInput(e) || isTextArea(e) ? (isCheck(e) ? current(e) : fieldValue(e)) : current(e).replaceAll("\n", isSelect(e) ? ", " : "\n");
  return { value: secret ? secretLength(value) : clip(value, longest), line: lineIn(e, ""), secret, matches: matchesWanted(e), ...(Number.isNaN(now) ? {} : { now }) };
}
