package browserkit

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// kitBrowser is the id of a browser: the same one for the same profile, where
// something tells it from others.
func kitBrowser(b tool.BrowserView) string {
	h := sha256.Sum256([]byte(b.Way + "\x00" + cmp.Or(b.Profile, string(b.ID))))
	return base64.RawURLEncoding.EncodeToString(h[:6]) // 8 characters
}

// browserOf returns the browser with the id.
func browserOf(s tool.Scope, id string) (tool.BrowserView, bool) {
	for _, b := range s.Browsers() {
		if kitBrowser(b) == id {
			return b, true
		}
	}
	return tool.BrowserView{}, false
}

// tabsOf lists the tabs of a browser.
func tabsOf(s tool.Scope, b tool.BrowserView) []tool.TabView {
	return slices.DeleteFunc(slices.Clone(s.Tabs()), func(t tool.TabView) bool { return t.Browser != b.ID })
}

func inBrowser(s tool.Scope, b tool.BrowserView, id string) (browser.Tab, bool) {
	for _, t := range tabsOf(s, b) {
		if string(t.ID) == id {
			return t.Tab, true
		}
	}
	return browser.Tab{}, false
}

// place is the tab that a call names and its browser, or why there is none.
func place(s tool.Scope, a arguments) (browser.Tab, string) {
	b, ok := browserOf(s, a.BrowserID)
	switch {
	case !ok:
		return browser.Tab{}, "Error: No channel found for browser instance: " + tool.OneLine(a.BrowserID, longestName)
	case b.Refused != "":
		return browser.Tab{}, "Error: " + mismatchMessage(b)
	}
	t, ok := inBrowser(s, b, a.TabID)
	if !ok {
		return browser.Tab{}, fmt.Sprintf("Error: Tab not found: %s::%s", a.BrowserID, tool.OneLine(a.TabID, longestName))
	}
	return t, ""
}

// touchable is why nothing can be done to the page of a tab, or "".
func touchable(t browser.Tab) string {
	if t.Untouchable == "" {
		return ""
	}
	return fmt.Sprintf("Error: Cannot perform operation on internal browser page: %s (%s)", tool.Address(t.URL), t.Untouchable)
}

// readable is place for what only reads, which names what is missing otherwise.
func readable(s tool.Scope, a arguments) (browser.Tab, string) {
	if _, ok := browserOf(s, a.BrowserID); !ok {
		return browser.Tab{}, "Error: No browser found for browserId: " + tool.OneLine(a.BrowserID, longestName)
	}
	t, why := place(s, a)
	if why == "" {
		why = touchable(t)
	}
	return t, why
}

// uris of what there is.
const (
	scheme     = "bk:///"
	contextURI = scheme + "context"
)

func browserURI(id string) string            { return scheme + "browsers/" + id }
func tabURI(id string, t browser.Tab) string { return browserURI(id) + "/tabs/" + string(t.ID) }

// host is where a page is, for people.
func host(t browser.Tab) string {
	_, rest, ok := strings.Cut(tool.Address(t.URL), "://")
	if !ok {
		return ""
	}
	h, _, _ := strings.Cut(rest, "/")
	return h
}
