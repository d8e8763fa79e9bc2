import type { ElementArgs, PrepareArgs, PrepareReply, SetValueArgs, ValueReply } from "../shared/protocol.gen";
import { dispatch, focusElement, isConnected, isHTML, isInput, isSelect, isTextArea } from "../shared/safe-dom";
import { setter } from "../shared/safe";
import { focused } from "../shared/tree";
import { clip } from "../shared/quote";
import { checkForm, chosen, editableOf, has, isCheck, isSet, matchesWanted, truth, want, type Wanted } from "./fields";
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
  const e = element(n);
  const field = editableOf(e);
  if (field === null) throw new Fault("not_actionable", `${lineIn(e, "")} is not a field that takes a value`, "click it, or fill the field that belongs to it");
  if (isInput(field) && field.type === "file") throw new Fault("not_supported", "a file field takes files, not a text", "use upload_files");
  return field;
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
    focus(e);
    e.select();
    return { how: "type", text: w.value, was };
  }
  want(e, w);
  if (has(e, w)) return { how: "done", was };
  focus(e);
  if (isTextArea(e)) {
    e.select();
    return { how: "type", text: w.value, was };
  }
  selectAll(e);
  return { how: "lines", text: w.value, was };
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
  if (isHTML(e) && focused() !== e) focusElement(e, { preventScroll: true });
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
  const value = isInput(e) || isTextArea(e) ? (isCheck(e) ? current(e) : fieldValue(e)) : current(e).replaceAll("\n", isSelect(e) ? ", " : "\n");
  return { value: secret ? secretLength(value) : clip(value, longest), line: lineIn(e, ""), secret, matches: matchesWanted(e) };
}
