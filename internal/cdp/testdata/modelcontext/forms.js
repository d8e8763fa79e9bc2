// What tools of forms are, as a table like the one of tools of scripts.
const out = {};
const show = (v) => (v === undefined ? "undefined" : typeof v === "string" ? v : JSON.stringify(v));
const fault = (e) => (e instanceof Error || e instanceof DOMException ? `${e instanceof DOMException ? "DOM " : ""}${e.name}: ${e.message}` : `thrown ${show(e)}`);
const t = async (name, f) => {
  try {
    out[name] = show(await f());
  } catch (e) {
    out[name] = fault(e);
  }
};
const mc = document.modelContext;
let late;
const wait = (ms) => new Promise((f) => setTimeout(f, ms));
// soon is when all that goes by way of the browser has come.
const soon = async (ms = 10) => {
  await wait(ms);
  await mc.getTools();
  await wait(0);
};
const box = document.body.appendChild(document.createElement("div"));
// put shows html for f, and takes it away.
const put = async (html, f) => {
  box.innerHTML = html;
  await soon();
  try {
    return await f(await mc.getTools());
  } finally {
    box.innerHTML = "";
    await soon();
  }
};
const form = (inner, attributes = "toolautosubmit") => `<form toolname=f tooldescription=d ${attributes}>${inner}</form>`;
const named = (tools) => tools.map((x) => x.name);
const the = (tools) => tools.find((x) => x.name === "f");
const schema = (inner, attributes) => put(form(inner, attributes), (tools) => the(tools)?.inputSchema);
// what only stands in another place counts as the same
const sorted = (v) => (Array.isArray(v) ? v.map(sorted) : typeof v === "object" && v !== null ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])])) : v);

const declared = {
  plain: "<form toolname=f tooldescription=d><input name=q></form>",
  "without a description": "<form toolname=f><input name=q></form>",
  "with an empty description": "<form toolname=f tooldescription=''><input name=q></form>",
  "with a blank description": "<form toolname=f tooldescription=' '><input name=q></form>",
  "without a name": "<form tooldescription=d><input name=q></form>",
  "with an empty name": "<form toolname='' tooldescription=d><input name=q></form>",
  "with a bad name": "<form toolname='a b' tooldescription=d><input name=q></form>",
  "with a name in blanks": "<form toolname=' f ' tooldescription=d><input name=q></form>",
  "with a long name": `<form toolname=${"x".repeat(128)} tooldescription=d></form>`,
  "with a name too long": `<form toolname=${"x".repeat(129)} tooldescription=d></form>`,
  "with a title": "<form toolname=f tooldescription=d tooltitle=T><input name=q></form>",
  "that submits": "<form toolname=f tooldescription=d toolautosubmit><input name=q></form>",
  "that submits, by another word": "<form toolname=f tooldescription=d toolautosubmit=false><input name=q></form>",
  "that is no form": "<div toolname=f tooldescription=d><input name=q></div><button toolname=g tooldescription=d>b</button>",
  "in a template": "<template><form toolname=f tooldescription=d></form></template>",
  "that is hidden": "<form toolname=f tooldescription=d style='display:none' inert></form>",
  "that is empty": "<form toolname=f tooldescription=d></form>",
  twice: "<form toolname=f tooldescription=one></form><form toolname=f tooldescription=two></form>",
};
for (const [name, html] of Object.entries(declared)) {
  await t(`a form ${name}`, () => put(html, (tools) => tools.map((x) => [x.name.slice(0, 20), x.description, x.title, sorted(x.inputSchema), x.annotations, Object.keys(x)])));
}
await t("in an open shadow tree", () => put("", async () => {
  const host = box.appendChild(document.createElement("div"));
  host.attachShadow({ mode: "open" }).innerHTML = form("<input name=q>");
  await soon();
  box.append("x");
  return named(await mc.getTools());
}));
await t("in a shadow tree later", () => put("", async () => {
  const host = document.createElement("div");
  host.attachShadow({ mode: "open" });
  box.append(host);
  await soon();
  host.shadowRoot.innerHTML = form("<input name=q>");
  await soon();
  const was = named(await mc.getTools());
  host.remove();
  await soon();
  return [was, named(await mc.getTools())];
}));
await t("in a custom element", () => put("<later-made></later-made>", async () => {
  customElements.define("later-made", class extends HTMLElement {
    constructor() {
      super();
      this.attachShadow({ mode: "open" }).innerHTML = form("<input name=q>");
    }
  });
  await soon();
  return named(await mc.getTools());
}));
await t("of the XML kind", () => put("", async () => {
  box.append(document.createElementNS("http://www.w3.org/2000/svg", "form"));
  box.firstChild.setAttribute("toolname", "f");
  box.firstChild.setAttribute("tooldescription", "d");
  await soon();
  return named(await mc.getTools());
}));

