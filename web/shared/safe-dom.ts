import { brand, getter, method } from "./safe";

// Every access to a node that may be a form goes through these.

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";

const nodeType = getter(Node.prototype, "nodeType");
const isNode = brand(Node.prototype, "nodeType");
const isRoot = brand(ShadowRoot.prototype, "mode");
export const firstChild = getter(Node.prototype, "firstChild");
export const nextSibling = getter(Node.prototype, "nextSibling");
export const parentNode = getter(Node.prototype, "parentNode");
export const parentElement = getter(Node.prototype, "parentElement");
export const isConnected = getter(Node.prototype, "isConnected");
export const textContent = getter(Node.prototype, "textContent");
export const rootOf = method(Node.prototype, (n) => n.getRootNode);
export const containsNode = method(Node.prototype, (n): ((other: Node) => boolean) => n.contains);
export const comparePosition = method(Node.prototype, (n) => n.compareDocumentPosition);

export const localName = getter(Element.prototype, "localName");
const namespaceOf = getter(Element.prototype, "namespaceURI");
export const getAttribute = method(Element.prototype, (e) => e.getAttribute);
export const hasAttribute = method(Element.prototype, (e) => e.hasAttribute);
export const hasAttributes = method(Element.prototype, (e) => e.hasAttributes);
export const attributeNames = method(Element.prototype, (e) => e.getAttributeNames);
export const firstElementChild = getter(Element.prototype, "firstElementChild");
export const previousElementSibling = getter(Element.prototype, "previousElementSibling");
export const nextElementSibling = getter(Element.prototype, "nextElementSibling");
export const queryAll = method(Element.prototype, (e): ((selectors: string) => NodeListOf<Element>) => e.querySelectorAll);
export const query = method(Element.prototype, (e): ((selectors: string) => Element | null) => e.querySelector);
export const queryFragment = method(DocumentFragment.prototype, (f): ((selectors: string) => Element | null) => f.querySelector);
export const queryFragmentAll = method(DocumentFragment.prototype, (f): ((selectors: string) => NodeListOf<Element>) => f.querySelectorAll);
export const matches = method(Element.prototype, (e) => e.matches);
export const closest = method(Element.prototype, (e) => e.closest);
export const rectOf = method(Element.prototype, (e) => e.getBoundingClientRect);
export const rectsOf = method(Element.prototype, (e) => e.getClientRects);
export const checkVisibility = method(Element.prototype, (e) => e.checkVisibility);
export const scrollIntoView = method(Element.prototype, (e) => e.scrollIntoView);
export const shadowRootOf = getter(Element.prototype, "shadowRoot");
export const assignedSlot = getter(Element.prototype, "assignedSlot");
export const textSlot = getter(Text.prototype, "assignedSlot");
export const assignedNodes = method(HTMLSlotElement.prototype, (s) => s.assignedNodes);
export const clientWidth = getter(Element.prototype, "clientWidth");
export const clientHeight = getter(Element.prototype, "clientHeight");
/** rectOfText is the box of the glyphs of a text. */
export function rectOfText(n: Node): DOMRect {
  const r = new Range();
  r.selectNodeContents(n);
  return r.getBoundingClientRect();
}

