import type { None, VeilArgs } from "../shared/protocol.gen";
import { firstChild, hasAttribute, isElement, isHTML, nextSibling, removeAttribute, top } from "../shared/safe-dom";
import { rootIn } from "../shared/tree";
import { isMasked } from "./archive-attributes";

// A veil over secrets, for as long as somebody pictures the page: their
// characters are drawn as dots.

interface Before {
  readonly styled: boolean; // it had a style attribute
  readonly value: string;
  readonly priority: string;
}

const veiled = new Map<HTMLElement, Before>();
const property = "-webkit-text-security";

/** veil covers the fields with secrets, or shows them as they were. */
export function veil(args: VeilArgs): None {
  for (const [e, was] of veiled) {
    if (was.value === "") e.style.removeProperty(property);
    else e.style.setProperty(property, was.value, was.priority);
    // Asked for first, since only then the browser takes the attribute away.
    if (!was.styled && hasAttribute(e, "style") && e.style.length === 0) removeAttribute(e, "style");
  }
  veiled.clear();
  const root = top();
  if (!args.on || root === null) return {};
  const stack: (Node | null)[] = [root];
  while (stack.length > 0) {
    const n = stack.pop() ?? null;
    if (n === null) continue;
    if (n !== root) stack.push(nextSibling(n));
    if (!isElement(n)) continue;
    if (isHTML(n) && isMasked(n)) {
      veiled.set(n, { styled: hasAttribute(n, "style"), value: n.style.getPropertyValue(property), priority: n.style.getPropertyPriority(property) });
      n.style.setProperty(property, "disc", "important");
      continue;
    }
    stack.push(firstChild(n));
    const shadow = rootIn(n);
    if (shadow !== null) stack.push(firstChild(shadow));
  }
  return {};
}
