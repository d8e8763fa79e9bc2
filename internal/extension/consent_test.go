package extension_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

// What a tab that nobody has allowed shows: none of it may cross the link.
const canary = "canary-of-a-private-tab"

// own starts a browser of a user, who has allowed nothing.
func own(t *testing.T) (*bridge, *conn, *person, site) {
	t.Parallel()
	b, s := newBridge(t), newSite(t)
	p := newPerson(t, chromium(t, b, privately))
	return b, b.next(t, longest), p, s
}

// listed are the addresses of the tabs that the bridge is told of.
func listed(t *testing.T, c *conn) []string {
	t.Helper()
	var out []string
	for _, i := range do[link.TabList](t, c, "listTabs", link.None{}).Tabs {
		out = append(out, i.URL)
	}
	return out
}

func wantListed(t *testing.T, c *conn, want ...string) {
	t.Helper()
	if got := listed(t, c); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the bridge is told of %q, and not of %q", got, want)
	}
}

// silent checks that nothing of a private tab has crossed.
func silent(t *testing.T, c *conn) {
	t.Helper()
	if told := c.told(0); strings.Contains(told, canary) {
		t.Errorf("of a private tab it was told:\n%s", told)
	}
}

func gone(tab int64) func(link.TabGone) bool {
	return func(g link.TabGone) bool { return g.Tab == tab && g.Why == "private" }
}

func TestATabIsPrivateUntilItIsAllowed(t *testing.T) {
	_, c, p, s := own(t)
	url := s.near + "/words?say=" + canary
	page := p.open(url)
	tab := p.tab(url)
	wantListed(t, c)
	for _, op := range []string{"getTab", "watch", "closeTab", "activateTab", "listFrames"} {
		if f := refused(t, c, op, link.TabArgs{Tab: tab}); f.Code != string(browser.CodeUnknownTab) {
			t.Errorf("%s: %+v", op, f)
		}
	}
	silent(t, c)

	from := c.mark()
	popup := p.popup(tab)
	p.reads(popup, "#tab-word", "Private.")
	p.allows(popup, "tab", "quarter")
	p.reads(popup, "#tab-more", "for 15 more minutes")
	awaitEvent(t, c, from, "tabOpened", func(i link.TabInfo) bool { return i.Tab == tab && i.URL == url })
	wantListed(t, c, url)

	// It is one as long as it stays where it was allowed.
	next := s.near + "/words?say=next"
	p.goTo(page, next)
	wantListed(t, c, next)
	from = c.mark()
	away := s.far + "/words?say=away-" + canary
	p.goTo(page, away)
	awaitEvent(t, c, from, "tabClosed", gone(tab))
	wantListed(t, c)
	if told := c.told(from); strings.Contains(told, "away") {
		t.Errorf("where it went was told:\n%s", told)
	}
	p.reads(p.popup(tab), "#tab-state", "Private here. This tab is allowed on 127.0.0.1")
	p.goTo(page, next)
	wantListed(t, c, next)

	p.click(popup, "#tab-hide")
	p.reads(popup, "#tab-word", "Private.")
	wantListed(t, c)
}

func TestWhereAnAgentLeadsATabItSeesIt(t *testing.T) {
	_, c, p, s := own(t)
	url := s.near + "/words?say=mine"
	page := p.open(url)
	tab := p.tab(url)
	p.allows(p.popup(tab), "tab", "session")
	do[link.FrameList](t, c, "watch", link.TabArgs{Tab: tab})

	from := c.mark()
	led := s.far + "/words?say=led"
	do[link.None](t, c, "go", link.GoArgs{Tab: tab, URL: led})
	awaitEvent(t, c, from, "loaded", func(d link.DocumentAt) bool { return d.URL == led })
	if told := c.told(from); strings.Contains(told, "tabClosed") || strings.Contains(told, "tabOpened") {
		t.Errorf("it was lost on the way:\n%s", told)
	}
	wantListed(t, c, led)

	from = c.mark()
	p.goTo(page, strings.Replace(s.far, "localhost", "else.localhost", 1)+"/words?say="+canary)
	awaitEvent(t, c, from, "tabClosed", gone(tab))
	silent(t, c)
	p.goTo(page, url) // where it was allowed before
	wantListed(t, c, url)
}

func TestTabsThatAgentsAndAllowedPagesOpenAreAllowed(t *testing.T) {
	_, c, p, s := own(t)
	from := c.mark()
	opened := do[link.TabInfo](t, c, "openTab", link.OpenTabArgs{URL: s.near + "/words?say=opened", Active: true})
	awaitEvent(t, c, from, "tabChanged", func(i link.TabInfo) bool { return i.Tab == opened.Tab && i.Title == "Words" })

	url := s.near + "/words?say=opener"
	page := p.open(url)
	tab := p.tab(url)
	p.allows(p.popup(tab), "site", "withdrawn")
	from = c.mark()
	popup := s.far + "/words?say=popup"
	p.eval(page, fmt.Sprintf("void open(%q)", popup), nil)
	i := awaitEvent(t, c, from, "tabOpened", func(i link.TabInfo) bool { return i.Opener == tab })
	awaitEvent(t, c, from, "tabChanged", func(n link.TabInfo) bool { return n.Tab == i.Tab && n.URL == popup && n.Title == "Words" })

	// What is withdrawn takes with it what followed from it.
	from = c.mark()
	view := p.popup(tab)
	p.click(view, "#allowances button")
	awaitEvent(t, c, from, "tabClosed", gone(tab))
	awaitEvent(t, c, from, "tabClosed", gone(i.Tab))
	wantListed(t, c, s.near+"/words?say=opened")
}

