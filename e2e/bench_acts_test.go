package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// crowded is a page of n buttons and fields below the two that are used.
func crowded(n int) string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Crowded</title><p><button onclick=\"out.textContent=+out.textContent+1\">Press me</button>" +
		"<output id=out>0</output><label>Name <input></label></p>\n")
	for i := range n / 2 {
		if i%50 == 0 {
			fmt.Fprintf(&b, "<h2>Group %d</h2>\n", i/50)
		}
		fmt.Fprintf(&b, "<button>Button %d</button><input aria-label=\"Field %d\">\n", i, i)
	}
	return b.String()
}

// BenchmarkActs measures an act with its settling and observation, and without
// waiting ("none"), on a small page and on one of 20,000 elements.
func BenchmarkActs(b *testing.B) {
	for _, size := range []int{20, 20000} {
		page := crowded(size)
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, page)
		}))
		defer site.Close()
		c := serve(b)
		tab := c.open(site.URL)
		button, field := c.ref(tab, `button "Press me"`), c.ref(tab, `textbox "Name"`)
		for _, settle := range []string{"auto", "none"} {
			b.Run(fmt.Sprintf("click/%s/%d", settle, size), func(b *testing.B) {
				for b.Loop() {
					c.call("click", args{"tab": tab, "ref": button, "settle": settle})
				}
			})
			b.Run(fmt.Sprintf("fill/%s/%d", settle, size), func(b *testing.B) {
				for n := 0; b.Loop(); n++ {
					c.call("fill", args{"tab": tab, "ref": field, "value": fmt.Sprint("value ", n), "settle": settle})
				}
			})
		}
	}
}
