import { now } from "../shared/safe";

// However slow the machine, so many nodes are walked over before time counts.
const least = 1000;

/**
 * Stint bounds work in the page by time, of which a busy machine may give it
 * next to none: what is little work is done nevertheless.
 */
export interface Stint {
  readonly end: number; // on the clock of now
  steps: number; // nodes walked over
}

/** stint begins one that may take so many ms. */
export function stint(ms: number): Stint {
  return { end: now() + ms, steps: 0 };
}

/** isOver tells that a stint has to end. */
export function isOver(s: Stint): boolean {
  return s.steps >= least && now() > s.end;
}
