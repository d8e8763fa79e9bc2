package mcphttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"drawbridge/internal/access"
	"drawbridge/internal/loopback"
	"drawbridge/internal/mcpserver"
)

// fault is why a request is refused.
type fault struct {
	status int
	code   int // of JSON-RPC; 0: that of a server's own
	msg    string
}

// Codes of faults.
const (
	codeServer  = -32000
	codeSession = -32001 // as clients know it
	codeParse   = -32700
)

// refuse answers with a fault. Nothing more of the request is read.
func refuse(w http.ResponseWriter, f fault) {
	if f.code == 0 {
		f.code = codeServer
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "error": map[string]any{"code": f.code, "message": f.msg}, "id": nil})
	if err != nil {
		body = nil // there is no such text
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Connection", "close")
	w.WriteHeader(f.status)
	_, _ = w.Write(body) // whoever asked may have gone
}

// ServeHTTP refuses whoever is not meant before anything else is looked at.
func (s *Server) ServeHTTP(plain http.ResponseWriter, r *http.Request) {
	w := newWriter(plain)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	s.mu.Lock()
	port := s.port
	s.mu.Unlock()
	switch bare := r.URL.RawQuery == "" && !r.URL.ForceQuery; {
	case !loopback.Names(r.Host, port) || !mayAsk(r.Header["Origin"], port):
		s.tell(r, "a request was refused: it comes from a web page, or asks for another name than this machine's", "host", r.Host, "origin", r.Header.Get("Origin"))
		refuse(w, fault{status: http.StatusForbidden, msg: "not for web pages, nor under another name than this machine's"})
	case bare && r.URL.Path == "/healthz" && r.Method == http.MethodGet:
		fmt.Fprintln(w, "drawbridge")
	case !bare || r.URL.Path != Path:
		refuse(w, fault{status: http.StatusNotFound, msg: "clients connect at " + Path + ", without a query"})
	case r.Method != http.MethodGet && r.Method != http.MethodPost && r.Method != http.MethodDelete:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, fault{status: http.StatusMethodNotAllowed, msg: "the method is GET, POST or DELETE"})
	default:
		s.serve(w, r)
	}
}

// mayAsk tells whether a request's Origin headers are those of a program, of an
// extension, or of a page of our own.
func mayAsk(origins []string, port string) bool {
	if loopback.FromExtension(origins) {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && origins[0] == "http://"+u.Host && loopback.Names(u.Host, port)
}

// serve serves a request to Path.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	client, why := s.client(r)
	if why != nil {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, *why)
		return
	}
	id := r.Header.Get(mcpserver.SessionHeader)
	if id == "" {
		s.serveNew(w, r, client)
		return
	}
	one := s.enter(id, client)
	if one == nil {
		refuse(w, fault{status: http.StatusNotFound, code: codeSession, msg: "Session not found: it has ended; begin a new one with initialize"})
		return
	}
	defer s.leave(one)
	switch r.Method {
	case http.MethodDelete:
		one.end(errLeft)
		select {
		case <-one.ended:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodPost:
		body, why := read(w, r)
		if why != nil {
			refuse(w, *why)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	one.serve(w, r)
}

// serve hands a request to the session as soon as that can take it.
func (s *session) serve(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.Ready():
		s.ServeHTTP(w, r)
	case <-s.ended:
		refuse(w, fault{status: http.StatusInternalServerError, msg: "the session could not begin; drawbridge's log says why"})
	}
}

// serveNew serves a request that names no session: an initialize begins one.
func (s *Server) serveNew(w http.ResponseWriter, r *http.Request, client access.Credential) {
	none := fault{status: http.StatusBadRequest, msg: "No valid session ID provided"}
	if r.Method != http.MethodPost {
		refuse(w, none)
		return
	}
	body, why := read(w, r)
	if why != nil {
		refuse(w, *why)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var msg struct {
		Method string `json:"method"`
	}
	err := json.Unmarshal(body, &msg)
	switch {
	case err != nil && !json.Valid(body):
		refuse(w, fault{status: http.StatusBadRequest, code: codeParse, msg: "the request is not JSON"})
	case msg.Method == "initialize":
		one, why := s.begin(client)
		if why != nil {
			refuse(w, *why)
			return
		}
		defer s.leave(one)
		one.serve(w, r)
		select {
		case <-one.ended:
		default:
			if !one.Introduced() {
				one.end(errStrange)
			}
		}
	case r.Header.Get("Mcp-Protocol-Version") >= mcpserver.Stateless:
		s.o.Lobby.ServeHTTP(w, r)
	default:
		refuse(w, none)
	}
}

// client returns whose token a request has.
func (s *Server) client(r *http.Request) (access.Credential, *fault) {
	how, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(how, "Bearer") {
		token = ""
	}
	c, ok, err := s.o.Access.Find(access.Client, strings.TrimSpace(token))
	switch {
	case err != nil:
		s.tell(r, "nobody can connect until the file of who may is mended", "error", err)
		return c, &fault{status: http.StatusUnauthorized, msg: "nobody can connect until the file of who may is mended: drawbridge doctor says what is wrong with it"}
	case !ok && token == "":
		return c, &fault{status: http.StatusUnauthorized, msg: "a token is needed: run drawbridge clients add NAME, and give this client the header that it prints"}
	case !ok:
		s.tell(r, "a client was refused: nobody has its token, or it was revoked")
		return c, &fault{status: http.StatusUnauthorized, msg: "the token is nobody's, or was revoked: run drawbridge clients add NAME, and give this client the header that it prints"}
	}
	return c, nil
}

// read reads a request's body.
func read(w http.ResponseWriter, r *http.Request) ([]byte, *fault) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // a connection that has none is a test's
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return nil, &fault{status: http.StatusRequestEntityTooLarge, msg: fmt.Sprintf("a message may have %d bytes", maxBody)}
		}
		return nil, &fault{status: http.StatusBadRequest, msg: "the request did not come whole"}
	}
	_ = rc.SetReadDeadline(time.Time{})
	return body, nil
}

// warnEvery is how often a refusal is told in the log of a person: who is
// refused comes again.
const warnEvery = time.Minute

// tell tells of a refusal.
func (s *Server) tell(r *http.Request, what string, args ...any) {
	level := slog.LevelDebug
	s.mu.Lock()
	if now := time.Now(); s.warned.IsZero() || now.Sub(s.warned) >= warnEvery {
		s.warned = now
		level = slog.LevelWarn
	}
	s.mu.Unlock()
	s.o.Log.Log(r.Context(), level, what, args...)
}
