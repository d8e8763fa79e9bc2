package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestEveryVersionOfTheProtocol(t *testing.T) {
	t.Parallel()
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			c := connect(t, launch(t, "--browser", "/nowhere/chromium"), version, nil)
			if got := c.session.InitializeResult(); got.ProtocolVersion != version || got.ServerInfo.Version != "v0.0.0-e2e" || got.Instructions == "" {
				t.Errorf("initialize answered %+v", got)
			}
			list, err := c.session.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) < 10 {
				t.Fatalf("%d tools, %v", len(list.Tools), err)
			}
			for _, tool := range list.Tools {
				if a := tool.Annotations; a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
					t.Errorf("%s does not say every hint: %+v", tool.Name, a)
				}
			}
			c.want(c.refused("open_tab", args{"url": "about:blank"}), "/nowhere/chromium")
		})
	}
}

func TestProgressOfALongCall(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	told := make(chan *mcp.ProgressNotificationParams, 16)
	c := connect(t, launch(t), "", &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params },
	})
	s := newSite(t)
	tab := c.open(s.URL + "/about")
	params := &mcp.CallToolParams{Name: "wait_for", Arguments: args{"tab": tab, "text": "never", "timeout": 2.5}}
	params.SetProgressToken("mine")
	if res, err := c.session.CallTool(t.Context(), params); err != nil || !strings.Contains(textOf(res), "never") {
		t.Fatal(res, err)
	}
	last := 0.0
	for range 2 {
		select {
		case p := <-told:
			if p.ProgressToken != "mine" || p.Progress <= last {
				t.Errorf("after %v came %+v", last, p)
			}
			last = p.Progress
		case <-time.After(patience):
			t.Fatal("no progress was told")
		}
	}
}

// cancelled starts a call, cancels it when begun says so, and waits for its end.
func cancelled(t *testing.T, c *client, begun <-chan struct{}, name string, a args) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := c.result(ctx, name, a)
		ended <- err
	}()
	select {
	case <-begun:
	case err := <-ended:
		t.Fatalf("%s ended before it was cancelled: %v", name, err)
	case <-time.After(patience):
		t.Fatalf("%s did not begin", name)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%s ended with %v", name, err)
	}
}

func TestCancellationReachesTheBrowser(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	tab := c.open(s.URL + "/about")

	cancelled(t, c, s.asked, "navigate", args{"tab": tab, "url": s.URL + "/slow"})
	select {
	case <-s.gaveUp:
	case <-time.After(patience):
		t.Fatal("the browser still loads the page")
	}

	begun := make(chan struct{}, 1)
	tick := time.AfterFunc(time.Second, func() { begun <- struct{}{} })
	defer tick.Stop()
	cancelled(t, c, begun, "evaluate", args{"tab": tab, "code": "for (;;) {}"})
	start := time.Now()
	c.want(c.call("evaluate", args{"tab": tab, "code": "return 6 * 7"}), "42")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the page answered after %v only", took)
	}
	c.want(c.call("snapshot", args{"tab": tab}), "About us")
}

func TestUnknownTool(t *testing.T) {
	c := connect(t, launch(t, "--browser", "/nowhere/chromium"), "", nil)
	if _, err := c.result(t.Context(), "fly", nil); err == nil || !strings.Contains(err.Error(), "fly") {
		t.Errorf("error: %v", err)
	}
}
