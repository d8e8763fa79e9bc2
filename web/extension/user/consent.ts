import { field, stateIn } from "./decode";
import { closed, covering, emptied, expire, follow, grant, grantFor, hide, nextEnd, nothing, opened, renumber, withdraw } from "./grants";
import type { Duration, Grant, Kind, Scope, State, Tab } from "./grants";
import { placeOf, same } from "./places";
import { Ways } from "./ways";
import type { Arrival } from "./ways";

// Which tabs exist for agents. All else of the extension asks here before it
// tells of a tab or does anything to it.

/** Shelf keeps values by their names, as an area of the browser's storage does. */
export interface Shelf {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
}

/** Clock tells the time, and has wake called at one; null takes that back. */
export interface Clock {
  now(): number;
  wakeAt(time: number | null): void;
}

export interface ConsentOptions {
  readonly session: Shelf; // lives as long as the browser runs
  readonly local: Shelf;
  readonly clock: Clock;
  readonly own: string; // the address that the extension's own pages begin with
  readonly id: () => string; // something new each time
  readonly asksFirst: boolean; // see Ways
}

const mostWithin = 64; // places of a tab's frames

export class Consent {
  private state: State = nothing;
  private up = false;
  private everything = false;
  private readonly tabs = new Map<number, Tab>();
  private readonly seen = new Map<number, boolean>(); // what was told of them
  private readonly within = new Map<number, readonly string[]>(); // where their frames are
  private readonly ways: Ways;
  private readonly onChange: ((tab: number, allowed: boolean) => void)[] = [];
  private readonly onStop: ((up: boolean) => void)[] = [];
  private writes: Promise<unknown> = Promise.resolve();

  private readonly o: ConsentOptions;

  constructor(o: ConsentOptions) {
    this.o = o;
    this.ways = new Ways(() => o.clock.now(), o.asksFirst);
  }

  /**
   * restore brings back what was decided before the worker was ended. Tabs are
   * all that there are; everything allows each of them, in a throw-away browser.
   * Nothing is allowed before, and nothing else may be called.
   */
  async restore(tabs: readonly Tab[], everything: boolean): Promise<void> {
    const [session, local, past] = await Promise.all([this.o.session.get("consent"), this.o.local.get("consent"), this.o.session.get("past")]);
    const kept = stateIn(local).grants;
    const now = stateIn(session);
    this.up = field(local, "up") === true;
    this.everything = everything;
    for (const t of tabs) this.tabs.set(t.id, t);
    this.ways.recall(past, (tab) => this.tabs.has(tab));
    this.turn({ grants: [...kept, ...now.grants.filter((g) => !g.kept)], hidden: now.hidden });
  }

  /** stopped tells whether the drawbridge is up: nothing is done for anybody. */
  get stopped(): boolean {
    return this.up;
  }

  /** allows tells whether a tab exists for agents. */
  allows(tab: number): boolean {
    const t = this.tabs.get(tab);
    return t !== undefined && this.allowsAt(tab, t.url);
  }

  /**
   * allowsAt tells whether it may be told that a tab shows, or is about to show,
   * an address in its main frame. A tab that an agent leads elsewhere is told of
   * on its way; for one that a page leads elsewhere began comes first.
   */
  allowsAt(tab: number, url: string): boolean {
    const t = this.tabs.get(tab);
    if (t === undefined || url.startsWith(this.o.own)) return false;
    if (this.everything || this.by(t, url) !== undefined) return true;
    return this.by(t, t.url) !== undefined && this.ways.leadsTo(tab, url);
  }

  /** changed calls f whenever a tab begins or ceases to exist for agents while it is open. */
  changed(f: (tab: number, allowed: boolean) => void): void {
    this.onChange.push(f);
  }

  /** switched calls f when the drawbridge goes up or down. */
  switched(f: (up: boolean) => void): void {
    this.onStop.push(f);
  }

