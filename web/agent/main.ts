import type { AgentOps, ChangedArgs, ChangedReply, Reply, Since } from "../shared/protocol.gen";
import { cut } from "../shared/quote";
import { parseJSON, toJSON } from "../shared/safe";
import { host, title } from "../shared/safe-dom";
import { disown, isOurs, learnRoot } from "../shared/tree";
import { aim, throughMe } from "./aim";
import { archive } from "./archive";
import { boxes, describe } from "./boxes";
import { census, tally } from "./census";
import { afterChange, cameToLight, quiet, sequence, watch } from "./changes";
import { check } from "./check";
import { chooser } from "./choosers";
import { diff, refresh, remember, takeSince } from "./diff";
import { carried } from "./dragged";
import { elements } from "./elements";
import { Fault } from "./faults";
import { prepare, readValue, setValue } from "./fill";
import { files } from "./files";
import { find } from "./find";
import { bindFrame } from "./frames";
import { disarm, outcome } from "./guard";
import { input } from "./input";
import { checkHint, hint, unhint } from "./hint";
import { keep, kept, type Agent } from "./kept";
import { linkedData } from "./linked";
import { forgetLooks } from "./names";
import { guarded, hear, pose, withdraw, yieldTo } from "./question";
import { submitForm, toolForm } from "./olderforms";
import { callTool, cancelTool, tools, toolsChanged } from "./pagetools";
import { inner } from "./peers";
import { anywhere, number, raise, upcoming } from "./refs";
import { climb, relay } from "./relay";
import { scroll } from "./scroll";
import { masking } from "./secrets";
import { stamp } from "./stamp";
import { giveFiles, stash } from "./stash";
import { reply, take } from "./snapshot";
import { text } from "./text";
import { tellScrolled } from "./unheard";
import { veil } from "./veil";
import { expect, met, show } from "./worlds";

// What answers in its own time.
type Late = "changed" | "hear" | "tools" | "toolsChanged" | "callTool";

type Ops = { readonly [K in Exclude<keyof AgentOps, Late | "relay" | "climb">]: AgentOps[K] };

const ops: Ops = {
  snapshot: (args) => {
    refresh();
    const { outlined, whole } = take(args);
    remember(outlined, whole);
    return reply(outlined.printed);
  },
  text,
  find,
  elements,
  stamp,
  aim,
  throughMe,
  disarm: () => {
    disarm();
    return {};
  },
  observe: () => {
    tellScrolled();
    const data = carried(), field = chooser();
    return { quiet: quiet(), ...outcome(), ...(data === null ? {} : { carried: data }), ...(field === 0 ? {} : { chooser: field }) };
  },
  diff,
  prepare,
  setValue,
  readValue,
  files,
  scroll,
  check,
  boxes,
  describe,
  archive,
  veil,
  input,
  stash,
  giveFiles,
  show,
  expect,
  met,
  pose,
  withdraw,
  yield: yieldTo,
  guarded,
  hint,
  unhint,
  cancelTool,
  toolForm,
  submitForm,
  linkedData,
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

// discreet is an answer without the secrets in the fields of the page, wherever
// else the page says them.
function discreet(ok: unknown, since: Since): string {
  const mask = masking();
  return mask === null ? answer(ok, since) : toJSON({ ok, next: upcoming(), since, title: cut(title(), longestTitle) }, (_key, v: unknown) => (typeof v === "string" ? mask(v) : v));
}

function failure(e: unknown): string {
  const err = e instanceof Fault
    ? { code: e.code, message: e.message, hint: e.hint }
    : { code: "internal", message: `the page agent failed: ${e instanceof Error ? `${e.message} ${e.stack ?? ""}` : String(e)}` };
  return toJSON({ err, next: upcoming(), since: none, title: cut(title(), longestTitle) } satisfies Reply);
}

let prefix = "";

function run(op: string, first: number, argsJSON: string): string | Promise<string> {
  raise(first);
  forgetLooks();
  checkHint();
  const args = parseJSON(argsJSON) ?? {};
  if (typeof args.prefix === "string") prefix = args.prefix;
  switch (op) {
    case "changed": return late(changed({ seq: 0, ...args }));
    case "hear": return late(hear({ id: "", seq: 0, ...args }));
    case "tools": return late(tools({ key: "", browser: false, ...args }));
    case "toolsChanged": return late(toolsChanged({ key: "", seq: 0, ...args }));
    case "callTool": return late(callTool({ key: "", id: 0, source: "", name: "", input: "{}", most: 0, ...args }));
  }
  if (op === "relay") return answer(relay(agent, { own: "", frames: [], calls: [], ...args }), none);
  if (op === "climb") return answer(climb(agent, { own: "", frames: [], x: 0, y: 0, for: "map", ...args }), none);
  if (!isOp(op)) throw new Fault("not_supported", `the page agent knows no op ${op}`);
  const f: (args: never) => unknown = ops[op];
  const call: (args: unknown) => unknown = (a) => Reflect.apply(f, undefined, [a]);
  if (op === "text" || op === "find") refresh();
  const ok = call(args);
  const since = telling.has(op) ? takeSince() : none;
  return op === "prepare" ? answer(ok, since) : discreet(ok, since);
}

function late(reply: Promise<unknown>): Promise<string> {
  return reply.then((r) => answer(r, none), failure);
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
    disown,
    open(root) {
      if (isOurs(host(root))) return;
      learnRoot(root);
      cameToLight(root);
    },
    element: anywhere,
    number(e, first) {
      raise(first);
      return number(e);
    },
    census,
    tally,
    prefix: () => prefix,
    inner,
  };
}

// A document has one agent, however often its source is evaluated.
export const agent: Agent = kept(window, document) ?? keep(make());
