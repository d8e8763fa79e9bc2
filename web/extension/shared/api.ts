import type { Api } from "./webextension";

declare const chrome: Api;
declare const browser: Api;

/** isFirefox tells which family of browsers this one is of. */
export const isFirefox = "getFrameId" in chrome.runtime;

/** api is the browser's, with promises. */
export const api: Api = isFirefox ? browser : chrome;

export type * from "./webextension";
