import type { About, Allowance, Connection } from "../user/messages";

// What the popup says.

/** leftOf is how long it is until a time, for a person. */
export function leftOf(until: number, now: number): string {
  const minutes = Math.ceil((until - now) / 60_000);
  if (minutes <= 1) return "for less than a minute";
  return minutes < 60 ? `for ${String(minutes)} more minutes` : "for 1 more hour";
}

/** clock is a countdown: "1:07". */
export function clock(until: number, now: number): string {
  const s = Math.max(0, Math.ceil((until - now) / 1000));
  return `${String(Math.floor(s / 60))}:${String(s % 60).padStart(2, "0")}`;
}

/** endOf is when something allowed ends. */
export function endOf(a: Allowance, now: number): string {
  if (a.until !== null) return leftOf(a.until, now);
  if (a.kept) return "until you withdraw it";
  if (a.kind === "tab") return "until the tab is closed";
  return a.kind === "window" ? "until the window is closed" : "until the browser closes";
}

/** scopeOf is what was allowed. */
export function scopeOf(a: Allowance): string {
  switch (a.kind) {
    case "tab": return "This tab";
    case "site": return a.subdomains ? `${a.place} and its subdomains` : a.place;
    case "window": return a.here ? "This window" : "A window";
    case "all": return "Every tab";
  }
}

/** connectionOf is how it stands with the drawbridge, in a few words. */
export function connectionOf(c: Connection, time: (t: number) => string): string {
  switch (c.is) {
    case "connecting": return "Connecting …";
    case "connected": return `Connected to ${c.to} since ${time(c.since)}`;
    case "refused": return "Refused";
    case "absent": return "Not running";
    case "unpaired": return "Not paired";
    case "pairing": return "Pairing";
  }
}

/** Help is what there is to do about a connection that there is none. */
export interface Help {
  readonly title: string;
  readonly text: string;
  readonly code: string;
  readonly command: string;
  readonly act: string;
}

/** helpOf is what to do, null when there is nothing. */
export function helpOf(c: Connection, address: string): Help | null {
  switch (c.is) {
    case "refused": return { title: "drawbridge refused this browser", text: sentence(c.why), code: "", command: "", act: "Pair again" };
    case "absent": return { title: "drawbridge is not running", text: `Nothing answers at ${address}. It starts with your agent, or by hand:`, code: "", command: "drawbridge serve", act: "Try again" };
    case "unpaired": return { title: "Pair this browser", text: "drawbridge does not know this browser yet. Pairing shows a code that you confirm in a terminal.", code: "", command: "", act: "Show a code" };
    case "pairing": return { title: "Confirm this code", text: "Run this in a terminal on this computer:", code: `${c.code.slice(0, 3)} ${c.code.slice(3)}`, command: `drawbridge pair ${c.code}`, act: "" };
    default: return null;
  }
}

function sentence(text: string): string {
  const t = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(t) ? t : `${t}.`;
}

/** stateOf is whether agents may see the tab: a word, and what more there is to say. */
export function stateOf(a: About, allowances: readonly Allowance[], throwAway: boolean, now: number): { readonly word: string; readonly more: string } {
  if (a.own) return { word: "Private.", more: "Agents never see pages of this extension." };
  if (throwAway) return { word: "Allowed.", more: "This browser was started for agents: they see every tab." };
  if (a.allowed) {
    const by = allowances.find((x) => x.id === a.by);
    return { word: "Allowed.", more: `Agents can see and use it${by === undefined ? "" : ` ${endOf(by, now)}`}.` };
  }
  if (a.hidden) return { word: "Private.", more: "You have made it private, whatever else is allowed." };
  if (a.elsewhere.length > 0) return { word: "Private here.", more: `This tab is allowed on ${a.elsewhere.join(", ")} only.` };
  return { word: "Private.", more: "Agents cannot see that it is there." };
}

/** fullOf explains full power. */
export function fullOf(engine: "chromium" | "firefox", can: boolean): string {
  if (engine === "firefox") return "Firefox has no debugger for extensions, so there is nothing to switch on.";
  if (!can) return "This browser has no debugger for extensions.";
  return "Real clicks and keys, pictures of hidden tabs and whole pages, code in any page. While it is in use, the browser shows a bar saying that drawbridge is debugging it. Cancel on that bar stops it.";
}