const controls = {
  text: "<input name=q>", "text of type": "<input type=text name=q>", search: "<input type=search name=q>", tel: "<input type=tel name=q>", url: "<input type=url name=q>", email: "<input type=email name=q>",
  emails: "<input type=email multiple name=q>", password: "<input type=password name=q>", textarea: "<textarea name=q></textarea>", list: "<input name=q list=l><datalist id=l><option>a</datalist>",
  pattern: "<input name=q pattern='[a-z]+'>", "bad pattern": "<input name=q pattern='[a-z'>", lengths: "<input name=q minlength=2 maxlength=5>", "odd type": "<input type=odd name=q>",
  number: "<input type=number name=q>", "number in bounds": "<input type=number name=q min=1 max=9>", "number in steps": "<input type=number name=q min=2 step=2>", "number off its steps": "<input type=number name=q min=1 step=2>",
  "number of any step": "<input type=number name=q min=1 step=any>", "number in fractions": "<input type=number name=q min=0.5 max=2.5 step=0.5>", "number with a bad step": "<input type=number name=q step=-1>", "number with value": "<input type=number name=q value=3 step=2>",
  "number of bad bounds": "<input type=number name=q min=x max=y>", "number of a great step": "<input type=number name=q step=1e3 min=0>",
  range: "<input type=range name=q>", "range in bounds": "<input type=range name=q min=5 max=10 step=5>", "range of any step": "<input type=range name=q step=any>", "range off its steps": "<input type=range name=q min=1 max=10 step=2>",
  checkbox: "<input type=checkbox name=q>", "checkbox with value": "<input type=checkbox name=q value=v required>", checkboxes: "<input type=checkbox name=q value=a><input type=checkbox name=q value=b>",
  "checkboxes with labels": "<fieldset toolparamdescription=set><legend>L</legend><label><input type=checkbox name=q value=a>A</label><label><input type=checkbox name=q value=b required>B</label></fieldset>",
  radios: "<input type=radio name=q value=a><input type=radio name=q value=b>", "radios with labels": "<fieldset toolparamdescription=set><legend>L</legend><label><input type=radio name=q value=a>A</label><label><input type=radio name=q value=b required>B</label></fieldset>",
  "one radio": "<input type=radio name=q value=a>", "radio without value": "<input type=radio name=q>", "radios described": "<input type=radio name=q value=a toolparamdescription=x><input type=radio name=q value=b toolparamdescription=y>",
  select: "<select name=q><option value=''>choose<option value=a>A<option disabled>b<option label=L>c</select>", "select of many": "<select multiple name=q required><option>a<option value=b>B</select>", "empty select": "<select name=q></select>",
  "select with groups": "<select name=q><optgroup label=G><option>a</optgroup><optgroup disabled label=H><option>b</optgroup></select>", "select with doubles": "<select name=q><option value=a>A<option value=a>B</select>",
  date: "<input type=date name=q min=2020-01-01 max=2020-12-31>", "date described": "<input type=date name=q toolparamdescription='When'>", "date described with a stop": "<input type=date name=q toolparamdescription='When.'>", time: "<input type=time name=q min=10:00>", local: "<input type=datetime-local name=q>", month: "<input type=month name=q>", week: "<input type=week name=q>", color: "<input type=color name=q>",
  hidden: "<input type=hidden name=q value=1>", "hidden described": "<input type=hidden name=q value=1 toolparamdescription=h>", file: "<input type=file name=q>", image: "<input type=image name=q>", button: "<input type=button name=q><button name=r>b</button><input type=submit name=s><input type=reset name=u>",
  output: "<output name=q></output>", object: "<object name=q></object>", disabled: "<input name=q disabled>", "disabled by its set": "<fieldset disabled><input name=q></fieldset>", readonly: "<input name=q readonly>", nameless: "<input>", "empty name": "<input name=''>", "blank name": "<input name=' '>", "name in blanks": "<input name=' q '>",
  "double names": "<input name=q><input name=q type=number>", "double of kinds": "<input name=q><input type=checkbox name=q value=v>", "readonly checkbox": "<input type=checkbox readonly name=q>", "readonly textarea": "<textarea readonly name=q></textarea>",
  required: "<input name=q required><input name=a required><input type=radio name=r value=1 required><select name=s required><option>x</select><textarea name=t required></textarea>",
  described: "<input name=q toolparamdescription=x>", labelled: "<label>My <b>label</b> <input name=q></label>", "labelled by for": "<label for=i>L</label><input id=i name=q>", "two labels": "<label for=i>L</label><label for=i>M</label><input id=i name=q>",
  "aria-label": "<input name=q aria-label=x>", "aria-description": "<input name=q aria-description=x>", "aria and label": "<label>L<input name=q aria-description=x></label>", placeholder: "<input name=q placeholder=p title=t>", "empty description": "<label>L<input name=q toolparamdescription=''></label>",
  "label of a select": "<label>L <select name=q><option>a</select></label>", "label of a checkbox": "<label><input type=checkbox name=q> agree</label>", "label of a textarea": "<label>L <textarea name=q>inner</textarea></label>", "label with spaces": "<label>  a \n  b <span style='display:none'>c</span> <input name=q></label>",
  order: "<input name=z><input name=a><input name=1>", "in another form's": "<input name=q form=other>", ["__proto__"]: "<input name=__proto__>", "numbers as names": "<input name=constructor><input name=toString>",
};
for (const [name, html] of Object.entries(controls)) await t(`control ${name}`, async () => sorted(await schema(html)));
await t("control from outside", () => put(`${form("", "id=fo")}<input name=q form=fo>`, (tools) => sorted(the(tools).inputSchema)));

