import { parseJSON, toJSON } from "../shared/safe";
import { dispatch, listen } from "../shared/safe-dom";
import { abort, AbortControllerOf, CustomEventOf, detailOf, getOwnPropertyDescriptor, isAborted, joined, own, prevent, PromiseOf, push, signalOf, Table } from "../shared/clean";
import { soon } from "./tasks";
import { context } from "./context";
import { foreign, recognise, type Foreign } from "./foreign";
import { forgetFaults, takeFault, thrown } from "./faults";
import { allSaid, saidOf } from "./hints";
import { isObject } from "./idl";
import { asText, run } from "./run";
import { all, Failed, find, onChange, type Tool } from "./tools";

// The way to the page agent, which works in a world of its own: events with
// texts as their details, of a type that the page does not know, at an object
// that every world of the document has and that no document.open empties.

const place = performance;
const timer = window.setTimeout.bind(window);
const patience = 200; // ms that the page's own stand-in may take to tell its tools
const readDetail = (e: Event): unknown => (e instanceof CustomEventOf ? detailOf(e) : undefined);

interface Asked {
  readonly id: number;
  readonly op: string;
  readonly name: string;
  readonly input: string;
}

function number(o: object, key: string): number {
  const v: unknown = getOwnPropertyDescriptor(o, key)?.value;
  return typeof v === "number" ? v : 0;
}

function text(o: object, key: string): string {
  const v: unknown = getOwnPropertyDescriptor(o, key)?.value;
  return typeof v === "string" ? v : "";
}

function askedIn(e: Event): Asked | undefined {
  const detail = readDetail(e);
  if (typeof detail !== "string") return undefined;
  const o: unknown = parseJSON(detail);
  return isObject(o) ? { id: number(o, "id"), op: text(o, "op"), name: text(o, "name"), input: text(o, "input") } : undefined;
}

/** Mode is what the script does in this document. */
export interface Mode {
  /** alone: the browser has no WebMCP, and its place is ours. */
  readonly alone: boolean;
  /** look looks for forms that nothing told of. */
  readonly look: () => void;
}

/** isOpen tells whether somebody answers to a key already. */
export function isOpen(key: string): boolean {
  return !dispatch(place, new CustomEventOf(`${key}>`, { detail: '{"op":""}', cancelable: true }));
}

/** open has the channel answer. It returns what has to be called when the page may have put something in place of the API. */
export function open(key: string, mode: Mode): () => void {
  const calls = new Table<number, AbortController>();
  const reply = (json: string): void => {
    dispatch(place, new CustomEventOf(`${key}<`, { detail: json }));
  };
  let due = false;
  const changed = (): void => {
    if (due) return;
    due = true;
    soon(() => {
      due = false;
      reply('{"changed":true}');
    });
  };
  onChange((after) => {
    changed();
    if (!mode.alone) after();
  });
  const check = (): void => {
    recognise(mode.alone, changed);
  };
  listen(place, `${key}>`, (e) => {
    const asked = askedIn(e);
    if (asked === undefined) return;
    prevent(e);
    if (asked.op === "cancel") {
      const call = calls.get(asked.id);
      if (call !== undefined) abort(call);
      return;
    }
    check();
    const answer = (members: string): void => {
      reply(`{"id":${asked.id},${members}}`);
    };
    if (asked.op === "list") void list(mode, answer);
    if (asked.op === "said") answer(`"said":${allSaid()}`);
    if (asked.op === "fault") answer(takeFault(asked.name));
    if (asked.op === "forget") {
      forgetFaults(asked.name);
      answer('"forgot":true');
    }
    if (asked.op === "call") {
      const stop = new AbortControllerOf();
      calls.set(asked.id, stop);
      void call(mode, asked, signalOf(stop), answer, () => {
        calls.delete(asked.id);
      });
    }
  });
  return check;
}

function told(tool: Tool): string {
  const parts = [`"name":${toJSON(tool.name)}`, `"title":${toJSON(tool.title)}`, `"description":${toJSON(tool.description)}`, `"kind":"${tool.kind}"`];
  if (tool.schema !== undefined) push(parts, `"schema":${toJSON(tool.schema)}`);
  push(parts, `"said":${saidOf(tool.name, tool.description)}`);
  return `{${joined(parts, ",")}}`;
}

async function list(mode: Mode, answer: (members: string) => void): Promise<void> {
  const out: string[] = [];
  if (mode.alone) {
    mode.look();
    const ours = all();
    for (let i = 0; i < ours.length; i++) {
      const tool = ours[i];
      if (tool !== undefined) push(out, told(tool));
    }
  }
  const others = await own(inTime(foreign(mode.alone)));
  for (let i = 0; i < others.length; i++) {
    const tool = others[i];
    if (tool !== undefined && find(tool.name) === undefined) push(out, tool.json);
  }
  answer(`"tools":[${joined(out, ",")}]`);
}

// inTime is what a promise of the page comes to soon, or nothing.
function inTime(others: Promise<Foreign[]>): Promise<Foreign[]> {
  return new PromiseOf((resolve, reject) => {
    const wait = async (): Promise<void> => {
      try {
        resolve(await own(others));
      } catch (e) {
        reject(e);
      }
    };
    void wait();
    timer(() => {
      resolve([]);
    }, patience);
  });
}

async function call(mode: Mode, asked: Asked, signal: AbortSignal, answer: (members: string) => void, ended: () => void): Promise<void> {
  const state = (status: string): void => {
    answer(`"status":"${status}"`);
  };
  try {
    const ours = find(asked.name);
    const other = ours === undefined ? await own(foreignOf(mode, asked.name)) : undefined;
    if (ours !== undefined) {
      const watcher = {
        waits: () => {
          state("waiting");
        },
        left: () => {
          state("left");
        },
      };
      completed(await own(run(context, ours, asked.input, signal, watcher)), answer);
    } else if (other !== undefined) completed(asText(await own(other.call(asked.input, signal))), answer);
    else state("unknown");
  } catch (e) {
    if (isAborted(signal)) state("cancelled");
    else if (e instanceof Failed && e.calledOff) answer(`"status":"cancelled",${complaint(e)}`);
    else answer(`"status":"failed",${complaint(e)}`);
  }
  ended();
}

function completed(result: string, answer: (members: string) => void): void {
  answer(`"status":"completed","result":${toJSON(result)}`);
}

async function foreignOf(mode: Mode, name: string): Promise<Foreign | undefined> {
  const list = await own(foreign(mode.alone));
  for (let i = 0; i < list.length; i++) if (list[i]?.name === name) return list[i];
  return undefined;
}

// complaint is what a tool said of its failure: an error is described as the
// console does.
function complaint(e: unknown): string {
  if (!(e instanceof Failed)) return thrown(e);
  return e.thrown ? thrown(e.cause) : `"message":${toJSON(e.message)}`;
}
