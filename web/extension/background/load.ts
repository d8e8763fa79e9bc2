import type { LoadArgs, LoadReply } from "../../shared/link.gen";

const nothing: LoadReply = { status: 0, mime: "", data: "", more: false };

// base64 of bytes; a string that is made of all at once would have too many arguments.
function base64(bytes: Uint8Array): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 0x8000) out += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(out);
}

/**
 * load loads a resource for a page, from the browser's cache where it can. What is
 * of another origin is loaded as nobody: a page could name whatever its user may see.
 */
export async function load({ url, most, own }: LoadArgs, cancelled: AbortSignal): Promise<LoadReply> {
  if (!/^https?:/i.test(url)) return nothing;
  const enough = new AbortController();
  const end = (): void => { enough.abort(); };
  cancelled.addEventListener("abort", end);
  try {
    const r = await fetch(url, { credentials: own ? "include" : "omit", cache: "force-cache", signal: enough.signal });
    const told = { ...nothing, status: r.status, mime: r.headers.get("content-type") ?? "" };
    const from = r.body?.getReader();
    if (!r.ok || from === undefined) return told;
    const parts: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await from.read();
      if (done) break;
      size += value.length;
      if (size > most) return { ...told, more: true };
      parts.push(value);
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const p of parts) {
      all.set(p, at);
      at += p.length;
    }
    return { ...told, data: base64(all) };
  } catch {
    return nothing; // the browser does not say why
  } finally {
    end();
    cancelled.removeEventListener("abort", end);
  }
}
