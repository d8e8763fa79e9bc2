import { below, isSite, placeOf, same } from "./places";

// What the owner of the browser has allowed, and what follows from it: functions
// without effects, of which consent.ts keeps the state.

/** Durations are how long a person can allow something. */
export const durations = ["quarter", "hour", "session", "withdrawn"] as const;
export type Duration = (typeof durations)[number];

/** Kind is how much is allowed at once. */
export const kinds = ["tab", "site", "window", "all"] as const;
export type Kind = (typeof kinds)[number];

/** Scope is what a grant allows. Only that of a tab reaches into private browsing. */
export type Scope =
  // Places are where the tab may be seen. A fresh one may be seen wherever it goes first.
  | { readonly kind: "tab"; readonly tab: number; readonly places: readonly string[]; readonly fresh: boolean }
  | { readonly kind: "site"; readonly place: string; readonly subdomains: boolean }
  | { readonly kind: "window"; readonly window: number }
  | { readonly kind: "all" };

/** Grant is in force until a time, or (null) until it is withdrawn or the browser closes. */
export interface Grant {
  readonly id: string;
  readonly scope: Scope;
  readonly until: number | null;
  readonly kept: boolean; // also when the browser has closed
  readonly from: string; // the grant that it follows from and ends with, or ""
}

/** Tab is what consent needs to know of one. */
export interface Tab {
  readonly id: number;
  readonly window: number;
  readonly url: string;
  readonly incognito: boolean;
}

/** State is all that was decided. Hidden are tabs that stay private whatever else is allowed. */
export interface State {
  readonly grants: readonly Grant[];
  readonly hidden: readonly number[];
}

export const nothing: State = { grants: [], hidden: [] };

// More places than these of one tab are forgotten, the oldest first.
const most = 32;

const minute = 60_000;

/** untilOf is when what is allowed now ends. */
export function untilOf(duration: Duration, now: number): number | null {
  if (duration === "quarter") return now + 15 * minute;
  return duration === "hour" ? now + 60 * minute : null;
}

/** grantFor is what a person allows while looking at a tab, null when that cannot be. */
export function grantFor(id: string, kind: Kind, tab: Tab, subdomains: boolean, duration: Duration, now: number): Grant | null {
  const scope = scopeFor(kind, tab, subdomains);
  if (scope === null) return null;
  const kept = duration === "withdrawn" && (kind === "site" || kind === "all");
  return { id, scope, until: untilOf(duration, now), kept, from: "" };
}

function scopeFor(kind: Kind, tab: Tab, subdomains: boolean): Scope | null {
  const place = placeOf(tab.url);
  if (kind === "tab") return { kind, tab: tab.id, places: place === "" ? [] : [place], fresh: place === "" };
  if (tab.incognito) return null;
  if (kind === "site") return isSite(place) ? { kind, place, subdomains } : null;
  return kind === "window" ? { kind, window: tab.window } : { kind };
}

/** grant adds what a person allowed while looking at a tab, which is private no more. */
export function grant(s: State, g: Grant, tab: number): State {
  const rest = s.grants.filter((o) => !sameScope(o.scope, g.scope));
  const gone = s.grants.filter((o) => sameScope(o.scope, g.scope)).map((o) => o.id);
  const heirs = rest.map((o) => (gone.includes(o.from) ? { ...o, from: g.id } : o));
  return { grants: [...heirs, g], hidden: s.hidden.filter((t) => t !== tab) };
}

function sameScope(a: Scope, b: Scope): boolean {
  if (a.kind === "tab") return b.kind === "tab" && a.tab === b.tab;
  if (a.kind === "site") return b.kind === "site" && a.place === b.place && a.subdomains === b.subdomains;
  return a.kind === "window" ? b.kind === "window" && a.window === b.window : b.kind === "all";
}

/** withdraw ends a grant, and all that follows from it. */
export function withdraw(s: State, id: string): State {
  return orphanless({ ...s, grants: s.grants.filter((g) => g.id !== id) });
}

/** hide makes a tab private, whatever else is allowed. */
export function hide(s: State, tab: number): State {
  const grants = s.grants.filter((g) => g.scope.kind !== "tab" || g.scope.tab !== tab);
  return orphanless({ grants, hidden: s.hidden.includes(tab) ? s.hidden : [...s.hidden, tab] });
}

