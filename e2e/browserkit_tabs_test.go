package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
)

var kitTabs = kitArea{name: "tab tools", behaviours: []behaviour{
	{"96 a tab is opened", func(k *kit) {
		t := k.open("/click-test?found")
		if t.win != k.window || k.windowOf(t.tab) != k.window {
			k.Errorf("it is in %s, not %s", k.windowOf(t.tab), k.window)
		}
		var found string // as the older suite finds it
		for _, uri := range k.uris() {
			if strings.Contains(uri, "/tabs/") && !strings.Contains(uri, "/readable-") && uri == t.uri() && k.tabAt(uri).Tab.URL == t.url {
				found = uri
			}
		}
		if found == "" {
			t.Error("it is not found")
		}
	}},
	{"97 a new tab is read", func(k *kit) {
		t := k.open("/form-test")
		t.has(t.allText(), "Form Test")
	}},
	{"98 a tab is closed", func(k *kit) {
		t := k.open("/home")
		if r := t.do("closeTab", t.args(nil)); r.text != "Tab closed successfully" || string(r.Value) != "{}" {
			t.Errorf("%s, %s", r.text, r.Value)
		}
		until(t.T, "its resources to go", func() bool { return !k.isListed(t.uri()) && !k.isListed(t.uri()+"/readable-text") })
		k.rejects(t.uri(), "Tab not found: "+t.tab+" in channel channel:"+k.id)
		t.refuses("closeTab", t.args(nil), "Tab not found: "+k.id+"::"+t.tab)
	}},
	{"102 two tabs", func(k *kit) {
		one, other := k.open("/click-test"), k.open("/text-test")
		one.has(one.allText(), "Click Test Screen")
		other.has(other.allText(), "Text Test Screen")
		one.do("closeTab", one.args(nil))
		other.do("closeTab", other.args(nil))
		until(k.T, "both to go", func() bool { return !k.isListed(one.uri()) && !k.isListed(other.uri()) })
	}},
	{"+ what is selected", func(k *kit) {
		t := k.open("/text-test")
		if r := t.do("getSelection", t.args(nil)); string(r.Value) != `{"selectedText":""}` || r.text != `{"selectedText":""}` {
			t.Errorf("%s, %s", r.Value, r.text)
		}
		t.js("getSelection().selectAllChildren(document.querySelector('h1')); return 1")
		if r := t.do("getSelection", t.args(nil)); string(r.Value) != `{"selectedText":"Text Test Screen"}` {
			t.Errorf("%s", r.Value)
		}
	}},
	{"+ the window of a call does not matter", func(k *kit) {
		t := k.open("/click-test")
		t.do("clickOnElement", t.args(args{"windowId": "elsewhere", "readablePath": t.path("Primary Button"), "more": true}))
		t.says("click-count", "Click Count: 1")
	}},
	{"+ an empty tab is closed", func(k *kit) {
		r := k.do("openTab", args{"browserId": k.id, "windowId": k.window, "url": "about:blank"})
		var made struct{ WindowID, TabID string }
		k.decode(string(r.Value), &made)
		k.has(r.text, "Tab opened successfully. browserId: "+k.id+", windowId: "+made.WindowID+", tabId: "+made.TabID)
		k.do("closeTab", args{"browserId": k.id, "windowId": made.WindowID, "tabId": made.TabID})
		if k.windowOf(made.TabID) != "" {
			k.Error("it is there still")
		}
	}},
}}

// kitPictures are of tabs that nothing else may come before.
var kitPictures = kitArea{name: "tab pictures", alone: true, behaviours: []behaviour{
	{"99 a tab is pictured", func(k *kit) { k.open("/click-test").capture() }},
	{"100 the size of a picture", func(k *kit) {
		t := k.open("/click-test")
		if size := t.capture().Bounds().Size(); size.X < 100 || size.X > 5000 || size.Y < 100 || size.Y > 5000 {
			t.Errorf("%v", size)
		}
	}},
	{"101 a picture has a pixel for each of the page's", func(k *kit) {
		t := k.open("/click-test")
		var size image.Point
		t.decode(t.js("return { X: innerWidth, Y: innerHeight }"), &size)
		if got := t.capture().Bounds().Size(); got != size {
			t.Errorf("it has %v, the page %v", got, size)
		}
	}},
}}

// capture pictures the tab.
func (t *kitTab) capture() image.Image {
	t.Helper()
	var shot struct {
		Width, Height int
		MIMEType      string
		Data          string
	}
	r := t.do("captureTab", t.args(nil))
	t.decode(string(r.Value), &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil || picture.Bounds().Size() != image.Pt(shot.Width, shot.Height) || shot.MIMEType != "image/png" {
		t.Fatalf("%v: %v in place of %dx%d, %s", err, picture, shot.Width, shot.Height, shot.MIMEType)
	}
	t.has(r.text, fmt.Sprintf("Screenshot size [%dx%d]", shot.Width, shot.Height))
	return picture
}
