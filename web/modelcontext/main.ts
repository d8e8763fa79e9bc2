import { getPrototypeOf, get } from "../shared/clean";
import { isOpen, open } from "./channel";
import { installContext } from "./context";
import { installEvents } from "./events";
import { follow, look } from "./forms";
import { wrap } from "./hints";
import { isObject } from "./idl";
import { installSubmit } from "./submit";

/** Options tell what to do in a document. */
export interface Options {
  /** key names the channel; no page may know it. */
  readonly key: string;
  /** polyfill: WebMCP is given to a document that lacks it. */
  readonly polyfill: boolean;
  /** hints: what pages say of their tools is noted, also where the browser drops it. */
  readonly hints: boolean;
}

/** install does it, once in a document and before any script of the page. */
export function install(options: Options): void {
  if (isOpen(options.key)) return;
  const native: unknown = get(document, "modelContext");
  const polyfill = options.polyfill && native === undefined;
  if (polyfill) {
    installEvents();
    installSubmit();
    installContext();
  }
  const check = open(options.key, {
    polyfill: options.polyfill,
    look: polyfill ? look : () => {
      // there are the browser's own tools of forms
    },
  });
  if (polyfill) follow(check);
  const proto: unknown = options.hints && isObject(native) ? getPrototypeOf(native) : undefined;
  if (isObject(proto)) wrap(proto);
}
