import type { ScriptArgs } from "../../shared/link.gen";
import { api, isFirefox, type RegisteredContentScript } from "../shared/api";
import { modelContext } from "./modelcontext.gen";
import { userScripts } from "./powers";
import type { Session } from "./state";
import type { Tabs } from "./tabs";

// The script for page tools, which has to be in a document before the page's
// own scripts. Its options hold a key that no page may learn: so they go into
// its code, or with it, and never through the page.

const id = "page-tools";
const all = ["<all_urls>"];
const setMost = 300; // milliseconds that pages may take for it, all in all: one that hangs never does it

/** Script is the one for page tools in the documents of allowed tabs. */
export class Script {
  private readonly tabs: Tabs;
  private readonly session: Session;
  private readonly everything: boolean;
  private options: ScriptArgs | null = null;
  private registered: Promise<RegisteredContentScript | null> = Promise.resolve(null);
  private early = false; // the browser puts it into all documents by itself

  constructor(tabs: Tabs, session: Session, everything: boolean) {
    this.tabs = tabs;
    this.session = session;
    this.everything = everything;
  }

  /** restore goes on with what was asked for before the worker ended. */
  restore(): void {
    const kept: unknown = this.session.value("script");
    if (!isOptions(kept)) return;
    this.options = kept;
    this.early = this.session.value("script early") === true;
  }

  /** set puts the script into all documents of allowed tabs, those that are there and those to come. */
  async set(options: ScriptArgs): Promise<void> {
    this.options = options;
    this.session.keep("script", options);
    this.early = this.everything && (await this.register(`${modelContext.toString()}\n`, options));
    this.session.keep("script early", this.early);
    const awake = this.tabs.list().filter((t) => t.asleep !== true && t.frozen !== true);
    await Promise.race([
      Promise.all(awake.map((t) => this.put(options, { tabId: t.tab, allFrames: true }))),
      new Promise((resolve) => { setTimeout(resolve, setMost); }),
    ]);
  }

  /** committed puts it into a new document, as early as can be. */
  committed(tab: number, frame: number): void {
    if (this.options === null || this.early || this.tabs.allowed(tab) === null) return;
    void this.put(this.options, { tabId: tab, frameIds: [frame] });
  }

  private async put(options: ScriptArgs, target: { readonly tabId: number; readonly frameIds?: readonly number[]; readonly allFrames?: boolean }): Promise<void> {
    try {
      await api.scripting.executeScript({ target, world: "MAIN", func: modelContext, args: [options], injectImmediately: true });
    } catch {
      // a page that cannot be touched, or is gone
    }
  }

  // register has the browser itself put the script into every document. That
  // takes in tabs that are not allowed, and so is for browsers without such.
  private async register(text: string, options: ScriptArgs): Promise<boolean> {
    const code = `(${text})(${JSON.stringify(options)})`;
    try {
      if (isFirefox) {
        await (await this.registered)?.unregister();
        this.registered = api.contentScripts?.register({ js: [{ code }], matches: all, allFrames: true, matchAboutBlank: true, runAt: "document_start", world: "MAIN" })
          ?? Promise.resolve(null);
        return (await this.registered) !== null;
      }
      const scripts = userScripts();
      if (scripts === null) return false;
      await scripts.unregister({ ids: [id] }).catch(() => undefined);
      await scripts.register([{ id, js: [{ code }], matches: all, allFrames: true, runAt: "document_start", world: "MAIN" }]);
      return true;
    } catch {
      return false;
    }
  }
}

function isOptions(x: unknown): x is ScriptArgs {
  return typeof x === "object" && x !== null && "key" in x && "polyfill" in x && "hints" in x;
}
