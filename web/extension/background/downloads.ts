import { aborted } from "../shared/neterrors";
import type { DownloadTold } from "../../shared/link.gen";
import { api, isFirefox, type DownloadItem } from "../shared/api";
import type { Send } from "./navigation";
import type { Requests } from "./requests";
import type { Tabs } from "./tabs";

// Firefox tells of a download before it tells of the request: milliseconds to wait for that.
const patience = [0, 200, 800];

/**
 * Downloads tells of those that tabs began which the bridge may know of. The
 * browser does not say which tab it was: it is the one that asked for the
 * address, or whose page the download names as its source.
 */
export class Downloads {
  private readonly tabs: Tabs;
  private readonly requests: Requests;
  private readonly send: Send;
  private readonly told = new Map<number, number>(); // tabs by downloads

  constructor(tabs: Tabs, requests: Requests, send: Send) {
    this.tabs = tabs;
    this.requests = requests;
    this.send = send;
  }

  async created(item: DownloadItem): Promise<void> {
    if (item.byExtensionId === api.runtime.id) return;
    for (const wait of patience) {
      await new Promise((resolve) => { setTimeout(resolve, wait); });
      const tab = this.tabOf(item);
      if (tab === 0) continue;
      this.told.set(item.id, tab);
      this.tell(item, tab);
      if (wait > 0) await this.changed(item.id);
      return;
    }
  }

  async changed(id: number): Promise<void> {
    const tab = this.told.get(id);
    if (tab === undefined) return;
    const [item] = await api.downloads.search({ id });
    if (item === undefined || this.tabs.allowed(tab) === null) return;
    this.tell(item, tab);
    if (item.state !== "in_progress") this.told.delete(id);
  }

  private tabOf(item: DownloadItem): number {
    const asked = this.requests.askedFor(item.finalUrl ?? item.url) ?? this.requests.askedFor(item.url);
    if (asked !== undefined) {
      if (!asked.told || this.tabs.allowed(asked.tab) === null) return 0;
      // Firefox does not tell that no document comes of it.
      if (isFirefox && asked.forDocument) this.send("failed", { tab: asked.tab, frame: asked.frame, url: item.url, error: aborted });
      return asked.tab;
    }
    // What a page made itself was asked for by no request: its maker is known
    // when all pages of that origin are of tabs that are allowed.
    const source = item.url.startsWith("blob:") ? item.url.slice("blob:".length) : (item.referrer ?? "");
    return this.tabs.only(originOf(source));
  }

  private tell(item: DownloadItem, tab: number): void {
    const path = item.filename, done = item.state === "complete";
    this.send("download", {
      tab,
      id: String(item.id),
      url: item.url.slice(0, 4096),
      name: path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1),
      bytes: item.bytesReceived,
      state: done ? "completed" : item.state === "interrupted" ? "interrupted" : "running",
      ...(done ? { path } : {}),
    } satisfies DownloadTold);
  }
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return "";
  }
}
