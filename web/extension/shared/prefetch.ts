import { isFirefox } from "./api";

/**
 * isPrefetch tells whether a document is asked for that its tab is not on its way
 * to: Chromium tells of what it fetches for a later time as of a navigation, which
 * no document asks for, though.
 */
export function isPrefetch(d: { readonly type: string; readonly documentId?: string }): boolean {
  return !isFirefox && d.type === "main_frame" && d.documentId !== undefined;
}
