import { quote } from "../shared/quote";
import type { Line } from "./lines";

// Lines of one element at two times.

/** shownStates are the states that a page shows; where the focus is, is told apart. */
export function shownStates(l: Line): readonly string[] {
  return l.states.filter((s) => s !== "focused");
}

/** same tells whether two lines tell a reader the same. */
export function same(a: Line, b: Line): boolean {
  if (a.role !== b.role || a.name !== b.name || a.value !== b.value || (a.role !== "canvas" && a.rest !== b.rest)) return false;
  return shownStates(a).join() === shownStates(b).join();
}

/** was says what a line had that another one has not. */
export function was(a: Line, b: Line): string {
  const parts: string[] = [];
  if (a.role !== b.role) parts.push(a.role);
  if (a.name !== b.name) parts.push(quote(a.name));
  if (a.value !== b.value) parts.push(a.value ?? "empty");
  const before = shownStates(a), after = shownStates(b);
  const lost = before.filter((s) => !after.includes(s));
  parts.push(...(lost.length > 0 ? lost : after.filter((s) => !before.includes(s)).map((s) => `not ${s}`)));
  if (parts.length === 0) parts.push(a.rest === "" ? "plain" : a.rest);
  return parts.join(", ");
}
