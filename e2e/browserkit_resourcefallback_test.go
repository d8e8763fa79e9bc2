package e2e

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

var kitResourceFallback = kitArea{name: "resource fallback tools", behaviours: []behaviour{
	{"59 they are listed as such that only read", func(k *kit) {
		list, err := k.c.session.ListTools(k.Context(), nil)
		if err != nil {
			k.Fatal(err)
		}
		n := 0
		for _, tool := range list.Tools {
			for _, name := range onlyText {
				if tool.Name == name && tool.Annotations != nil && tool.Annotations.ReadOnlyHint {
					n++
				}
			}
		}
		if n != len(onlyText) {
			k.Errorf("%d are listed so", n)
		}
	}},
	{"60 the context has browsers and tabs", func(k *kit) {
		k.open("/home")
		c := k.context()
		if len(c.Browsers) != 1 {
			k.Fatalf("%+v", c)
		}
		b := c.Browsers[0]
		if b.BrowserID != k.id || b.Status != "online" || b.VersionMismatch != nil || len(b.Windows) == 0 || len(b.Tabs) == 0 || b.Windows[0].Focused == nil {
			k.Fatalf("%+v", b)
		}
		for _, t := range b.Tabs {
			if t.ID == "" || t.WindowID == "" || t.TabURI != "bk:///browsers/"+k.id+"/tabs/"+t.ID {
				k.Errorf("%+v", t)
			}
		}
	}},
	{"61 the context as a tool and as a resource", func(k *kit) {
		t := k.open("/home?context")
		// Others come and go meanwhile.
		until(k.T, "the same of both", func() bool {
			tool, resource := k.context(), kitContext{}
			k.decode(k.resource("bk:///context"), &resource)
			return reflect.DeepEqual(tool, resource) && strings.Contains(fmt.Sprint(tool), t.url)
		})
	}},
	{"62 text", func(k *kit) {
		t := k.open("/text-test")
		t.has(t.allText(), "Text Test Screen", "South gate")
	}},
	{"63 text in pages", func(k *kit) {
		t := k.open("/snapshot-test")
		s := t.readText()
		if n := len(utf16Of(t.textOf(s))); n > 8192 || s.NextPageNumber == nil || *s.NextPageNumber != 2 {
			t.Fatalf("%d characters, then %v", n, s.NextPageNumber)
		}
		last := k.page(s, "readable-text", 2)
		if last.NextPageNumber != nil || last.SnapshotID != s.SnapshotID {
			t.Errorf("%+v", last)
		}
		t.has(t.textOf(last), "This is paragraph number 25.")
	}},
	{"64 text of an unknown browser", func(k *kit) {
		t := k.open("/text-test")
		r := k.refuses("getReadableText", args{"browserId": "nowhere1", "tabId": t.tab}, "No browser found for browserId: nowhere1")
		if r.text != "{\n  \"ok\": false,\n  \"reason\": \"Error: No browser found for browserId: nowhere1\"\n}" {
			k.Errorf("the text is %s", r.text)
		}
	}},
	{"65 elements", func(k *kit) {
		if all := k.open("/click-test").elements(); len(all) == 0 || all[0][2] != "Back to Home" {
			k.Errorf("%q", all)
		}
	}},
	{"66 an element of the tool can be clicked", func(k *kit) {
		t := k.open("/click-test")
		t.click("Primary Button")
		t.says("click-count", "Click Count: 1")
	}},
	{"67 elements of a tool and of a resource are the same", func(k *kit) {
		t := k.open("/form-test")
		tool := t.snapshot(t.do("getReadableElements", args{"browserId": t.id, "tabId": t.tab}).text)
		resource := t.snapshot(t.resource(t.uri() + "/readable-elements"))
		if string(tool.Data) != string(resource.Data) || tool.TotalPages != resource.TotalPages {
			t.Errorf("%s\nand\n%s", tool.Data, resource.Data)
		}
	}},
	{"68 elements go on in another page", func(k *kit) {
		t := k.open("/snapshot-test")
		s := t.snapshot(t.do("getReadableElements", args{"browserId": t.id, "tabId": t.tab}).text)
		next := k.page(s, "readable-elements", 2)
		if next.SnapshotID != s.SnapshotID || len(t.tuples(next)) == 0 {
			t.Errorf("%+v", next)
		}
	}},
	{"69 an unknown snapshot", func(k *kit) {
		k.refuses("getSnapshotPage", args{"snapshotId": "snapshot:nowhere1", "type": "readable-text", "pageNumber": 1},
			"Error: No cached snapshot pages found for snapshot ID: snapshot:nowhere1. Read page 1 first to fetch and cache content.")
	}},
	{"70 a page that is none", func(k *kit) {
		s := k.open("/text-test").readText()
		k.refuses("getSnapshotPage", args{"snapshotId": s.SnapshotID, "type": "readable-text", "pageNumber": 99},
			fmt.Sprintf("Page 99 out of range (1–%d) for snapshot ID: %s", s.TotalPages, s.SnapshotID))
		k.refuses("getSnapshotPage", args{"snapshotId": s.SnapshotID, "type": "readable-elements", "pageNumber": 1},
			fmt.Sprintf("Requested snapshot type (readable-elements) does not match cached type (readable-text) for snapshot ID: %s", s.SnapshotID))
	}},
	{"N23 text has neither styles nor scripts", func(k *kit) {
		t := k.open("/text-test")
		text := t.allText()
		t.has(text, "Beside a style")
		elements, err := json.Marshal(t.elements())
		if err != nil {
			t.Fatal(err)
		}
		for _, leak := range []string{"leaked-rule", "leakedName", "leaked text"} {
			if strings.Contains(text, leak) || strings.Contains(string(elements), leak) {
				t.Errorf("%q leaked: %s\n%s", leak, text, elements)
			}
		}
	}},
}}

// page reads a page of a snapshot.
func (k *kit) page(s kitSnapshot, kind string, number int) kitSnapshot {
	k.Helper()
	return k.snapshot(k.do("getSnapshotPage", args{"snapshotId": s.SnapshotID, "type": kind, "pageNumber": number}).text)
}