func TestConsentOutlivesTheBackgroundAndEnds(t *testing.T) {
	b, c, p, s := own(t)
	url, other := s.near+"/words?say=kept", s.far+"/words?say="+canary
	p.open(url)
	p.open(other)
	tab := p.tab(url)
	p.allows(p.popup(tab), "tab", "hour")
	// An hour is over in a moment.
	p.eval(p.office, "chrome.storage.session.get('consent').then(({ consent }) => { for (const g of consent.grants) g.until = Date.now() + 4000; return chrome.storage.session.set({ consent }); })", nil)
	p.kill()
	<-c.done
	p.eval(p.office, "chrome.runtime.sendMessage({ kind: 'look', tab: 0 }).then(() => undefined)", nil)
	c = b.next(t, longest)
	from := c.mark()
	wantListed(t, c, url)
	awaitEvent(t, c, from, "tabClosed", gone(tab))
	wantListed(t, c)
	silent(t, c)
}

func TestARaisedDrawbridgeFailsWhatIsPending(t *testing.T) {
	_, c, p, s := own(t)
	url := s.near + "/words?say=raised"
	p.open(url)
	tab := p.tab(url)
	popup := p.popup(tab)
	p.allows(popup, "tab", "session")
	frame := do[link.FrameList](t, c, "watch", link.TabArgs{Tab: tab}).Frames[0]
	do[link.EnterReply](t, c, "enter", link.FrameArgs{Tab: tab, Frame: 0})
	pending := make(chan wire.Frame, 1)
	go func() { // a change that does not come
		pending <- c.ask(t, wire.KindRequest, "ask", link.AskArgs{Tab: tab, Document: frame.Document, Op: "changed", First: 1, Args: `{"seq":1000000000,"quiet":60000}`})
	}()
	from := c.mark()
	began := time.Now()
	p.click(popup, "#gate-switch")
	f := <-pending
	took := time.Since(began)
	t.Logf("what was pending failed after %s", took)
	if took > time.Second { // 200 ms, on a machine that does nothing else
		t.Errorf("what was pending failed after %s", took)
	}
	awaitEvent(t, c, from, "stopped", func(s link.Switch) bool { return s.Up })
	if f.Error == nil || f.Error.Code != string(browser.CodeDenied) {
		t.Errorf("%+v %s", f.Error, f.Body)
	}
	if f := refused(t, c, "getTab", link.TabArgs{Tab: tab}); f.Code != string(browser.CodeDenied) || f.Message != "the user has raised the drawbridge" {
		t.Errorf("%+v", f)
	}
	wantListed(t, c, url) // which tells nothing new
	p.reads(popup, "#gate-title", "Drawbridge up")
	var badge string
	p.eval(p.office, fmt.Sprintf("chrome.action.getBadgeText({ tabId: %d })", tab), &badge)
	if badge != "up" {
		t.Errorf("the button shows %q", badge)
	}

	p.worker("void chrome.commands.onCommand.dispatch('raise')")
	awaitEvent(t, c, from, "stopped", func(s link.Switch) bool { return !s.Up })
	do[link.TabInfo](t, c, "getTab", link.TabArgs{Tab: tab})
}

func TestMenusAndKeysAllow(t *testing.T) {
	_, c, p, s := own(t)
	one, two := s.near+"/words?say=one", s.near+"/words?say=two"
	p.open(one)
	p.open(two)
	tab, next := p.tab(one), p.tab(two)
	choose := func(item string, tab int64) {
		p.worker(fmt.Sprintf("void chrome.contextMenus.onClicked.dispatch({ menuItemId: %q }, { id: %d })", item, tab))
	}
	from := c.mark()
	choose("allow-tab", tab)
	awaitEvent(t, c, from, "tabOpened", func(i link.TabInfo) bool { return i.Tab == tab })
	wantListed(t, c, one)
	choose("allow-site", tab)
	awaitEvent(t, c, from, "tabOpened", func(i link.TabInfo) bool { return i.Tab == next })
	choose("hide", tab)
	awaitEvent(t, c, from, "tabClosed", gone(tab))
	wantListed(t, c, two)
	p.reads(p.popup(tab), "#tab-more", "You have made it private")
	from = c.mark()
	p.worker(fmt.Sprintf("void chrome.commands.onCommand.dispatch('toggle-tab', { id: %d })", tab))
	awaitEvent(t, c, from, "tabOpened", func(i link.TabInfo) bool { return i.Tab == tab })

	// A page of the extension itself is never one that agents see.
	p.allows(p.popup(tab), "all", "session")
	for _, url := range listed(t, c) {
		if strings.HasPrefix(url, p.origin) {
			t.Errorf("agents see %s", url)
		}
	}
}
