import { eachRoot } from "./elements";

// What reads the page, and so has to know of all that is in it.
const readers = new Set(["snapshot", "text", "find", "diff", "aim", "throughMe", "boxes", "archive", "relay", "climb", "prepare", "check"]);

/** Roots tells the page agent of closed shadow roots, which only an extension finds. */
export class Roots {
  private readonly known = new WeakSet<ShadowRoot>();
  private readonly tell: (root: ShadowRoot) => void;

  constructor(tell: (root: ShadowRoot) => void) {
    this.tell = tell;
  }

  /** before is called before an op of the agent. */
  before(op: string): void {
    if (!readers.has(op)) return;
    eachRoot(document, (root) => {
      if (root.mode !== "closed" || this.known.has(root)) return;
      this.known.add(root);
      this.tell(root);
    });
  }
}
