package mcphttp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"drawbridge/internal/access"
	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
	"drawbridge/internal/mcpserver"
	"drawbridge/internal/tool"
)

// pipes is a listener and a dialer without a network, so that a bubble of
// synctest can hold both sides.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 21082} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// served is the session of a client: it answers calls when it is told to.
type served struct {
	mcpserver.Session
	client string
	began  chan struct{} // has a token for each call
	answer chan string
}

func (s *served) Known() []tool.Tool                { return nil }
func (s *served) Tools() []tool.Tool                { return nil }
func (s *served) PageTools() broker.PageList        { return broker.PageList{} }
func (s *served) HasPageTool(string) bool           { return true }
func (s *served) PageToolsChanged() <-chan struct{} { return nil }
func (s *served) Resources() *broker.Resources      { return nil }

func (s *served) Call(ctx context.Context, _ broker.Request) (broker.Outcome, error) {
	s.began <- struct{}{}
	select {
	case text := <-s.answer:
		return broker.Outcome{Text: text}, nil
	case <-ctx.Done():
		return broker.Outcome{}, &browser.Error{Code: browser.CodeCancelled, Msg: "nobody waits for it"}
	}
}

// stage is a Server that runs.
type stage struct {
	t      *testing.T
	server *Server
	access *access.File
	client *http.Client
	stop   func()
	log    *strings.Builder
	bodies []io.Closer // of answers

	mu       sync.Mutex // guards following
	sessions []*served  // that have not ended
}

func listen(t *testing.T) *stage {
	t.Helper()
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	tr := &http.Transport{DialContext: p.dial}
	s := &stage{t: t, access: access.Open(filepath.Join(t.TempDir(), "access.json")), client: &http.Client{Transport: tr}, log: &strings.Builder{}}
	s.server = NewServer(Options{
		Access: s.access, Lobby: mcpserver.Lobby("test", "v1"), Log: slog.New(slog.NewTextHandler(s.log, nil)),
		Serve: func(ctx context.Context, client string, h *mcpserver.HTTP) error {
			one := &served{client: client, began: make(chan struct{}, 9), answer: make(chan string)}
			s.change(func() { s.sessions = append(s.sessions, one) })
			defer s.change(func() {
				for i := range s.sessions {
					if s.sessions[i] == one {
						s.sessions = append(s.sessions[:i:i], s.sessions[i+1:]...)
						return
					}
				}
			})
			return mcpserver.New(mcpserver.Options{Session: one, Name: "test", Version: "v1"}).RunHTTP(ctx, h)
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.server.Run(ctx, p) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		for _, b := range s.bodies {
			b.Close()
		}
		tr.CloseIdleConnections()
	})
	t.Cleanup(s.stop)
	return s
}

func (s *stage) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// last is the session that began last.
func (s *stage) last() *served {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[len(s.sessions)-1]
}

// open counts the sessions.
func (s *stage) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

func (s *stage) token(name string) string {
	s.t.Helper()
	_, token, err := s.access.Add(access.Client, name)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// request is one, with what most have.
func (s *stage) request(method, path, body string, header http.Header) *http.Response {
	s.t.Helper()
	r, err := http.NewRequest(method, "http://127.0.0.1:21082"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		r.Header[http.CanonicalHeaderKey(k)] = v
	}
	if h := header.Get("Host"); h != "" {
		r.Host = h
	}
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	s.bodies = append(s.bodies, resp.Body)
	return resp
}

// bodyOf reads an answer to its end.
func bodyOf(t *testing.T, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// talk is a client's side of a session.
type talk struct {
	s      *stage
	header http.Header
	n      int
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// begin begins a session.
func (s *stage) begin(token string) *talk {
	s.t.Helper()
	c := &talk{s: s, header: http.Header{"Authorization": {"Bearer " + token}}}
	resp := s.request("POST", "/mcp", hello, c.header)
	id := resp.Header.Get("Mcp-Session-Id")
	if body := bodyOf(s.t, resp); resp.StatusCode != http.StatusOK || id == "" || !strings.Contains(body, `"serverInfo"`) {
		s.t.Fatalf("initialize: %d %s", resp.StatusCode, body)
	}
	c.header["Mcp-Session-Id"], c.header["Mcp-Protocol-Version"] = []string{id}, []string{"2025-11-25"}
	resp = s.request("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, c.header)
	if bodyOf(s.t, resp); resp.StatusCode != http.StatusAccepted {
		s.t.Fatalf("initialized: %d", resp.StatusCode)
	}
	return c
}

// ask sends a request whose answer may not be there yet.
func (c *talk) ask(method, params string) *http.Response {
	c.s.t.Helper()
	c.n++
	return c.s.request("POST", "/mcp", `{"jsonrpc":"2.0","id":`+string(rune('0'+c.n))+`,"method":"`+method+`","params":`+params+`}`, c.header)
}

// call begins a call, which the session has begun when call returns.
func (c *talk) call() *http.Response {
	c.s.t.Helper()
	one := c.s.last()
	resp := c.ask("tools/call", `{"name":"page_x","arguments":{}}`)
	<-one.began
	return resp
}

// event is what a stream of events sends next; "" at its end.
type event struct {
	ID   string
	Data string
}

// events reads a stream's events until the one with data, or its end.
func next(r *bufio.Reader) event {
	var e event
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return event{}
		}
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name {
		case "id":
			e.ID = strings.TrimSpace(value)
		case "data":
			e.Data = strings.TrimSpace(value)
		case "":
			if e.ID != "" || e.Data != "" {
				return e
			}
		}
	}
}

// fault is the error of a JSON-RPC answer.
func faultOf(t *testing.T, body string) (code int, msg string) {
	t.Helper()
	var m struct {
		Error struct {
			Code    int
			Message string
		}
		ID any
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil || m.Error.Message == "" {
		t.Errorf("no JSON-RPC error: %s", body)
	}
	return m.Error.Code, m.Error.Message
}
