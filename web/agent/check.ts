import type { CheckArgs, CheckReply } from "../shared/protocol.gen";
import { getAttribute, isInput, isTextArea, localName, queryAll, textContent, top } from "../shared/safe-dom";
import { clean } from "../shared/quote";
import { metRoots } from "../shared/tree";
import { lineIn } from "./diff";
import { Fault } from "./faults";
import { isCheck } from "./fields";
import { proxiesOf } from "./aim";
import { element } from "./refs";
import { textOf } from "./text";
import { isSecret } from "./secrets";
import { current, isDisabled } from "./values";
import { isShown } from "./visible";

// Testing the conditions that somebody waits for.

/** check tests one condition. */
export function check(args: CheckArgs): CheckReply {
  if (args.n !== undefined && args.n !== 0) return checkElement(args, args.n);
  if (args.text !== undefined && args.text !== "") return { met: says(args.text) };
  if (args.gone !== undefined && args.gone !== "") return { met: !says(args.gone) };
  throw new Fault("invalid_arguments", "no condition is given", "give text, gone, or an element and a state");
}

function checkElement(args: CheckArgs, n: number): CheckReply {
  const state = args.state ?? "";
  let e: Element;
  try {
    e = element(n);
  } catch (err) {
    if (state === "gone" || state === "hidden") return { met: true, detail: `${args.prefix}e${String(n)} is not on the page any more` };
    throw err;
  }
  const detail = lineIn(e, args.prefix);
  const seen = (): boolean => isShown(e) || proxiesOf(e).some(isShown);
  switch (state) {
    case "visible":
      return { met: seen(), detail };
    case "hidden":
      return { met: !seen(), detail };
    case "enabled":
      return { met: !isDisabled(e), detail };
    case "disabled":
      return { met: isDisabled(e), detail };
    case "checked":
    case "unchecked":
      if (!isCheck(e)) throw new Fault("invalid_arguments", `${detail} is neither checked nor unchecked`, "wait for visible, hidden, enabled, disabled or gone");
      return { met: (current(e) === "true") === (state === "checked"), detail };
    case "gone":
      return { met: false, detail };
  }
  throw new Fault("invalid_arguments", `${state} is not a state to wait for`, "states are visible, hidden, enabled, disabled, checked, unchecked, gone");
}

// says tells whether a text can be read on the page. Most pages that do not
// have it are told from the text of their nodes, without regard to looks.
function says(wanted: string): boolean {
  const root = top();
  if (root === null) return false;
  const text = clean(wanted);
  const words = text.split(" ").sort((a, b) => b.length - a.length);
  const longest = words[0] ?? "";
  const inFields = [...queryAll(root, "input,textarea,select,[alt],[title]")];
  const rough = (textContent(root) ?? "").includes(longest);
  const field = (e: Element): boolean => (isInput(e) || isTextArea(e)) && !isSecret(e) && clean(e.value).includes(text);
  if (!rough && !shadowed(root) && !inFields.some((e) => current(e).includes(longest) || (getAttribute(e, "alt") ?? "").includes(longest))) return false;
  if (inFields.some((e) => field(e) && isShown(e))) return true;
  return clean(textOf(root).text.replace(/\s+/g, " ")).includes(text);
}

// shadowed tells whether there may be text that is in no node of the document.
function shadowed(root: Element): boolean {
  if (metRoots().length > 0) return true;
  for (const e of queryAll(root, ":defined")) if (localName(e).includes("-")) return true;
  return queryAll(root, "slot").length > 0;
}
