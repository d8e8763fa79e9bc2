package mcpserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPProtocols are the versions of the protocol that are spoken over HTTP: those
// in which requests belong to a session, as current tabs and claims do.
const HTTPProtocols = "2024-11-05 to 2025-11-25"

// Stateless is the first version of the protocol in which requests belong to no
// session.
const Stateless = "2026-07-28"

// HTTP is the connection of one client whose messages come in HTTP requests
// (MCP, Streamable HTTP). Its requests are handed to ServeHTTP.
type HTTP struct {
	id    string
	ready chan struct{} // closed when srv and serve are set
	srv   *mcp.Server
	serve http.Handler

	mu       sync.Mutex    // guards open
	open     int           // requests that wait for answers
	answered chan struct{} // has a token when open may have become 0
}

// NewHTTP returns a connection that RunHTTP is to serve.
func NewHTTP() *HTTP {
	return &HTTP{id: rand.Text(), ready: make(chan struct{}), answered: make(chan struct{}, 1)}
}

// ID is what the client names the connection by, in the header SessionHeader. It
// cannot be guessed.
func (h *HTTP) ID() string { return h.id }

// SessionHeader is the name of the header that names a connection.
const SessionHeader = "Mcp-Session-Id"

// Ready is closed when requests can be served.
func (h *HTTP) Ready() <-chan struct{} { return h.ready }

// ServeHTTP serves a request of the client, the first of which introduces it and
// names no connection. Ready is closed.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		h.count(1)
		defer h.count(-1)
	}
	h.serve.ServeHTTP(w, r)
}

func (h *HTTP) count(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open += n; h.open == 0 {
		select {
		case h.answered <- struct{}{}:
		default:
		}
	}
}

// drain waits until every request has its answer, for some time.
func (h *HTTP) drain() {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	for {
		h.mu.Lock()
		n := h.open
		h.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-h.answered:
		case <-limit.C:
			return
		}
	}
}

// Introduced tells whether a client has introduced itself.
func (h *HTTP) Introduced() bool {
	for conn := range h.srv.Sessions() {
		if conn.InitializeParams() != nil {
			return true
		}
	}
	return false
}

// RunHTTP serves the client of h until ctx ends, and returns when every call has
// ended and was answered: those under way are cancelled.
func (s *Server) RunHTTP(ctx context.Context, h *HTTP) error {
	calls, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer s.began.never()
	srv, follow := s.declareAll(calls, func() string { return h.id })
	h.srv, h.serve = srv, streamable(srv, newPast(), s)
	close(h.ready)
	var following sync.WaitGroup
	following.Go(func() { follow(calls) })
	<-ctx.Done()
	end(context.Cause(ctx))
	following.Wait()

	h.drain() // closing drops answers
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for _, conn := range slices.Collect(srv.Sessions()) {
			_ = conn.Close() // waits for the calls
		}
	}()
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	select {
	case <-closed:
	case <-limit.C:
		s.o.Log.Warn("the client does not read its answers; ended without it")
	}
	return nil
}

// Lobby answers requests that belong to no session, in the versions of the
// protocol that have none: it tells which versions there are.
func Lobby(name, version string) http.Handler {
	s := New(Options{Name: name, Version: version})
	srv := mcp.NewServer(&mcp.Implementation{Name: name, Title: "drawbridge", Version: version}, &mcp.ServerOptions{
		Instructions: s.o.Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	return streamable(srv, nil, s)
}

// streamable is the SDK's side of HTTP. Who may send what is decided before it.
func streamable(srv *mcp.Server, past mcp.EventStore, s *Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{
		Logger: s.sdkLog(), EventStore: past, MaxRequestBodyBytes: -1, DisableLocalhostProtection: true,
	})
}
