import type { ExtensionEvents } from "../../shared/link.gen";
import { api } from "../shared/api";
import { isPrefetch } from "../shared/prefetch";
import { Desk } from "../user/desk";
import { Marks } from "../user/marks";
import { loadConfig } from "./config";
import { Connection } from "./connection";
import { Debugging } from "./debugger";
import { Dispatcher } from "./dispatch";
import { Downloads } from "./downloads";
import { engine, instance, product } from "./hello";
import { Watch } from "./navigation";
import { noticed, sendMark } from "./notices";
import { opsFor } from "./ops";
import { powerOps } from "./powerops";
import { canFull, powersOf } from "./powers";
import { Requests } from "./requests";
import { changed } from "./save";
import { Script } from "./script";
import { Gate, Session } from "./state";
import { Tabs } from "./tabs";

// The background: a worker in Chromium, that may end at any time, a page in
// Firefox. Listeners have to be there at once, and wait for what is restored.

// It hears of everything first: all else asks it whether to hear of it at all.
const desk = new Desk();
const gate = new Gate();

interface Background {
  readonly connection: Connection;
  readonly tabs: Tabs;
  readonly watch: Watch;
  readonly requests: Requests;
  readonly downloads: Downloads;
  readonly debugging: Debugging;
  readonly script: Script;
  lookAtPowers(): void;
}

let background: Background | undefined;

function on(f: (b: Background) => void): void {
  gate.run(() => {
    if (background !== undefined) f(background);
  });
}

async function start(): Promise<Background> {
  const session = new Session();
  const [config] = await Promise.all([loadConfig(), session.restore()]);
  const { consent, settings } = desk;
  await desk.restore({
    everything: config.allowAll,
    settings: { name: config.browser === "" ? engine : config.browser, full: config.fullPower },
    engine,
    canFull,
  });

  const send = <K extends keyof ExtensionEvents>(name: K, body: ExtensionEvents[K]): void => {
    connection.send({ kind: "event", name, body });
  };
  const tabs = new Tabs(session, consent, {
    opened: (tab) => { send("tabOpened", tab); },
    changed: (tab) => { send("tabChanged", tab); },
    closed: (tab, why) => { send("tabClosed", { tab, why }); },
  });
  const watch = new Watch(session, tabs, send);
  const requests = new Requests(watch, send);
  const downloads = new Downloads(tabs, requests, send);
  const debugging = new Debugging(tabs, session, send, () => settings.now.full && !consent.stopped, (tab) => consent.leaves(tab), () => { settings.set({ full: false }); });
  const script = new Script(tabs, session, config.allowAll);
  const marks = new Marks(sendMark, () => settings.now.marks);
  const ops = { ...opsFor(tabs, watch), ...powerOps(tabs, debugging, script, (tab) => marks.clear(tab)) };
  const dispatcher = new Dispatcher(ops, (f) => { connection.send(f); }, () => consent.stopped, (tab) => tabs.isPrivate(tab), (op, args) => noticed(desk, marks, op, args));
  const boot = session.text("boot", () => crypto.randomUUID());
  const connection: Connection = new Connection(config, {
    hello: async () => ({
      instance: await instance(),
      boot,
      name: settings.now.name,
      engine,
      product: await product(),
      version: api.runtime.getManifest().version,
      ops: Object.keys(ops),
      ...(await powersOf(settings.now.full)),
      up: consent.stopped,
    }),
    begun: () => { tabs.forgetTold(); },
    take: (f) => { dispatcher.take(f); },
    ended: () => {
      dispatcher.forget();
      debugging.alone();
    },
  });
  let powers = "";
  const lookAtPowers = async (): Promise<void> => {
    const now = await powersOf(settings.now.full), text = JSON.stringify(now);
    if (text === powers) return;
    powers = text;
    send("powersChange", now);
    debugging.letGoOf();
  };
  consent.changed((id, allowed) => {
    tabs.tell(id);
    if (!allowed) dispatcher.withdraw(id);
    debugging.letGoOf();
  });
  consent.switched((up) => {
    if (up) dispatcher.stop();
    debugging.letGoOf();
    send("stopped", { up });
  });
  settings.changed(() => void lookAtPowers());
  desk.attach({
    address: config.address,
    connection: () => connection.state,
    pair: () => { connection.pair(); },
    reconnect: () => { connection.reconnect(); },
  });
  connection.onState(() => { desk.notice(); });
  settings.renamed(() => { connection.reconnect(); });
  watch.restore();
  script.restore();
  debugging.restore();
  await tabs.restore();
  return { connection, tabs, watch, requests, downloads, debugging, script, lookAtPowers: () => void lookAtPowers() };
}

