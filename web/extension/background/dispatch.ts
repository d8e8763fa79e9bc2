import type { ExtensionOps, Frame } from "../../shared/link.gen";
import { field } from "../user/decode";
import { faultOf, OpFault, unknownTab } from "./faults";
import type { Ended } from "./notices";

/** Op does what the bridge asks for. Nobody waits for it any more when cancelled aborts. */
export type Op<K extends keyof ExtensionOps> = (args: Parameters<ExtensionOps[K]>[0], cancelled: AbortSignal) => Promise<ReturnType<ExtensionOps[K]>>;

/** Ops are those that there are. */
export type Ops = { readonly [K in keyof ExtensionOps]?: Op<K> };

const denied = (): OpFault => new OpFault("denied", "the user has raised the drawbridge", "stop, and ask the user to let it down in the extension's popup");

// What the bridge has to know to go on when the drawbridge is let down.
const always = new Set(["listTabs", "watch", "unwatch", "listFrames", "letGo"]);

// What tells nothing is done alike for tabs that are private and that are not there.
const silent = new Set(["unwatch", "letGo"]);

/** Watcher hears of each op that is about to be done; what it returns, of how it ended. */
export type Watcher = (name: string, args: unknown) => Ended;

interface Running {
  readonly tab: unknown; // that the op concerns, if any
  readonly controller: AbortController;
}

/** Dispatcher answers requests. */
export class Dispatcher {
  private readonly ops: Ops;
  private readonly send: (f: Frame) => void;
  private readonly stopped: () => boolean;
  private readonly watcher: Watcher;
  private readonly isPrivate: (tab: number) => boolean;
  private readonly running = new Map<number, Running>();

  constructor(ops: Ops, send: (f: Frame) => void, stopped: () => boolean, isPrivate: (tab: number) => boolean, watcher: Watcher) {
    this.ops = ops;
    this.isPrivate = isPrivate;
    this.watcher = watcher;
    this.send = send;
    this.stopped = stopped;
  }

  take(frame: Frame): void {
    const id = frame.id ?? 0;
    if (frame.kind === "cancel") this.end(id);
    else if (frame.kind === "request") void this.answer(id, frame.name ?? "", frame.body);
  }

  /** stop fails all that runs. */
  stop(): void {
    for (const id of [...this.running.keys()]) {
      this.end(id);
      this.refuse(id, denied());
    }
  }

  /** withdraw fails all that runs in a tab that is private now. */
  withdraw(tab: number): void {
    for (const [id, r] of [...this.running]) {
      if (r.tab !== tab) continue;
      this.end(id);
      this.refuse(id, unknownTab());
    }
  }

  /** forget ends all that runs, for a bridge that is gone. */
  forget(): void {
    for (const id of [...this.running.keys()]) this.end(id);
  }

  private end(id: number): void {
    this.running.get(id)?.controller.abort();
    this.running.delete(id);
  }

  private async answer(id: number, name: string, body: unknown): Promise<void> {
    const controller = new AbortController();
    const running = { tab: silent.has(name) ? undefined : field(body, "tab"), controller };
    this.running.set(id, running);
    const ended = this.watcher(name, body);
    let send: () => void;
    try {
      const result = await this.run(name, body, controller.signal);
      // What is known of a tab now may be of a page that nobody has allowed.
      if (typeof running.tab === "number" && this.isPrivate(running.tab)) throw unknownTab();
      send = () => { this.send({ kind: "reply", id, body: result }); };
      ended("done", result);
    } catch (e) {
      const f = typeof running.tab === "number" && this.isPrivate(running.tab) && !this.stopped() ? unknownTab() : faultOf(e);
      send = () => { this.refuse(id, f); };
      ended(f.code === "denied" ? "stopped" : "failed");
    }
    if (this.running.get(id) !== running) return; // nobody waits
    this.running.delete(id);
    send();
  }

  private refuse(id: number, f: OpFault): void {
    this.send({ kind: "reply", id, error: { code: f.code, message: f.message, ...(f.hint === "" ? {} : { hint: f.hint }) } });
  }

  private run(name: string, body: unknown, cancelled: AbortSignal): Promise<unknown> {
    if (this.stopped() && !always.has(name)) throw denied();
    if (!has(this.ops, name)) throw new OpFault("not_supported", `this browser's extension knows no op ${name}`, "update the extension");
    const f: ((args: never, cancelled: AbortSignal) => Promise<unknown>) | undefined = this.ops[name];
    const op: (...args: unknown[]) => Promise<unknown> = (...args) => (f === undefined ? Promise.resolve() : Reflect.apply(f, undefined, args));
    return op(body ?? {}, cancelled);
  }
}

function has(ops: Ops, name: string): name is keyof ExtensionOps {
  return Object.hasOwn(ops, name);
}
