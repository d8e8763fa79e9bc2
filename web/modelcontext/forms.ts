import { getter, method, toJSON } from "../shared/safe";
import { closest, getAttribute, hasAttribute, isConnected, isElement, isShadow, listen, localName, parentElement, queryAll, queryFragmentAll, shadowRootOf } from "../shared/safe-dom";
import { joined, MutationObserverOf, Notes, push, Table, wellFormed } from "../shared/clean";
import { isName } from "./context";
import { attribute, elements, isForm, nodes } from "../shared/controls";

import { parameters, schemaOf } from "../shared/schema";
import { giveUp, ofForm } from "./submit";
import { add, find, remove, type Tool } from "./tools";

// Forms that are tools, followed by what changes in the document and in the
// open shadow trees in it.

interface Candidate {
  shape: string; // what makes it the tool that it is
  made: string; // of which controls and attributes it was made
  tool: Tool | undefined;
}

const candidates = new Table<HTMLFormElement, Candidate>();
const watched = new Notes<Node, true>();
const awaited = new Table<string, true>();

const about = ["toolname", "tooldescription"];
const inside = [
  ...about, "tooltitle", "toolautosubmit", "toolparamdescription", "type", "name", "required", "disabled", "readonly", "min", "max", "step", "pattern", "multiple", "value", "form", "for", "aria-description",
];

let observer: MutationObserver | undefined;
let close = false; // whether what forms hold is watched too
let onBatch: () => void = () => {
  // nobody listens
};

const doc = document;
const queryDocument = method(Document.prototype, (d): ((selectors: string) => NodeListOf<Element>) => d.querySelectorAll);
const targetOf = getter(MutationRecord.prototype, "target");
const kindOf = getter(MutationRecord.prototype, "type");
const attributeOf = getter(MutationRecord.prototype, "attributeName");
const addedOf = getter(MutationRecord.prototype, "addedNodes");
const removedOf = getter(MutationRecord.prototype, "removedNodes");
const observe = method(MutationObserver.prototype, (o) => o.observe);
const registry = customElements;
const whenDefined = method(CustomElementRegistry.prototype, (r) => r.whenDefined);
const definitionOf = method(CustomElementRegistry.prototype, (r): ((name: string) => unknown) => r.get);

/** follow begins to follow forms. batch is called whenever something changed in the document. */
export function follow(batch: () => void): void {
  onBatch = batch;
  observer = new MutationObserverOf(take);
  look();
  const again = (): void => {
    look();
    batch();
  };
  listen(doc, "DOMContentLoaded", again, { capture: true, once: true });
  listen(window, "load", again, { capture: true, once: true });
}

/** look goes through the whole document. */
export function look(): void {
  watch(doc);
  scan(doc);
  candidates.each((_, form) => {
    weigh(form);
  });
}

function watch(root: Node): void {
  if (observer === undefined) return;
  observe(observer, root, { subtree: true, childList: true, attributes: true, attributeFilter: close ? inside : about, characterData: close });
}

// within are the elements in a tree that a selector fits.
function within(root: Node, selectors: string): Node[] {
  if (root === doc) return nodes(queryDocument(doc, selectors));
  if (isShadow(root)) return nodes(queryFragmentAll(root, selectors));
  return isElement(root) ? nodes(queryAll(root, selectors)) : [];
}

// scan finds the forms and shadow trees in a part of the document.
function scan(root: Node): void {
  if (isElement(root)) {
    if (isForm(root) && hasAttribute(root, "toolname")) weigh(root);
    enter(root);
  }
  const forms = within(root, "form[toolname]");
  for (let i = 0; i < forms.length; i++) {
    const form = forms[i];
    if (isForm(form)) weigh(form);
  }
  const all = within(root, "*");
  for (let i = 0; i < all.length; i++) {
    const e = all[i];
    if (isElement(e)) enter(e);
  }
}

function enter(e: Element): void {
  const root = shadowRootOf(e);
  if (root === null) {
    const name = localName(e);
    if (isCustom(name) && !awaited.has(name) && definitionOf(registry, name) === undefined) void defined(name);
    return;
  }
  if (watched.get(root) === true) return;
  watched.set(root, true);
  watch(root);
  scan(root);
}

function isCustom(name: string): boolean {
  for (let i = 1; i < name.length; i++) if (name[i] === "-") return true;
  return false;
}

// An element that gets its class later may open a shadow tree then, which
// nothing tells.
async function defined(name: string): Promise<void> {
  awaited.set(name, true);
  try {
    await whenDefined(registry, name);
  } catch {
    return; // it is no name for one
  }
  const all = within(doc, name);
  for (let i = 0; i < all.length; i++) {
    const e = all[i];
    if (isElement(e)) enter(e);
  }
}

