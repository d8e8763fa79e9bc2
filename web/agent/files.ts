import type { FilesArgs, FilesReply } from "../shared/protocol.gen";
import { firstChild, getAttribute, hasAttribute, isElement, isInput, isLabel } from "../shared/safe-dom";
import { getter } from "../shared/safe";
import { kidsOf, nextKid } from "../shared/tree";
import { lineIn } from "./diff";
import { Fault } from "./faults";
import { anywhere, element, number } from "./refs";
import { isWidget, roleOf } from "./roles";

// Fields that take files, and what else may take them.

const filesOf = getter(HTMLInputElement.prototype, "files");
const mostNodes = 2000;

function isFileField(e: Element): e is HTMLInputElement {
  return isInput(e) && e.type === "file";
}

// fieldsIn are the file fields within e, shadow roots included.
function fieldsIn(e: Element): HTMLInputElement[] {
  const out: HTMLInputElement[] = [];
  let left = mostNodes;
  const walk = (p: Element): void => {
    const kids = kidsOf(p);
    for (let n = nextKid(kids); n !== null && left > 0; n = nextKid(kids)) {
      left--;
      if (!isElement(n)) continue;
      if (isFileField(n)) out.push(n);
      else if (firstChild(n) !== null || roleOf(n) === "generic") walk(n);
    }
  };
  walk(e);
  return out;
}

/** fileFieldOf is the file field that e is, labels or holds; null when there is none. */
export function fileFieldOf(e: Element): HTMLInputElement | null {
  if (isFileField(e)) return e;
  if (isLabel(e)) return e.control !== null && isFileField(e.control) ? e.control : null;
  const inside = fieldsIn(e);
  if (inside.length > 1) throw new Fault("invalid_arguments", `${lineIn(e, "")} holds ${String(inside.length)} file fields`, "name one of them, or the button that belongs to it");
  return inside[0] ?? null;
}

/** files tells how an element takes files. */
export function files(args: FilesArgs): FilesReply {
  const e = args.field === true ? anywhere(args.n) : element(args.n);
  const line = lineIn(e, args.prefix);
  const field = fileFieldOf(e);
  if (field === null) return { how: isWidget(roleOf(e)) ? "press" : "drop", line };
  return {
    how: "field", n: number(field), multiple: field.multiple, directory: hasAttribute(field, "webkitdirectory"),
    accept: getAttribute(field, "accept") ?? "", names: Array.from(filesOf(field) ?? [], (f) => f.name), line,
  };
}
