package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var kitResources = kitArea{name: "resources", behaviours: []behaviour{
	{"71 the template", func(k *kit) {
		list, err := k.c.session.ListResourceTemplates(k.Context(), nil)
		if err != nil || len(list.ResourceTemplates) != 1 {
			k.Fatalf("%v, %v", list, err)
		}
		if got := list.ResourceTemplates[0]; got.URITemplate != "bk:///{+resourceId}" || got.Name != "bk" || got.MIMEType != "application/json" ||
			!strings.Contains(got.Description, "readable-element-html") {
			k.Errorf("%+v", got)
		}
	}},
	{"72 browsers are listed", func(k *kit) {
		if !k.isListed("bk:///browsers/" + k.id) {
			k.Errorf("%q", k.uris())
		}
	}},
	{"73 tabs are listed", func(k *kit) {
		t := k.open("/click-test")
		t.isListedAs(t.uri(), "Click Test", "localhost")
	}},
	{"74 a browser", func(k *kit) {
		b := k.browserBody()
		if b.ChannelID != "channel:"+k.id || b.Snapshot.Status != "online" || len(b.Snapshot.Tabs) == 0 || len(b.Snapshot.Windows) == 0 || b.LastSeenAt == 0 ||
			len(b.Snapshot.BrowserInfo) == 0 || len(b.Snapshot.ExtensionInfo) == 0 || b.Snapshot.ActiveTabIDByWindow == nil || b.Snapshot.ContentChangedAt == nil {
			k.Errorf("%+v", b)
		}
	}},
	{"75 an unknown browser", func(k *kit) {
		k.rejects("bk:///browsers/nowhere1", "Unknown or malformed bk resource ID: browsers/nowhere1 (uri=bk:///browsers/nowhere1)")
	}},
	{"76 a new tab is in its browser's resource", func(k *kit) {
		t := k.open("/home")
		until(k.T, "the tab", func() bool { return k.windowOf(t.tab) != "" })
	}},
	{"77 a browser is updated with a new tab", func(k *kit) {
		before := k.follow("bk:///browsers/" + k.id)
		k.open("/home")
		k.updated("bk:///browsers/"+k.id, before)
	}},
	{"78 and with one that a page opens", func(k *kit) {
		t := k.open("/home")
		before := k.follow("bk:///browsers/" + k.id)
		k.follow("bk:///context")
		context := k.updates.told("bk:///context")
		t.js("const a = document.createElement('a'); a.href = '/click-test?opened'; a.target = '_blank'; a.textContent = 'Away'; document.body.append(a); return 1")
		t.click("Away")
		k.updated("bk:///browsers/"+k.id, before)
		k.updated("bk:///context", context)
		until(k.T, "the tab", func() bool {
			for _, x := range k.browserBody().Snapshot.Tabs {
				if strings.HasSuffix(x.URL, "?opened") {
					k.ask("closeTab", args{"browserId": k.id, "windowId": x.WindowID, "tabId": x.ID})
					return true
				}
			}
			return false
		})
	}},
	{"79 tabs do not change the list of resources", func(k *kit) {
		before, lists := k.follow("bk:///browsers/"+k.id), k.updates.lists()
		t := k.open("/home")
		k.updated("bk:///browsers/"+k.id, before)
		t.do("closeTab", t.args(nil))
		if got := k.updates.lists(); got != lists {
			k.Errorf("told %d times that the list has changed", got-lists)
		}
	}},
	{"80 what can be read of tabs is listed", func(k *kit) {
		t := k.open("/text-test")
		t.isListedAs(t.uri()+"/readable-text", "readable text snapshot", "snapshot")
		t.isListedAs(t.uri()+"/readable-elements", "readable elements snapshot", "snapshot")
		for _, uri := range k.uris() {
			if strings.Contains(uri, "readable-element-html") || strings.Contains(uri, "snapshot-types") {
				t.Errorf("%s is listed", uri)
			}
		}
	}},
	{"81 text", func(k *kit) {
		t := k.open("/text-test")
		t.has(t.textOf(t.snapshot(t.resource(t.uri()+"/readable-text"))), "Text Test Screen")
	}},
	{"82 elements", func(k *kit) {
		t := k.open("/text-test")
		all := t.tuples(t.snapshot(t.resource(t.uri() + "/readable-elements")))
		if len(all) == 0 || len(all[0]) != 3 || all[0][1] != "a" || all[0][2] != "Back to Home" {
			t.Errorf("%q", all)
		}
	}},
	{"83 text is updated with another page", func(k *kit) {
		t := k.open("/text-test")
		k.resource(t.uri() + "/readable-text")
		before, tab := k.follow(t.uri()+"/readable-text"), k.follow(t.uri())
		t.moveTo("/click-test")
		k.updated(t.uri()+"/readable-text", before)
		k.updated(t.uri(), tab)
	}},
	{"+ what nobody subscribed to is not told", func(k *kit) {
		t := k.open("/text-test")
		k.follow(t.uri() + "/readable-elements")
		if err := k.c.session.Unsubscribe(k.Context(), &mcp.UnsubscribeParams{URI: t.uri() + "/readable-elements"}); err != nil {
			k.Fatal(err)
		}
		text := k.follow(t.uri() + "/readable-text")
		before := k.updates.told(t.uri() + "/readable-elements")
		t.moveTo("/click-test")
		k.updated(t.uri()+"/readable-text", text)
		if k.updates.told(t.uri()) != 0 || k.updates.told(t.uri()+"/readable-elements") != before {
			t.Error("told of what nobody follows")
		}
	}},
	{"+ a closed tab is told", func(k *kit) {
		t := k.open("/home")
		tab, text := k.follow(t.uri()), k.follow(t.uri()+"/readable-text")
		t.do("closeTab", t.args(nil))
		k.updated(t.uri(), tab)
		k.updated(t.uri()+"/readable-text", text)
	}},
	{"+ the order of the list", func(k *kit) {
		k.open("/home")
		group := func(uri string) int {
			switch {
			case uri == "bk:///context":
				return 0
			case strings.HasSuffix(uri, "/readable-text"):
				return 3
			case strings.HasSuffix(uri, "/readable-elements"):
				return 4
			case strings.Contains(uri, "/tabs/"):
				return 2
			}
			return 1
		}
		uris := k.uris()
		if !slices.IsSortedFunc(uris, func(a, b string) int { return group(a) - group(b) }) || uris[0] != "bk:///context" {
			k.Errorf("%q", uris)
		}
		k.isListedAs("bk:///context", "Browser Context", "")
		k.isListedAs("bk:///browsers/"+k.id, k.context().Browsers[0].BrowserInfo.BrowserName, k.id)
	}},
	{"+ what is no resource", func(k *kit) {
		t := k.open("/home")
		for _, rest := range []string{"/pages/2", "/readable-text/pages/1", "/more"} {
			k.rejects(t.uri()+rest, "Unknown or malformed bk resource ID: ")
		}
		k.rejects("bk:///browsers/"+k.id+"/tabs/nowhere", fmt.Sprintf("Tab not found: nowhere in channel channel:%s (uri=bk:///browsers/%[1]s/tabs/nowhere)", k.id))
		k.rejects(t.uri()+"/readable-element-html/f1", "Malformed frame-qualified path: f1")
	}},
	{"+ completion", func(k *kit) {
		t := k.open("/fallback-test?completed")
		complete := func(value string) []string {
			ctx, cancel := context.WithTimeout(k.Context(), patience)
			defer cancel()
			res, err := k.c.session.Complete(ctx, &mcp.CompleteParams{
				Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "bk:///{+resourceId}"}, Argument: mcp.CompleteParamsArgument{Name: "resourceId", Value: value},
			})
			if err != nil {
				k.Fatal(err)
			}
			return res.Completion.Values
		}
		tab := strings.TrimPrefix(t.uri(), "bk:///")
		if got := complete(""); !slices.Contains(got, tab) || !slices.Contains(got, "browsers/"+k.id) || len(got) > 100 {
			k.Errorf("of nothing: %q", got)
		}
		if got := complete("browsers/" + k.id); len(got) == 0 || !slices.Contains(got, tab) || got[len(got)-1] != "browsers/"+k.id {
			k.Errorf("of the browser: %q", got)
		}
		if got := complete("FALLBACK-TEST?completed"); len(got) != 1 || got[0] != tab {
			k.Errorf("of an address: %q", got)
		}
		if got := complete("no such thing"); len(got) != 0 {
			k.Errorf("of nothing that is there: %q", got)
		}
	}},
}}

// isListedAs checks what is told of a resource in the list, once that is so:
// parts of its title and of its description.
func (k *kit) isListedAs(uri, title, description string) {
	k.Helper()
	until(k.T, uri+" to be listed as "+title, func() bool {
		for _, r := range k.resources() {
			if r.URI == uri {
				if r.MIMEType != "application/json" || uri != "bk:///context" && "bk:///"+r.Name != uri {
					k.Errorf("%+v", r)
				}
				return strings.Contains(r.Title, title) && strings.Contains(r.Description, description)
			}
		}
		return false
	})
}
