package e2e

import (
	"fmt"
	"strings"
	"time"
)

// kitWaits are those that wait for something in vain.
var kitWaits = kitArea{name: "waits in vain", behaviours: []behaviour{
	{"N2 what is covered is not clicked", func(k *kit) {
		t := k.open("/auto-wait-test")
		t.refuses("clickOnElement", t.args(args{"readablePath": t.path("Covered Button")}), "Element <button", "> not actionable after 5000ms: covered by ", "div")
		t.says("picked", "Picked: None")
	}},
	{"+ what is disabled, read-only or hidden", func(k *kit) {
		t := k.open("/auto-wait-test")
		t.js(part("note-input") + ".readOnly = true; " + part("load-button") + ".style.visibility = 'hidden'; return 1")
		for _, tt := range []struct{ tool, text, want string }{
			{"clickOnElement", "Delayed Action", "disabled"},
			{"fillTextToElement", "Note", "read-only"},
			{"clickOnElement", "Load Results", "not visible"},
		} {
			t.refuses(tt.tool, t.args(args{"readablePath": t.path(tt.text), "value": "x"}), "not actionable after 5000ms: "+tt.want)
		}
	}},
}}

var kitAutoWait = kitArea{name: "auto wait", alone: true, behaviours: []behaviour{
	{"N1 a click waits until its button is enabled", func(k *kit) {
		t := k.open("/auto-wait-test")
		delayed := t.path("Delayed Action")
		t.click("Arm Delayed Button")
		t.report(t.do("clickOnElement", t.args(args{"readablePath": delayed})))
		t.says("delayed-count", "Delayed Clicks: 1")
	}},
	{"N3 what comes later is told", func(k *kit) {
		t := k.open("/auto-wait-test")
		told := t.click("Load Results")
		if !*told.Changed || *told.Navigated || *told.TooLarge || *told.Added < 3 {
			t.Errorf("%s", told.text)
		}
		added := fmt.Sprint(t.signed(told, "+"))
		t.has(added, "button Result 1", "button Result 2", "button Result 3")
		t.has(told.text, "```diff\n", "@@\n")
	}},
	{"N4 what was told can be clicked", func(k *kit) {
		t := k.open("/auto-wait-test")
		for _, x := range t.signed(t.click("Load Results"), "+") {
			if x[2] == "Result 2" {
				t.report(t.do("clickOnElement", t.args(args{"readablePath": x[0]})))
			}
		}
		t.says("picked", "Picked: Result 2")
	}},
	{"N5 a field that was filled", func(k *kit) {
		t := k.open("/auto-wait-test")
		told := t.fill("Note", "hello")
		added, removed := t.signed(told, "+"), t.signed(told, "-")
		if *told.Added != 1 || *told.Removed != 1 || len(added) != 1 || len(removed) != 1 || len(added[0]) != 4 || len(removed[0]) != 3 || added[0][0] != removed[0][0] ||
			added[0][2] != "Note" || added[0][3] != "hello" || removed[0][2] != "Note" {
			t.Errorf("%s", told.text)
		}
	}},
	{"N6 a link", func(k *kit) {
		t := k.open("/auto-wait-test")
		told := t.click("Go To Click Test")
		if !*told.Navigated || !strings.HasSuffix(*told.URL, "/click-test") {
			t.Errorf("%s", told.text)
		}
		t.has(told.text, "Navigated to")
	}},
	{"N7 a form", func(k *kit) {
		t := k.open("/auto-wait-test")
		t.fill("Search And Navigate", "hello")
		began := time.Now()
		told := t.on("hitEnterOnElement", "Search And Navigate", nil)
		if took := time.Since(began); !*told.Navigated || !strings.HasSuffix(*told.URL, "click-test?q=hello") || took > 20*time.Second {
			t.Errorf("after %s: %s", took, told.text)
		}
	}},
	{"N8 more than can be told", func(k *kit) {
		t := k.open("/auto-wait-test")
		told := t.click("Render Many")
		if !*told.Changed || !*told.TooLarge || *told.Added < 1000 {
			t.Errorf("%s", told.text)
		}
		t.has(told.text, "diff too large")
	}},
	{"N9 a path outlives what is put before", func(k *kit) {
		t := k.open("/auto-wait-test")
		path := t.path("Stable Target")
		for range 3 {
			t.click("Insert Above")
		}
		t.report(t.do("clickOnElement", t.args(args{"readablePath": path})))
		t.says("target-clicks", "Target Clicks: 1")
		if now := t.path("Stable Target"); now != path {
			t.Errorf("%s became %s", path, now)
		}
	}},
	{"N10 what was removed", func(k *kit) {
		t := k.open("/auto-wait-test")
		path := t.path("Stable Target")
		t.click("Remove Target")
		t.refuses("clickOnElement", t.args(args{"readablePath": path}), "Element "+path[strings.Index(path, ":")+1:]+" no longer exists", "re-read readable-elements")
	}},
	{"N11 a path of an older server", func(k *kit) {
		t := k.open("/auto-wait-test")
		frame := frameOf(t.path("Stable Target"))
		t.refuses("clickOnElement", t.args(args{"readablePath": frame + ":0.1.2"}), `"0.1.2" is a positional path; readable paths are now element ids (e.g. e1a)`)
	}},
	{"N12 a numeric frame", func(k *kit) {
		t := k.open("/auto-wait-test")
		t.refuses("clickOnElement", t.args(args{"readablePath": "0:e1"}), `"0:e1" uses a numeric frame id; frame ids are now stable ids (e.g. f1:e1a)`)
		t.refuses("clickOnElement", t.args(args{"readablePath": "e1"}), "Malformed frame-qualified path: e1")
	}},
	{"N13 after a reload nothing is clicked by an old path", func(k *kit) {
		t := k.open("/auto-wait-test")
		path := t.path("Stable Target")
		t.js("setTimeout(() => location.reload()); return 1")
		until(t.T, "the page again", func() bool { x := t.find("Stable Target"); return x != nil && frameOf(x[0]) != frameOf(path) })
		r := t.refuses("clickOnElement", t.args(args{"readablePath": path}))
		if !strings.Contains(r.Reason, "no longer exists") && !strings.Contains(r.Reason, "reloaded or navigated") {
			t.Errorf("the reason is %q", r.Reason)
		}
		t.says("target-clicks", "Target Clicks: 0")
	}},
	{"+ nothing that can be read changes", func(k *kit) {
		t := k.open("/auto-wait-test")
		if told := t.click("Arm Delayed Button"); *told.Changed {
			t.Errorf("%s", told.text)
		}
	}},
}}
