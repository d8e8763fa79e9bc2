// What tools of scripts are, as a table: the name of a case, and what comes of
// it. It is run where the browser has WebMCP and where our script stands in.
const out = {};
let n = 0;
let finish;
const show = (v) => (v === undefined ? "undefined" : typeof v === "string" ? v.replace(/\p{Surrogate}/gu, "\\lone") : JSON.stringify(v));
const fault = (e) => (e instanceof Error || e instanceof DOMException ? `${e instanceof DOMException ? "DOM " : ""}${e.name}: ${e.message}` : `thrown ${show(e)}`);
const t = async (name, f) => {
  try {
    out[name] = show(await f());
  } catch (e) {
    out[name] = fault(e);
  }
};
const mc = document.modelContext;
const P = ModelContext.prototype;
const property = (o, k) => {
  const d = Object.getOwnPropertyDescriptor(o, k);
  return d && { w: d.writable, e: d.enumerable, c: d.configurable, g: d.get && `${d.get.name}/${d.get.length}`, s: d.set && `${d.set.name}/${d.set.length}`, v: typeof d.value, n: d.value?.name, l: d.value?.length };
};
const members = (o) => Reflect.ownKeys(o).map(String).sort();
// use registers a tool of its own name, gives it to f, and takes it away.
const use = async (given, f = (tool) => tool, options = {}) => {
  const gone = new AbortController();
  const name = `t${++n}`;
  const was = await mc.registerTool({ name, description: "d", execute() {}, ...given }, { signal: gone.signal, ...options });
  if (was !== undefined) throw new Error("registerTool answers something");
  try {
    const tool = (await mc.getTools()).find((x) => x.name === (given.name === undefined ? name : String(given.name)));
    return await f(tool, gone, name);
  } finally {
    gone.abort();
  }
};
const plain = (x) => ({ ...x, window: x.window === window, name: undefined });
// soon is when all that goes by way of the browser has come.
const soon = async () => {
  await new Promise((f) => setTimeout(f, 20));
  await mc.getTools();
  await new Promise((f) => setTimeout(f));
};
const run = (execute, input, more) => use({ execute }, (tool) => mc.executeTool(tool, input, more));
const observed = (target, log, name) => new Proxy(target, { get: (o, k) => (log.push(name + String(k)), o[k]) });

await t("members", () => members(P));
for (const k of members(P)) await t(`property ${k}`, () => property(P, k.startsWith("Symbol") ? Symbol.toStringTag : k));
for (const name of ["ModelContext", "ToolActivatedEvent", "ToolCancelEvent"]) {
  const C = window[name];
  await t(`global ${name}`, () => property(window, name));
  await t(`${name} statics`, () => members(C));
  await t(`${name} is made of`, () => [Object.getPrototypeOf(C).name, Object.getPrototypeOf(C.prototype) === Object.getPrototypeOf(C).prototype, C.length, C.name]);
  await t(`new ${name}`, () => new C());
  await t(`${name} called`, () => C("x"));
  if (name === "ModelContext") continue;
  await t(`${name} members`, () => members(C.prototype));
  await t(`${name} toolName`, () => property(C.prototype, "toolName"));
  await t(`${name} of nothing`, () => new C("x").toolName);
  await t(`${name} of something`, () => [new C("x", { toolName: 5, bubbles: true }).toolName, new C("x", { bubbles: true }).bubbles, String(new C("x"))]);
  await t(`${name} of no object`, () => new C("x", 5));
  await t(`${name} toolName of another`, () => Object.getOwnPropertyDescriptor(C.prototype, "toolName").get.call(new Event("x")));
}
await t("SubmitEvent", () => [property(SubmitEvent.prototype, "agentInvoked"), property(SubmitEvent.prototype, "respondWith")]);
await t("SubmitEvent made", () => new SubmitEvent("submit").agentInvoked);
await t("SubmitEvent made with it", () => new SubmitEvent("submit", { agentInvoked: true }).agentInvoked);
await t("SubmitEvent made responds", () => new SubmitEvent("submit").respondWith(1));
await t("SubmitEvent responds nothing", () => new SubmitEvent("submit").respondWith());
await t("SubmitEvent of another", () => Object.getOwnPropertyDescriptor(SubmitEvent.prototype, "agentInvoked").get.call(new Event("x")));
await t("document", () => [property(Document.prototype, "modelContext"), Object.hasOwn(document, "modelContext"), mc === document.modelContext, String(mc), mc instanceof EventTarget]);
await t("getter of another", () => Object.getOwnPropertyDescriptor(Document.prototype, "modelContext").get.call({}));
await t("set", () => {
  "use strict";
  document.modelContext = 1;
});
await t("enumerated", () => {
  const seen = [];
  for (const k in mc) seen.push(k);
  return seen.sort();
});

