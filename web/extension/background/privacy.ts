// The debugger of a tab hears of the page that comes next before the browser tells
// that the tab has left: nothing of that is for anybody when it is private.

const records = new Set(["Runtime", "Log", "Network"]);
const others = new Set(["Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Page.fileChooserOpened", "Input.dragIntercepted"]);

const most = 1000; // requests that are remembered

function domainOf(method: string): string {
  return method.slice(0, method.indexOf("."));
}

/** isTold tells whether an event of the debugger is one that the bridge takes. */
export function isTold(method: string): boolean {
  return others.has(method) || isRecord(method);
}

/** isRecord tells whether an event is of what pages write and request. */
export function isRecord(method: string): boolean {
  return records.has(domainOf(method));
}

function member(x: unknown, key: string): unknown {
  return typeof x === "object" && x !== null ? Reflect.get(x, key) : undefined;
}

/** Told is an event of the debugger. */
interface Told {
  readonly session: string; // of a frame of another site; "" of the page
  readonly method: string;
  readonly params: unknown;
}

// Held is of a request of which it is not known yet whether it may be told of.
interface Held {
  url: string; // that the tab is to show, "" while that is not known
  readonly events: Told[];
}

/** Privacy keeps back what is of another page than the one that a tab is allowed to show. */
export class Privacy {
  /** main is the debugger's name of the main frame, "" until that is known. */
  main = "";

  private readonly may: (url: string) => boolean;
  private readonly leaving: () => boolean;
  private readonly send: (e: Told) => void;
  private readonly known = new Set<string>(); // requests that may be told of
  private readonly held = new Map<string, Held>();
  private readonly contexts = new Set<string>(); // that may not be told of, with their sessions

  /**
   * may tells whether the tab may be told to show an address; leaving, whether it
   * is on its way to where it may not.
   */
  constructor(may: (url: string) => boolean, leaving: () => boolean, send: (e: Told) => void) {
    this.may = may;
    this.leaving = leaving;
    this.send = send;
  }

  /** take sends an event, or keeps it back. */
  take(e: Told): void {
    switch (domainOf(e.method)) {
      case "Network": this.request(e); return;
      case "Runtime": if (!this.keepsWords(e)) this.send(e); return;
      case "Log": if (!this.leaving()) this.send(e); return;
    }
    const url = member(e.params, "url");
    if (typeof url !== "string" || !this.leaving() || this.may(url)) this.send(e);
  }

  /** decided takes in that it is known whose doing the tab's next page is. */
  decided(): void {
    for (const [id, { url, events }] of [...this.held]) {
      if (url === "") continue;
      this.held.delete(id);
      if (!this.may(url)) continue;
      this.know(id);
      for (const e of events) this.send(e);
    }
  }

  private request(e: Told): void {
    const id = member(e.params, "requestId");
    if (typeof id !== "string" || this.known.has(id) || /^Network\.web(Socket|Transport)/.test(e.method)) {
      if (typeof id === "string" && this.next(e, id) !== "") this.known.delete(id);
      else {
        if (typeof id === "string" || !this.leaving()) this.send(e);
        return;
      }
    }
    const held = this.held.get(id) ?? { url: "", events: [] };
    held.events.push(e);
    if (e.method !== "Network.requestWillBeSent") {
      // The head of a request may be told of before the request is.
      if (held.url !== "" || e.method.endsWith("ExtraInfo")) this.hold(id, held);
      return;
    }
    held.url = this.next(e, id);
    if (held.url !== "") {
      this.hold(id, held);
      return;
    }
    this.held.delete(id);
    if (this.leaving()) return;
    this.know(id);
    for (const had of held.events) this.send(had);
  }

  // next is the address of the page that a request is to bring, when it may not,
  // or not yet, be told of.
  private next({ session, method, params }: Told, id: string): string {
    if (session !== "" || method !== "Network.requestWillBeSent" || member(params, "type") !== "Document" || member(params, "loaderId") !== id) return "";
    if (this.main !== "" && member(params, "frameId") !== this.main) return "";
    const url = String(member(member(params, "request"), "url"));
    return this.may(url) ? "" : url;
  }

  private hold(id: string, held: Held): void {
    this.held.set(id, held);
    for (const old of this.held.keys()) {
      if (this.held.size <= most) break;
      this.held.delete(old);
    }
  }

  private know(id: string): void {
    this.known.add(id);
    for (const old of this.known) {
      if (this.known.size <= most) break;
      this.known.delete(old);
    }
  }

  private keepsWords({ session, method, params }: Told): boolean {
    const name = (id: unknown): string => `${session} ${String(id)}`;
    if (method === "Runtime.executionContextCreated") {
      const context = member(params, "context"), origin = member(context, "origin");
      if (!this.leaving() || (typeof origin === "string" && /^https?:/.test(origin) && this.may(`${origin}/`))) return false;
      this.contexts.add(name(member(context, "id")));
      return true;
    }
    if (method === "Runtime.executionContextsCleared") {
      for (const known of [...this.contexts]) {
        if (known.startsWith(name(""))) this.contexts.delete(known);
      }
    }
    return this.leaving() || this.contexts.has(name(member(params, "executionContextId")));
  }
}
