package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"sync"
	"time"

	"drawbridge/internal/broker"
	"drawbridge/internal/mcpserver"
)

type serveCommand struct{}

// Run serves MCP until the client goes or ctx ends.
func (serveCommand) Run(ctx context.Context, env *environment) error {
	sys, err := env.wire(env.settings.Toolsets)
	if err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	if isTerminal(env.Stdin) {
		env.log.Info("an MCP client is expected on stdin; clients start this command themselves")
	}
	return sys.run(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		var opening sync.WaitGroup
		defer opening.Wait()
		defer cancel()
		first := &afterFirstPage{Session: sys.session, opened: make(chan struct{})}
		server := mcpserver.New(mcpserver.Options{
			Session: first, Name: "drawbridge", Version: versionOf(info), Structured: env.settings.Structured, Log: env.log,
			Began: func() {
				sys.broker.Warm()
				opening.Go(func() {
					defer close(first.opened)
					sys.openFirst(ctx)
				})
			},
		})
		return server.Run(ctx, mcpserver.Stdio(env.Stdin, env.Stdout))
	})
}

// firstPageTime is how long calls wait for the page that the settings name.
const firstPageTime = 10 * time.Second

// afterFirstPage lets calls wait for the page that is opened at the start, so
// that what they say of open tabs does not depend on how fast it was.
type afterFirstPage struct {
	mcpserver.Session
	opened chan struct{} // closed when the page is there or did not come
}

func (s *afterFirstPage) Call(ctx context.Context, r broker.Request) (broker.Outcome, error) {
	waiting, cancel := context.WithTimeout(ctx, firstPageTime)
	defer cancel()
	select {
	case <-s.opened:
	case <-waiting.Done():
	}
	return s.Session.Call(ctx, r)
}

// openFirst opens the page that the settings name. That it did not open is no
// reason not to serve.
func (s *system) openFirst(ctx context.Context) {
	if s.settings.URL == "" {
		return
	}
	if err := s.openURL(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("the first page did not open", "url", s.settings.URL, "error", err)
	}
}

func (s *system) openURL(ctx context.Context) error {
	args, err := json.Marshal(map[string]string{"url": s.settings.URL})
	if err != nil {
		return err
	}
	_, err = s.session.Call(ctx, broker.Request{Name: "open_tab", Args: args})
	return err
}

type bareCommand struct{}

// Run serves: on a terminal the command line has been explained instead.
func (bareCommand) Run(ctx context.Context, env *environment) error {
	return serveCommand{}.Run(ctx, env)
}
