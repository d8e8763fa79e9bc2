package extension_test

import (
	"fmt"
	"os/exec"
	"testing"
)

// consentRig makes a consent in a page: t opens tabs, seen lists those that exist for agents.
const consentRig = `(async () => {
let now = 1e12, ids = 0, wake = null, asksFirst = false;
const shelf = () => { const kept = new Map(); return { kept, get: async (k) => structuredClone(kept.get(k)), set: async (k, v) => { kept.set(k, structuredClone(v)); } }; };
const session = shelf(), local = shelf();
const make = () => new rules.Consent({ session, local, clock: { now: () => now, wakeAt: (at) => { wake = at; } }, own: "chrome-extension://own/", id: () => String(++ids), asksFirst });
let c = make();
const tabs = new Map();
const t = (id, url, more = {}) => { const tab = { id, window: 1, url, incognito: false, ...more }; tabs.set(id, tab); c.opened(tab, null, null); };
const seen = () => c.tabIDs().filter((id) => c.allows(id)).sort().join(" ") || "none";
const asks = (id, url, byPage) => c.began(id, String(++ids), url, typeof byPage === "string" ? byPage : byPage ? tabs.get(id).url : null);
const shows = (id, url, how) => { c.navigated(id, url, how ?? "unknown"); tabs.get(id).url = url; };
const user = (id, url) => { asks(id, url, false); shows(id, url, "by user"); };
const page = (id, url) => { asks(id, url, true); shows(id, url); };
const back = (id, url) => { shows(id, url, "in history"); };
const later = (minutes) => { now += minutes * 60000; c.wake(); };
const again = async (closed) => { await c.saved(); if (closed) session.kept.clear(); c = make(); await c.restore([...tabs.values()], false); };
await c.restore([], false);
%s
})()`

