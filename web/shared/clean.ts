import { getter, method } from "./safe";

// Copies of built-ins for scripts that share a world with the page, which may
// replace any of them later. Nothing here iterates by
// protocol, or calls a method on an object, unless it is one of these copies.

export const { apply, construct, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf, has } = Reflect;
export const { create, is } = Object;
export const { isArray } = Array;

const MapOf = Map;
const mapGet = method(Map.prototype, (p) => p.get);
const mapSet = method(Map.prototype, (p) => p.set);
const mapHas = method(Map.prototype, (p) => p.has);
const mapDelete = method(Map.prototype, (p) => p.delete);
const mapEach = method(Map.prototype, (p) => p.forEach);
const mapSize = getter(Map.prototype, "size");

/** Table is a Map that the page cannot reach. */
export class Table<K, V> {
  readonly #map = new MapOf<K, V>();

  get(key: K): V | undefined {
    const v: V | undefined = mapGet(this.#map, key);
    return v;
  }

  set(key: K, value: V): void {
    mapSet(this.#map, key, value);
  }

  has(key: K): boolean {
    return mapHas(this.#map, key);
  }

  delete(key: K): boolean {
    return mapDelete(this.#map, key);
  }

  get size(): number {
    return mapSize(this.#map);
  }

  each(f: (value: V, key: K) => void): void {
    mapEach(this.#map, f);
  }

  values(): V[] {
    const out: V[] = [];
    this.each((v) => {
      push(out, v);
    });
    return out;
  }
}

const WeakMapOf = WeakMap;
const weakGet = method(WeakMap.prototype, (p) => p.get);
const weakSet = method(WeakMap.prototype, (p) => p.set);

/** Notes keeps something about objects as long as they live. */
export class Notes<K extends object, V> {
  readonly #map = new WeakMapOf<K, V>();

  get(key: K): V | undefined {
    const v: V | undefined = weakGet(this.#map, key);
    return v;
  }

  set(key: K, value: V): void {
    weakSet(this.#map, key, value);
  }
}

const json = JSON.stringify;

/** stringify is toJSON of what the page gave, which may come to nothing. */
export function stringify(v: unknown): string | undefined {
  const text: unknown = json(v);
  return typeof text === "string" ? text : undefined;
}

/** isNothing tells undefined where a type denies it. */
export function isNothing(v: unknown): boolean {
  return v === undefined;
}

/** lend gives an object the members of another one: methods, getters and setters as an interface of the browser has them. */
export function lend(to: object, from: object): void {
  const keys = Reflect.ownKeys(from);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const d = key === undefined ? undefined : getOwnPropertyDescriptor(from, key);
    if (key !== undefined && d !== undefined) defineProperty(to, key, d);
  }
}

/** push adds to a list. */
export function push<T>(list: T[], value: T): void {
  list[list.length] = value;
}

/** joined is the texts of a list in one. */
export function joined(list: readonly string[], by: string): string {
  let out = "";
  for (let i = 0; i < list.length; i++) out += (i === 0 ? "" : by) + (list[i] ?? "");
  return out;
}

const sortOf = method(Array.prototype, (p) => p.sort);

/** inOrder sorts a list in place. */
export function inOrder<T>(list: T[], before: (a: T, b: T) => boolean): T[] {
  sortOf(list, (a: T, b: T) => (before(a, b) ? -1 : before(b, a) ? 1 : 0));
  return list;
}

export const PromiseOf = Promise;

/**
 * own makes a promise of ours one that can be awaited whatever the page has made
 * of the prototype of promises.
 */
export function own<T>(p: Promise<T>): Promise<T> {
  defineProperty(p, "constructor", { value: PromiseOf, configurable: true });
  return p;
}

export const AbortControllerOf = AbortController;
export const CustomEventOf = CustomEvent;
export const EventOf = Event;
export const EventTargetOf = EventTarget;
export const InputEventOf = InputEvent;
export const DOMExceptionOf = DOMException;
export const ErrorOf = Error;
export const TypeErrorOf = TypeError;
export const MutationObserverOf = MutationObserver;
export const ProxyOf = Proxy;
export const RegExpOf = RegExp;
export const URLOf = URL;
export const StringOf = String;

export const isAborted = getter(AbortSignal.prototype, "aborted");
export const reasonOf = getter(AbortSignal.prototype, "reason");
export const abort = method(AbortController.prototype, (p): (() => void) => p.abort);
export const signalOf = getter(AbortController.prototype, "signal");
export const detailOf = getter(CustomEvent.prototype, "detail");
export const targetOf = getter(Event.prototype, "target");
export const typeOf = getter(Event.prototype, "type");
export const isPrevented = getter(Event.prototype, "defaultPrevented");
export const prevent = method(Event.prototype, (p) => p.preventDefault);
export const unlisten = method(EventTarget.prototype, (p) => p.removeEventListener);
export const protocolOf = getter(URL.prototype, "protocol");
export const hostnameOf = getter(URL.prototype, "hostname");
export const originOf = getter(URL.prototype, "origin");
export const codeAt = method(String.prototype, (p) => p.charCodeAt);
export const cut = method(String.prototype, (p) => p.slice);
export const contains = method(String.prototype, (p): ((part: string) => boolean) => p.includes);
export const trim = method(String.prototype, (p) => p.trim);
export const endsIn = method(String.prototype, (p): ((end: string) => boolean) => p.endsWith);
export const startsIn = method(String.prototype, (p): ((start: string) => boolean) => p.startsWith);
export const lower = method(String.prototype, (p) => p.toLowerCase);
export const { abs, round } = Math;
export const { isFinite: finite } = Number;

/** wellFormed is a text with something in place of halves of characters. */
export function wellFormed(s: string): string {
  let out = "";
  let from = 0;
  for (let i = 0; i < s.length; i++) {
    const c = codeAt(s, i);
    if (c < 0xd800 || c > 0xdfff) continue;
    const next = c < 0xdc00 && i + 1 < s.length ? codeAt(s, i + 1) : 0;
    if (next >= 0xdc00 && next <= 0xdfff) {
      i++;
      continue;
    }
    out += `${cut(s, from, i)}\ufffd`;
    from = i + 1;
  }
  return from === 0 ? s : out + cut(s, from);
}
