import { field, stateIn } from "./decode";
import { closed, covering, emptied, expire, follow, grant, grantFor, hide, nextEnd, nothing, opened, renumber, withdraw } from "./grants";
import type { Duration, Grant, Kind, Scope, State, Tab } from "./grants";
import { hostOf, placeOf } from "./places";

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
}

// For so long after an act of an agent, what a tab does is taken to follow from
// it; for so long what an agent leads a tab to may begin.
const consequences = 10_000;
const leading = 30_000;

// After a request for a document has ended, a page that comes of it comes within this.
const arriving = 3_000;

interface Heading {
  readonly request: string;
  readonly url: string;
  readonly caused: boolean; // by an agent, as far as can be told
  readonly at: number;
  readonly over: number; // when the request had ended
}

interface Leading {
  readonly at: number;
  readonly to: string | null; // the address, null when it is not known
}

export class Consent {
  private state: State = nothing;
  private up = false;
  private everything = false;
  private readonly tabs = new Map<number, Tab>();
  private readonly seen = new Map<number, boolean>(); // what was told of them
  private readonly acts = new Map<number, number>(); // when an agent acted on them, last
  private readonly led = new Map<number, Leading>(); // where an agent leads them, until that begins
  private readonly travels = new Map<number, number>(); // when an agent began to move them in their history
  private readonly heading = new Map<number, Heading>(); // whose request for another document is under way
  private readonly onChange: ((tab: number, allowed: boolean) => void)[] = [];
  private readonly onStop: ((up: boolean) => void)[] = [];
  private writes: Promise<unknown> = Promise.resolve();

  private readonly o: ConsentOptions;

  constructor(o: ConsentOptions) {
    this.o = o;
  }

