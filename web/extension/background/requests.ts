import type { WebRequest } from "../shared/api";
import { netError } from "../shared/neterrors";
import { isPrefetch } from "../shared/prefetch";
import type { Send, Watch } from "./navigation";

const mostAsked = 500;
const lately = 60_000; // milliseconds

/** Asked is who asked for an address. */
export interface Asked {
  readonly tab: number;
  readonly frame: number;
  readonly forDocument: boolean; // to show it in the frame
  readonly told: boolean; // the bridge may know of it
  readonly at: number;
}

/** Requests tells of what the pages of watched tabs ask servers for. */
export class Requests {
  private readonly watch: Watch;
  private readonly send: Send;
  private readonly asked = new Map<string, Asked>(); // by the addresses that were asked for last

  constructor(watch: Watch, send: Send) {
    this.watch = watch;
    this.send = send;
  }

  /** askedFor is what asked for an address lately, last. */
  askedFor(url: string): Asked | undefined {
    const asked = this.asked.get(url);
    return asked !== undefined && Date.now() - asked.at < lately ? asked : undefined;
  }

  private sees(d: WebRequest): boolean {
    return d.tabId >= 0 && this.watch.isOf(d) && this.watch.sees(d.tabId, d.type === "main_frame" ? d.url : undefined);
  }

  began(d: WebRequest): void {
    const forDocument = (d.type === "main_frame" && !isPrefetch(d)) || d.type === "sub_frame";
    const late = forDocument && this.watch.isOver(d);
    if (d.type === "main_frame" && forDocument) this.watch.asked(d.tabId, d.url);
    const told = this.sees(d);
    this.asked.delete(d.url);
    this.asked.set(d.url, { tab: d.tabId, frame: d.frameId, forDocument, told, at: Date.now() });
    for (const url of this.asked.keys()) {
      if (this.asked.size <= mostAsked) break;
      this.asked.delete(url);
    }
    if (!told) return;
    this.send("requested", { tab: d.tabId, frame: d.frameId, id: d.requestId, url: d.url, method: d.method, type: d.type, ...(late ? { late } : {}) });
  }

  responded(d: WebRequest): void {
    if (!this.sees(d)) return;
    this.send("responded", { tab: d.tabId, frame: d.frameId, id: d.requestId, url: d.url, type: d.type, status: d.statusCode ?? 0 });
  }

  ended(d: WebRequest): void {
    if (d.error !== undefined) this.watch.stopped(d);
    if (!this.sees(d)) return;
    this.send("requestEnded", { tab: d.tabId, id: d.requestId, ...(d.error === undefined ? {} : { error: netError(d.error) }) });
  }
}
