package e2e

import (
	"strings"
	"testing"

	"drawbridge/internal/firefox/firefoxtest"
)

// The main job is done through the extension too, in a browser that is launched
// with it, and what it cannot do is said.
func TestTheMainJobThroughTheExtension(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		about   string
		args    []string
		product string
		lacks   bool // what only full power has
	}{
		{"Chromium", nil, "Chrom", true},
		{"Chromium with full power", []string{"--full-power"}, "Chrom", false},
		{"Firefox", []string{"--browser", "firefox"}, "Firefox", true},
	} {
		t.Run(tt.about, func(t *testing.T) {
			if tt.product == "Firefox" {
				tt.args[1] = firefoxtest.Path(t)
			}
			c, s := serve(t, append(tt.args, "--via", "extension")...), newSite(t)
			opened := c.call("open_tab", args{"url": s.URL + "/shop"})
			tab := c.find(`^(t\d+) · `, opened)
			listed := c.call("list_tabs", nil)
			c.want(listed, "b1 launched · extension · "+tt.product, tab+" · ", "Shop")
			if got := strings.Contains(listed, "without trusted input"); got != tt.lacks {
				t.Errorf("the list says that it lacks trusted input: %v\n%s", got, listed)
			}
			outline := c.call("snapshot", nil)
			c.want(outline, `heading 1 "Shop"`, `textbox "Email"`)
			email := c.find(`(?m)^\s*(e\d+) textbox "Email"`, outline)
			order := c.find(`(?m)^\s*(e\d+) button "Order"`, outline)
			c.want(c.call("fill", args{"ref": email, "value": "ann@shop.example"}), "confirmed", "ann@shop.example")
			c.want(c.call("click", args{"ref": order}), "clicked "+order)
			c.want(c.call("wait_for", args{"text": "Thank you, ann@shop.example"}), tab)
			c.want(c.call("evaluate", args{"code": "return document.title"}), `"Shop"`)
			if res, err := c.result(t.Context(), "screenshot", nil); err != nil || res.IsError {
				t.Errorf("screenshot: %v, %v", res, err)
			} else if shot := pictureOf(t, res); shot.Bounds().Dx() != 1280 {
				t.Errorf("the screenshot has %v", shot.Bounds())
			}
			if tt.lacks {
				c.want(c.refused("handle_dialog", args{"accept": true}), "cannot do it: no dialogs", "its browser is launched (extension)")
			}
			c.want(c.call("close_tab", args{"tab": tab}), "closed "+tab)
		})
	}
}
