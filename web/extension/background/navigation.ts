import type { ExtensionEvents, FrameInfo } from "../../shared/link.gen";
import { api, isFirefox, type Navigation, type NavigationCommitted, type NavigationError, type WebRequest } from "../shared/api";
import { aborted, netError } from "../shared/neterrors";
import { isPrefetch } from "../shared/prefetch";
import { isAsleep, sized } from "./asleep";
import { breaks, documentOf, forgetTab, framesOf, isShown, mint, named, showsError } from "./frames";
import type { Session } from "./state";
import type { Tabs } from "./tabs";

/** Send tells the bridge of an event. */
export type Send = <K extends keyof ExtensionEvents>(name: K, body: ExtensionEvents[K]) => void;

// A person chose these in the browser itself.
const chosen = new Set(["typed", "auto_bookmark", "generated", "keyword", "keyword_generated"]);

const firstMost = 2000; // milliseconds that a new tab takes to show an empty page
const wakeMost = 10_000; // and one that was unloaded its page
const goneAfter = [0, 100, 1000]; // milliseconds between the looks for a frame whose document has gone
const mostSeen = 64; // documents of a tab that may come back

/** Watch tells of the frames of the tabs that are watched. */
export class Watch {
  private readonly session: Session;
  private readonly tabs: Tabs;
  private readonly send: Send;
  private readonly watched = new Set<number>();
  private readonly seen = new Map<number, string[]>();
  private readonly silent = new Map<number, string>(); // what began to be loaded and was not told of
  private readonly shown = new Map<number, string>(); // the main documents of tabs
  private readonly awaited = new Map<number, () => void>();
  private readonly came = new Map<number, Map<number, number>>(); // when the documents of a tab's frames did

  constructor(session: Session, tabs: Tabs, send: Send) {
    this.session = session;
    this.tabs = tabs;
    this.send = send;
  }

  restore(): void {
    for (const id of this.session.numbers("watched")) this.watched.add(id);
  }

  /** start tells of a tab from now on. A page that the browser has unloaded is loaded again. */
  async start(tab: number): Promise<FrameInfo[]> {
    const asleep = isAsleep(this.tabs.need(tab));
    this.watched.add(tab);
    this.keep();
    if (asleep) {
      const woken = this.arrives(tab, wakeMost);
      await api.tabs.reload(tab);
      await woken;
      await sized(tab);
    }
    const frames = await framesOf(tab);
    if (frames.some((f) => f.frame === 0)) return frames;
    await this.arrives(tab, firstMost); // the browser knows of no document yet
    return framesOf(tab);
  }

  /** first is kept when a new tab shows its first document, or soon after. */
  first(tab: number): Promise<void> {
    return this.seen.has(tab) ? Promise.resolve() : this.arrives(tab, firstMost);
  }

  // arrives is kept when a tab shows another document, or after a time.
  private arrives(tab: number, most: number): Promise<void> {
    return new Promise((resolve) => {
      const before = this.awaited.get(tab);
      const timer = setTimeout(() => { this.arrived(tab); }, most);
      this.awaited.set(tab, () => {
        clearTimeout(timer);
        before?.();
        resolve();
      });
    });
  }

  private arrived(tab: number): void {
    this.awaited.get(tab)?.();
    this.awaited.delete(tab);
  }

  stop(tab: number): void {
    if (this.watched.delete(tab)) this.keep();
  }

  removed(tab: number): void {
    this.stop(tab);
    this.arrived(tab);
    this.silent.delete(tab);
    this.seen.delete(tab);
    this.came.delete(tab);
    this.shown.delete(tab);
    forgetTab(tab);
  }

  /** replaced: a tab has another number, and none of its documents any more. */
  replaced(added: number, removed: number): void {
    const watched = this.watched.has(removed);
    this.removed(removed);
    if (!watched) return;
    this.watched.add(added);
    this.keep();
  }

  /** sees tells whether an event of a tab is told, of something at an address. */
  sees(tab: number, url?: string): boolean {
    return this.watched.has(tab) && this.tabs.allowed(tab, url) !== null;
  }

  /** isOf tells whether a request is of what a tab is known to show, and not of what comes next or later. */
  isOf(d: WebRequest): boolean {
    if (!isShown(d) || isPrefetch(d)) return false;
    const shown = this.shown.get(d.tabId);
    return isFirefox || d.frameId !== 0 || d.type === "main_frame" || d.documentId === undefined || shown === undefined || d.documentId === shown;
  }

  began(d: Navigation): void {
    if (!isShown(d) || this.isOver(d)) return;
    if (this.sees(d.tabId, mainURL(d))) this.send("began", { tab: d.tabId, frame: d.frameId, url: d.url });
    else if (d.frameId === 0) this.silent.set(d.tabId, d.url);
  }

