// As much of the WebExtension APIs as the extension uses, in the form with
// promises that Chromium and Firefox share. What only one of them has is
// optional here.

export interface Event<F> {
  addListener(f: F): void;
  removeListener(f: F): void;
}

export interface FilteredEvent<F> {
  addListener(f: F, filter: { readonly urls: readonly string[] }): void;
}

export interface Tab {
  readonly id?: number;
  readonly index: number;
  readonly windowId: number;
  readonly active: boolean;
  readonly openerTabId?: number;
  readonly url?: string;
  readonly pendingUrl?: string;
  readonly title?: string;
  readonly status?: string;
  readonly discarded?: boolean;
  readonly frozen?: boolean;
  readonly height?: number;
  readonly incognito: boolean;
}

export interface Sender {
  readonly id?: string;
  readonly tab?: Tab;
  readonly frameId?: number;
  readonly documentId?: string;
  readonly url?: string;
}

export interface Port {
  readonly name: string;
  readonly sender?: Sender;
  readonly onDisconnect: Event<(port: Port) => void>;
  readonly onMessage: Event<(message: unknown) => void>;
  postMessage(message: unknown): void;
}

export interface Target {
  readonly tabId: number;
  readonly frameIds?: readonly number[];
  readonly documentIds?: readonly string[];
  readonly allFrames?: boolean;
}

