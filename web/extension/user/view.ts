import type { Actions } from "./actions";
import type { BrowserTab } from "./api";
import type { Consent } from "./consent";
import type { Grant } from "./grants";
import type { About, Allowance } from "./messages";
import { hasSubdomains, hostOf, isSite, placeOf } from "./places";

// What the popup is shown of what was decided.

/** allowancesOf are those that bear on a tab, and all that reach beyond one. */
export function allowancesOf(consent: Consent, tab: number): readonly Allowance[] {
  const here = consent.grants(tab);
  const elsewhere = consent.wide().filter((g) => !here.includes(g));
  return [...here.map((g) => allowanceOf(g, true)), ...elsewhere.map((g) => allowanceOf(g, false))];
}

function allowanceOf(g: Grant, here: boolean): Allowance {
  const site = g.scope.kind === "site" ? g.scope : null;
  return { id: g.id, kind: g.scope.kind, place: site === null ? "" : hostOf(site.place), subdomains: site?.subdomains === true, until: g.until, kept: g.kept, here };
}

/** aboutOf is what there is to say about a tab. */
export function aboutOf(consent: Consent, actions: Actions, tab: BrowserTab, own: string): About | null {
  const { id } = tab;
  if (id === undefined) return null;
  const url = tab.url ?? "", place = placeOf(url), site = isSite(place), allowed = consent.allows(id);
  const reach = consent.grants(id);
  const mine = reach.find((g) => g.scope.kind === "tab");
  const places = mine !== undefined && mine.scope.kind === "tab" ? mine.scope.places : [];
  return {
    tab: id,
    title: tab.title ?? "",
    place: site ? hostOf(place) : url.startsWith("about:") || place === "" ? "" : place,
    site,
    subdomains: hasSubdomains(place),
    incognito: tab.incognito,
    own: url.startsWith(own),
    allowed,
    by: allowed ? longest(consent.covering(id))?.id ?? "" : "",
    hidden: !allowed && consent.isHidden(id),
    elsewhere: allowed ? [] : places.map(hostOf),
    actions: actions.of(id),
  };
}

// What is kept outlasts what ends with the browser, and that all that has an end.
function longest(grants: readonly Grant[]): Grant | undefined {
  const rank = (g: Grant): number => (g.kept ? Infinity : (g.until ?? Number.MAX_SAFE_INTEGER));
  return grants.reduce<Grant | undefined>((best, g) => (best === undefined || rank(g) > rank(best) ? g : best), undefined);
}