  // comes notes that a frame shows another document now.
  private comes(d: Navigation): void {
    const came = d.frameId === 0 ? new Map<number, number>() : (this.came.get(d.tabId) ?? new Map<number, number>());
    this.came.set(d.tabId, came.set(d.frameId, d.timeStamp));
    if (d.frameId === 0) this.silent.delete(d.tabId);
  }

  /**
   * isOver tells whether what happened in a frame did before its document came.
   * Firefox tells late of what happens in a tab that a page has just opened, and
   * of any when it is busy.
   */
  isOver(d: { readonly tabId: number; readonly frameId: number; readonly timeStamp: number }): boolean {
    return isFirefox && d.timeStamp <= (this.came.get(d.tabId)?.get(d.frameId) ?? 0);
  }

  /** asked: whose doing a navigation is shows when its document is asked for. */
  asked(tab: number, url: string): void {
    if (this.silent.get(tab) !== url || !this.sees(tab, url)) return;
    this.silent.delete(tab);
    this.send("began", { tab, frame: 0, url });
  }

  committed(d: NavigationCommitted): void {
    if (!isShown(d)) return;
    const document = mint(d);
    this.comes(d);
    if (isFirefox && showsError(d)) return; // Firefox commits its page about an error like any other
    if (d.frameId === 0) {
      this.tabs.at(d.tabId, d.url, true);
      this.shown.set(d.tabId, document);
    }
    const restored = this.wasSeen(d.tabId, document);
    if (d.frameId === 0) this.arrived(d.tabId);
    if (!this.sees(d.tabId, mainURL(d))) return;
    const byUser = chosen.has(d.transitionType) || d.transitionQualifiers.includes("from_address_bar");
    const again = d.transitionType === "reload" || d.transitionQualifiers.includes("forward_back");
    this.send("committed", {
      tab: d.tabId, frame: d.frameId, parent: d.parentFrameId, document, url: d.url,
      ...(restored ? { restored } : {}), ...(byUser ? { byUser } : {}), ...(again ? { again } : {}),
    });
  }

  // wasSeen notes a document, and tells whether it was shown before.
  private wasSeen(tab: number, document: string): boolean {
    const had = this.seen.get(tab) ?? [];
    this.seen.set(tab, had);
    if (had.includes(document)) return true;
    had.push(document);
    if (had.length > mostSeen) had.shift();
    return false;
  }

  at(name: "domReady" | "loaded" | "moved", d: Navigation): void {
    if (!isShown(d)) return;
    if (name === "moved" && d.frameId === 0) this.tabs.at(d.tabId, d.url, false);
    if (!this.sees(d.tabId, mainURL(d))) return;
    this.send(name, { tab: d.tabId, frame: d.frameId, document: documentOf(d.tabId, d), url: d.url });
  }

  failed(d: NavigationError): void {
    if (!isShown(d)) return;
    const error = netError(d.error);
    const shown = error !== aborted;
    // Firefox ends a navigation that goes on in another process with this too:
    // there the request tells what became of it.
    if (isFirefox && !shown) return;
    if (isFirefox) breaks(d);
    if (shown) this.comes(d);
    if (shown && d.frameId === 0) this.tabs.at(d.tabId, d.url, true);
    if (!this.sees(d.tabId, mainURL(d))) return;
    this.send("failed", { tab: d.tabId, frame: d.frameId, url: d.url, error, ...(shown ? { shown } : {}) });
  }

  /** stopped takes in that the request for a document was, in Firefox. */
  stopped(d: WebRequest): void {
    const main = d.type === "main_frame";
    if (!isFirefox || (!main && d.type !== "sub_frame") || netError(d.error) !== aborted || !this.sees(d.tabId, main ? d.url : undefined)) return;
    this.send("failed", { tab: d.tabId, frame: d.frameId, url: d.url, error: aborted });
  }

  /** left: the document of a frame is not shown any more. It is told when the frame is gone. */
  async left(tab: number, frame: number, document: string): Promise<void> {
    if (frame === 0 || !this.sees(tab)) return;
    // Firefox gives a frame that was removed for as long as a script holds its element, but soon lists it no more.
    for (const pause of goneAfter) {
      await new Promise((resolve) => { setTimeout(resolve, pause); });
      const all = await api.webNavigation.getAllFrames({ tabId: tab }).catch(() => null);
      if (all?.some((f) => f.frameId === frame) === true) continue;
      if (this.sees(tab)) this.send("frameGone", { tab, frame, document: named(tab, frame, document) });
      return;
    }
  }

  private keep(): void {
    this.session.keep("watched", [...this.watched]);
  }
}


// mainURL is the address that a navigation gives its tab, if it does.
function mainURL(d: Navigation): string | undefined {
  return d.frameId === 0 ? d.url : undefined;
}
