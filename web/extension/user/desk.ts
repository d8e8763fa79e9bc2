import { isFirefox } from "../shared/api";
import { aborted, netError } from "../shared/neterrors";
import { isPrefetch } from "../shared/prefetch";
import { Actions } from "./actions";
import type { Outcome } from "./actions";
import { api } from "./api";
import type { BrowserTab, Shown } from "./api";
import { lookOf } from "./badge";
import type { Look } from "./badge";
import { Consent } from "./consent";
import type { Duration, Kind, Tab } from "./grants";
import { alarmClock, localShelf, sessionShelf } from "./keep";
import { entryIn, makeMenus, setMenus } from "./menus";
import { askIn, stir } from "./messages";
import type { Ask, Connection, View } from "./messages";
import { hostOf, isSite, placeOf } from "./places";
import { SettingsStore } from "./settings";
import type { Settings } from "./settings";
import { aboutOf, allowancesOf } from "./view";
import { arrivalOf } from "./ways";

// The owner's side of the extension: what a person decides in the popup, in
// menus and by keys, and what the button of the extension shows.

/** Line is what the desk shows of the connection, and has it do. */
export interface Line {
  readonly address: string;
  connection(): Connection;
  pair(): void;
  reconnect(): void;
}

/** Given is what came with the extension. */
export interface Given {
  readonly everything: boolean; // each tab is allowed, in a throw-away browser
  readonly settings: Partial<Settings>;
  readonly engine: "chromium" | "firefox";
  readonly canFull: boolean;
}

const actingFor = 1500; // how long the button tells of an act
const documents = { urls: ["<all_urls>"], types: ["main_frame"] };
const watched = 40_000; // a popup that is open asks more often

export class Desk {
  readonly consent: Consent;
  readonly settings = new SettingsStore(localShelf);
  readonly actions = new Actions();

  private readonly own = api.runtime.getURL("");
  private given: Given = { everything: false, settings: {}, engine: "chromium", canFull: false };
  private line: Line | null = null;
  private waiting: (() => void)[] | null = []; // what happened before all was restored
  private facing = -1; // the tab that a person looks at, as far as is known
  private readonly acting = new Map<number, ReturnType<typeof setTimeout>>();
  private readonly looks = new Map<number, string>(); // of the button
  private looked = 0; // when a popup asked last
  private stirring = false;

  /** It is made as the background starts, before what asks it listens to the browser. */
  constructor() {
    const clock = alarmClock(() => { this.run(() => { this.consent.wake(); }); });
    this.consent = new Consent({ session: sessionShelf(), local: localShelf, clock, own: this.own, id: () => crypto.randomUUID(), asksFirst: isFirefox });
    this.listen();
    this.serve();
    this.consent.changed((tab) => { this.show(tab); });
    this.consent.switched(() => { this.notice(); });
    this.actions.changed(() => { this.stir(); });
    this.settings.changed(() => { this.stir(); });
  }

