import { capture } from "./capture";
import type { Debugging } from "./debugger";
import type { Ops } from "./dispatch";
import { evaluate } from "./evaluate";
import { load } from "./load";
import { save } from "./save";
import type { Script } from "./script";
import type { Tabs } from "./tabs";

const pictures = new Set(["Page.captureScreenshot", "Page.startScreencast", "Page.printToPDF"]);

/**
 * powerOps are those that depend on what the user and the browser let the
 * extension do. clear takes away what the extension shows in a tab, for a picture.
 */
export function powerOps(tabs: Tabs, debugging: Debugging, script: Script, clear: (tab: number) => Promise<void>): Ops {
  return {
    evaluate: async (a) => {
      tabs.need(a.tab);
      return evaluate(a);
    },
    script: async (a) => {
      await script.set(a);
      return {};
    },
    capture: async (a, cancelled) => {
      tabs.need(a.tab);
      await clear(a.tab);
      return capture(a, tabs, cancelled);
    },
    ...(debugging.there ? {
      debug: async (a) => {
        tabs.need(a.tab);
        if (pictures.has(a.method)) await clear(a.tab);
        return debugging.command(a);
      },
      letGo: async ({ tab }) => {
        await debugging.letGo(tab);
        return {};
      },
    } satisfies Ops : {}),
    load: async (a, cancelled) => {
      tabs.need(a.tab);
      return load(a, cancelled);
    },
    save,
  };
}
