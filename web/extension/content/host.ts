import { kept } from "../../agent/kept";
import { getter, method } from "../../shared/safe";
import { listen } from "../../shared/safe-dom";
import { api, isFirefox, type Sender } from "../shared/api";
import { isHostRequest, type Entered, type HostReply, type HostRequest } from "../shared/messages";
import { elementNumbered, elementShowing, elementWith, windowsInOrder } from "./elements";
import { isMarkRequest } from "../user/marks";
import { Mark } from "./marks";
import { Roots } from "./roots";

// The host of the page agent in a document: it answers the background, and lends
// the agent what only an extension can.

const key = Symbol.for("drawbridge.host");

const mostLooks = 100;
const namedMost = 3000; // milliseconds that a frame's word may take

interface Kept {
  readonly document: Document;
  readonly entered: Entered;
}

function isKept(x: unknown): x is Kept {
  return typeof x === "object" && x !== null && "document" in x && "entered" in x;
}

// Said is what the browser tells of who said a word.
interface Said {
  readonly from: MessageEventSource;
  readonly origin: string;
}

// hostIn is the id that the host in a window of this origin has given its document.
function hostIn(w: object): string {
  const there: unknown = Reflect.get(w, key);
  return isKept(there) ? there.entered.document : "";
}

// newId is one that no other document has. crypto.randomUUID is not there in pages
// that came over plain HTTP.
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

function install(): Entered {
  const had: unknown = Reflect.get(globalThis, key);
  if (isKept(had) && had.document === document) return { ...had.entered, blank: isBlank() };
  const agent = kept(window, document);
  if (agent === null) throw new Error("the page agent is not there");
  const mine = document;
  const entered: Entered = { is: "host", document: newId(), origin: self.origin, blank: isBlank() };
  Reflect.defineProperty(globalThis, key, { value: { document, entered } satisfies Kept, configurable: true });
  const mark = new Mark((e) => { agent.disown(e); });
  const roots = new Roots((root) => { agent.open(root); });

  const words = new Map<string, Said | null>(); // all that were ever expected: the page hears none of them, however late
  const waiting = new Map<string, () => void>(); // who waits for one
  const hear = (e: Event): void => {
    const word: unknown = e instanceof MessageEvent ? e.data : undefined;
    if (!(e instanceof MessageEvent) || typeof word !== "string" || !words.has(word) || !e.isTrusted) return;
    e.stopImmediatePropagation();
    if (words.get(word) !== null || e.source === null) return;
    words.set(word, { from: e.source, origin: e.origin });
    waiting.get(word)?.();
  };

  listen(window, "message", hear, true);

  const heard = (word: string): Promise<void> => new Promise((resolve) => {
    if (words.get(word) !== null) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      waiting.delete(word);
      resolve();
    };
    const timer = setTimeout(done, namedMost);
    waiting.set(word, done);
  });

  // The windows of frames, which they keep as long as they are there.
  const windows = new Map<number, object>();
  const supposed = new Map<string, readonly object[]>(); // by looks that are not sure yet
  const found = (r: HostRequest & { readonly is: "find" }): Element | "supposed" | null => {
    if (isFirefox) return elementNumbered(r.frame);
    if (r.sure) supposed.get(r.look)?.forEach((w, i) => { windows.set(r.siblings[i] ?? -1, w); });
    supposed.delete(r.look);
    const known = windows.get(r.frame);
    if (known !== undefined) return elementShowing(known);
    const element = r.host === "" ? null : elementWith((w) => hostIn(w) === r.host);
    if (element !== null || r.sure) return element;
    const all = windowsInOrder();
    if (all?.length !== r.siblings.length) return null;
    if (supposed.size > mostLooks) supposed.clear();
    supposed.set(r.look, all);
    return "supposed";
  };

  const answer = async (r: HostRequest): Promise<HostReply> => {
    if (r.document !== entered.document) return { is: "gone" };
    switch (r.is) {
      case "ask":
        roots.before(r.op);
        return { is: "answer", answer: await agent.call(r.op, r.first, r.args) };
      case "expect":
        listen(window, "message", hear, true); // again, since document.open() takes it away
        words.set(r.word, null);
        return { is: "done" };
      case "named": {
        await heard(r.word);
        const said = words.get(r.word) ?? null;
        // The page around it may hear the word first and have another frame say it.
        const element = said === null || said.origin !== r.origin ? null : elementShowing(said.from);
        if (element === null) return { is: "missing" };
        agent.bind(element, r.number);
        return { is: "done" };
      }
      case "find": {
        const element = found(r);
        if (element === "supposed") return { is: "supposed" };
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
