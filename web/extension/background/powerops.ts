import { capture } from "./capture";
import type { Debugging } from "./debugger";
import type { Ops } from "./dispatch";
import { evaluate } from "./evaluate";
import { save } from "./save";
import type { Script } from "./script";
import type { Tabs } from "./tabs";

/** powerOps are those that depend on what the user and the browser let the extension do. */
export function powerOps(tabs: Tabs, debugging: Debugging, script: Script): Ops {
  return {
    evaluate: async (a) => {
      tabs.need(a.tab);
      return evaluate(a, debugging);
    },
    script: async (a) => {
      await script.set(a);
      return {};
    },
    capture: (a, cancelled) => capture(a, tabs, cancelled),
    ...(debugging.there ? {
      debug: (a) => debugging.command(a),
      letGo: async ({ tab }) => {
        await debugging.letGo(tab);
        return {};
      },
    } satisfies Ops : {}),
    save,
  };
}
