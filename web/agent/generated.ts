import { getAttribute, hasAttributes, localName, styleOf } from "../shared/safe-dom";

// Text that style sheets put before and after what an element holds.

const quoted = /"((?:[^"\\]|\\.)*)"/g;

// Elements of one kind that were seen to have nothing generated in them have
// none, as long as the page is not looked at again.
const barren = new Set<string>();

/** forgetGenerated makes the next look at style sheets' texts a new one. */
export function forgetGenerated(): void {
  barren.clear();
}

/** Around is what style sheets put before and after what an element holds. */
export interface Around {
  readonly before: string;
  readonly after: string;
}

/**
 * generated is the text around what an element holds, null for none; shown tells
 * whether the element is, and so stands for its kind.
 */
export function generated(e: Element, shown: () => boolean): Around | null {
  const kind = hasAttributes(e) ? `${localName(e)} ${getAttribute(e, "class") ?? ""} ${getAttribute(e, "id") ?? ""}` : localName(e);
  if (barren.has(kind)) return null;
  const before = pseudo(e, "::before"), after = pseudo(e, "::after");
  if (before !== "" || after !== "") return { before, after };
  if (styleOf(e, "::before").content === "none" && styleOf(e, "::after").content === "none" && shown()) barren.add(kind);
  return null;
}

function pseudo(e: Element, which: string): string {
  const style = styleOf(e, which);
  const value = style.content;
  if (value === "none" || value === "normal" || value === "") return "";
  const slash = /\/\s*((?:"(?:[^"\\]|\\.)*"\s*)+)$/.exec(value);
  if (slash === null && /\bcounters?\(/.test(value)) return "";
  let text = "";
  for (const m of (slash?.[1] ?? value).matchAll(quoted)) text += (m[1] ?? "").replace(/\\(.)/g, "$1");
  text = text.replace(/[\ue000-\uf8ff]/g, ""); // icons of a font
  if (text === "" || !shows(style)) return "";
  return style.display === "inline" ? text : ` ${text} `;
}

function shows(style: CSSStyleDeclaration): boolean {
  return style.display !== "none" && style.visibility === "visible" && parseFloat(style.opacity) >= 0.1 && parseFloat(style.fontSize) >= 2 && !/^matrix\(0, 0, 0, 0/.test(style.transform);
}
