import { innerDocument, innerWindow, isConnected } from "../shared/safe-dom";
import { ownerIn } from "./frames";

// Agents of frames within this one, which share its isolated world as far as
// they are of its origin: pages have no part in that.

/** Agent is what a host holds of the page agent, and what agents hold of each other. */
export interface Agent {
  /** call does an op and answers with a Reply as JSON; it never throws. */
  call(op: string, first: number, argsJSON: string): string | Promise<string>;
  /** bind names the frame document that an iframe element shows now, "" for none. */
  bind(iframe: Element, frame: string): void;
  /** open makes a closed shadow root known. */
  open(root: ShadowRoot): void;
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

/** agentIn is the agent of the document that an element shows, if it can be reached. */
export function agentIn(e: Element): Agent | null {
  const document = innerDocument(e), window = innerWindow(e);
  return document === null || window === null ? null : kept(window, document);
}

/**
 * inner is the agent of a frame in this document. One that was not told the
 * name of its document, or another one, is none: an element may show the next
 * document before its host knows.
 */
export function inner(frame: string): Agent | null {
  const e = ownerIn(frame);
  const agent = e === null || !isConnected(e) ? null : agentIn(e);
  return agent?.prefix() === `${frame}:` ? agent : null;
}
