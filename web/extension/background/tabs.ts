import type { TabInfo } from "../../shared/link.gen";
import { api, type Tab } from "../shared/api";
import type { Consent } from "../user/consent";
import { isAsleep } from "./asleep";
import { closedReason } from "./closed";
import { unknownTab } from "./faults";
import type { Session } from "./state";

/** Told is how the bridge hears of tabs. */
export interface Told {
  opened(tab: TabInfo): void;
  changed(tab: TabInfo): void;
  closed(tab: number, why: "closed" | "private"): void;
}

type Known = Tab & { readonly id: number };

function isKnown(tab: Tab): tab is Known {
  return tab.id !== undefined && tab.id >= 0;
}

// A page that Chromium has kept, and shows again, is told as frozen for a moment.
const thawing = 100;

const mostSecret = 16; // titles that are known of a tab

// What is kept of a tab beside what the browser knows of it.
const keptOf = ["key", "by us", "opener"];

/**
 * Tabs are those of the browser. What concerns a tab that the user has not
 * allowed stays here.
 */
export class Tabs {
  private readonly all = new Map<number, Known>();
  private readonly told = new Map<number, string>(); // as JSON; what the bridge knows of
  // Titles of pages in tabs that nobody may know of. Firefox goes on telling that of
  // one that was left until the next page has one, or has loaded, and may tell that of
  // one that comes before its address.
  private readonly secret = new Map<number, readonly string[]>();
  // Tabs that came while we opened one. Of ours too the browser says that the tab in front has opened them.
  private readonly unsure = new Set<number>();
  private underWay = 0;
  private readonly session: Session;
  private readonly consent: Consent;
  private readonly events: Told;
  private files = false;

  constructor(session: Session, consent: Consent, events: Told) {
    this.session = session;
    this.consent = consent;
    this.events = events;
  }

  /** restore finds the tabs that there are. */
  async restore(): Promise<void> {
    const [tabs, files] = await Promise.all([api.tabs.query({}), api.extension.isAllowedFileSchemeAccess()]);
    this.files = files;
    for (const tab of tabs) {
      if (isKnown(tab)) this.all.set(tab.id, tab);
    }
  }

  /** forgetTold begins anew with a bridge that knows of no tab. */
  forgetTold(): void {
    this.told.clear();
  }

  /** allowed is a tab that the bridge may know of, at the address that it goes to when one is given. */
  allowed(id: number, url?: string): Known | null {
    const tab = this.all.get(id);
    if (tab === undefined || !this.consent.allows(id)) return null;
    // The browser may tell of the tab's next page before that takes the place of this one.
    return this.consent.allowsAt(id, tab.url ?? "") && (url === undefined || this.consent.allowsAt(id, url)) ? tab : null;
  }

  /** only is a tab whose page is of an origin, when all tabs with such pages are allowed; else 0. */
  only(origin: string): number {
    if (origin === "" || origin === "null") return 0;
    const of = [...this.all.values()].filter((t) => t.url?.startsWith(`${origin}/`) === true);
    return of.every((t) => this.allowed(t.id) !== null) ? (of[0]?.id ?? 0) : 0;
  }

  /** isPrivate tells whether there is a tab that the bridge may not know of. */
  isPrivate(id: number): boolean {
    return this.all.has(id) && this.allowed(id) === null;
  }

  /** need is allowed for an op, which fails without it. */
  need(id: number): Known {
    const tab = this.allowed(id);
    if (tab === null) throw unknownTab();
    return tab;
  }

  /** list is all that are allowed. The bridge knows them then. */
  list(): TabInfo[] {
    const out: TabInfo[] = [];
    for (const tab of this.all.values()) {
      if (this.allowed(tab.id) === null) continue;
      const info = this.info(tab);
      this.told.set(tab.id, JSON.stringify(info));
      out.push(info);
    }
    return out;
  }

  info(tab: Known): TabInfo {
    const opener = this.session.numbers(`opener ${tab.id}`)[0] ?? (this.unsure.has(tab.id) || this.session.has(`by us ${tab.id}`) ? undefined : tab.openerTabId);
    const url = tab.url ?? "", closed = closedReason(url, this.files);
    return {
      tab: tab.id,
      key: this.session.text(`key ${tab.id}`, () => crypto.randomUUID()),
      window: tab.windowId,
      active: tab.active,
      ...(opener !== undefined && this.allowed(opener) !== null ? { opener } : {}),
      ...(this.session.has(`by us ${tab.id}`) ? { openedBy: true } : {}),
      url,
      title: this.isSecret(tab) ? "" : (tab.title ?? ""),
      ...(tab.status === "loading" ? { loading: true } : {}),
      ...(isAsleep(tab) ? { asleep: true } : {}),
      ...(tab.frozen === true ? { frozen: true } : {}),
      ...(tab.incognito ? { private: true } : {}),
      ...(closed === "" ? {} : { closed }),
    };
  }

