import { api } from "../shared/api";

/** Config is config.json beside the manifest, which the one who wrote the extension put there. */
export interface Config {
  readonly address: string;
  readonly name: string;
  readonly token: string; // "": the browser has to be paired
  readonly allowAll: boolean;
  readonly fullPower: boolean;
  readonly browser: string; // what the user calls it
}

/** Credential is what the bridge knows this browser by. */
export interface Credential {
  readonly name: string;
  readonly token: string;
}

const defaults: Config = { address: "127.0.0.1:31741", name: "", token: "", allowAll: false, fullPower: false, browser: "" };

function record(x: unknown): Readonly<Record<string, unknown>> {
  return typeof x === "object" && x !== null ? Object.fromEntries(Object.entries(x)) : {};
}

function text(x: unknown, otherwise: string): string {
  return typeof x === "string" ? x : otherwise;
}

/** loadConfig reads it; without one the defaults hold. */
export async function loadConfig(): Promise<Config> {
  try {
    const c = record(await (await fetch(api.runtime.getURL("config.json"))).json());
    return {
      address: text(c.address, defaults.address),
      name: text(c.name, ""),
      token: text(c.token, ""),
      allowAll: c.allowAll === true,
      fullPower: c.fullPower === true,
      browser: text(c.browser, ""),
    };
  } catch {
    return defaults;
  }
}

/** credentialOf is that of the configuration, else the one that pairing brought. */
export async function credentialOf(config: Config): Promise<Credential | null> {
  if (config.token !== "") return { name: config.name, token: config.token };
  const { paired } = await api.storage.local.get("paired");
  const { name, token } = record(paired);
  return typeof name === "string" && typeof token === "string" && token !== "" ? { name, token } : null;
}

export async function keepCredential(c: Credential): Promise<void> {
  await api.storage.local.set({ paired: c });
}