const wake = (): void => {
  on((b) => { b.connection.connect(); });
};

api.runtime.onStartup.addListener(wake);
api.runtime.onInstalled.addListener(wake);
api.alarms.onAlarm.addListener(() => {
  wake();
  on((b) => { b.lookAtPowers(); }); // the browser tells of no change
});
api.alarms.create("connect", { periodInMinutes: 0.5 });
api.runtime.onMessage.addListener(() => {
  wake();
  return undefined;
});

api.tabs.onCreated.addListener((tab) => { on((b) => { b.tabs.created(tab); }); });
api.tabs.onUpdated.addListener((_id, _change, tab) => {
  on((b) => {
    b.tabs.updated(tab);
    b.connection.connect();
  });
});
api.tabs.onActivated.addListener(({ tabId, windowId }) => {
  on((b) => {
    b.tabs.activated(tabId, windowId);
    b.connection.connect();
  });
});
api.tabs.onMoved.addListener((id) => { on((b) => void b.tabs.look(id)); });
api.tabs.onAttached.addListener((id) => { on((b) => void b.tabs.look(id)); });
api.tabs.onReplaced?.addListener((added, removed) => {
  on((b) => {
    b.tabs.replaced(added, removed);
    b.watch.replaced(added, removed);
  });
});
api.tabs.onRemoved.addListener((id) => {
  on((b) => {
    b.tabs.removed(id);
    b.watch.removed(id);
  });
});

const nav = api.webNavigation;
nav.onCreatedNavigationTarget.addListener((d) => { on((b) => { b.tabs.openedFrom(d.sourceTabId, d.tabId); }); });
nav.onBeforeNavigate.addListener((d) => { on((b) => { b.watch.began(d); }); });
nav.onCommitted.addListener((d) => {
  on((b) => {
    b.script.committed(d.tabId, d.frameId);
    b.watch.committed(d);
    if (d.frameId === 0) b.debugging.asked(d.tabId);
  });
});
nav.onDOMContentLoaded.addListener((d) => { on((b) => { b.watch.at("domReady", d); }); });
nav.onCompleted.addListener((d) => { on((b) => { b.watch.at("loaded", d); }); });
nav.onReferenceFragmentUpdated.addListener((d) => { on((b) => { b.watch.at("moved", d); }); });
nav.onHistoryStateUpdated.addListener((d) => { on((b) => { b.watch.at("moved", d); }); });
nav.onErrorOccurred.addListener((d) => { on((b) => { b.watch.failed(d); }); });

const everywhere = { urls: ["<all_urls>"] };
api.webRequest.onBeforeRequest.addListener((d) => {
  on((b) => {
    b.requests.began(d);
    if (d.type === "main_frame" && !isPrefetch(d)) b.debugging.asked(d.tabId);
  });
}, everywhere);
api.webRequest.onBeforeRedirect.addListener((d) => { on((b) => { b.requests.responded(d); }); }, everywhere);
api.webRequest.onResponseStarted.addListener((d) => { on((b) => { b.requests.responded(d); }); }, everywhere);
api.webRequest.onCompleted.addListener((d) => { on((b) => { b.requests.ended(d); }); }, everywhere);
api.webRequest.onErrorOccurred.addListener((d) => { on((b) => { b.requests.ended(d); }); }, everywhere);

api.downloads.onCreated.addListener((item) => { on((b) => void b.downloads.created(item)); });
api.downloads.onChanged.addListener(({ id, state }) => {
  if (state === undefined) return;
  changed(id);
  on((b) => void b.downloads.changed(id));
});

api.debugger?.onEvent.addListener((source, method, params) => { on((b) => { b.debugging.told(source, method, params); }); });
api.debugger?.onDetach.addListener((source, reason) => { on((b) => { b.debugging.detached(source, reason); }); });

// Each host keeps a line here as long as its document is there.
api.runtime.onConnect.addListener((port) => {
  const { tab, frameId, documentId } = port.sender ?? {};
  if (!port.name.startsWith("document ") || tab?.id === undefined || frameId === undefined) return;
  const tabId = tab.id;
  port.onDisconnect.addListener(() => {
    void api.runtime.lastError; // the document was put away: that is no error
    on((b) => void b.watch.left(tabId, frameId, documentId ?? ""));
  });
});

void start().then((b) => {
  background = b;
  gate.open();
  b.connection.connect();
});
