import type { WebRequest } from "../shared/api";
import { netError } from "../shared/neterrors";
import type { Send, Watch } from "./navigation";

const mostAsked = 500;

/** Asked is who asked for an address. */
export interface Asked {
  readonly tab: number;
  readonly frame: number;
  readonly forDocument: boolean; // to show it in the frame
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

  /** askedFor is what asked for an address lately, in a tab that is watched. */
  askedFor(url: string): Asked | undefined {
    return this.asked.get(url);
  }

  private sees(d: WebRequest): boolean {
    return d.tabId >= 0 && this.watch.sees(d.tabId, d.type === "main_frame" ? d.url : undefined);
  }

  began(d: WebRequest): void {
    const forDocument = d.type === "main_frame" || d.type === "sub_frame";
    const late = forDocument && this.watch.isOver(d);
    if (d.type === "main_frame") this.watch.asked(d.tabId, d.url);
    if (!this.sees(d)) return;
    this.asked.delete(d.url);
    this.asked.set(d.url, { tab: d.tabId, frame: d.frameId, forDocument });
    for (const url of this.asked.keys()) {
      if (this.asked.size <= mostAsked) break;
      this.asked.delete(url);
    }
    this.send("requested", { tab: d.tabId, frame: d.frameId, id: d.requestId, url: d.url, method: d.method, type: d.type, ...(late ? { late } : {}) });
  }

  responded(d: WebRequest): void {
    if (!this.sees(d)) return;
    this.send("responded", { tab: d.tabId, frame: d.frameId, id: d.requestId, url: d.url, type: d.type, status: d.statusCode ?? 0 });
  }

  ended(d: WebRequest): void {
    if (d.error !== undefined) this.watch.stopped(d);
    if (d.tabId < 0 || !this.watch.sees(d.tabId)) return;
    this.send("requestEnded", { tab: d.tabId, id: d.requestId, ...(d.error === undefined ? {} : { error: netError(d.error) }) });
  }
}
