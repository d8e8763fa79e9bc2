import { parseJSON, toJSON } from "../shared/safe";
import { dispatch, listen } from "../shared/safe-dom";

// The way to the script in the page's world: see web/modelcontext/channel.ts.

const place = performance;
const connected = new Set<string>();
const hearers = new Map<number, (o: object) => void>();
let key = "";
let next = -1; // our own questions; those who call count upwards

export function isObject(v: unknown): v is object {
  return typeof v === "object" && v !== null;
}

/** text is a member that is a text, "" for any other. */
export function text(o: object, name: string): string {
  const v: unknown = Reflect.get(o, name);
  return typeof v === "string" ? v : "";
}

// flag is a member that is true.
function flag(o: object, name: string): boolean {
  return Reflect.get(o, name) === true;
}

/** connect has us talk by the events of a key; changed is called when the page's tools may be others. */
export function connect(to: string, changed: () => void): void {
  key = to;
  if (to === "" || connected.has(to)) return;
  connected.add(to);
  listen(place, `${to}<`, (e) => {
    const o = detailOf(e);
    if (o === null) return;
    if (flag(o, "changed")) {
      changed();
      return;
    }
    const id: unknown = Reflect.get(o, "id");
    if (typeof id === "number") hearers.get(id)?.(o);
  });
}

function detailOf(e: Event): object | null {
  const detail: unknown = Reflect.get(e, "detail");
  if (typeof detail !== "string") return null;
  try {
    const o: unknown = parseJSON(detail);
    return isObject(o) ? o : null;
  } catch {
    return null;
  }
}

interface Message {
  readonly op: "list" | "said" | "call" | "cancel" | "fault" | "forget";
  readonly id?: number;
  readonly name?: string;
  readonly input?: string;
}

/** send sends a message, and has hear called with each answer. It tells whether anybody is there to take it. */
export function send(message: Message, hear?: (o: object) => void): boolean {
  if (key === "") return false;
  if (hear !== undefined && message.id !== undefined) hearers.set(message.id, hear);
  const there = !dispatch(place, new CustomEvent(`${key}>`, { detail: toJSON(message), cancelable: true }));
  if (!there && message.id !== undefined) hearers.delete(message.id);
  return there;
}

/** ask is the answer to a question, null when nobody is there to give it. */
export function ask(question: { readonly op: "list" | "said" | "fault" | "forget"; readonly name?: string }): Promise<object | null> {
  const id = next--;
  return new Promise((resolve) => {
    const there = send({ ...question, id }, (o) => {
      hearers.delete(id);
      resolve(o);
    });
    if (!there) resolve(null);
  });
}

/** forget ends the hearing of answers to a message. */
export function forget(id: number): void {
  hearers.delete(id);
}
