import type { AgentOps, ChangedArgs, ChangedReply, Reply, Since } from "../shared/protocol.gen";
import { cut } from "../shared/quote";
import { parseJSON, toJSON } from "../shared/safe";
import { title } from "../shared/safe-dom";
import { learnRoot } from "../shared/tree";
import { aim, throughMe } from "./aim";
import { boxes, describe } from "./boxes";
import { afterChange, quiet, sequence, watch } from "./changes";
import { check } from "./check";
import { diff, refresh, remember, takeSince } from "./diff";
import { Fault } from "./faults";
import { prepare, readValue, setValue } from "./fill";
import { find } from "./find";
import { bindFrame } from "./frames";
import { disarm, outcome } from "./guard";
import { forgetLooks } from "./names";
import { raise, upcoming } from "./refs";
import { scroll } from "./scroll";
import { reply, take } from "./snapshot";
import { text } from "./text";

/** Agent is what a host holds of the page agent. */
export interface Agent {
  /** call does an op and answers with a Reply as JSON; it never throws. */
  call(op: string, first: number, argsJSON: string): string | Promise<string>;
  /** bind names the frame document that an iframe element shows now, "" for none. */
  bind(iframe: Element, frame: string): void;
  /** open makes a closed shadow root known. */
  open(root: ShadowRoot): void;
}

type Ops = { readonly [K in Exclude<keyof AgentOps, "changed">]: AgentOps[K] };

const ops: Ops = {
  snapshot: (args) => {
    refresh();
    const { outlined, whole } = take(args);
    remember(outlined, whole);
    return reply(outlined.printed);
  },
  text,
  find,
  aim,
  throughMe,
  disarm: () => {
    disarm();
    return {};
  },
  observe: () => ({ quiet: quiet(), ...outcome() }),
  diff,
  prepare,
  setValue,
  readValue,
  scroll,
  check,
  boxes,
  describe,
};

// What tells a reader what changed in the meantime.
const telling = new Set(["snapshot", "text", "find", "aim", "describe"]);

const none: Since = { added: 0, removed: 0 };

const longestTitle = 1000;

function isOp(op: string): op is keyof Ops {
  return Object.hasOwn(ops, op);
}

function answer(ok: unknown, since: Since): string {
  return toJSON({ ok, next: upcoming(), since, title: cut(title(), longestTitle) } satisfies Reply);
}

function failure(e: unknown): string {
  const err = e instanceof Fault
    ? { code: e.code, message: e.message, hint: e.hint }
    : { code: "internal", message: `the page agent failed: ${e instanceof Error ? `${e.message} ${e.stack ?? ""}` : String(e)}` };
  return toJSON({ err, next: upcoming(), since: none, title: cut(title(), longestTitle) } satisfies Reply);
}

function run(op: string, first: number, argsJSON: string): string | Promise<string> {
  raise(first);
  forgetLooks();
  const args = parseJSON(argsJSON) ?? {};
  if (op === "changed") return changed({ seq: 0, ...args }).then((r) => answer(r, none), failure);
  if (!isOp(op)) throw new Fault("not_supported", `the page agent knows no op ${op}`);
  const f: (args: never) => unknown = ops[op];
  const call: (args: unknown) => unknown = (a) => Reflect.apply(f, undefined, [a]);
  if (op === "text" || op === "find") refresh();
  const ok = call(args);
  return answer(ok, telling.has(op) ? takeSince() : none);
}

function changed(args: ChangedArgs): Promise<ChangedReply> {
  watch();
  return new Promise((resolve) => {
    const now = sequence();
    if (now > args.seq) resolve({ seq: now });
    else afterChange(() => { resolve({ seq: sequence() }); });
  });
}

function make(): Agent {
  return {
    call(op, first, argsJSON) {
      try {
        return run(op, first, argsJSON);
      } catch (e) {
        return failure(e);
      }
    },
    bind: bindFrame,
    open: learnRoot,
  };
}

const key = Symbol.for("drawbridge.page-agent");

interface Kept {
  readonly agent: Agent;
  readonly document: Document;
}

function isKept(x: unknown): x is Kept {
  return typeof x === "object" && x !== null && "agent" in x && "document" in x;
}

// A document has one agent, however often its source is evaluated.
function keep(): Agent {
  const had: unknown = Reflect.get(globalThis, key);
  if (isKept(had) && had.document === document) return had.agent;
  const made = make();
  Reflect.defineProperty(globalThis, key, { value: { agent: made, document } satisfies Kept, configurable: true });
  return made;
}

export const agent: Agent = keep();
