import { dispatch, isInput, isSelect, isTextArea, newElement } from "../shared/safe-dom";
import { EventOf, get, InputEventOf, isArray, push, StringOf, Table } from "../shared/clean";
import { isChecked, isSelected, options, optionValue, press, setChecked, setSelected, setType, setValue, typeOfControl, valueOf, type Control } from "../shared/controls";
import { choices, type Parameter } from "../shared/schema";
import { Failed } from "./tools";

// Filling a form with the input of a tool: all of it is checked first, so that
// nothing is filled when a part of it does not do.

/** plan checks an input, and returns what fills the form with it. */
export function plan(parameters: readonly Parameter[], input: unknown): (() => void)[] {
  const byName = new Table<string, Parameter>();
  for (let i = 0; i < parameters.length; i++) {
    const p = parameters[i];
    if (p !== undefined) byName.set(p.name, p);
  }
  const out: (() => void)[] = [];
  if (typeof input !== "object" || input === null) return out;
  const names = Reflect.ownKeys(input);
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    if (typeof name !== "string") continue;
    const p = byName.get(name);
    if (p === undefined) throw new Failed(`Input contains a parameter "${name}" but there is no such parameter for the tool`, false);
    push(out, filling(p, get(input, name)));
  }
  return out;
}

function isPlain(v: unknown): v is string | number | boolean {
  return typeof v === "string" || typeof v === "number" || typeof v === "boolean";
}

function filling(p: Parameter, given: unknown): () => void {
  const e = p.controls[0];
  const wrong = (): Failed => new Failed(isPlain(given) ? `Invalid value "${StringOf(given)}" for parameter ${p.name}` : `Invalid value for parameter ${p.name}`, false);
  if (e === undefined) throw wrong();
  if (p.kind === "checkboxes" || p.kind === "selects") {
    if (!isArray(given)) throw wrong();
    const wanted = new Table<string, true>();
    const known = valuesOf(p);
    for (let i = 0; i < given.length; i++) {
      const one: unknown = given[i];
      if (!isPlain(one) || !known.has(StringOf(one))) throw wrong();
      wanted.set(StringOf(one), true);
    }
    return () => {
      choose(p, wanted);
    };
  }
  if (!isPlain(given)) throw wrong();
  const text = StringOf(given);
  switch (p.kind) {
    case "checkbox": {
      const on = given === true || text === "true" || (typeof given === "number" && given !== 0);
      if (!on && given !== false && text !== "false" && given !== 0) throw wrong();
      return () => {
        if (isInput(e)) check(e, on);
      };
    }
    case "radios":
    case "select": {
      if (!valuesOf(p).has(text)) throw wrong();
      const wanted = new Table<string, true>();
      wanted.set(text, true);
      return () => {
        choose(p, wanted);
      };
    }
    case "number":
    case "range":
      if (!survives("number", text)) throw wrong();
      break;
    case "moment":
      if (text !== "" && !survives(typeOfControl(e), text)) throw wrong();
      break;
    default:
  }
  return () => {
    write(e, text);
  };
}

function valuesOf(p: Parameter): Table<string, true> {
  const out = new Table<string, true>();
  const list = choices(p);
  for (let i = 0; i < list.length; i++) out.set(list[i]?.value ?? "", true);
  return out;
}

// survives tells whether a field of a type takes a value.
function survives(type: string, value: string): boolean {
  const e = newElement("input");
  if (!isInput(e)) return false;
  setType(e, type);
  setValue(e, value);
  return valueOf(e) !== "";
}

function tell(e: Element, type: string, text?: string): void {
  dispatch(e, type === "input" && text !== undefined ? new InputEventOf(type, { bubbles: true, composed: true, inputType: "insertReplacementText", data: text }) : new EventOf(type, { bubbles: true, composed: type === "input" }));
}

function write(e: Control, text: string): void {
  if (!isInput(e) && !isTextArea(e)) return;
  const was = valueOf(e);
  setValue(e, text);
  if (valueOf(e) === was || (isInput(e) && typeOfControl(e) === "hidden")) return;
  tell(e, "input", text);
  tell(e, "change");
}

// check sets a box as a press does, which frameworks listen for; where the page
// does not let a press do it, it is set all the same.
function check(e: HTMLInputElement, on: boolean): void {
  if (isChecked(e) === on) return;
  press(e);
  if (isChecked(e) === on) return;
  setChecked(e, on);
  tell(e, "input");
  tell(e, "change");
}

function choose(p: Parameter, wanted: Table<string, true>): void {
  for (let i = 0; i < p.controls.length; i++) {
    const e = p.controls[i];
    if (e === undefined) continue;
    if (isSelect(e)) select(e, p.kind === "selects", wanted);
    else if (isInput(e) && (p.kind === "checkboxes" || wanted.has(valueOf(e)))) check(e, wanted.has(valueOf(e)));
  }
}

function select(e: HTMLSelectElement, many: boolean, wanted: Table<string, true>): void {
  const list = options(e);
  let changed = false;
  for (let i = 0; i < list.length; i++) {
    const o = list[i];
    if (o === undefined) continue;
    const on = wanted.has(optionValue(o));
    if (on === isSelected(o) || (!on && !many)) {
      if (on && !many) break;
      continue;
    }
    changed = true;
    setSelected(o, on);
    if (!many) break;
  }
  if (!changed) return;
  tell(e, "input");
  tell(e, "change");
}
