import type { ExtensionOps, Frame } from "../../shared/link.gen";
import { faultOf, OpFault } from "./faults";
import type { Ended } from "./notices";

/** Op does what the bridge asks for. Nobody waits for it any more when cancelled aborts. */
export type Op<K extends keyof ExtensionOps> = (args: Parameters<ExtensionOps[K]>[0], cancelled: AbortSignal) => Promise<ReturnType<ExtensionOps[K]>>;

/** Ops are those that there are. */
export type Ops = { readonly [K in keyof ExtensionOps]?: Op<K> };

const denied = (): OpFault => new OpFault("denied", "the user has raised the drawbridge", "stop, and ask the user to let it down in the extension's popup");

// What the bridge has to know to go on when the drawbridge is let down.
const always = new Set(["listTabs", "watch", "unwatch", "listFrames", "letGo"]);

/** Watcher hears of each op that is about to be done; what it returns, of how it ended. */
export type Watcher = (name: string, args: unknown) => Ended;

/** Dispatcher answers requests. */
export class Dispatcher {
  private readonly ops: Ops;
  private readonly send: (f: Frame) => void;
  private readonly stopped: () => boolean;
  private readonly watcher: Watcher;
  private readonly running = new Map<number, AbortController>();

  constructor(ops: Ops, send: (f: Frame) => void, stopped: () => boolean, watcher: Watcher) {
    this.ops = ops;
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

  /** forget ends all that runs, for a bridge that is gone. */
  forget(): void {
    for (const id of [...this.running.keys()]) this.end(id);
  }

  private end(id: number): void {
    this.running.get(id)?.abort();
    this.running.delete(id);
  }

  private async answer(id: number, name: string, body: unknown): Promise<void> {
    const controller = new AbortController();
    this.running.set(id, controller);
    const ended = this.watcher(name, body);
    let send: () => void;
    try {
      const result = await this.run(name, body, controller.signal);
      send = () => { this.send({ kind: "reply", id, body: result }); };
      ended("done", result);
    } catch (e) {
      const f = faultOf(e);
      send = () => { this.refuse(id, f); };
      ended(f.code === "denied" ? "stopped" : "failed");
    }
    if (this.running.get(id) !== controller) return; // nobody waits
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
