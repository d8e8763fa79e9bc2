import type { Action } from "./actions";
import { durationIn, field, kindIn } from "./decode";
import type { Duration, Kind } from "./grants";
import type { Settings } from "./settings";

// What the popup says to the background, and what it is answered.

/** Ask is all that the popup can say. Each is answered with a View. */
export type Ask =
  | { readonly kind: "look"; readonly tab: number }
  | { readonly kind: "allow"; readonly tab: number; readonly what: Kind; readonly subdomains: boolean; readonly duration: Duration }
  | { readonly kind: "hide"; readonly tab: number }
  | { readonly kind: "withdraw"; readonly tab: number; readonly grant: string }
  | { readonly kind: "raise"; readonly tab: number; readonly up: boolean }
  | { readonly kind: "set"; readonly tab: number; readonly change: Partial<Settings> }
  | { readonly kind: "pair"; readonly tab: number }
  | { readonly kind: "reconnect"; readonly tab: number };

/** Stir is what the background tells popups when a View would be another now. */
export const stir = "drawbridge.stir";

/** Connection is how it stands with the drawbridge, as it is. */
export type Connection =
  | { readonly is: "connecting" }
  | { readonly is: "connected"; readonly to: string; readonly since: number }
  | { readonly is: "refused"; readonly why: string }
  | { readonly is: "absent" } // nothing answers at the address
  | { readonly is: "unpaired" } // it has no token
  | { readonly is: "pairing"; readonly code: string; readonly until: number };

/** Allowance is one of the things that were allowed. */
export interface Allowance {
  readonly id: string;
  readonly kind: Kind;
  readonly place: string; // the host of a site, "" for the rest
  readonly subdomains: boolean;
  readonly until: number | null;
  readonly kept: boolean;
  readonly here: boolean; // it bears on the tab
}

/** About is what the popup shows of the tab that it is about. */
export interface About {
  readonly tab: number;
  readonly title: string;
  readonly place: string; // for a person
  readonly site: boolean; // there is a site that can be allowed
  readonly subdomains: boolean; // and it may have some
  readonly incognito: boolean;
  readonly own: boolean; // a page of ours, which is never allowed
  readonly allowed: boolean;
  readonly by: string; // the allowance by which it is allowed for longest, "" for none
  readonly hidden: boolean; // made private though something else allows it
  readonly elsewhere: readonly string[]; // hosts on which the tab is allowed, while it is not here
  readonly actions: readonly Action[];
}

/** View is all that the popup shows. */
export interface View {
  readonly connection: Connection;
  readonly address: string; // where the drawbridge is
  readonly up: boolean;
  readonly throwAway: boolean;
  readonly about: About | null; // null where there is no such tab
  readonly allowances: readonly Allowance[];
  readonly settings: Settings;
  readonly canFull: boolean; // the browser has full power to give
  readonly engine: "chromium" | "firefox";
}

/** isView tells whether a reply is one. */
export function isView(x: unknown): x is View {
  return field(x, "connection") !== undefined && field(x, "settings") !== undefined;
}

/** askIn is what a message asks, or null for one that is none of the popup's. */
export function askIn(x: unknown): Ask | null {
  const kind = field(x, "kind"), tab = field(x, "tab");
  if (typeof tab !== "number") return null;
  switch (kind) {
    case "look":
    case "hide":
    case "pair":
    case "reconnect":
      return { kind, tab };
    case "raise":
      return { kind, tab, up: field(x, "up") === true };
    case "withdraw": {
      const grant = field(x, "grant");
      return typeof grant === "string" ? { kind, tab, grant } : null;
    }
    case "allow": {
      const what = kindIn(field(x, "what")), duration = durationIn(field(x, "duration"));
      return what === null || duration === null ? null : { kind, tab, what, subdomains: field(x, "subdomains") === true, duration };
    }
    case "set":
      return { kind, tab, change: changeIn(field(x, "change")) };
    default:
      return null;
  }
}

function changeIn(x: unknown): Partial<Settings> {
  const name = field(x, "name"), marks = field(x, "marks"), full = field(x, "full"), duration = durationIn(field(x, "duration"));
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof marks === "boolean" ? { marks } : {}),
    ...(typeof full === "boolean" ? { full } : {}),
    ...(duration === null ? {} : { duration }),
  };
}
