package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"sync"

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
	return sys.run(ctx, func(ctx context.Context) error {
		var opening sync.WaitGroup
		defer opening.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		server := mcpserver.New(mcpserver.Options{
			Session: sys.session, Name: "drawbridge", Version: versionOf(info), Structured: env.settings.Structured, Log: env.log,
			Began: func() {
				sys.broker.Warm()
				opening.Go(func() { sys.openFirst(ctx) })
			},
		})
		return server.Run(ctx, mcpserver.Stdio(env.Stdin, env.Stdout))
	})
}

// openFirst opens the page that the settings name. The client's first call
// does not wait for it, and is told of a failure only by what it sees.
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
