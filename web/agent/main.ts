import type { AgentOps, Reply } from "../shared/protocol.gen";
import { parseJSON, toJSON } from "../shared/safe";
import { learnRoot } from "../shared/tree";
import { bindFrame } from "./frames";
import { Fault } from "./faults";
import { raise, upcoming } from "./refs";
import { snapshot } from "./snapshot";

type Ops = { readonly [K in keyof AgentOps]?: (args: Parameters<AgentOps[K]>[0]) => ReturnType<AgentOps[K]> | Promise<ReturnType<AgentOps[K]>> };

const ops: Ops = { snapshot };

export const agent = {
  call(op: string, first: number, argsJSON: string): string {
    raise(first);
    try {
      if (op === "snapshot") return toJSON({ ok: ops.snapshot?.(parseJSON(argsJSON)), next: upcoming(), since: { added: 0, removed: 0 } } satisfies Reply);
      throw new Fault("not_supported", `no op ${op}`);
    } catch (e) {
      const err = e instanceof Fault ? { code: e.code, message: e.message, hint: e.hint } : { code: "internal", message: String(e) + (e instanceof Error ? e.stack ?? "" : "") };
      return toJSON({ err, next: upcoming(), since: { added: 0, removed: 0 } } satisfies Reply);
    }
  },
  bind: bindFrame,
  open: learnRoot,
};
