package extension_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
	"drawbridge/internal/firefox/firefoxtest"
	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

// foxPerson uses a Firefox by hand.
type foxPerson struct {
	t  *testing.T
	ff *firefox.Browser
}

func (p *foxPerson) goTo(context, url string) {
	p.t.Helper()
	firefoxtest.Call(p.t, p.ff, "browsingContext.navigate", map[string]any{"context": context, "url": url, "wait": "complete"}, nil)
}

func (p *foxPerson) do(context, code string) {
	p.t.Helper()
	var none any
	firefoxtest.Evaluate(p.t, p.ff, context, code, &none)
}

func (p *foxPerson) at(url string) (context string) {
	p.t.Helper()
	for _, i := range firefoxtest.Tabs(p.t, p.ff) {
		if i.URL == url {
			return i.ID
		}
	}
	p.t.Fatalf("nothing shows %s", url)
	return ""
}

func TestNothingOfAPrivateTabCrossesInFirefox(t *testing.T) {
	t.Parallel()
	b, s, secret := newBridge(t), newSite(t), privateSite(t)
	p := &foxPerson{t, firefoxWith(t, b, func(c *extension.Config) { privately(c) })}
	c := b.next(t, longest)
	private := firefoxtest.Open(t, p.ff, secret+"/")
	// A question and its answer, behind which all has come that was told before.
	settle := func(after string) {
		t.Helper()
		p.do(private, "new Promise((done) => setTimeout(() => done(null), 300))")
		do[link.TabList](t, c, "listTabs", link.None{})
		crossed(t, c, after)
	}
	settle("a private tab")

	mine := s.near + "/words?say=mine"
	visit(t, c, mine)
	page := p.at(mine)
	// What a tab does within ten seconds of an agent's act may follow from that.
	p.do(private, "new Promise((done) => setTimeout(() => done(null), 10_500))")
	for i := range 2 {
		p.goTo(page, fmt.Sprintf("%s/?%d", secret, i))
		settle("its user took the tab to a private page")
		wantListed(t, c)
		p.goTo(page, mine)
		settle("its user took the tab back")
		wantListed(t, c, mine)
	}
	for _, by := range []int{-1, 1} {
		firefoxtest.Call(t, p.ff, "browsingContext.traverseHistory", map[string]any{"context": page, "delta": by}, nil)
		settle(fmt.Sprintf("by %d in its history", by))
	}

	p.do(private, "void open('/popup')")
	settle("a popup of a private page")
	p.do(private, fmt.Sprintf("document.body.insertAdjacentHTML('beforeend', '<iframe src=%q></iframe>')", s.near+"/button"))
	settle("an allowed page in a private one")
	p.do(private, fmt.Sprintf("(() => { const a = document.createElement('a'); a.download = %q; a.href = URL.createObjectURL(new Blob(['x'])); a.click(); })()", canary))
	settle("a download of a private page")

	// A private tab is answered for as one that there is not.
	listed := map[int64]bool{}
	for _, i := range do[link.TabList](t, c, "listTabs", link.None{}).Tabs {
		listed[i.Tab] = true
	}
	for op, args := range map[string]func(tab int64) any{
		"getTab":     func(tab int64) any { return link.TabArgs{Tab: tab} },
		"watch":      func(tab int64) any { return link.TabArgs{Tab: tab} },
		"listFrames": func(tab int64) any { return link.TabArgs{Tab: tab} },
		"unload":     func(tab int64) any { return link.TabArgs{Tab: tab} },
		"enter":      func(tab int64) any { return link.FrameArgs{Tab: tab} },
		"evaluate":   func(tab int64) any { return link.EvaluateArgs{Tab: tab, Code: "document.title"} },
		"capture":    func(tab int64) any { return link.CaptureArgs{Tab: tab, Format: "png", Scale: 1} },
	} {
		for tab := range int64(10) {
			if f := c.ask(t, wire.KindRequest, op, args(tab)); !listed[tab] && (f.Error == nil || f.Error.Code != string(browser.CodeUnknownTab)) {
				text, _ := json.Marshal(f) // of plain values
				t.Errorf("%s of tab %d: %s", op, tab, text)
			}
		}
	}
	settle("all that can be asked")
}
