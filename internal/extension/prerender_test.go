package extension_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"drawbridge/internal/link"
)

// TestWhatIsFetchedForLaterIsNoNavigation has a page fetch and prepare another
// one: nothing of that is told, as the tab is not on its way there, until it is.
func TestWhatIsFetchedForLaterIsNoNavigation(t *testing.T) {
	t.Parallel()
	fetched := make(chan struct{}, 16)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Page</title><link rel=icon href=data:,>")
		switch r.URL.Path {
		case "/later":
			fmt.Fprint(w, "<title>Later</title><script>fetch('/asked')</script>")
			fetched <- struct{}{}
		case "/page":
			fmt.Fprint(w, `<script type="speculationrules">{"prerender":[{"urls":["/later"],"eagerness":"immediate"}]}</script>`)
		}
	}))
	t.Cleanup(server.Close)
	b := newBridge(t)
	p := newPerson(t, chromium(t, b, nil))
	c := b.next(t, longest)
	tab, _ := visit(t, c, server.URL+"/page")
	<-fetched
	p.eval(p.office, "new Promise((done) => setTimeout(done, 500))", nil)
	do[link.TabList](t, c, "listTabs", link.None{})
	if told := c.told(0); strings.Contains(told, "ater") || strings.Contains(told, "/asked") {
		t.Errorf("it was told:\n%s", told)
	}
	from := c.mark()
	do[link.None](t, c, "go", link.GoArgs{Tab: tab.Tab, URL: server.URL + "/later"})
	awaitEvent(t, c, from, "committed", func(d link.Committed) bool { return d.Frame == 0 && d.URL == server.URL+"/later" })
}
