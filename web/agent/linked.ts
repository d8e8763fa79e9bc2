import type { LinkedDataArgs, LinkedDataReply } from "../shared/protocol.gen";
import { queryAll, textContent, top } from "../shared/safe-dom";
import { parseJSON, toJSON } from "../shared/safe";

/** linkedData is what the document says of itself in JSON-LD; what is no JSON is left out. */
export function linkedData(args: LinkedDataArgs): LinkedDataReply {
  const page = top();
  const found: unknown[] = [];
  for (const e of page === null ? [] : queryAll(page, 'script[type="application/ld+json" i]')) {
    try {
      const v: unknown = parseJSON(textContent(e) ?? "");
      if (typeof v === "object" && v !== null) found.push(v);
    } catch {
      // the next one may be better
    }
  }
  const objects = toJSON(found);
  return objects.length > args.most ? { objects: "[]", length: objects.length } : { objects };
}
