package cdp_test

import (
	"fmt"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// testSpare is the first on its browser, whose first tab nobody has used.
func testSpare(t *testing.T, r *rig) {
	var first browser.Tab
	r.await(t, "the first tab", func() bool {
		for _, tab := range r.tabs {
			first = tab
		}
		return len(r.tabs) == 1 && first.Active
	})
	if got := r.open(t, r.here+"/colours"); got != first.ID {
		t.Errorf("%s was opened beside the empty %s", got, first.ID)
	}
	other := r.open(t, "")
	if other == first.ID {
		t.Errorf("%s was opened twice", other)
	}
	_, img := r.picture(t, first.ID, browser.Screenshot{Format: "png"})
	if !isColour(img, 110, 110, red) {
		t.Error("the picture is not of the page")
	}
	r.must(t, other, browser.CloseTab{}, nil)
	r.must(t, first.ID, browser.CloseTab{}, nil)
	r.wantEval(t, r.open(t, r.here+"/plain"), "return document.title", `"Plain"`)
}

// testTitle has the page change its title by itself, and reads the page.
func testTitle(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	for i, title := range []string{"One", "", strings.Repeat("x", 1000)} {
		mark := fmt.Sprint("mark ", i)
		r.eval(t, tab, fmt.Sprintf("setTimeout(()=>{document.title=%q;document.body.append(%q)},20);return 1", title, mark))
		r.must(t, tab, browser.WaitFor{Text: mark}, nil)
		if got := r.tab(tab).Title; got != title {
			t.Errorf("read with the title %.20q, the tab is called %.20q", title, got)
		}
	}
}