function take(records: MutationRecord[]): void {
  const added = new Table<Node, true>();
  let touched = false;
  let moved = false;
  for (let i = 0; i < records.length; i++) {
    const r = records[i];
    if (r === undefined) continue;
    const at = targetOf(r);
    if (kindOf(r) !== "childList") {
      if (isForm(at) && hasAttribute(at, "toolname") && !candidates.has(at)) weigh(at);
      touched ||= concerns(at, attributeOf(r));
      continue;
    }
    moved = true;
    touched ||= concerns(at, null);
    const news = nodes(addedOf(r));
    for (let k = 0; k < news.length; k++) {
      const n = news[k];
      if (n === undefined || !isElement(n)) continue;
      if (!added.has(at)) scan(n);
      added.set(n, true);
      touched ||= hasAttribute(n, "form");
    }
    const gone = nodes(removedOf(r));
    for (let k = 0; k < gone.length; k++) {
      const n = gone[k];
      if (n !== undefined && isElement(n) && (isForm(n) || hasAttribute(n, "form"))) touched = true;
    }
  }
  if (candidates.size > 0 && (touched || moved)) {
    candidates.each((_, form) => {
      if (touched || !isConnected(form)) weigh(form);
    });
  }
  onBatch();
}

// concerns tells whether a change in a node may be one of a form that is a tool.
function concerns(n: Node, name: string | null): boolean {
  if (candidates.size === 0) return false;
  if (name === "form" || name === "for") return true;
  const e = isElement(n) ? n : parentElement(n);
  if (e === null) return false;
  if (hasAttribute(e, "form") || localName(e) === "label" || closest(e, "label") !== null) return true;
  const form = isForm(e) ? e : closest(e, "form");
  return isForm(form) && candidates.has(form);
}

// weigh makes a form the tool that it is now.
function weigh(form: HTMLFormElement): void {
  const was = candidates.get(form);
  const here = isConnected(form) && getAttribute(form, "toolname") !== null;
  if (was === undefined && !here) return;
  if (!close) watchClosely();
  const c: Candidate = was ?? { shape: "", made: "", tool: undefined };
  const name = attribute(form, "toolname");
  const offered = here && isName(name) && hasAttribute(form, "tooldescription");
  let tool: Tool | undefined;
  let shape = "";
  let made = "";
  if (offered) {
    const submits = hasAttribute(form, "toolautosubmit");
    const list = parameters(form);
    const schema = schemaOf(list);
    const description = wellFormed(attribute(form, "tooldescription"));
    const title = wellFormed(attribute(form, "tooltitle"));
    tool = { name, title, description, schema, annotations: undefined, kind: submits ? "self-form" : "form", invoke: ofForm(form, submits) };
    shape = toJSON({ name, title, description, schema, submits });
    made = make(form, name, submits);
  }
  if (here) candidates.set(form, c);
  else candidates.delete(form);
  if (shape === c.shape) return;
  if (made !== c.made) giveUp(form, "Tool execution cancelled, since tool definition was updated");
  if (c.tool !== undefined) remove(c.tool);
  c.shape = shape;
  c.made = made;
  c.tool = undefined;
  if (tool !== undefined && find(tool.name) === undefined) {
    c.tool = tool;
    add(tool);
  }
}

// make is what a form is made of, without the texts: those may well follow
// from what a call fills in, which is no reason to end it.
function make(form: HTMLFormElement, name: string, submits: boolean): string {
  const parts: string[] = [name, submits ? "1" : "0"];
  const all = elements(form);
  for (let i = 0; i < all.length; i++) {
    const e = all[i];
    if (e !== undefined) push(parts, `${localName(e)} ${attribute(e, "type")} ${attribute(e, "name")} ${hasAttribute(e, "required") ? "required" : ""} ${hasAttribute(e, "disabled") ? "disabled" : ""}`);
  }
  return joined(parts, "\n");
}

// watchClosely begins to watch also what is in forms, in all trees.
function watchClosely(): void {
  close = true;
  watch(doc);
  closely(doc);
}

function closely(root: Node): void {
  const all = within(root, "*");
  for (let i = 0; i < all.length; i++) {
    const e = all[i];
    const shadow = isElement(e) ? shadowRootOf(e) : null;
    if (shadow === null || watched.get(shadow) !== true) continue;
    watch(shadow);
    closely(shadow);
  }
}

