package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"sync"
	"time"

	"drawbridge/internal/broker"
	"drawbridge/internal/mcpserver"
	"drawbridge/internal/toolset"
)

type serveCommand struct{}

// Run serves MCP until ctx ends or, on stdin and stdout, the client goes.
func (serveCommand) Run(ctx context.Context, env *environment) error {
	sys, err := env.wireServed()
	if err != nil {
		return err
	}
	sys.endpoint = env.endpoint(sys.offered, sys.broker.Attach)
	if env.settings.Transport == transportHTTP {
		return env.serveHTTP(ctx, sys)
	}
	if isTerminal(env.Stdin) {
		env.log.Info("an MCP client is expected on stdin; clients start this command themselves")
	}
	return sys.run(ctx, func(ctx context.Context) error {
		return env.serveClient(ctx, sys, env.settings.Client, func(ctx context.Context, server *mcpserver.Server) error {
			return server.Run(ctx, mcpserver.Stdio(env.Stdin, env.Stdout))
		})
	})
}

// serveClient has run serve a client's connection, on a session of its own.
func (env *environment) serveClient(ctx context.Context, sys *system, client string, run func(context.Context, *mcpserver.Server) error) error {
	return sys.withSession(ctx, client, func(ctx context.Context, session *broker.Session, v vocabulary) error {
		ctx, cancel := context.WithCancel(ctx)
		var opening sync.WaitGroup
		defer opening.Wait()
		defer cancel()
		info, _ := debug.ReadBuildInfo()
		first := &afterFirstPage{Session: session, opened: make(chan struct{}), over: ctx.Done(), lists: v.dialect != nil}
		return run(ctx, mcpserver.New(mcpserver.Options{
			Session: first, Name: v.server, Version: versionOf(info), Structured: v.structured, Instructions: v.instructions, Log: env.log,
			Began: func() {
				if !env.hasOwnBrowsers() { // else one is launched when it is asked for
					sys.broker.Warm()
				}
				opening.Go(func() {
					defer close(first.opened)
					sys.openFirst(ctx, session)
				})
			},
		}))
	})
}

// firstPageTime is how long calls wait for the page that the settings name, and
// lists of tools where clients expect its tools in them.
const firstPageTime = 10 * time.Second

// afterFirstPage lets calls wait for the page that is opened at the start, so
// that what they say of open tabs does not depend on how fast it was.
type afterFirstPage struct {
	mcpserver.Session
	opened chan struct{}   // closed when the page is there or did not come
	over   <-chan struct{} // closed when nobody waits any more
	lists  bool            // lists wait too: clients of older servers expect its tools in the first one
}

func (s *afterFirstPage) PageTools() broker.PageList {
	if s.lists {
		enough := time.NewTimer(firstPageTime)
		defer enough.Stop()
		select {
		case <-s.opened:
		case <-s.over:
		case <-enough.C:
		}
	}
	return s.Session.PageTools()
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
func (s *system) openFirst(ctx context.Context, session *broker.Session) {
	if s.settings.URL == "" {
		return
	}
	if err := s.openURL(ctx, session); err != nil && ctx.Err() == nil {
		s.log.Warn("the first page did not open", "url", s.settings.URL, "error", err)
	}
}

func (s *system) openURL(ctx context.Context, session *broker.Session) error {
	// In a dialect the tab stays also without its page: its client expects one.
	args, err := json.Marshal(map[string]any{"url": s.settings.URL, "stay": s.settings.Dialect != ""})
	if err != nil {
		return err
	}
	open := toolset.OpenTab()
	_, err = session.Call(ctx, broker.Request{Name: open.Spec.Name, Native: &open, Args: args})
	return err
}

type bareCommand struct{}

// Run serves: on a terminal the command line has been explained instead.
func (bareCommand) Run(ctx context.Context, env *environment) error {
	return serveCommand{}.Run(ctx, env)
}
