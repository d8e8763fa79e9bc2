import { attributeNames, getAttribute, hasAttribute, isHTML, isInput, isOption, isTextArea, localName, matches, styleOf } from "../shared/safe-dom";
import { isSecret } from "./secrets";
import { fieldValue } from "./values";

// The attributes of an element in a saved page: what it is and shows now,
// nothing that runs, loads or leads anywhere by itself. Addresses are for
// archive-resources.ts.

const dropped = new Set([
  "nonce", "integrity", "crossorigin", "referrerpolicy", "fetchpriority", "loading", "blocking", "as", "ping", "attributionsrc", "autoplay", "autofocus",
  "src", "srcset", "sizes", "imagesrcset", "imagesizes", "srcdoc", "href", "xlink:href", "action", "formaction", "data", "poster", "background", "dynsrc", "lowsrc",
  "codebase", "archive", "classid", "code", "longdesc", "profile", "manifest", "icon", "xml:base", "http-equiv", "sandbox", "allow", "allowfullscreen", "csp", "credentialless",
  "shadowrootmode", "shadowrootdelegatesfocus", "shadowrootclonable", "shadowrootserializable", "shadowrootslotassignment", "shadowrootadoptedstylesheets",
]);
const unsafe = /^\s*(javascript|vbscript)\s*:/i;

/** isName tells whether a parser of HTML reads s as the name of an element. */
export function isName(s: string): boolean {
  return /^[a-z][^\s/<>"'=&\0]*$/i.test(s);
}

/** attributesOf are the attributes, names and values in turn. */
export function attributesOf(e: Element): string[] {
  const out: string[] = [];
  const tag = localName(e), html = isHTML(e);
  let style: string | null = null;
  for (const name of attributeNames(e)) {
    const low = name.toLowerCase();
    if (low.startsWith("on") || dropped.has(low) || (html && stateful(e, tag, low)) || /[\s/<>"'=&\0]/.test(name)) continue;
    const value = getAttribute(e, name) ?? "";
    if (unsafe.test(value.replace(/[\0-\x20]+/g, ""))) continue;
    if (low === "style") style = value;
    else out.push(name, value);
  }
  if (html) {
    out.push(...stateOf(e, tag));
    const lifted = liftedStyle(e, tag);
    if (lifted !== "") style = style === null || style === "" ? lifted : `${style};${lifted}`;
  }
  if (style !== null) out.push("style", style);
  return out;
}

// stateful tells whether an attribute is told by stateOf.
function stateful(e: Element, tag: string, name: string): boolean {
  switch (name) {
    case "value": return tag === "input";
    case "checked": return tag === "input";
    case "selected": return tag === "option";
    default: return name === "placeholder" && isSecret(e);
  }
}

const silent = new Set(["file", "hidden", "image"]);

// stateOf is what a control holds now, as attributes.
function stateOf(e: Element, tag: string): string[] {
  if (isOption(e)) return e.selected ? ["selected", ""] : [];
  if (tag !== "input" || !isInput(e)) return [];
  const kind = e.type;
  if (kind === "checkbox" || kind === "radio") {
    const out = hasAttribute(e, "value") ? ["value", getAttribute(e, "value") ?? ""] : [];
    return e.checked ? [...out, "checked", ""] : out;
  }
  if (silent.has(kind) || isSecret(e)) return [];
  const value = fieldValue(e);
  return value === "" && !hasAttribute(e, "value") ? [] : ["value", value];
}

// liftedStyle keeps in sight what a script has put above the page.
function liftedStyle(e: Element, tag: string): string {
  if (tag === "dialog" && matches(e, ":modal")) {
    const veil = styleOf(e, "::backdrop").backgroundColor, shadow = styleOf(e).boxShadow;
    return `position:fixed;inset-block:0;z-index:2147483647;box-shadow:${shadow === "none" ? "" : `${shadow},`}0 0 0 200vmax ${veil}`;
  }
  if (hasAttribute(e, "popover") && matches(e, ":popover-open")) return `display:${styleOf(e).display};z-index:2147483647`;
  return "";
}

/** isMasked tells whether an element shows a value that must not be seen. */
export function isMasked(e: Element): boolean {
  return (isInput(e) || isTextArea(e)) && isSecret(e) && fieldValue(e) !== "";
}
