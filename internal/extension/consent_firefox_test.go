package extension_test

import (
	"strings"
	"testing"

	"drawbridge/internal/extension"
	"drawbridge/internal/firefox/firefoxtest"
	"drawbridge/internal/link"
)

func TestConsentInFirefox(t *testing.T) {
	t.Parallel()
	b, s := newBridge(t), newSite(t)
	ff := firefoxWith(t, b, func(c *extension.Config) { privately(c) })
	c := b.next(t, longest)
	wantListed(t, c)
	goTo := func(context, url string) {
		t.Helper()
		firefoxtest.Call(t, ff, "browsingContext.navigate", map[string]any{"context": context, "url": url, "wait": "complete"}, nil)
	}
	var private struct {
		ID string `json:"context"`
	}
	firefoxtest.Call(t, ff, "browsingContext.create", map[string]any{"type": "tab"}, &private)
	goTo(private.ID, s.near+"/words?say="+canary)

	tab, _ := visit(t, c, s.near+"/words?say=mine")
	from := c.mark()
	led := s.far + "/words?say=led"
	do[link.None](t, c, "go", link.GoArgs{Tab: tab.Tab, URL: led})
	awaitEvent(t, c, from, "loaded", func(d link.DocumentAt) bool { return d.URL == led })
	if told := c.told(from); strings.Contains(told, "tabClosed") || strings.Contains(told, "tabOpened") {
		t.Errorf("it was lost on the way:\n%s", told)
	}
	wantListed(t, c, led)
	from = c.mark()
	for _, i := range firefoxtest.Tabs(t, ff) {
		if i.URL == led {
			goTo(i.ID, strings.Replace(s.far, "localhost", "else.localhost", 1)+"/words?say="+canary)
		}
	}
	awaitEvent(t, c, from, "tabClosed", gone(tab.Tab))
	wantListed(t, c)
	silent(t, c)
}
