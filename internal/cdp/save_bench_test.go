package cdp_test

import (
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// BenchmarkSave saves a page of 200 resources.
func BenchmarkSave(b *testing.B) {
	pic := picture(color.RGBA{1, 2, 3, 255})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case strings.HasSuffix(q.URL.Path, ".png"):
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(append(pic, make([]byte, 20_000)...)) // a client that went away
		case strings.HasSuffix(q.URL.Path, ".css"):
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprintf(w, "#p%s{background:url(/b%s.png)}", q.URL.Path[2:3], q.URL.Path)
		default:
			w.Header().Set("Content-Type", "text/html")
			for i := range 20 {
				fmt.Fprintf(w, "<link rel=stylesheet href=/s%d.css>", i)
			}
			for i := range 160 {
				fmt.Fprintf(w, "<p id=p%d>Text %d<img src=/i%d.png width=40 height=40>", i, i, i)
			}
		}
	}))
	defer site.Close()
	r := newRig(b)
	id := r.open(b, site.URL+"/")
	for _, format := range []string{"zip", "html", "mhtml", "pdf"} {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				if out, s := r.save(b, id, browser.SavePage{Format: format}); format == "zip" && s.Resources != 200 {
					b.Fatalf("%d bytes, %d resources, %v", len(out), s.Resources, s.Skipped)
				}
			}
		})
	}
}
