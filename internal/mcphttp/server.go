// Package mcphttp serves MCP over HTTP to the clients that may connect, each
// connection in a session of its own. It decides who comes in and how long a
// session lasts; what is said in it is mcpserver's.
package mcphttp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"drawbridge/internal/access"
	"drawbridge/internal/mcpserver"
)

// Path is where clients connect.
const Path = "/mcp"

// Options configure a Server.
type Options struct {
	Access *access.File
	// Serve serves a client, of the name that the rules know, over h until ctx
	// ends, and returns when all that was held for it is free again.
	Serve func(ctx context.Context, client string, h *mcpserver.HTTP) error
	// Lobby answers requests in versions of the protocol that know no sessions.
	Lobby http.Handler
	Log   *slog.Logger // nil: none
}

// Limits.
const (
	maxBody     = 32 << 20
	maxHeader   = 32 << 10
	maxSessions = 64

	headerTime = 5 * time.Second  // for a request to have said what it wants
	bodyTime   = time.Minute      // for the rest of it
	writeTime  = 30 * time.Second // for a client to take what is written
	keptTime   = time.Minute      // that a connection stays without a request
	idleTime   = 30 * time.Minute // that a session stays without one
	lastTime   = 20 * time.Second // for everything to end
	lookTime   = time.Second / 2  // between two looks at who may still be here
	touchTime  = time.Minute      // between two notes of when a client was here
)

// Server is the endpoint at which clients connect: /mcp with a token, and
// /healthz for everybody.
type Server struct {
	o Options

	mu       sync.Mutex // guards following
	ctx      context.Context
	port     string
	sessions map[string]*session
	serving  sync.WaitGroup // the sessions
	warned   time.Time      // when a refusal was last told
}

// NewServer returns a Server, whose Run must be called.
func NewServer(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{o: o, sessions: map[string]*session{}}
}

// Run serves what comes to the listener, which it closes, until ctx ends, and
// returns when every session has ended: what is under way is cancelled, and
// answered. It is called once.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	s.mu.Lock()
	s.ctx, s.port = ctx, port
	s.mu.Unlock()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, IdleTimeout: keptTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	var beside sync.WaitGroup
	beside.Go(func() { s.look(ctx) })
	beside.Go(func() {
		<-ctx.Done()
		ending, over := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
		defer over()
		_ = server.Shutdown(ending) // nobody comes any more, and sessions have ended with ctx
		server.Close()
	})
	err = server.Serve(ln)
	cancel()
	s.mu.Lock()
	s.ctx = nil // nobody begins a session any more
	s.mu.Unlock()
	s.serving.Wait()
	beside.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// look ends the sessions whose time is over, until ctx ends.
func (s *Server) look(ctx context.Context) {
	tick := time.NewTicker(lookTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, name := range s.sweep(time.Now()) {
				s.touch(name)
			}
		}
	}
}

// touch notes that a client was here.
func (s *Server) touch(name string) {
	if err := s.o.Access.Touch(access.Client, name); err != nil {
		s.o.Log.Warn("when a client was here last cannot be noted", "client", name, "error", err)
	}
}

// sweep ends the sessions that nobody uses, or whose client may be here no more,
// and returns the names of clients that were here.
func (s *Server) sweep(now time.Time) (here []string) {
	s.mu.Lock()
	none := len(s.sessions) == 0
	s.mu.Unlock()
	if none {
		return nil
	}
	all, err := s.o.Access.List()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		switch {
		case err == nil && !one.isOf(all): // while nobody knows, all stay
			one.end(errRevoked)
		case one.open == 0 && now.Sub(one.last) >= idleTime:
			one.end(errIdle)
		case now.Sub(one.touched) >= touchTime && one.last.After(one.touched):
			one.touched = now
			here = append(here, one.client.Name)
		}
	}
	return here
}
