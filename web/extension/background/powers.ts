import type { Powers } from "../../shared/link.gen";
import { api, isFirefox } from "../shared/api";
import type { Api } from "../shared/api";

export type UserScripts = NonNullable<Api["userScripts"]>;

/** userScripts is the API that the user has to allow, null while that is not so. */
export function userScripts(): UserScripts | null {
  try {
    const scripts = api.userScripts;
    return scripts?.execute === undefined ? null : scripts;
  } catch {
    return null; // older Chromiums throw
  }
}

/** canFull tells whether the browser has full power to give. */
export const canFull = api.debugger !== undefined;

/** powersOf is what the browser lets the extension do now; wanted: the user has switched full power on. */
export async function powersOf(wanted: boolean): Promise<Powers> {
  const full = canFull && wanted;
  return {
    full,
    scripts: isFirefox || userScripts() !== null,
    captures: true,
    hidden: full || isFirefox,
    paths: full && (await api.extension.isAllowedFileSchemeAccess()),
  };
}
