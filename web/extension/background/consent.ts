import type { Tab } from "../shared/api";
import type { Config } from "./config";

/** Consent is what the user of this browser lets through. */
export class Consent {
  /** ready is kept once what holds is known; nothing is asked before. */
  readonly ready: Promise<void> = Promise.resolve();
  /** stopped: nothing is let through. */
  readonly stopped: boolean = false;

  private readonly all: boolean;
  private readonly ours = new Set<number>();

  constructor(config: Config) {
    this.all = config.allowAll;
  }

  /** allows tells whether the bridge may know of a tab. */
  allows(tab: Tab): boolean {
    return this.all || (tab.id !== undefined && this.ours.has(tab.id));
  }

  /** changed calls f when the user allows or withdraws a tab. */
  changed(f: (tabId: number, allowed: boolean) => void): void {
    void f;
  }

  /** stoppedChanged calls f when the user stops everything, and when that ends. */
  stoppedChanged(f: (up: boolean) => void): void {
    void f;
  }

  /** opened tells of a new tab: by a page of another, or by us. */
  opened(tab: Tab, opener: number | null, byUs: boolean): void {
    if (tab.id !== undefined && (byUs || (opener !== null && this.ours.has(opener)))) this.ours.add(tab.id);
  }

  closed(tabId: number): void {
    this.ours.delete(tabId);
  }

  /** moved: the browser put another tab in the place of one. */
  moved(from: number, to: number): void {
    if (this.ours.delete(from)) this.ours.add(to);
  }
}