  /**
   * opened takes in a new tab. Opener is the tab whose page opened it, null when
   * none did; to: where an agent had it opened, null when none had. It may be told of one tab more than once.
   */
  opened(tab: Tab, opener: number | null, to: string | null): void {
    this.tabs.set(tab.id, this.tabs.get(tab.id) ?? tab);
    const parent = opener === null ? undefined : this.tabs.get(opener);
    const by = parent === undefined ? undefined : this.by(parent, parent.url);
    if (this.ownOf(tab.id) !== undefined || (to === null && by === undefined)) {
      this.tell(tab.id);
      return;
    }
    this.turn(opened(this.state, tab, to === null ? (by ?? null) : null, this.o.id()));
    // It may have been on its way, or even there, before this was told.
    if (to !== null) this.ways.leads(tab.id, to);
    this.ways.ours(tab.id);
    const at = this.tabs.get(tab.id), fresh = this.state.grants.at(-1);
    if (at !== undefined && fresh !== undefined) this.turn(follow(this.state, at, at.url, fresh, ""));
  }

  /** closed forgets a tab, without telling: that it is gone is told anyway. */
  closed(tab: number): void {
    this.tabs.delete(tab);
    this.seen.delete(tab);
    this.within.delete(tab);
    this.ways.forget(tab);
    this.turn(closed(this.state, tab));
  }

  /** moved takes in that a tab came into a window. */
  moved(tab: number, window: number): void {
    const t = this.tabs.get(tab);
    if (t === undefined) return;
    this.tabs.set(tab, { ...t, window });
    this.tell(tab);
  }

  /** replaced takes in that the browser gave a tab another number. */
  replaced(tab: number, by: number): void {
    const t = this.tabs.get(tab);
    if (t === undefined) return;
    this.tabs.set(by, { ...t, id: by });
    this.tabs.delete(tab);
    this.seen.delete(tab);
    this.turn(renumber(this.state, tab, by));
  }

  /** emptied takes in that a window was closed. */
  emptied(window: number): void {
    this.turn(emptied(this.state, window));
  }

  /** acted takes in that an agent is about to act on a tab. */
  acted(tab: number): void {
    this.ways.acted(tab);
  }

  /** leads takes in that an agent is about to lead a tab to an address. */
  leads(tab: number, to: string): void {
    this.acted(tab);
    this.ways.leads(tab, to);
  }

  /**
   * travelling takes in that an agent is about to move a tab in its history: what
   * its user looked at there in private stays so.
   */
  travelling(tab: number): void {
    this.ways.travelling(tab);
  }

  /**
   * began takes in that a document for the main frame of a tab was asked for,
   * before anything else is told of that. A redirection is the same request. By
   * is the address of the page that asked, null when the browser itself did.
   */
  began(tab: number, request: string, url: string, by: string | null): void {
    this.ways.began(tab, request, url, by !== null && this.sees(tab, by), this.ownOf(tab)?.fresh === true);
  }

  /** ended takes in that a request for a document has. It may have come to nothing. */
  ended(tab: number, request: string): void {
    this.ways.ended(tab, request);
  }

  /** leaves tells whether a tab is on its way to where nobody may follow it. */
  leaves(tab: number): boolean {
    return this.ways.leaves(tab);
  }

  /** frame takes in what a frame within a tab's page shows. */
  frame(tab: number, url: string): void {
    const had = this.within.get(tab) ?? [], place = placeOf(url);
    if (place !== "" && !had.includes(place)) this.within.set(tab, [...had, place].slice(-mostWithin));
  }

  /** slid takes in that a tab's page goes by another address. */
  slid(tab: number, url: string): void {
    const t = this.tabs.get(tab);
    if (t === undefined) return;
    this.passes(tab, t.url);
    this.tabs.set(tab, { ...t, url });
  }

  /**
   * navigated takes in which address a tab shows now. Where an agent led an
   * allowed tab it stays allowed.
   */
  navigated(tab: number, url: string, how: Arrival): void {
    const t = this.tabs.get(tab);
    if (t === undefined) return;
    const before = this.by(t, t.url);
    const fresh = this.ownOf(tab)?.fresh === true;
    const caused = this.ways.arrived(tab, url, how, fresh);
    this.passes(tab, t.url);
    this.within.delete(tab);
    this.tabs.set(tab, { ...t, url });
    if (!caused || before === undefined) {
      this.tell(tab);
      return;
    }
    if (!fresh) this.acted(tab); // a chain of redirections is one
    if (fresh || this.by(t, url) === undefined) this.turn(follow(this.state, t, url, before, this.o.id()));
    else this.tell(tab);
  }

  /** allow takes in what a person allows while looking at a tab. It tells whether that could be. */
  allow(tab: number, kind: Kind, subdomains: boolean, duration: Duration): boolean {
    const t = this.tabs.get(tab);
    const g = t === undefined ? null : grantFor(this.o.id(), kind, t, subdomains, duration, this.o.clock.now());
    if (g === null) return false;
    this.turn(grant(this.state, g, tab));
    return true;
  }

