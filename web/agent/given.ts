import { dispatch, isConnected } from "../shared/safe-dom";

// Events that the agent gives the page, in place of those that a browser makes
// of a person's input.

const ours = new WeakSet<Event>();
let last = -Infinity;

/** isGiven tells whether an event is a person's, or stands for one. */
export function isGiven(e: Event): boolean {
  return e.isTrusted || ours.has(e);
}

/** isOurs tells whether the agent made an event. */
export function isOurs(e: Event): boolean {
  return ours.has(e);
}

/** lastGiven is when input was last given, in Event.timeStamp's time. */
export function lastGiven(): number {
  return last;
}

/** give dispatches an event that stands for a person's, and tells whether its default action is to follow. */
export function give(target: Element, e: Event): boolean {
  ours.add(e);
  last = e.timeStamp;
  return dispatch(target, e);
}

/** giveChange tells that a control was left, or chosen, with another value. */
export function giveChange(target: Element): void {
  if (isConnected(target)) give(target, new Event("change", { bubbles: true }));
}

/** giveInput tells that a control's value was changed. */
export function giveInput(target: Element): void {
  give(target, new Event("input", { bubbles: true, composed: true }));
}

/** Held are the modifier keys that are held. */
export interface Held {
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/** heldOf reads a mask of modifiers. */
export function heldOf(mask: number): Held {
  return { altKey: (mask & 1) !== 0, ctrlKey: (mask & 2) !== 0, metaKey: (mask & 4) !== 0, shiftKey: (mask & 8) !== 0 };
}

/** isGecko tells Firefox, which does some things of its own on events that scripts make. */
export const isGecko = "mozInnerScreenX" in window;

// Mice have this number: see Pointer Events, and what the browser does.
export const mouseId = isGecko ? 0 : 1;
