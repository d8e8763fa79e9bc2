// The agent of a document, where its host and other agents find it.

/** Agent is what a host holds of the page agent, and what agents hold of each other. */
export interface Agent {
  /** call does an op and answers with a Reply as JSON; it never throws. */
  call(op: string, first: number, argsJSON: string): string | Promise<string>;
  /** bind names the frame document that an iframe element shows now, "" for none. */
  bind(iframe: Element, frame: string): void;
  /** open makes a closed shadow root known. */
  open(root: ShadowRoot): void;
  /** disown makes an element, which the host has put there, none of the page's. */
  disown(e: Element): void;
  /** element is the element with a number, in the document or not. */
  element(n: number): Element;
  /** number is the number of an element, given from first on if it has none. */
  number(e: Element, first: number): number;
  /** census counts the nodes of the document, and of those in it that are of its origin. */
  census(thorough: boolean): number;
  /** tally is the census of a document that no other agent counts. */
  tally(thorough: boolean): number;
  /** prefix is what the agent was last told to put before its refs. */
  prefix(): string;
  /** inner is the agent of a frame that an element of this document shows. */
  inner(frame: string): Agent | null;
}

const key = Symbol.for("drawbridge.page-agent");

interface Kept {
  readonly agent: Agent;
  readonly document: Document;
}

function isKept(x: unknown): x is Kept {
  return typeof x === "object" && x !== null && "agent" in x && "document" in x;
}

/** kept is the agent of a document, if it has one already. */
export function kept(global: object, document: Document): Agent | null {
  const had: unknown = Reflect.get(global, key);
  return isKept(had) && had.document === document ? had.agent : null;
}

/** keep makes an agent the one of this document. */
export function keep(agent: Agent): Agent {
  Reflect.defineProperty(window, key, { value: { agent, document } satisfies Kept, configurable: true });
  return agent;
}
