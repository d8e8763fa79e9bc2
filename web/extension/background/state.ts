import { api } from "../shared/api";

/**
 * Gate keeps what happens in order until there is something to handle it:
 * listeners hear of events before what was known of the browser is restored.
 */
export class Gate {
  private waiting: (() => void)[] | null = [];

  run(f: () => void): void {
    if (this.waiting === null) f();
    else this.waiting.push(f);
  }

  open(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const f of waiting) f();
  }
}

/**
 * Session is what outlives the background while the browser runs: a worker may
 * be ended at any time.
 */
export class Session {
  private kept: Record<string, unknown> = {};

  /** restore is called once, before all else. */
  async restore(): Promise<void> {
    this.kept = (await api.storage.session?.get(null)) ?? {};
  }

  /** text is a kept text, made when there is none. */
  text(key: string, make: () => string): string {
    const had = this.kept[key];
    if (typeof had === "string") return had;
    const made = make();
    this.keep(key, made);
    return made;
  }

  /** numbers are those kept under a key. */
  numbers(key: string): number[] {
    const had = this.kept[key];
    return Array.isArray(had) ? had.filter((n) => typeof n === "number") : [];
  }

  value(key: string): unknown {
    return this.kept[key];
  }

  has(key: string): boolean {
    return key in this.kept;
  }

  keep(key: string, value: unknown): void {
    this.kept[key] = value;
    void api.storage.session?.set({ [key]: value });
  }

  drop(key: string): void {
    if (!(key in this.kept)) return;
    this.kept = Object.fromEntries(Object.entries(this.kept).filter(([k]) => k !== key));
    void api.storage.session?.remove(key);
  }
}
