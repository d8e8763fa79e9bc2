import { durations, kinds } from "./grants";
import type { Duration, Grant, Kind, Scope, State } from "./grants";

// What was kept may be of another version: what is not understood is left out,
// so that less is allowed and never more.

/** field reads a property of what may be anything. */
export function field(x: unknown, key: string): unknown {
  return typeof x === "object" && x !== null ? Reflect.get(x, key) : undefined;
}

/** stateIn reads what was decided. */
export function stateIn(x: unknown): State {
  return {
    grants: list(field(x, "grants")).map(grantIn).filter((g) => g !== null),
    hidden: list(field(x, "hidden")).filter((t) => typeof t === "number"),
  };
}

function grantIn(x: unknown): Grant | null {
  const id = field(x, "id"), scope = scopeIn(field(x, "scope")), until = field(x, "until"), from = field(x, "from");
  if (typeof id !== "string" || scope === null || typeof from !== "string") return null;
  if (until !== null && typeof until !== "number") return null;
  return { id, scope, until, kept: field(x, "kept") === true, from };
}

function scopeIn(x: unknown): Scope | null {
  const kind = kindIn(field(x, "kind")), tab = field(x, "tab"), place = field(x, "place"), window = field(x, "window");
  if (kind === "all") return { kind };
  if (kind === "tab" && typeof tab === "number") return { kind, tab, places: list(field(x, "places")).filter((p) => typeof p === "string"), fresh: field(x, "fresh") === true };
  if (kind === "site" && typeof place === "string") return { kind, place, subdomains: field(x, "subdomains") === true };
  return kind === "window" && typeof window === "number" ? { kind, window } : null;
}

/** kindIn is what names a kind, or null. */
export function kindIn(x: unknown): Kind | null {
  return kinds.find((k) => k === x) ?? null;
}

/** durationIn is what names a duration, or null. */
export function durationIn(x: unknown): Duration | null {
  return durations.find((d) => d === x) ?? null;
}

/** list is what is an array, or an empty one. */
export function list(x: unknown): readonly unknown[] {
  return Array.isArray(x) ? x : [];
}
