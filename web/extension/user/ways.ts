import { list } from "./decode";
import { hostOf, placeOf } from "./places";

// Whose doing it is that a tab shows something else: an agent's, by what it did
// there, or its user's. In doubt it is its user's.

// For so long after an act of an agent, what a tab does is taken to follow from
// it; for so long what an agent leads a tab to may begin.
const consequences = 10_000;
const leading = 30_000;

// After a request for a document has ended, a page that comes of it comes within this.
const arriving = 3_000;

// Of a tab so many addresses are known that it showed in private, by how they begin.
const mostPassed = 32, mostOf = 200;

/** Arrival is how a tab came to show what it does, as far as the browser says so. */
export type Arrival = "by user" | "in history" | "failed" | "unknown";

interface Heading {
  readonly request: string;
  readonly url: string;
  readonly led: boolean; // an agent named where to
  readonly caused: boolean; // by an agent, as far as can be told
  readonly at: number;
  readonly over: number; // when the request had ended
}

interface Leading {
  readonly at: number;
  readonly to: string;
}

export class Ways {
  private readonly acts = new Map<number, number>(); // when an agent acted on them, last
  private readonly led = new Map<number, Leading>(); // where an agent leads them, until that begins
  private readonly travels = new Map<number, number>(); // when an agent began to move them in their history
  private readonly heading = new Map<number, Heading>(); // whose request for another document is under way
  private readonly passed = new Map<number, readonly string[]>(); // what they showed in private

  private readonly now: () => number;
  private readonly asksFirst: boolean;

  /** AsksFirst: the browser tells of each request for a page before it shows that, without fail. */
  constructor(now: () => number, asksFirst: boolean) {
    this.now = now;
    this.asksFirst = asksFirst;
  }

  acted(tab: number): void {
    this.acts.set(tab, this.now());
  }

  leads(tab: number, to: string): void {
    this.led.set(tab, { at: this.now(), to });
  }

  travelling(tab: number): void {
    this.travels.set(tab, this.now());
  }

  forget(tab: number): void {
    for (const m of [this.acts, this.led, this.travels, this.heading, this.passed]) m.delete(tab);
  }

  /**
   * passes notes what a tab has shown in private, to which its history leads back.
   * It tells whether that was news.
   */
  passes(tab: number, url: string): boolean {
    const had = this.passed.get(tab) ?? [], at = bare(url);
    if (placeOf(url) === "" || had.at(-1) === at) return false;
    this.passed.set(tab, [...had.filter((u) => u !== at), at].slice(-mostPassed));
    return true;
  }

  /** past is what tabs have shown in private, to be kept. */
  past(): unknown {
    return [...this.passed];
  }

  /** recall takes back what was kept. */
  recall(past: unknown, isTab: (tab: number) => boolean): void {
    for (const [tab, urls] of list(past).map(list)) {
      if (typeof tab === "number" && isTab(tab)) this.passed.set(tab, list(urls).filter((u) => typeof u === "string"));
    }
  }

  /**
   * began takes in that a document was asked for. A redirection is the same
   * request. ByPage: a page that agents see did, or one of its frames. Fresh: the
   * tab is, and may go anywhere.
   */
  began(tab: number, request: string, url: string, byPage: boolean, fresh: boolean): void {
    const on = this.headed(tab), now = this.now();
    if (on?.request === request) {
      this.heading.set(tab, { ...on, url, at: now });
      return;
    }
    const led = this.isLed(tab, url);
    if (led) this.led.delete(tab); // what comes next is another's doing
    const back = this.isTravelling(tab) || this.passed.get(tab)?.includes(bare(url)) === true;
    const caused = led || (byPage && !back && (fresh || this.follows(tab)));
    this.heading.set(tab, { request, url, led, caused, at: now, over: Infinity });
  }

  /** ended takes in that a request for a document has. It may have come to nothing. */
  ended(tab: number, request: string): void {
    const on = this.heading.get(tab);
    if (on?.request === request) this.heading.set(tab, { ...on, over: this.now() });
  }

  /** ours takes in that a tab, which may be on its way already, is an agent's. */
  ours(tab: number): void {
    const on = this.headed(tab);
    if (on !== undefined) this.heading.set(tab, { ...on, led: true, caused: true });
  }

  /** leaves tells whether a tab is on its way by itself, or by its user. */
  leaves(tab: number): boolean {
    return this.headed(tab)?.caused === false;
  }

  /** leadsTo tells whether an agent's doing is under way to an address. */
  leadsTo(tab: number, url: string): boolean {
    return this.to(tab, url)?.caused ?? this.isLed(tab, url);
  }

  /** arrived tells whether it is an agent's doing that a tab shows an address now. */
  arrived(tab: number, url: string, how: Arrival, fresh: boolean): boolean {
    const on = this.to(tab, url);
    const caused = how !== "in history" && (on === undefined ? this.isLed(tab, url) || this.unasked(tab, url, how, fresh) : on.led || (on.caused && how !== "by user"));
    this.travels.delete(tab);
    if (placeOf(url) !== "") { // an empty page may be shown on the way
      this.heading.delete(tab);
      this.led.delete(tab);
    }
    return caused;
  }

  // unasked is the same of what nobody was seen to ask for.
  private unasked(tab: number, url: string, how: Arrival, fresh: boolean): boolean {
    if (how !== "unknown" || (this.asksFirst && !isOfPages(url))) return false;
    return fresh || this.follows(tab);
  }

  private to(tab: number, url: string): Heading | undefined {
    const on = this.headed(tab);
    return on !== undefined && (placeOf(url) === "" || isOnWay(on.url, url)) ? on : undefined;
  }

  private headed(tab: number): Heading | undefined {
    const h = this.heading.get(tab), now = this.now();
    return h !== undefined && now - h.at < leading && now - h.over < arriving ? h : undefined;
  }

  private isLed(tab: number, url: string): boolean {
    const led = this.led.get(tab);
    return led !== undefined && this.now() - led.at < leading && isOnWay(led.to, url);
  }

  private isTravelling(tab: number): boolean {
    return this.now() - (this.travels.get(tab) ?? -Infinity) < consequences;
  }

  private follows(tab: number): boolean {
    return this.now() - (this.acts.get(tab) ?? -Infinity) < consequences;
  }
}

// isOnWay tells whether an address is on the host that a tab is led to; where
// there is none, that it is the same.
function isOnWay(to: string, url: string): boolean {
  const host = hostOf(to);
  return host === hostOf(url) && (host !== "" || placeOf(to).replace(/\/$/, "") === placeOf(url).replace(/\/$/, ""));
}

// isOfPages tells whether only pages lead to an address, which nobody is asked for.
function isOfPages(url: string): boolean {
  return placeOf(url) === "" || url.startsWith("blob:");
}

function bare(url: string): string {
  return url.replace(/#.*$/s, "").slice(0, mostOf);
}

// What a browser calls a navigation that somebody asked the browser itself for.
const browsing = new Set(["typed", "auto_bookmark", "generated", "keyword", "keyword_generated", "start_page", "auto_toplevel"]);

/** arrivalOf is what a browser says of a navigation in its own words. */
export function arrivalOf(type: string | undefined, qualifiers: readonly string[] | undefined): Arrival {
  if (qualifiers?.includes("forward_back") === true) return "in history";
  return (type !== undefined && browsing.has(type)) || qualifiers?.includes("from_address_bar") === true ? "by user" : "unknown";
}