  /** hide makes a tab private, whatever else is allowed. */
  hide(tab: number): void {
    if (this.tabs.has(tab)) this.turn(hide(this.state, tab));
  }

  /** withdraw ends a grant. */
  withdraw(id: string): void {
    this.turn(withdraw(this.state, id));
  }

  /** raise pulls the drawbridge up, or lets it down. */
  raise(up: boolean): void {
    if (this.up === up) return;
    this.up = up;
    this.save();
    for (const f of this.onStop) f(up);
  }

  /** wake ends the grants whose time has come. */
  wake(): void {
    this.turn(this.state);
  }

  /** grants are those in force that bear on a tab. */
  grants(tab: number): readonly Grant[] {
    const t = this.tabs.get(tab);
    if (t === undefined) return [];
    return this.state.grants.filter((g) => (g.scope.kind === "tab" ? g.scope.tab === tab : covering({ grants: [g], hidden: [] }, t, t.url, this.o.clock.now()) !== undefined));
  }

  /** wide are the grants in force for more than one tab. */
  wide(): readonly Grant[] {
    return this.state.grants.filter((g) => g.scope.kind !== "tab");
  }

  /** tab is what is known of one. */
  tab(tab: number): Tab | undefined {
    return this.tabs.get(tab);
  }

  /** tabIDs are the numbers of all tabs. */
  tabIDs(): readonly number[] {
    return [...this.tabs.keys()];
  }

  /** covering are the grants by which a tab is seen. */
  covering(tab: number): readonly Grant[] {
    const t = this.tabs.get(tab), now = this.o.clock.now();
    return t === undefined ? [] : this.state.grants.filter((g) => covering({ grants: [g], hidden: this.state.hidden }, t, t.url, now) !== undefined);
  }

  /** isHidden tells whether a tab was made private. */
  isHidden(tab: number): boolean {
    return this.state.hidden.includes(tab);
  }

  /** throwAway tells whether every tab is allowed, in a browser for that. */
  get throwAway(): boolean {
    return this.everything;
  }

  /** saved is when all that was decided is kept. */
  async saved(): Promise<void> {
    await this.writes;
  }

  private by(t: Tab, url: string): Grant | undefined {
    return covering(this.state, t, url, this.o.clock.now());
  }

  private ownOf(tab: number): (Scope & { readonly kind: "tab" }) | undefined {
    for (const { scope } of this.state.grants) if (scope.kind === "tab" && scope.tab === tab) return scope;
    return undefined;
  }

  private passes(tab: number, url: string): void {
    if (this.allows(tab) || !this.ways.passes(tab, url)) return;
    this.keep(() => this.o.session.set("past", this.ways.past()));
  }

  // sees tells whether a page, by its address or origin, is one that agents see in
  // a tab, or another. Some browsers do not tell which one.
  private sees(tab: number, page: string): boolean {
    if (page.startsWith(this.o.own.slice(0, -1))) return false;
    const place = placeOf(page);
    if (page === "null" || page.startsWith("file:") || place === "") return true;
    const shows = (id: number): boolean => same(placeOf(this.tabs.get(id)?.url ?? ""), place) || this.within.get(id)?.some((w) => same(w, place)) === true;
    return shows(tab) || this.tabIDs().some((id) => shows(id) && this.allows(id));
  }

  private turn(next: State): void {
    const before = this.state;
    this.state = expire(next, this.o.clock.now());
    if (this.state !== before) this.save();
    this.o.clock.wakeAt(nextEnd(this.state));
    for (const t of this.tabs.keys()) this.tell(t);
  }

  private tell(tab: number): void {
    const now = this.allows(tab);
    if ((this.seen.get(tab) ?? false) === now) return;
    this.seen.set(tab, now);
    for (const f of this.onChange) f(tab, now);
  }

  private save(): void {
    const { grants, hidden } = this.state;
    const session = { grants: grants.filter((g) => !g.kept), hidden };
    const local = { grants: grants.filter((g) => g.kept), up: this.up };
    this.keep(() => Promise.all([this.o.session.set("consent", session), this.o.local.set("consent", local)]));
  }

  private keep(write: () => Promise<unknown>): void {
    this.writes = this.writes.then(write).catch(() => undefined);
  }
}
