import { api, isFirefox } from "../shared/api";

interface UserAgentData {
  getHighEntropyValues(hints: readonly string[]): Promise<unknown>;
}

function isUserAgentData(x: unknown): x is UserAgentData {
  return typeof x === "object" && x !== null && "getHighEntropyValues" in x;
}

function isBrand(x: unknown): x is { readonly brand: string; readonly version: string } {
  return typeof x === "object" && x !== null && "brand" in x && "version" in x && typeof x.brand === "string" && typeof x.version === "string";
}

/** product is what the browser calls itself, with its version. */
export async function product(): Promise<string> {
  const firefox = await api.runtime.getBrowserInfo?.();
  if (firefox !== undefined) return `${firefox.name} ${firefox.version}`;
  const data: unknown = Reflect.get(navigator, "userAgentData");
  if (!isUserAgentData(data)) return "Chromium";
  const values = await data.getHighEntropyValues(["fullVersionList"]);
  const list: unknown = typeof values === "object" && values !== null && "fullVersionList" in values ? values.fullVersionList : [];
  const brands = (Array.isArray(list) ? list : []).filter(isBrand).filter((b) => !/not.*brand/i.test(b.brand));
  const own = brands.find((b) => b.brand !== "Chromium") ?? brands[0];
  return own === undefined ? "Chromium" : `${own.brand} ${own.version}`;
}

export const engine = isFirefox ? "firefox" : "chromium";

/** instance is the UUID of this browser's profile. */
export async function instance(): Promise<string> {
  const { instance: had } = await api.storage.local.get("instance");
  if (typeof had === "string") return had;
  const made = crypto.randomUUID();
  await api.storage.local.set({ instance: made });
  return made;
}
