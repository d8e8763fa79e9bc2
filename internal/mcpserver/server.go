// Package mcpserver speaks the Model Context Protocol for one session of the
// broker. It translates and decides nothing: what a client asks goes to the
// session as it came, and what the session answers goes back. It is the only
// importer of the MCP SDK.
package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/broker"
	"drawbridge/internal/tool"
)

// Protocols are the versions of the protocol that are spoken.
const Protocols = "2024-11-05 to 2026-07-28"

// Session is what a client's connection works on; *broker.Session is one.
type Session interface {
	// Known lists all tools, also those that a call is always refused.
	Known() []tool.Tool
	// Tools lists what the client is offered, which may change.
	Tools() []tool.Tool
	// Call runs one call. Its errors are *browser.Error.
	Call(ctx context.Context, r broker.Request) (broker.Outcome, error)
	// PageTools lists the page tools that the client is offered beside Tools.
	PageTools() broker.PageList
	// HasPageTool tells whether Call takes a name for that of a page tool.
	HasPageTool(name string) bool
	// PageToolsChanged has a token when PageTools may have changed.
	PageToolsChanged() <-chan struct{}
	// Resources returns what the session has beside tools; nil: nothing.
	Resources() *broker.Resources
}

// Options configure a Server.
type Options struct {
	Session Session
	// Name and Version tell the client who serves it.
	Name, Version string
	// Instructions tell the model how to work; empty: those of this package.
	Instructions string
	// Structured adds structured content to replies, beside the whole text.
	Structured bool
	// Began, when set, is called once, when a client is there: a moment after
	// the first answers, so that what it begins delays none, and before any
	// call of a tool. It must not block.
	Began func()
	Log   *slog.Logger // nil: none
}

// Server serves one client's connection.
type Server struct {
	o     Options
	began beginning
	seen  seenList
}

// New returns a Server that has begun nothing yet.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Instructions == "" {
		o.Instructions = Instructions
	}
	if o.Began == nil {
		o.Began = func() {}
	}
	return &Server{o: o, began: beginning{begin: o.Began}}
}

// errGone is why calls end that nobody waits for any more.
var errGone = errors.New("the client closed the connection")

// endTime is how long the end waits for calls, which are cancelled first, and
// for the client to take what was answered.
const endTime = 2 * drainTime

// Run serves until ctx ends or the client goes, which both are no fault. It
// returns when every call has ended: those under way are cancelled first.
func (s *Server) Run(ctx context.Context, t Transport) error {
	calls, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer s.began.never()

	srv, follow := s.declareAll(calls, nil)
	conn, err := srv.Connect(ctx, &transport{inner: t.t, gone: func() { end(errGone) }}, nil)
	if err != nil {
		return err
	}
	var announcing sync.WaitGroup
	defer announcing.Wait()
	defer end(nil)
	announcing.Go(func() { follow(calls) })
	closed := make(chan error, 1)
	go func() { closed <- conn.Wait() }()
	select {
	case err = <-closed:
	case <-calls.Done(): // ctx ended, or the client is gone
		if ctx.Err() != nil {
			go func() { _ = conn.Close() }() // closed tells of it
		}
		limit := time.NewTimer(endTime)
		defer limit.Stop()
		select {
		case err = <-closed:
		case <-limit.C:
			s.o.Log.Warn("the client does not read its answers; ended without it")
			return nil
		}
	}
	if ctx.Err() != nil || departed(err) {
		return nil
	}
	return fmt.Errorf("the client does not speak MCP: %w", err)
}

// declareAll returns the SDK's server with everything that clients are offered,
// whose requests end with calls, and what tells them of changes until its
// context ends. id names the session of each connection; nil: the SDK does.
func (s *Server) declareAll(calls context.Context, id func() string) (srv *mcp.Server, follow func(context.Context)) {
	o := &mcp.ServerOptions{
		Instructions: s.o.Instructions,
		Logger:       s.sdkLog(),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		GetSessionID: id,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			*c = mcp.Cacheable{TTLMs: 0, CacheScope: "private"}
		},
	}
	resources := s.newResources(o)
	srv = mcp.NewServer(&mcp.Implementation{Name: s.o.Name, Title: "drawbridge", Version: s.o.Version}, o)
	for _, t := range s.o.Session.Known() {
		srv.AddTool(declare(t), s.handler)
	}
	s.addCarrier(srv)
	answering := []mcp.Middleware{s.bounded(calls), s.offered, s.carried}
	if resources != nil {
		resources.serve(srv)
		answering = append(answering, resources.answered)
	}
	srv.AddReceivingMiddleware(answering...)
	return srv, func(ctx context.Context) {
		var watching sync.WaitGroup
		defer watching.Wait()
		if resources != nil {
			watching.Go(func() { resources.watch.run(ctx) })
		}
		s.announce(ctx, func() { s.addCarrier(srv) })
	}
}

// bounded ends every request with the connection, which the SDK's contexts
// outlive, and has the rest begin.
func (s *Server) bounded(calls context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			stop := context.AfterFunc(calls, func() { cancel(context.Cause(calls)) })
			defer stop()
			switch {
			case method == "tools/call":
				s.began.now()
			case method == "initialize" || method == "server/discover":
				defer s.began.within(afterHandshake)
			case !strings.HasPrefix(method, "notifications/"):
				defer s.began.within(afterAnswer)
			}
			return next(ctx, method, req)
		}
	}
}

// departed tells whether err only says that the other end is not there any
// more, which is how a client ends a session.
func departed(err error) bool {
	for _, e := range []error{io.EOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE, mcp.ErrConnectionClosed} {
		if errors.Is(err, e) {
			return true
		}
	}
	return err == nil
}

// sdkLog is the SDK's log, which reports each session's life as information
// and its end as an error: both are details here.
func (s *Server) sdkLog() *slog.Logger {
	if !s.o.Log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return slog.New(detail{s.o.Log.Handler()})
}

// detail lowers every record to the debug level.
type detail struct{ slog.Handler }

func (d detail) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return d.Handler.Handle(ctx, r)
}

func (d detail) WithAttrs(a []slog.Attr) slog.Handler { return detail{d.Handler.WithAttrs(a)} }
func (d detail) WithGroup(n string) slog.Handler      { return detail{d.Handler.WithGroup(n)} }