// Registering.
await t("register nothing", () => mc.registerTool());
await t("register on another", () => P.registerTool.call({}, {}));
await t("register throws late", () => mc.registerTool() instanceof Promise && "a promise");
for (const v of [5, "x", null, {}]) await t(`register ${show(v)}`, () => mc.registerTool(v));
for (const k of ["name", "description", "execute"]) await t(`register without ${k}`, () => use({ [k]: undefined }));
for (const v of [5, null, {}]) await t(`execute ${show(v)}`, () => use({ execute: v }));
for (const v of ["é", "", " ", "a/b", "a.b-c_D9", "x".repeat(128), "x".repeat(129), 5, null, "a\u0000"]) await t(`name ${show(v).slice(0, 12)} of ${String(v).length}`, () => use({ name: v }, (x) => x.name));
await t("name symbol", () => use({ name: Symbol("x") }));
for (const v of ["", " ", 5, null, "\ud800y"]) await t(`description ${show(v)}`, () => use({ description: v }, (x) => x.description));
for (const v of ["", "T", 5, null, "\ud800y", undefined]) await t(`title ${show(v)}`, () => use({ title: v }, (x) => x.title));
await t("name before description", () => use({ name: "", description: "" }));
await t("duplicate", () => use({}, (x) => mc.registerTool({ name: x.name, description: "d", execute() {} })));
await t("duplicate before description", () => use({}, (x) => mc.registerTool({ name: x.name, description: "", execute() {} })));
await t("duplicate before schema", () => use({}, (x) => mc.registerTool({ name: x.name, description: "d", execute() {}, inputSchema: { toJSON() {} } })));
await t("description before schema", () => use({ description: "", inputSchema: { toJSON() {} } }));
await t("schema before signal", () => use({ inputSchema: { toJSON() {} } }, undefined, { signal: AbortSignal.abort("why") }));
await t("signal before origins", () => use({}, undefined, { signal: AbortSignal.abort("why"), exposedTo: ["x"] }));
for (const v of ["x", 5, true]) await t(`annotations ${show(v)}`, () => use({ annotations: v }));
for (const v of [null, {}, { readOnlyHint: "no" }, { readOnlyHint: true, untrustedContentHint: 0, consequentialHint: 1, debugging: {}, destructiveHint: true, idempotentHint: true, openWorldHint: true, title: "x" }]) {
  await t(`annotations ${show(v)}`, () => use({ annotations: v }, (x) => [Object.hasOwn(x, "annotations"), x.annotations]));
}
const circle = {};
circle.a = circle;
const schemas = {
  text: "x", null: null, number: 5, function: () => {}, array: [1], undefined, circle, big: { a: 10n }, symbol: Symbol("x"),
  throws: { toJSON() { throw new RangeError("tj"); } }, gone: { toJSON() {} }, "text in the end": { toJSON: () => "s" }, empty: {},
  object: { b: 1, a: { type: "string" } }, date: new Date(0), map: new Map([[1, 2]]), "with undefined": { a: undefined, b: () => {} },
};
for (const [name, inputSchema] of Object.entries(schemas)) await t(`schema ${name}`, () => use({ inputSchema }, (x) => [Object.hasOwn(x, "inputSchema"), x.inputSchema]));
await t("schema is a copy", () => {
  const inputSchema = { type: "object" };
  return use({ inputSchema }, async (x) => {
    inputSchema.type = "changed";
    const y = (await mc.getTools()).find((o) => o.name === x.name);
    return [x.inputSchema, y.inputSchema, x.inputSchema === y.inputSchema];
  });
});
for (const v of [{}, null, 5]) await t(`signal ${show(v)}`, () => use({}, undefined, { signal: v }));
for (const v of [5, "x"]) await t(`options ${show(v)}`, () => mc.registerTool({ name: "never", description: "d", execute() {} }, v));
await t("options null", () => mc.registerTool({ name: "kept1", description: "d", execute() {} }, null));
await t("options undefined", () => mc.registerTool({ name: "kept2", description: "d", execute() {} }, undefined));
await t("aborted before", () => use({}, undefined, { signal: AbortSignal.abort("why") }));
await t("aborted before, without a reason", () => use({}, undefined, { signal: AbortSignal.abort() }));
await t("aborted meanwhile", async () => {
  const gone = new AbortController();
  const p = mc.registerTool({ name: "a1", description: "d", execute() {} }, { signal: gone.signal });
  gone.abort("later");
  return p.then(() => "registered", async (e) => [fault(e), (await mc.getTools()).some((x) => x.name === "a1")]);
});
await t("name free at once", async () => {
  const gone = new AbortController();
  mc.registerTool({ name: "a2", description: "d", execute() {} }, { signal: gone.signal }).catch(() => {});
  gone.abort();
  return use({ name: "a2" }, (x) => x.name);
});
await t("taken at once", () => {
  const gone = new AbortController();
  mc.registerTool({ name: "a3", description: "d", execute() {} }, { signal: gone.signal }).catch(() => {});
  return mc.registerTool({ name: "a3", description: "d", execute() {} }).finally(() => gone.abort());
});
await t("abort another's", async () => {
  const first = new AbortController();
  await mc.registerTool({ name: "a4", description: "one", execute() {} }, { signal: first.signal });
  first.abort();
  return use({ name: "a4", description: "two" }, async (x) => {
    first.abort();
    return (await mc.getTools()).filter((o) => o.name === "a4").map((o) => o.description);
  });
});
for (const v of ["http://example.com", "*", "native-agent", "https://a.example", "http://127.0.0.1:9", "http://localhost", "http://[::1]:1", "", 5, "https://a.example/path", "about:blank", "data:text/html,x", "https://u:p@a.example", "file:///x", "null", "ws://a.example", "wss://a.example", "/x"]) {
  await t(`exposed to ${show(v)}`, () => use({}, () => "accepted", { exposedTo: [v] }));
}
for (const v of ["x", 5, null, {}, []]) await t(`exposed to all of ${show(v)}`, () => use({}, () => "accepted", { exposedTo: v }));
await t("exposed to a set", () => use({}, () => "accepted", { exposedTo: new Set(["https://a.example"]) }));
await t("members read", async () => {
  const log = [];
  const gone = new AbortController();
  const tool = { name: "a5", description: "d", title: "x", execute() {}, annotations: observed({}, log, "annotations."), inputSchema: {} };
  await mc.registerTool(observed(tool, log, ""), observed({ signal: gone.signal }, log, "options."));
  gone.abort();
  return log;
});

