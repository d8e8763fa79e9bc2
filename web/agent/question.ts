import type { Box, GuardedReply, HearArgs, HearReply, None, PoseArgs, QuestionArgs, YieldArgs } from "../shared/protocol.gen";
import { composedPath, isConnected, isElement, isInput, isSelect, listen, queryAll, queryFragmentAll, rectOf, scrollIntoView, top } from "../shared/safe-dom";
import { now } from "../shared/safe";
import { hit, metRoots, within } from "../shared/tree";
import { boxOf } from "./aim";
import { editableOf, isCheck } from "./fields";
import { ownerIn } from "./frames";
import { inView } from "./hits";
import { hide, isYielding, makeWay, show, type Marked } from "./overlay";
import { element } from "./refs";
import { isSecret } from "./secrets";
import { current } from "./values";
import { isShown } from "./visible";

// A question to a person: what became of it. The host waits for news, and a
// question that it does not ask after any more goes away.

interface Question {
  readonly id: string;
  readonly kind: string;
  readonly target: Element | null; // what is marked, or is acted on at the point
  heard: number; // when the host last asked
  seq: number;
  answer: string;
  note: string;
  did: string;
  lost: boolean;
  fought: boolean;
  touched: boolean; // a person has put something into the field
}

let question: Question | undefined;
let waiters: (() => void)[] = [];

// So long the host may be silent.
const silence = 20000;

const longestNote = 300;

const pointSize = 28; // CSS pixels, of the frame around a point

/** pose shows a question, in place of another one. */
export function pose(args: PoseArgs): None {
  drop();
  const target = targetOf(args);
  const q: Question = { id: args.id, kind: args.kind, target, heard: now(), seq: 1, answer: "", note: "", did: "", lost: false, fought: false, touched: false };
  question = q;
  if (target !== null && args.point !== true && !inView(target)) scrollIntoView(target, { block: "center", inline: "center", behavior: "instant" });
  if (target !== null) attend(target);
  show(args.card ?? null, markOf(args, q), {
    done: () => { answer(q, "done", ""); },
    cannot: (note) => { answer(q, "cannot", note); },
    fought: () => {
      q.fought = true;
      tell(q);
    },
    alive: () => {
      const alive = now() - q.heard < silence;
      if (!alive && question === q) drop();
      return alive;
    },
  });
  return {};
}

function targetOf(args: PoseArgs): Element | null {
  if (args.n !== undefined && args.n !== 0) return element(args.n);
  return args.point === true ? hit(args.x ?? 0, args.y ?? 0) : null;
}

// markOf is what the overlay follows: the element, a point that moves with the
// element that it is on, or the frame that has the element.
function markOf(args: PoseArgs, q: Question): Marked {
  const { target } = q;
  const lost = (): boolean => q.lost;
  if (target === null) {
    const frame = args.frame ?? "";
    return { ring: false, lost, box: () => {
      const e = frame === "" ? null : ownerIn(frame);
      return e === null || !isConnected(e) ? null : boxOf(e);
    } };
  }
  const r = rectOf(target), half = pointSize / 2;
  const dx = (args.x ?? 0) - r.left - half, dy = (args.y ?? 0) - r.top - half;
  return { ring: true, lost, box: (): Box | null => {
    if (!isConnected(target)) {
      if (!q.lost) {
        q.lost = true;
        tell(q);
      }
      return null;
    }
    if (args.point !== true) return boxOf(target);
    const now = rectOf(target);
    return { x: now.left + dx, y: now.top + dy, width: pointSize, height: pointSize };
  } };
}

function answer(q: Question, how: string, note: string): void {
  if (q.answer !== "" || question !== q) return;
  q.answer = how;
  q.note = note.slice(0, longestNote);
  hide();
  tell(q);
}

function tell(q: Question): void {
  q.seq++;
  wake();
}

function wake(): void {
  const all = waiters;
  waiters = [];
  for (const w of all) w();
}

function drop(): void {
  question = undefined;
  hide();
  wake();
}

/** withdraw takes a question away. */
export function withdraw(args: QuestionArgs): None {
  if (question?.id === args.id) drop();
  return {};
}

/** hear answers when there is news of a question. */
export function hear(args: HearArgs): Promise<HearReply> {
  return new Promise((resolve) => {
    const look = (): void => {
      const q = question;
      if (q === undefined || q.id !== args.id) {
        resolve({ seq: args.seq, gone: true });
        return;
      }
      q.heard = now();
      if (q.seq > args.seq) resolve({ seq: q.seq, answer: q.answer, note: q.note, did: q.did, lost: q.lost, fought: q.fought });
      else waiters.push(look);
    };
    look();
  });
}

/** yieldTo has a question make way for what is not a person's. */
export function yieldTo(args: YieldArgs): None {
  if (args.to === "act" || args.to === "picture") makeWay(args.to, args.on);
  return {};
}

/** guarded counts the fields for passwords and codes that are seen. */
export function guarded(): GuardedReply {
  const root = top();
  const all: Element[] = root === null ? [] : [...queryAll(root, "input")];
  for (const r of metRoots()) all.push(...queryFragmentAll(r, "input"));
  return { fields: all.filter((e) => isInput(e) && isSecret(e) && isShown(e)).length };
}

// What a person does to what is marked. Listeners of a page may keep an event
// from its target, and a closed root the target from the window.
function attend(target: Element): void {
  for (const type of ["click", "keydown", "input", "change", "focusout"]) {
    listen(window, type, onDeed, { capture: true, passive: true });
    listen(target, type, onDeed, { capture: true, passive: true });
  }
}

function onDeed(e: Event): void {
  const q = question;
  if (q === undefined || q.target === null || q.did !== "" || !e.isTrusted || isYielding()) return;
  const at = composedPath(e)[0];
  if (!(composedPath(e).includes(q.target) || (isElement(at) && within(at, q.target)))) return;
  const did = deed(q, q.target, e);
  if (did === "") return;
  q.did = did;
  tell(q);
}

function deed(q: Question, target: Element, e: Event): string {
  switch (q.kind) {
    case "click":
      return e.type === "click" ? "clicked" : "";
    case "enter":
      return isKey(e) && e.type === "keydown" && e.key === "Enter" && !e.isComposing ? "pressed" : "";
    case "fill": {
      if (e.type === "input" || e.type === "change") q.touched = true;
      const field = editableOf(target) ?? target;
      const over = e.type === "focusout" || (e.type === "change" && !isTyped(field));
      return q.touched && over && current(field) !== "" ? "entered" : "";
    }
  }
  return "";
}

// An event may be of the realm of a frame around this one.
const isKey = (e: Event): e is KeyboardEvent => e.type.startsWith("key");

const chosen = new Set(["checkbox", "radio", "file", "color", "range"]);

// isTyped tells whether a field is not done with before it is left.
function isTyped(e: Element): boolean {
  return isInput(e) ? !chosen.has(e.type) : !isSelect(e) && !isCheck(e);
}
