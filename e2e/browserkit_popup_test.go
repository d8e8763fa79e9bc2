package e2e

import (
	"image/color"
	"strings"
)

// withPopup is a page that has opened a window of its own, and that.
func (k *kit) withPopup() (opener, popup *kitTab) {
	k.Helper()
	opener = k.open("/popup-test")
	before := map[string]bool{}
	for _, x := range k.browserBody().Snapshot.Tabs {
		before[x.ID] = true
	}
	opener.click("Open Popup")
	until(k.T, "the pop-up", func() bool {
		for _, x := range k.browserBody().Snapshot.Tabs {
			if !before[x.ID] && strings.HasSuffix(x.URL, "/iframe-test?popup") {
				popup = &kitTab{k, x.ID, x.WindowID, x.URL}
			}
		}
		return popup != nil
	})
	k.Cleanup(func() { k.ask("closeTab", popup.args(nil)) })
	popup.await()
	until(k.T, "the frame", func() bool { return popup.js("return innerAt !== undefined") == "true" })
	return opener, popup
}

var kitPopup = kitArea{name: "popup tools", alone: true, behaviours: []behaviour{
	{"48 a pop-up is a window with its tab", func(k *kit) {
		opener, popup := k.withPopup()
		if popup.win == "" || popup.win == opener.win {
			t := k.browserBody()
			k.Errorf("the pop-up is in %q, its opener in %q: %+v", popup.win, opener.win, t)
		}
		for _, w := range k.browserBody().Snapshot.Windows {
			if w.ID == popup.win {
				return
			}
		}
		k.Errorf("no window %s: %+v", popup.win, k.browserBody())
	}},
	{"49 a tab beside a pop-up", func(k *kit) {
		_, popup := k.withPopup()
		t := k.openIn(popup.win, "/click-test")
		if got := k.windowOf(t.tab); got != t.win {
			t.Errorf("it is in %s, and was said to be in %s", got, t.win)
		}
		t.click("Primary Button")
		t.says("click-count", "Click Count: 1")
		t.do("closeTab", t.args(nil))
		if k.windowOf(t.tab) != "" {
			t.Error("it is there still")
		}
	}},
	{"50 the opener is clicked while the pop-up has the focus", func(k *kit) {
		opener, _ := k.withPopup()
		opener.click("Opener Button")
		opener.says("opener-click-count", "Opener Click Count: 1")
	}},
	{"51 the opener is pictured while the pop-up has the focus", func(k *kit) {
		opener, popup := k.withPopup()
		opener.js("document.body.style = 'margin: 0; height: 100vh; background: rgb(250, 0, 0)'; document.body.textContent = ''; return 1")
		popup.js("document.body.style = 'margin: 0; height: 100vh; background: rgb(0, 0, 250)'; document.body.textContent = ''; return 1")
		if got := color.RGBAModel.Convert(opener.capture().At(20, 20)); got != (color.RGBA{R: 250, A: 255}) {
			k.Errorf("the picture of the opener shows %v", got)
		}
	}},
	{"52 elements of a pop-up", func(k *kit) {
		_, popup := k.withPopup()
		popup.path("Outer Button")
		popup.path("Iframe Inner Button")
	}},
	{"53 a place in a frame of a pop-up", func(k *kit) {
		_, popup := k.withPopup()
		popup.report(popup.do("clickOnCoordinates", popup.args(popup.inFrame())))
		popup.says("iframe-click-count-mirror", mirrored)
	}},
}}
