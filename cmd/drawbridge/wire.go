package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"drawbridge/internal/broker"
	"drawbridge/internal/config"
	"drawbridge/internal/history"
	"drawbridge/internal/mcpserver"
	"drawbridge/internal/sqlite"
	"drawbridge/internal/tool"
	"drawbridge/internal/toolset"
)

// closeTime is how long the end of a session may take.
const closeTime = 5 * time.Second

// system is the parts of the program, connected.
type system struct {
	settings config.Settings
	log      *slog.Logger
	offered  vocabulary                 // what every session is offered, for its traits and tools
	offer    func() (vocabulary, error) // what the next session is offered
	broker   *broker.Broker
	calls    *sqlite.Store // nil: they are in memory only
	root     *os.Root      // the working folder, or nil
	endpoint *endpoint     // for browsers that connect, or nil
}

// serverName is what the program calls itself to clients.
const serverName = "drawbridge"

// vocabulary is what a session is offered.
type vocabulary struct {
	tools        []tool.Tool
	dialect      tool.Dialect // nil: they are our own
	record       bool         // they tell what was recorded of tabs
	structured   bool         // they answer with structured content too
	server       string       // what the server calls itself
	instructions string       // what a model reads first; "" for the usual ones
	fixed        bool         // pages add no tools of their own
}

// noDialogs tells that no tool answers the dialogs of pages.
func (v vocabulary) noDialogs() bool { return v.dialect != nil }

// ownVocabulary returns our tools of the groups.
func (env *environment) ownVocabulary(groups []string) (vocabulary, error) {
	tools, err := toolset.Select(groups)
	if err != nil {
		return vocabulary{}, usage(err, "")
	}
	return vocabulary{tools: toolset.WithTimeout(tools, env.settings.Timeout), record: toolset.NeedRecord(tools),
		structured: env.settings.Structured, server: serverName}, nil
}

// wire connects the parts with our tools of the groups.
func (env *environment) wire(groups []string) (*system, error) {
	return env.connect(func() (vocabulary, error) { return env.ownVocabulary(groups) })
}

// wireServed connects the parts with what the settings offer a client.
func (env *environment) wireServed() (*system, error) { return env.connect(env.vocabulary) }

// connect connects the parts as the settings say, for sessions with what offer
// returns. Nothing runs yet, and no browser starts before a call needs one or
// the broker is warmed.
func (env *environment) connect(offer func() (vocabulary, error)) (*system, error) {
	v, err := offer()
	if err != nil {
		return nil, err
	}
	rules, err := env.rules()
	if err != nil {
		return nil, err
	}
	start, err := env.starter(v)
	if err != nil {
		return nil, err
	}
	s := &system{settings: env.settings, log: env.log, offered: v, offer: offer}
	if env.Dir != "" {
		if s.root, err = os.OpenRoot(env.Dir); err != nil {
			env.log.Warn("the working folder cannot be opened; no files can be read or written", "error", err)
		}
	}
	o := broker.Options{Start: start, Policy: rules, Schemes: env.settings.Schemes, Log: env.log, About: env.about()}
	o.History = history.NewLog(history.InMemory)
	if s.calls = env.calls(); s.calls != nil {
		o.History = s.calls
	}
	if env.settings.LogHistory && v.dialect == nil { // which has lines of its own
		o.History = history.Told(o.History, env.Stderr)
	}
	s.broker = broker.New(o)
	return s, nil
}

// withSession runs body with a session of the client, which ends with it.
func (s *system) withSession(ctx context.Context, client string, body func(context.Context, *broker.Session, vocabulary) error) error {
	v, err := s.offer()
	if err != nil {
		return err
	}
	session := s.broker.Open(broker.Client{
		Name: client, ReadOnly: s.settings.ReadOnly, Root: s.root, Structured: v.structured, Dialect: v.dialect,
		PageTools: broker.PageTools{
			NoPair: s.settings.PageTools == "list", NoList: v.fixed || s.settings.PageTools == "pair",
			NoForms: s.settings.NoDeclarative, Strict: s.settings.StrictSchemas,
		},
	}, v.tools)
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		session.Close(closing)
	}()
	return body(ctx, session, v)
}

// runSession serves the browsers while body runs with the one session that
// there is.
func (s *system) runSession(ctx context.Context, body func(context.Context, *broker.Session) error) error {
	return s.run(ctx, func(ctx context.Context) error {
		return s.withSession(ctx, s.settings.Client, func(ctx context.Context, session *broker.Session, _ vocabulary) error {
			return body(ctx, session)
		})
	})
}

// about is what the status tells of the program.
func (env *environment) about() tool.About {
	info, _ := debug.ReadBuildInfo()
	s := env.settings
	protocols := mcpserver.Protocols
	if s.Transport == transportHTTP {
		protocols = mcpserver.HTTPProtocols + " over HTTP"
	}
	a := tool.About{Version: versionOf(info), Started: time.Now(), Facts: []tool.Fact{{Name: "MCP", Value: protocols}}}
	if s.CDP == "" {
		window := "headless"
		if !s.Headless {
			window = "with windows"
		}
		if s.Via == viaExtension {
			window += ", driven through the extension"
			if s.FullPower {
				window += " with full power"
			}
		}
		a.Facts = append(a.Facts, tool.Fact{Name: "browsers", Value: window + ", viewport " + s.Viewport})
	}
	if len(s.Schemes) > 0 {
		a.Facts = append(a.Facts, tool.Fact{Name: "schemes", Value: strings.Join(s.Schemes, ", ")})
	}
	return a
}

// run serves the browsers while body runs, and returns when body has ended and
// every browser is gone.
func (s *system) run(ctx context.Context, body func(context.Context) error) error {
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	served := make(chan error, 1)
	go func() {
		var listening sync.WaitGroup
		if s.endpoint != nil {
			listening.Go(func() { s.endpoint.run(serving) })
		}
		err := s.broker.Run(serving)
		listening.Wait()
		served <- err
	}()
	recording, ended := context.WithCancel(context.WithoutCancel(ctx))
	defer ended()
	recorded := make(chan error, 1)
	if s.calls != nil {
		go func() { recorded <- s.calls.Run(recording) }()
	} else {
		recorded <- nil
	}

	err := body(ctx)

	stop()
	err = errors.Join(err, <-served)
	ended()
	err = errors.Join(err, <-recorded)
	if s.root != nil {
		err = errors.Join(err, s.root.Close())
	}
	return err
}