func TestConsent(t *testing.T) {
	t.Parallel()
	build := exec.Command("go", "tool", "esbuild", "web/extension/user/consent.ts", "--bundle", "--format=iife", "--global-name=rules", "--target=es2022", "--log-level=warning")
	build.Dir = "../.."
	bundle, err := build.Output()
	if err != nil {
		t.Fatal(err)
	}
	p := newPerson(t, chromium(t, newBridge(t), privately))
	p.eval(p.office, string(bundle)+"\nglobalThis.rules = rules;", nil)
	for _, tt := range []struct{ name, do, want string }{
		{"nothing is allowed at first", `t(1, "https://a.example/"); return seen()`, "none"},
		{"a tab", `t(1, "https://a.example/"); t(2, "https://a.example/"); c.allow(1, "tab", false, "hour"); return seen()`, "1"},
		{"a tab, while it stays on its site", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); user(1, "https://www.a.example/x"); return seen()`, "1"},
		{"a tab that its user leads elsewhere", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); user(1, "https://b.example/"); return seen()`, "none"},
		{"and back", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); user(1, "https://b.example/"); user(1, "https://a.example/"); return seen()`, "1"},
		{"a link of the page that a person follows", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); page(1, "https://b.example/"); return seen()`, "none"},
		{"other schemes and ports are other sites", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); const out = []; for (const u of ["http://a.example/", "https://a.example:8443/", "https://sub.a.example/", "https://a.example.evil/"]) { user(1, u); out.push(seen()); } return out.join()`, "none,none,none,none"},
		{"www. of a registry is no site of it", `t(1, "https://www.example/"); c.allow(1, "tab", false, "hour"); user(1, "https://example/"); return seen()`, "none"},
		{"where an agent goes", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.leads(1, "https://b.example/"); user(1, "https://b.example/"); return seen()`, "1"},
		{"where an agent's act leads, over redirections", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.acted(1); page(1, "https://b.example/"); later(0.15); page(1, "https://c.example/"); return seen()`, "1"},
		{"what comes long after it", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.acted(1); later(0.2); page(1, "https://b.example/"); return seen()`, "none"},
		{"a person who types in the meantime", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.acted(1); user(1, "https://b.example/"); return seen()`, "none"},
		{"an act on a private tab leads nowhere", `t(1, "https://a.example/"); c.acted(1); c.leads(1, "https://b.example/"); page(1, "https://b.example/"); return seen()`, "none"},
		{"what is about to be shown", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); const u = "https://b.example/"; const out = [c.allowsAt(1, u)]; c.acted(1); asks(1, u, false); out.push(c.allowsAt(1, u)); asks(1, u, true); out.push(c.allowsAt(1, u)); return out.join()`, "false,false,true"},
		{"a person who types while an agent's way comes to nothing", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.leads(1, "https://a.example/#part"); user(1, "https://b.example/"); const s = seen(); t(2, "https://a.example/"); c.allow(2, "tab", false, "hour"); c.leads(2, "https://b.example/file"); c.began(2, "r", "https://b.example/file", null); c.ended(2, "r"); later(0.1); const u = "https://bank.example/"; const on = c.allowsAt(2, u); user(2, u); return s + " " + on + " " + seen()`, "none false none"},
		{"redirections of where an agent goes", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.leads(1, "http://b.example/"); c.began(1, "r", "https://b.example/", null); c.began(1, "r", "https://c.example/", null); c.navigated(1, "https://c.example/", "unknown"); return seen()`, "1"},
		{"back to what was private", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); user(1, "https://bank.example/"); user(1, "https://a.example/"); c.acted(1); c.travelling(1); asks(1, "https://bank.example/", true); const on = c.allowsAt(1, "https://bank.example/"); back(1, "https://bank.example/"); return on + " " + seen()`, "false none"},
		{"back to what an agent saw", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.acted(1); page(1, "https://b.example/"); page(1, "https://c.example/"); back(1, "https://b.example/"); const s = seen(); back(1, "https://a.example/"); return s + " " + seen()`, "1 1"},
		{"back to what was private, by its user", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); user(1, "https://bank.example/x#1"); c.slid(1, "https://bank.example/y"); user(1, "https://a.example/"); await again(false); c.acted(1); const out = []; for (const u of ["https://bank.example/x", "https://bank.example/y", "https://bank.example/z"]) { asks(1, u, true); out.push(c.allowsAt(1, u)); } return out.join()`, "false,false,true"},
		{"what was said to be a person's as it came", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.acted(1); asks(1, "https://b.example/", true); shows(1, "https://b.example/", "by user"); return seen()`, "none"},
		{"where an agent goes, as if typed", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.leads(1, "https://b.example/"); asks(1, "https://b.example/", true); shows(1, "https://b.example/", "by user"); return seen()`, "1"},
		{"what a page asks for that nobody is allowed", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); t(2, "https://bank.example/"); c.acted(1); asks(1, "https://b.example/", "https://bank.example/mail"); shows(1, "https://b.example/"); return seen()`, "none"},
		{"what a frame asks for, and a popup", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.acted(1); c.frame(1, "https://pay.example/form"); page(1, "https://a.example/2"); asks(1, "https://b.example/", "https://pay.example"); const on = c.allowsAt(1, "https://b.example/"); c.frame(1, "https://pay.example/form"); asks(1, "https://b.example/", "https://pay.example"); shows(1, "https://b.example/"); t(2, ""); c.opened(tabs.get(2), 1, null); page(2, "https://c.example/"); asks(1, "https://d.example/", "https://c.example/"); shows(1, "https://d.example/"); return on + " " + seen()`, "false 1 2"},
		{"another extension's page", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.acted(1); asks(1, "https://b.example/", "chrome-extension://other/"); shows(1, "https://b.example/"); return seen()`, "none"},
		{"what nobody asked for, where that is told first", `asksFirst = true; c = make(); await c.restore([], false); t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); t(2, ""); c.opened(tabs.get(2), 1, null); c.acted(1); shows(1, "https://b.example/"); shows(2, "blob:https://c.example/1"); t(3, ""); c.opened(tabs.get(3), null, "about:blank"); shows(3, "about:blank"); shows(3, "about:blank"); const s = seen(); user(3, "file:///home"); return s + " then " + seen()`, "2 3 then 2"},
		{"an agent's own tab", `t(1, ""); c.opened(tabs.get(1), null, "https://a.example/"); asks(1, "https://a.example/", false); c.navigated(1, "https://a.example/", "unknown"); const s = seen(); user(1, "https://b.example/"); return s + " then " + seen()`, "1 then none"},
		{"one that is empty, and whose user goes on from there", `t(1, ""); c.opened(tabs.get(1), null, "about:blank"); shows(1, "about:blank"); user(1, "https://bank.example/"); const s = seen(); t(2, ""); c.opened(tabs.get(2), null, "about:blank"); user(2, "file:///home"); c.leads(1, "file:///etc"); user(1, "file:///etc/"); return s + " then " + seen()`, "none then none"},
		{"one that an agent leads to a folder", `t(1, ""); c.opened(tabs.get(1), null, "about:blank"); c.leads(1, "file:///etc"); shows(1, "file:///etc/", "by user"); return seen()`, "1"},
		{"one that was on its way before it was told", `t(1, ""); asks(1, "https://a.example/", false); c.opened(tabs.get(1), null, "https://a.example/"); c.navigated(1, "https://a.example/", "unknown"); return seen()`, "1"},
		{"one that was there before it was told", `t(1, ""); asks(1, "https://a.example/", false); c.navigated(1, "https://a.example/", "unknown"); c.opened(tabs.get(1), null, "https://a.example/"); return seen()`, "1"},
		{"a popup, and what it opens", `t(1, "https://a.example/"); c.allow(1, "tab", false, "quarter"); t(2, ""); c.opened(tabs.get(2), 1, null); page(2, "https://b.example/"); t(3, ""); c.opened(tabs.get(3), 2, null); page(3, "https://c.example/"); const s = seen(); later(16); return s + " then " + seen()`, "1 2 3 then none"},
		{"a popup of a tab that was closed", `t(1, "https://a.example/"); c.allow(1, "site", false, "hour"); t(2, ""); c.opened(tabs.get(2), 1, null); page(2, "https://b.example/"); c.closed(1); const s = seen(); later(61); return s + " then " + seen()`, "2 then none"},
		{"a popup of a private tab", `t(1, "https://a.example/"); t(2, ""); c.opened(tabs.get(2), 1, null); page(2, "https://a.example/"); return seen()`, "none"},
		{"a site", `t(1, "https://a.example/x"); t(2, "https://a.example/y"); t(3, "https://sub.a.example/"); t(4, "http://a.example/"); c.allow(1, "site", false, "hour"); return seen()`, "1 2"},
		{"with its subdomains", `t(1, "https://a.example/"); t(2, "https://x.y.a.example/"); t(3, "https://ba.example/"); c.allow(1, "site", true, "hour"); return seen()`, "1 2"},
		{"addresses and bare names have none", `t(1, "http://127.0.0.1/"); t(2, "http://x.127.0.0.1/"); t(3, "http://localhost/"); t(4, "http://x.localhost/"); c.allow(1, "site", true, "hour"); c.allow(3, "site", true, "hour"); return seen()`, "1 3"},
		{"a file is no site", `t(1, "file:///a"); return c.allow(1, "site", false, "hour") + " " + c.allow(1, "tab", false, "hour") + " " + seen()`, "false true 1"},
		{"a window, and what comes and goes", `t(1, "https://a.example/"); t(2, "https://b.example/", { window: 2 }); c.allow(1, "window", false, "session"); const s = [seen()]; c.moved(2, 1); s.push(seen()); c.moved(1, 2); s.push(seen()); c.emptied(1); s.push(seen()); return s.join()`, "1,1 2,2,none"},
		{"everything, but the extension's own pages and private windows", `t(1, "https://a.example/"); t(2, "chrome-extension://own/popup.html"); t(3, "https://a.example/", { incognito: true }); c.allow(1, "all", false, "session"); return seen()`, "1"},
		{"in a private window, one tab", `t(1, "https://a.example/", { incognito: true }); const no = ["site", "window", "all"].map((k) => c.allow(1, k, false, "hour")); c.allow(1, "tab", false, "withdrawn"); return no.join() + " " + seen() + " " + c.grants(1)[0].kept`, "false,false,false 1 false"},
		{"private, whatever else is allowed", `t(1, "https://a.example/"); t(2, "https://a.example/"); c.allow(1, "all", false, "session"); c.hide(1); const s = seen(); c.leads(1, "https://b.example/"); user(1, "https://b.example/"); return s + " then " + seen()`, "2 then 2"},
		{"until it is allowed again", `t(1, "https://a.example/"); c.allow(1, "all", false, "session"); c.hide(1); c.allow(1, "site", false, "hour"); return seen()`, "1"},
		{"time", `t(1, "https://a.example/"); c.allow(1, "tab", false, "quarter"); const at = wake - now; later(14.9); const s = seen(); later(0.1); return [at / 60000, s, seen(), wake].join()`, "15,1,none,"},
		{"allowed anew, it ends as said last", `t(1, "https://a.example/"); c.allow(1, "tab", false, "quarter"); later(10); c.allow(1, "tab", false, "quarter"); later(10); return seen()`, "1"},
		{"withdrawn, with what followed", `t(1, "https://a.example/"); c.allow(1, "site", false, "hour"); c.leads(1, "https://b.example/"); user(1, "https://b.example/"); const s = seen(); c.withdraw(c.wide()[0].id); return s + " then " + seen()`, "1 then none"},
		{"a worker that is ended", `t(1, "https://a.example/"); t(2, "https://b.example/"); c.allow(1, "tab", false, "hour"); c.allow(2, "all", false, "session"); c.hide(2); c.raise(true); await again(false); return [seen(), c.stopped].join()`, "1,true"},
		{"a browser that is closed", `t(1, "https://a.example/"); t(2, "https://b.example/"); c.allow(1, "all", false, "session"); c.allow(1, "tab", false, "withdrawn"); c.allow(2, "site", false, "withdrawn"); c.raise(true); await again(true); return [seen(), c.stopped].join()`, "2,true"},
		{"what nobody understands allows nothing", `t(1, "https://a.example/"); await session.set("consent", { grants: [{ id: "1", scope: { kind: "everything" }, until: null, from: "" }, { id: "2", scope: { kind: "all" }, until: "never", from: "" }, null], hidden: "no" }); await again(false); return seen()`, "none"},
		{"changes are told once", `const told = []; c.changed((id, on) => told.push(id + (on ? "+" : "-"))); t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.allow(1, "all", false, "hour"); user(1, "https://b.example/"); c.hide(1); c.hide(1); return told.join("")`, "1+1-"},
		{"an empty page on the way", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.leads(1, "https://a.example/2"); page(1, "https://a.example/2"); asks(1, "https://b.example/", false); c.navigated(1, "about:blank", "unknown"); c.navigated(1, "https://b.example/", "unknown"); return seen()`, "none"},
		{"a tab with another number", `t(1, "https://a.example/"); c.allow(1, "tab", false, "hour"); c.replaced(1, 9); return seen()`, "9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			p.eval(p.office, fmt.Sprintf(consentRig, tt.do), &got)
			if got != tt.want {
				t.Errorf("got %q, not %q", got, tt.want)
			}
		})
	}
}
