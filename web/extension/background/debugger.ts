import type { DebugArgs, DebugReply } from "../../shared/link.gen";
import { api, type Debuggee } from "../shared/api";
import { field } from "../user/decode";
import { isAllowed } from "./allowed";
import { faultOf, messageOf, OpFault, unknownTab } from "./faults";
import type { Send } from "./navigation";
import { isRecord, isTold, Privacy } from "./privacy";
import type { Session } from "./state";
import type { Tabs } from "./tabs";

const idleMost = 10_000; // milliseconds after the last command

interface Attached {
  ready: Promise<void>;
  busy: number; // commands under way
  dialog: boolean; // one of the page is open, which would end with the debugger
  timer: ReturnType<typeof setTimeout> | undefined;
  readonly privacy: Privacy;
}

/** Debugging is full power: commands of the DevTools protocol to the pages of tabs. */
export class Debugging {
  private readonly tabs: Tabs;
  private readonly session: Session;
  private readonly send: Send;
  private readonly wanted: () => boolean;
  private readonly leaves: (tab: number) => boolean;
  private readonly cancelled: () => void;
  private readonly attached = new Map<number, Attached>();

  /**
   * wanted tells whether there is to be full power; leaves, whether a tab is on
   * its way to where nobody may follow; cancelled hears that the user ended it, by
   * the bar that the browser shows.
   */
  constructor(tabs: Tabs, session: Session, send: Send, wanted: () => boolean, leaves: (tab: number) => boolean, cancelled: () => void) {
    this.tabs = tabs;
    this.session = session;
    this.send = send;
    this.wanted = wanted;
    this.leaves = leaves;
    this.cancelled = cancelled;
  }

  /** restore detaches what an ended worker has left attached. */
  restore(): void {
    for (const tabId of this.session.numbers("debugged")) void api.debugger?.detach({ tabId }).catch(() => undefined);
    this.session.keep("debugged", []);
  }

  /** there tells whether the browser has full power to give. */
  readonly there = api.debugger !== undefined;

  /** has tells whether there is full power now. */
  get has(): boolean {
    return this.there && this.wanted();
  }

  /** command runs one, for an op. */
  async command(args: DebugArgs): Promise<DebugReply> {
    const { tab, method } = args;
    this.tabs.need(tab);
    if (!isAllowed(method)) throw new OpFault("denied", `the extension lets nobody send ${method}`, "do without it");
    return { result: await this.run(tab, args.session, method, args.params) };
  }

  /** run attaches to a tab if need be, and sends it a command. */
  async run(tab: number, session: string | undefined, method: string, params: unknown): Promise<unknown> {
    const d = api.debugger;
    if (d === undefined || !this.wanted()) {
      throw new OpFault("not_supported", `${method} needs full power`, "ask the person to switch full power on in the extension's popup");
    }
    const a = this.attach(tab);
    a.busy++;
    clearTimeout(a.timer);
    try {
      await a.ready;
      const target: Debuggee = session === undefined || session === "" ? { tabId: tab } : { tabId: tab, sessionId: session };
      return (await d.sendCommand(target, method, params ?? {})) ?? {};
    } catch (e) {
      throw refusal(e);
    } finally {
      a.busy--;
      if (this.attached.get(tab) === a) this.rest(tab, a);
    }
  }

  private attach(tab: number): Attached {
    const had = this.attached.get(tab);
    if (had !== undefined) return had;
    const privacy = new Privacy((url) => this.tabs.allowed(tab, url) !== null, () => this.leaves(tab), ({ session, method, params }) => {
      this.send("debugged", { tab, ...(session === "" ? {} : { session }), method, ...(params === undefined ? {} : { params }) });
    });
    const a: Attached = { ready: this.open(tab, privacy), busy: 0, dialog: false, timer: undefined, privacy };
    this.attached.set(tab, a);
    this.note();
    a.ready.catch(() => {
      if (this.attached.get(tab) === a) this.forget(tab);
    });
    return a;
  }

  private async open(tab: number, privacy: Privacy): Promise<void> {
    try {
      await api.debugger?.attach({ tabId: tab }, "1.3");
      // Without it the browser tells of no dialogs of the page.
      await api.debugger?.sendCommand({ tabId: tab }, "Page.enable", {});
      // A page that a dialog holds up answers when that is closed.
      void api.debugger?.sendCommand({ tabId: tab }, "Page.getFrameTree", {}).then((reply) => { privacy.main = mainFrameIn(reply); }, () => undefined);
    } catch (e) {
      if (/already attached/i.test(messageOf(e))) {
        throw new OpFault("not_supported", "another debugger has this tab", "ask the person to close the developer tools, or another extension's debugger, on it");
      }
      throw e;
    }
  }

