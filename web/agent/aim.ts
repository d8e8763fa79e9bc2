import type { AimArgs, AimReply, Box, ThroughArgs } from "../shared/protocol.gen";
import {
  checkVisibility, closest, hasFocus, isArea, isInput, isLabel, isOption, matches, rectOf, scrollIntoView, styleOf,
} from "../shared/safe-dom";
import { flatParent, focused, hit, within } from "../shared/tree";
import { areaBox, imageOf } from "./areas";
import { editorOf, isKeyed } from "./keyed";
import { beginAct, drive, leaveViews } from "./changes";
import { describeCover } from "./covers";
import { baseline, beginAccount, lineIn, lookEverywhere, movedFrom, refresh } from "./diff";
import { Fault } from "./faults";
import { fileFieldOf } from "./files";
import { focusNear, focusOn } from "./focusing";
import { frameOf, isFrame, ownerOf } from "./frames";
import { arm, armAround, disarm, hearken, newAct } from "./guard";
import { letThrough } from "./hint";
import { boxesOf, bring, coveredBy, inView, meetsView, visibleMiddle, type Point } from "./hits";
import { labelsOf } from "./labels";
import { placeOf } from "./places";
import { element } from "./refs";
import { moves } from "./steady";
import { editableOf } from "./fields";
import { isDisabled, isReadOnly } from "./values";
import { isShown } from "./visible";
import { isCutOff, scrollersAbove, scrollPoint } from "./scrolls";

// Aiming: is the element ready for the act, and where is it hit?

/** boxOf is an element's place in the viewport. */
export function boxOf(e: Element): Box {
  const r = areaBox(e) ?? rectOf(e);
  return { x: r.left, y: r.top, width: r.width, height: r.height };
}

const nowhere: Box = { x: 0, y: 0, width: 0, height: 0 };

/** aim prepares an act on an element or a point. */
export function aim(args: AimArgs): AimReply {
  if (args.for !== "record" && args.for !== "picture") letThrough();
  if (args.continue !== true) begin();
  disarm();
  if (args.for === "drag" || args.for === "drop") drive();
  lookEverywhere(args.for === "hover");
  if (args.for === "record") return { ok: true, x: 0, y: 0, box: nowhere };
  return args.n === undefined || args.n === 0 ? aimAtPoint(args) : aimAtElement(args, element(args.n));
}

function begin(): void {
  baseline();
  refresh();
  beginAccount();
  beginAct();
  newAct();
}

function refuse(e: Element, args: { prefix: string }, reason: string, wait: boolean): AimReply {
  return { ok: false, reason, wait, x: 0, y: 0, line: lineIn(e, args.prefix), box: boxOf(e) };
}

function aimAtElement(args: AimArgs, e: Element): AimReply {
  const other = movedFrom(e, args.prefix);
  if (other !== "") return refuse(e, args, other, false);
  const proxies = proxiesOf(e);
  if (args.for === "picture") {
    if (!checkVisibility(e)) return refuse(e, args, "not visible", true);
    if (!inView(e)) scrollIntoView(e, { block: "center", inline: "center", behavior: "instant" });
    // What a box that scrolls cuts off is in no picture.
    if (isCutOff(e)) scrollIntoView(e, { block: "nearest", inline: "nearest", behavior: "instant" });
    return done(e, args, middle(e));
  }
  if (args.for === "scroll") {
    if (!meetsView(e)) scrollIntoView(e, { block: "center", inline: "center", behavior: "instant" });
    return { ...done(e, args, middle(e)), frame: isFrame(e) ? frameOf(e) : "" };
  }
  if (args.for === "files") {
    const field = fileFieldOf(e);
    return field !== null && isDisabled(field) ? refuse(e, args, "disabled", true) : done(e, args, middle(e));
  }
  if (args.for === "drop" || args.for === "dropping") return aimAtDrop(args, e);
  if (isOption(e) && closest(e, "select") !== null) {
    throw new Fault("invalid_arguments", "an option of a list is not pressed by itself", "fill the list with the option's label");
  }
  if (!seen(e) && !proxies.some(isShown)) return refuse(e, args, "not visible", true);
  if (args.for === "keys") return aimAtKeys(args, e, inView(e) ? null : e);
  const field = args.for === "fill" ? editableOf(e) : e;
  if (args.for !== "hover" && args.for !== "focus" && isDisabled(field ?? e)) return refuse(e, args, "disabled", true);
  if (args.for === "fill") {
    if (field === null) return refuse(e, args, "not editable", false);
    if (isReadOnly(field)) return refuse(e, args, "read-only", false);
  }
  if (moves(seen(e) ? e : (proxies[0] ?? e))) return refuse(e, args, "moving", true);
  const found = bring(e, proxies);
  leaveViews(scrollersAbove(e));
  if (found.point === null) {
    // A field is also reached by the keyboard, unless a layer over the page
    // keeps people from it.
    if ((args.for === "fill" || args.for === "focus") && found.cover !== null && !layered(found.cover, e)) {
      if (args.for === "focus") focus(e);
      return done(e, args, middle(e));
    }
    return refuse(e, args, coveredBy(e, found), true);
  }
  if (guarded.has(args.for)) arm([e, ...proxies], args.for === "hover");
  if (args.for === "focus") focus(e);
  return args.for === "drag" ? { ...done(e, args, found.point), drags: dragsOf(e) } : done(e, args, found.point);
}

function dragsOf(e: Element): string {
  if (closest(e, "[draggable=true]") !== null) return "data";
  return closest(e, "[aria-roledescription]") === null ? "" : "sorts";
}

const guarded = new Set(["click", "hover", "drag"]);

