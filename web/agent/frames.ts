import { Fault } from "./faults";
import { getAttribute, isConnected, isFrameElement, isPlugin } from "../shared/safe-dom";

// Which frame document an iframe element shows, as the host says.

const frames = new WeakMap<Element, string>();
const owners = new Map<string, WeakRef<Element>>();

/**
 * bindFrame names the document that an iframe element shows now. Documents are
 * numbered as they come; the name of one that has been replaced may arrive after
 * that of the next one, and changes nothing then.
 */
export function bindFrame(e: Element, frame: string): void {
  const had = frames.get(e);
  if (had !== undefined) {
    if (ordinal(frame) < ordinal(had)) return;
    owners.delete(had);
  }
  frames.set(e, frame);
  owners.set(frame, new WeakRef(e));
}

function ordinal(frame: string): number {
  return Number(frame.slice(1));
}

/** frameOf is the frame that an iframe element shows, "" when unknown. */
export function frameOf(e: Element): string {
  return frames.get(e) ?? "";
}

/** ownerIn is the element that shows a frame, on the page or not; null for none. */
export function ownerIn(frame: string): Element | null {
  return owners.get(frame)?.deref() ?? null;
}

/** ownerOf is the iframe element of a frame. */
export function ownerOf(frame: string): Element {
  const e = ownerIn(frame);
  if (e === null || !isConnected(e)) throw new Fault("stale_ref", `frame ${frame} is not on the page any more`, "take a snapshot and use a ref from it");
  return e;
}

/** isFrame tells whether a document is shown in e: iframes, and objects that show one. */
export function isFrame(e: Element): boolean {
  return isFrameElement(e) || (isPlugin(e) && frames.has(e) && !showsPDF(e));
}

/** showsPDF tells whether an object or embed shows a PDF document. */
export function showsPDF(e: Element): boolean {
  const type = (getAttribute(e, "type") ?? "").toLowerCase();
  const source = getAttribute(e, "src") ?? getAttribute(e, "data") ?? "";
  return type === "application/pdf" || type === "application/x-google-chrome-pdf" || /\.pdf([?#]|$)/i.test(source);
}
