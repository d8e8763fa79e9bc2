import { toJSON } from "./safe";
import { closest, firstChild, getAttribute, hasAttribute, isElement, isInput, isSelect, isText, isTextArea, matches, nextSibling, dataOf } from "./safe-dom";
import { abs, cut, finite, joined, push, RegExpOf, round, Table, trim, wellFormed } from "./clean";
import { attribute, elements, isControl, labels, options, optionText, optionValue, typeOfControl, valueOf, type Control } from "./controls";

// What a form takes, as a schema: the browser's own one of the controls, but
// with regular expressions where validators look for them.

export type Kind = "text" | "number" | "range" | "checkbox" | "checkboxes" | "radios" | "select" | "selects" | "moment" | "color";

/** Parameter is one that a form takes: a control, or several of the same name. */
export interface Parameter {
  readonly name: string;
  readonly kind: Kind;
  readonly controls: readonly Control[];
}

const kinds: Readonly<Record<string, Kind>> = {
  number: "number", range: "range", checkbox: "checkbox", radio: "radios", date: "moment", time: "moment", "datetime-local": "moment", month: "moment", week: "moment", color: "color",
  select: "select", selects: "selects",
};

const unusable: Readonly<Record<string, true>> = { file: true, image: true, button: true, submit: true, reset: true };
const neverReadOnly: Readonly<Record<string, true>> = { checkbox: true, radio: true, range: true, color: true, hidden: true };

/** usable tells whether a tool of the form may fill a control. */
export function usable(e: Control): boolean {
  const type = typeOfControl(e);
  if (unusable[type] === true || matches(e, ":disabled")) return false;
  if (type === "hidden") return hasAttribute(e, "toolparamdescription");
  return isSelect(e) || neverReadOnly[type] === true || !hasAttribute(e, "readonly");
}

function kindOf(e: Control): Kind {
  return kinds[typeOfControl(e)] ?? "text";
}

/** parameters are those of a form, in the order of its controls, made of the controls that fit. */
export function parameters(form: HTMLFormElement, fits: (e: Control) => boolean = usable): Parameter[] {
  const groups = new Table<string, Control[]>();
  const all = elements(form);
  for (let i = 0; i < all.length; i++) {
    const e = all[i];
    if (e === undefined || !isControl(e) || !fits(e)) continue;
    const name = trim(attribute(e, "name"));
    if (name === "") continue;
    const group = groups.get(name) ?? [];
    push(group, e);
    groups.set(name, group);
  }
  const out: Parameter[] = [];
  groups.each((controls, name) => {
    const first = controls[0];
    if (first === undefined) return;
    let kind = kindOf(first);
    for (let i = 1; i < controls.length; i++) {
      const e = controls[i];
      if (e === undefined || kindOf(e) !== kindOf(first)) return;
    }
    if (controls.length > 1 && kind === "checkbox") kind = "checkboxes";
    else if (controls.length > 1 && kind !== "radios") return;
    push(out, { name, kind, controls });
  });
  return out;
}

/** schemaOf is the schema of what a form takes, as JSON. */
export function schemaOf(list: readonly Parameter[]): string {
  const properties: string[] = [];
  const required: string[] = [];
  for (let i = 0; i < list.length; i++) {
    const p = list[i];
    if (p === undefined) continue;
    push(properties, `${toJSON(p.name)}:${property(p)}`);
    if (isRequired(p)) push(required, toJSON(p.name));
  }
  return `{"type":"object","properties":{${joined(properties, ",")}},"required":[${joined(required, ",")}]}`;
}

function isRequired(p: Parameter): boolean {
  for (let i = 0; i < p.controls.length; i++) {
    const e = p.controls[i];
    if (e !== undefined && matches(e, ":required")) return true;
  }
  return false;
}

const patterns: Readonly<Record<string, string>> = {
  time: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
  "datetime-local": "^[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]$",
  month: "^[0-9]{4}-(0[1-9]|1[0-2])$",
  week: "^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$",
  color: "^#[0-9a-fA-F]{6}$",
};

const howDates = "Dates MUST be provided in 'YYYY-MM-DD' format.";

