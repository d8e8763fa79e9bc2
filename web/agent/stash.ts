import type { ElementArgs, FilePart, None, StashArgs } from "../shared/protocol.gen";
import { isInput } from "../shared/safe-dom";
import { setter } from "../shared/safe";
import { Fault } from "./faults";
import { giveChange, giveInput } from "./given";
import { anywhere } from "./refs";

// Files that are handed to the page, as their bytes.

const setFiles = setter(HTMLInputElement.prototype, "files");
const base64 = window.atob;

function decode(text: string): string {
  return Reflect.apply(base64, window, [text]); // Firefox wants it called on its window
}

interface Kept {
  readonly name: string;
  readonly type: string;
  readonly lastModified: number;
  readonly parts: Uint8Array<ArrayBuffer>[];
}

let kept: Kept[] = [];

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = decode(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

function keep(p: FilePart): void {
  const last = kept.at(-1);
  const bytes = bytesOf(p.data ?? "");
  if (p.goes === true && last !== undefined) last.parts.push(bytes);
  else kept.push({ name: p.name, type: p.mime ?? "", lastModified: p.modified ?? 0, parts: [bytes] });
}

/** stash keeps files until they are given. */
export function stash(args: StashArgs): None {
  if (args.first === true) kept = [];
  for (const p of args.files) keep(p);
  return {};
}

/** stashed are the files that are kept. */
export function stashed(): File[] {
  return kept.map((k) => new File(k.parts, k.name, { type: k.type, lastModified: k.lastModified }));
}

/** addStashed adds the files that are kept to what is dragged, or chosen. */
export function addStashed(data: DataTransfer): void {
  for (const f of stashed()) {
    // Firefox shows the page none that another than its own code has added.
    const items: unknown = Reflect.get(data.items, "wrappedJSObject");
    if (isItems(items)) items.add(f);
    else data.items.add(f);
  }
}

function isItems(x: unknown): x is DataTransferItemList {
  return typeof x === "object" && x !== null && "add" in x;
}

/** giveFiles gives a file field what is kept, as a person's choice does. */
export function giveFiles(args: ElementArgs): None {
  const e = anywhere(args.n);
  if (!isInput(e) || e.type !== "file") throw new Fault("stale_ref", "the file field is not on the page any more", "take a snapshot and use a ref from it");
  const data = new DataTransfer();
  addStashed(data);
  kept = [];
  setFiles(e, data.files);
  giveInput(e);
  giveChange(e);
  return {};
}
