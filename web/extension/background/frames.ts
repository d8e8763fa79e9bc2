import type { FrameInfo } from "../../shared/link.gen";
import { api, type Navigation, type NavigationFrame } from "../shared/api";

// Documents have ids in Chromium, which are never used again. Firefox has none:
// there they are made here, for what a frame shows from one navigation to the next.
const minted = new Map<string, string>();

function place(tab: number, frame: number): string {
  return `${tab}:${frame}`;
}

/** mint makes the id of a document that a frame shows from now on. */
export function mint(d: Navigation): string {
  if (d.documentId !== undefined) return d.documentId;
  const id = crypto.randomUUID();
  minted.set(place(d.tabId, d.frameId), id);
  return id;
}

/** documentOf is the id of the document that a frame shows. */
export function documentOf(tab: number, frame: { readonly frameId: number; readonly documentId?: string }): string {
  if (frame.documentId !== undefined) return frame.documentId;
  const had = minted.get(place(tab, frame.frameId));
  if (had !== undefined) return had;
  const id = crypto.randomUUID();
  minted.set(place(tab, frame.frameId), id);
  return id;
}

/** forgetTab forgets the documents of a tab that is gone. */
export function forgetTab(tab: number): void {
  for (const key of [...minted.keys(), ...broken]) {
    if (!key.startsWith(`${tab}:`)) continue;
    minted.delete(key);
    broken.delete(key);
  }
}

// Frames of Firefox in which it shows an error in place of a document.
const broken = new Set<string>();

/** setBroken notes whether a frame of Firefox shows an error. */
export function setBroken(d: Navigation, is: boolean): void {
  if (is) broken.add(place(d.tabId, d.frameId));
  else broken.delete(place(d.tabId, d.frameId));
}

/** isShown: neither prepared for a later time, nor kept for it, nor on its way out. */
export function isShown(d: { readonly documentLifecycle?: string }): boolean {
  return d.documentLifecycle === undefined || d.documentLifecycle === "active";
}

/** framesOf lists the frames of a tab, each after its parent. */
export async function framesOf(tab: number): Promise<FrameInfo[]> {
  const all = new Map<number, NavigationFrame>();
  for (const f of (await api.webNavigation.getAllFrames({ tabId: tab })) ?? []) {
    if (isShown(f)) all.set(f.frameId, f);
  }
  const out: FrameInfo[] = [];
  const done = new Set<number>();
  const add = (f: NavigationFrame): void => {
    if (done.has(f.frameId)) return;
    done.add(f.frameId);
    const parent = f.frameId === 0 ? undefined : all.get(f.parentFrameId);
    if (f.frameId !== 0 && parent === undefined) return; // of a document that has gone
    if (parent !== undefined) add(parent);
    out.push({
      frame: f.frameId,
      parent: f.parentFrameId,
      document: documentOf(tab, f),
      url: f.url,
      ...(f.errorOccurred === true || broken.has(place(tab, f.frameId)) ? { failed: true } : {}),
    });
  };
  for (const f of all.values()) add(f);
  return out;
}
