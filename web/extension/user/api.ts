// As much of the WebExtension APIs as the owner's side of the extension uses, in
// the form with promises that Chromium and Firefox share.

interface Event<F> {
  addListener(f: F): void;
}

export interface BrowserTab {
  readonly id?: number;
  readonly windowId: number;
  readonly url?: string;
  readonly title?: string;
  readonly incognito: boolean;
}

export interface Shown {
  readonly tabId: number;
  readonly frameId: number;
  readonly url: string;
}

interface Committed extends Shown {
  readonly transitionType?: string;
  readonly transitionQualifiers?: readonly string[];
}

interface MainRequest {
  readonly tabId: number;
  readonly frameId: number;
  readonly requestId: string;
  readonly url: string;
  readonly type: string;
  readonly documentId?: string;
  readonly initiator?: string; // Chromium's
  readonly originUrl?: string; // Firefox's
}

interface Filtered<T> {
  addListener(f: (d: T) => undefined, filter: { readonly urls: readonly string[]; readonly types: readonly string[] }, how?: readonly "blocking"[]): void;
}

export interface Sender {
  readonly id?: string;
  readonly url?: string;
}

interface Area {
  get(key: string): Promise<Record<string, unknown>>;
  set(items: Record<string, unknown>): Promise<void>;
}

interface Button {
  setBadgeText(how: { readonly text: string; readonly tabId?: number }): Promise<void>;
  setBadgeBackgroundColor(how: { readonly color: string; readonly tabId?: number }): Promise<void>;
  setTitle(how: { readonly title: string; readonly tabId?: number }): Promise<void>;
}

type Context = "page" | "frame" | "link" | "selection" | "image" | "editable" | "video" | "audio";

interface Item {
  readonly id: string;
  readonly title: string;
  readonly contexts: readonly Context[];
  readonly documentUrlPatterns?: readonly string[];
}

export interface UserApi {
  readonly runtime: {
    readonly id: string;
    readonly lastError?: object;
    getURL(path: string): string;
    sendMessage(message: unknown): Promise<unknown>;
    readonly onMessage: Event<(message: unknown, sender: Sender, reply: (response: unknown) => void) => true | undefined>;
  };
  readonly tabs: {
    get(id: number): Promise<BrowserTab>;
    query(filter: { readonly active?: boolean; readonly currentWindow?: boolean }): Promise<BrowserTab[]>;
    readonly onCreated: Event<(tab: BrowserTab) => void>;
    readonly onActivated: Event<(info: { readonly tabId: number }) => void>;
    readonly onUpdated: Event<(id: number, change: object, tab: BrowserTab) => void>;
    readonly onAttached: Event<(id: number, to: { readonly newWindowId: number }) => void>;
    readonly onRemoved: Event<(id: number) => void>;
    readonly onReplaced?: Event<(added: number, removed: number) => void>;
  };
  readonly windows: { readonly onRemoved: Event<(id: number) => void> };
  readonly webNavigation: {
    readonly onCommitted: Event<(d: Committed) => void>;
    readonly onErrorOccurred: Event<(d: Shown & { readonly error?: string }) => void>;
    readonly onHistoryStateUpdated: Event<(d: Shown) => void>;
    readonly onReferenceFragmentUpdated: Event<(d: Shown) => void>;
    readonly onCreatedNavigationTarget: Event<(d: { readonly sourceTabId: number; readonly tabId: number }) => void>;
  };
  readonly webRequest: {
    readonly onBeforeRequest: Filtered<MainRequest>;
    readonly onCompleted: Filtered<MainRequest>;
    readonly onErrorOccurred: Filtered<MainRequest>;
  };
  readonly storage: { readonly local: Area; readonly session?: Area };
  readonly alarms: {
    create(name: string, how: { readonly when: number }): unknown;
    clear(name: string): unknown;
    readonly onAlarm: Event<(alarm: { readonly name: string }) => void>;
  };
  readonly contextMenus: {
    create(item: Item, done?: () => void): unknown;
    update(id: string, how: { readonly title?: string; readonly visible?: boolean }): Promise<void>;
    removeAll(): Promise<void>;
    readonly onClicked: Event<(info: { readonly menuItemId: string | number }, tab?: BrowserTab) => void>;
    refresh?(): void;
  };
  readonly commands: { readonly onCommand: Event<(name: string, tab?: BrowserTab) => void> };
  readonly action?: Button;
  readonly browserAction?: Button;
}

declare const chrome: UserApi;
declare const browser: UserApi;

/** api is the browser's. */
export const api: UserApi = typeof browser === "undefined" ? chrome : browser;
