import { eachRoot, rootsIn } from "./elements";

// What reads the page, and so has to know of all that is in it.
const readers = new Set(["snapshot", "text", "find", "elements", "stamp", "diff", "aim", "throughMe", "boxes", "archive", "relay", "climb", "prepare", "check"]);

// Looking at every element is dear on large pages: it is not to take more than
// this part of the time. What is added to the page is looked at in any case.
const part = 1 / 50;

const addedMost = 1000; // that are remembered

/** Roots tells the page agent of closed shadow roots, which only an extension finds. */
export class Roots {
  private readonly known = new WeakSet<ShadowRoot>();
  private readonly tell: (root: ShadowRoot) => void;
  private readonly observer: MutationObserver;
  private added: Element[] = [];
  private due = 0; // when all is looked at again, by performance.now

  constructor(tell: (root: ShadowRoot) => void) {
    this.tell = tell;
    this.observer = new MutationObserver((records) => { this.note(records); });
    this.watch(document);
  }

  /** before is called before an op of the agent. */
  before(op: string): void {
    if (!readers.has(op)) return;
    this.note(this.observer.takeRecords());
    const began = performance.now();
    if (began < this.due) {
      for (const e of this.added) rootsIn(e, this.learn);
      this.added = [];
      return;
    }
    this.added = [];
    eachRoot(document, this.learn);
    const now = performance.now();
    this.due = now + (now - began) / part;
  }

  private readonly learn = (root: ShadowRoot): void => {
    if (this.known.has(root)) return;
    this.known.add(root);
    this.watch(root);
    if (root.mode === "closed") this.tell(root);
  };

  private watch(root: Document | ShadowRoot): void {
    this.observer.observe(root, { childList: true, subtree: true });
  }

  private note(records: readonly MutationRecord[]): void {
    for (const r of records) {
      for (const n of r.addedNodes) {
        if (n instanceof Element) this.added.push(n);
      }
    }
    if (this.added.length <= addedMost) return;
    this.added = [];
    this.due = 0; // it is cheaper to look at all
  }
}
