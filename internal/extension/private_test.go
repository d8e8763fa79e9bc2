package extension_test

import (
	"fmt"
	"strings"
	"testing"

	"drawbridge/internal/link"
)

// TestPrivateWindows has a browser with private windows, in which the extension
// is not let at first. Where it is, everything that is allowed elsewhere is not.
func TestPrivateWindows(t *testing.T) {
	t.Parallel()
	b, s, secret := newBridge(t), newSite(t), privateSite(t)
	p := newPerson(t, chromium(t, b, privately))
	c := b.next(t, longest)
	settle := func(after string) {
		t.Helper()
		p.eval(p.office, "new Promise((done) => setTimeout(done, 300))", nil)
		do[link.TabList](t, c, "listTabs", link.None{})
		crossed(t, c, after)
	}
	mine := s.near + "/words?say=mine"
	p.open(mine)
	p.allows(p.popup(p.tab(mine)), "all", "withdrawn")
	var private struct {
		ID string `json:"browserContextId"`
	}
	p.send("", "Target.createBrowserContext", nil, &private)
	p.send("", "Target.createTarget", map[string]any{"url": secret + "/out", "browserContextId": private.ID, "newWindow": true}, nil)
	settle("a private window in which the extension is not")

	p.eval(p.open("chrome://extensions/"), fmt.Sprintf(`chrome.developerPrivate.updateProfileConfiguration({ inDeveloperMode: true })
		.then(() => chrome.developerPrivate.updateExtensionConfiguration({ extensionId: %q, incognitoAccess: true }))`, strings.TrimPrefix(p.origin, "chrome-extension://")), nil)
	p.office = p.open(p.origin + "/popup.html") // of the extension as it has been loaded anew
	c = b.next(t, longest)
	url := secret + "/in"
	p.eval(p.office, fmt.Sprintf("chrome.windows.create({ incognito: true, url: %q }).then(() => undefined)", url), nil)
	settle("a private window")
	if got := listed(t, c); !strings.Contains(strings.Join(got, " "), mine) {
		t.Errorf("the bridge is told of %q", got)
	}

	tab := p.tab(url)
	from := c.mark()
	p.allows(p.popup(tab), "tab", "session")
	if i := awaitEvent(t, c, from, "tabOpened", func(i link.TabInfo) bool { return i.Tab == tab }); !i.Private || i.URL != url {
		t.Errorf("%+v", i)
	}
}
