import { push, Table } from "../shared/clean";
import { onNext } from "./current";

// The tools of the document, of scripts and of forms.

/** Annotations are what Chrome 156 keeps of what a page says of a tool. */
export interface Annotations {
  readonly consequentialHint: boolean;
  readonly debugging: boolean;
  readonly readOnlyHint: boolean;
  readonly untrustedContentHint: boolean;
}

/** Tool is one that the document offers. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: string | undefined; // as JSON
  readonly annotations: Annotations | undefined;
  readonly kind: "script" | "form" | "self-form";
  readonly invoke: Invoke;
}

/** Invoke runs a tool; it answers with a text, or throws Failed or Cancelled. */
export type Invoke = (input: unknown, run: Run) => Promise<string>;

/** Run is a run of a tool, as the tool's side sees it. */
export interface Run {
  /** signal is what the page hears of an end that the caller made. */
  readonly signal: AbortSignal;
  /** began tells that the tool has been given its input. */
  began: () => void;
  /** waits tells that a person has to submit the form. */
  waits: () => void;
  /** left tells that a form was submitted and the page did not take the answer on itself. */
  left: () => void;
}

const tools = new Table<string, Tool>();
const hearers: ((after: () => void) => void)[] = [];

/** onChange has f called at each change; what it is given is to be called when the page has been told. */
export function onChange(f: (after: () => void) => void): void {
  push(hearers, f);
}

function changed(after: () => void): void {
  for (let i = 0; i < hearers.length; i++) hearers[i]?.(i === 0 ? after : nothing);
}

function nothing(): void {
  // nobody waits
}

export function find(name: string): Tool | undefined {
  return tools.get(name);
}

export function all(): Tool[] {
  return tools.values();
}

/** add adds a tool, whose name must be free. */
export function add(tool: Tool, after: () => void = nothing): void {
  tools.set(tool.name, tool);
  changed(after);
}

/** remove takes a tool away, unless another one has its name by now. */
export function remove(tool: Tool): boolean {
  if (tools.get(tool.name) !== tool) return false;
  tools.delete(tool.name);
  changed(nothing);
  return true;
}

// What the document before had offered is gone with it.
onNext(() => {
  const old = all();
  for (let i = 0; i < old.length; i++) {
    const tool = old[i];
    if (tool !== undefined) remove(tool);
  }
});

/** Failed is why a tool did not answer: cause is what it threw, if it did. */
export class Failed {
  readonly message: string;
  readonly thrown: boolean;
  readonly cause: unknown;
  /** calledOff: the page ended the run. */
  calledOff = false;

  constructor(message: string, thrown: boolean, cause?: unknown) {
    this.message = message;
    this.thrown = thrown;
    this.cause = cause;
  }
}
