import { parseJSON } from "../shared/safe";
import { dispatch, listen } from "../shared/safe-dom";
import { abort, AbortControllerOf, apply, isAborted, own, PromiseOf, reasonOf, signalOf, stringify, TypeErrorOf, unlisten, wellFormed } from "../shared/clean";
import { soon } from "./tasks";
import { activated, cancelled } from "./events";

import { Failed, type Tool, type Invoke } from "./tools";

/** failure is what Chrome says of whatever a tool of a script threw. */
export const failure = "Tool was executed but the invocation failed. For example, the script function threw an error";

/** ofScript makes a run of what a script registered. */
export function ofScript(execute: (...args: unknown[]) => unknown): Invoke {
  return async (input, run) => {
    let text: string;
    try {
      const pending = begun(run.began, () => apply(execute, undefined, [input, { signal: run.signal }]));
      text = asText(await pending);
    } catch (e) {
      throw new Failed(failure, true, e);
    }
    return text === "" ? "Operation succeeded" : text;
  };
}

function begun(began: () => void, f: () => unknown): unknown {
  try {
    return f();
  } finally {
    began();
  }
}

/** asText is what a value is as the answer of a tool. */
export function asText(v: unknown): string {
  if (typeof v === "symbol") throw new TypeErrorOf("Cannot convert a Symbol value to a string");
  if ((typeof v === "object" && v !== null) || typeof v === "function") {
    return wellFormed(stringify(v) ?? "undefined");
  }
  return wellFormed(`${v}`);
}

/** Watcher hears what happens in a run. */
export interface Watcher {
  waits?: () => void;
  left?: () => void;
}

/**
 * run runs a tool of the document with an input, given as JSON. When the
 * signal ends it first, it is rejected with the signal's reason, and the page
 * hears of it after that.
 */
export function run(context: EventTarget, tool: Tool, input: string, signal: AbortSignal | undefined, watcher: Watcher = {}): Promise<string> {
  const stop = new AbortControllerOf();
  return new PromiseOf((resolve, reject) => {
    let over = false;
    const end = (): void => {
      over = true;
      if (signal !== undefined) unlisten(signal, "abort", onAbort);
    };
    const onAbort = (): void => {
      if (signal === undefined || over) return;
      end();
      reject(reasonOf(signal));
      soon(() => {
        abort(stop);
        dispatch(context, cancelled(tool.name));
      });
    };
    if (signal !== undefined && isAborted(signal)) {
      over = true;
      reject(reasonOf(signal));
      return;
    }
    if (signal !== undefined) listen(signal, "abort", onAbort);
    const work = async (): Promise<void> => {
      try {
        const answer = await own(tool.invoke(parseJSON(input), {
          signal: signalOf(stop),
          began: () => {
            dispatch(context, activated(tool.name));
          },
          waits: () => {
            if (!over) watcher.waits?.();
          },
          left: () => {
            if (!over) watcher.left?.();
          },
        }));
        if (over) return;
        end();
        resolve(answer);
      } catch (e) {
        if (over) return;
        end();
        reject(e);
      }
    };
    soon(() => {
      if (!over) void work();
    });
  });
}