// Keys go to what has the focus, wherever it is and whatever lies over it.
function aimAtKeys(args: AimArgs, e: Element, away: Element | null): AimReply {
  if (isDisabled(e)) return refuse(e, args, "disabled", true);
  if (away !== null) {
    scrollIntoView(away, { block: "center", inline: "center", behavior: "instant" });
    leaveViews(scrollersAbove(away));
  }
  const to = isLabel(e) ? (e.control ?? e) : e;
  return focusNear(to) ? done(e, args, middle(e)) : refuse(e, args, "not focusable", false);
}

// A drop goes to what lies under it, which while it is on its way may be what
// is dragged.
function aimAtDrop(args: AimArgs, e: Element): AimReply {
  hearken();
  if (!seen(e)) return refuse(e, args, "not visible", true);
  if (moves(e)) return refuse(e, args, "moving", true);
  if (!inView(e)) scrollIntoView(e, { block: "nearest", inline: "nearest", behavior: "instant" });
  leaveViews(scrollersAbove(e));
  if (args.for === "dropping") return done(e, args, visibleMiddle(e));
  const found = bring(e, []);
  leaveViews(scrollersAbove(e));
  return found.point === null ? refuse(e, args, coveredBy(e, found), true) : done(e, args, found.point);
}

function done(e: Element, args: AimArgs, p: Point): AimReply {
  return { ok: true, x: p.x, y: p.y, line: lineIn(e, args.prefix), box: boxOf(e) };
}

function focus(e: Element): void {
  const now = focused();
  if (now === null || !within(now, e) || !hasFocus()) focusOn(e);
}

function middle(e: Element): Point {
  const r = boxesOf(e)[0] ?? rectOf(e);
  return { x: r.left + r.width / 2, y: r.top + r.height / 2 };
}

// seen tells whether an element can be pressed where it is; one that is quite
// transparent but laid out, such as a file field over a button, can.
function seen(e: Element): boolean {
  const image = isArea(e) ? imageOf(e) : null;
  if (image !== null) return isShown(image);
  if (!checkVisibility(e, { visibilityProperty: true }) && styleOf(e).display !== "contents") return false;
  if (boxesOf(e).length === 0) return false;
  return isInput(e) || isShown(e) || isKeyed(e);
}

/** proxiesOf are the elements whose press acts on e: its labels. */
export function proxiesOf(e: Element): readonly Element[] {
  if (isLabel(e)) return e.control === null ? [] : [e.control];
  const editor = editorOf(e);
  return editor === null ? labelsOf(e).filter(isShown) : [editor];
}

// layered tells whether what was hit belongs to a layer over the page that
// does not hold e.
function layered(cover: Element, e: Element): boolean {
  for (let p: Element | null = cover; p !== null; p = flatParent(p)) {
    for (let q: Element | null = e; q !== null; q = flatParent(q)) if (q === p) return false;
    const position = styleOf(p).position;
    if (position === "fixed" || matches(p, "dialog,[role=dialog],[role=alertdialog]")) return true;
  }
  return false;
}

function aimAtPoint(args: AimArgs): AimReply {
  const x = args.x ?? 0, y = args.y ?? 0;
  const at = hit(x, y);
  if (at === null) {
    return { ok: false, reason: `${String(x)},${String(y)} is outside of the viewport`, wait: false, x, y, box: nowhere };
  }
  const frame = isFrame(at) ? frameOf(at) : "";
  if (frame !== "") {
    const p = placeOf(at).inward({ x, y });
    if (args.for === "keys") focus(at);
    return { ok: true, x, y, line: lineIn(at, args.prefix), frame, frameX: p.x, frameY: p.y, box: boxOf(at) };
  }
  const e = closest(at, "a[href],button,input,select,textarea,summary,label,[role]") ?? at;
  if (args.for === "fill" && editableOf(e) === null) return { ok: false, reason: "not editable", wait: false, x, y, line: lineIn(e, args.prefix), box: boxOf(e) };
  if (args.for === "keys") return { ...aimAtKeys(args, e, null), x, y };
  if (args.for === "drop") hearken();
  if (guarded.has(args.for)) arm([at], args.for === "hover");
  return { ok: true, x, y, line: lineIn(e, args.prefix), box: boxOf(e) };
}

/** throughMe aims at a point of a child frame. */
export function throughMe(args: ThroughArgs): AimReply {
  const e = ownerOf(args.frame);
  if (args.for === "map") return { ok: true, ...outer(e, args), box: boxOf(e) };
  if (args.for !== "picture") letThrough();
  disarm();
  if (!isShown(e)) return refuse(e, { prefix: "" }, "not visible", true);
  if (moves(e)) return refuse(e, { prefix: "" }, "moving", true);
  let p = outer(e, args);
  let at = hit(p.x, p.y);
  if (at !== e) {
    scrollPoint(e, () => outer(e, args));
    leaveViews(scrollersAbove(e));
    p = outer(e, args);
    at = hit(p.x, p.y);
  }
  if (at !== e && args.for !== "picture" && args.for !== "scroll" && args.for !== "dropping" && args.for !== "keys") {
    return refuse(e, { prefix: "" }, at === null ? "outside of the viewport" : `covered by ${describeCover(at)}`, true);
  }
  if (guarded.has(args.for)) armAround(e, args.for === "hover");
  // Keys go by what has the focus here, which is told late of what happens there.
  if (args.for === "fill" || args.for === "focus" || args.for === "keys") focus(e);
  return { ok: true, x: p.x, y: p.y, box: boxOf(e) };
}

function outer(e: Element, args: ThroughArgs): Point {
  return placeOf(e).outward(args);
}