export interface Injected {
  readonly frameId: number;
  readonly documentId?: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface Injection {
  readonly target: Target;
  readonly files?: readonly string[];
  readonly func?: (...args: never[]) => unknown;
  readonly args?: readonly unknown[];
  readonly world?: "ISOLATED" | "MAIN";
  readonly injectImmediately?: boolean;
}

export interface Navigation {
  readonly timeStamp: number;
  readonly tabId: number;
  readonly frameId: number;
  readonly parentFrameId: number;
  readonly documentId?: string;
  readonly documentLifecycle?: string;
  readonly url: string;
}

export interface NavigationCommitted extends Navigation {
  readonly transitionType: string;
  readonly transitionQualifiers: readonly string[];
}

export interface NavigationError extends Navigation {
  readonly error?: string;
}

export interface NavigationFrame {
  readonly frameId: number;
  readonly parentFrameId: number;
  readonly documentId?: string;
  readonly documentLifecycle?: string;
  readonly url: string;
  readonly errorOccurred?: boolean;
}

export interface WebRequest {
  readonly requestId: string;
  readonly timeStamp: number;
  readonly tabId: number;
  readonly frameId: number;
  readonly documentId?: string; // that asks; of none for the main document itself
  readonly documentLifecycle?: string;
  readonly url: string;
  readonly method: string;
  readonly type: string;
  readonly statusCode?: number;
  readonly error?: string;
}

export interface DownloadItem {
  readonly id: number;
  readonly url: string;
  readonly finalUrl?: string;
  readonly referrer?: string;
  readonly filename: string;
  readonly state: string;
  readonly bytesReceived: number;
  readonly incognito: boolean;
  readonly byExtensionId?: string;
}

export interface StorageArea {
  get(keys?: string | readonly string[] | null): Promise<Record<string, unknown>>;
  set(items: Record<string, unknown>): Promise<void>;
  remove(keys: string | readonly string[]): Promise<void>;
}

export interface Debuggee {
  readonly tabId?: number;
  readonly sessionId?: string;
}

export interface UserScriptResult {
  readonly frameId: number;
  readonly documentId?: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface UserScript {
  readonly id: string;
  readonly js: readonly { readonly code: string }[];
  readonly matches: readonly string[];
  readonly allFrames: boolean;
  readonly runAt: "document_start";
  readonly world: "MAIN";
}

/** RegisteredContentScript is Firefox's, of its second manifest version. */
export interface RegisteredContentScript {
  unregister(): Promise<void>;
}

export interface Api {
  readonly runtime: {
    readonly id: string;
    readonly lastError?: { readonly message?: string };
    getManifest(): { readonly version: string };
    getURL(path: string): string;
    getPlatformInfo(): Promise<{ readonly os: string }>;
    getBrowserInfo?(): Promise<{ readonly name: string; readonly version: string }>;
    getFrameId?(target: object): number;
    sendMessage(message: unknown): Promise<unknown>;
    connect(info: { readonly name: string }): Port;
    readonly onMessage: Event<(message: unknown, sender: Sender, reply: (response: unknown) => void) => boolean | undefined>;
    readonly onConnect: Event<(port: Port) => void>;
    readonly onStartup: Event<() => void>;
    readonly onInstalled: Event<() => void>;
  };
  readonly tabs: {
    get(id: number): Promise<Tab>;
    query(filter: { readonly active?: boolean; readonly windowId?: number }): Promise<Tab[]>;
    create(how: { readonly windowId?: number; readonly url?: string; readonly active?: boolean; readonly openerTabId?: number }): Promise<Tab>;
    update(id: number, how: { readonly url?: string; readonly active?: boolean }): Promise<Tab>;
    remove(id: number): Promise<void>;
    reload(id: number): Promise<void>;
    discard(id: number): Promise<unknown>;
    goBack(id: number): Promise<void>;
    goForward(id: number): Promise<void>;
    sendMessage(id: number, message: unknown, to: { readonly frameId?: number; readonly documentId?: string }): Promise<unknown>;
    captureVisibleTab(windowId: number, how: { readonly format: string; readonly quality?: number }): Promise<string>;
    captureTab?(id: number, how: { readonly format: string; readonly quality?: number; readonly rect?: Rect; readonly scale?: number }): Promise<string>;
    readonly onCreated: Event<(tab: Tab) => void>;
    readonly onUpdated: Event<(id: number, change: object, tab: Tab) => void>;
    readonly onActivated: Event<(info: { readonly tabId: number; readonly windowId: number }) => void>;
    readonly onMoved: Event<(id: number) => void>;
    readonly onAttached: Event<(id: number) => void>;
    readonly onRemoved: Event<(id: number) => void>;
    readonly onReplaced?: Event<(added: number, removed: number) => void>;
  };
  readonly windows: {
    create(how: { readonly url?: string; readonly focused?: boolean }): Promise<{ readonly id?: number; readonly tabs?: readonly Tab[] }>;
    update(id: number, how: { readonly focused?: boolean }): Promise<unknown>;
  };
  readonly scripting: {
    executeScript(what: Injection): Promise<Injected[]>;
  };
  readonly userScripts?: {
    execute?(what: { readonly target: Target; readonly world: "MAIN" | "USER_SCRIPT"; readonly worldId?: string; readonly injectImmediately?: boolean; readonly js: readonly { readonly code: string }[] }): Promise<UserScriptResult[]>;
    configureWorld(how: { readonly worldId?: string; readonly csp?: string }): Promise<void>;
    register(scripts: readonly UserScript[]): Promise<void>;
    unregister(filter: { readonly ids: readonly string[] }): Promise<void>;
  };
  readonly contentScripts?: {
    register(what: {
      readonly js: readonly { readonly code: string }[]; readonly matches: readonly string[]; readonly allFrames: boolean;
      readonly matchAboutBlank: boolean; readonly runAt: "document_start"; readonly world?: "MAIN";
    }): Promise<RegisteredContentScript>;
  };
  readonly webNavigation: {
    getAllFrames(of: { readonly tabId: number }): Promise<NavigationFrame[] | null>;
    getFrame(of: { readonly tabId: number; readonly frameId: number }): Promise<Omit<NavigationFrame, "frameId"> | null>;
    readonly onBeforeNavigate: Event<(d: Navigation) => void>;
    readonly onCommitted: Event<(d: NavigationCommitted) => void>;
    readonly onDOMContentLoaded: Event<(d: Navigation) => void>;
    readonly onCompleted: Event<(d: Navigation) => void>;
    readonly onReferenceFragmentUpdated: Event<(d: Navigation) => void>;
    readonly onHistoryStateUpdated: Event<(d: Navigation) => void>;
    readonly onErrorOccurred: Event<(d: NavigationError) => void>;
    readonly onCreatedNavigationTarget: Event<(d: { readonly sourceTabId: number; readonly tabId: number }) => void>;
    readonly onTabReplaced: Event<(d: { readonly replacedTabId: number; readonly tabId: number }) => void>;
  };
  readonly webRequest: {
    readonly onBeforeRequest: FilteredEvent<(d: WebRequest) => void>;
    readonly onBeforeRedirect: FilteredEvent<(d: WebRequest) => void>;
    readonly onResponseStarted: FilteredEvent<(d: WebRequest) => void>;
    readonly onCompleted: FilteredEvent<(d: WebRequest) => void>;
    readonly onErrorOccurred: FilteredEvent<(d: WebRequest) => void>;
  };
  readonly downloads: {
    download(what: { readonly url: string; readonly filename?: string; readonly saveAs?: boolean; readonly conflictAction?: string }): Promise<number>;
    search(query: { readonly id: number }): Promise<DownloadItem[]>;
    readonly onCreated: Event<(item: DownloadItem) => void>;
    readonly onChanged: Event<(change: { readonly id: number; readonly state?: { readonly current?: string } }) => void>;
  };
  readonly storage: {
    readonly local: StorageArea;
    readonly session?: StorageArea;
  };
  readonly alarms: {
    create(name: string, how: { readonly periodInMinutes: number }): void;
    readonly onAlarm: Event<(alarm: { readonly name: string }) => void>;
  };
  readonly debugger?: {
    attach(target: Debuggee, version: string): Promise<void>;
    detach(target: Debuggee): Promise<void>;
    sendCommand(target: Debuggee, method: string, params?: unknown): Promise<unknown>;
    readonly onEvent: Event<(source: Debuggee, method: string, params?: unknown) => void>;
    readonly onDetach: Event<(source: Debuggee, reason: string) => void>;
  };
  readonly dom?: {
    openOrClosedShadowRoot(e: Element): ShadowRoot | null;
  };
  readonly extension: {
    isAllowedFileSchemeAccess(): Promise<boolean>;
  };
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
