import type { AimReply, ClimbArgs, ClimbReply, InnerFrame, RelayArgs, RelayCall, RelayReply, Reply, ThroughArgs } from "../shared/protocol.gen";
import { parseJSON, toJSON } from "../shared/safe";
import type { Agent } from "./kept";

// One call of the host for many frames.

function reached(own: string, self: Agent, frames: readonly InnerFrame[]): Map<string, Agent> {
  const agents = new Map([[own, self]]);
  for (const f of frames) {
    const agent = agents.get(f.parent)?.inner(f.frame);
    if (agent !== undefined && agent !== null) agents.set(f.frame, agent);
  }
  return agents;
}

function ask(agent: Agent, call: Pick<RelayCall, "op" | "first" | "args">): Reply | undefined {
  const answer = agent.call(call.op, call.first, call.args);
  if (typeof answer !== "string") return undefined;
  const reply: Reply = parseJSON(answer);
  return reply;
}

/** relay hands calls on to the frames that can be reached. */
export function relay(self: Agent, args: RelayArgs): RelayReply {
  const agents = reached(args.own, self, args.frames);
  return {
    replies: args.calls.map((c) => {
      const agent = agents.get(c.frame);
      return { reply: agent === undefined ? undefined : ask(agent, c) };
    }),
  };
}

function isAim(x: unknown): x is AimReply {
  return typeof x === "object" && x !== null && "ok" in x && "box" in x;
}

/** climb maps a point of a frame up to this one, through all between. */
export function climb(self: Agent, args: ClimbArgs): ClimbReply {
  let last: AimReply = { ok: true, x: args.x, y: args.y, box: { x: 0, y: 0, width: 0, height: 0 } };
  const agents = reached(args.own, self, args.frames.slice(0, -1));
  if (agents.size !== args.frames.length) return { asked: 0, last };
  let asked = 0;
  for (const f of args.frames.toReversed()) {
    const agent = agents.get(f.parent);
    if (agent === undefined) break;
    const through: ThroughArgs = { frame: f.frame, x: last.x, y: last.y, for: args.for };
    const answer: unknown = ask(agent, { op: "throughMe", first: 1, args: toJSON(through) })?.ok;
    if (!isAim(answer)) break; // its host finds out why
    last = answer;
    asked++;
    if (!last.ok) break;
  }
  return { asked, last };
}
