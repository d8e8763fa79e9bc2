import { api } from "../user/api";
import { durationIn, kindIn } from "../user/decode";
import { isView, stir } from "../user/messages";
import type { Ask, View } from "../user/messages";
import { find, say, show } from "./dom";
import { render, tick } from "./render";

// The popup: it shows what the background knows, and says what a person decides.

let tab = -1;
let view: View | null = null;

async function send(ask: Ask): Promise<View | null> {
  try {
    const reply = await api.runtime.sendMessage(ask);
    if (!isView(reply)) throw new Error("no view");
    show("failed", false);
    view = reply;
    render(reply, (id) => { void send({ kind: "withdraw", tab, grant: id }); });
    return reply;
  } catch {
    say("failed", "The extension does not answer. Close this and open it again.");
    show("failed", true);
    return null;
  }
}

function on(id: string, type: string, f: () => void): void {
  find(id, HTMLElement).addEventListener(type, (e) => {
    if (e.type === "submit") e.preventDefault();
    f();
  });
}

function chosen(): string {
  const e = document.querySelector("input[name=what]:checked");
  return e instanceof HTMLInputElement ? e.value : "";
}

on("gate-switch", "click", () => { void send({ kind: "raise", tab, up: view?.up !== true }); });
on("link-act", "click", () => { void send({ kind: view?.connection.is === "absent" ? "reconnect" : "pair", tab }); });
on("tab-hide", "click", () => {
  void send({ kind: "hide", tab }).then(() => { find("duration", HTMLElement).focus(); });
});
on("allow", "submit", () => {
  const what = kindIn(chosen()), duration = durationIn(find("duration", HTMLSelectElement).value);
  if (what === null || duration === null) return;
  void send({ kind: "allow", tab, what, subdomains: find("subdomains", HTMLInputElement).checked, duration }).then((v) => {
    if (v?.about?.allowed !== true) return;
    find("more", HTMLDetailsElement).open = false;
    find("tab-hide", HTMLElement).focus();
  });
});
on("naming", "submit", () => {
  const name = find("name", HTMLInputElement).value;
  void send({ kind: "set", tab, change: { name } }).then((v) => {
    if (v === null) return;
    find("name", HTMLInputElement).value = v.settings.name;
    say("named", `Agents know it as ${v.settings.name}.`);
  });
});
on("marks", "change", () => { void send({ kind: "set", tab, change: { marks: find("marks", HTMLInputElement).checked } }); });
on("full", "change", () => { void send({ kind: "set", tab, change: { full: find("full", HTMLInputElement).checked } }); });
on("subdomains", "change", () => {
  const site = document.querySelector("input[name=what][value=site]");
  if (site instanceof HTMLInputElement && find("subdomains", HTMLInputElement).checked) site.checked = true;
});

// Answered with nothing: others may have an answer.
api.runtime.onMessage.addListener((message) => {
  if (message === stir) void send({ kind: "look", tab });
  return undefined;
});

setInterval(() => {
  if (view !== null) tick(view);
}, 1000);
setInterval(() => { void send({ kind: "look", tab }); }, 30_000);

async function begin(): Promise<void> {
  const [active] = await api.tabs.query({ active: true, currentWindow: true });
  tab = active?.id ?? -1;
  const first = await send({ kind: "look", tab });
  if (first !== null) find("duration", HTMLSelectElement).value = first.settings.duration;
}

void begin();