/** closed forgets a tab. */
export function closed(s: State, tab: number): State {
  const own = s.grants.some((g) => g.scope.kind === "tab" && g.scope.tab === tab);
  if (!own && !s.hidden.includes(tab)) return s;
  // What the tab has opened stays with what it has opened it by.
  let grants = s.grants;
  for (const g of s.grants) {
    if (g.scope.kind !== "tab" || g.scope.tab !== tab) continue;
    grants = grants.filter((o) => o.id !== g.id).map((o) => (o.from === g.id ? { ...o, from: g.from } : o));
  }
  return { grants, hidden: s.hidden.filter((t) => t !== tab) };
}

/** renumber gives a tab another number. */
export function renumber(s: State, tab: number, by: number): State {
  return {
    grants: s.grants.map((g) => (g.scope.kind === "tab" && g.scope.tab === tab ? { ...g, scope: { ...g.scope, tab: by } } : g)),
    hidden: s.hidden.map((t) => (t === tab ? by : t)),
  };
}

/** emptied ends what was allowed for a window that was closed. */
export function emptied(s: State, window: number): State {
  const grants = s.grants.filter((g) => g.scope.kind !== "window" || g.scope.window !== window);
  return grants.length === s.grants.length ? s : orphanless({ ...s, grants });
}

/** expire ends the grants whose time has come. */
export function expire(s: State, now: number): State {
  const grants = s.grants.filter((g) => g.until === null || g.until > now);
  return grants.length === s.grants.length ? s : orphanless({ ...s, grants });
}

/** nextEnd is when the next grant ends, null for never. */
export function nextEnd(s: State): number | null {
  let at: number | null = null;
  for (const g of s.grants) if (g.until !== null && (at === null || g.until < at)) at = g.until;
  return at;
}

function orphanless(s: State): State {
  const grants = s.grants.filter((g) => g.from === "" || s.grants.some((o) => o.id === g.from));
  return grants.length === s.grants.length ? s : orphanless({ ...s, grants });
}

/** covering is the first grant by which a tab may be seen at an address, or undefined. */
export function covering(s: State, tab: Tab, url: string, now: number): Grant | undefined {
  if (s.hidden.includes(tab.id)) return undefined;
  const place = placeOf(url);
  return s.grants.find((g) => (g.until === null || g.until > now) && covers(g.scope, tab, place));
}

function covers(scope: Scope, tab: Tab, place: string): boolean {
  if (scope.kind === "tab") return scope.tab === tab.id && (place === "" || scope.places.some((p) => same(p, place)));
  if (tab.incognito) return false;
  if (scope.kind === "site") return scope.subdomains ? below(place, scope.place) : same(place, scope.place);
  return scope.kind === "window" ? scope.window === tab.window : true;
}

/**
 * follow lets a tab be seen where it has gone, which was not its user's doing:
 * an agent led it there, or it is a fresh one. By is the grant by which it was
 * seen before.
 */
export function follow(s: State, tab: Tab, url: string, by: Grant, id: string): State {
  const place = placeOf(url);
  const own = s.grants.find((g) => g.scope.kind === "tab" && g.scope.tab === tab.id);
  if (place === "") return s;
  if (own === undefined) return { ...s, grants: [...s.grants, { id, scope: { kind: "tab", tab: tab.id, places: [place], fresh: false }, until: by.until, kept: false, from: by.id }] };
  return { ...s, grants: s.grants.map((g) => (g === own ? moved(g, place) : g)) };
}

function moved(g: Grant, place: string): Grant {
  if (g.scope.kind !== "tab") return g;
  const places = g.scope.places.filter((p) => p !== place).slice(1 - most);
  return { ...g, scope: { ...g.scope, places: [...places, place], fresh: false } };
}

/** opened lets a new tab be seen: one that an agent opened (by is null), or that the page of an allowed tab did. */
export function opened(s: State, tab: Tab, by: Grant | null, id: string): State {
  const scope: Scope = { kind: "tab", tab: tab.id, places: [], fresh: true };
  return { ...s, grants: [...s.grants, { id, scope, until: by?.until ?? null, kept: false, from: by?.id ?? "" }] };
}
