import type { Box, HintArgs, HintReply, None } from "../shared/protocol.gen";
import { append, body, checkVisibility, composedPath, documentAddress, isConnected, isElement, listen, rectOf, remove, setAttribute, scrollIntoView, top, zoomOf } from "../shared/safe-dom";
import { method, now } from "../shared/safe";
import { liesInOurs, ownPlain } from "../shared/tree";
import { areaBox } from "./areas";
import { calledAs } from "./elements";
import { Fault } from "./faults";
import { makeHint, type HintParts } from "./hint-parts";
import { inView } from "./hits";
import { placeHint } from "./placing";
import { element } from "./refs";

// A hint to a person: a frame around what is meant, and a text beside it that
// says what to do there. It is over everything, in the page's own tree, follows
// what it marks, and goes by itself.

interface Shown {
  readonly e: Element | null; // what is marked; null: a point
  readonly point: { readonly x: number; readonly y: number }; // of the page
  readonly address: string;
  readonly until: number;
  readonly life: Animation;
}

let parts: HintParts | undefined;
let shown: Shown | undefined;
let ticking = false;
let spot = ""; // what it was last placed by
let aside = 0; // until when presses go through it
let rescues = 0;

const mostRescues = 5; // that it is put back into the page

/** hint shows a hint in place of the one that is there. */
export function hint(args: HintArgs): HintReply {
  const e = args.point === true ? null : element(args.n ?? 0);
  if (e !== null && !checkVisibility(e, { visibilityProperty: true })) throw new Fault("not_actionable", "what is to be marked is not visible", "something may have to be opened first; read the page to see what is visible");
  if (e !== null && !inView(e)) scrollIntoView(e, { block: "center", inline: "center", behavior: "instant" });
  shown?.life.cancel();
  parts ??= makeHint();
  const { root } = parts;
  ownPlain(root);
  hearken();
  rescues = 0;
  spot = "";
  // Without frames no time passes here: then it goes when the page is looked at.
  const life = root.animate([{ opacity: 1 }, { opacity: 1 }], { duration: args.millis });
  life.onfinish = unhint;
  shown = {
    e, address: documentAddress(), until: now() + args.millis, life,
    point: { x: (args.x ?? 0) + window.scrollX, y: (args.y ?? 0) + window.scrollY },
  };
  settle(parts);
  parts.tell(args.text);
  follow(parts, shown);
  if (!ticking) tick();
  return { label: e === null ? "" : calledAs(e) };
}

/** unhint takes the hint away. */
export function unhint(): None {
  const was = shown;
  shown = undefined;
  was?.life.cancel();
  if (parts !== undefined && isConnected(parts.root)) remove(parts.root);
  return {};
}

/** checkHint takes the hint away when its time is over. */
export function checkHint(): void {
  if (shown !== undefined && (now() >= shown.until || documentAddress() !== shown.address)) unhint();
}

// So long an act that is prepared may take to press.
const patience = 2000;

/** letThrough has presses go through the hint to what lies beneath, for the length of an act. */
export function letThrough(): void {
  if (shown === undefined) return;
  aside = now() + patience;
  parts?.yield(true);
}

// tick keeps the hint in its place, before each picture that a person sees.
function tick(): void {
  ticking = false;
  checkHint();
  if (shown === undefined || parts === undefined) return;
  if (!isConnected(parts.root)) {
    if (rescues++ >= mostRescues) {
      unhint();
      return;
    }
    settle(parts);
  }
  if (aside !== 0 && now() >= aside) {
    aside = 0;
    parts.yield(false);
  }
  follow(parts, shown);
  ticking = true;
  window.requestAnimationFrame(tick);
}

// settle puts the hint into the page, on top.
function settle({ root }: HintParts): void {
  const into = body() ?? top();
  if (into === null) return;
  append(into, root);
  const zoom = zoomOf(into);
  root.style.setProperty("zoom", String(zoom > 0 ? 1 / zoom : 1), "important");
  try {
    setAttribute(root, "popover", "manual");
    root.showPopover();
  } catch {
    // It stays where it is, as high as its style says.
  }
}

function boxOf({ e, point }: Shown): Box | null {
  if (e === null) return { x: point.x - window.scrollX, y: point.y - window.scrollY, width: 0, height: 0 };
  if (!isConnected(e)) return null;
  const r = areaBox(e) ?? rectOf(e);
  return { x: r.left, y: r.top, width: r.width, height: r.height };
}

const around = 4; // CSS pixels between what is marked and its frame
const pointSize = 24;

// follow puts the frame and the text where they belong.
function follow({ root, ring, callout }: HintParts, s: Shown): void {
  const box = boxOf(s);
  const view = { width: root.clientWidth, height: root.clientHeight };
  const size = { width: callout.offsetWidth, height: callout.offsetHeight };
  const here = [box?.x, box?.y, box?.width, box?.height, view.width, view.height, size.width, size.height].join();
  if (here === spot) return;
  spot = here;
  ring.style.setProperty("display", box === null ? "none" : "block", "important");
  if (box === null) return; // the text stays where it was
  const by = s.e === null ? pointSize / 2 : around;
  put(ring, box.x - by, box.y - by);
  ring.style.setProperty("width", `${String(box.width + 2 * by)}px`, "important");
  ring.style.setProperty("height", `${String(box.height + 2 * by)}px`, "important");
  const at = placeHint(size, view, s.e === null ? { x: box.x - by, y: box.y - by, width: 2 * by, height: 2 * by } : box);
  put(callout, Math.round(at.x), Math.round(at.y));
}

function put(e: HTMLElement, x: number, y: number): void {
  e.style.setProperty("left", `${String(x)}px`, "important");
  e.style.setProperty("top", `${String(y)}px`, "important");
}

const stopAll = method(Event.prototype, (e) => e.stopImmediatePropagation);
const prevent = method(Event.prototype, (e) => e.preventDefault);

const heard = ["pointerdown", "pointerup", "mousedown", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "touchstart", "touchend", "keydown", "keypress", "keyup"];

// A page that opens its document anew for writing ends all listening in it.
function hearken(): void {
  for (const type of heard) listen(window, type, onEvent, { capture: true, passive: false });
  for (const type of ["popstate", "hashchange"]) listen(window, type, unhint);
}

const isKey = (e: Event): e is KeyboardEvent => e.type.startsWith("key");

// onEvent keeps from the page what is done with the hint.
function onEvent(e: Event): void {
  const on = composedPath(e)[0];
  if (shown === undefined || parts === undefined || !isElement(on) || !liesInOurs(on) || !parts.root.contains(on)) return;
  stopAll(e);
  if (e.type === "mousedown") prevent(e); // the page keeps its focus
  else if ((e.type === "click" && parts.dismiss.contains(on)) || (e.type === "keydown" && isKey(e) && e.key === "Escape")) unhint();
}
