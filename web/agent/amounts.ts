import { getAttribute, isInput, parentElement, rectOf } from "../shared/safe-dom";
import { quote } from "../shared/quote";
import { Fault } from "./faults";
import { roleOf } from "./roles";
import { isEditingHost } from "./values";

// Amounts that a page draws itself: sliders, and numbers that step up and down.

/** isAmount tells whether e is a number that keys move. */
export function isAmount(e: Element): boolean {
  if (isInput(e) || isEditingHost(e)) return false;
  const role = roleOf(e);
  return role === "spinbutton" || (role === "slider" && getAttribute(e, "aria-valuenow") !== null);
}

/** amountOf is the number that an amount has; NaN when it has none yet. */
export function amountOf(e: Element): number {
  const now = getAttribute(e, "aria-valuenow");
  return now === null || now.trim() === "" ? NaN : Number(now);
}

/** amountWanted reads the number that an amount is asked to have. */
export function amountWanted(e: Element, value: string): number {
  const n = Number(value);
  if (value.trim() === "" || !Number.isFinite(n)) throw new Fault("invalid_arguments", `${quote(value)} is not a number`, "give a number such as 12.5");
  const least = bound(e, "aria-valuemin"), most = bound(e, "aria-valuemax");
  if (n < least || n > most) throw new Fault("invalid_arguments", `${value} is not from ${String(least)} to ${String(most)}`, "give a number within these bounds");
  return n;
}

function bound(e: Element, attribute: string): number {
  const given = getAttribute(e, attribute);
  return given === null || given.trim() === "" ? NaN : Number(given);
}

/** Track is where a press moves a slider to a number. */
export interface Track {
  readonly x: number;
  readonly y: number;
  readonly per: number; // CSS pixels for one; 0: there is no such place
}

const climb = 4;
const shortest = 40; // CSS pixels

/** trackOf is the place on the track of a slider that lies level. */
export function trackOf(e: Element, wanted: number): Track {
  const none: Track = { x: 0, y: 0, per: 0 };
  const least = Number(getAttribute(e, "aria-valuemin") ?? 0), most = Number(getAttribute(e, "aria-valuemax") ?? 100);
  if (roleOf(e) !== "slider" || getAttribute(e, "aria-orientation") === "vertical" || !(most > least)) return none;
  const thumb = rectOf(e);
  let p: Element | null = e;
  for (let i = 0; i < climb && p !== null; i++, p = parentElement(p)) {
    const r = rectOf(p);
    if (r.width < shortest || r.width < 3 * r.height || (p !== e && r.width < 3 * thumb.width)) continue;
    const per = r.width / (most - least);
    return { x: Math.min(Math.max(r.left + (wanted - least) * per, r.left + 1), r.right - 1), y: thumb.top + thumb.height / 2, per };
  }
  return none;
}
