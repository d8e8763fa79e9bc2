package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"drawbridge/internal/loopback"
	"drawbridge/internal/wire"
)

// Access knows who may connect. Its methods may be called concurrently.
type Access interface {
	// Check returns the key of the token that belongs to a browser's name.
	Check(name string) (wire.Key, bool)
	// Has tells whether the name still has that key. It is true while that cannot
	// be known.
	Has(name string, key wire.Key) bool
	// Touch notes that the name was used.
	Touch(name string)
	// AddBrowser makes a token for a new browser, and gives it a name like the
	// one that it asks for.
	AddBrowser(like string) (name, token string, err error)
	// Revoke makes a name unknown.
	Revoke(name string) error
}

// ServerOptions configure a Server.
type ServerOptions struct {
	Version string // of drawbridge
	Access  Access
	// Admin is the token of who may control this run; "" for nobody.
	Admin string
	Log   *slog.Logger // nil: none
}

// Server is the endpoint on which browsers connect: /link/NAME for those that
// are known, /link for those that ask to be, /healthz for everybody, and
// /control/… for the drawbridge commands of the same user.
type Server struct {
	o       ServerOptions
	mux     *http.ServeMux
	pairing pairing
	strange chan struct{} // has room for those that have not proved who they are

	mu      sync.Mutex // guards following
	port    string     // of the listener
	peers   map[run]*member
	warned  time.Time       // when a refusal was last told
	serving sync.WaitGroup  // the connections
	ctx     context.Context // of Run; nil: not running
	attach  func(Peer)
}

// run is one run of a browser's profile.
type run struct{ instance, boot string }

// member is a browser that is attached.
type member struct {
	*remote
	credential string // of its last connection; guarded by the Server's mutex
}

// NewServer returns a Server, whose Run must be called.
func NewServer(o ServerOptions) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{o: o, mux: http.NewServeMux(), strange: make(chan struct{}, maxStrange), peers: map[run]*member{}}
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, Healthy) })
	s.mux.HandleFunc("GET /link/{name}", func(w http.ResponseWriter, r *http.Request) { s.accept(w, r, s.known) })
	s.mux.HandleFunc("GET /link", func(w http.ResponseWriter, r *http.Request) { s.accept(w, r, s.pair) })
	s.control()
	return s
}

// Healthy is all that /healthz says.
const Healthy = "drawbridge"

// Run serves what comes to the listener, which it closes, until ctx ends, and
// returns when every connection has ended. attach is called with each browser
// that comes, whose Run it must have called. It is called once.
func (s *Server) Run(ctx context.Context, ln net.Listener, attach func(Peer)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.ctx, s.attach = ctx, attach
	if _, port, err := net.SplitHostPort(ln.Addr().String()); err == nil {
		s.port = port
	}
	s.mu.Unlock()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: helloTime, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10, ConnContext: withUnder,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	err := server.Serve(ln)
	cancel()
	server.Close()
	s.mu.Lock()
	s.ctx = nil // nobody comes any more
	s.mu.Unlock()
	s.serving.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// ServeHTTP refuses whoever is not meant before anything else is looked at.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ok := loopback.Names(r.Host, s.port)
	s.mu.Unlock()
	if !ok || !loopback.FromExtension(r.Header["Origin"]) {
		s.o.Log.Log(r.Context(), s.level(), "a connection was refused: it comes from a web page, or asks for another name than this machine's", "host", r.Host, "origin", r.Header.Get("Origin"))
		http.Error(w, "not for you", http.StatusForbidden)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	s.mux.ServeHTTP(w, r)
}

// warnEvery is how often a refusal is told in the log of a person: browsers that
// are refused come again, and so may others.
const warnEvery = time.Minute

// level is that of the next refusal.
func (s *Server) level() slog.Level {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.warned.IsZero() || now.Sub(s.warned) >= warnEvery {
		s.warned = now
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// enter counts a connection in, unless the Server does not run, and returns
// when it must end.
func (s *Server) enter() (context.Context, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil {
		return nil, false
	}
	s.serving.Add(1)
	return s.ctx, true
}
