import { getOwnPropertyDescriptor, getPrototypeOf, joined, push } from "../shared/clean";
import { toJSON } from "../shared/safe";

// Reading what the page holds without running anything of it.

/** valueIn reads a member without running anything of the page, and so without its notice. */
export function valueIn(o: object, key: PropertyKey): unknown {
  let at: object | null = o;
  for (let depth = 0; at !== null && depth < 8; depth++) {
    const d = getOwnPropertyDescriptor(at, key);
    if (d !== undefined) return "value" in d ? d.value : undefined;
    at = getPrototypeOf(at);
  }
  return undefined;
}

/** plain is the JSON of a value that is no object. */
export function plain(v: unknown): string | undefined {
  return typeof v === "string" || typeof v === "boolean" || typeof v === "number" ? toJSON(v) : undefined;
}

/** outline is what an object holds, for people; nothing of the page runs for it. */
export function outline(o: object): string {
  const out: string[] = [];
  const keys = Reflect.ownKeys(o);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const value = typeof key === "string" ? plain(valueIn(o, key)) : undefined;
    if (typeof key !== "string" || value === undefined) continue;
    if (out.length === 8) {
      push(out, "…");
      break;
    }
    push(out, `${key}: ${value}`);
  }
  return `{${joined(out, ", ")}}`;
}
