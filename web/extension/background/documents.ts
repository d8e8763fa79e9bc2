import type { AskArgs, AskReply, EnterReply, FrameArgs, NameArgs } from "../../shared/link.gen";
import { api, isFirefox, type Target } from "../shared/api";
import { isEntered, isHostReply, type HostReply, type HostRequest } from "../shared/messages";
import { gone, messageOf, OpFault, faultOf } from "./faults";
import { documentOf, isShown } from "./frames";

const files = ["agent.gen.js", "host.gen.js"];

// The ids that hosts have given their documents, by those that the bridge knows. A
// host answers for its own alone. Chromium takes a message to a document whatever
// tab it is said to be in.
const hosts = new Map<string, { readonly id: string; readonly tab: number }>();

/** current is the id of the document that a frame shows now. */
export async function current(tab: number, frame: number): Promise<string> {
  const f = await api.webNavigation.getFrame({ tabId: tab, frameId: frame });
  if (f === null) throw gone();
  return documentOf(tab, { ...f, frameId: frame });
}

/** pin is the target of what is for one document alone. In Firefox it is checked. */
export async function pin(tab: number, frame: number, document: string): Promise<Target> {
  if (!isFirefox && document !== "") return { tabId: tab, documentIds: [document] };
  if (document !== "" && (await current(tab, frame)) !== document) throw gone();
  return { tabId: tab, frameIds: [frame] };
}

/** enter puts the page agent and its host into the document that a frame shows. */
export async function enter(args: FrameArgs): Promise<EnterReply> {
  const named = args.document ?? "";
  const before = isFirefox ? await current(args.tab, args.frame) : "";
  if (isFirefox && (before === "" || (named !== "" && named !== before))) throw gone();
  const target: Target = !isFirefox && named !== "" ? { tabId: args.tab, documentIds: [named] } : { tabId: args.tab, frameIds: [args.frame] };
  const [in_] = await api.scripting.executeScript({ target, files, injectImmediately: true });
  if (in_ === undefined) throw gone();
  const host = in_.result;
  if (!isEntered(host)) {
    throw new OpFault("page_error", in_.error === undefined ? "the browser lets no extension touch this page" : `the page cannot be entered: ${messageOf(in_.error)}`);
  }
  const document = isFirefox || in_.documentId === undefined ? await current(args.tab, args.frame) : in_.documentId;
  if (isFirefox && document !== before) throw gone();
  for (const [known, { id }] of hosts) {
    if (id === host.document) hosts.delete(known);
  }
  hosts.set(document, { id: host.document, tab: args.tab });
  return { document, origin: host.origin, blank: host.blank };
}

// Omitted from each member of a union.
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

// call asks the host of a document. One that is not there, or not any more, was
// asked for nothing: it is put in again.
async function call(tab: number, frame: number, document: string, request: Without<HostRequest, "to" | "document">): Promise<HostReply> {
  const host = hosts.get(document);
  if (host === undefined) {
    await enter({ tab, frame, document });
    return send(tab, frame, document, request);
  }
  if (host.tab !== tab) throw gone();
  try {
    return await send(tab, frame, document, request);
  } catch (e) {
    if (!/receiving end does not exist/i.test(messageOf(e))) throw faultOf(e);
    await enter({ tab, frame, document });
    return send(tab, frame, document, request);
  }
}

async function send(tab: number, frame: number, document: string, request: Without<HostRequest, "to" | "document">): Promise<HostReply> {
  const message = { to: "host", document: hosts.get(document)?.id ?? "", ...request };
  const reply = await api.tabs.sendMessage(tab, message, isFirefox ? { frameId: frame } : { documentId: document });
  if (!isHostReply(reply) || reply.is === "gone") throw gone();
  return reply;
}

/** ask calls the page agent of a document. */
export async function ask(args: AskArgs): Promise<AskReply> {
  const reply = await call(args.tab, args.frame, args.document, { is: "ask", op: args.op, first: args.first, args: args.args });
  if (reply.is !== "answer") throw gone();
  return { answer: reply.answer };
}

// In the frame that is to be named: a word for the document around it, of which
// the browser says itself from which window and origin it comes.
function say(word: string): string {
  window.parent.postMessage(word, "*");
  return self.origin;
}

/**
 * name tells the agent of a document the number of the one that a frame within it
 * shows. What cannot be known for certain is not named: rules are asked about the
 * frame that is named, and input goes to the element.
 */
export async function name(args: NameArgs): Promise<void> {
  const { tab, parent, parentDocument, frame, number } = args;
  const listed = await childrenOf(tab, parent), child = listed.get(frame);
  if (child === undefined) throw gone();
  const siblings = [...listed.keys()];
  const find = { is: "find", look: crypto.randomUUID(), frame, siblings, host: hosts.get(child)?.id ?? "", number } as const;
  const found = await call(tab, parent, parentDocument, { ...find, sure: false });
  if (found.is === "done") return;
  if (isFirefox) throw gone();
  // What was there before and after it looked was there when it did.
  if (found.is === "supposed" && same(siblings, [...(await childrenOf(tab, parent)).keys()])) {
    if ((await call(tab, parent, parentDocument, { ...find, sure: true })).is === "done") return;
  }
  const word = crypto.randomUUID();
  await call(tab, parent, parentDocument, { is: "expect", word });
  const [said] = await api.scripting.executeScript({ target: { tabId: tab, frameIds: [frame] }, func: say, args: [word], injectImmediately: true });
  if (typeof said?.result !== "string") throw gone();
  const reply = await call(tab, parent, parentDocument, { is: "named", word, origin: said.result, number });
  if (reply.is !== "done") throw gone();
}

// childrenOf is the frames directly within one, in the order in which they were
// made, with the documents that they show.
async function childrenOf(tab: number, parent: number): Promise<Map<number, string>> {
  const all = (await api.webNavigation.getAllFrames({ tabId: tab })) ?? [];
  const children = all.filter((f) => f.parentFrameId === parent && f.frameId !== 0 && isShown(f)).sort((a, b) => a.frameId - b.frameId);
  return new Map(children.map((f) => [f.frameId, documentOf(tab, f)]));
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((n, i) => n === b[i]);
}
