import type { FrameInfo } from "../../shared/link.gen";
import { api, isFirefox, type Navigation, type NavigationFrame } from "../shared/api";

// Documents have ids in Chromium, which are never used again. Those of Firefox
// are of windows, if it has any: the first document that a frame loads may be
// given the window of the empty one that it began with, and its id. It gets
// another one here, as do all in a Firefox without ids.
interface Shown {
  readonly document: string;
  readonly url: string;
}

const shown = new Map<string, Shown>(); // in frames of Firefox, as far as is known
const renamed = new Map<string, string>(); // what documents are called here, by their frames and the ids that Firefox gives them

function place(tab: number, frame: number): string {
  return `${tab}:${frame}`;
}

/** mint makes the id of a document that a frame shows from now on. */
export function mint(d: Navigation): string {
  if (isFirefox && d.documentId === undefined) shown.set(place(d.tabId, d.frameId), { document: crypto.randomUUID(), url: d.url });
  return documentOf(d.tabId, d, true);
}

/**
 * documentOf is the id of the document that a frame shows, at an address; "" when
 * that is on its way. Committed: the browser tells that it has come.
 */
export function documentOf(tab: number, { frameId, documentId, url }: { readonly frameId: number; readonly documentId?: string; readonly url: string }, committed = false): string {
  if (!isFirefox) return documentId ?? "";
  const at = place(tab, frameId), had = shown.get(at);
  let document = documentId === undefined ? (had?.document ?? crypto.randomUUID()) : named(tab, frameId, documentId);
  if (documentId !== undefined && had?.document === document && isEmpty(had.url) && !isEmpty(url)) {
    document = crypto.randomUUID();
    renamed.set(`${at}:${documentId}`, document);
  }
  // Where a document is to come in another process, Firefox lists an empty one before it.
  if (!committed && had !== undefined && had.document !== document && isEmpty(url)) return "";
  // A listing may be older than what was told of the document.
  if (had?.document !== document || isEmpty(had.url)) shown.set(at, { document, url });
  return document;
}

/** named is the id of a document here that the browser tells by its own. */
export function named(tab: number, frame: number, documentId: string): string {
  return renamed.get(`${place(tab, frame)}:${documentId}`) ?? documentId;
}

function isEmpty(url: string): boolean {
  return /^about:blank([?#]|$)/.test(url);
}

/** forgetTab forgets the documents of a tab that is gone. */
export function forgetTab(tab: number): void {
  for (const key of [...shown.keys(), ...renamed.keys(), ...broken.keys()]) {
    if (!key.startsWith(`${tab}:`)) continue;
    shown.delete(key);
    renamed.delete(key);
    broken.delete(key);
  }
}

// Frames of Firefox in which it shows an error in place of a document, or is to: by the address.
const broken = new Map<string, { readonly url: string; readonly shown: boolean }>();

/** breaks notes that a frame of Firefox is to show an error. */
export function breaks(d: Navigation): void {
  broken.set(place(d.tabId, d.frameId), { url: d.url, shown: false });
}

/** showsError notes what a frame of Firefox shows now, and tells whether that is the error that it was to show. */
export function showsError(d: Navigation): boolean {
  const at = place(d.tabId, d.frameId), had = broken.get(at);
  const is = had !== undefined && !had.shown && had.url === d.url;
  if (is) broken.set(at, { ...had, shown: true });
  else broken.delete(at);
  return is;
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
    const error = broken.get(place(tab, f.frameId));
    out.push({
      frame: f.frameId,
      parent: f.parentFrameId,
      document: error?.shown === false ? "" : documentOf(tab, f), // it is about to go
      url: f.url,
      ...(f.errorOccurred === true || error !== undefined ? { failed: true } : {}),
    });
  };
  for (const f of all.values()) add(f);
  return out;
}
