import { getOwnPropertyDescriptor, getPrototypeOf, get } from "../shared/clean";
import { isOpen, open } from "./channel";
import { installContext } from "./context";
import { installEvents } from "./events";
import { ofBrowser } from "./foreign";
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
  /** faults: what tools of the browser's own WebMCP throw is noted. */
  readonly faults: boolean;
}

// there is what stands at the name of the API, which may be of the page.
function there(): unknown {
  try {
    return get(document, "modelContext");
  } catch {
    return null;
  }
}

// hasNative tells whether the browser has WebMCP, also where it keeps it from a
// document: this comes with it everywhere.
function hasNative(): boolean {
  return ofBrowser(getOwnPropertyDescriptor(SubmitEvent.prototype, "agentInvoked")?.get);
}

/**
 * install does it, once in a document: before any script of the page, or, with
 * neither polyfill nor hints, also later. What the page itself has put in the
 * place of the API is told of in any case.
 */
export function install(options: Options): void {
  if (isOpen(options.key)) return;
  const native = options.polyfill || options.hints || options.faults ? there() : undefined;
  const alone = options.polyfill && !hasNative();
  const polyfill = alone && native === undefined;
  if (polyfill) {
    installEvents();
    installSubmit();
    installContext();
  }
  const check = open(options.key, {
    alone,
    look: polyfill ? look : () => {
      // there are the browser's own tools of forms
    },
  });
  if (polyfill) follow(check);
  const proto: unknown = !alone && (options.hints || options.faults) && isObject(native) ? getPrototypeOf(native) : undefined;
  if (isObject(proto)) wrap(proto, options.hints, options.faults);
}
