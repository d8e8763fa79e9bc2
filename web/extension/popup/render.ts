import type { Action } from "../user/actions";
import type { Allowance, View } from "../user/messages";
import { find, make, say, show } from "./dom";
import { clock, connectionOf, endOf, fullOf, helpOf, scopeOf, stateOf } from "./words";

const hours = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** render shows a view. withdraw is called with what is to be withdrawn. */
export function render(v: View, withdraw: (id: string) => void): void {
  const now = Date.now();
  show("main", true);
  document.body.dataset.connection = v.connection.is;
  say("connection-text", connectionOf(v.connection, (t) => hours.format(t)));
  renderGate(v);
  renderLink(v, now);
  renderTab(v, now);
  renderAllowances(v.allowances, now, withdraw);
  renderActions(v.about?.actions ?? []);
  renderSettings(v);
}

/** tick shows how time goes on. */
export function tick(v: View): void {
  const now = Date.now();
  if (v.connection.is === "pairing") say("code-left", `Valid for ${clock(v.connection.until, now)}`);
}

function renderGate({ up }: View): void {
  find("gate", HTMLElement).classList.toggle("up", up);
  say("gate-title", up ? "Drawbridge up" : "Drawbridge down");
  say("gate-text", up ? "Agents can do nothing in this browser or any other." : "Agents can use what you allow.");
  say("gate-switch", up ? "Let it down" : "Stop everything");
}

function renderLink(v: View, now: number): void {
  const help = helpOf(v.connection, v.address);
  show("link", help !== null);
  say("link-title", help?.title ?? "");
  say("link-text", help?.text ?? "");
  for (const [id, text] of [["code", help?.code], ["command", help?.command], ["link-act", help?.act]] as const) {
    say(id, text ?? "");
    show(id, text !== undefined && text !== "");
  }
  show("code-left", v.connection.is === "pairing");
  if (v.connection.is === "pairing") say("code-left", `Valid for ${clock(v.connection.until, now)}`);
}

let wasNext = false;

function renderTab(v: View, now: number): void {
  const a = v.about;
  show("tab", a !== null);
  if (a === null) return;
  const { word, more } = stateOf(a, v.allowances, v.throwAway, now);
  const name = find("tab-name", HTMLElement);
  say("tab-name", a.title === "" ? "No title" : a.title);
  name.title = a.title;
  say("tab-place", a.place);
  find("tab-place", HTMLElement).title = a.place;
  say("tab-word", word);
  say("tab-more", more);
  find("tab", HTMLElement).classList.toggle("allowed", a.allowed);
  const decides = !a.own && !v.throwAway;
  show("tab-hide", a.allowed && decides);
  show("more", decides);
  say("more-title", a.allowed ? "Allow more" : "Allow");
  // It is opened where allowing is what comes next, and then left to the person.
  const next = !a.allowed && v.connection.is === "connected";
  if (next !== wasNext) find("more", HTMLDetailsElement).open = next;
  wasNext = next;
  say("what-tab", a.site ? `on ${a.place}` : "");
  show("what-site", a.site && !a.incognito);
  say("site-host", a.place);
  show("what-subdomains", a.site && a.subdomains && !a.incognito);
  show("what-window", !a.incognito);
  show("what-all", !a.incognito);
  show("what-incognito", a.incognito);
}

let shownAllowances = "";

function renderAllowances(all: readonly Allowance[], now: number, withdraw: (id: string) => void): void {
  const lines = all.filter((a) => a.kind !== "tab").map((a) => ({ id: a.id, what: scopeOf(a), end: endOf(a, now) }));
  show("allowed", lines.length > 0);
  const key = JSON.stringify(lines);
  if (key === shownAllowances) return;
  shownAllowances = key;
  const focused = document.activeElement?.id ?? "";
  find("allowances", HTMLUListElement).replaceChildren(...lines.map((l) => {
    const button = make("button", "", "Withdraw");
    button.type = "button";
    button.id = `withdraw-${l.id}`;
    button.setAttribute("aria-label", `Withdraw ${l.what}`);
    button.addEventListener("click", () => { withdraw(l.id); });
    const what = make("div", "", make("div", "cut", l.what), make("div", "quiet", l.end));
    what.title = l.what;
    return make("li", "", what, button);
  }));
  if (focused.startsWith("withdraw-")) (document.getElementById(focused) ?? find("gate-switch", HTMLElement)).focus();
}

let shownActions = "";

const ends = { "": "…", done: "", failed: "failed", stopped: "stopped" };

function renderActions(actions: readonly Action[]): void {
  show("done", actions.length > 0);
  const key = JSON.stringify(actions);
  if (key === shownActions) return;
  shownActions = key;
  find("actions", HTMLOListElement).replaceChildren(...actions.map((a) => {
    const what = make("span", "cut", a.times > 1 ? `${a.what} (${String(a.times)} times)` : a.what);
    what.title = a.what;
    const time = make("time", "", hours.format(a.time));
    time.dateTime = new Date(a.time).toISOString();
    return make("li", "", what, make("span", `end ${a.outcome}`, ends[a.outcome]), time);
  }));
}

function renderSettings(v: View): void {
  const name = find("name", HTMLInputElement);
  if (document.activeElement !== name) name.value = v.settings.name;
  find("marks", HTMLInputElement).checked = v.settings.marks;
  const full = find("full", HTMLInputElement);
  full.checked = v.settings.full && v.canFull;
  full.disabled = !v.canFull;
  say("full-text", fullOf(v.engine, v.canFull));
}