function property(p: Parameter): string {
  const e = p.controls[0];
  if (e === undefined) return "{}";
  const members: string[] = [];
  const put = (key: string, json: string): void => {
    push(members, `"${key}":${json}`);
  };
  let description = descriptionOf(p, e);
  const type = typeOfControl(e);
  switch (p.kind) {
    case "number":
    case "range":
      put("type", '"number"');
      if (isInput(e)) bounds(e, p.kind === "range", put);
      break;
    case "checkbox":
      put("type", '"boolean"');
      break;
    case "checkboxes":
    case "selects":
      put("type", '"array"');
      put("items", choice(p));
      put("uniqueItems", "true");
      break;
    case "radios":
    case "select":
      return withDescription(choice(p), description);
    default: {
      put("type", '"string"');
      const pattern = patterns[type] ?? (isInput(e) ? patternOf(e) : "");
      if (pattern !== "") put("pattern", toJSON(pattern));
      if (type === "date") {
        put("format", '"date"');
        description = description === "" ? howDates : `${description} (${howDates})`;
      }
    }
  }
  return withDescription(`{${joined(members, ",")}}`, description);
}

function withDescription(schema: string, description: string): string {
  return description === "" ? schema : `{"description":${toJSON(wellFormed(description))},${cut(schema, 1)}`;
}

function patternOf(e: HTMLInputElement): string {
  const type = typeOfControl(e);
  const pattern = attribute(e, "pattern");
  if (pattern === "" || type === "hidden") return "";
  try {
    new RegExpOf(pattern, "v");
    return pattern;
  } catch {
    return "";
  }
}

function numberIn(text: string | null): number | undefined {
  if (text === null || trim(text) === "") return undefined;
  const n = +text;
  return finite(n) ? n : undefined;
}

function bounds(e: HTMLInputElement, slides: boolean, put: (key: string, json: string) => void): void {
  const min = numberIn(getAttribute(e, "min")) ?? (slides ? 0 : undefined);
  const max = numberIn(getAttribute(e, "max")) ?? (slides ? 100 : undefined);
  if (min !== undefined) put("minimum", `${min}`);
  if (max !== undefined) put("maximum", `${max}`);
  const given = getAttribute(e, "step");
  if (given !== null && (given === "any" || given === "ANY")) return;
  const asked = numberIn(given);
  const step = asked !== undefined && asked > 0 ? asked : 1;
  const base = min ?? numberIn(getAttribute(e, "value")) ?? 0;
  const steps = base / step;
  if (abs(steps - round(steps)) < 1e-9) put("multipleOf", `${step}`);
}

/** choices are the values that a parameter may have, with what they are called. */
export function choices(p: Parameter): { readonly value: string; readonly title: string }[] {
  const out: { value: string; title: string }[] = [];
  for (let i = 0; i < p.controls.length; i++) {
    const e = p.controls[i];
    if (e === undefined) continue;
    if (isSelect(e)) {
      const list = options(e);
      for (let k = 0; k < list.length; k++) {
        const o = list[k];
        if (o !== undefined) push(out, { value: optionValue(o), title: optionText(o) });
      }
    } else if (isInput(e)) push(out, { value: valueOf(e), title: labelOf(e) });
  }
  return out;
}

function choice(p: Parameter): string {
  const named: string[] = [];
  const values: string[] = [];
  const list = choices(p);
  for (let i = 0; i < list.length; i++) {
    const value = toJSON(wellFormed(list[i]?.value ?? ""));
    const title = list[i]?.title ?? "";
    push(values, value);
    push(named, `{"type":"string","const":${value}${title === "" ? "" : `,"title":${toJSON(wellFormed(title))}`}}`);
  }
  return `{"type":"string","anyOf":[${joined(named, ",")}],"enum":[${joined(values, ",")}]}`;
}

function descriptionOf(p: Parameter, e: Control): string {
  if (p.kind === "checkboxes" || p.kind === "radios") {
    const set = closest(e, "fieldset");
    return set === null ? "" : attribute(set, "toolparamdescription");
  }
  return attribute(e, "toolparamdescription") || labelOf(e) || attribute(e, "aria-description");
}

function labelOf(e: Control): string {
  const texts: string[] = [];
  const list = labels(e);
  for (let i = 0; i < list.length; i++) {
    const label = list[i];
    const text = label === undefined ? "" : trim(textIn(label));
    if (text !== "") push(texts, text);
  }
  return joined(texts, "; ");
}

function textIn(n: Node): string {
  let out = "";
  for (let c = firstChild(n); c !== null; c = nextSibling(c)) {
    if (isText(c)) out += dataOf(c);
    else if (isElement(c) && !isSelect(c) && !isTextArea(c)) out += textIn(c);
  }
  return out;
}