/** zoomOf is how much an element is enlarged by zoom. */
export const zoomOf: (e: Element) => number = "currentCSSZoom" in Element.prototype ? getter(Element.prototype, "currentCSSZoom") : () => 1;
export const scrollWidth = getter(Element.prototype, "scrollWidth");
export const scrollHeight = getter(Element.prototype, "scrollHeight");
export const scrollTop = getter(Element.prototype, "scrollTop");
export const scrollLeft = getter(Element.prototype, "scrollLeft");
export const clientTop = getter(Element.prototype, "clientTop");
export const clientLeft = getter(Element.prototype, "clientLeft");
export const scrollBoxBy = method(Element.prototype, (e): ((o: ScrollToOptions) => void) => e.scrollBy);
export const scrollBoxTo = method(Element.prototype, (e): ((o: ScrollToOptions) => void) => e.scrollTo);
export const animationsOf = method(Element.prototype, (e) => e.getAnimations);
export const isContentEditable = getter(HTMLElement.prototype, "isContentEditable");
export const offsetWidth = getter(HTMLElement.prototype, "offsetWidth");
export const offsetHeight = getter(HTMLElement.prototype, "offsetHeight");
export const focusElement = method(HTMLElement.prototype, (e) => e.focus);
export const blurElement = method(HTMLElement.prototype, (e) => e.blur);
export const focusDrawn = method(SVGElement.prototype, (e) => e.focus);
export const tabIndexOf = getter(HTMLElement.prototype, "tabIndex");
export const isDraggable = getter(HTMLElement.prototype, "draggable");
export const dispatch = method(EventTarget.prototype, (t) => t.dispatchEvent);
export const listen = method(EventTarget.prototype, (t) => t.addEventListener);
export const composedPath = method(Event.prototype, (e) => e.composedPath);
const contentDocument = getter(HTMLIFrameElement.prototype, "contentDocument");
const framesetDocument = getter(HTMLFrameElement.prototype, "contentDocument");
const objectDocument = getter(HTMLObjectElement.prototype, "contentDocument");
const framesetWindow = getter(HTMLFrameElement.prototype, "contentWindow");
const objectWindow = getter(HTMLObjectElement.prototype, "contentWindow");
const contentWindow = getter(HTMLIFrameElement.prototype, "contentWindow");
export const dataOf = getter(CharacterData.prototype, "data");
export const removeAttribute = method(Element.prototype, (e) => e.removeAttribute);
export const setAttribute = method(Element.prototype, (e) => e.setAttribute);
export const append = method(Element.prototype, (e): ((n: Node) => void) => e.append);
export const remove = method(Element.prototype, (e) => e.remove);
export const attachShadow = method(Element.prototype, (e) => e.attachShadow);

const elementsOf = method(Document.prototype, (d): ((name: string) => HTMLCollectionOf<Element>) => d.getElementsByTagName);
const evaluate = method(Document.prototype, (d) => d.evaluate);
const numberOf = getter(XPathResult.prototype, "numberValue");
const firstElementOf = getter(Document.prototype, "firstElementChild");

const doc = document;
const win = window;
const command = method(Document.prototype, (d) => d.execCommand);
const commandState = method(Document.prototype, (d) => d.queryCommandEnabled);
const style = win.getComputedStyle.bind(win); // Firefox wants a window for it

const documentBody = getter(Document.prototype, "body");
const documentType = getter(Document.prototype, "contentType");
const documentURL = getter(Document.prototype, "URL");
const documentMode = getter(Document.prototype, "compatMode");
const documentDoctype = getter(Document.prototype, "doctype");
const documentStyles = getter(Document.prototype, "styleSheets");
const documentAdopted = getter(Document.prototype, "adoptedStyleSheets");
const shadowAdopted = getter(ShadowRoot.prototype, "adoptedStyleSheets");
const documentVisibility = getter(Document.prototype, "visibilityState");
const ownerOf = getter(Node.prototype, "ownerDocument");
const baseURIOf = getter(Node.prototype, "baseURI");
const create = method(Document.prototype, (d): ((name: string) => HTMLElement) => d.createElement);
const documentElementOf = getter(Document.prototype, "documentElement");
const titleOf = getter(Document.prototype, "title");
const scrollingElementOf = getter(Document.prototype, "scrollingElement");
const documentHasFocus = method(Document.prototype, (d) => d.hasFocus);
const documentActive = getter(Document.prototype, "activeElement");
const shadowActive = getter(ShadowRoot.prototype, "activeElement");
const documentById = method(Document.prototype, (d) => d.getElementById);
const fragmentById = method(DocumentFragment.prototype, (d) => d.getElementById);
const createIn = method(Document.prototype, (d): ((namespace: string, name: string) => Element) => d.createElementNS);
const documentAllFromPoint = method(Document.prototype, (d) => d.elementsFromPoint);
const shadowAllFromPoint = method(ShadowRoot.prototype, (d) => d.elementsFromPoint);
const documentFromPoint = method(Document.prototype, (d) => d.elementFromPoint);
const shadowFromPoint = method(ShadowRoot.prototype, (d) => d.elementFromPoint);
const hostOf = getter(ShadowRoot.prototype, "host");

/** edit does an editing command at the focus. It tells whether the browser did it. */
export function edit(name: string, value = ""): boolean {
  try {
    return commandState(doc, name) && command(doc, name, false, value);
  } catch {
    return false; // not in documents that are no HTML
  }
}

/** styleOf is the computed style of an element. */
export function styleOf(e: Element, pseudo?: string): CSSStyleDeclaration {
  return style(e, pseudo);
}

