// Text of a page in an outline: collapsed, and quoted so that it can neither
// end its quotes nor its line, nor reorder what is read.

// Characters that end lines, reorder text or show nothing, those of private use,
// and the rest of the controls.
const odd = /["\\\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff]/;
const oddAll = /["\\\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]|[\udb40\udb80-\udbff][\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const spaces = /\s+/g;
const unseen = /[\ue000-\uf8ff\u00ad\u200b\ufeff]/g;
const messy = /[\n\r\t\f\v\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\u00ad\ue000-\uf8ff]| {2}|^ | $/;
const named: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

// Half a character is one unit, a character beyond the first plane two.
function escaped(c: string): string {
  let s = "";
  for (let i = 0; i < c.length; i++) s += "\\u" + c.charCodeAt(i).toString(16).padStart(4, "0");
  return s;
}

/** quote writes a text as a JSON string on one line. */
export function quote(s: string): string {
  if (!odd.test(s)) return `"${s}"`;
  return `"${s.replace(oddAll, (c) => named[c] ?? escaped(c))}"`;
}

/** clean collapses white space and drops what shows nothing or is an icon font's own. */
export function clean(s: string): string {
  return messy.test(s) ? s.replace(unseen, "").replace(spaces, " ").trim() : s;
}

/** clip cuts a text to n characters; it says with an ellipsis that it did. */
export function clip(s: string, n: number): string {
  return s.length <= n ? s : `${cut(s, n - 1)}…`;
}

/** cut is the first n UTF-16 units of a text, without half a character. */
export function cut(s: string, n: number): string {
  const c = s.charCodeAt(n - 1);
  return s.slice(0, c >= 0xd800 && c < 0xdc00 ? n - 1 : n);
}

/** thousands writes a count for people. */
export function thousands(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

const wide = /[^\x00-\x7f]/;

/** byteLength is the length of a text in UTF-8. */
export function byteLength(s: string): number {
  if (!wide.test(s)) return s.length;
  let n = s.length;
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    if (c < 0x80) continue;
    // A surrogate pair is two units and four bytes.
    n += c < 0x800 || (c >= 0xd800 && c < 0xe000) ? 1 : 2;
  }
  return n;
}
