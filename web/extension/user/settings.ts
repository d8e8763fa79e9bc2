import type { Shelf } from "./consent";
import { durationIn, field } from "./decode";
import type { Duration } from "./grants";

// What the owner of the browser has set.

export interface Settings {
  readonly name: string; // what the browser is called
  readonly marks: boolean; // where an agent acts is shown
  readonly full: boolean; // full power; only where the browser has it
  readonly duration: Duration; // chosen last
}

export const longestName = 40;

export class SettingsStore {
  private readonly shelf: Shelf;
  private value: Settings = { name: "", marks: true, full: false, duration: "hour" };
  private readonly listeners: ((s: Settings) => void)[] = [];
  private readonly renamers: (() => void)[] = [];
  private writes: Promise<unknown> = Promise.resolve();

  constructor(shelf: Shelf) {
    this.shelf = shelf;
  }

  /** restore reads what was set. What was not is as first says, which is what came with the extension. */
  async restore(first: Partial<Settings>): Promise<void> {
    const kept = await this.shelf.get("settings");
    this.value = { ...this.value, ...first };
    const name = field(kept, "name"), marks = field(kept, "marks"), full = field(kept, "full");
    this.value = {
      name: typeof name === "string" && name !== "" ? name : this.value.name,
      marks: typeof marks === "boolean" ? marks : this.value.marks,
      full: typeof full === "boolean" ? full : this.value.full,
      duration: durationIn(field(kept, "duration")) ?? this.value.duration,
    };
  }

  get now(): Settings {
    return this.value;
  }

  /** set changes some of them. */
  set(change: Partial<Settings>): void {
    const next = { ...this.value, ...change };
    const name = next.name.replace(/\s+/g, " ").trim().slice(0, longestName);
    const before = this.value.name;
    this.value = { ...next, name: name === "" ? before : name };
    const { value } = this;
    this.writes = this.writes.then(() => this.shelf.set("settings", value)).catch(() => undefined);
    for (const f of this.listeners) f(value);
    if (value.name !== before) for (const f of this.renamers) f();
  }

  /** changed calls f after each change. */
  changed(f: (s: Settings) => void): void {
    this.listeners.push(f);
  }

  /** renamed calls f when the browser has another name. */
  renamed(f: () => void): void {
    this.renamers.push(f);
  }

  /** saved is when all that was set is kept. */
  async saved(): Promise<void> {
    await this.writes;
  }
}
