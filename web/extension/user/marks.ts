// Where agents act is shown in the page, for a moment. Nothing waits for that.

/** Send has the host in a frame of a tab show or clear its mark. */
export type Send = (tab: number, frame: number, message: MarkRequest) => Promise<unknown>;

/** MarkRequest is to the host of whatever document a frame shows. */
export type MarkRequest =
  | { readonly to: "mark"; readonly is: "show"; readonly framed: boolean; readonly spot: { readonly x: number; readonly y: number } | null }
  | { readonly to: "mark"; readonly is: "clear" };

/** isMarkRequest tells whether a message is one. */
export function isMarkRequest(x: unknown): x is MarkRequest {
  return typeof x === "object" && x !== null && "to" in x && x.to === "mark";
}

const shownFor = 2000; // and a little longer
const again = 500; // is soon enough when there is nothing new to show

export class Marks {
  private readonly send: Send;
  private readonly wanted: () => boolean;
  private readonly shown = new Map<number, Map<number, number>>(); // by tab and frame, until when there may be one

  constructor(send: Send, wanted: () => boolean) {
    this.send = send;
    this.wanted = wanted;
  }

  /** show shows that an agent acts on a tab, and where in a frame. */
  show(tab: number, frame: number, spot: { readonly x: number; readonly y: number } | null): void {
    if (!this.wanted() || (spot === null && this.isShown(tab))) return;
    this.put(tab, 0, true, frame === 0 ? spot : null);
    if (frame !== 0 && spot !== null) this.put(tab, frame, false, spot);
  }

  /** clear takes the marks of a tab away for a picture of it, and is done when none is to be seen. */
  async clear(tab: number): Promise<void> {
    const frames = this.shown.get(tab);
    this.shown.delete(tab);
    if (frames === undefined) return;
    const now = Date.now();
    await Promise.all([...frames].filter(([, until]) => until > now).map(([frame]) => this.send(tab, frame, { to: "mark", is: "clear" }).catch(() => undefined)));
  }

  /** forget drops what is known of a tab. */
  forget(tab: number): void {
    this.shown.delete(tab);
  }

  private isShown(tab: number): boolean {
    return (this.shown.get(tab)?.get(0) ?? 0) - shownFor > Date.now() - again;
  }

  private put(tab: number, frame: number, framed: boolean, spot: { readonly x: number; readonly y: number } | null): void {
    const frames = this.shown.get(tab) ?? new Map<number, number>();
    this.shown.set(tab, frames);
    frames.set(frame, Date.now() + shownFor);
    this.send(tab, frame, { to: "mark", is: "show", framed, spot }).catch(() => undefined); // no host is there
  }
}
