import type { ScriptArgs } from "../../shared/link.gen";

/** modelContext is the script of web/modelcontext: a function that needs nothing around it. */
export const modelContext: (options: ScriptArgs) => void;
