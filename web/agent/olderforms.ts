import type { ElementArgs, FormField, OfferedTool, SubmitFormReply, ToolFormArgs, ToolFormReply } from "../shared/protocol.gen";
import { attribute, checkValidity, elements, faultOf, isControl, isForm, isSubmitter, requestSubmit, typeOfControl, valueOf } from "../shared/controls";
import { closest, hasAttribute, isElement, isInput, matches, query, queryAll, queryFragmentAll, top } from "../shared/safe-dom";
import { parseJSON } from "../shared/safe";
import { parameters, schemaOf, usable, type Parameter } from "../shared/schema";
import { metRoots } from "../shared/tree";
import { isObject } from "./channel";
import { Fault } from "./faults";
import { element, number } from "./refs";

// Forms that are tools in a dialect older than the standard: what may be given
// is marked at the controls, and nothing describes the form.

const longestName = 128;

function parametersOf(form: HTMLFormElement): Parameter[] {
  return parameters(form, (e) => usable(e) && hasAttribute(e, "toolname-target") && typeOfControl(e) !== "hidden");
}

// The standard's own forms are described.
function candidates(): HTMLFormElement[] {
  const page = top();
  const found: Element[] = page === null ? [] : [...queryAll(page, "form[toolname]:not([tooldescription])")];
  for (const root of metRoots()) found.push(...queryFragmentAll(root, "form[toolname]:not([tooldescription])"));
  return found.filter(isForm);
}

function named(): Map<string, HTMLFormElement> {
  const out = new Map<string, HTMLFormElement>();
  for (const form of candidates()) {
    const name = attribute(form, "toolname").trim();
    if (name !== "" && name.length <= longestName && !out.has(name) && parametersOf(form).length > 0) out.set(name, form);
  }
  return out;
}

/** olderForms are the tools that such forms are. */
export function olderForms(): OfferedTool[] {
  return [...named()].map(([name, form]) => ({
    source: "older form",
    kind: "old-form",
    name,
    title: attribute(form, "tooltitle"),
    description: `fills and submits the form ${name} of the page`,
    schema: schemaOf(parametersOf(form)),
  }));
}

const about = ["toolname", "tooldescription", "toolname-target", "toolparamdescription", "tooltitle", "toolautosubmit", "name", "type", "required", "disabled", "readonly", "min", "max", "step", "pattern", "multiple", "form"];

/** followOlder has changed called when such forms may be others. */
export function followOlder(changed: () => void): void {
  const observer = new MutationObserver((records) => {
    if (records.some(concerns)) changed();
  });
  const options: MutationObserverInit = { subtree: true, childList: true, attributes: true, attributeFilter: about };
  observer.observe(document, options);
  for (const root of metRoots()) observer.observe(root, options);
}

function concerns(r: MutationRecord): boolean {
  const at = isElement(r.target) ? r.target : null;
  if (at !== null && (matches(at, "form[toolname]") || closest(at, "form[toolname]") !== null)) return true;
  if (r.type === "attributes") return at !== null && (r.attributeName === "toolname" || hasAttribute(at, "toolname-target"));
  return [r.addedNodes, r.removedNodes].some((list) => [...list].some((n) => isElement(n) && (matches(n, "form[toolname],[toolname-target]") || query(n, "form[toolname],[toolname-target]") !== null)));
}

/** toolForm tells how a form is filled with an input. */
export function toolForm(args: ToolFormArgs): ToolFormReply {
  const form = named().get(args.name);
  if (form === undefined) return { known: false, n: 0, fields: [] };
  const input: unknown = parseJSON(args.input);
  const known = new Map(parametersOf(form).map((p) => [p.name, p]));
  const fields: FormField[] = [];
  if (isObject(input)) {
    for (const [name, value] of Object.entries(input)) {
      const p = known.get(name);
      if (p === undefined) throw new Fault("invalid_arguments", `the form ${args.name} has no field ${name}`, `it has ${[...known.keys()].join(", ")}`);
      fields.push(...fieldsOf(p, value));
    }
  }
  return { known: true, n: number(form), fields };
}

function fieldsOf(p: Parameter, value: unknown): FormField[] {
  const bad = (): Fault => new Fault("invalid_arguments", `${JSON.stringify(value)} is no value for the field ${p.name}`, "the tool's schema tells what is");
  const [first] = p.controls;
  if (first === undefined) throw bad();
  const plain = (v: unknown): string => {
    if (v === null) return "";
    if (typeof v === "string" || typeof v === "number" || typeof v === "boolean") return String(v);
    throw bad();
  };
  switch (p.kind) {
    case "checkboxes": {
      if (!Array.isArray(value)) throw bad();
      const wanted = new Set(value.map(plain));
      return p.controls.flatMap((e) => (isInput(e) ? [{ n: number(e), value: String(wanted.delete(valueOf(e))) }] : []));
    }
    case "radios": {
      const wanted = plain(value);
      const e = p.controls.find((c) => isInput(c) && valueOf(c) === wanted);
      if (e === undefined) throw bad();
      return [{ n: number(e), value: "true" }];
    }
    case "selects":
      if (!Array.isArray(value)) throw bad();
      return [{ n: number(first), value: "", values: value.map(plain) }];
    default:
      return [{ n: number(first), value: plain(value) }];
  }
}

/** submitForm submits a form once, as a press on its button does. */
export function submitForm(args: ElementArgs): SubmitFormReply {
  const form = element(args.n);
  if (!isForm(form)) throw new Fault("stale_ref", "the form is not there any more", "list_page_tools shows what is offered now");
  const button = elements(form).find((e) => isSubmitter(e) && !matches(e, ":disabled"));
  const by = button !== undefined && isSubmitter(button) ? button : null;
  const lax = hasAttribute(form, "novalidate") || (by !== null && hasAttribute(by, "formnovalidate"));
  if (!lax && !checkValidity(form)) {
    const faults = elements(form).flatMap((e) => (isControl(e) && matches(e, ":invalid") ? [`${attribute(e, "name")}: ${faultOf(e)}`] : []));
    return { invalid: faults.join("; ") };
  }
  requestSubmit(form, by);
  return {};
}
