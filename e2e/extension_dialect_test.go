package e2e

import "testing"

// A dialect, which has no tool for dialogs, has them answered through the
// extension too.
func TestDialogsOfADialectThroughTheExtension(t *testing.T) {
	t.Parallel()
	c, s := serve(t, "--dialect", "webmcp", "--via", "extension", "--full-power"), newSite(t)
	c.call("webmcp_navigate", args{"url": s.URL + "/dialog"})
	if got := c.call("webmcp_evaluate", args{"code": "String(confirm('Really?'))"}); got != "false" {
		t.Errorf("it was answered with %s", got)
	}
}
