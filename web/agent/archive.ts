import type { ArchiveArgs, ArchiveLeft, ArchiveNode, ArchiveReply } from "../shared/protocol.gen";
import { baseURI, contentType, dataOf, documentAddress, doctype, firstChild, getAttribute, hasAttribute, isElement, isHTML, isQuirks, isText, isTextArea, localName, nextSibling, parentElement, top } from "../shared/safe-dom";
import { isOurs, rootIn } from "../shared/tree";
import { Fault } from "./faults";
import { attributesOf, isName } from "./archive-attributes";
import { adoptedText, holdsAdopted, sheetText } from "./archive-styles";
import { resourceOf } from "./archive-resources";
import { isSecret } from "./secrets";
import { fieldValue } from "./values";

// A document as it is now, in a form that needs no parsing: shadow trees, what
// fields hold, what scripts drew and styled, and no scripts.

/** Recorder takes the nodes of a document. */
export interface Recorder {
  readonly left: ArchiveLeft[];
  /** leave notes what is not saved. */
  leave(what: string, why: string): void;
}

const scripts = new Set(["script", "noscript", "base", "param", "source", "track", "portal", "fencedframe", "handler", "listener"]);
const raw = new Set(["xmp", "listing", "plaintext", "noembed", "noframes"]);
const longestNote = 300;

// What stands for an element that is left out, so that rules that count
// siblings count the same.
const gap: ArchiveNode = { t: "template" };
const end: ArchiveNode = {};

interface Level {
  next: Node | null;
  readonly head: boolean;
  readonly after: readonly ArchiveNode[]; // before the end
}

/** archive is the document. */
export function archive(args: ArchiveArgs): ArchiveReply {
  const root = top();
  if (root === null) throw new Fault("page_error", "the page has no content to save", "wait for it, or navigate");
  if (contentType() === "application/pdf") throw new Fault("not_supported", "the page is a PDF document, which is a file already", "download it from its address");
  const w = new Walk(args.budget);
  w.walk(root);
  return { url: documentAddress(), base: baseURI(), doctype: doctype(), quirks: isQuirks(), nodes: w.nodes, left: w.left };
}

class Walk implements Recorder {
  readonly nodes: ArchiveNode[] = [];
  readonly left: ArchiveLeft[] = [];
  readonly budget: number;
  private size = 0;
  private readonly stack: Level[] = [];

  constructor(budget: number) {
    this.budget = budget;
  }

  leave(what: string, why: string): void {
    this.left.push({ what: what.slice(0, longestNote), why });
  }

  walk(root: Element): void {
    this.enter(root, false, false);
    for (let level = this.stack.at(-1); level !== undefined; level = this.stack.at(-1)) {
      const n = level.next;
      if (n === null) {
        this.stack.pop();
        for (const last of level.after) this.put(last);
        this.put(end);
        continue;
      }
      level.next = nextSibling(n);
      if (isText(n)) this.put({ x: dataOf(n) });
      else if (isElement(n)) this.enter(n, level.head, true);
    }
  }

  private put(n: ArchiveNode): void {
    this.nodes.push(n);
    this.size += 8 + (n.t?.length ?? 0) + (n.x?.length ?? 0) + (n.u?.length ?? 0);
    for (const a of n.a ?? []) this.size += a.length + 4;
    if (this.size > this.budget) throw new Fault("too_large", `the document has more than ${String(this.budget)} characters`, "save it as pdf");
  }

  // leaf is an element with a text or nothing in it.
  private leaf(n: ArchiveNode, text = ""): void {
    this.put(n);
    if (text !== "") this.put({ x: text });
    this.put(end);
  }

  private enter(e: Element, inHead: boolean, inner: boolean): void {
    if (isOurs(e)) return;
    const tag = localName(e), html = isHTML(e);
    if (scripts.has(tag) || (html && tag === "meta" && hasAttribute(e, "http-equiv")) || (!html && steers(e, tag))) {
      if (html && inner && !inHead) this.leaf(gap);
      return;
    }
    if (html && tag === "meta" && hasAttribute(e, "charset")) return;
    if (html && tag === "template") {
      this.leaf(gap);
      return;
    }
    const name = !isName(tag) ? "span" : html && raw.has(tag) ? "pre" : tag;
    if (tag === "style") {
      const text = sheetText(e);
      if (text !== null) this.leaf({ t: "style", a: attributesOf(e), s: "style", ...(html ? {} : { n: true }), x: text });
      else if (!inHead && html) this.leaf(gap);
      return;
    }
    const found = resourceOf(e, this);
    if (found === null) {
      if (html && inner && !inHead) this.leaf(gap);
      return;
    }
    this.put({ t: found.t ?? name, a: [...attributesOf(e), ...(found.a ?? [])], ...(html ? {} : { n: true }), ...found.place });
    const root = rootIn(e);
    if (root !== null) {
      const a = ["shadowrootmode", root.mode];
      if (root.delegatesFocus) a.push("shadowrootdelegatesfocus", "");
      this.put({ t: "template", a });
      this.stack.push({ next: found.empty ? null : firstChild(e), head: false, after: [] });
      this.stack.push({ next: firstChild(root), head: false, after: adopted(root) });
      return;
    }
    if (isTextArea(e)) {
      const value = isSecret(e) ? "" : fieldValue(e);
      if (value !== "") this.put({ x: value });
      this.put(end);
      return;
    }
    const part = html && (tag === "head" || tag === "body") && parentElement(e) === top();
    this.stack.push({ next: found.empty ? null : firstChild(e), head: inHead || (part && tag === "head"), after: part && tag === holdsAdopted() ? adopted(null) : [] });
  }
}

// steers tells whether an element of SVG changes where something leads.
function steers(e: Element, tag: string): boolean {
  return /^(animate|set|discard)/i.test(tag) && /href|^on/i.test(getAttribute(e, "attributeName") ?? "");
}

// adopted are the style sheets of a tree that no element has.
function adopted(root: ShadowRoot | null): ArchiveNode[] {
  const text = adoptedText(root);
  return text === "" ? [] : [{ t: "style", s: "style", x: text }, end];
}