// What changes them.
const changes = {
  "control added": (f) => f.append(Object.assign(document.createElement("input"), { name: "r" })), "control removed": (f) => f.querySelector("input").remove(), "name changed": (f) => (f.querySelector("input").name = "r"),
  "type changed": (f) => (f.querySelector("input").type = "number"), "required": (f) => (f.querySelector("input").required = true), "disabled": (f) => (f.querySelector("input").disabled = true), described: (f) => f.querySelector("input").setAttribute("toolparamdescription", "x"),
  "value changed": (f) => (f.querySelector("input").value = "x"), "description changed": (f) => f.setAttribute("tooldescription", "e"), "name of tool changed": (f) => f.setAttribute("toolname", "g"), "submits no more": (f) => f.removeAttribute("toolautosubmit"),
  "description gone": (f) => f.removeAttribute("tooldescription"), "form gone": (f) => f.remove(), "form moved": (f) => box.prepend(f), hidden: (f) => (f.hidden = true), "title given": (f) => f.setAttribute("tooltitle", "T"), "class changed": (f) => (f.className = "x"), "text changed": (f) => f.append("x"),
  "label changed": (f) => (f.querySelector("label").firstChild.data = "M"), "option added": (f) => f.querySelector("select").add(new Option("c")),
};
for (const [name, change] of Object.entries(changes)) {
  await t(`change: ${name}`, () => put(form("<label>L<input name=q></label><select name=s><option>a</select>"), async () => {
    let n = 0;
    const count = () => n++;
    mc.addEventListener("toolchange", count);
    change(box.querySelector("form"));
    await soon();
    mc.removeEventListener("toolchange", count);
    return [n > 0, (await mc.getTools()).map((x) => [x.name, x.description, x.title, Object.keys(x.inputSchema.properties).sort()])];
  }));
}
await t("script before form", async () => {
  const gone = new AbortController();
  await mc.registerTool({ name: "f", description: "script", execute() {} }, { signal: gone.signal });
  const was = await put(form("<input name=q>"), (tools) => tools.map((x) => x.description));
  gone.abort();
  return was;
});
await t("form before script", () => put(form("<input name=q>"), () => mc.registerTool({ name: "f", description: "script", execute() {} })));
await t("the second form when the first goes", () => put("<form toolname=f tooldescription=one></form><form toolname=f tooldescription=two></form>", async () => {
  box.firstChild.remove();
  await soon();
  return (await mc.getTools()).map((x) => x.description);
}));

