import type { Held } from "./given";
import { isTextArea } from "../shared/safe-dom";
import { isTextControl, select } from "./carets";
import { following, previous, wordEdge } from "./typing";

// Keys that move the caret in a text.

const keys: Readonly<Record<string, readonly ["backward" | "forward" | "left" | "right", string]>> = {
  ArrowLeft: ["left", "character"], ArrowRight: ["right", "character"], ArrowUp: ["backward", "line"], ArrowDown: ["forward", "line"],
  Home: ["backward", "lineboundary"], End: ["forward", "lineboundary"], PageUp: ["backward", "paragraph"], PageDown: ["forward", "paragraph"],
};

/** moveCaret has a key move the caret of what has the focus, and tells whether it does that. */
export function moveCaret(e: Element, key: string, held: Held): boolean {
  const way = keys[key];
  if (way === undefined) return false;
  const far = held.ctrlKey || held.altKey || held.metaKey;
  if (isTextControl(e) && e.selectionStart !== null) {
    inControl(e, key, far, held.shiftKey);
    return true;
  }
  const edge = key === "Home" || key === "End";
  const unit = far ? (edge ? "documentboundary" : way[1] === "character" ? "word" : "paragraphboundary") : way[1];
  window.getSelection()?.modify(held.shiftKey ? "extend" : "move", way[0], unit);
  return true;
}

function inControl(e: HTMLInputElement | HTMLTextAreaElement, key: string, far: boolean, extend: boolean): void {
  const from = e.selectionStart ?? 0, to = e.selectionEnd ?? from;
  const back = e.selectionDirection === "backward";
  const anchor = back ? to : from, caret = back ? from : to;
  let at = goal(e.value, key, caret, far, isTextArea(e));
  if (!extend && from !== to && (key === "ArrowLeft" || key === "ArrowRight")) at = key === "ArrowLeft" ? from : to;
  if (extend) select(e, Math.min(anchor, at), Math.max(anchor, at), at < anchor);
  else select(e, at, at);
}

function goal(text: string, key: string, at: number, far: boolean, lines: boolean): number {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const end = next < 0 ? text.length : next;
  switch (key) {
    case "ArrowLeft": return far ? wordEdge(text, at, -1) : previous(text, at);
    case "ArrowRight": return far ? wordEdge(text, at, 1) : following(text, at);
    case "Home": return far ? 0 : start;
    case "End": return far ? text.length : end;
    case "ArrowUp": {
      if (!lines || start === 0) return 0;
      const above = text.lastIndexOf("\n", start - 2) + 1;
      return Math.min(above + at - start, start - 1);
    }
    case "ArrowDown": {
      if (!lines || next < 0) return text.length;
      const below = text.indexOf("\n", next + 1);
      return Math.min(next + 1 + at - start, below < 0 ? text.length : below);
    }
    case "PageUp": return 0;
  }
  return text.length;
}