// Listing.
await t("a tool", () => use({ annotations: { readOnlyHint: true }, inputSchema: {}, title: "T" }, (x) => [Object.keys(x), Object.getPrototypeOf(x) === Object.prototype, plain(x)]));
await t("a bare tool", () => use({}, (x) => [Object.keys(x), plain(x)]));
await t("origin", () => use({}, (x) => x.origin === location.origin));
for (const o of [["http://example.com"], ["x"], "x", null, 5, ["*"], [], ["https://a.example"], undefined]) await t(`from ${show(o)}`, async () => (await mc.getTools({ fromOrigins: o })).length);
for (const o of [5, null, undefined]) await t(`getTools ${show(o)}`, async () => (await mc.getTools(o)).length);
await t("getTools on another", () => P.getTools.call(document));
await t("in order of names", () => use({ name: "b10" }, () => use({ name: "B" }, () => use({ name: "b9" }, () => use({ name: "1" }, async () => (await mc.getTools()).map((x) => x.name).filter((x) => !x.startsWith("kept")))))));
await t("another list each time", () => use({}, async (x) => (await mc.getTools()).includes(x)));

// Running.
const returns = {
  text: () => "hello", empty: () => "", "json text": () => '{"a":1}', "number text": () => "42", object: () => ({ b: 1, 2: 2, a: [1, null] }), array: () => [1, "x", undefined], number: () => 1.5,
  true: () => true, null: () => null, undefined: () => undefined, function: () => () => {}, "toJSON to nothing": () => ({ toJSON() {} }), NaN: () => NaN, Infinity: () => Infinity, big: () => 10n,
  date: () => new Date(0), map: () => new Map([[1, 2]]), regexp: () => /x/, error: () => new Error("x"), node: () => document.body, bytes: () => new Uint8Array([1, 2]),
  mcp: () => ({ content: [{ type: "text", text: "x" }] }), "with a function": () => ({ a: () => {}, b: Symbol("x"), c: undefined }), window: () => window, circle: () => circle, "big inside": () => ({ a: 1n }),
  "toJSON throws": () => ({ toJSON() { throw new Error("x"); } }), throws: () => { throw new RangeError("kaboom"); }, "throws text": () => { throw "x"; }, rejects: () => Promise.reject(new Error("x")),
  promise: () => Promise.resolve("later"), thenable: () => ({ then: (f) => f("thened") }), "thenable fails": () => ({ then: (_, f) => f("no") }), "text object": () => new String("x"), "minus zero": () => -0,
  DOMException: () => { throw new DOMException("dm", "NotAllowedError"); },
};
for (const [name, f] of Object.entries(returns)) await t(`returns ${name}`, async () => { const v = await run(f); return [typeof v, v]; });
await t("given", () => run(function (...args) { return [args.length, args[0], Object.keys(args[1]), args[1].signal instanceof AbortSignal, args[1].signal.aborted, this === window, Object.getPrototypeOf(args[0]) === Object.prototype]; }, { a: 1 }));
for (const v of [undefined, {}, [1], "x", "{}", 5, null, true, { a: undefined }, { toJSON: () => ({ b: 1 }) }, { toJSON() {} }, { a: 1n }, circle, { "é": { b: 1 }, a: [new Date(0)] }, () => {}, new Date(0)]) {
  const name = v === circle ? "circle" : typeof v === "function" ? "function" : typeof v?.a === "bigint" ? "big" : v?.toJSON !== undefined && !(v instanceof Date) ? `toJSON ${show(v.toJSON())}` : v && "a" in Object(v) && v.a === undefined ? "with undefined" : typeof v === "string" ? `text ${v}` : show(v);
  await t(`input ${name}`, () => run((input) => ({ input }), v));
}
await t("input is a copy", () => { const v = { a: {} }; return run((input) => input !== v && input.a !== v.a, v); });
await t("executeTool nothing", () => mc.executeTool());
await t("executeTool on another", () => P.executeTool.call({}, {}));
for (const v of [5, null, {}, "x"]) await t(`executeTool ${show(v)}`, () => mc.executeTool(v));
for (const k of ["name", "description", "origin", "window", "title", "inputSchema", "annotations"]) await t(`executeTool without ${k}`, () => use({ execute: () => "ran" }, (x) => mc.executeTool({ ...x, [k]: undefined })));
await t("executeTool of a literal", () => use({ execute: () => "ran" }, (x) => mc.executeTool({ name: x.name, description: "other", origin: location.origin, window })));
await t("executeTool of an unknown name", () => mc.executeTool({ name: "none", description: "d", origin: location.origin, window }));
for (const v of ["https://a.example", "x", "http://example.com", "", "null"]) await t(`executeTool of origin ${v}`, () => use({ execute: () => "ran" }, (x) => mc.executeTool({ ...x, origin: v })));
await t("executeTool in no window", () => use({}, (x) => mc.executeTool({ ...x, window: {} })));
for (const v of [5, "x", null, {}, { signal: null }, { signal: {} }]) await t(`executeTool options ${show(v)}`, () => run(() => "ran", {}, v));
await t("executeTool reads", async () => {
  const log = [];
  const was = await use({ execute: () => "ran" }, (x) => mc.executeTool(observed(x, log, ""), {}, observed({}, log, "options.")));
  return [was, log];
});
await t("cancelled before", () => { let ran = false; return run(() => { ran = true; }, {}, { signal: AbortSignal.abort("why") }).catch((e) => [fault(e), ran]); });
await t("cancelled before an unknown name", () => mc.executeTool({ name: "none", description: "d", origin: location.origin, window }, {}, { signal: AbortSignal.abort("why") }));
await t("cancelled", async () => {
  const stop = new AbortController();
  const log = [];
  let settled;
  const ended = new Promise((f) => { settled = f; });
  const execute = (_, { signal }) => new Promise(() => {
    signal.addEventListener("abort", () => { log.push(`tool hears ${fault(signal.reason)}`); settled(); });
    stop.abort("why");
  });
  await run(execute, {}, { signal: stop.signal }).catch((e) => log.push(`caller hears ${fault(e)}`));
  await ended;
  return log;
});
await t("removed while it runs", () => use({ execute: () => new Promise((f) => { finish = f; }) }, async (x, gone) => {
  const p = mc.executeTool(x);
  await new Promise((f) => setTimeout(f, 20));
  gone.abort();
  finish("done");
  return p;
}));
await t("removed, then called", () => use({ execute: () => "ran" }, (x, gone) => { gone.abort(); return mc.executeTool(x); }));
await t("registered again, then called", () => use({ execute: () => "one" }, (x, gone) => {
  gone.abort();
  return use({ name: x.name, execute: () => "two" }, () => mc.executeTool(x));
}));

