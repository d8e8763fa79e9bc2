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

// there is what stands at the name of the API, which may be of the page.
function there(): unknown {
  try {
    return get(document, "modelContext");
  } catch {
    return null;
  }
}

/**
 * install does it, once in a document: before any script of the page, or, with
 * neither polyfill nor hints, also later. What the page itself has put in the
 * place of the API is told of in any case.
 */
export function install(options: Options): void {
  if (isOpen(options.key)) return;
  const native = options.polyfill || options.hints ? there() : undefined;
  const polyfill = options.polyfill && native === undefined;
  if (polyfill) {
    installEvents();
    installSubmit();
    installContext();
  }
  const check = open(options.key, {
    alone: options.polyfill,
    look: polyfill ? look : () => {
      // there are the browser's own tools of forms
    },
  });
  if (polyfill) follow(check);
  const proto: unknown = options.hints && isObject(native) ? getPrototypeOf(native) : undefined;
  if (isObject(proto)) wrap(proto);
}
