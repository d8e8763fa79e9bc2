import { composedPath, isElement, isInput, listen } from "../shared/safe-dom";
import { method, now } from "../shared/safe";
import { lastGiven } from "./given";
import { number } from "./refs";

// Choosers of files that a page opens when the agent presses something: nobody
// would answer them, so they are kept closed.

const preventDefault = method(Event.prototype, (e) => e.preventDefault);
const since = 2000; // ms after input in which a chooser is taken for its consequence

let chosen: WeakRef<Element> | undefined;
let listening = false;

/** catchChoosers keeps choosers closed from now on, as far as input by script asks for them. */
export function catchChoosers(): void {
  chosen = undefined;
  if (listening) return;
  listening = true;
  listen(window, "click", (e) => {
    const field = composedPath(e)[0];
    if (e.isTrusted || now() - lastGiven() > since || !isElement(field) || !isInput(field) || field.type !== "file" || field.disabled) return;
    preventDefault(e);
    chosen = new WeakRef(field);
  }, { capture: true, passive: false });
}

/** chooser is the number of the field for which one was asked, 0 for none. */
export function chooser(): number {
  const e = chosen?.deref();
  return e === undefined ? 0 : number(e);
}
