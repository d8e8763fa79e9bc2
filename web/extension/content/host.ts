import { kept } from "../../agent/kept";
import { getter, method } from "../../shared/safe";
import { api, type Sender } from "../shared/api";
import { isHostRequest, type Entered, type HostReply, type HostRequest } from "../shared/messages";
import { elementOf, elementShowing } from "./elements";
import { isMarkRequest } from "../user/marks";
import { Mark } from "./marks";
import { Roots } from "./roots";

// The host of the page agent in a document: it answers the background, and lends
// the agent what only an extension can.

const key = Symbol.for("drawbridge.host");

const namedMost = 3000; // milliseconds that a frame's word may take

interface Kept {
  readonly document: Document;
  readonly entered: Entered;
}

function isKept(x: unknown): x is Kept {
  return typeof x === "object" && x !== null && "document" in x && "entered" in x;
}

function install(): Entered {
  const had: unknown = Reflect.get(globalThis, key);
  if (isKept(had) && had.document === document) return { ...had.entered, blank: isBlank() };
  const agent = kept(window, document);
  if (agent === null) throw new Error("the page agent is not there");
  const mine = document;
  const entered: Entered = { is: "host", document: crypto.randomUUID(), origin: self.origin, blank: isBlank() };
  Reflect.defineProperty(globalThis, key, { value: { document, entered } satisfies Kept, configurable: true });
  const mark = new Mark((e) => { agent.disown(e); });
  const roots = new Roots((root) => { agent.open(root); });

  const expected = new Map<string, string>(); // the numbers of frames by the words that they will say
  const named = new Map<string, () => void>(); // who waits for it
  const words = new Set<string>(); // all that were ever expected: the page hears none of them, however late
  window.addEventListener("message", (e) => {
    const word: unknown = e.data;
    if (typeof word !== "string" || !words.has(word)) return;
    e.stopImmediatePropagation();
    const number = expected.get(word), element = e.source === null ? null : elementShowing(e.source);
    if (number === undefined || element === null) return;
    expected.delete(word);
    agent.bind(element, number);
    named.get(word)?.();
  }, true);

  const answer = async (r: HostRequest): Promise<HostReply> => {
    if (r.document !== entered.document) return { is: "gone" };
    switch (r.is) {
      case "ask":
        roots.before(r.op);
        return { is: "answer", answer: await agent.call(r.op, r.first, r.args) };
      case "expect":
        expected.set(r.word, r.number);
        words.add(r.word);
        return { is: "done" };
      case "named":
        if (!expected.has(r.word)) return { is: "done" };
        return new Promise((resolve) => {
          const timer = setTimeout(() => {
            expected.delete(r.word);
            named.delete(r.word);
            resolve({ is: "missing" });
          }, namedMost);
          named.set(r.word, () => {
            clearTimeout(timer);
            named.delete(r.word);
            resolve({ is: "done" });
          });
        });
      case "find": {
        const element = elementOf(r.frame, r.siblings);
        if (element === null) return { is: "missing" };
        agent.bind(element, r.number);
        return { is: "done" };
      }
    }
  };
  api.runtime.onMessage.addListener((message: unknown, sender: Sender, reply: (r: unknown) => void) => {
    if (sender.id !== api.runtime.id || document !== mine) return undefined; // another one may have the window now
    if (isMarkRequest(message)) {
      if (message.is === "show") mark.show(message.framed, message.spot);
      else void mark.clear().then(() => { reply(null); });
      return message.is === "clear";
    }
    if (!isHostRequest(message)) return undefined;
    answer(message).then(reply, () => { reply({ is: "gone" } satisfies HostReply); });
    return true;
  });
  stay(entered.document);
  return entered;
}

// stay keeps a line to the background, by whose end that hears of the document's.
function stay(id: string): void {
  const port = api.runtime.connect({ name: `document ${id}` });
  port.onDisconnect.addListener(() => {
    void api.runtime.lastError; // the document was put away, or the background ended: that is no error
  });
}

const query = method(Document.prototype, (d): ((selectors: string) => Element | null) => d.querySelector);
const childNodes = getter(Node.prototype, "childNodes");
const rootElement = getter(Document.prototype, "documentElement");
const textContent = getter(Node.prototype, "textContent");

function root(): Element | null {
  return rootElement(document);
}

function isBlank(): boolean {
  if (childNodes(document).length === 0) return true;
  const e = root();
  return query(document, "body>*,frameset") === null && (e === null || textContent(e) === "");
}

/** entered is what this script's value is for the background. */
export const entered = install();
