import { firstChild, getAttribute, isContentEditable, isElement, isHTML, isInput, isSelect, isText, isTextArea, dataOf, localName, matches, nextSibling, styleOf } from "../shared/safe-dom";
import { getter } from "../shared/safe";
import { clean } from "../shared/quote";
import { optionLabel } from "./options";

// Values of controls as they are, and as they may be shown.

const inputValue = getter(HTMLInputElement.prototype, "value");
const areaValue = getter(HTMLTextAreaElement.prototype, "value");

/** selectedValue is the value of the first option of a list that is chosen. */
export const selectedValue = getter(HTMLSelectElement.prototype, "value");

/** isChecked tells whether a box is. */
export const isChecked = getter(HTMLInputElement.prototype, "checked");

/** fieldValue is the value of an input or textarea, past what a page put over it. */
export function fieldValue(e: HTMLInputElement | HTMLTextAreaElement): string {
  return isInput(e) ? inputValue(e) : areaValue(e);
}

/** isEditable tells whether e is the root of an editable region. */
export function isEditingHost(e: Element): boolean {
  const v = getAttribute(e, "contenteditable");
  if (v === null) return localName(e) === "body" && isHTML(e) && isContentEditable(e); // the whole document is edited
  return v.toLowerCase() !== "false" && isHTML(e) && isContentEditable(e);
}

/** editableText is the text of a rich editor, a line for each of its blocks. */
export function editableText(e: Element): string {
  const lines: string[] = [];
  let line: string | null = null;
  const end = (): void => {
    if (line !== null) lines.push(line);
    line = null;
  };
  const walk = (p: Element, depth: number): void => {
    const keeps = styleOf(p).whiteSpace.startsWith("pre");
    for (let n = firstChild(p); n !== null; n = nextSibling(n)) {
      if (isText(n)) {
        const data = dataOf(n);
        const text = keeps ? data : data.replace(/[ \t\r\n]+/g, " ");
        if (line !== null || text.trim() !== "" || keeps) line = (line ?? "") + text;
      } else if (isElement(n) && depth < 200) {
        if (localName(n) === "br") {
          line ??= "";
          // A last line break in a block only holds it open.
          if (nextSibling(n) !== null) end();
          continue;
        }
        const s = styleOf(n);
        if (s.display === "none" || localName(n) === "style" || localName(n) === "script") continue;
        const block = !s.display.startsWith("inline") && s.display !== "contents";
        if (block) end();
        walk(n, depth + 1);
        if (block) end();
      }
    }
  };
  walk(e, 0);
  end();
  return lines.map((l) => l.replaceAll("\u00a0", " ").replace(/[ \t]+$/, "")).join("\n");
}

/** current is the value of a control for comparing and telling. */
export function current(e: Element): string {
  if (isInput(e)) {
    return e.type === "checkbox" || e.type === "radio" ? String(e.checked) : inputValue(e);
  }
  if (isTextArea(e)) return areaValue(e);
  if (isSelect(e)) return Array.from(e.selectedOptions, optionLabel).join("\n");
  const checked = getAttribute(e, "aria-checked");
  if (checked !== null) return checked;
  if (isHTML(e) && isContentEditable(e)) return editableText(e);
  return getAttribute(e, "aria-valuetext") ?? getAttribute(e, "aria-valuenow") ?? "";
}

/** isDisabled tells whether a control refuses its use; a disabled group counts. */
export function isDisabled(e: Element): boolean {
  return matches(e, ":disabled, [aria-disabled=true], [aria-disabled=true] *");
}

/** isReadOnly tells whether a field's value cannot be changed by a person. */
export function isReadOnly(e: Element): boolean {
  if (isInput(e) || isTextArea(e)) return e.readOnly && matches(e, ":read-only");
  return getAttribute(e, "aria-readonly") === "true";
}

/** range tells a number within its bounds. */
export function measure(e: Element): string {
  const text = getAttribute(e, "aria-valuetext");
  if (text !== null) return clean(text);
  const now = getAttribute(e, "aria-valuenow") ?? getAttribute(e, "value");
  if (now === null) return "";
  const max = getAttribute(e, "aria-valuemax") ?? getAttribute(e, "max") ?? (localName(e) === "progress" || localName(e) === "meter" ? "1" : null);
  return max === null ? clean(now) : `${clean(now)} of ${clean(max)}`;
}
