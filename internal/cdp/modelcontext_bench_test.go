package cdp_test

import (
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// BenchmarkOpen is opening a page of 5,000 elements, in browsers with WebMCP,
// with its hints heard, and without.
func BenchmarkOpen(b *testing.B) {
	for _, tt := range []struct {
		name   string
		o      cdp.Options
		launch cdp.LaunchOptions
	}{{"native", cdp.Options{}, cdp.LaunchOptions{}}, {"hints", cdp.Options{PageHints: true}, cdp.LaunchOptions{}}, {"stand-in", cdp.Options{}, without}} {
		b.Run(tt.name, func(b *testing.B) {
			needBrowser(b)
			r := newRigOf(b, tt.o, tt.launch)
			id := r.open(b, newStandInSite(b).URL+"/large")
			for b.Loop() {
				r.must(b, id, browser.Navigate{To: browser.Reload}, nil)
			}
		})
	}
}