  /** ours takes over a tab that we have opened at an address, and returns what the bridge is told of it. */
  ours(tab: Tab, to: string): TabInfo {
    if (!isKnown(tab)) throw unknownTab();
    const known = this.all.get(tab.id) ?? tab;
    this.all.set(tab.id, known);
    this.session.keep(`by us ${tab.id}`, true);
    this.consent.opened({ id: known.id, window: known.windowId, url: known.url ?? "", incognito: known.incognito }, null, to);
    this.tell(tab.id);
    return this.info(known);
  }

  /** fromPage takes over a tab that we have opened for the page of another one, and returns what the bridge is told of it. */
  fromPage(tab: Tab, opener: number, to: string): TabInfo {
    if (!isKnown(tab)) throw unknownTab();
    const known = this.all.get(tab.id) ?? tab;
    this.all.set(tab.id, known);
    this.consent.opened({ id: known.id, window: known.windowId, url: "", incognito: known.incognito }, opener, null);
    this.consent.leads(known.id, to);
    this.openedFrom(opener, known.id);
    return this.info(this.need(known.id));
  }

  /** opening runs what opens a tab that no page has opened. */
  async opening(open: () => Promise<Tab>): Promise<Tab> {
    this.underWay++;
    try {
      return await open();
    } finally {
      this.underWay--;
    }
  }

  created(tab: Tab): void {
    if (!isKnown(tab)) return;
    if (this.underWay > 0) this.unsure.add(tab.id);
    this.all.set(tab.id, tab);
    this.tell(tab.id);
  }

  /** openedFrom: a page of source has opened a tab. */
  openedFrom(source: number, id: number): void {
    this.session.keep(`opener ${id}`, [source]);
    this.tell(id);
  }

  /** updated takes in how the browser says that a tab is now. */
  updated(tab: Tab): void {
    const { id } = tab;
    if (id === undefined || tab.frozen !== true || this.all.get(id)?.frozen === true) {
      this.take(tab);
      return;
    }
    this.take({ ...tab, frozen: false });
    setTimeout(() => void this.look(id), thawing);
  }

  private take(tab: Tab): void {
    if (!isKnown(tab)) return;
    this.all.set(tab.id, tab);
    if (this.allowed(tab.id) === null) this.keepSecret(tab);
    this.tell(tab.id);
  }

  private keepSecret({ id, title = "" }: Known): void {
    const had = this.secret.get(id) ?? [];
    if (title !== "" && !had.includes(title)) this.secret.set(id, [...had, title].slice(-mostSecret));
  }

  // isSecret tells whether the title of a tab may still, or already, be that of a page that nobody may know of.
  private isSecret(tab: Known): boolean {
    return tab.status !== "complete" && tab.title !== undefined && this.secret.get(tab.id)?.includes(tab.title) === true;
  }

  /**
   * at notes the address that a tab shows before the browser tells of the tab.
   * Anew: it is that of another document, which has none of the last one's title.
   */
  at(id: number, url: string, anew: boolean): void {
    const tab = this.all.get(id);
    if (tab === undefined || tab.url === url) return;
    this.all.set(id, { ...tab, url, ...(anew ? { title: "" } : {}) });
    this.tell(id);
  }

  activated(id: number, windowId: number): void {
    for (const tab of this.all.values()) {
      if (tab.windowId !== windowId || tab.active === (tab.id === id)) continue;
      this.all.set(tab.id, { ...tab, active: tab.id === id });
      this.tell(tab.id);
    }
  }

  /** look asks the browser how a tab is. */
  async look(id: number): Promise<void> {
    try {
      this.take(await api.tabs.get(id));
    } catch {
      // it is gone, which is told by itself
    }
  }

  removed(id: number): void {
    this.all.delete(id);
    this.secret.delete(id);
    this.unsure.delete(id);
    for (const what of keptOf) this.session.drop(`${what} ${id}`);
    if (this.told.delete(id)) this.events.closed(id, "closed");
  }

  /** replaced: the browser gave a tab another number, as it does when it unloads its page. */
  replaced(added: number, removed: number): void {
    for (const what of keptOf) {
      const kept = this.session.value(`${what} ${removed}`);
      if (kept !== undefined) this.session.keep(`${what} ${added}`, kept);
      this.session.drop(`${what} ${removed}`);
    }
    this.all.delete(removed);
    const told = this.told.get(removed);
    if (told !== undefined) this.told.set(added, told);
    this.told.delete(removed);
    void this.look(added);
  }

  /** tell has the bridge know what it may of a tab. */
  tell(id: number): void {
    const tab = this.allowed(id), had = this.told.get(id);
    if (tab === null) {
      if (this.told.delete(id)) this.events.closed(id, "private");
      return;
    }
    const info = this.info(tab), now = JSON.stringify(info);
    if (now === had) return;
    this.told.set(id, now);
    if (had === undefined) this.events.opened(info);
    else this.events.changed(info);
  }
}