// Events.
const listenAll = async (log) => {
  await soon();
  const stop = new AbortController();
  for (const type of ["toolchange", "toolactivated", "toolcancel"]) {
    mc.addEventListener(type, (e) => log.push([e.type, e.constructor.name, e.toolName?.replace(/\d+/, ""), e.bubbles, e.cancelable, e.composed, e.target === mc]), { signal: stop.signal });
    window.addEventListener(type, () => log.push(`${type} at the window`), { signal: stop.signal });
  }
  return stop;
};
await t("toolchange", async () => {
  const log = [];
  const stop = await listenAll(log);
  await use({}, () => log.push("registered"));
  log.push("removed");
  await soon();
  stop.abort();
  return log;
});
await t("a change for each", async () => {
  const log = [];
  const stop = await listenAll(log);
  const gone = new AbortController();
  await Promise.all(["e1", "e2", "e3"].map((name) => mc.registerTool({ name, description: "d", execute() {} }, { signal: gone.signal })));
  gone.abort();
  await soon();
  stop.abort();
  return log.length;
});
await t("activated", async () => {
  const log = [];
  const stop = await listenAll(log);
  await use({ execute: () => { log.push("runs"); } }, async (x) => { await mc.executeTool(x); log.push("ended"); });
  await soon();
  stop.abort();
  return log;
});
await t("cancel event", async () => {
  const log = [];
  const stop = await listenAll(log);
  const end = new AbortController();
  await use({ execute: (_, { signal }) => { signal.addEventListener("abort", () => log.push("aborted")); setTimeout(() => end.abort(), 5); return new Promise(() => {}); } }, (x) => mc.executeTool(x, {}, { signal: end.signal }).catch(() => log.push("rejected")));
  await soon();
  stop.abort();
  return log;
});
await t("handlers", async () => {
  const log = [];
  const was = [mc.ontoolchange, mc.ontoolactivated, mc.ontoolcancel];
  mc.ontoolchange = 5;
  was.push(mc.ontoolchange);
  mc.ontoolchange = function (e) { log.push([this === mc, e.type]); };
  was.push(typeof mc.ontoolchange);
  await use({}, () => { mc.ontoolchange = null; });
  await soon();
  const object = { handleEvent() { log.push("no"); } };
  mc.ontoolchange = object;
  was.push(mc.ontoolchange === object);
  mc.ontoolchange = null;
  return [was, log];
});
await t("handler of another", () => Object.getOwnPropertyDescriptor(P, "ontoolchange").get.call({}));
for (const name of ["kept1", "kept2"]) await t(`kept ${name}`, async () => (await mc.getTools()).some((x) => x.name === name));
return out;
