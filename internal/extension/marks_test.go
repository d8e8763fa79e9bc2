package extension_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/png"
	"testing"

	"drawbridge/internal/link"
)

// blueEdges tells whether the frame of a mark is on a picture in base64.
func blueEdges(t *testing.T, picture string) bool {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(picture)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	at := img.Bounds()
	r, _, b, _ := img.At(at.Min.X+1, (at.Min.Y+at.Max.Y)/2).RGBA()
	return b > 0xc000 && r < 0x5000
}

func TestWhereAnAgentActsIsShown(t *testing.T) {
	t.Parallel()
	b, s := newBridge(t), newSite(t)
	p := newPerson(t, chromium(t, b, privately))
	c := b.next(t, longest)
	tab, frames := visit(t, c, s.near+"/button")
	page := p.attach(p.targetAt(s.near + "/button"))
	p.eval(page, `globalThis.seen = []; new MutationObserver((all) => { for (const r of all) seen.push(r.type, ...[...r.addedNodes].map((n) => n.nodeName)); }).observe(document, { childList: true, attributes: true, characterData: true, subtree: true });
for (const type of ["toggle", "beforetoggle", "animationstart", "transitionrun", "focusin", "pointerover", "scroll", "resize"]) addEventListener(type, () => { seen.push(type); }, true);`, nil)
	f := frames[0]
	before, _ := outlineOf(t, c, tab.Tab, f)
	aim := func() {
		do[link.AskReply](t, c, "ask", link.AskArgs{Tab: tab.Tab, Frame: 0, Document: f.Document, Op: "aim", First: 1, Args: `{"prefix":"","n":1,"for":"click","button":"left"}`})
	}
	picture := func() string {
		var r struct {
			Data string `json:"data"`
		}
		p.send(page, "Page.captureScreenshot", map[string]any{"format": "png"}, &r)
		return r.Data
	}
	const there = "document.documentElement.lastElementChild.localName === 'div'"
	aim()
	p.until("the mark", func() bool {
		var is bool
		p.eval(page, there, &is)
		return is
	})
	if !blueEdges(t, picture()) {
		t.Error("a person sees no frame")
	}
	if during, _ := outlineOf(t, c, tab.Tab, f); during != before {
		t.Errorf("the page agent sees it:\n%s", during)
	}
	var known string
	p.until("the mark again", func() bool { // which is short
		aim()
		p.eval(page, `(() => { if (!(`+there+`)) return ""; const e = document.documentElement.lastElementChild; return [e.shadowRoot, e.childNodes.length, document.getAnimations().length, document.elementFromPoint(1, 300)?.localName, innerWidth === document.documentElement.clientWidth].join() })()`, &known)
		return known != ""
	})
	if known != ",0,0,html,true" {
		t.Errorf("the page knows %s", known)
	}
	aim()
	shot := do[link.CaptureReply](t, c, "capture", link.CaptureArgs{Tab: tab.Tab, Format: "png", Scale: 1})
	if blueEdges(t, shot.Data) {
		t.Error("it is on the agent's picture")
	}
	aim()
	p.until("its end", func() bool {
		var is bool
		p.eval(page, there, &is)
		return !is
	})
	var seen []string
	p.eval(page, "seen", &seen)
	for i, what := range seen {
		if what != "childList" && what != "DIV" {
			t.Errorf("the page saw %s after %q", what, seen[:i])
		}
	}

	p.eval(p.office, "chrome.runtime.sendMessage({ kind: 'set', tab: 0, change: { marks: false } }).then(() => undefined)", nil)
	p.eval(page, "seen.length = 0", nil)
	aim()
	aim()
	if p.eval(page, "seen", &seen); len(seen) > 0 {
		t.Errorf("switched off, the page sees %q", seen)
	}

	popup := p.popup(tab.Tab)
	p.reads(popup, "#actions", fmt.Sprintf("Clicked button %q (", "Buy"))
}
