import { api } from "../shared/api";
import { isAsleep, sized } from "./asleep";
import type { Ops } from "./dispatch";
import { ask, enter, name } from "./documents";
import { faultOf, messageOf, OpFault } from "./faults";
import { framesOf } from "./frames";
import type { Watch } from "./navigation";
import type { Tabs } from "./tabs";

function move(by: number): void {
  history.go(by);
}

// travel moves in the history, which the page itself does best: browsers leave
// out what an extension has opened when they go back for one.
async function travel(tab: number, by: number): Promise<void> {
  try {
    await api.scripting.executeScript({ target: { tabId: tab, frameIds: [0] }, func: move, args: [by], injectImmediately: true });
  } catch {
    await (by < 0 ? api.tabs.goBack(tab) : api.tabs.goForward(tab)); // a page that lets nobody in
  }
}

// go begins a navigation.
async function go(tab: number, url: string, to: string): Promise<void> {
  try {
    switch (to) {
      case "back": await travel(tab, -1); return;
      case "forward": await travel(tab, 1); return;
      case "reload": await api.tabs.reload(tab); return;
    }
    refuseOwn(url);
    await api.tabs.update(tab, { url });
  } catch (e) {
    if (/history/i.test(messageOf(e))) throw new OpFault("page_error", `there is no page to go ${to} to`, "navigate to a url");
    throw unopened(e, url);
  }
}

// What browsers let extensions open, and nobody else has any business at: their
// own pages, those of extensions, and code.
const foreign = /^(https?|file|data|blob|ftp):|^about:blank([?#]|$)/i;

function refuseOwn(url: string): void {
  if (!foreign.test(url)) throw notOpened(url);
}

function notOpened(url: string): OpFault {
  return new OpFault("page_error", `the browser lets no extension open ${url.slice(0, 200)}`, "go to a page at http: or https:");
}

// unopened is why the browser does not open an address.
function unopened(e: unknown, url: string): OpFault {
  if (!/illegal url|invalid url|cannot navigate|not allowed|javascript:/i.test(messageOf(e))) return faultOf(e);
  return notOpened(url);
}

async function open(url: string, active: boolean, windowId: number | undefined): ReturnType<typeof api.tabs.create> {
  refuseOwn(url);
  try {
    return await api.tabs.create({ url, active, ...(windowId === undefined ? {} : { windowId }) });
  } catch (e) {
    if (windowId !== undefined || !/no current window|no window/i.test(messageOf(e))) throw unopened(e, url);
    const tab = (await api.windows.create({ url, focused: active })).tabs?.[0];
    if (tab === undefined) throw faultOf(e);
    return tab;
  }
}

/** opsFor are the ops on tabs and documents. */
export function opsFor(tabs: Tabs, watch: Watch): Ops {
  return {
    listTabs: () => Promise.resolve({ tabs: tabs.list() }),
    openTab: async (a) => {
      if (a.opener !== undefined && a.opener !== 0) {
        const { id, windowId } = tabs.need(a.opener), url = a.url ?? "about:blank";
        refuseOwn(url);
        return tabs.fromPage(await api.tabs.create({ url, active: a.active, windowId, openerTabId: id }), id, url);
      }
      if (a.window !== undefined && !tabs.list().some((t) => t.window === a.window)) {
        throw new OpFault("invalid_arguments", "there is no such window"); // or none that may be known
      }
      const url = a.url === undefined || a.url === "" ? "about:blank" : a.url;
      const info = tabs.ours(await tabs.opening(() => open(url, a.active, a.window)), url);
      if (url !== "about:blank") return info;
      await watch.first(info.tab); // a navigation before would seem to have led there
      return tabs.info(tabs.need(info.tab));
    },
    closeTab: async ({ tab }) => {
      tabs.need(tab);
      await api.tabs.remove(tab);
      return {};
    },
    activateTab: async ({ tab }) => {
      const { windowId } = tabs.need(tab);
      await api.tabs.update(tab, { active: true });
      await api.windows.update(windowId, { focused: true });
      return {};
    },
    getTab: async ({ tab }) => {
      tabs.need(tab);
      await tabs.look(tab);
      return tabs.info(tabs.need(tab));
    },
    unload: async ({ tab }) => {
      tabs.need(tab);
      await api.tabs.discard(tab);
      return {};
    },
    go: async ({ tab, url, to }) => {
      const asleep = isAsleep(tabs.need(tab));
      await go(tab, url ?? "", to ?? "");
      if (asleep) await sized(tab);
      return {};
    },
    watch: async ({ tab }) => ({ frames: await watch.start(tab) }),
    unwatch: ({ tab }) => {
      watch.stop(tab);
      return Promise.resolve({});
    },
    listFrames: async ({ tab }) => {
      tabs.need(tab);
      return { frames: await framesOf(tab) };
    },
    enter: async (a) => {
      tabs.need(a.tab);
      return enter(a);
    },
    ask: async (a) => {
      tabs.need(a.tab);
      return ask(a);
    },
    name: async (a) => {
      tabs.need(a.tab);
      await name(a);
      return {};
    },
  };
}
