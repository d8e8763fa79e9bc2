import { api, type Tab } from "../shared/api";

/**
 * isAsleep: the browser has unloaded the page of a tab, or not loaded it since it
 * was started. Chromium says that also of a tab that is about to show its first.
 */
export function isAsleep(tab: Tab): boolean {
  return tab.discarded === true || (tab.status === "unloaded" && tab.url !== undefined && /^(https?|file):/.test(tab.url));
}

/**
 * sized gives a tab that was asleep a size. Chromium does not before its window
 * shows it, and nothing can be acted on in a page without one: so it is shown for
 * a moment.
 */
export async function sized(id: number): Promise<void> {
  const { height, windowId } = await api.tabs.get(id);
  if (height !== 0) return;
  const former = (await api.tabs.query({ active: true, windowId }))[0]?.id;
  await api.tabs.update(id, { active: true });
  const now = (await api.tabs.query({ active: true, windowId }))[0]?.id;
  if (former !== undefined && now === id) await api.tabs.update(former, { active: true }).catch(() => undefined); // it is gone
}
