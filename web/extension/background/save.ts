import type { SaveArgs, SaveReply } from "../../shared/link.gen";
import { api, isFirefox, type DownloadItem } from "../shared/api";
import { faultOf, OpFault } from "./faults";

function blobOf(data: string, type: string): Blob {
  const raw = atob(data), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Blob([bytes], { type });
}

// A name that no browser takes for a folder, a hidden file or a device.
function plainName(name: string): string {
  const plain = name.replace(/[\u0000-\u001f\u007f<>:"/\\|?*~]/g, "_").replace(/^[.\s]+|[.\s]+$/g, "").slice(0, 200);
  return plain === "" ? "file" : plain;
}

/** save has the browser keep a file in its downloads folder, and waits until it is there. */
export async function save({ name, mime, data }: SaveArgs): Promise<SaveReply> {
  const type = /^[\w.+-]+\/[\w.+-]+(;\s*[\w=.+-]+)*$/.test(mime) ? mime : "application/octet-stream";
  // A worker can make no address for a blob; Firefox saves none with the data in it.
  const url = isFirefox ? URL.createObjectURL(blobOf(data, type)) : `data:${type.replace(/\s/g, "")};base64,${data}`;
  try {
    const id = await api.downloads.download({ url, filename: plainName(name), saveAs: false, conflictAction: "uniquify" });
    const item = await ended(id);
    if (item.state !== "complete") throw new OpFault("page_error", "the browser did not keep the file", "try again, or save it elsewhere");
    return { path: item.filename };
  } catch (e) {
    throw faultOf(e);
  } finally {
    if (isFirefox) URL.revokeObjectURL(url);
  }
}

const waiting = new Map<number, (() => void)[]>();

/** changed takes in that a download is another than before. */
export function changed(id: number): void {
  for (const f of waiting.get(id) ?? []) f();
}

async function ended(id: number): Promise<DownloadItem> {
  try {
    for (;;) {
      const news = new Promise<void>((resolve) => { waiting.set(id, [resolve]); });
      const [item] = await api.downloads.search({ id });
      if (item === undefined) throw new OpFault("page_error", "the download is gone", "try again");
      if (item.state !== "in_progress") return item;
      await news;
    }
  } finally {
    waiting.delete(id);
  }
}