/** elementsIn are the elements of a name in a document, "*" for all. */
export function elementsIn(d: Document, name: string): HTMLCollectionOf<Element> {
  return elementsOf(d, name);
}

/** countNodes counts the elements, texts and comments of a tree, without its shadow trees. */
export function countNodes(tree: Document | ShadowRoot): number {
  if (!isShadow(tree)) {
    const root = firstElementOf(tree);
    return root === null ? 0 : countBelow(tree, root);
  }
  let n = 0;
  for (let c = firstChild(tree); c !== null; c = nextSibling(c)) n += countBelow(doc, c);
  return n;
}

function countBelow(d: Document, n: Node): number {
  return isElement(n) ? numberOf(evaluate(d, "count(descendant-or-self::node())", n, null, 1, null)) : 1;
}

/** innerDocument is the document that an element shows, if it is of this origin. */
export function innerDocument(e: Element): Document | null {
  if (isInnerFrame(e)) return contentDocument(e);
  if (isOldFrame(e)) return framesetDocument(e);
  return isObject(e) ? objectDocument(e) : null;
}

/** innerWindow is the window of the document that an element shows. */
export function innerWindow(e: Element): Window | null {
  if (isInnerFrame(e)) return contentWindow(e);
  if (isOldFrame(e)) return framesetWindow(e);
  return isObject(e) ? objectWindow(e) : null;
}

/** title is the title of a main document, "" in the frames of one. */
export function title(): string {
  return win === win.top ? titleOf(doc) : "";
}

/** top is the root element of the document, null in an empty one. */
export function top(): Element | null {
  // An empty document has none, whatever its type says.
  const e: Element | null = documentElementOf(doc);
  return e;
}

/** body is the body of the document, null where it has none. */
export function body(): Element | null {
  // A document that is not HTML has none, whatever its type says.
  const e: Element | null = documentBody(doc);
  return e;
}

/** contentType is the media type of the document. */
export function contentType(): string {
  return documentType(doc);
}

/** documentAddress is the address of the document. */
export function documentAddress(): string {
  return documentURL(doc);
}

/** isQuirks tells whether the document is laid out in quirks mode. */
export function isQuirks(): boolean {
  return documentMode(doc) === "BackCompat";
}

/** doctype is the document's doctype as HTML, "" for none. */
export function doctype(): string {
  const t = documentDoctype(doc);
  if (t === null) return "";
  const part = (s: string): string => ` "${s.replace(/[">]/g, "")}"`;
  const name = /^[a-z]+$/i.test(t.name) ? t.name : "html";
  const external = t.publicId !== "" ? ` PUBLIC${part(t.publicId)}${t.systemId === "" ? "" : part(t.systemId)}` : t.systemId !== "" ? ` SYSTEM${part(t.systemId)}` : "";
  return `<!DOCTYPE ${name}${external}>`;
}

/** documentSheets are the style sheets of the document's elements. */
export function documentSheets(): StyleSheetList {
  return documentStyles(doc);
}

/** adoptedSheets are the style sheets that a tree adopted; null: the document. */
export function adoptedSheets(root: ShadowRoot | null): readonly CSSStyleSheet[] {
  return root === null ? documentAdopted(doc) : shadowAdopted(root);
}

/** newCanvas makes a canvas that is in no document. */
export function newCanvas(width: number, height: number): HTMLCanvasElement | null {
  const c = create(doc, "canvas");
  if (!isCanvas(c)) return null;
  c.width = width;
  c.height = height;
  return c;
}

/** isHiddenTab tells whether the document is in the background. */
export function isHiddenTab(): boolean {
  return documentVisibility(doc) === "hidden";
}

/** baseURI is what addresses in the document are relative to. */
export function baseURI(): string {
  return baseURIOf(doc);
}

/** ownerDocument is the document of an element, also of another one than the agent's. */
export function ownerDocument(e: Element): Document {
  return ownerOf(e) ?? doc;
}

/** newElement makes an element that is in no document. */
export function newElement(name: string): Element {
  return create(doc, name);
}

/** scrollsBack tells whether the page begins at its right or lower edge, and so scrolls to the left or up. */
export function scrollsBack(): { readonly left: boolean; readonly up: boolean } {
  const e = body() ?? top(); // the body hands its writing mode on to the page
  if (e === null) return { left: false, up: false };
  const { direction, writingMode } = style(e);
  const rtl = direction === "rtl", upright = !writingMode.startsWith("horizontal");
  return { left: upright ? writingMode.endsWith("-rl") : rtl, up: upright && rtl !== (writingMode === "sideways-lr") };
}

