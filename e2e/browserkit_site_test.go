package e2e

import (
	"bytes"
	"image/color"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"
)

// portOf is the end of the address of a server.
func portOf(s *httptest.Server) string {
	address := s.Listener.Addr().String()
	return address[strings.LastIndex(address, ":"):]
}

// kitSites are where the pages of the older suite are, made anew.
type kitSites struct {
	near, far string // two sites, by name and by address
	plain     string // where browsers trust nothing that only HTTPS may have; "": nowhere
}

// serveKitSites serves them until the test ends.
func serveKitSites(tb testing.TB) (at kitSites) {
	tb.Helper()
	one, other := httptest.NewUnstartedServer(nil), httptest.NewUnstartedServer(nil)
	at.near, at.far = "http://localhost"+portOf(one), "http://127.0.0.1"+portOf(other)
	servers := []*httptest.Server{one, other}
	if s := beyondLoopback(tb); s != nil {
		at.plain = "http://" + s.Listener.Addr().String()
		servers = append(servers, s)
	}
	square := square(color.RGBA{B: 200, A: 255})
	files := os.DirFS("testdata/browserkit")
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, kind := strings.TrimPrefix(path.Clean(r.URL.Path), "/"), "text/html; charset=utf-8"
		switch path.Ext(name) {
		case ".css":
			kind = "text/css"
		case ".js":
			kind = "text/javascript"
		case ".png":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte(square))
			return
		default:
			name += ".html"
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(bytes.ReplaceAll(data, []byte("FAR"), []byte(at.far))) // to a browser that may have left
	})
	for _, s := range servers {
		s.Config.Handler = handler
		s.Start()
		tb.Cleanup(s.Close)
	}
	return at
}

// beyondLoopback is a server at an address of this machine for others; nil: it
// has none.
func beyondLoopback(tb testing.TB) *httptest.Server {
	tb.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		tb.Fatal(err)
	}
	for _, a := range all {
		on, ok := a.(*net.IPNet)
		if !ok || on.IP.IsLoopback() || on.IP.To4() == nil {
			continue
		}
		ln, err := net.Listen("tcp", net.JoinHostPort(on.IP.String(), "0"))
		if err != nil {
			continue
		}
		s := httptest.NewUnstartedServer(nil)
		s.Listener.Close()
		s.Listener = ln
		return s
	}
	return nil
}
