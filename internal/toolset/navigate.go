package toolset

import (
	"context"
	"sync"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type navigateArgs struct {
	URL     string  `json:"url,omitempty" doc:"address; http and https unless a setting allows more" redact:"login" list:"bare"`
	To      string  `json:"to,omitempty" doc:"instead of url" enum:"back,forward,reload" list:"bare"`
	Wait    string  `json:"wait,omitempty" doc:"until all is loaded, until the document is there, not, or until nothing was requested for half a second" enum:"load,dom,none,idle" default:"load" list:"bare"`
	Timeout float64 `json:"timeout,omitempty" doc:"seconds" min:"0.1" max:"300" default:"30" list:"bare"`
	tool.TabArgs
}

// Destination is where it leads, as far as the arguments tell.
func (a navigateArgs) Destination() string { return a.URL }

// Check wants one way to go.
func (a navigateArgs) Check() error {
	switch {
	case a.URL != "" && a.To != "":
		return invalid("leave one of them out", "url and to were given")
	case a.URL == "" && a.To == "":
		return invalid("give url, or to: back, forward or reload", "navigate needs a destination")
	}
	return nil
}

func navigate() tool.Tool {
	return tool.New(tool.Spec{
		Name: "navigate", Title: "Navigate", Group: groupCore,
		Description: "Leads a tab to an address, back, forward, or reloads it.",
		Effect:      browser.Changes, Action: policy.Navigate, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in navigateArgs) (arrived, error) {
		op := browser.Navigate{To: browser.History(in.To), Wait: browser.Wait(in.Wait), Timeout: seconds(in.Timeout)}
		if in.URL != "" {
			var err error
			if op.URL, err = c.CheckURL(in.URL); err != nil {
				return arrived{}, err
			}
		}
		var nav browser.Navigation
		if err := during(ctx, c, "loading", op.Timeout, func() error { return c.Do(ctx, op, &nav) }); err != nil {
			return arrived{}, err
		}
		return newArrived(c.Tab().ID, nav), nil
	})
}

// during runs a long piece of work and tells the client each second that it
// goes on. It returns when both have ended.
func during(ctx context.Context, c *tool.Call, what string, limit time.Duration, work func() error) error {
	telling, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		start, tick := time.Now(), time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-telling.Done():
				return
			case now := <-tick.C:
				c.Progress(telling, now.Sub(start).Seconds(), limit.Seconds(), what)
			}
		}
	})
	err := work()
	stop()
	wg.Wait()
	return err
}
