import { Fault } from "./faults";
import { isConnected } from "../shared/safe-dom";

// Which frame document an iframe element shows, as the host says.

const frames = new WeakMap<Element, string>();
const owners = new Map<string, WeakRef<Element>>();

/** bindFrame names the document that an iframe element shows now. */
export function bindFrame(e: Element, frame: string): void {
  const had = frames.get(e);
  if (had !== undefined) owners.delete(had);
  if (frame === "") {
    frames.delete(e);
    return;
  }
  frames.set(e, frame);
  owners.set(frame, new WeakRef(e));
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
