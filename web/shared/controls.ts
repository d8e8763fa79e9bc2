import { getter, method, setter } from "./safe";
import { getAttribute, isInput, isOption, isSelect, isTextArea } from "./safe-dom";
import { push } from "./clean";

// Copies of what forms have.

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const elementsOf = getter(HTMLFormElement.prototype, "elements");
const collection: HTMLCollectionBase = HTMLCollection.prototype;
const lengthOf = getter(collection, "length");
const itemOf = method(collection, (p) => p.item);
const listLength = getter(NodeList.prototype, "length");
const listItem = method(NodeList.prototype, (p) => p.item);
const optionsOf = getter(HTMLSelectElement.prototype, "options");

/** eachNode calls f with every node of a list. */
export function eachNode(list: NodeList, f: (n: Node) => void): void {
  const n = listLength(list);
  for (let i = 0; i < n; i++) {
    const e = listItem(list, i);
    if (e !== null) f(e);
  }
}

function nodes(list: NodeList): Node[] {
  const out: Node[] = [];
  eachNode(list, (e) => {
    push(out, e);
  });
  return out;
}

/** elements are those of a form, also from outside of it. */
export function elements(form: HTMLFormElement): Element[] {
  const all = elementsOf(form);
  const out: Element[] = [];
  const n = lengthOf(all);
  for (let i = 0; i < n; i++) {
    const e = itemOf(all, i);
    if (e !== null) push(out, e);
  }
  return out;
}

/** options are those of a select, in groups or not. */
export function options(s: HTMLSelectElement): HTMLOptionElement[] {
  const all = optionsOf(s);
  const out: HTMLOptionElement[] = [];
  const n = lengthOf(all);
  for (let i = 0; i < n; i++) {
    const e = itemOf(all, i);
    if (e !== null && isOption(e)) push(out, e);
  }
  return out;
}

export function isControl(e: Element): e is Control {
  return isInput(e) || isSelect(e) || isTextArea(e);
}

const inputType = getter(HTMLInputElement.prototype, "type");
const buttonType = getter(HTMLButtonElement.prototype, "type");

/** typeOfControl is the kind of a control: the type of an input, "textarea", "select" or "selects". */
export function typeOfControl(e: Control): string {
  if (isInput(e)) return inputType(e);
  return isTextArea(e) ? "textarea" : isMultiple(e) ? "selects" : "select";
}

/** isSubmitter tells a button that submits its form. */
export function isSubmitter(e: Element): e is HTMLElement {
  if (isInput(e)) return inputType(e) === "submit" || inputType(e) === "image";
  return isButton(e) && buttonType(e) === "submit";
}

const isButton = (e: Element): e is HTMLButtonElement => e instanceof HTMLButtonElementOf;
const HTMLButtonElementOf = HTMLButtonElement;

const isMultiple = getter(HTMLSelectElement.prototype, "multiple");
const inputLabels = getter(HTMLInputElement.prototype, "labels");
const selectLabels = getter(HTMLSelectElement.prototype, "labels");
const areaLabels = getter(HTMLTextAreaElement.prototype, "labels");

/** labels are those of a control. */
export function labels(e: Control): Node[] {
  const list = isInput(e) ? inputLabels(e) : isSelect(e) ? selectLabels(e) : areaLabels(e);
  return list === null ? [] : nodes(list);
}

const inputValue = getter(HTMLInputElement.prototype, "value");
const setInput = setter(HTMLInputElement.prototype, "value");
const areaValue = getter(HTMLTextAreaElement.prototype, "value");
const setArea = setter(HTMLTextAreaElement.prototype, "value");

/** valueOf is the value of a field. */
export function valueOf(e: HTMLInputElement | HTMLTextAreaElement): string {
  return isInput(e) ? inputValue(e) : areaValue(e);
}

export function setValue(e: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  if (isInput(e)) setInput(e, value);
  else setArea(e, value);
}

export const isChecked = getter(HTMLInputElement.prototype, "checked");
export const setChecked = setter(HTMLInputElement.prototype, "checked");
export const setType = setter(HTMLInputElement.prototype, "type");
export const optionValue = getter(HTMLOptionElement.prototype, "value");
export const optionText = getter(HTMLOptionElement.prototype, "text");
export const isSelected = getter(HTMLOptionElement.prototype, "selected");
export const setSelected = setter(HTMLOptionElement.prototype, "selected");
export const press = method(HTMLElement.prototype, (e) => e.click);
export const requestSubmit = method(HTMLFormElement.prototype, (f): ((submitter?: HTMLElement | null) => void) => f.requestSubmit);
export const checkValidity = method(HTMLFormElement.prototype, (f) => f.checkValidity);

const inputFault = getter(HTMLInputElement.prototype, "validationMessage");
const selectFault = getter(HTMLSelectElement.prototype, "validationMessage");
const areaFault = getter(HTMLTextAreaElement.prototype, "validationMessage");

/** faultOf is what the browser says of a value that does not do, "" when it does. */
export function faultOf(e: Control): string {
  return isInput(e) ? inputFault(e) : isSelect(e) ? selectFault(e) : areaFault(e);
}

const form = HTMLFormElement;

export function isForm(e: unknown): e is HTMLFormElement {
  return e instanceof form;
}

/** attribute is the value of an attribute, "" without it. */
export function attribute(e: Element, name: string): string {
  return getAttribute(e, name) ?? "";
}
