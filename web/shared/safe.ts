// Copies of built-ins, taken when the agent starts. The page can neither
// replace them afterwards nor hide them behind named properties: a field
// called "parentNode" shadows form.parentNode in every world.

const { apply, getOwnPropertyDescriptor } = Reflect;

/** method makes a function of a prototype's method; the receiver comes first. */
export function method<T, A extends readonly unknown[], R>(proto: T, pick: (p: T) => (...args: A) => R): (self: T, ...args: A) => R {
  const f = pick(proto);
  return (self, ...args) => apply(f, self, args);
}

/** getter makes a function of a prototype's getter. */
export function getter<T extends object, K extends keyof T>(proto: T, key: K): (self: T) => T[K] {
  const get = getOwnPropertyDescriptor(proto, key)?.get;
  if (get === undefined) throw new TypeError(`no getter ${String(key)}`);
  return (self) => apply(get, self, []);
}

/** setter makes a function of a prototype's setter. */
export function setter<T extends object, K extends keyof T>(proto: T, key: K): (self: T, value: T[K]) => void {
  const set = getOwnPropertyDescriptor(proto, key)?.set;
  if (set === undefined) throw new TypeError(`no setter ${String(key)}`);
  return (self, value) => {
    apply(set, self, [value]);
  };
}

/**
 * brand makes a test for objects of a kind. What was met first in a document
 * around this one is of that one's realm, which has classes of its own: so it
 * is asked, not compared.
 */
export function brand<T extends object>(proto: T, key: keyof T): (x: unknown) => x is T {
  const get = getOwnPropertyDescriptor(proto, key)?.get;
  if (get === undefined) throw new TypeError(`no getter ${String(key)}`);
  return (x): x is T => {
    try {
      apply(get, x, []);
      return true;
    } catch {
      return false;
    }
  };
}

export const { parse: parseJSON, stringify: toJSON } = JSON;

const clock = performance;
const nowOf = method(Performance.prototype, (p) => p.now);

/** now is in milliseconds, on the clock of Event.timeStamp. */
export function now(): number {
  return nowOf(clock);
}
