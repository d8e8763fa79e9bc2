import { brand } from "../shared/safe";
import { isConnected, listen, matches, focusElement, getAttribute, rootOf, hasAttribute } from "../shared/safe-dom";
import { isPrevented, lend, Notes, own, PromiseOf, targetOf, TypeErrorOf } from "../shared/clean";
import { soon } from "./tasks";
import { checkValidity, elements, faultOf, isControl, isForm, isSubmitter, requestSubmit } from "../shared/controls";
import { calling } from "./idl";
import { asText } from "./run";
import { plan } from "./fill";
import { parameters } from "../shared/schema";
import { Failed, type Invoke, type Run } from "./tools";

// Running the tool of a form: it is filled, and submitted by us or by a person;
// the page answers by SubmitEvent.respondWith, or leads elsewhere.

interface Submission {
  answer: { readonly value: unknown } | undefined;
}

/** Waiting is a run of a form that has not been submitted. */
interface Waiting {
  readonly submitted: (e: Event, s: Submission) => void;
  readonly fail: (why: string) => void;
}

const isSubmit = brand(SubmitEvent.prototype, "submitter");
const submissions = new Notes<Event, Submission>();
const waiting = new Notes<HTMLFormElement, Waiting | undefined>();
const heard = new Notes<Node | Window, true>();

// It comes before any listener of the page, which finds out by it who submits.
// isTrusted is the event's own, which no page can replace.
function onSubmit(e: Event): void {
  const form = targetOf(e);
  if (!e.isTrusted || !isForm(form) || submissions.get(e) !== undefined) return;
  const run = waiting.get(form);
  if (run === undefined) return;
  waiting.set(form, undefined);
  const s: Submission = { answer: undefined };
  submissions.set(e, s);
  run.submitted(e, s);
}

function onReset(e: Event): void {
  const form = targetOf(e);
  if (!isForm(form)) return;
  soon(() => {
    if (!isPrevented(e)) giveUp(form, "Tool execution cancelled by a form reset");
  });
}

function hear(root: Node | Window): void {
  if (heard.get(root) === true) return;
  heard.set(root, true);
  listen(root, "submit", onSubmit, true);
  listen(root, "reset", onReset, true);
}

/** giveUp ends the run of a form that waits to be submitted. */
export function giveUp(form: HTMLFormElement, why: string): void {
  const run = waiting.get(form);
  waiting.set(form, undefined);
  run?.fail(why);
}

/** installSubmit gives events of submission what tools of forms need. */
export function installSubmit(): void {
  hear(window);
  lend(SubmitEvent.prototype, members);
}

function isInvoked(e: unknown): boolean {
  if (!isSubmit(e)) throw new TypeErrorOf("Illegal invocation");
  return submissions.get(e) !== undefined;
}

const members = {
  get agentInvoked(): boolean {
    return isInvoked(this);
  },
  respondWith(this: unknown, answer: unknown): void {
    const call = calling("respondWith", "SubmitEvent");
    if (!isSubmit(this)) throw new TypeErrorOf("Illegal invocation");
    call.needs(1, arguments.length);
    const s = submissions.get(this);
    if (s === undefined) throw call.refused("You can only call respondWith on an submit event that has agentInvoked == true.");
    if (!isPrevented(this)) throw call.refused("To call respondWith, you must first call preventDefault.");
    s.answer = { value: answer };
  },
};

const noAnswer = "The site has a programming error: it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result";
const noButton = "No submit button was found, but for a form without `toolautosubmit`, there must be a submit button";

function submitter(form: HTMLFormElement): HTMLElement | null {
  const all = elements(form);
  for (let i = 0; i < all.length; i++) {
    const e = all[i];
    if (e !== undefined && isSubmitter(e)) return e;
  }
  return null;
}

function faults(form: HTMLFormElement): string {
  let out = "";
  const all = elements(form);
  for (let i = 0; i < all.length; i++) {
    const e = all[i];
    const fault = e !== undefined && isControl(e) && matches(e, ":invalid") ? faultOf(e) : "";
    if (e !== undefined && fault !== "") out += `${getAttribute(e, "name") ?? ""}: ${fault}. `;
  }
  return out;
}

/** ofForm makes a run of a form. */
export function ofForm(form: HTMLFormElement, submits: boolean): Invoke {
  return (input, run) => start(form, submits, input, run);
}

async function start(form: HTMLFormElement, submits: boolean, input: unknown, run: Run): Promise<string> {
  giveUp(form, "Tool execution cancelled, since the tool was called again");
  let steps: (() => void)[];
  const button = submitter(form);
  try {
    steps = plan(parameters(form), input);
    if (!submits && button === null) throw new Failed(noButton, false);
  } catch (e) {
    run.began();
    throw e;
  }
  hear(rootOf(form)); // these events do not leave the tree
  for (let i = 0; i < steps.length; i++) steps[i]?.();
  return await own(submits ? submitNow(form, button, run) : submitLater(form, button, run));
}

async function submitNow(form: HTMLFormElement, button: HTMLElement | null, run: Run): Promise<string> {
  const by = button !== null && matches(button, ":disabled") ? null : button;
  let submitted: { e: Event; s: Submission } | undefined;
  let why = "The form was not submitted";
  try {
    const lax = hasAttribute(form, "novalidate") || (by !== null && hasAttribute(by, "formnovalidate"));
    if (!lax && !checkValidity(form)) throw new Failed(`Form validation failed: ${faults(form)}`, false);
    waiting.set(form, {
      submitted: (e, s) => {
        submitted = { e, s };
      },
      fail: (reason) => {
        why = reason;
      },
    });
    if (!isConnected(form)) throw new Failed("The form is not in the document any more", false);
    requestSubmit(form, by);
    waiting.set(form, undefined);
  } finally {
    run.began();
  }
  if (submitted === undefined) throw new Failed(why, false);
  return await own(answered(submitted.e, submitted.s, run));
}

function submitLater(form: HTMLFormElement, button: HTMLElement | null, run: Run): Promise<string> {
  const out = new PromiseOf<{ e: Event; s: Submission }>((resolve, reject) => {
    const mine: Waiting = {
      submitted: (e, s) => {
        soon(() => {
          resolve({ e, s });
        });
      },
      fail: (why) => {
        const off = new Failed(why, false);
        off.calledOff = true;
        reject(off);
      },
    };
    waiting.set(form, mine);
    listen(run.signal, "abort", () => {
      if (waiting.get(form) === mine) waiting.set(form, undefined);
    });
  });
  if (button !== null) focusElement(button);
  run.began();
  run.waits();
  return after(out, run);
}

async function after(submitted: Promise<{ e: Event; s: Submission }>, run: Run): Promise<string> {
  const { e, s } = await own(submitted);
  return await own(answered(e, s, run));
}

async function answered(e: Event, s: Submission, run: Run): Promise<string> {
  if (!isPrevented(e)) {
    run.left();
    return new PromiseOf<string>(() => {
      // the document that the form leads to has the answer
    });
  }
  if (s.answer === undefined) throw new Failed(noAnswer, false);
  let value: unknown;
  try {
    value = await s.answer.value;
  } catch (cause) {
    throw new Failed("respondWith promise was rejected", false, cause);
  }
  return asText(value);
}

