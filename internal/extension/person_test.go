package extension_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
)

// person uses a browser by hand, and the extension by its popup, as seen through
// the browser's DevTools.
type person struct {
	t      *testing.T
	conn   cdp.Connection
	origin string // of the extension's pages
	office string // the session of a page of the extension, to ask the browser from
}

// privately is a configuration for a user's own browser.
func privately(c *extension.Config) { c.AllowAll = false }

func newPerson(t *testing.T, conn cdp.Connection) *person {
	p := &person{t: t, conn: conn}
	p.origin = strings.TrimSuffix(p.target("service_worker").URL, "/background.gen.js")
	p.office = p.open(p.origin + "/popup.html")
	return p
}

type targetInfo struct {
	ID   string `json:"targetId"`
	Type string `json:"type"`
	URL  string `json:"url"`
}

func (p *person) send(session, method string, params, result any) {
	p.t.Helper()
	if err := p.conn.Send(p.t.Context(), session, method, params, result); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

// target waits for the first target of a type.
func (p *person) target(kind string) targetInfo {
	p.t.Helper()
	var found targetInfo
	p.until("a target "+kind, func() bool {
		var all struct {
			Infos []targetInfo `json:"targetInfos"`
		}
		p.send("", "Target.getTargets", map[string]any{"filter": []map[string]any{{}}}, &all)
		for _, i := range all.Infos {
			if i.Type == kind {
				found = i
				return true
			}
		}
		return false
	})
	return found
}

// targetAt is the target that shows an address.
func (p *person) targetAt(url string) string {
	p.t.Helper()
	var all struct {
		Infos []targetInfo `json:"targetInfos"`
	}
	p.send("", "Target.getTargets", nil, &all)
	for _, i := range all.Infos {
		if i.URL == url && i.Type == "page" {
			return i.ID
		}
	}
	p.t.Fatalf("nothing shows %s", url)
	return ""
}

// until waits until something is so.
func (p *person) until(what string, so func() bool) {
	p.t.Helper()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for limit := time.After(longest); !so(); {
		select {
		case <-ticks.C:
		case <-limit:
			p.t.Fatalf("waited in vain for %s", what)
		}
	}
}

func (p *person) attach(target string) (session string) {
	p.t.Helper()
	var s struct {
		ID string `json:"sessionId"`
	}
	p.send("", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &s)
	return s.ID
}

// worker does something in the extension's background.
func (p *person) worker(code string) {
	p.t.Helper()
	session := p.attach(p.target("service_worker").ID)
	p.eval(session, code, nil)
	p.send("", "Target.detachFromTarget", map[string]any{"sessionId": session}, nil)
}

// kill ends the background, as a browser may at any time.
func (p *person) kill() {
	p.t.Helper()
	old := p.target("service_worker").ID
	p.send("", "Target.closeTarget", map[string]any{"targetId": old}, nil)
}

// open opens a tab, and waits until its page is there.
func (p *person) open(url string) (session string) {
	p.t.Helper()
	var t targetInfo
	p.send("", "Target.createTarget", map[string]any{"url": "about:blank"}, &t)
	session = p.attach(t.ID)
	p.goTo(session, url)
	return session
}

// goTo types an address.
func (p *person) goTo(session, url string) {
	p.t.Helper()
	p.send(session, "Page.navigate", map[string]any{"url": url, "transitionType": "typed"}, nil)
	p.at(session, url)
}

// at waits until a tab shows a page.
func (p *person) at(session, url string) {
	p.t.Helper()
	p.until(url, func() bool {
		var shown bool
		p.eval(session, fmt.Sprintf("document.readyState === 'complete' && location.href === %q", url), &shown)
		return shown
	})
}

func (p *person) eval(session, code string, result any) {
	p.t.Helper()
	var r struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	p.send(session, "Runtime.evaluate", map[string]any{"expression": code, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &r)
	if r.Exception != nil {
		p.t.Fatalf("%s: %s", code, r.Exception)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result.Value, result); err != nil {
			p.t.Fatalf("%s: %v in %s", code, err, r.Result.Value)
		}
	}
}

// tab is the browser's number of the tab that shows an address.
func (p *person) tab(url string) (id int64) {
	p.t.Helper()
	p.eval(p.office, fmt.Sprintf("chrome.tabs.query({}).then((all) => all.find((t) => t.url === %q)?.id ?? 0)", url), &id)
	if id == 0 {
		p.t.Fatalf("no tab shows %s", url)
	}
	return id
}

// popup opens the popup as it is when a tab is in front.
func (p *person) popup(tab int64) (session string) {
	p.t.Helper()
	var t targetInfo
	p.send("", "Target.createTarget", map[string]any{"url": "about:blank", "background": true}, &t)
	session = p.attach(t.ID)
	p.send(session, "Page.enable", nil, nil)
	p.send(session, "Page.addScriptToEvaluateOnNewDocument", map[string]any{
		"source": fmt.Sprintf("if (globalThis.chrome?.tabs) chrome.tabs.query = async () => [{ id: %d }];", tab),
	}, nil)
	p.goTo(session, p.origin+"/popup.html")
	p.sees(session, "#main:not([hidden])")
	return session
}

// sees waits until something is on a page.
func (p *person) sees(session, selector string) {
	p.t.Helper()
	p.until(selector, func() bool {
		var there bool
		p.eval(session, fmt.Sprintf("document.querySelector(%q) !== null", selector), &there)
		return there
	})
}

// reads waits until a text is shown by an element.
func (p *person) reads(session, selector, text string) {
	p.t.Helper()
	var is string
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for limit := time.After(longest); ; {
		if p.eval(session, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector), &is); strings.Contains(is, text) {
			return
		}
		select {
		case <-ticks.C:
		case <-limit:
			p.t.Fatalf("%s reads %q, not %q", selector, is, text)
		}
	}
}

func (p *person) click(session, selector string) {
	p.t.Helper()
	p.eval(session, fmt.Sprintf("document.querySelector(%q).click()", selector), nil)
}

// allows allows what the popup offers under a name, for as long as a duration says.
func (p *person) allows(session, what, duration string) {
	p.t.Helper()
	p.click(session, fmt.Sprintf("input[name=what][value=%s]", what))
	p.eval(session, fmt.Sprintf("document.getElementById('duration').value = %q", duration), nil)
	p.click(session, "#allow [type=submit]")
	p.reads(session, "#tab-word", "Allowed.")
}
