import { method } from "../../shared/safe";
import { api, isFirefox } from "../shared/api";

// Elements that show frames, wherever in the page they are.

const documentAll = method(Document.prototype, (d): ((selectors: string) => NodeListOf<Element>) => d.querySelectorAll);
const elementAll = method(Element.prototype, (e): ((selectors: string) => NodeListOf<Element>) => e.querySelectorAll);
const fragmentAll = method(DocumentFragment.prototype, (d): ((selectors: string) => NodeListOf<Element>) => d.querySelectorAll);

// What can have a shadow root: these, and elements with names of the page's own.
const hosts = "article,aside,blockquote,body,div,footer,h1,h2,h3,h4,h5,h6,header,main,nav,p,section,span";
const namedByPage = /-/;

function all(tree: Document | ShadowRoot | Element, selectors: string): NodeListOf<Element> {
  if (tree instanceof Document) return documentAll(tree, selectors);
  return tree instanceof ShadowRoot ? fragmentAll(tree, selectors) : elementAll(tree, selectors);
}

/** rootOf is the shadow root of an element, open or closed. */
function rootOf(e: Element): ShadowRoot | null {
  if (!isFirefox) return e instanceof HTMLElement ? (api.dom?.openOrClosedShadowRoot(e) ?? null) : null;
  const root: unknown = Reflect.get(e, "openOrClosedShadowRoot");
  return root instanceof ShadowRoot ? root : null;
}

/** rootsIn calls f for the shadow root of an element, and for all within it. */
export function rootsIn(e: Element, f: (root: ShadowRoot) => void): void {
  const root = rootOf(e);
  if (root !== null) {
    f(root);
    eachRoot(root, f);
  }
  eachRoot(e, f);
}

/** eachRoot calls f for every shadow root in a tree, also in other shadow roots. */
export function eachRoot(tree: Document | ShadowRoot | Element, f: (root: ShadowRoot) => void): void {
  const visit = (e: Element): void => {
    const root = rootOf(e);
    if (root === null) return;
    f(root);
    eachRoot(root, f);
  };
  for (const e of all(tree, hosts)) visit(e);
  for (const e of all(tree, ":not(:is(" + standard + "))")) {
    if (namedByPage.test(e.localName)) visit(e);
  }
}

// The names that are most frequent, and have neither a root nor a hyphen.
const standard = hosts + ",a,img,li,ul,ol,td,tr,th,table,tbody,script,style,link,meta,input,button,label,option,select,svg,path,g,use,i,b,em,strong,br,iframe";

const frames = "iframe,frame,object,embed";

function find(is: (e: Element) => boolean): Element | null {
  for (const e of documentAll(document, frames)) {
    if (is(e)) return e;
  }
  let found: Element | null = null;
  eachRoot(document, (root) => {
    if (found !== null) return;
    for (const e of fragmentAll(root, frames)) {
      if (is(e)) found = e;
    }
  });
  return found;
}

function windowOf(e: Element): object | null {
  if (!(e instanceof HTMLIFrameElement || e instanceof HTMLFrameElement || e instanceof HTMLObjectElement)) return null;
  return e.contentWindow;
}

/** elementShowing is the element that shows a window. */
export function elementShowing(window: object): Element | null {
  return find((e) => windowOf(e) === window);
}

/** elementNumbered is the element that shows a frame, in Firefox. */
export function elementNumbered(frame: number): Element | null {
  return find((e) => {
    try {
      return api.runtime.getFrameId?.(e) === frame;
    } catch {
      return false;
    }
  });
}

/** elementWith is the element whose window is one of this origin for which is holds. */
export function elementWith(is: (window: object) => boolean): Element | null {
  return find((e) => {
    try {
      const w = windowOf(e);
      return w !== null && is(w);
    } catch {
      return false; // it is of another origin
    }
  });
}

/**
 * windowsInOrder is the windows of the frames directly within this document in
 * the order in which they were made, where all are seen: the browser leaves out
 * those in shadow roots, and lists none that has never shown anything. Else null.
 */
export function windowsInOrder(): readonly object[] | null {
  const shown = new Set<object>();
  for (const e of documentAll(document, frames)) {
    const w = windowOf(e);
    if (w !== null) shown.add(w);
  }
  let inRoots = 0;
  eachRoot(document, (root) => { inRoots += fragmentAll(root, frames).length; });
  const out: object[] = [];
  for (let i = 0; i < window.length; i++) {
    const w: unknown = window[i];
    if (typeof w === "object" && w !== null && shown.has(w)) out.push(w);
  }
  return inRoots > 0 || out.length !== window.length || out.length !== shown.size ? null : out;
}
