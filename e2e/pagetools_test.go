package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func init() {
	pages["/tools"] = `<!doctype html><title>Tools</title><script>
const offer = (name, execute, signal) => document.modelContext.registerTool({name, description: 'About ' + name,
	inputSchema: {type: 'object', properties: {name: {type: 'string'}}}, execute}, {signal})
offer('greet', ({name}) => 'Hello, ' + name)
const late = () => offer('late', () => 'late')
let stop = new AbortController()
const flicker = () => setInterval(() => {
	stop.abort()
	stop = new AbortController()
	offer('flicker', () => '', stop.signal)
	setTimeout(() => stop.abort(), 4)
}, 10)
</script>`
}

// pageToolNames are the names under which page tools are listed.
func (c *client) pageToolNames() []string {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(c.tb.Context(), patience)
	defer cancel()
	list, err := c.session.ListTools(ctx, nil)
	if err != nil {
		c.tb.Fatal(err)
	}
	var names []string
	for _, t := range list.Tools {
		if t.Meta["drawbridge"] != nil {
			names = append(names, t.Name)
		}
	}
	return names
}

// Tools of the page are tools of their own while it shows them, in both ways
// of the protocol to tell that the list changed.
func TestPageToolsAreTools(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", ""} {
		t.Run("version "+version, func(t *testing.T) {
			needBrowser(t)
			changed := make(chan struct{}, 1000)
			c := connect(t, launch(t, "--log-history"), version, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			s := newSite(t)
			until := func(what string, names ...string) {
				t.Helper()
				for limit := time.After(patience); !slices.Equal(c.pageToolNames(), names); {
					select {
					case <-changed:
					case <-limit:
						t.Fatalf("%s: the list has %q, want %q", what, c.pageToolNames(), names)
					}
				}
			}
			until("no page")
			c.call("open_tab", args{"url": s.URL + "/tools"})
			until("a page with a tool", "page_greet")
			c.want(c.call("page_greet", args{"name": "Ann"}), "> Hello, Ann")
			c.call("evaluate", args{"code": "late()"})
			until("a late tool", "page_greet", "page_late")
			c.call("navigate", args{"url": s.URL + "/about"})
			until("a page without")
			if res, err := c.result(t.Context(), "page_greet", nil); err != nil || !res.IsError {
				t.Errorf("a tool of the page before answered: %v %v", res, err)
			}
			c.call("navigate", args{"to": "back"})
			until("the way back", "page_greet", "page_late")
			c.want(c.call("page_greet", args{"name": "Bob"}), "> Hello, Bob")

			// What comes and goes a hundred times a second costs nothing, unless the
			// machine is so busy that it stays for a while.
			for len(changed) > 0 {
				<-changed
			}
			c.call("evaluate", args{"code": "flicker(); await new Promise((done) => setTimeout(done, 2000))"})
			if n := len(changed); n > 2 {
				t.Errorf("told %d times that the list changed", n)
			}

			var told []string
			for line := range strings.Lines(c.stderr.String()) {
				var l struct {
					Tool, Tab string
					PageTool  string `json:"page_tool"`
					Arguments string
					OK        bool
					Millis    float64 `json:"ms"`
				}
				if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &l) == nil && l.PageTool != "" {
					told = append(told, l.PageTool)
					if l.Tool != "call_page_tool" || l.Tab != "t1" || l.Millis <= 0 || l.OK != strings.Contains(l.Arguments, `"arguments":{"name":`) {
						t.Errorf("stderr has %s", line)
					}
				}
			}
			if got := strings.Join(told, " "); got != "greet greet greet" {
				t.Errorf("stderr tells of %q", got)
			}
			if got := c.pastCalls("--tool", "greet"); len(got) != 3 || !strings.Contains(got[0], "call_page_tool greet") {
				t.Errorf("the history has %q", got)
			}
		})
	}
}
