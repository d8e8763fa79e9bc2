import { edit } from "../shared/safe-dom";
import { isTextControl } from "./carets";
import { give } from "./given";
import { editable, erase, insert } from "./typing";

// Copying and pasting. What was copied is kept here too: a script may not read
// the clipboard.

let copied = "";

function selected(e: Element): string {
  if (isTextControl(e)) return e.type === "password" ? "" : e.value.slice(e.selectionStart ?? 0, e.selectionEnd ?? 0);
  return window.getSelection()?.toString() ?? "";
}

/** clipboard copies, cuts or pastes where the focus is. */
export function clipboard(e: Element, what: "copy" | "cut" | "paste"): void {
  if (what === "paste") {
    if (edit("paste")) return;
    const data = new DataTransfer();
    if (copied !== "") data.setData("text/plain", copied);
    if (give(e, new ClipboardEvent("paste", { bubbles: true, cancelable: true, composed: true, clipboardData: data })) && copied !== "") insert(e, copied);
    return;
  }
  const text = selected(e);
  if (text !== "") copied = text;
  if (edit(what)) return;
  const data = new DataTransfer();
  if (!give(e, new ClipboardEvent(what, { bubbles: true, cancelable: true, composed: true, clipboardData: data }))) {
    copied = data.getData("text/plain");
    return;
  }
  if (what === "cut" && text !== "" && editable(e)) erase(e, true, false);
}