  private rest(tab: number, a: Attached): void {
    if (a.busy > 0 || a.dialog) return;
    clearTimeout(a.timer);
    a.timer = setTimeout(() => void this.letGo(tab), idleMost);
  }

  /** letGo detaches from a tab. */
  async letGo(tab: number): Promise<void> {
    const a = this.attached.get(tab);
    if (a === undefined) return;
    this.forget(tab);
    await a.ready.catch(() => undefined);
    await api.debugger?.detach({ tabId: tab }).catch(() => undefined); // it has gone by itself
    if (this.tabs.allowed(tab) !== null) this.send("letGoOf", { tab, why: "us" });
  }

  /** alone detaches from all tabs, as nobody is there who would have frames go on that wait. */
  alone(): void {
    for (const [tab, a] of [...this.attached]) {
      if (!a.dialog) void this.letGo(tab);
    }
  }

  /** letGoOf detaches from all tabs that may not be, or be no longer, debugged. */
  letGoOf(): void {
    for (const tab of [...this.attached.keys()]) {
      if (!this.has || this.tabs.allowed(tab) === null) void this.letGo(tab);
    }
  }

  told(source: Debuggee, method: string, params: unknown): void {
    const tab = source.tabId ?? 0, a = this.attached.get(tab);
    if (a !== undefined && method.startsWith("Page.javascriptDialog")) {
      a.dialog = method === "Page.javascriptDialogOpening";
      if (a.dialog) clearTimeout(a.timer);
      else this.rest(tab, a);
    }
    if (a === undefined || this.tabs.allowed(tab) === null) return;
    const session = source.sessionId ?? "", joined = partOf(method, params);
    if (joined !== null || (session !== "" && method === "Page.fileChooserOpened")) {
      this.send("debugged", { tab, ...(session === "" ? {} : { session }), method, params: joined ?? params });
    } else if (session === "" ? isTold(method) : isRecord(method)) a.privacy.take({ session, method, params });
  }

  /** asked takes in that a tab asked for another page, or shows it. */
  asked(tab: number): void {
    this.attached.get(tab)?.privacy.decided();
  }

  detached(source: Debuggee, reason: string): void {
    const tab = source.tabId;
    if (tab === undefined || source.sessionId !== undefined || !this.attached.has(tab)) return;
    this.forget(tab);
    if (this.tabs.allowed(tab) !== null) this.send("letGoOf", { tab, why: reason === "canceled_by_user" ? "user" : "target" });
    if (reason === "canceled_by_user") this.cancelled();
  }

  private forget(tab: number): void {
    clearTimeout(this.attached.get(tab)?.timer);
    this.attached.delete(tab);
    this.note();
  }

  private note(): void {
    this.session.keep("debugged", [...this.attached.keys()]);
  }
}

// partOf is what is told of a frame of another site, which has a session of its
// own, that came or went, and of whether it waits for us: not what it shows.
function partOf(method: string, params: unknown): object | null {
  const session = field(params, "sessionId");
  switch (method) {
    case "Target.attachedToTarget": return { sessionId: session, targetId: field(field(params, "targetInfo"), "targetId"), waitingForDebugger: field(params, "waitingForDebugger") };
    case "Target.detachedFromTarget": return { sessionId: session };
  }
  return null;
}

function mainFrameIn(reply: unknown): string {
  const id = field(field(field(reply, "frameTree"), "frame"), "id");
  return typeof id === "string" ? id : "";
}

// refusal is what the browser says of a command, which it does as JSON.
function refusal(e: unknown): OpFault {
  if (e instanceof OpFault) return e;
  const message = messageOf(e);
  if (/no tab with|no target with|target closed|tab .*closed/i.test(message)) return unknownTab();
  if (/debugger is not attached|detached/i.test(message)) return new OpFault("disconnected", "the debugger was detached from the tab", "try again");
  if (/cannot access|cannot attach/i.test(message)) return faultOf(new Error("cannot access the page"));
  try {
    const said: unknown = JSON.parse(message);
    if (typeof said === "object" && said !== null && "message" in said) return new OpFault("invalid_arguments", String(said.message));
  } catch {
    // it is plain text
  }
  return new OpFault("invalid_arguments", message);
}
