package link_test

import (
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/drivertest"
	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
)

// lacking is what is meant to differ where the browser has no WebMCP.
var lacking = []drivertest.Difference{drivertest.NotEverywhere, drivertest.NoPolicy, drivertest.NoClosedTrees}

// TestPageTools holds the driver behind the extension to what must be found of
// page tools, where the browser has WebMCP, and where the script of the page's
// world stands in.
func TestPageTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		needs func(string) (string, error)
		driven
		differences []drivertest.Difference
	}{
		{"native", cdp.FindBrowser, driven{engine: extension.Chromium}, []drivertest.Difference{drivertest.NotEverywhere, drivertest.NoKeptFrames}},
		{"stand-in", cdp.FindBrowser, driven{engine: extension.Chromium, args: []string{"--disable-features=WebMCP"}}, append(lacking, drivertest.NoKeptFrames, drivertest.NoAddressless)},
		{"firefox", firefox.Find, driven{engine: extension.Firefox}, lacking},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tt.needs("")
			need(t, err)
			drivertest.RunPageTools(t, func(_ *testing.T, ids *browser.IDs, _ string) browser.Driver {
				d := tt.driven
				d.ids = ids
				return &d
			}, tt.differences...)
		})
	}
}
