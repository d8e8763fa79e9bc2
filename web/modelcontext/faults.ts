import { method, toJSON } from "../shared/safe";
import { apply, DOMExceptionOf, ErrorOf, get, ProxyOf, PromiseOf, push, StringOf, Table, wellFormed } from "../shared/clean";
import { isObject } from "./idl";
import { outline } from "./values";

// What tools throw, which browsers do not tell those who call them.

const most = 8; // of one tool, that nobody has asked for
const faults = new Table<string, string[]>();
const then = method(PromiseOf.prototype, (p): ((done: undefined, failed: (e: unknown) => void) => unknown) => p.then);

/** thrown describes what was thrown, errors as the console does, in members of an object of JSON. */
export function thrown(e: unknown): string {
  let message = "";
  let kind = "value";
  try {
    if (e instanceof ErrorOf || e instanceof DOMExceptionOf) {
      kind = "error";
      message = `${StringOf(get(e, "name"))}: ${StringOf(get(e, "message"))}`;
    } else if (isObject(e)) message = outline(e);
    else {
      if (typeof e === "string") kind = "text";
      message = StringOf(e);
    }
  } catch {
    message = "what was thrown cannot be told";
  }
  return `"message":${toJSON(wellFormed(message))},"thrown":"${kind}"`;
}

function note(name: string, e: unknown): void {
  const had = faults.get(name) ?? [];
  faults.set(name, had);
  if (had.length < most) push(had, thrown(e));
}

/** listening is a function of the page, of which is noted what it throws. */
export function listening(f: (...args: unknown[]) => unknown, name: string): object {
  return new ProxyOf(f, {
    apply: (own, self, args) => {
      let r: unknown;
      try {
        r = apply(own, self, args);
      } catch (e) {
        note(name, e);
        throw e;
      }
      try {
        if (r instanceof PromiseOf) {
          then(r, undefined, (e) => {
            note(name, e);
          });
        }
      } catch {
        // the page has made something else of it
      }
      return r;
    },
  });
}

/** takeFault is the oldest fault of a tool that nobody has asked for, as members of an object of JSON. */
export function takeFault(name: string): string {
  const had = faults.get(name) ?? [], rest: string[] = [];
  for (let i = 1; i < had.length; i++) push(rest, had[i] ?? "");
  faults.set(name, rest);
  return had[0] ?? '"thrown":""';
}

/** forgetFaults forgets those of a tool. */
export function forgetFaults(name: string): void {
  faults.delete(name);
}