  /** restore brings back what was decided and set. Nothing is allowed before. */
  async restore(given: Given): Promise<void> {
    this.given = given;
    const [tabs] = await Promise.all([api.tabs.query({}), this.settings.restore(given.settings)]);
    await this.consent.restore(tabs.map(tabOf).filter((t) => t !== null), given.everything);
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const f of waiting) f();
    this.notice();
    void this.furnish();
  }

  // furnish makes the menus, for which nothing waits.
  private async furnish(): Promise<void> {
    await makeMenus().catch(() => undefined);
    const [active] = await api.tabs.query({ active: true, currentWindow: true });
    this.face(active?.id ?? -1);
  }

  /** attach has the connection told of from now on. */
  attach(line: Line): void {
    this.line = line;
    this.notice();
  }

  /** notice takes in that the connection is another, or whether the drawbridge is up. */
  notice(): void {
    const look = this.lookAt(null);
    this.paint(null, look);
    for (const t of this.consent.tabIDs()) this.show(t);
    this.stir();
  }

  /** acts takes in that an agent is about to act on a tab. */
  acts(tab: number): void {
    this.consent.acted(tab);
    const before = this.acting.get(tab);
    clearTimeout(before);
    this.acting.set(tab, setTimeout(() => {
      this.acting.delete(tab);
      this.show(tab);
    }, actingFor));
    if (before === undefined) this.show(tab);
  }

  /** leads takes in that an agent is about to lead a tab elsewhere. */
  leads(tab: number, to: string): void {
    this.acts(tab);
    this.consent.leads(tab, to);
  }

  /** travels takes in that an agent is about to move a tab in its history. */
  travels(tab: number): void {
    this.acts(tab);
    this.consent.travelling(tab);
  }

  /**
   * note has an op told to the person; what is returned takes how it ended.
   * Detail must hold no value that is typed or read.
   */
  note(tab: number, op: string, detail: string): (outcome: Outcome) => void {
    return this.actions.begin(tab, op, detail, Date.now());
  }

  private run(f: () => void): void {
    if (this.waiting === null) f();
    else this.waiting.push(f);
  }

  // listen keeps consent up to date with the browser.
  private listen(): void {
    const { consent } = this;
    api.tabs.onCreated.addListener((tab) => {
      this.run(() => {
        const t = tabOf(tab);
        if (t !== null) consent.opened(t, null, null);
      });
    });
    api.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) => {
      this.run(() => {
        const from = consent.tab(sourceTabId);
        if (from !== undefined) consent.opened({ id: tabId, window: from.window, url: "", incognito: from.incognito }, sourceTabId, null);
      });
    });
    api.webRequest.onBeforeRequest.addListener(
      (d) => {
        // Of another number is what the browser prepares for a later time.
        if (d.frameId === 0 && !isPrefetch(d)) this.run(() => { consent.began(d.tabId, d.requestId, d.url, d.initiator ?? d.originUrl ?? null); });
        return undefined;
      },
      documents,
      // Firefox tells of a request some time, when it does not wait for us: often of a page that is there already.
      isFirefox ? ["blocking"] : [],
    );
    const ended = ({ tabId, requestId }: { readonly tabId: number; readonly requestId: string }): undefined => {
      this.run(() => { consent.ended(tabId, requestId); });
      return undefined;
    };
    api.webRequest.onCompleted.addListener(ended, documents);
    api.webRequest.onErrorOccurred.addListener(ended, documents);
    api.webNavigation.onCommitted.addListener((d) => {
      this.run(() => {
        if (d.frameId !== 0) {
          consent.frame(d.tabId, d.url);
          return;
        }
        consent.navigated(d.tabId, d.url, arrivalOf(d.transitionType, d.transitionQualifiers));
        this.looks.delete(d.tabId); // the browser forgets it with the document
        this.show(d.tabId);
      });
    });
    api.webNavigation.onErrorOccurred.addListener((d) => {
      // Firefox ends a navigation so that goes on in another process.
      if (d.frameId !== 0 || netError(d.error) === aborted) return;
      this.run(() => { consent.navigated(d.tabId, d.url, "failed"); });
    });
    const slid = (d: Shown): void => {
      if (d.frameId === 0) this.run(() => { consent.slid(d.tabId, d.url); });
    };
    api.webNavigation.onHistoryStateUpdated.addListener(slid);
    api.webNavigation.onReferenceFragmentUpdated.addListener(slid);
    api.tabs.onAttached.addListener((id, { newWindowId }) => { this.run(() => { consent.moved(id, newWindowId); }); });
    api.tabs.onReplaced?.addListener((added, removed) => { this.run(() => { consent.replaced(removed, added); }); });
    api.tabs.onRemoved.addListener((id) => {
      this.run(() => {
        consent.closed(id);
        this.actions.forget(id);
        this.looks.delete(id);
      });
    });
    api.windows.onRemoved.addListener((id) => { this.run(() => { consent.emptied(id); }); });
    api.tabs.onActivated.addListener(({ tabId }) => { this.run(() => { this.face(tabId); }); });
  }

  // serve does what a person asks for.
  private serve(): void {
    api.runtime.onMessage.addListener((message, sender, reply) => {
      const ask = sender.id === api.runtime.id && sender.url?.startsWith(this.own) === true ? askIn(message) : null;
      if (ask === null) return undefined;
      this.run(() => { void this.answer(ask).then(reply, () => { reply(null); }); });
      return true;
    });
    api.contextMenus.onClicked.addListener(({ menuItemId }, tab) => {
      this.run(() => { this.choose(menuItemId, tab?.id ?? -1); });
    });
    api.commands.onCommand.addListener((name, tab) => {
      this.run(() => { void this.command(name, tab?.id); });
    });
  }

  private choose(item: unknown, tab: number): void {
    switch (entryIn(item)) {
      case "allow-tab": this.allow(tab, "tab", false); break;
      case "allow-site": this.allow(tab, "site", false); break;
      case "hide": this.consent.hide(tab); break;
    }
    this.notice();
  }

  private async command(name: string, about: number | undefined): Promise<void> {
    if (name === "raise") {
      this.consent.raise(!this.consent.stopped);
      return;
    }
    if (name !== "toggle-tab") return;
    const tab = about ?? (await api.tabs.query({ active: true, currentWindow: true }))[0]?.id ?? -1;
    if (this.consent.allows(tab)) this.consent.hide(tab);
    else this.allow(tab, "tab", false);
    this.notice();
  }

  private allow(tab: number, what: Kind, subdomains: boolean, duration: Duration = this.settings.now.duration): void {
    this.consent.allow(tab, what, subdomains, duration);
  }

  private async answer(ask: Ask): Promise<View> {
    switch (ask.kind) {
      case "look": break;
      case "allow":
        this.allow(ask.tab, ask.what, ask.subdomains, ask.duration);
        this.settings.set({ duration: ask.duration });
        break;
      case "hide": this.consent.hide(ask.tab); break;
      case "withdraw": this.consent.withdraw(ask.grant); break;
      case "raise": this.consent.raise(ask.up); break;
      case "set": this.settings.set(ask.change); break;
      case "pair": this.line?.pair(); break;
      case "reconnect": this.line?.reconnect(); break;
    }
    this.looked = Date.now();
    if (ask.kind !== "look") await Promise.all([this.consent.saved(), this.settings.saved()]);
    return this.view(ask.tab);
  }

  private async view(tab: number): Promise<View> {
    const shown = await api.tabs.get(tab).catch(() => null);
    return {
      connection: this.line?.connection() ?? { is: "connecting" },
      address: this.line?.address ?? "",
      up: this.consent.stopped,
      throwAway: this.consent.throwAway,
      about: shown === null ? null : aboutOf(this.consent, this.actions, shown, this.own),
      allowances: allowancesOf(this.consent, tab),
      settings: this.settings.now,
      canFull: this.given.canFull,
      engine: this.given.engine,
    };
  }

  // face takes in which tab a person looks at.
  private face(tab: number): void {
    this.facing = tab;
    const place = placeOf(this.consent.tab(tab)?.url ?? "");
    setMenus({ host: isSite(place) && this.consent.tab(tab)?.incognito === false ? hostOf(place) : "", allowed: this.consent.allows(tab) });
  }

  private show(tab: number): void {
    this.paint(tab, this.lookAt(tab));
    if (tab === this.facing) this.face(tab);
    this.stir();
  }

  private lookAt(tab: number | null): Look {
    return lookOf({
      up: this.consent.stopped,
      connected: this.line?.connection().is === "connected",
      allowed: tab !== null && this.consent.allows(tab),
      acting: tab !== null && this.acting.has(tab),
    });
  }

  // paint sets the button on one tab, or on those that nothing was set for.
  private paint(tab: number | null, look: Look): void {
    const button = api.action ?? api.browserAction;
    if (button === undefined || this.looks.get(tab ?? -1) === look.title) return;
    const had = this.looks.has(tab ?? -1) || look.title !== this.lookAt(null).title;
    this.looks.set(tab ?? -1, look.title);
    if (!had && tab !== null) return; // as on all others
    const on = tab === null ? {} : { tabId: tab };
    const gone = (): void => undefined; // the tab is
    button.setBadgeText({ ...on, text: look.text }).catch(gone);
    button.setBadgeBackgroundColor({ ...on, color: look.colour }).catch(gone);
    button.setTitle({ ...on, title: look.title }).catch(gone);
  }

  // stir has a popup that may be open look again, once for all that happens at once.
  private stir(): void {
    if (this.stirring || Date.now() - this.looked > watched) return;
    this.stirring = true;
    setTimeout(() => {
      this.stirring = false;
      api.runtime.sendMessage(stir).catch(() => undefined);
    }, 100);
  }
}

function tabOf(tab: BrowserTab): Tab | null {
  return tab.id === undefined || tab.id < 0 ? null : { id: tab.id, window: tab.windowId, url: tab.url ?? "", incognito: tab.incognito };
}
