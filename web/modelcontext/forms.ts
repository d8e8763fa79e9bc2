import { getter, method, toJSON } from "../shared/safe";
import { closest, firstElementChild, getAttribute, hasAttribute, isConnected, isElement, isShadow, listen, localName, matches, parentElement, queryAll, queryFragmentAll, shadowRootOf } from "../shared/safe-dom";
import { joined, MutationObserverOf, Notes, own, push, Table, wellFormed } from "../shared/clean";
import { isName } from "./context";
import { current, onNext } from "./current";
import { attribute, eachNode, elements, isForm } from "../shared/controls";

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

const queryDocument = method(Document.prototype, (d): ((selectors: string) => NodeListOf<Element>) => d.querySelectorAll);
const targetOf = getter(MutationRecord.prototype, "target");
const kindOf = getter(MutationRecord.prototype, "type");
const attributeOf = getter(MutationRecord.prototype, "attributeName");
const addedOf = getter(MutationRecord.prototype, "addedNodes");
const removedOf = getter(MutationRecord.prototype, "removedNodes");
const observe = method(MutationObserver.prototype, (o) => o.observe);
const registry = customElements;
const whenDefined = method(CustomElementRegistry.prototype, (r) => r.whenDefined);

/** follow begins to follow forms. batch is called whenever something changed in the document. */
export function follow(batch: () => void): void {
  onBatch = batch;
  observer = new MutationObserverOf(take);
  begin();
  onNext(() => {
    candidates.each((_, form) => {
      candidates.delete(form);
    });
    begin();
  });
}

// begin begins with a document.
function begin(): void {
  const doc = current();
  watch(doc);
  look();
  const again = (): void => {
    look();
    onBatch();
  };
  listen(doc, "DOMContentLoaded", again, { capture: true, once: true });
  listen(window, "load", again, { capture: true, once: true });
}

/** look goes through the whole document. */
export function look(): void {
  scan(current(), true);
  candidates.each((_, form) => {
    weigh(form);
  });
}

function watch(root: Node): void {
  if (observer === undefined) return;
  observe(observer, root, { subtree: true, childList: true, attributes: true, attributeFilter: close ? inside : about, characterData: close });
}

// within calls f with the elements in a tree that a selector fits.
function within(root: Node, selectors: string, f: (e: Node) => void): void {
  if (root === current()) eachNode(queryDocument(current(), selectors), f);
  else if (isShadow(root)) eachNode(queryFragmentAll(root, selectors), f);
  else if (isElement(root)) eachNode(queryAll(root, selectors), f);
}

// scan finds the forms and shadow trees in a part of the document; again, those
// in shadow trees that it has been in as well.
function scan(root: Node, again = false): void {
  if (isElement(root)) {
    if (isForm(root) && hasAttribute(root, "toolname")) weigh(root);
    enter(root);
    if (matches(root, ":not(:defined)")) expect(root);
    if (firstElementChild(root) === null) return;
  }
  within(root, "form[toolname]", (form) => {
    if (isForm(form)) weigh(form);
  });
  within(root, "*", (e) => {
    enter(e, again);
  });
  within(root, ":not(:defined)", expect);
}

// enter goes into the shadow tree of an element, if it has one.
function enter(e: Node, again = false): void {
  const root = isElement(e) ? shadowRootOf(e) : null;
  if (root === null) return;
  const known = watched.get(root) === true;
  if (known && !again) return;
  if (!known) {
    watched.set(root, true);
    watch(root);
  }
  scan(root, again);
}

// expect waits for the class of an element.
function expect(e: Node): void {
  const name = isElement(e) ? localName(e) : "";
  if (name === "" || awaited.has(name)) return;
  awaited.set(name, true);
  void defined(name);
}

// An element that gets its class later may open a shadow tree then, which
// nothing tells.
async function defined(name: string): Promise<void> {
  try {
    await own(whenDefined(registry, name));
  } catch {
    return; // it is no name for one
  }
  within(current(), name, (e) => {
    enter(e);
  });
}

// More changes than this at once are not looked at one by one.
const many = 100;

function take(records: MutationRecord[]): void {
  if (records.length > many) {
    look();
    onBatch();
    return;
  }
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
    const covered = added.has(at);
    eachNode(addedOf(r), (n) => {
      if (!isElement(n)) return;
      if (!covered) scan(n);
      added.set(n, true);
      touched ||= candidates.size > 0 && hasAttribute(n, "form");
    });
    if (candidates.size > 0) {
      eachNode(removedOf(r), (n) => {
        touched ||= isElement(n) && hasAttribute(n, "form");
      });
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
  watch(current());
  closely(current());
}

function closely(root: Node): void {
  within(root, "*", (e) => {
    const shadow = isElement(e) ? shadowRootOf(e) : null;
    if (shadow === null || watched.get(shadow) !== true) return;
    watch(shadow);
    closely(shadow);
  });
}
