import { countNodes, elementsIn, innerDocument, ownerDocument, queryFragmentAll, shadowRootOf } from "../shared/safe-dom";
import { meetRoot, metRoots, ownRoot } from "../shared/tree";
import { kept } from "./kept";
import { agentIn } from "./peers";

// Counting what is known of a page. The browser counts what there is: where
// that is more, there are closed shadow roots that nobody has told of.

/** tally is the census of a document that is in no other one's. */
export function tally(thorough: boolean): number {
  const e = window.frameElement;
  return e !== null && kept(window.parent, ownerDocument(e)) !== null ? 0 : census(thorough);
}

const framing = "iframe,frame,object";

/** census counts nodes; only when it is thorough it looks for open roots that are not known. */
export function census(thorough: boolean): number {
  const roots = thorough ? openRoots() : metRoots();
  let n = countNodes(document);
  const ours = ownRoot();
  if (ours !== null) n += countNodes(ours);
  for (const r of roots) n += countNodes(r);
  for (const name of framing.split(",")) for (const e of elementsIn(document, name)) n += inside(e, thorough);
  for (const r of roots) for (const e of queryFragmentAll(r, framing)) n += inside(e, thorough);
  return n;
}

function inside(e: Element, thorough: boolean): number {
  const agent = agentIn(e);
  if (agent !== null) return agent.census(thorough);
  const d = innerDocument(e);
  return d === null ? 0 : countNodes(d);
}

// openRoots makes all open roots known, also those in closed ones.
function openRoots(): ShadowRoot[] {
  const found = metRoots();
  const look = (all: Iterable<Element>): void => {
    for (const e of all) {
      const root = shadowRootOf(e);
      if (root !== null && meetRoot(root)) found.push(root);
    }
  };
  look(elementsIn(document, "*"));
  for (const r of found) look(queryFragmentAll(r, "*")); // those found meanwhile too
  return found;
}
