// The last actions on each tab, for its user to read.

/** Outcome is how an action ended, "" while it goes on. */
export type Outcome = "" | "done" | "failed" | "stopped";

/** Action is one thing that an agent did. */
export interface Action {
  readonly time: number;
  readonly what: string;
  readonly times: number; // in a row
  readonly outcome: Outcome;
}

const perTab = 12;
const longest = 120;

// What an op of the page agent, or of the extension, is to a person. What is not
// here happens along the way, and is no action.
const words: Readonly<Record<string, string>> = {
  snapshot: "Read the page", text: "Read the page", linkedData: "Read the page", find: "Searched the page", archive: "Saved the page",
  click: "Clicked", fill: "Typed into", hover: "Pointed at", drag: "Dragged", upload: "Gave files to", scroll: "Scrolled",
  submitForm: "Sent a form", callTool: "Used a tool of the page", go: "Went to", activateTab: "Showed the tab",
  evaluate: "Ran code in the page", capture: "Took a picture", pose: "Asked you",
};

/** phrase tells a person what an op does, or "" for one that is no action of its own. */
export function phrase(op: string, detail: string): string {
  const what = words[op];
  if (what === undefined) return "";
  const about = detail.replace(/\s+/g, " ").trim();
  const text = about === "" ? what : `${what} ${about}`;
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

export class Actions {
  private readonly tabs = new Map<number, Entry[]>();
  private readonly listeners: ((tab: number) => void)[] = [];

  /**
   * begin notes an op on a tab. Detail is what it is about, and never a value
   * that is typed or read. What is returned takes how it ended.
   */
  begin(tab: number, op: string, detail: string, time: number): (outcome: Outcome) => void {
    const what = phrase(op, detail);
    if (what === "") return () => undefined;
    const list = this.tabs.get(tab) ?? [];
    this.tabs.set(tab, list);
    const last = list.at(-1);
    const entry = last?.what === what && last.outcome !== "failed" ? last : { time, what, times: 0, outcome: "" as const };
    if (entry !== last) list.push(entry);
    if (list.length > perTab) list.shift();
    entry.time = time;
    entry.times++;
    entry.outcome = "";
    this.tell(tab);
    return (outcome) => {
      entry.outcome = outcome;
      this.tell(tab);
    };
  }

  /** of are the last actions on a tab, the newest first. */
  of(tab: number): readonly Action[] {
    return (this.tabs.get(tab) ?? []).map((e) => ({ ...e })).reverse();
  }

  /** forget drops those of a tab. */
  forget(tab: number): void {
    this.tabs.delete(tab);
  }

  /** changed calls f when the actions on a tab change. */
  changed(f: (tab: number) => void): void {
    this.listeners.push(f);
  }

  private tell(tab: number): void {
    for (const f of this.listeners) f(tab);
  }
}

interface Entry {
  time: number;
  what: string;
  times: number;
  outcome: Outcome;
}
