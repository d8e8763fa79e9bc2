import { activeIn, allFromPoint, assignedNodes, assignedSlot, containsNode, firstChild, fromPoint, getAttribute, host, isConnected, isElement, isShadow, isSlot, isText, localName, nextSibling, parentNode, queryFragmentAll, shadowRootOf, textSlot } from "./safe-dom";

// The flat tree: what is rendered, through shadow roots and slots.

const known = new WeakMap<Element, ShadowRoot>();

type Opener = (e: Element) => unknown;

// A host that is an extension lends a way into closed roots.
function lent(): Opener | undefined {
  const chrome: unknown = Reflect.get(window, "chrome");
  if (typeof chrome !== "object" || chrome === null) return undefined;
  const dom: unknown = Reflect.get(chrome, "dom");
  if (typeof dom !== "object" || dom === null) return undefined;
  const open: unknown = Reflect.get(dom, "openOrClosedShadowRoot");
  return typeof open === "function" ? (e) => Reflect.apply(open, dom, [e]) : undefined;
}

const open = lent();

const met = new WeakSet<ShadowRoot>();
let roots: WeakRef<ShadowRoot>[] = [];
let meet: (root: ShadowRoot) => void = () => undefined;

/** onRoot calls f for every shadow root that is met from now on, once. */
export function onRoot(f: (root: ShadowRoot) => void): void {
  meet = f;
}

function greet(root: ShadowRoot): ShadowRoot {
  if (!met.has(root)) {
    met.add(root);
    roots.push(new WeakRef(root));
    meet(root);
  }
  return root;
}

/** metRoots are the shadow roots on the page that have been met. */
export function metRoots(): ShadowRoot[] {
  const out: ShadowRoot[] = [];
  roots = roots.filter((r) => {
    const root = r.deref();
    if (root !== undefined && isConnected(root)) out.push(root);
    return root !== undefined;
  });
  return out;
}

/** meetRoot tells whether a shadow root is met for the first time. */
export function meetRoot(root: ShadowRoot): boolean {
  const first = !met.has(root);
  greet(root);
  return first;
}

let ours: { readonly root: ShadowRoot; readonly host: Element } | null = null;

/** own makes a tree, and what it hangs on, ours and none of the page's; null: there is none any more. */
export function own(root: ShadowRoot | null): void {
  ours = root === null ? null : { root, host: host(root) };
}

let disowned: Element | null = null;

/** disown makes an element, which our host has put there, none of the page's. */
export function disown(e: Element): void {
  disowned = e;
}

let plain: Element | null = null;

/** ownPlain makes an element ours and none of the page's, with all that is in it, though the page sees it. */
export function ownPlain(e: Element): void {
  plain = e;
}

/** isOurs tells whether a node is what our own tree hangs on, or our host's, or ours in the page's tree. */
export function isOurs(n: EventTarget | null | undefined): boolean {
  return (ours !== null && n === ours.host) || (disowned !== null && n === disowned) || (plain !== null && n === plain);
}

/** liesInOurs tells whether a node of the document is ours, or lies in what is. */
export function liesInOurs(n: Node): boolean {
  return isOurs(n) || (plain !== null && containsNode(plain, n));
}

/** ownRoot is our own tree, while it is on the page. */
export function ownRoot(): ShadowRoot | null {
  return ours !== null && isConnected(ours.host) ? ours.root : null;
}

/** learnRoot makes a closed shadow root known. */
export function learnRoot(root: ShadowRoot): void {
  known.set(host(root), greet(root));
}

/** rootIn is the shadow root of an element, closed ones as far as known. */
export function rootIn(e: Element): ShadowRoot | null {
  const root = shadowRootOf(e);
  if (root !== null) return greet(root);
  const learned = known.get(e);
  if (learned !== undefined) return learned;
  if (open === undefined || !localName(e).includes("-")) return null;
  const found = open(e);
  if (!(found instanceof ShadowRoot)) return null;
  known.set(e, greet(found));
  return found;
}

/** openRoot is the shadow root of an element, closed ones too where a host lends a way into them. */
export function openRoot(e: Element): ShadowRoot | null {
  const root = shadowRootOf(e) ?? known.get(e);
  if (root !== undefined) return root;
  const found = open === undefined || !(e instanceof HTMLElement) ? null : open(e);
  return found instanceof ShadowRoot ? found : null;
}

/** slotted are the nodes that a slot shows in place of its own, or null. */
export function slotted(e: Element): readonly Node[] | null {
  if (!isSlot(e)) return null;
  const nodes = assignedNodes(e);
  return nodes.length > 0 ? nodes : null;
}

/** Kids is a place among the nodes below an element of the flat tree. */
export interface Kids {
  readonly list: readonly Node[] | null; // of a slot; else they are found from next
  at: number;
  next: Node | null;
}

/** kidsOf begins with the first node below e; list, when given, is in place of them. */
export function kidsOf(e: Element, list = slotted(e)): Kids {
  return { list, at: 0, next: list === null ? firstChild(rootIn(e) ?? e) : null };
}

/** nextKid is the node at the place, which moves on; null after the last one. One that is ours is passed over. */
export function nextKid(k: Kids): Node | null {
  if (k.list !== null) return k.list[k.at++] ?? null;
  let n = k.next;
  while (n !== null && isOurs(n)) n = nextSibling(n);
  if (n !== null) k.next = nextSibling(n);
  return n;
}

/** flatParent is the parent of a node in the flat tree. */
export function flatParent(n: Node): Element | null {
  const slot = isElement(n) ? assignedSlot(n) : isText(n) ? textSlot(n) : null;
  if (slot !== null) return slot;
  const p = parentNode(n);
  if (p === null) return null;
  if (isElement(p)) {
    const root = rootIn(p);
    if (root === null) return p;
    // A closed root hides the slot of its host's children.
    return closedSlot(n, root) ?? p;
  }
  return isShadow(p) ? host(p) : null;
}

function closedSlot(n: Node, root: ShadowRoot): Element | null {
  const name = isElement(n) ? (getAttribute(n, "slot") ?? "") : "";
  for (const s of queryFragmentAll(root, "slot")) {
    if ((getAttribute(s, "name") ?? "") === name) return s;
  }
  return null;
}

/** within tells whether n is a or lies in it, in the flat tree. */
export function within(n: Node, a: Element): boolean {
  for (let p: Node | null = n; p !== null; p = flatParent(p)) {
    if (p === a) return true;
  }
  return false;
}

// uppermost is what lies at a point of one tree, beneath what is ours.
function uppermost(root: ShadowRoot | null, x: number, y: number): Element | null {
  const e = fromPoint(root, x, y);
  return e !== null && liesInOurs(e) ? (allFromPoint(root, x, y).find((o) => !liesInOurs(o)) ?? null) : e;
}

/** hit is the innermost element at a point of the viewport. */
export function hit(x: number, y: number): Element | null {
  let e = uppermost(null, x, y);
  while (e !== null) {
    const root = rootIn(e);
    if (root === null) return e;
    const inner = uppermost(root, x, y);
    if (inner === null || inner === e) return e;
    e = inner;
  }
  return null;
}

/** focused is the innermost focused element. */
export function focused(): Element | null {
  let e = activeIn(null);
  while (e !== null) {
    const root = rootIn(e);
    const inner = root === null ? null : activeIn(root);
    if (inner === null) return e;
    e = inner;
  }
  return null;
}
