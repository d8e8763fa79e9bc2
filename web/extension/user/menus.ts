import { api } from "./api";

// The entries of a page's context menu.

export const entries = ["allow-tab", "allow-site", "hide"] as const;
export type Entry = (typeof entries)[number];

/** entryIn is what names an entry, or null. */
export function entryIn(x: unknown): Entry | null {
  return entries.find((e) => e === x) ?? null;
}

const titles = { "allow-tab": "Allow agents on this tab", "allow-site": "Allow agents on this site", hide: "Make this tab private to agents" };

/** makeMenus makes them, when the extension is started. */
export async function makeMenus(): Promise<void> {
  await api.contextMenus.removeAll();
  for (const id of entries) {
    api.contextMenus.create({ id, title: titles[id], contexts: ["page", "frame", "link", "selection", "image", "editable"] }, () => void api.runtime.lastError);
  }
}

/** Facing is the tab that a person looks at. Host is "" where there is no site to allow. */
export interface Facing {
  readonly host: string;
  readonly allowed: boolean;
}

let last = "";

/** setMenus shows the entries that make sense for a tab. */
export function setMenus(f: Facing): void {
  const key = JSON.stringify(f);
  if (key === last) return;
  last = key;
  const change = (id: Entry, how: { readonly title?: string; readonly visible: boolean }): void => {
    api.contextMenus.update(id, how).catch(() => undefined); // they are not made yet
  };
  change("allow-tab", { visible: !f.allowed });
  change("allow-site", { visible: !f.allowed && f.host !== "", ...(f.host === "" ? {} : { title: `Allow agents on ${f.host.replaceAll("&", "&&")}` }) });
  change("hide", { visible: f.allowed });
}