  /**
   * restore brings back what was decided before the worker was ended. Tabs are
   * all that there are; everything allows each of them, in a throw-away browser.
   * Nothing is allowed before, and nothing else may be called.
   */
  async restore(tabs: readonly Tab[], everything: boolean): Promise<void> {
    const [session, local] = await Promise.all([this.o.session.get("consent"), this.o.local.get("consent")]);
    const kept = stateIn(local).grants;
    const now = stateIn(session);
    this.up = field(local, "up") === true;
    this.everything = everything;
    for (const t of tabs) this.tabs.set(t.id, t);
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
    return this.by(t, t.url) !== undefined && (this.caused(tab, url) ?? this.isLed(tab, url));
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
   * none did; byUs: an agent had it opened. It may be told of one tab more than once.
   */
  opened(tab: Tab, opener: number | null, byUs: boolean): void {
    this.tabs.set(tab.id, this.tabs.get(tab.id) ?? tab);
    const parent = opener === null ? undefined : this.tabs.get(opener);
    const by = parent === undefined ? undefined : this.by(parent, parent.url);
    if (this.ownOf(tab.id) !== undefined || (!byUs && by === undefined)) {
      this.tell(tab.id);
      return;
    }
    const now = this.o.clock.now();
    this.turn(opened(this.state, tab, byUs ? null : (by ?? null), this.o.id()));
    // It may have been on its way, or even there, before this was told.
    if (byUs) this.led.set(tab.id, { at: now, to: null });
    const on = this.headed(tab.id);
    if (on !== undefined) this.heading.set(tab.id, { ...on, caused: true });
    const at = this.tabs.get(tab.id), fresh = this.state.grants.at(-1);
    if (at !== undefined && fresh !== undefined) this.turn(follow(this.state, at, at.url, fresh, ""));
  }

  /** closed forgets a tab, without telling: that it is gone is told anyway. */
  closed(tab: number): void {
    this.tabs.delete(tab);
    this.seen.delete(tab);
    this.acts.delete(tab);
    this.led.delete(tab);
    this.travels.delete(tab);
    this.heading.delete(tab);
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
    this.acts.set(tab, this.o.clock.now());
  }

  /** leads takes in that an agent is about to lead a tab to an address, null when it is not known. */
  leads(tab: number, to: string | null): void {
    this.acted(tab);
    this.led.set(tab, { at: this.o.clock.now(), to });
  }

  /**
   * travelling takes in that an agent is about to move a tab in its history: what
   * its user looked at there in private stays so.
   */
  travelling(tab: number): void {
    this.travels.set(tab, this.o.clock.now());
  }

  /**
   * began takes in that a document for the main frame of a tab was asked for,
   * before anything else is told of that. A redirection is the same request.
   * ByPage: a page did, or we.
   */
  began(tab: number, request: string, url: string, byPage: boolean): void {
    const on = this.headed(tab), now = this.o.clock.now();
    if (on?.request === request) {
      this.heading.set(tab, { ...on, url, at: now });
      return;
    }
    const led = this.isLed(tab, url);
    if (led) this.led.delete(tab); // what comes next is another's doing
    const caused = led || (byPage && !this.isTravelling(tab) && (this.ownOf(tab)?.fresh === true || this.follows(tab)));
    this.heading.set(tab, { request, url, caused, at: now, over: Infinity });
  }

  /** ended takes in that a request for a document has. It may have come to nothing. */
  ended(tab: number, request: string): void {
    const on = this.heading.get(tab);
    if (on?.request === request) this.heading.set(tab, { ...on, over: this.o.clock.now() });
  }

  /** leaves tells whether a tab is on its way to where nobody may follow it. */
  leaves(tab: number): boolean {
    return this.headed(tab)?.caused === false;
  }

  /**
   * navigated takes in which address a tab shows now. Where an agent led an
   * allowed tab it stays allowed; byUser: its user did, in the browser itself,
   * as far as is known when the document was not asked for anew. InHistory: it
   * was there before, with what its user did there.
   */
  navigated(tab: number, url: string, byUser: boolean, inHistory: boolean): void {
    const t = this.tabs.get(tab);
    if (t === undefined) return;
    const before = this.by(t, t.url);
    const fresh = this.ownOf(tab)?.fresh === true;
    const caused = !inHistory && (this.caused(tab, url) ?? (this.isLed(tab, url) || (!byUser && (fresh || this.follows(tab)))));
    this.tabs.set(tab, { ...t, url });
    this.travels.delete(tab);
    if (placeOf(url) !== "") { // an empty page may be shown on the way
      this.heading.delete(tab);
      this.led.delete(tab);
    }
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

  private isLed(tab: number, url: string): boolean {
    const led = this.led.get(tab);
    return led !== undefined && this.o.clock.now() - led.at < leading && (led.to === null || isOnWay(led.to, url));
  }

  private isTravelling(tab: number): boolean {
    return this.o.clock.now() - (this.travels.get(tab) ?? -Infinity) < consequences;
  }

  // caused tells whether an agent's doing is under way to an address; undefined
  // when it was not asked for.
  private caused(tab: number, url: string): boolean | undefined {
    const on = this.headed(tab);
    return on !== undefined && (placeOf(url) === "" || isOnWay(on.url, url)) ? on.caused : undefined;
  }

  private headed(tab: number): Heading | undefined {
    const h = this.heading.get(tab), now = this.o.clock.now();
    return h !== undefined && now - h.at < leading && now - h.over < arriving ? h : undefined;
  }

  private follows(tab: number): boolean {
    return this.o.clock.now() - (this.acts.get(tab) ?? -Infinity) < consequences;
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
    this.writes = this.writes.then(() => Promise.all([this.o.session.set("consent", session), this.o.local.set("consent", local)])).catch(() => undefined);
  }
}

// What a browser calls a navigation that somebody asked the browser itself for.
const browsing = new Set(["typed", "auto_bookmark", "generated", "keyword", "keyword_generated", "start_page", "auto_toplevel"]);

// isOnWay tells whether an address is the one that a tab is led to, or that with
// a safer scheme.
function isOnWay(to: string, url: string): boolean {
  return hostOf(to) === hostOf(url);
}

/** isInHistory tells whether a navigation went back or forward. */
export function isInHistory(qualifiers: readonly string[] | undefined): boolean {
  return qualifiers?.includes("forward_back") ?? false;
}

/** isByUser tells whether a navigation was asked for in the browser itself. */
export function isByUser(type: string | undefined, qualifiers: readonly string[] | undefined): boolean {
  return (type !== undefined && browsing.has(type)) || (qualifiers?.includes("from_address_bar") ?? false);
}
