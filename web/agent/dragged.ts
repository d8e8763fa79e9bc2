import type { Carried, CarryGiven, MouseGiven } from "../shared/protocol.gen";
import { isConnected, isDraggable, isHTML, isImage, isInput, isLeading, isTextArea } from "../shared/safe-dom";
import { flatParent, hit } from "../shared/tree";
import { give, heldOf } from "./given";
import { addStashed, stashed } from "./stash";

// Dragging data, with a DataTransfer that stands for the browser's own.

interface Drag {
  readonly data: DataTransfer;
  readonly source: Element | null; // null: it began elsewhere
  over: Element | null;
  taken: boolean; // what it is over takes it
}

let drag: Drag | null = null;

export function isDragging(): boolean {
  return drag !== null;
}

/** liftable is what a press on an element may begin to drag, null for nothing. */
export function liftable(e: Element): Element | null {
  if (isInput(e) || isTextArea(e)) return null;
  for (let p: Element | null = e; p !== null; p = flatParent(p)) if (isHTML(p) && isDraggable(p)) return p;
  return null;
}

interface At {
  readonly x: number;
  readonly y: number;
  readonly modifiers?: number | undefined;
}

function tell(type: string, to: Element, d: Drag, at: At, related: Element | null = null): boolean {
  return give(to, new DragEvent(type, {
    bubbles: true, cancelable: type !== "dragleave" && type !== "dragend", composed: true, view: window, ...heldOf(at.modifiers ?? 0),
    clientX: at.x, clientY: at.y, screenX: window.screenX + at.x, screenY: window.screenY + at.y, relatedTarget: related, dataTransfer: d.data,
  }));
}

/** liftFrom begins to drag an element; false when the page does not let it. */
export function liftFrom(source: Element, at: MouseGiven): boolean {
  const data = new DataTransfer();
  const address = isLeading(source) ? source.href : isImage(source) ? source.src : "";
  if (address !== "") {
    data.setData("text/uri-list", address);
    data.setData("text/plain", address);
  }
  const d: Drag = { data, source, over: null, taken: false };
  if (!isConnected(source) || !tell("dragstart", source, d, at)) return false;
  drag = d;
  return true;
}

/** carried is the data that was lifted here, null when nothing is dragged. */
export function carried(): Carried | null {
  if (drag === null || drag.source === null) return null;
  const { data } = drag;
  return { items: Array.from(data.types).filter((t) => t !== "Files").map((type) => ({ type, data: data.getData(type) })), effects: data.effectAllowed };
}

/** dragTo moves what is dragged. */
export function dragTo(at: Element | null, to: At): void {
  const d = drag;
  if (d === null) return;
  if (d.source !== null && isConnected(d.source)) tell("drag", d.source, d, to);
  const was = d.over !== null && isConnected(d.over) ? d.over : null;
  if (at !== was) {
    if (at !== null) tell("dragenter", at, d, to, was);
    if (was !== null && isConnected(was)) tell("dragleave", was, d, to, at);
    d.over = at;
  }
  if (at !== null) d.data.dropEffect = "copy"; // which the page may change
  d.taken = at !== null && isConnected(at) && !tell("dragover", at, d, to) && wanted(d.data);
}

// wanted tells whether the page left an effect to the drop, where that can be told.
function wanted(data: DataTransfer): boolean {
  return data.dropEffect !== "none" || !keeps(data, "copy");
}

// keeps tells whether an effect can be set; it is none afterwards.
function keeps(data: DataTransfer, effect: "copy"): boolean {
  data.dropEffect = effect;
  const kept: string = data.dropEffect;
  data.dropEffect = "none";
  return kept === effect;
}

function end(d: Drag, at: At, effect: string): void {
  drag = null;
  if (d.source === null || !isConnected(d.source)) return;
  d.data.dropEffect = effect === "copy" || effect === "move" || effect === "link" ? effect : "none";
  tell("dragend", d.source, d, at);
}

/** dropHere lets go of what is dragged, and tells with which effect. */
export function dropHere(at: Element | null, to: At): string {
  const d = drag;
  if (d === null) return "none";
  if (at !== d.over) dragTo(at, to);
  let effect = "none";
  if (d.taken && d.over !== null && isConnected(d.over)) {
    effect = d.data.dropEffect === "none" ? "copy" : d.data.dropEffect;
    tell("drop", d.over, d, to);
  } else if (d.over !== null && isConnected(d.over)) {
    tell("dragleave", d.over, d, to);
  }
  end(d, to, effect);
  return effect;
}

/** cancelDrag ends a drag that came to nothing. */
export function cancelDrag(at: At = { x: 0, y: 0 }): void {
  const d = drag;
  if (d === null) return;
  if (d.over !== null && isConnected(d.over)) tell("dragleave", d.over, d, at);
  end(d, at, "none");
}

function received(c: CarryGiven): Drag {
  const data = new DataTransfer();
  for (const i of c.data?.items ?? []) data.setData(i.type, i.data);
  if ((c.files ?? 0) > 0) addStashed(data);
  return { data, source: null, over: null, taken: false };
}

/** overFrame has what is dragged leave for the frame that an element shows. */
export function overFrame(owner: Element, at: At): void {
  const d = drag;
  if (d === null) return;
  if (d.source !== null && isConnected(d.source)) tell("drag", d.source, d, at);
  if (d.over === owner) return;
  const was = d.over;
  d.over = owner;
  d.taken = false;
  if (was !== null && isConnected(was)) tell("dragleave", was, d, at, owner);
}

/** carry does one step of a drag of data in this document, and tells of a drop with which effect. */
export function carry(c: CarryGiven): string {
  switch (c.type) {
    case "enter":
    case "over":
      if (drag === null || (c.type === "enter" && drag.source === null)) drag = received(c);
      dragTo(hit(c.x, c.y), c);
      return "";
    case "drop":
      drag ??= received(c);
      return dropHere(hit(c.x, c.y), c);
    case "leave":
      if (drag !== null && drag.source === null) cancelDrag(c);
      else if (drag?.over !== undefined && drag.over !== null) {
        if (isConnected(drag.over)) tell("dragleave", drag.over, drag, c);
        drag.over = null;
      }
      return "";
    case "end":
      if (drag !== null) end(drag, c, c.effect ?? "none");
      return "";
    default:
      cancelDrag(c);
      return "none";
  }
}

/** wants tells whether a step needs files that are not here. */
export function wants(c: CarryGiven): boolean {
  const begins = drag === null && (c.type === "enter" || c.type === "over" || c.type === "drop");
  return (c.files ?? 0) > 0 && begins && stashed().length !== c.files;
}
