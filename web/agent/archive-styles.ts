import { adoptedSheets, baseURI, documentSheets, getAttribute, isConnected, isElement, isHTML, isLink, isStyle, localName, parentElement, textContent, top } from "../shared/safe-dom";

// Style sheets as they apply now, also where a script has changed their rules.

const importRule = 3;

/** rulesText is the rules of a sheet as text; null when they may not be read. */
function rulesText(sheet: CSSStyleSheet, imports: boolean): string | null {
  try {
    let text = "";
    for (const rule of sheet.cssRules) if (imports || !(rule.type === importRule)) text += `${rule.cssText}\n`;
    return text;
  } catch {
    return null;
  }
}

/** sheetOf is the sheet of a link or style element. */
export function sheetOf(e: Element): CSSStyleSheet | null {
  return isStyle(e) || isLink(e) ? e.sheet : null;
}

/** sheetText is the text of a style element; null when it has no effect. */
export function sheetText(e: Element): string | null {
  const sheet = sheetOf(e);
  if (sheet === null || sheet.disabled || !isConnected(e)) return null;
  const written = textContent(e) ?? "";
  const now = rulesText(sheet, false);
  if (now === null) return written;
  // What was written says more than the rules, where they are the same.
  try {
    const fresh = new CSSStyleSheet({ baseURL: baseURI() });
    fresh.replaceSync(written);
    if (rulesText(fresh, false) === now) return written;
  } catch {
    // then the rules are all there is
  }
  return rulesText(sheet, true);
}

/** adoptedText is the sheets that a tree adopted; null: the document. */
export function adoptedText(root: ShadowRoot | null): string {
  let text = "";
  for (const s of adoptedSheets(root)) {
    const rules = s.disabled ? null : rulesText(s, true);
    if (rules === null || rules === "") continue;
    const media = s.media.mediaText;
    text += media === "" ? rules : `@media ${media}{\n${rules}}\n`;
  }
  return text;
}

/**
 * holdsAdopted is the element at whose end the document's adopted sheets come
 * after all others.
 */
export function holdsAdopted(): "head" | "body" {
  const root = top();
  if (root === null) return "body";
  for (const s of documentSheets()) {
    const owner = s.ownerNode;
    if (owner !== null && isElement(owner) && !inHead(owner)) return "body";
  }
  return "head";
}

function inHead(e: Element): boolean {
  for (let p: Element | null = e; p !== null; p = parentElement(p)) {
    if (isHTML(p) && localName(p) === "head") return true;
  }
  return false;
}

/** mediaOf is for which media a link's sheet applies. */
export function mediaOf(e: Element): string {
  return sheetOf(e)?.media.mediaText ?? getAttribute(e, "media") ?? "";
}
