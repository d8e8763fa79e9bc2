import { push } from "../shared/clean";

// A window may outlive its document: the first one that comes into a frame from
// the origin of the page takes the window of the empty one that was there, with
// all that a script has made of it, and no script is run anew.

const win = window; // whose document no page can replace
let doc = win.document;
const hearers: (() => void)[] = [];

/** onNext has f called once it is seen that the window has got another document. */
export function onNext(f: () => void): void {
  push(hearers, f);
}

/** current is the document of the window. */
export function current(): Document {
  const now = win.document;
  if (now !== doc) {
    doc = now;
    for (let i = 0; i < hearers.length; i++) hearers[i]?.();
  }
  return doc;
}
