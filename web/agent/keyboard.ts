import type { KeyGiven } from "../shared/protocol.gen";
import {
  body, closest, edit, isConnected, isDialog, isHTML, isInput, isLeading, isSelect, isTextArea, matches, queryAll, scroller, top,
} from "../shared/safe-dom";
import { elements, isForm, isSubmitter, requestSubmit } from "../shared/controls";
import { moveCaret } from "./caretkeys";
import { editorAround, isTextControl } from "./carets";
import { clipboard } from "./clipboard";
import { confirmEntry, holder } from "./focusing";
import { giveClick } from "./following";
import { give, heldOf, isGecko, mouseId, type Held } from "./given";
import { stepList, stepNumber, stepRadio } from "./stepping";
import { breakLine, editable, erase, insert } from "./typing";
import { scrollFrom } from "./wheel";

// The keyboard, as far as a script can press its keys.

// What Space presses when it is let go of.
let ready: Element | null = null;

/** target is what keys go to. */
function target(): Element | null {
  return holder() ?? body() ?? top();
}

function keyboard(type: string, to: Element, k: KeyGiven, char = ""): boolean {
  const code = char === "" ? 0 : (char.codePointAt(0) ?? 0);
  const legacy = type === "keypress" ? code : (k.keyCode ?? 0);
  return give(to, new KeyboardEvent(type, {
    bubbles: true, cancelable: true, composed: true, view: window, key: k.key, code: k.code ?? "", location: k.location ?? 0, ...heldOf(k.modifiers ?? 0),
    keyCode: legacy, charCode: type === "keypress" ? code : 0, which: legacy,
  }));
}

/** clickOn clicks an element as a key does. */
function clickOn(e: Element): void {
  if (isConnected(e) && !matches(e, ":disabled")) giveClick(e, new PointerEvent("click", { bubbles: true, cancelable: true, composed: true, view: window, detail: 0, pointerId: -1, pointerType: "" }));
}

/** givenKey does one event of a key in this document; "tab" is left to the caller. */
export function givenKey(k: KeyGiven): "tab" | "" {
  const to = target();
  if (to === null) return "";
  if (k.type === "up") {
    const through = keyboard("keyup", to, k);
    const pressed = ready;
    ready = null;
    if (through && k.key === " " && pressed !== null && pressed === target()) clickOn(pressed);
    return "";
  }
  if (!keyboard("keydown", to, k)) return "";
  const held = heldOf(k.modifiers ?? 0);
  for (const c of k.commands ?? []) commanded(c);
  if ((k.commands?.length ?? 0) > 0) return "";
  if (k.key === "Tab" && !held.ctrlKey && !held.altKey && !held.metaKey) return "tab";
  const now = target(); // which the page may have changed
  if (now === null) return "";
  const text = k.text ?? "";
  if (text === "") {
    act(now, k.key, held);
    return "";
  }
  if (!keyboard("keypress", now, k, text)) return "";
  const at = target();
  if (at === null) return "";
  if (k.key === "Enter") enter(at, held);
  else type(at, text, held);
  return "";
}

function commanded(name: string): void {
  const e = target();
  if (e === null) return;
  if (name === "selectAll") {
    if (isTextControl(e)) e.select();
    else edit("selectAll");
  } else if (name === "copy" || name === "cut" || name === "paste") clipboard(e, name);
  else edit(name);
}

const pressable = "button,summary,input[type=button],input[type=submit],input[type=reset],input[type=image],input[type=color],input[type=file]";

function type(e: Element, text: string, held: Held): void {
  if (editable(e)) {
    insert(e, text);
    return;
  }
  if (isSelect(e) && !e.disabled && text !== " ") stepList(e, "", text);
  else if (text === " " && (matches(e, pressable) || matches(e, "input[type=checkbox],input[type=radio]"))) ready = e;
  else if (text === " " && !isSelect(e) && !isInput(e)) page(e, held.shiftKey ? -1 : 1);
}

function enter(e: Element, held: Held): void {
  if (isTextArea(e) || (!isInput(e) && editorAround(e) !== null && editable(e))) breakLine(e, held.shiftKey);
  else if (matches(e, pressable) || (isLeading(e) && e.href !== "")) clickOn(e);
  else if (isInput(e)) {
    confirmEntry();
    if (isConnected(e)) submitBy(e);
  }
}

const textual = new Set(["text", "search", "tel", "url", "email", "password", "date", "month", "week", "time", "datetime-local", "number"]);

// submitBy is the implicit submission of HTML.
function submitBy(e: HTMLInputElement): void {
  const form: unknown = e.form;
  if (!isForm(form)) return;
  const all = elements(form);
  const first = all.find(isSubmitter);
  if (first !== undefined) clickOn(first);
  else if (all.filter((f) => isInput(f) && textual.has(f.type)).length <= 1) requestSubmit(form);
}

// act is what a key that types nothing does.
function act(e: Element, key: string, held: Held): void {
  switch (key) {
    case "Backspace":
    case "Delete":
      erase(e, key === "Backspace", held.ctrlKey || held.altKey);
      return;
    case "Escape":
      escape(e);
      return;
    case "ContextMenu":
      give(e, new PointerEvent("contextmenu", { bubbles: true, cancelable: true, composed: true, view: window, button: 2, pointerId: mouseId, pointerType: "mouse" }));
      return;
  }
  if (isInput(e) && !matches(e, ":disabled")) {
    if (e.type === "radio" && stepRadio(e, key)) return;
    if ((e.type === "range" || (e.type === "number" && !e.readOnly)) && stepNumber(e, key)) return;
  }
  if (isSelect(e)) {
    if (!e.disabled) stepList(e, key, "");
    return;
  }
  if ((isTextControl(e) || editorAround(e) !== null) && moveCaret(e, key, held)) return;
  if (!isInput(e)) scrollBy(e, key);
}

const line = 40; // CSS pixels that an arrow scrolls

function scrollBy(e: Element, key: string): void {
  const ways: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [0, -line], ArrowDown: [0, line], ArrowLeft: [-line, 0], ArrowRight: [line, 0], Home: [0, -1e9], End: [0, 1e9],
  };
  const way = ways[key];
  if (way !== undefined) scrollFrom(e, way[0], way[1]);
  else if (key === "PageUp" || key === "PageDown") page(e, key === "PageUp" ? -1 : 1);
}

function page(e: Element, way: 1 | -1): void {
  scrollFrom(e, 0, way * 0.875 * (scroller()?.clientHeight ?? window.innerHeight));
}

// escape closes what is on top of the page, as far as scripts can.
function escape(e: Element): void {
  if (isInput(e) && e.type === "search" && e.value !== "" && editable(e) && !isGecko) {
    e.select();
    erase(e, true, false);
  }
  const root = top();
  if (root === null) return;
  const shown = [...queryAll(root, "dialog:modal,[popover]:popover-open")].filter((d) => isDialog(d) || isAuto(d)).at(-1);
  if (shown === undefined) return;
  if (isDialog(shown) && matches(shown, ":modal")) {
    if (closest(shown, "dialog")?.getAttribute("closedby") === "none") return;
    if (give(shown, new Event("cancel", { cancelable: true })) && isConnected(shown)) shown.close();
  } else if (isHTML(shown)) shown.hidePopover();
}

function isAuto(e: Element): boolean {
  return isHTML(e) && e.popover !== "manual";
}

/** givenText inserts a text where the focus is. */
export function givenText(text: string): void {
  const e = target();
  if (e !== null) insert(e, text);
}
