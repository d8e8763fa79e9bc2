// Package demo is the demo site: a small shop with real pages, to try
// drawbridge on and to test it with.
package demo

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"time"
)

//go:embed site
var files embed.FS

// Handler serves the site.
func Handler() http.Handler {
	site, err := fs.Sub(files, "site")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return http.FileServerFS(site)
}

// Server is the site on a port of the loopback.
type Server struct {
	URL string // such as http://127.0.0.1:40001/
	l   net.Listener
}

// Listen takes a free port of the loopback, or the given one ("127.0.0.1:8080").
func Listen(addr string) (*Server, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Server{URL: "http://" + l.Addr().String() + "/", l: l}, nil
}

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	srv := &http.Server{Handler: Handler(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(s.l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