// Calls.
const echo = "<script>";
const call = async (inner, input, { attributes = "toolautosubmit", submit = (e, data) => { e.preventDefault(); e.respondWith(data); }, during, options } = {}) => put(form(inner, `${attributes} action=about:blank`), async (tools) => {
  const log = [];
  const f = box.querySelector("form");
  const note = (s) => log.push(s);
  for (const type of ["input", "change", "submit", "invalid", "reset"]) f.addEventListener(type, (e) => {
    if (e.target !== f || type === "submit" || type === "reset") note([type, e.target.name ?? "form", ...(type === "submit" ? [e.agentInvoked, e.submitter?.name ?? null, e.bubbles, e.cancelable] : [])].join(" "));
  }, true);
  for (const type of ["toolactivated", "toolcancel"]) mc.addEventListener(type, (e) => note(`${e.type} ${e.toolName}`), { once: true });
  f.addEventListener("submit", (e) => { try { submit(e, Object.fromEntries([...new FormData(f).keys()].map((k) => [k, new FormData(f).getAll(k)]))); } catch (err) { note(fault(err)); e.preventDefault(); } });
  const stop = new AbortController();
  const waits = Promise.race([mc.executeTool(the(tools), input, { signal: stop.signal, ...options }), wait(700).then(() => "still waits")]);
  if (during !== undefined) {
    await soon();
    await during(f, stop, note);
  }
  note(await waits.catch(fault));
  stop.abort();
  await soon(40);
  return log;
});
const text = "<input name=q value=was><input type=submit name=go>";
await t("call: text", () => call(text, { q: "x" }));
await t("call: nothing", () => call(text, {}));
await t("call: the same", () => call(text, { q: "was" }));
await t("call: no button", () => call("<input name=q>", { q: "x" }));
await t("call: button type", () => call("<input name=q><button name=go>x</button><button name=other>x</button>", { q: "x" }));
await t("call: disabled button", () => call("<input name=q><button name=go disabled>x</button>", { q: "x" }));
await t("call: unknown", () => call(text, { r: "x" }));
for (const v of [1, true, null, [], {}, "", "a\nb"]) await t(`call: text of ${show(v)}`, () => call(text, { q: v }));
for (const v of ["4", 4, "x", "", 4.5, true, null, 99, "1e1", " 4 ", [4]]) await t(`call: number of ${show(v)}`, () => call("<input type=number name=q max=50 step=any>", { q: v }));
for (const v of [5, 99, -3, "7"]) await t(`call: range of ${show(v)}`, () => call("<input type=range name=q max=10>", { q: v }));
for (const v of [true, false, "true", "false", "x", 1, 0, null, ["a"]]) await t(`call: checkbox of ${show(v)}`, () => call("<input type=checkbox name=q value=v>", { q: v }));
await t("call: uncheck", () => call("<input type=checkbox name=q value=v checked>", { q: false }));
for (const v of [["a"], ["a", "b"], [], "a", ["z"], [1], true]) await t(`call: checkboxes of ${show(v)}`, () => call("<input type=checkbox name=q value=a checked><input type=checkbox name=q value=b><input type=checkbox name=q value=1>", { q: v }));
for (const v of ["b", "z", 1, null, ["b"]]) await t(`call: radios of ${show(v)}`, () => call("<input type=radio name=q value=a checked><input type=radio name=q value=b><input type=radio name=q value=1>", { q: v }));
for (const v of ["b", "B", "z", 1, null, ["b"], ""]) await t(`call: select of ${show(v)}`, () => call("<select name=q><option>a<option value=b>B<option>1</select>", { q: v }));
await t("call: disabled option", () => call("<select name=q><option>a<option disabled>b</select>", { q: "b" }));
for (const v of [["a", "b"], [], "a", ["z"]]) await t(`call: select of many of ${show(v)}`, () => call("<select name=q multiple><option selected>a<option>b<option>c</select>", { q: v }));
const moments = { date: ["2020-02-03", "2020-02-31", "3.2.2020", 5, ""], time: ["10:00", "10:00:01", "25:00", "x"], "datetime-local": ["2020-02-03T10:00", "2020-02-03 10:00", "x"], month: ["2020-02", "2020-13"], week: ["2020-W05", "2020-W60"], color: ["#aabbcc", "#AABBCC", "red", "#abc", "x"], email: ["a@b.c", "x"], url: ["http://a/", "x"] };
for (const [type, values] of Object.entries(moments)) for (const v of values) await t(`call: ${type} of ${show(v)}`, () => call(`<input type=${type} name=q>`, { q: v }));
await t("call: textarea", () => call("<textarea name=q>was</textarea>", { q: "a\nb" }));
await t("call: hidden", () => call("<input type=hidden name=q toolparamdescription=h>", { q: "x" }));
await t("call: in order", () => call("<input name=z><input name=a><input type=checkbox name=m>", { z: "1", a: "2", m: true }));
await t("call: nothing filled when one is wrong", () => call("<input name=a><select name=z><option>x</select>", { a: "1", z: "no" }));
await t("call: required", () => call("<input name=q required><input name=r required>", { r: "x" }));
await t("call: pattern", () => call("<input name=q pattern='[a-z]+' title='small'>", { q: "1" }));
await t("call: too long", () => call("<input name=q maxlength=2>", { q: "abc" }));
await t("call: custom validity", () => call(text, { q: "x" }, { during: undefined, attributes: "toolautosubmit oninput=\"this.q.setCustomValidity('no such place')\"" }));
await t("call: novalidate", () => call("<input name=q required>", {}, { attributes: "toolautosubmit novalidate" }));
await t("call: maxlength kept", () => call("<input name=q maxlength=2>", { q: "ab" }));
for (const v of ["text", '{"a":1}', "", undefined, null, 5, { a: 1 }, [1]]) await t(`call: answers ${show(v)}`, () => call(text, { q: "x" }, { submit(e) { e.preventDefault(); e.respondWith(v); } }));
await t("call: answers by promise", () => call(text, { q: "x" }, { submit(e) { e.preventDefault(); e.respondWith(soon().then(() => "later")); } }));
await t("call: answers a failure", () => call(text, { q: "x" }, { submit(e) { e.preventDefault(); const p = Promise.reject(new Error("no")); p.catch(() => {}); e.respondWith(p); } }));
await t("call: answers twice", () => call(text, { q: "x" }, { submit(e) { e.preventDefault(); e.respondWith("one"); e.respondWith("two"); } }));
await t("call: prevented only", () => call(text, { q: "x" }, { submit(e) { e.preventDefault(); } }));
await t("call: answers before it prevents", () => call(text, { q: "x" }, { submit(e) { e.respondWith("x"); e.preventDefault(); } }));
await t("call: answers late", () => call(text, { q: "x" }, { submit(e) { e.preventDefault(); setTimeout(() => { try { e.respondWith("x"); } catch {} }, 5); } }));
await t("call: what answering returns", () => call(text, { q: "x" }, { submit(e) { e.preventDefault(); e.respondWith(String(e.respondWith("a"))); } }));
await t("call: never answers", () => call(text, { q: "x" }, { submit(e) { e.preventDefault(); e.respondWith(new Promise(() => {})); } }));
const manual = { attributes: "" };
await t("manual: waits", () => call(text, { q: "x" }, manual));
await t("manual: no button", () => call("<input name=q>", { q: "x" }, manual));
await t("manual: focus", () => call(text, { q: "x" }, { ...manual, during: (f, stop, note) => { note(document.activeElement.name); f.requestSubmit(); } }));
await t("manual: clicked", () => call(text, { q: "x" }, { ...manual, during: (f) => f.querySelector("[type=submit]").click() }));
await t("manual: prevented only", () => call(text, { q: "x" }, { ...manual, submit(e) { e.preventDefault(); }, during: (f) => f.requestSubmit() }));
await t("manual: invalid stays", () => call("<input name=q required><input type=submit name=go>", {}, { ...manual, during: (f) => f.requestSubmit() }));
await t("manual: reset", () => call(text, { q: "x" }, { ...manual, during: (f) => f.reset() }));
await t("manual: changed", () => call(text, { q: "x" }, { ...manual, during: (f) => f.append(Object.assign(document.createElement("input"), { name: "r" })) }));
await t("manual: removed", () => call(text, { q: "x" }, { ...manual, during: (f) => f.remove() }));
await t("manual: cancelled", () => call(text, { q: "x" }, { ...manual, during: (f, stop, note) => { stop.abort("why"); note(f.q.value); } }));
await t("manual: submitted without a call", () => put(form(text, ""), async () => {
  const f = box.querySelector("form");
  const log = [];
  f.addEventListener("submit", (e) => { e.preventDefault(); log.push(e.agentInvoked); try { e.respondWith(1); } catch (err) { log.push(fault(err)); } });
  f.requestSubmit();
  return log;
}));
await t("manual: invoked later", () => call(text, { q: "x" }, { ...manual, submit(e) { e.preventDefault(); e.respondWith("x"); setTimeout(() => (late = e.agentInvoked), 10); }, during: async (f, stop, note) => { f.requestSubmit(); await soon(40); note(String(late)); } }));

await t("a made event", () => call(text, { q: "x" }, { ...manual, during: (f) => f.dispatchEvent(new SubmitEvent("submit", { cancelable: true, bubbles: true })) }));
return out;
