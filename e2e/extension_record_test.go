package e2e

import "testing"

// TestRecordsThroughTheExtension has the tools that look behind a page, with the
// debugger that full power lends.
func TestRecordsThroughTheExtension(t *testing.T) {
	t.Parallel()
	c, s := serve(t, "--via", "extension", "--full-power", "--toolsets", "all"), newSite(t)
	tab := c.open(s.URL + "/shop")
	c.call("evaluate", args{"code": "console.warn('lamps are out'); return (await (await fetch('/about')).text()).length"})
	c.want(c.call("list_console", nil), "lamps are out")
	requests := c.call("list_requests", nil)
	c.want(requests, "/about", "200")
	c.want(c.call("get_request", args{"id": c.find(`(?m)^(\w+) .*/about`, requests)}), "We are a small shop.")
	c.want(c.call("emulate", args{"media": "print"}), tab)
	c.want(c.refused("emulate", args{"timezone": "Nowhere/City"}), "no time zone")
}
