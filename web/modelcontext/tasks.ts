import { getter, method } from "../shared/safe";
import { push } from "../shared/clean";

// Tasks of our own, which no page can hold up by replacing timers.

const Channel = MessageChannel;
const portOne = getter(MessageChannel.prototype, "port1");
const portTwo = getter(MessageChannel.prototype, "port2");
const listenTo = method(EventTarget.prototype, (p) => p.addEventListener);
const start = method(MessagePort.prototype, (p) => p.start);
const send = method(MessagePort.prototype, (p): ((m: unknown) => void) => p.postMessage);

let wake: MessagePort | undefined;
let due: (() => void)[] = [];

/** soon runs f in a task of its own, in the order of the calls. */
export function soon(f: () => void): void {
  if (wake === undefined) {
    const channel = new Channel();
    const port = portOne(channel);
    wake = portTwo(channel);
    listenTo(port, "message", () => {
      const now = due[0];
      const rest: (() => void)[] = [];
      for (let i = 1; i < due.length; i++) {
        const later = due[i];
        if (later !== undefined) push(rest, later);
      }
      due = rest;
      now?.();
    });
    start(port);
  }
  push(due, f);
  send(wake, 0);
}
