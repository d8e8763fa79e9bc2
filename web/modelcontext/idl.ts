import { brand } from "../shared/safe";
import { DOMExceptionOf, endsIn, get, getPrototypeOf, hostnameOf, originOf, protocolOf, push, startsIn, TypeErrorOf, URLOf, wellFormed } from "../shared/clean";

// What a browser does to the arguments of a method before it runs: in the same
// order, with the same words.

/** Call names a method in what is thrown. */
export class Call {
  readonly #what: string;

  constructor(what: string) {
    this.#what = `${what}: `;
  }

  bad(why: string): TypeError {
    return new TypeErrorOf(this.#what + why);
  }

  refused(why: string): DOMException {
    return new DOMExceptionOf(this.#what + why, "InvalidStateError");
  }

  /** needs refuses too few arguments. */
  needs(count: number, given: number): void {
    if (given < count) throw this.bad(`${count} argument${count === 1 ? "" : "s"} required, but only ${given} present.`);
  }

  /** again says of a failure within that it was one of this call. */
  again(e: unknown): unknown {
    if (typeof e !== "object" || e === null || getPrototypeOf(e) !== TypeErrorOf.prototype) return e;
    const message: unknown = get(e, "message");
    return typeof message === "string" ? this.bad(message) : e;
  }
}

/** calling is the call of a method. */
export function calling(method: string, of = "ModelContext"): Call {
  return new Call(`Failed to execute '${method}' on '${of}'`);
}

/** isObject tells objects and functions. */
export function isObject(v: unknown): v is object {
  return (typeof v === "object" && v !== null) || typeof v === "function";
}

/** Dictionary reads the members of an object, which may have none. */
export class Dictionary {
  readonly #call: Call;
  readonly #name: string;
  readonly #from: object | undefined;

  constructor(call: Call, name: string, v: unknown, required: boolean) {
    this.#call = call;
    this.#name = name;
    if (isObject(v)) this.#from = v;
    else if (required || (v !== undefined && v !== null)) throw call.bad(`The provided value is not of type '${name}'.`);
  }

  bad(key: string, why: string): TypeError {
    return this.#call.bad(`Failed to read the '${key}' property from '${this.#name}': ${why}`);
  }

  #read(key: string, required: boolean): unknown {
    const v: unknown = this.#from === undefined ? undefined : get(this.#from, key);
    if (v === undefined && required) throw this.bad(key, "Required member is undefined.");
    return v;
  }

  any(key: string): unknown {
    return this.#read(key, false);
  }

  text(key: string, required: boolean): string | undefined {
    const v = this.#read(key, required);
    if (v === undefined) return undefined;
    if (typeof v === "symbol") throw this.bad(key, "Cannot convert a Symbol value to a string");
    return `${v}`;
  }

  dictionary(key: string, name: string): Dictionary | undefined {
    const v = this.#read(key, false);
    if (v === undefined) return undefined;
    if (v !== null && !isObject(v)) throw this.bad(key, `The provided value is not of type '${name}'.`);
    return new Dictionary(this.#call, name, v, false);
  }

  object(key: string): object | undefined {
    const v = this.#read(key, false);
    if (v === undefined || isObject(v)) return v;
    throw this.bad(key, "Failed to convert value to 'object'.");
  }

  flag(key: string): boolean {
    return !!this.#read(key, false);
  }

  callable(key: string): (...args: unknown[]) => unknown {
    const v = this.#read(key, true);
    if (!isCallable(v)) throw this.bad(key, "The given value is not a function.");
    return v;
  }

  signal(key: string): AbortSignal | undefined {
    const v = this.#read(key, false);
    if (v === undefined || isSignal(v)) return v;
    throw this.bad(key, "Failed to convert value to 'AbortSignal'.");
  }

  texts(key: string): string[] | undefined {
    const v = this.#read(key, false);
    if (v === undefined) return undefined;
    if (!isObject(v)) throw this.bad(key, "The provided value cannot be converted to a sequence.");
    if (!isIterable(v)) throw this.bad(key, "The object must have a callable @@iterator property.");
    const out: string[] = [];
    for (const one of v) push(out, wellFormed(`${one}`));
    return out;
  }
}

export function isCallable(v: unknown): v is (...args: unknown[]) => unknown {
  return typeof v === "function";
}

function isIterable(v: object): v is Iterable<unknown> {
  return typeof get(v, Symbol.iterator) === "function";
}

const isSignal = brand(AbortSignal.prototype, "aborted");

/** isTrustworthy tells whether an address is of an origin that is potentially trustworthy. */
export function isTrustworthy(address: string): boolean {
  let url: URL;
  try {
    url = new URLOf(address);
  } catch {
    return false;
  }
  const scheme = protocolOf(url);
  if (scheme === "https:" || scheme === "wss:" || scheme === "file:") return true;
  if (scheme !== "http:" && scheme !== "ws:") return false;
  const host = hostnameOf(url);
  return host === "localhost" || host === "[::1]" || endsIn(host, ".localhost") || startsIn(host, "127.");
}

/** originIn is the origin of an address, "" when it has none of its own. */
export function originIn(address: string): string {
  try {
    const origin = originOf(new URLOf(address));
    return origin === "null" ? "" : origin;
  } catch {
    return "";
  }
}
