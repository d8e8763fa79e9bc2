import type { WebRequest } from "../shared/api";
import { netError } from "./neterrors";
import type { Send, Watch } from "./navigation";

const mostAsked = 500;

/** Requests tells of what the pages of watched tabs ask servers for. */
export class Requests {
  private readonly watch: Watch;
  private readonly send: Send;
  private readonly asked = new Map<string, number>(); // tabs by the addresses that they asked for last

  constructor(watch: Watch, send: Send) {
    this.watch = watch;
    this.send = send;
  }

  /** askedFor is the tab that asked for an address lately, 0 for none that is watched. */
  askedFor(url: string): number {
    return this.asked.get(url) ?? 0;
  }

  private sees(d: WebRequest): boolean {
    return d.tabId >= 0 && this.watch.sees(d.tabId, d.type === "main_frame" ? d.url : undefined);
  }

  began(d: WebRequest): void {
    if (d.type === "main_frame") this.watch.asked(d.tabId, d.url);
    if (!this.sees(d)) return;
    this.asked.delete(d.url);
    this.asked.set(d.url, d.tabId);
    for (const url of this.asked.keys()) {
      if (this.asked.size <= mostAsked) break;
      this.asked.delete(url);
    }
    this.send("requested", { tab: d.tabId, frame: d.frameId, id: d.requestId, url: d.url, method: d.method, type: d.type });
  }

  responded(d: WebRequest): void {
    if (!this.sees(d)) return;
    this.send("responded", { tab: d.tabId, frame: d.frameId, id: d.requestId, url: d.url, type: d.type, status: d.statusCode ?? 0 });
  }

  ended(d: WebRequest): void {
    if (d.tabId < 0 || !this.watch.sees(d.tabId)) return;
    this.send("requestEnded", { tab: d.tabId, id: d.requestId, ...(d.error === undefined ? {} : { error: netError(d.error) }) });
  }
}
