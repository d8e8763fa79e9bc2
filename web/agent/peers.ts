import { innerDocument, innerWindow, isConnected } from "../shared/safe-dom";
import { ownerIn } from "./frames";
import { kept, type Agent } from "./kept";

// Agents of frames within this one, which share its isolated world as far as
// they are of its origin: pages have no part in that.

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
