// Where a tab is, as far as consent goes.

/**
 * placeOf is what consent knows of an address: the origin of a web page, "" for
 * one with nothing on it, and for all else as much as tells one thing from the
 * next. It is never told to anybody.
 */
export function placeOf(url: string): string {
  if (url === "" || /^about:(blank|srcdoc)([?#]|$)/i.test(url)) return "";
  const u = parsed(url);
  if (u === null) return url;
  if (u.origin !== "null" && /^(https?|wss?|blob):$/.test(u.protocol)) return u.origin;
  return u.host === "" ? `${u.protocol}${u.pathname}` : `${u.protocol}//${u.host}`;
}

/** isSite tells whether there may be a site at a place that can be allowed as one. */
export function isSite(place: string): boolean {
  return /^https?:\/\//.test(place);
}

/** hostOf is the host of a site, with its port, for a person to read. */
export function hostOf(place: string): string {
  return parsed(place)?.host ?? place;
}

/** hasSubdomains tells whether a site can have any. */
export function hasSubdomains(place: string): boolean {
  const host = parsed(place)?.hostname ?? "";
  return isSite(place) && host.includes(".") && !isAddress(host);
}

/** same tells whether two places are one site: the same origin, "www." aside. */
export function same(a: string, b: string): boolean {
  return a === b || (isSite(a) && isSite(b) && bare(a) === bare(b));
}

/** below tells whether a place is that of a site, or of a subdomain of it. */
export function below(place: string, site: string): boolean {
  if (same(place, site)) return true;
  const p = parsed(place), s = parsed(site);
  if (p === null || s === null || !hasSubdomains(site)) return false;
  return p.protocol === s.protocol && p.port === s.port && p.hostname.endsWith(`.${s.hostname}`);
}

function bare(place: string): string {
  // What is left must still be a domain, not all of one's registry.
  return place.replace(/^(https?:\/\/)www\.(?=[^.]+\.)/, "$1");
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || /^[\d.]+$/.test(host);
}

function parsed(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
