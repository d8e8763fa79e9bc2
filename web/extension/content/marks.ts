import { getter, method } from "../../shared/safe";
import { append, remove, setAttribute } from "../../shared/safe-dom";

// The mark of an agent's act in a document: a thin frame around what a person
// sees of the page, and a ring where the agent acts. The page sees one empty
// element come and go, which takes no events and no room.

/** Spot is where, in the viewport of the document. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

const shownFor = 1200;
const colour = "#1a6fe8";

const rootElement = getter(Document.prototype, "documentElement");
const create = method(Document.prototype, (d): ((space: string, name: string) => Element) => d.createElementNS);

function box(): HTMLElement {
  const e = create(document, "http://www.w3.org/1999/xhtml", "div");
  if (!(e instanceof HTMLElement)) throw new Error("no element of HTML");
  return e;
}

function set(e: HTMLElement, style: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(style)) e.style.setProperty(name, value, "important");
}

interface Parts {
  readonly host: HTMLElement;
  readonly layer: HTMLElement;
  readonly frame: HTMLElement;
  readonly ring: HTMLElement;
}

function make(): Parts {
  const host = box(), layer = box(), frame = box(), ring = box();
  const apart = { all: "initial", position: "fixed", "pointer-events": "none", display: "block", margin: "0", padding: "0", border: "0" };
  set(host, { ...apart, inset: "0 auto auto 0", width: "0", height: "0" });
  set(layer, { ...apart, inset: "0", width: "auto", height: "auto", "max-width": "none", "max-height": "none", background: "none", overflow: "hidden", "z-index": "2147483647" });
  set(frame, { ...apart, inset: "0", border: `3px solid ${colour}`, "box-shadow": `inset 0 0 0 1px #fff, inset 0 0 12px ${colour}66`, "box-sizing": "border-box" });
  set(ring, { ...apart, width: "22px", height: "22px", "box-sizing": "border-box", "border-radius": "50%", border: `3px solid ${colour}`, "box-shadow": "0 0 0 2px #fff, inset 0 0 0 1px #fff", background: `radial-gradient(circle, ${colour} 0 3px, #fff 3px 4px, transparent 4.5px)` });
  setAttribute(layer, "popover", "manual");
  append(layer, frame);
  append(layer, ring);
  host.attachShadow({ mode: "closed" }).append(layer);
  return { host, layer, frame, ring };
}

/** Mark is that of one document. */
export class Mark {
  private parts: Parts | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly disown: (host: Element) => void;

  /** disown is called with what the page agent shall take for none of the page's. */
  constructor(disown: (host: Element) => void) {
    this.disown = disown;
  }

  /** show shows it for a moment: the frame, the ring, or both. */
  show(framed: boolean, spot: Spot | null): void {
    const into = rootOf();
    if (into === null) return;
    if (this.parts === undefined) {
      this.parts = make();
      this.disown(this.parts.host);
    }
    const { host, layer, frame, ring } = this.parts;
    set(frame, { display: framed ? "block" : "none" });
    set(ring, spot === null ? { display: "none" } : { display: "block", left: `${String(spot.x - 11)}px`, top: `${String(spot.y - 11)}px` });
    if (!host.isConnected) append(into, host);
    try {
      layer.hidePopover(); // shown again, it lies over what was opened meanwhile
      layer.showPopover();
    } catch {
      // a browser, or a document, without a top layer
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.hide(); }, shownFor);
  }

  /** hide takes it away at once. */
  hide(): void {
    clearTimeout(this.timer);
    if (this.parts?.host.isConnected === true) remove(this.parts.host);
  }

  /** clear hides it, and is done when the page is painted without it. */
  async clear(): Promise<void> {
    if (this.parts?.host.isConnected !== true) return;
    this.hide();
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 100); // a page that nobody sees is not painted
      requestAnimationFrame(() => requestAnimationFrame(() => { resolve(); }));
    });
  }
}

function rootOf(): Element | null {
  return rootElement(document);
}
