import { getAttribute, isConnected, isSelect, queryAll, rectOf, rootOf, styleOf, isShadow, queryFragmentAll, top, isInput, listen } from "../shared/safe-dom";
import { options as optionsOf, setSelected } from "../shared/controls";
import { setter } from "../shared/safe";
import { flatParent } from "../shared/tree";
import { focusOn } from "./focusing";
import { give, giveChange, giveInput, type Held } from "./given";

// Controls that keys and the mouse step through: lists, sliders, numbers, radio
// buttons.

const setValue = setter(HTMLInputElement.prototype, "value");
let slid: { readonly field: HTMLInputElement; readonly was: string; told: boolean } | null = null;
let listening = false;

// Some browsers move a slider on a script's press by themselves.
function hear(): void {
  if (listening) return;
  listening = true;
  listen(window, "change", (e) => { if (slid !== null && e.target === slid.field) slid.told = true; }, { capture: true, passive: true });
}

function changedTo(e: Element): void {
  giveInput(e);
  giveChange(e);
}

/** slideTo moves a slider to where it is pressed. */
export function slideTo(e: HTMLInputElement, x: number, y: number): void {
  hear();
  if (slid?.field !== e) slid = { field: e, was: e.value, told: false };
  const r = rectOf(e), s = styleOf(e);
  const upright = s.writingMode.startsWith("vertical") || r.height > 2 * r.width;
  const thumb = 16; // CSS pixels, about: its middle does not reach the ends
  const length = Math.max(1, (upright ? r.height : r.width) - thumb);
  let part = Math.min(1, Math.max(0, ((upright ? y - r.top : x - r.left) - thumb / 2) / length));
  if (upright || s.direction === "rtl") part = 1 - part;
  const [min, max] = bounds(e);
  const was = e.value;
  setValue(e, String(min + (max - min) * part));
  if (e.value !== was) giveInput(e);
}

/** slidEnd lets go of a slider. */
export function slidEnd(e: HTMLInputElement): void {
  if (slid?.field === e && e.value !== slid.was && !slid.told) giveChange(e);
  slid = null;
}

function bounds(e: HTMLInputElement): readonly [number, number] {
  const min = parseFloat(getAttribute(e, "min") ?? "0"), max = parseFloat(getAttribute(e, "max") ?? "100");
  const least = Number.isNaN(min) ? 0 : min;
  return [least, Math.max(least, Number.isNaN(max) ? 100 : max)];
}

/** stepNumber has a key act on a slider or a field for a number, and tells whether it does. */
export function stepNumber(e: HTMLInputElement, key: string): boolean {
  const up = key === "ArrowUp" || (e.type === "range" && key === (styleOf(e).direction === "rtl" ? "ArrowLeft" : "ArrowRight"));
  const down = key === "ArrowDown" || (e.type === "range" && key === (styleOf(e).direction === "rtl" ? "ArrowRight" : "ArrowLeft"));
  const was = e.value;
  try {
    if (up) e.stepUp();
    else if (down) e.stepDown();
    else if (e.type !== "range") return false;
    else {
      const [min, max] = bounds(e);
      const leap = (max - min) / 10;
      const to: Readonly<Record<string, number>> = { Home: min, End: max, PageUp: Number(was) + leap, PageDown: Number(was) - leap };
      const value = to[key];
      if (value === undefined) return false;
      setValue(e, String(value));
    }
  } catch {
    return true; // step="any" has no steps
  }
  if (e.value !== was) changedTo(e);
  return true;
}

/** stepRadio moves to the next radio button of a group, and chooses it. */
export function stepRadio(e: HTMLInputElement, key: string): boolean {
  const way = key === "ArrowDown" || key === "ArrowRight" ? 1 : key === "ArrowUp" || key === "ArrowLeft" ? -1 : 0;
  if (way === 0) return false;
  const root = rootOf(e), page = top();
  const all = isShadow(root) ? queryFragmentAll(root, "input[type=radio]") : page === null ? [] : queryAll(page, "input[type=radio]");
  const group = [...all].filter(isInput).filter((r) => r === e || (r.name === e.name && e.name !== "" && r.form === e.form && !r.disabled));
  const next = group[(group.indexOf(e) + way + group.length) % group.length];
  if (next === undefined || next === e) return true;
  focusOn(next);
  if (isConnected(next)) give(next, new PointerEvent("click", { bubbles: true, cancelable: true, composed: true, view: window }));
  return true;
}

function usable(o: HTMLOptionElement): boolean {
  const group = flatParent(o);
  return !o.disabled && !o.hidden && !(group !== null && group instanceof HTMLOptGroupElement && group.disabled);
}

/** stepList has a key act on a list, and tells whether it does. */
export function stepList(s: HTMLSelectElement, key: string, typed: string): boolean {
  const all = optionsOf(s).filter(usable);
  const now = all.findIndex((o) => o.selected);
  const page = Math.max(1, s.size - 1);
  const to: Readonly<Record<string, number>> = {
    ArrowDown: now + 1, ArrowRight: now + 1, ArrowUp: now - 1, ArrowLeft: now - 1, Home: 0, End: all.length - 1,
    PageDown: now + page, PageUp: now - page,
  };
  let at = to[key];
  if (at === undefined && typed.trim() !== "") {
    const begins = (o: HTMLOptionElement): boolean => o.text.trim().toLowerCase().startsWith(typed.toLowerCase());
    const later = all.findIndex((o, i) => i > now && begins(o));
    at = later >= 0 ? later : all.findIndex(begins);
    if (at < 0) return true;
  }
  if (at === undefined) return false;
  const next = all[Math.min(all.length - 1, Math.max(0, at))];
  if (next !== undefined && !next.selected) take(s, next);
  return true;
}

function take(s: HTMLSelectElement, o: HTMLOptionElement): void {
  if (s.multiple) for (const other of optionsOf(s)) if (other !== o) setSelected(other, false);
  setSelected(o, true);
  changedTo(s);
}

/** chooseOption chooses an option of a list that shows them. */
export function chooseOption(o: HTMLOptionElement, held: Held): void {
  let s: Element | null = flatParent(o);
  while (s !== null && !isSelect(s)) s = flatParent(s);
  if (s === null || s.disabled || !usable(o)) return;
  if (s.multiple && (held.ctrlKey || held.metaKey)) {
    setSelected(o, !o.selected);
    changedTo(s);
  } else if (!o.selected || (s.multiple && s.selectedOptions.length > 1)) take(s, o);
}
