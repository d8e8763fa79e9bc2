/** OpFault is why an op failed, as the bridge tells it. Codes are those of internal/browser. */
export class OpFault extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint = "") {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** gone: the document is not the one that was named. */
export function gone(): OpFault {
  return new OpFault("stale_ref", "gone");
}

export function unknownTab(): OpFault {
  return new OpFault("unknown_tab", "there is no such tab", "list the tabs");
}

export function messageOf(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}

// What browsers say, in the words of Chromium and Firefox.
const meanings: readonly (readonly [RegExp, () => OpFault])[] = [
  [/no tab with id|invalid tab id|tab was closed|no window with id/i, unknownTab],
  [/showing error page/i, () => new OpFault("page_error", "the browser shows an error in place of the page", "navigate elsewhere, or reload")],
  [/no frame with id|frame with id \d+ (was removed|is not ready)|(no|invalid) document( with)? id|invalid frame|frame not found|document(id)? .*not found|unable to find document/i, gone],
  [/could not establish connection|receiving end does not exist|message (channel|port) (is )?closed|back\/forward cache|actor .* destroyed|conduit .* (closed|inactive)|context (was )?invalidated|the frame was removed|document was unloaded|promised response .* went out of scope/i, gone],
  [/cannot access|gallery cannot be scripted|cannot be scripted|missing host permission|extension manifest must request/i,
    () => new OpFault("page_error", "the browser lets no extension touch this page", "go to another page")],
];

/** faultOf is what an error of the browser means. */
export function faultOf(e: unknown): OpFault {
  if (e instanceof OpFault) return e;
  const message = messageOf(e);
  for (const [pattern, make] of meanings) {
    if (pattern.test(message)) return make();
  }
  return new OpFault("internal", `the browser says: ${message}`);
}