/** scroller is what scrolls when the page does. */
export function scroller(): Element | null {
  return scrollingElementOf(doc);
}

export function isElement(n: Node | EventTarget | null | undefined): n is Element {
  return isNode(n) && nodeType(n) === 1;
}

export function isText(n: Node): n is Text {
  const t = nodeType(n);
  return t === 3 || t === 4;
}

export function isShadow(n: Node | null): n is ShadowRoot {
  return n !== null && nodeType(n) === 11 && isRoot(n);
}

function html(e: Element, name: string): boolean {
  return localName(e) === name && namespaceOf(e) === HTML;
}

export const isHTML = (e: Element): e is HTMLElement => namespaceOf(e) === HTML;
export const isInput = (e: Element): e is HTMLInputElement => html(e, "input");
export const isTextArea = (e: Element): e is HTMLTextAreaElement => html(e, "textarea");
export const isSelect = (e: Element): e is HTMLSelectElement => html(e, "select");
export const isOption = (e: Element): e is HTMLOptionElement => html(e, "option");
export const isLabel = (e: Element): e is HTMLLabelElement => html(e, "label");
export const isSlot = (e: Element): e is HTMLSlotElement => html(e, "slot");
export const isTable = (e: Element): e is HTMLTableElement => html(e, "table");
export const isFrameElement = (e: Element): boolean => html(e, "iframe") || html(e, "frame");
export const isPlugin = (e: Element): boolean => html(e, "object") || html(e, "embed");
const isInnerFrame = (e: Element): e is HTMLIFrameElement => html(e, "iframe");
const isOldFrame = (e: Element): e is HTMLFrameElement => html(e, "frame");
const isObject = (e: Element): e is HTMLObjectElement => html(e, "object");
export const isImage = (e: Element): e is HTMLImageElement => html(e, "img");
export const isArea = (e: Element): e is HTMLAreaElement => html(e, "area");
export const isVideo = (e: Element): e is HTMLVideoElement => html(e, "video");
export const isCanvas = (e: Element): e is HTMLCanvasElement => html(e, "canvas");
export const isButton = (e: Element): e is HTMLButtonElement => html(e, "button");
export const isDialog = (e: Element): e is HTMLDialogElement => html(e, "dialog");
export const isDrawing = (e: Element): e is SVGElement => namespaceOf(e) === SVG;
export const isLink = (e: Element): e is HTMLLinkElement => html(e, "link");
export const isLeading = (e: Element): e is HTMLAnchorElement | HTMLAreaElement => html(e, "a") || html(e, "area");
export const isStyle = (e: Element): e is HTMLStyleElement | SVGStyleElement => localName(e) === "style";
export const isMedia = (e: Element): e is HTMLMediaElement => html(e, "video") || html(e, "audio");

/** byId finds an element by its id in the tree that e stands in. */
export function byId(e: Element, id: string): Element | null {
  const root = rootOf(e);
  if (isShadow(root)) return fragmentById(root, id);
  return documentById(doc, id);
}

/** host is the element that a shadow root hangs on. */
export function host(root: ShadowRoot): Element {
  return hostOf(root);
}

/** fromPoint is what the pointer hits in one tree. */
export function fromPoint(root: ShadowRoot | null, x: number, y: number): Element | null {
  return root === null ? documentFromPoint(doc, x, y) : shadowFromPoint(root, x, y);
}

/** allFromPoint is all that lies at a point of one tree, the uppermost first. */
export function allFromPoint(root: ShadowRoot | null, x: number, y: number): readonly Element[] {
  return root === null ? documentAllFromPoint(doc, x, y) : shadowAllFromPoint(root, x, y);
}

/** newHTML makes an element of HTML, whatever the document is of. */
export function newHTML(name: string): HTMLElement {
  const e = createIn(doc, HTML, name);
  if (!isHTML(e)) throw new TypeError(`no HTML element ${name}`);
  return e;
}

/** hasFocus tells whether keys go to the document. */
export function hasFocus(): boolean {
  return documentHasFocus(doc);
}

/** activeIn is the focused element of one tree. */
export function activeIn(root: ShadowRoot | null): Element | null {
  return root === null ? documentActive(doc) : shadowActive(root);
}
